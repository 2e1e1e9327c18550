"""The plan's existing ground against the elevation model: where slopes differ, and how heights lie."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import shapely

from siteplan_gis.measures.surfaces.agreement import grid_heights, height_agreement, slope_disagreement
from siteplan_gis.measures.surfaces.contours import contour_facts
from siteplan_gis.measuring.record import Taken, cannot, measured
from siteplan_gis.model.comparison import show
from siteplan_gis.model.flag import Flag
from siteplan_gis.units import ACRE_M2, FOOT_M, acres, feet

if TYPE_CHECKING:
    from shapely.geometry.base import BaseGeometry

    from siteplan_gis.measures.surfaces.agreement import HeightAgreement
    from siteplan_gis.measuring.submitted import SubmittedGround
    from siteplan_gis.model.measurement import Method
    from siteplan_gis.model.site import Site
    from siteplan_gis.model.source import Source
    from siteplan_gis.model.terrain import ElevationGrid

DIFFERENCE: Final = 0.05
"""Slopes that differ by more than five percentage points disagree."""
LEAST_M2: Final = 0.1 * ACRE_M2
"""Connected ground below a tenth of an acre is not told."""
SCALE_DOUBT: Final = 0.1
"""A rise that is off by more than this share is a unit or a scale, not a datum."""

_NAMES: Final = ("slope_disagreement_acres", "ground_height_offset_ft", "ground_height_scale")
_FINE_CELL_M: Final = 3.5
_FINE_M: Final = 0.3
_COARSE_M: Final = 2.5
_SAMPLE_M: Final = 5.0
_MOST_SAMPLES: Final = 50_000


def measure_agreement(
    site: Site, ground: SubmittedGround | None, shape: dict[str, BaseGeometry], method: Method
) -> Taken:
    """Compare slopes on the site, and heights wherever both reach."""
    taken, terrain = Taken(), site.terrain
    if ground is None or terrain is None or terrain.grid is None:
        reason = (
            "the plan gives no existing ground to compare"
            if ground is None
            else "there is no elevation model to compare with"
        )
        for name in _NAMES:
            taken.add(cannot(name, reason))
        return taken
    grid, sources = terrain.grid, (*site.plan.sources, *terrain.sources)
    area = shape["site"] if not shape["site"].is_empty else ground.outline
    if terrain.whole_units:
        taken.add(cannot(_NAMES[0], "the elevation model is in whole units: its slopes are steps", sources))
    else:
        _compare_slopes(ground, grid, area.intersection(ground.outline), method, taken, sources=sources)
    _compare_heights(site, ground, grid, taken, sources=sources)
    return taken


def _compare_slopes(
    ground: SubmittedGround,
    grid: ElevationGrid,
    area: BaseGeometry,
    method: Method,
    taken: Taken,
    *,
    sources: tuple[Source, ...],
) -> None:
    if not area.area:
        taken.add(cannot(_NAMES[0], f"{ground.words} does not reach the site"))
        return
    where = slope_disagreement(ground.tin, grid, area, method.slope_cell_m, DIFFERENCE, LEAST_M2)
    how = f"connected ground of a tenth of an acre or more where slopes of {ground.words} and of the elevation model differ by more than 5 percentage points, both smoothed over {show(feet(3 * method.slope_cell_m), 0)} ft"
    taken.add(measured(_NAMES[0], acres(where.area), None, how, where, sources))
    if where.area:
        text = f"on {show(acres(where.area))} acres the slopes of {ground.words} and of the elevation model differ by more than 5 percentage points"
        taken.flags.append(Flag("slopes_disagree", text))


def _compare_heights(
    site: Site, ground: SubmittedGround, grid: ElevationGrid, taken: Taken, *, sources: tuple[Source, ...]
) -> None:
    """Heights of the drawn contours, and of the surface where one is given; those of the contours are told."""
    contours = [line for line in site.plan.of("contour_existing") if line.elevation_m is not None]
    allowed = _grid_doubt_m(site, grid)
    done = False
    if contours:
        lines = [line.geometry for line in contours]
        levels = [float(line.elevation_m or 0.0) for line in contours]
        xy, line = shapely.get_coordinates(shapely.segmentize(lines, _SAMPLE_M), return_index=True)
        stride = max(1, len(xy) // _MOST_SAMPLES)
        interval = contour_facts(levels, lines).interval_m or 0.0
        found = height_agreement(np.array(levels)[line[::stride]], grid_heights(grid, xy[::stride]))
        done = _told(found, "the existing contours that the plan draws", allowed + interval / 2, taken, sources)
    if site.plan.surfaces:
        used = np.unique(ground.tin.triangles)
        used = used[:: max(1, len(used) // _MOST_SAMPLES)]
        found = height_agreement(ground.tin.z_m[used], grid_heights(grid, ground.tin.xy[used]))
        kept = taken if not done else Taken()
        done |= _told(found, ground.words, allowed, kept, sources)
        taken.flags += kept.flags if kept is not taken else []
    if not done:
        for name in _NAMES[1:]:
            taken.add(cannot(name, "the plan's ground and the elevation model have too little in common"))


def _grid_doubt_m(site: Site, grid: ElevationGrid) -> float:
    accuracy = site.terrain.accuracy_m if site.terrain is not None else None
    return 2 * accuracy if accuracy else _FINE_M if grid.cell_m <= _FINE_CELL_M else _COARSE_M


def _told(
    found: HeightAgreement | None, words: str, allowed_m: float, taken: Taken, sources: tuple[Source, ...]
) -> bool:
    if found is None:
        return False
    how = f"median height of {words} above the elevation model at {found.points:,} points"
    taken.add(measured(_NAMES[1], feet(found.offset_m), feet(allowed_m), how, None, sources))
    if found.scale is None or found.relief_m < 2 * allowed_m:
        taken.add(cannot(_NAMES[2], "the heights span too little to tell"))
    else:
        how = f"rise of {words} for each foot of rise of the elevation model"
        taken.add(measured(_NAMES[2], found.scale, SCALE_DOUBT, how, None, sources))
    off = _what_is_off(found, allowed_m)
    if off:
        text = f"the heights of {words} do not agree with the elevation model: {off}"
        taken.flags.append(Flag("ground_heights_off", text))
    return True


def _what_is_off(found: HeightAgreement, allowed_m: float) -> str:
    """In words: a unit taken for the other, another scale, or another datum; empty where nothing is off."""
    scale = found.scale if found.scale is not None and found.relief_m >= 2 * allowed_m else None
    if scale is not None and abs(scale - 1) > SCALE_DOUBT and abs(scale - 1) * found.relief_m > allowed_m:
        if abs(scale / FOOT_M - 1) < SCALE_DOUBT:
            return "they rise about 0.30 ft for each foot, as metres do that are taken for feet"
        if abs(scale * FOOT_M - 1) < SCALE_DOUBT:
            return "they rise about 3.28 ft for each foot, as feet do that are taken for metres"
        return f"they rise {show(scale)} ft for each foot"
    if abs(found.offset_m) > allowed_m:
        side = "above" if found.offset_m > 0 else "below"
        return f"they lie {show(abs(feet(found.offset_m)), 1)} ft {side} it (up to {show(feet(allowed_m), 1)} ft would be doubt), as with another datum or a typing error"
    return ""

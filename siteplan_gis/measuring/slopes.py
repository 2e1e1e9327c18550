"""Slopes of the site and of the disturbed ground."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import shapely

from siteplan_gis.measures.terrain.patches import without_stairs
from siteplan_gis.measures.terrain.slope import steep_ground
from siteplan_gis.measuring.record import Taken, cannot, measured
from siteplan_gis.model.comparison import show
from siteplan_gis.model.flag import Flag
from siteplan_gis.model.measurement import SteepPatch
from siteplan_gis.units import acres, feet

if TYPE_CHECKING:
    from shapely.geometry.base import BaseGeometry

    from siteplan_gis.model.measurement import Method
    from siteplan_gis.model.site import Site
    from siteplan_gis.model.source import Source
    from siteplan_gis.model.terrain import ElevationSource

_GRID_SCALE: Final = 1.001
"""A cell of 5 m in the grid of a projection may be 5.002 m on the ground."""

_NAMES: Final = (
    "slope_percent_median", "steep_site_acres", "steep_site_native_acres", "steep_disturbed_acres", "no_elevation_acres",
    "no_elevation_disturbed_acres", "elevation_cell_ft", "slope_cell_ft",
)  # fmt: skip


def measure_slopes(site: Site, shape: dict[str, BaseGeometry], method: Method) -> tuple[Taken, tuple[SteepPatch, ...]]:
    """Steep ground by exact cell coverage at the ordinance's analysis cell, and on the native cells beside it."""
    taken = Taken()
    terrain = site.terrain
    source = None if terrain is None else terrain.source or terrain.grid
    if terrain is None or source is None:
        reason = (
            terrain.reason
            if terrain is not None and terrain.reason
            else site.missing_layers.get("dem", "no elevation model was given")
        )
        for name in _NAMES:
            taken.add(cannot(name, reason))
        return taken, ()
    sources = terrain.sources
    if shape["site"].is_empty:
        for name in _NAMES:
            taken.add(cannot(name, "the plan draws no ground"))
        return taken, ()
    if terrain.whole_units:
        for name in _NAMES:
            taken.add(
                cannot(
                    name,
                    "the elevations are whole units: their slopes are steps, and nothing steep can be told",
                    sources,
                )
            )
        return taken, ()
    whole = steep_ground(source, shape["site"], method.steep_ratio, method.slope_cell_m)
    native = steep_ground(source, shape["site"], method.steep_ratio, None, outlined=False)
    how = f"Horn gradient on {show(feet(whole.cell_m), 1)}-ft cells, area by exact cell coverage"
    taken.add(
        measured(
            "elevation_cell_ft",
            feet(native.cell_m),
            None,
            "larger side of the native cell on the ground",
            None,
            sources,
        )
    )
    taken.add(measured("slope_cell_ft", feet(whole.cell_m), None, "analysis cell", None, sources))
    known_m2 = whole.area_m2 - whole.no_elevation_m2
    nothing = "the elevation model has no values on the site"
    if known_m2 <= 0:
        for name in _NAMES:
            taken.values.setdefault(name, cannot(name, nothing, sources))
        taken.add(
            measured(
                "no_elevation_acres",
                acres(whole.no_elevation_m2),
                None,
                "cells without a full neighbourhood",
                shape["site"],
                sources,
            )
        )
    else:
        steep_where = shapely.union_all([patch[0] for patch in whole.patches])
        partly = (
            f"{show(acres(whole.no_elevation_m2), 3)} acres have no elevation"
            if whole.no_elevation_m2 > method.steep_noise_m2
            else ""
        )
        taken.add(
            measured(
                "slope_percent_median",
                100 * (whole.median_ratio or 0.0),
                None,
                how + ", median by area",
                None,
                sources,
                partly,
            )
        )
        taken.add(
            measured(
                "steep_site_acres", acres(whole.steep_m2), acres(whole.plus_minus_m2), how, steep_where, sources, partly
            )
        )
        taken.add(
            measured(
                "steep_site_native_acres",
                acres(native.steep_m2),
                acres(native.plus_minus_m2),
                f"Horn gradient on the native {show(feet(native.cell_m), 1)}-ft cells",
                None,
                sources,
                partly,
            )
        )
        taken.add(
            measured(
                "no_elevation_acres",
                acres(whole.no_elevation_m2),
                None,
                "cells without a full neighbourhood",
                None,
                sources,
            )
        )
    drawn = without_stairs([patch.geometry for patch in whole.patches], whole.cell_m)
    patches = tuple(
        SteepPatch(geometry, area, 100 * median, 0.0, outline)
        for (geometry, area, median), outline in zip(whole.patches, drawn, strict=True)
    )
    _measure_disturbed(source, sources, shape["disturbed"], method, how, taken)
    if not shape["disturbed"].is_empty:
        patches = tuple(
            replace(patch, in_disturbed_m2=patch.geometry.intersection(shape["disturbed"]).area) for patch in patches
        )
    if native.cell_m > method.coarsest_cell_m * _GRID_SCALE:
        text = f"the elevation cells of {show(feet(native.cell_m), 1)} ft are too coarse for the rule ({show(feet(method.coarsest_cell_m), 1)} ft at most): they can measure but never clear a site"
        taken.flags.append(Flag("dem_cell_too_coarse", text))
    if terrain.level is not None and not terrain.level.is_empty:
        taken.flags += _level(terrain.level, shape, method)
    return taken, patches


def _level(level: BaseGeometry, shape: dict[str, BaseGeometry], method: Method) -> list[Flag]:
    """Flags for exactly level ground on the site, and on the ground to be disturbed."""
    flags = []
    for name, words in (("site", "site"), ("disturbed", "ground to be disturbed")):
        area_m2 = float(shapely.intersection(level, shape[name]).area)
        if area_m2 > method.steep_noise_m2:
            text = f"{show(acres(area_m2), 2)} acres of the {words} have one exact elevation, as water is made in an elevation model: that proves nothing of its slope"
            flags.append(Flag("dem_level_water", text, feature=name))
    return flags


def _measure_disturbed(
    source: ElevationSource,
    sources: tuple[Source, ...],
    disturbed: BaseGeometry,
    method: Method,
    how: str,
    taken: Taken,
) -> None:
    if disturbed.is_empty:
        for name in ("steep_disturbed_acres", "no_elevation_disturbed_acres"):
            taken.add(cannot(name, "the plan draws no disturbed area", sources))
        return
    steep = steep_ground(source, disturbed, method.steep_ratio, method.slope_cell_m)
    taken.add(
        measured(
            "no_elevation_disturbed_acres",
            acres(steep.no_elevation_m2),
            None,
            "cells without a full neighbourhood",
            None,
            sources,
        )
    )
    if steep.area_m2 - steep.no_elevation_m2 <= 0:
        taken.add(cannot("steep_disturbed_acres", "the elevation model has no values on the disturbed ground", sources))
        return
    where = shapely.union_all([patch[0] for patch in steep.patches])
    taken.add(measured("steep_disturbed_acres", acres(steep.steep_m2), acres(steep.plus_minus_m2), how, where, sources))

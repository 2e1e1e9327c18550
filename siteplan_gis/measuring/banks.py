"""The top of the channel beside drawn ordinary high-water marks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import shapely

from siteplan_gis.measures.terrain.transects import top_of_channel
from siteplan_gis.measuring.record import Taken, cannot, measured
from siteplan_gis.model.comparison import show
from siteplan_gis.units import feet

if TYPE_CHECKING:
    from siteplan_gis.model.measurement import Method
    from siteplan_gis.model.site import Site

_NOISE_M: Final = 0.05
"""Vertical noise between near cells of a lidar model."""
_ACROSS: Final = 5
_LOOKED_M: Final = 100.0


def measure_banks(site: Site, method: Method) -> Taken:
    """Distance from each drawn mark to the top of the channel, and where it cannot be told; nothing without marks."""
    taken = Taken()
    marks = [feature.geometry for feature in site.plan.of("ohwm") if feature.geometry.length > 0]
    if not marks:
        return taken
    names = ("top_of_channel_ft", "top_of_channel_untold_ft")
    terrain = site.terrain
    reason = ""
    if terrain is None or terrain.grid is None:
        reason = terrain.reason if terrain is not None else ""
        reason = reason or site.missing_layers.get("dem", "no elevation model was given")
    elif terrain.whole_units:
        reason = "the elevations are whole units: their slopes are steps"
    elif terrain.grid.cell_m > method.coarsest_cell_m * 1.001:
        reason = f"elevation cells of {show(feet(terrain.grid.cell_m), 1)} ft are too coarse for the slopes of a bank"
    if reason or terrain is None or terrain.grid is None:
        for name in names:
            taken.add(cannot(name, reason))
        return taken
    waters = [feature.geometry for feature in site.plan.of("surface_water", "pond")]
    step_m = max(method.slope_cell_m, terrain.grid.cell_m)
    doubt = 2 * 2**0.5 * _NOISE_M / step_m / _ACROSS**0.5
    found = top_of_channel(
        terrain.grid,
        shapely.union_all(marks),
        shapely.union_all(waters) if waters else None,
        method.bank_gentle_ratio,
        method.bank_run_m,
        step_m,
        spacing_m=10.0,
        reach_m=_LOOKED_M,
        doubt_ratio=doubt,
    )
    how = (
        f"transects every {show(feet(10.0), 0)} ft, slopes over {show(feet(step_m), 0)} ft: the first "
        f"{show(feet(method.bank_run_m), 0)} ft under {show(100 * method.bank_gentle_ratio, 1)} %"
    )
    told = [transect for transect in found.transects if transect.top_m is not None]
    untold = [transect for transect in found.transects if transect.top_m is None]
    whys = "; ".join(sorted({transect.reason for transect in found.transects if transect.reason}))
    if told:
        doubts = [transect.plus_minus_m for transect in told]
        most = max((doubt_m for doubt_m in doubts if doubt_m is not None), default=0.0)
        taken.add(
            measured(
                names[0],
                feet(max(transect.top_m or 0.0 for transect in told)),
                None if None in doubts else feet(most),
                how,
                found.line if not found.line.is_empty else shapely.union_all([item.line for item in told]),
                terrain.sources,
                whys,
            )
        )
    else:
        taken.add(cannot(names[0], whys, terrain.sources))
    where = shapely.MultiLineString([item.line for item in untold if item.line.length > 0]) if untold else None
    taken.add(
        measured(names[1], feet(found.untold_m), feet(10.0) if untold else 0.0, how, where, terrain.sources, whys)
    )
    return taken

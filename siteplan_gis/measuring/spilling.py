"""Where runoff goes once the closed depression that it stops in is full: the rival to an end in it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np
import shapely

from siteplan_gis.measures.runoff.flow import trace
from siteplan_gis.model.comparison import compare, show
from siteplan_gis.units import feet

if TYPE_CHECKING:
    from collections.abc import Sequence

    from siteplan_gis.measures.runoff.ground import Conditioned
    from siteplan_gis.measuring.doubt import Followed, Target

_STOPS: Final = frozenset({"closed_depression", "barrier"})


def with_spill(
    each: Followed, ground: Conditioned, listed: Sequence[Target], limit_m: float, within_m: float
) -> Followed:  # fmt: skip
    """A discharge that stops in a depression of the ground, with the way over its rim drawn and told as a rival.

    What a map calls closed keeps its water and has no such way.
    """
    over, discharge = each.over, each.discharge
    if over is None or over.path is None or over.ends_because not in _STOPS or over.sink is not None:
        return each
    if discharge.ends_because not in _STOPS or discharge.within_quarter_mile is not None:
        return each
    before_m = max((each.way.length_m if each.way is not None else 0.0) - over.length_m, 0.0)
    begins = shapely.get_point(over.path, 0)
    way = trace(ground, begins, [target.geometry for target in listed], limit_m - before_m, np.inf)
    length_m = before_m + way.length_m
    if way.reached is not None and compare(length_m, "<=", within_m):
        end = f"reaches {listed[way.reached].name} after {show(feet(length_m), 0)} ft"
    elif way.reached is not None or way.ends_because == "farther_than_limit":
        end = "goes on beyond the quarter mile without reaching a water"
    elif way.ends_because == "leaves_elevation_data":
        end = "leaves the elevation data that were read"
    else:
        return each
    text = f"{discharge.explanation.rstrip('.')}. If the depression fills, its water spills over its rim and {end}."
    rivals = (way.path, *discharge.rivals) if way.path is not None else discharge.rivals
    return each._replace(discharge=replace(discharge, explanation=text, rivals=rivals))

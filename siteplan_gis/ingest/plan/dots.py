"""Drawn things that no map can show: an inch of drainage line, a stockpile the size of a hand.

They would count as drawn. What is left out here is told, and its rule is judged as if it were not there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import shapely

from siteplan_gis.model.comparison import show
from siteplan_gis.model.flag import Flag
from siteplan_gis.model.plan import POINT_ROLES
from siteplan_gis.units import feet

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from siteplan_gis.model.plan import PlanFeature

PEN_M: Final = 0.6
"""Metres of ground under a line of a 0.5 mm pen at 1:1,200, one inch to 100 ft, the smallest scale that is allowed.

What is nowhere longer is a dot on every map that meets the ordinances; an area nowhere wider is a line.
"""

_TOUCHING_M: Final = 0.3
_AREAS: Final = frozenset({"entrance", "infiltration", "lot", "pond", "revegetation", "stabilization", "stockpile"})
"""Areas of some width. A trench or a cable may disturb less, and a fence may be drawn as an area."""

_SPARED: Final = POINT_ROLES | {"contour_existing", "contour_proposed", "grid", "surface_existing", "surface_proposed"}
"""What stands at one place, is made of many pieces, or is weighed line by line."""


def without_dots(features: Sequence[PlanFeature]) -> tuple[list[PlanFeature], list[Flag]]:
    """The features that a map can show, and a flag for each that it cannot.

    Pieces within a foot of each other and of one role are one thing: an exploded curve is no row of dots. Points are
    symbols and stay.

    Examples
    --------
    >>> from siteplan_gis.model.plan import PlanFeature
    >>> inch = PlanFeature("drainage_pattern", shapely.LineString([(0, 0), (0.0254, 0)]), "plan/arrows", "7")
    >>> without_dots([inch])[1][0].text
    'drainage pattern of 0.08 ft: no map of 100 ft to the inch can show it; it was not used'
    """
    shapes = np.array([item.geometry for item in features], dtype=object)
    small = _dots(shapes) & np.array([item.role not in _SPARED for item in features], dtype=bool)
    thin = np.array([item.role in _AREAS for item in features], dtype=bool) & _thin(shapes)
    suspects = np.flatnonzero(small | thin)
    lost: set[int] = set()
    for role in dict.fromkeys(features[place].role for place in suspects.tolist()):
        alike = np.array([place for place, item in enumerate(features) if item.role == role])
        lost.update(alike[_unseen(shapes[alike], np.isin(alike, suspects), areas=role in _AREAS)].tolist())
    kept = [item for place, item in enumerate(features) if place not in lost]
    return kept, [_told(features[place]) for place in sorted(lost)]


def _dots(shapes: NDArray[np.object_]) -> NDArray[np.bool_]:
    """Lines and areas that fit into a circle narrower than a pen's line; empty ones are none."""
    if not len(shapes):
        return np.zeros(0, dtype=bool)
    bounds = shapely.bounds(shapes)
    near = (np.hypot(*(bounds[:, 2:] - bounds[:, :2]).T) < 2 * PEN_M) & (shapely.get_dimensions(shapes) > 0)
    dots = np.zeros(len(shapes), dtype=bool)
    dots[near] = 2 * shapely.minimum_bounding_radius(shapes[near]) < PEN_M
    return dots


def _thin(shapes: NDArray[np.object_]) -> NDArray[np.bool_]:
    """Areas that are nowhere as wide as a pen's line."""
    area = shapely.area(shapes)
    thin = np.asarray((area > 0) & (area < PEN_M / 2 * shapely.length(shapes)))
    thin[thin] = shapely.is_empty(shapely.buffer(shapes[thin], -PEN_M / 2))
    return thin


def _unseen(shapes: NDArray[np.object_], suspects: NDArray[np.bool_], *, areas: bool) -> NDArray[np.bool_]:
    """Which suspects are not even with what they touch more than a dot, or for areas more than a line."""
    unseen = suspects.copy()
    if not suspects.all():
        near = shapely.STRtree(shapes[~suspects]).query(shapes[suspects], predicate="dwithin", distance=_TOUCHING_M)
        unseen[np.flatnonzero(suspects)[np.unique(near[0])]] = False
    places = np.flatnonzero(unseen)
    if len(places) > 1:
        together = shapely.get_parts(shapely.union_all(shapely.buffer(shapes[places], _TOUCHING_M / 2)))
        of, piece = shapely.STRtree(together).query(shapes[places], predicate="intersects")
        for number in range(len(together)):
            mine = places[of[piece == number]]
            whole = np.array([shapely.union_all(shapes[mine])], dtype=object)
            unseen[mine] = _dots(whole)[0] or (areas and bool(_thin(whole)[0]))
    return unseen


def _told(item: PlanFeature) -> Flag:
    shape = item.geometry
    thin = 2 * float(shapely.minimum_bounding_radius(shape)) >= PEN_M
    size = 2 * shape.area / shape.length if thin else 2 * float(shapely.minimum_bounding_radius(shape))
    words = f"{item.role.replace('_', ' ')} of {show(feet(size), 2)} ft{' in width' * thin}"
    return Flag(
        "feature_too_small",
        f"{words}: no map of 100 ft to the inch can show it; it was not used",
        item.layer,
        item.id,
    )

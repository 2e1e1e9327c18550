"""Road-like barriers that stop runoff, named by where they lie and by the road on them."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from siteplan_gis.model.comparison import show
from siteplan_gis.units import feet

if TYPE_CHECKING:
    from shapely import Point

    from siteplan_gis.measuring.doubt import Followed
    from siteplan_gis.model.site import Site

ROAD_WITHIN_M: Final = 20.0
"""A road is taken to lie on a barrier when its line or area comes this near to the crest."""

_COURSES: Final = ("north", "northeast", "east", "southeast", "south", "southwest", "west", "northwest")


def with_barrier(each: Followed, site: Site) -> Followed:
    """A discharge that a barrier stops, with the barrier's place, and the place and road in its explanation."""
    way, discharge = each.over, each.discharge
    if way is None or way.barrier is None:
        return each
    place = f"{show(feet(each.start.distance(way.barrier)), 0)} ft {course(each.start, way.barrier)} of where it starts"
    road = _road(way.barrier, site)
    text = f"{discharge.explanation.rstrip('.')}; the barrier's crest lies {place}" + f", at {road}" * bool(road) + "."
    return each._replace(discharge=replace(discharge, barrier=way.barrier, explanation=text))


def course(start: Point, end: Point) -> str:
    """The nearest of eight points of the compass.

    Examples
    --------
    >>> from shapely import Point
    >>> course(Point(0, 0), Point(10, 1)), course(Point(0, 0), Point(-5, 5)), course(Point(0, 0), Point(0.1, -9))
    ('east', 'northwest', 'south')
    """
    return _COURSES[round(math.degrees(math.atan2(end.x - start.x, end.y - start.y)) / 45) % 8]


def _road(crest: Point, site: Site) -> str:
    """The nearest road on a crest, of the plan and the map; one with a name before one without."""
    roads = [(feature.geometry, feature.name) for feature in site.plan.of("road")]
    roads += [(feature.geometry, feature.name) for layer in site.layers.get("roads", ()) for feature in layer.features]
    near = [(not name, crest.distance(shape), name) for shape, name in roads if crest.distance(shape) <= ROAD_WITHIN_M]
    return (min(near)[2] or "an unnamed road") if near else ""

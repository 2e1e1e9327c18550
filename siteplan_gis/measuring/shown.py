"""Whether the plan shows a mapped water, wetland or floodplain: yes, no, or not to be told by a program.

A drawn line shows what it follows, unless lines are drawn so densely that they would show anything. A drawn area shows
what it outlines; what merely lies inside it is shown only where maps know a good part of the area as water or wetland
too. Else one outline around the whole mile, or a hatch across it, would show everything.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import shapely
from shapely import affinity

from siteplan_gis.measures.shapes.proximity import shown_on_plan
from siteplan_gis.model.comparison import show_share

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shapely.geometry.base import BaseGeometry

    from siteplan_gis.model.layers import ReferenceFeature
    from siteplan_gis.model.plan import Plan

_PLAN_ROLES: Final = {
    "waters": ("surface_water", "drainage_pattern", "pond"),
    "wetlands": ("wetland",),
    "floodplain": ("floodplain",),
}
_AREAS_TOO: Final = {"waters": ("wetland",), "wetlands": ("surface_water", "pond"), "floodplain": ()}
"""A pond may be drawn as a wetland, and a wetland as a pond: as an area, never as a line beside it."""

_KNOWN_SHARE: Final = 0.5
_SOME_SHARE: Final = 0.05
_ASIDE: Final = ((4.0, 0.0), (0.0, 4.0), (-4.0, 0.0), (0.0, -4.0), (3.0, 3.5), (-3.5, 3.0), (-3.0, -3.5), (3.5, -3.0))
"""Places beside a feature, in times the distance at which a drawing counts as it."""


class Picture(NamedTuple):
    """Whether the plan shows a feature; None where a person has to compare; `note` says what is drawn instead."""

    shown: bool | None
    note: str = ""


class Drawing(NamedTuple):
    """What a plan draws that may show the features of one role; areas apart from lines and points."""

    lines: list[BaseGeometry]
    known_areas: list[BaseGeometry]
    other_areas: list[BaseGeometry]
    known_areas_too: list[BaseGeometry]
    other_areas_too: list[BaseGeometry]


def drawing_of(
    plan: Plan, role: str, mapped: Sequence[ReferenceFeature], ground: BaseGeometry, near_m: float
) -> Drawing:
    """The plan's drawing for one role. Areas that maps know as `mapped`, within `ground` and `near_m`, stand apart."""
    lines: list[BaseGeometry] = []
    areas: tuple[list[BaseGeometry], ...] = ([], [], [], [])
    known = shapely.union_all([feature.geometry.buffer(near_m) for feature in mapped])
    for too, roles in enumerate((_PLAN_ROLES[role], _AREAS_TOO[role])):
        for feature in plan.of(*roles):
            area = _area(feature.geometry)
            if area is None:
                lines += [] if too else [feature.geometry]
                continue
            inside = area.intersection(ground)
            backed = inside.area > 0 and inside.intersection(known).area >= _KNOWN_SHARE * inside.area
            areas[2 * too + (not backed)].append(area)
    return Drawing(lines, *areas)


def picture(feature: BaseGeometry, drawn: Drawing, within_m: float, doubt_m: float) -> Picture:
    """Whether the drawing shows a feature, or the part of it that has to be shown.

    `doubt_m` is the accuracy of the feature's map: what is drawn so much farther off may still be it.
    """
    is_area = feature.area > 0
    outlines = [area.boundary for area in (*drawn.known_areas, *drawn.other_areas)]
    fitting = [*drawn.lines, *outlines, *drawn.known_areas]
    if is_area or feature.length == 0:
        fitting += [area.boundary for area in (*drawn.known_areas_too, *drawn.other_areas_too)] + drawn.known_areas_too
    share = shown_on_plan(feature, fitting, within_m)
    if share.shown:
        if _would_show_anything(feature, drawn, within_m):
            return Picture(
                None, "The plan draws lines or points so densely there that they would show a water anywhere."
            )
        return Picture(shown=True)
    if shown_on_plan(feature, fitting, within_m + doubt_m).shown:
        return Picture(None, "The plan draws it, or something like it, beside its mapped place.")
    every_area = [*drawn.known_areas, *drawn.other_areas, *drawn.known_areas_too, *drawn.other_areas_too]
    if shown_on_plan(feature, [*fitting, *every_area], within_m + doubt_m).shown:
        return Picture(None, "The plan does not draw it, but a larger area around it.")
    if is_area and any(shape.intersects(feature) for shape in (*drawn.lines, *every_area)):
        return Picture(None, "The plan draws it in another shape.")
    if share.share > _SOME_SHARE:
        return Picture(shown=False, note=f"The plan draws {show_share(share.share)} of its course only.")
    return Picture(shown=False)


def _would_show_anything(feature: BaseGeometry, drawn: Drawing, within_m: float) -> bool:
    """Whether what no map knows is drawn so densely that the feature would be shown wherever it lay about here.

    Tried with the feature moved aside, eight ways: a hatch shows every one of them, a drawing of the feature does not.
    """
    loose = [*drawn.lines, *(area.boundary for area in (*drawn.other_areas, *drawn.other_areas_too))]
    return all(
        shown_on_plan(affinity.translate(feature, x * within_m, y * within_m), loose, within_m).shown for x, y in _ASIDE
    )


def _area(geometry: BaseGeometry) -> BaseGeometry | None:
    """The ground of an area, or inside a closed line; None for other lines and points."""
    if geometry.area > 0:
        return geometry
    rings = [part for part in shapely.get_parts(geometry) if part.geom_type == "LineString" and part.is_ring]
    if rings and len(rings) == len(shapely.get_parts(geometry)):
        return shapely.union_all([shapely.Polygon(ring) for ring in rings])
    return None

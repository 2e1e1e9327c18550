"""Waters, wetlands and floodplain near the construction site, and what no layer covers."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

import shapely

from siteplan_gis.measures.shapes.coverage import uncovered
from siteplan_gis.measures.shapes.proximity import nearby, nearest
from siteplan_gis.measuring.record import Taken, cannot, measured
from siteplan_gis.measuring.shown import drawing_of, picture
from siteplan_gis.model.comparison import show, show_share
from siteplan_gis.model.flag import Flag
from siteplan_gis.model.layers import UNCOUNTED_KINDS, WETLAND_KINDS
from siteplan_gis.units import acres, feet

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shapely.geometry.base import BaseGeometry

    from siteplan_gis.model.layers import ReferenceFeature, ReferenceLayer
    from siteplan_gis.model.measurement import Method, NearbyFeature
    from siteplan_gis.model.site import Site
    from siteplan_gis.model.source import Source

COVERAGE_NOISE_M: Final = 1.0
_ALONE: Final = 0.2


@dataclass(slots=True)
class NearbyWaters:
    """What lies near the construction site, by role, and what was not looked at."""

    by_role: dict[str, tuple[NearbyFeature, ...]] = field(default_factory=dict)
    adjoining: dict[str, tuple[NearbyFeature, ...]] = field(default_factory=dict)
    not_counted: dict[str, int] = field(default_factory=dict)
    beyond: dict[str, tuple[NearbyFeature, ...]] = field(default_factory=dict)
    uncovered: dict[str, BaseGeometry] = field(default_factory=dict)


def measure_waters(site: Site, shape: dict[str, BaseGeometry], method: Method) -> tuple[Taken, NearbyWaters]:
    """Counts and nearest distances, with the doubt of the maps, and the ground that no layer covers."""
    taken, found = Taken(), NearbyWaters()
    target = shape["construction_site"]
    if target.is_empty:
        for name in ("waters_within_one_mile", "wetlands_within_one_mile", "wetland_within_one_mile_acres", "nearest_water_ft",
                     "nearest_wetland_ft", "wetland_on_site_acres", "wetland_drawn_on_site_acres"):  # fmt: skip
            taken.add(cannot(name, "the plan draws no ground"))
        return taken, found
    features = counted_features(site)
    for role in ("waters", "wetlands"):
        _measure_role(site, role, features, target, method, taken, found)
    _count_others(site, target, method, taken, found)
    found.beyond["waters"] = (*found.beyond.get("waters", ()), *_pathless(site, features, target, method))
    features["floodplain"] = [
        feature
        for layer in site.layers.get("floodplain", ())
        for feature in layer.features
        if feature.kind in {"floodway", "flood_fringe"}
    ]
    # Ground that is disturbed outside a site drawn too small has waters beside it all the same.
    ground = shapely.union_all([shape["site"], target])
    beside = ground.buffer(method.adjacent_m)
    for role, listed in features.items():
        mapped = listed if role == "floodplain" else [*features["waters"], *features["wetlands"]]
        near = nearby(ground, listed, method.adjacent_m)
        found.adjoining[role] = _compared(site, role, near, mapped, beside, method)
    _note_uncovered(site, "floodplain", ground, found)
    _measure_wetland_on_site(site, shape["site"], features["wetlands"], method, taken)
    return taken, found


def counted_features(site: Site) -> dict[str, list[ReferenceFeature]]:
    """The features that count as waters and as wetlands, wherever they were delivered."""
    features = [
        feature for role in ("waters", "wetlands") for layer in site.layers.get(role, ()) for feature in layer.features
    ]
    wetlands = [feature for feature in features if feature.kind in {"wetland", "wetland_point"}]
    waters = [
        feature
        for layer in site.layers.get("waters", ())
        for feature in layer.features
        if feature.kind not in UNCOUNTED_KINDS and feature.kind not in WETLAND_KINDS
    ]
    return {"waters": waters, "wetlands": wetlands}


def accuracy_m(layers: Sequence[ReferenceLayer], method: Method) -> float:
    """The worst stated accuracy of some layers in metres; 1:24,000 maps where none is stated."""
    return max(
        (
            layer.source.accuracy_m if layer.source.accuracy_m is not None else method.unstated_accuracy_m
            for layer in layers
        ),
        default=method.unstated_accuracy_m,
    )


def _measure_role(
    site: Site,
    role: str,
    by_role: dict[str, list[ReferenceFeature]],
    target: BaseGeometry,
    method: Method,
    taken: Taken,
    found: NearbyWaters,
) -> None:
    features, mapped = by_role[role], [*by_role["waters"], *by_role["wetlands"]]
    singular = role.removesuffix("s")
    layers, count, near_name = site.layers.get(role, ()), f"{role}_within_one_mile", f"nearest_{singular}_ft"
    if not layers and not features:
        reason = site.missing_layers.get(role, f"no layer of {role} was given")
        for name in (count, near_name, *(("wetland_within_one_mile_acres",) if role == "wetlands" else ())):
            taken.add(cannot(name, reason))
        found.by_role[role] = ()
        return
    sources = tuple(layer.source for layer in layers) or _sources_of(site, features)
    doubt = feet(accuracy_m(layers, method)) + feet(1.5)
    within = nearby(target, features, method.search_m)
    found.by_role[role] = _compared(site, role, within, mapped, _search(target, method), method)
    doubt_m = accuracy_m(layers, method)
    beyond = nearby(target, features, method.search_m + doubt_m)[len(within) :]
    around = target.buffer(method.search_m + doubt_m + method.shown_within_m, quad_segs=32)
    found.beyond[role] = _compared(site, role, beyond, mapped, around, method)
    if layers:
        gap = _note_uncovered(site, role, _search(target, method), found)
    else:
        gap = _search(target, method)
        found.uncovered[role] = gap
    if gap is not None:
        share = gap.area / _search(target, method).area
        taken.flags.append(
            Flag(
                "coverage_short",
                f"the {role} given do not cover {show_share(share)} of the ground within the search distance",
                layers[0].label if layers else "",
            )
        )
    _count(count, within, gap, sources, taken)
    closest = nearest(target, features)
    if closest is None:
        far = min((_reach(layer.window, target) for layer in layers), default=0.0)
        taken.add(cannot(near_name, f"none within {show(feet(far), 0)} ft in the {role} given", sources))
    else:
        at_most = (
            ""
            if gap is None or gap.distance(target) >= closest.distance_m
            else "a nearer one may lie where no layer covers the ground"
        )
        taken.add(
            measured(
                near_name,
                feet(closest.distance_m),
                doubt,
                "shortest distance from the edge of the construction site",
                closest.geometry,
                sources,
                at_most,
            )
        )
    if role == "wetlands":
        areas = [item.geometry for item in within if item.geometry.area > 0]
        area = shapely.union_all(areas).area if areas else 0.0
        if not within and gap is not None:
            taken.add(cannot("wetland_within_one_mile_acres", taken.values[count].reason, sources))
        else:
            taken.add(
                measured(
                    "wetland_within_one_mile_acres",
                    acres(area),
                    None,
                    "union of the wetlands within the search distance, each whole",
                    None,
                    sources,
                    taken.values[count].reason,
                )
            )


def _count(
    name: str, within: Sequence[NearbyFeature], gap: BaseGeometry | None, sources: tuple[Source, ...], taken: Taken
) -> None:
    reason = "" if gap is None else "counted in the part that the layers cover"
    if gap is not None and not within:
        taken.add(cannot(name, "none found in the part covered; the rest is unknown", sources))
        return
    where = shapely.union_all([item.geometry for item in within]) if within else None
    taken.add(
        measured(
            name,
            len(within),
            None,
            "features at most the search distance from the construction site's edge",
            where,
            sources,
            reason,
        )
    )


def _compared(
    site: Site,
    role: str,
    within: Sequence[NearbyFeature],
    mapped: Sequence[ReferenceFeature],
    ground: BaseGeometry,
    method: Method,
) -> tuple[NearbyFeature, ...]:
    if not within:
        return ()
    drawn = drawing_of(site.plan, role, mapped, ground, method.shown_within_m)
    doubt_m = accuracy_m(site.layers.get(role, ()), method)
    compared = []
    for item in within:
        part = item.geometry.intersection(ground)
        shown, note = picture(part if not part.is_empty else item.geometry, drawn, method.shown_within_m, doubt_m)
        compared.append(replace(item, shown=shown, note=note))
    return tuple(compared)


def _search(target: BaseGeometry, method: Method) -> BaseGeometry:
    return target.buffer(method.search_m, quad_segs=32)


def _note_uncovered(site: Site, role: str, ground: BaseGeometry, found: NearbyWaters) -> BaseGeometry | None:
    layers = site.layers.get(role, ())
    if not layers:
        return None
    gap = uncovered(ground, [layer.coverage for layer in layers], COVERAGE_NOISE_M)
    if gap is not None:
        found.uncovered[role] = gap
    return gap


def _reach(window: BaseGeometry, target: BaseGeometry) -> float:
    return float(window.exterior.distance(target)) if hasattr(window, "exterior") else 0.0


def _sources_of(site: Site, features: list[ReferenceFeature]) -> tuple[Source, ...]:
    labels = {feature.layer for feature in features}
    return tuple(layer.source for layers in site.layers.values() for layer in layers if layer.label in labels)


def _count_others(site: Site, target: BaseGeometry, method: Method, taken: Taken, found: NearbyWaters) -> None:
    others = [
        feature
        for role in ("waters", "wetlands")
        for layer in site.layers.get(role, ())
        for feature in layer.features
        if feature.kind in UNCOUNTED_KINDS or feature.kind == "filled_wetland"
    ]
    found.not_counted = dict(sorted(Counter(item.kind for item in nearby(target, others, method.search_m)).items()))
    if found.not_counted:
        words = ", ".join(f"{count} {kind.replace('_', ' ')}" for kind, count in found.not_counted.items())
        taken.flags.append(
            Flag("layer_kinds_not_counted", f"within the search distance, but no waters by themselves: {words}")
        )


def _pathless(
    site: Site, features: dict[str, list[ReferenceFeature]], target: BaseGeometry, method: Method
) -> tuple[NearbyFeature, ...]:
    """Paths through lakes and rivers whose area no given layer holds: there is a water, but it was not counted."""
    layers = site.layers.get("waters", ())
    paths = [item for layer in layers for item in layer.features if item.kind == "artificial_path"]
    near = nearby(target, paths, method.search_m)
    if not near:
        return ()
    reach = accuracy_m(layers, method)
    counted = shapely.union_all(
        [item.geometry.buffer(reach) for role in ("waters", "wetlands") for item in features[role]]
    )
    search = _search(target, method)
    courses = [(item, item.geometry.intersection(search)) for item in near]
    alone = [item for item, course in courses if course.difference(counted).length > _ALONE * course.length > 0]
    note = "It is a path through a lake or river that no layer given shows as one."
    mapped = [*features["waters"], *features["wetlands"]]
    compared = _compared(site, "waters", alone, mapped, search, method)
    return tuple(item if item.shown is True else replace(item, shown=None, note=note) for item in compared)


def _measure_wetland_on_site(
    site: Site, ground: BaseGeometry, wetlands: list[ReferenceFeature], method: Method, taken: Taken
) -> None:
    if ground.area == 0:
        for name in ("wetland_drawn_on_site_acres", "wetland_on_site_acres"):
            taken.add(cannot(name, "the plan draws no ground"))
        return
    drawn = [feature.geometry for feature in site.plan.of("wetland") if feature.geometry.area > 0]
    on_site = shapely.union_all(drawn).intersection(ground) if drawn else None
    taken.add(
        measured(
            "wetland_drawn_on_site_acres",
            acres(on_site.area) if on_site is not None else 0.0,
            None,
            "drawn wetland inside the site",
            on_site,
            site.plan.sources,
        )
    )
    layers = site.layers.get("wetlands", ())
    if not layers and not wetlands:
        taken.add(
            cannot("wetland_on_site_acres", site.missing_layers.get("wetlands", "no layer of wetlands was given"))
        )
        return
    sources = tuple(layer.source for layer in layers) or _sources_of(site, wetlands)
    mapped = shapely.union_all([item.geometry for item in wetlands if item.geometry.area > 0]).intersection(ground)
    points = [item for item in wetlands if item.geometry.area == 0 and item.geometry.intersects(ground)]
    gap = uncovered(ground, [layer.coverage for layer in layers], COVERAGE_NOISE_M) if layers else ground
    reason = "the wetlands given do not cover the whole site" if gap is not None else ""
    if points:
        reason = "; ".join(
            text for text in (reason, f"{len(points)} wetlands on the site are mapped without an area") if text
        )
    edge = mapped.boundary.intersection(ground).length if not mapped.is_empty else 0.0
    doubt = acres(edge * accuracy_m(layers, method))
    if gap is not None and mapped.area == 0:
        taken.add(cannot("wetland_on_site_acres", reason, sources))
        return
    taken.add(
        measured(
            "wetland_on_site_acres",
            acres(mapped.area),
            doubt,
            "union of the mapped wetlands inside the site; doubt: edge length times map accuracy",
            mapped,
            sources,
            reason,
        )
    )

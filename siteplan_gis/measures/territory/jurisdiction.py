"""Who governs which part of a site: municipalities by area, and the reach that they have into unincorporated land.

The extraterritorial area (ETJ) of a municipality is the unincorporated ground within its reach. Ground within the reach
of two belongs to the one whose boundary is nearer, so that each point has one. An unincorporated hole inside a city is
such ground too. Areas are cut with buffers of 256 segments a quarter (within 2 cm at 1.5 miles); what governs a point
is decided by distance alone. All lengths in metres in the site frame.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import shapely

from siteplan_gis.measures.territory.equidistance import nearer_part
from siteplan_gis.model.comparison import RELATIVE_EPSILON
from siteplan_gis.model.layers import REACH_CODE
from siteplan_gis.model.measurement import JurisdictionShare

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray
    from shapely.geometry.base import BaseGeometry

    from siteplan_gis.model.layers import ReferenceFeature

NEAR_REACH_M: Final = 2_414.016
"""Reach of villages and fourth class cities in Wisconsin: 1.5 miles."""
FAR_REACH_M: Final = 4_828.032
"""Reach of first, second and third class cities in Wisconsin: 3 miles."""
SLIVER_M: Final = 0.3
"""Strips nowhere wider than this lie between two drawings of one boundary and are nobody's ground."""
UNINCORPORATED_KINDS: Final = frozenset({"town"})
"""Kinds whose ground is unincorporated: a civil town governs it, and a city or village nearby may reach into it."""

_QUAD_SEGS: Final = 256
_NOISE_M2: Final = 1e-3


class Reach(NamedTuple):
    """How far a municipality reaches beyond its boundary, in metres, and what is doubtful about it."""

    metres: float
    note: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Territory:
    """What one municipality governs of some ground: inside its boundary, and in its extraterritorial area."""

    municipality: str
    kind: str
    inside: BaseGeometry
    etj: BaseGeometry
    reach: Reach


class Governing(NamedTuple):
    """What governs a point: municipalities that contain it, and the one whose extraterritorial area it lies in."""

    inside: tuple[str, ...]
    etj: str


def reach_by_class(
    classes: Mapping[str, str] | None = None, near_m: float = NEAR_REACH_M, far_m: float = FAR_REACH_M
) -> Callable[[ReferenceFeature], Reach]:
    """Reach by kind and class: `far_m` for cities of class 1 to 3, `near_m` for villages and cities of class 4.

    `classes` maps a city's name to its class; else the class is the feature's own code where that is one ("2", "4th").
    A class is proclaimed, not counted: population does not tell it. Of an unknown class the smaller reach is taken,
    with a note. A reach that the boundary map itself states outranks all.

    Examples
    --------
    >>> from shapely import Point
    >>> from siteplan_gis.model.layers import ReferenceFeature
    >>> city = ReferenceFeature("1", "Madison", "city", "", Point(0, 0), "limits")
    >>> reach_by_class({"Madison": "2"})(city)
    Reach(metres=4828.032, note='')
    >>> reach_by_class()(city).note
    'the class of the city of Madison is not known; the smaller reach was taken'
    """
    known = {name.casefold(): _class_of(str(value)) for name, value in (classes or {}).items()}

    def reach(feature: ReferenceFeature) -> Reach:
        if feature.code.startswith(REACH_CODE):
            return Reach(float(feature.code.removeprefix(REACH_CODE)))
        if feature.kind in UNINCORPORATED_KINDS or feature.kind == "incorporated_town":
            return Reach(0.0)
        if feature.kind == "village":
            return Reach(near_m)
        city_class = known.get(feature.name.casefold()) or _class_of(feature.code)
        if city_class in {"1", "2", "3"}:
            return Reach(far_m)
        if city_class == "4":
            return Reach(near_m)
        of = f"the city of {feature.name}" if feature.kind == "city" else feature.name
        return Reach(near_m, f"the class of {of} is not known; the smaller reach was taken")

    return reach


def _class_of(text: str) -> str:
    """The class that "2", "2nd" or "4th class" names; other codes ("25" is the Census's for a city) name none."""
    match = re.fullmatch(r"([1-4])(st|nd|rd|th)?( class)?", text.strip().lower())
    return match[1] if match else ""


def shares(
    site: BaseGeometry,
    municipalities: Sequence[ReferenceFeature],
    reach_of: Callable[[ReferenceFeature], Reach] | None = None,
    *,
    main_part_only: bool = False,
    sliver_m: float = SLIVER_M,
) -> tuple[JurisdictionShare, ...]:
    """Parts of `site` inside municipalities and in extraterritorial areas, each kind from the largest share down.

    A shared edge is no share. Shares are of the area; of the length where the site is lines only.

    Parameters
    ----------
    reach_of
        Reach of a municipality; by default that of `reach_by_class`.
    main_part_only
        Whether only the largest part of a municipality reaches out, and its satellites do not.
    """
    if site.is_empty:
        return ()
    if shapely.get_dimensions(site) == 0:
        return _point_shares(site, municipalities, reach_of, main_part_only=main_part_only, sliver_m=sliver_m)
    whole = _size(site, site)
    found = []
    for territory in territories(site, municipalities, reach_of, main_part_only=main_part_only, sliver_m=sliver_m):
        for kind, where in (("inside", territory.inside), ("etj", territory.etj)):
            part = _size(where, site)
            if part > 0:
                share = JurisdictionShare(
                    territory.municipality, territory.kind, kind, where.area, min(part / whole, 1.0), where
                )
                found.append(share)
    return tuple(sorted(found, key=lambda one: (one.kind != "inside", -one.share, one.municipality)))


def territories(
    ground: BaseGeometry,
    municipalities: Sequence[ReferenceFeature],
    reach_of: Callable[[ReferenceFeature], Reach] | None = None,
    *,
    main_part_only: bool = False,
    sliver_m: float = SLIVER_M,
) -> tuple[Territory, ...]:
    """What each municipality governs of `ground`, by name; parameters as in `shares`.

    Polygons of the same name and kind are one municipality (maps of boundaries have one for each county); a town and a
    village of the same name are two.
    """
    reach_of = reach_of or reach_by_class()
    bodies = _bodies(municipalities, reach_of, ground, sliver_m, main_part_only=main_part_only)
    incorporated = [body.whole for body in bodies if body.kind not in UNINCORPORATED_KINDS]
    open_ground = without_slivers(shapely.difference(ground, shapely.union_all(incorporated)), sliver_m)
    reached = [_reached(body, open_ground) for body in bodies]
    shortened = list(reached)
    for i, one in enumerate(bodies):
        for j in range(i + 1, len(bodies)):
            both = _of_dimension(shapely.intersection(reached[i], reached[j]), shapely.get_dimensions(ground))
            if _size(both, ground) > 0:
                other_nearer = nearer_part(both, bodies[j].core, one.core)
                shortened[i] = shapely.difference(shortened[i], other_nearer)
                shortened[j] = shapely.difference(shortened[j], shapely.difference(both, other_nearer))
    dimension = int(shapely.get_dimensions(ground))
    found = [
        Territory(
            body.name,
            body.kind,
            without_slivers(_of_dimension(shapely.intersection(body.whole, ground), dimension), sliver_m),
            _of_dimension(etj, dimension),
            body.reach,
        )
        for body, etj in zip(bodies, shortened, strict=True)
    ]
    return tuple(sorted(found, key=lambda one: (one.municipality, one.kind)))


def governing(
    point: BaseGeometry,
    municipalities: Sequence[ReferenceFeature],
    reach_of: Callable[[ReferenceFeature], Reach] | None = None,
    *,
    main_part_only: bool = False,
    sliver_m: float = SLIVER_M,
) -> Governing:
    """What governs a point, decided by distances. A point on a boundary is not inside; exactly at the reach is within.

    Of two equally near, the first by name has it.
    """
    reach_of = reach_of or reach_by_class()
    bodies = _bodies(municipalities, reach_of, point, sliver_m, main_part_only=main_part_only)
    bodies.sort(key=lambda body: (body.name, body.kind))
    inside = [body for body in bodies if body.whole.contains(point)]
    if any(body.kind not in UNINCORPORATED_KINDS for body in inside):
        return Governing(tuple(body.name for body in inside), "")
    reaching = [
        (float(shapely.distance(body.core, point)), body.name)
        for body in bodies
        if body.reach.metres > 0 and shapely.distance(body.core, point) <= body.reach.metres * (1 + RELATIVE_EPSILON)
    ]
    return Governing(tuple(body.name for body in inside), min(reaching)[1] if reaching else "")


def doubts(
    ground: BaseGeometry,
    municipalities: Sequence[ReferenceFeature],
    reach_of: Callable[[ReferenceFeature], Reach] | None = None,
    *,
    sliver_m: float = SLIVER_M,
) -> tuple[str, ...]:
    """What is doubtful about who governs `ground`, as sentences without a full stop, in order.

    A class that is not known matters where the ground lies between the smaller and the larger reach; a hair between
    two pieces of one municipality was taken as its ground.
    """
    return doubts_of_each(np.array([ground], dtype=object), municipalities, reach_of, sliver_m=sliver_m)[0]


def doubts_of_each(
    grounds: NDArray[np.object_],
    municipalities: Sequence[ReferenceFeature],
    reach_of: Callable[[ReferenceFeature], Reach] | None = None,
    *,
    sliver_m: float = SLIVER_M,
) -> list[tuple[str, ...]]:
    """What `doubts` tells of each of many pieces of ground."""
    found: list[list[str]] = [[] for _ in grounds]
    if not len(grounds):
        return []
    around = grounds[0] if len(grounds) == 1 else shapely.box(*shapely.total_bounds(grounds))
    for body in _bodies(municipalities, reach_of or reach_by_class(), around, sliver_m, least_m=FAR_REACH_M):
        far = max(body.reach.metres, FAR_REACH_M) * (1 + RELATIVE_EPSILON)
        near = shapely.dwithin(grounds, body.whole, far)
        if body.reach.note:
            reached = shapely.buffer(body.whole, body.reach.metres, quad_segs=_QUAD_SEGS)
            shapely.prepare(reached)
            for i in np.flatnonzero(near & ~shapely.covers(reached, grounds)).tolist():
                if not shapely.difference(grounds[i], reached).is_empty:
                    found[i].append(body.reach.note)
        if body.filled.is_empty:
            continue
        for i, area in enumerate(shapely.area(shapely.intersection(body.filled, grounds)).tolist()):
            if area > 0 and near[i]:
                found[i].append(
                    f"{area:.2f} square metres between pieces of {body.name} are narrower than {sliver_m:g} m and were "
                    "taken as inside it"
                )
    return [tuple(sorted(each)) for each in found]


class _Body:
    """One municipality: all of it, the part that reaches out, how far, and the hairs that were filled."""

    def __init__(
        self, group: Sequence[ReferenceFeature], reach: Reach, sliver_m: float, *, main_part_only: bool
    ) -> None:
        self.name, self.kind, self.reach = group[0].name or group[0].id, group[0].kind, reach
        drawn = shapely.union_all([feature.geometry for feature in group])
        self.filled = _gaps(drawn, sliver_m)
        self.whole = drawn if self.filled.is_empty else shapely.union(drawn, self.filled)
        parts = sorted(shapely.get_parts(self.whole), key=lambda part: -part.area)
        self.core = parts[0] if main_part_only and parts else self.whole


def _bodies(
    municipalities: Sequence[ReferenceFeature],
    reach_of: Callable[[ReferenceFeature], Reach],
    ground: BaseGeometry,
    sliver_m: float,
    *,
    main_part_only: bool = False,
    least_m: float = 0.0,
) -> list[_Body]:
    """The municipalities whose reach, or `least_m`, meets `ground`."""
    groups: dict[tuple[str, str], list[ReferenceFeature]] = defaultdict(list)
    for feature in municipalities:
        groups[(feature.name.casefold() or feature.id, feature.kind)].append(feature)
    bodies = []
    for group in groups.values():
        reach = max((reach_of(feature) for feature in group), key=lambda reach: reach.metres)
        far = max(reach.metres, least_m) * (1 + RELATIVE_EPSILON)
        if any(shapely.dwithin(feature.geometry, ground, far) for feature in group):
            bodies.append(_Body(group, reach, sliver_m, main_part_only=main_part_only))
    return bodies


def _gaps(body: BaseGeometry, sliver_m: float) -> BaseGeometry:
    """The hairs between a municipality's own pieces."""
    if sliver_m <= 0:
        return shapely.Polygon()
    grown = shapely.buffer(body, sliver_m / 2, join_style="mitre")
    gaps = shapely.difference(shapely.buffer(grown, -sliver_m / 2, join_style="mitre"), body)
    # The way out and back leaves specks of rounding along every edge.
    return shapely.union_all([gap for gap in shapely.get_parts(gaps) if gap.area > _NOISE_M2])


def without_slivers(geometry: BaseGeometry, sliver_m: float) -> BaseGeometry:
    """The parts that are somewhere wider than `sliver_m`; lines stay as they are."""
    if geometry.area == 0:
        return geometry
    parts = [
        part
        for part in shapely.get_parts(geometry)
        if part.area > 0 and not shapely.buffer(part, -sliver_m / 2).is_empty
    ]
    return shapely.union_all(parts)


def _reached(body: _Body, open_ground: BaseGeometry) -> BaseGeometry:
    reach = body.reach.metres
    if reach <= 0 or open_ground.is_empty:
        return shapely.Polygon()
    near = shapely.intersection(body.core, _box_around(open_ground, 1.05 * reach))
    return shapely.intersection(shapely.buffer(near, reach, quad_segs=_QUAD_SEGS), open_ground)


def _box_around(geometry: BaseGeometry, metres: float) -> BaseGeometry:
    west, south, east, north = geometry.bounds
    return shapely.box(west - metres, south - metres, east + metres, north + metres)


def _of_dimension(geometry: BaseGeometry, dimension: int) -> BaseGeometry:
    """Only the parts of that dimension: a shared edge is no area."""
    parts = shapely.get_parts(geometry)
    return shapely.union_all(parts[shapely.get_dimensions(parts) == dimension])


def _size(part: BaseGeometry, of: BaseGeometry) -> float:
    return float(part.area if shapely.get_dimensions(of) == 2 else part.length)  # noqa: PLR2004


def _point_shares(
    site: BaseGeometry,
    municipalities: Sequence[ReferenceFeature],
    reach_of: Callable[[ReferenceFeature], Reach] | None,
    *,
    main_part_only: bool,
    sliver_m: float,
) -> tuple[JurisdictionShare, ...]:
    points = shapely.get_parts(site)
    kinds = {feature.name: feature.kind for feature in municipalities}
    found: dict[tuple[str, str], list[BaseGeometry]] = defaultdict(list)
    for point in points:
        told = governing(point, municipalities, reach_of, main_part_only=main_part_only, sliver_m=sliver_m)
        for kind, name in [*(("inside", name) for name in told.inside), *([("etj", told.etj)] if told.etj else [])]:
            found[(kind, name)].append(point)
    listed = [
        JurisdictionShare(name, kinds.get(name, ""), kind, 0.0, len(at) / len(points), shapely.MultiPoint(at))
        for (kind, name), at in found.items()
    ]
    return tuple(sorted(listed, key=lambda one: (one.kind != "inside", -one.share, one.municipality)))

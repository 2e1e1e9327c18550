"""Municipal limits of a whole state: read, dissolved by kind and name, as of a day.

Known fields are those of Wisconsin's LTSB (CTV, MCD_NAME, CNTY_NAME) and of the Census (NAMELSAD, LSAD, CLASSFP);
others are named with `fields`. Rows of one kind and name are one municipality, whatever their counties. A town and a
village of the same name stay two. Rows that were annexed later than the day, or detached by then, are left out.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import TYPE_CHECKING, Final

import numpy as np
import shapely

from siteplan_gis.crs import georeference
from siteplan_gis.errors import CrsError, InputError
from siteplan_gis.frame import Frame, on_the_earth
from siteplan_gis.ingest.reference.catalogue import LayerEntry, read_catalogue
from siteplan_gis.ingest.reference.city_classes import class_of, read_classes
from siteplan_gis.ingest.reference.codes import bare, field_names, municipality, stated_reach_m, text_of
from siteplan_gis.ingest.reference.footprints import placed
from siteplan_gis.ingest.reference.layers import sha256_of
from siteplan_gis.ingest.reference.rows import VectorLayer, find_layer, read_whole
from siteplan_gis.measures.territory.division import SLIVER_M
from siteplan_gis.model.flag import Flag
from siteplan_gis.model.limits import UNINCORPORATED_KINDS, Limits, Municipality
from siteplan_gis.model.source import Source
from siteplan_gis.units import MILE_M, acres

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray
    from shapely.geometry.base import BaseGeometry

    from siteplan_gis.crs import Georeference
    from siteplan_gis.ingest.reference.rows import Rows

FIELDS: Final = ("name", "kind", "county", "class", "class_source", "reach_miles", "from", "until")
"""What a field of the limits can be named as."""

_COUNTY: Final = ("cnty_name", "county", "county_name", "countyname", "coname")
_CLASS: Final = ("city_class", "class")
_CLASS_SOURCE: Final = ("class_source", "class_src")
_FROM: Final = ("annexed", "annex_date", "annexation_date", "date_annexed", "valid_from", "effective")
_UNTIL: Final = ("detached", "detach_date", "detachment_date", "date_detached", "valid_to", "valid_until", "retired")
KIND_WORDS: Final = {
    "c": "city", "v": "village", "t": "town", "city": "city", "village": "village", "town": "town",
    "township": "town", "incorporated_town": "incorporated_town", "incorporated town": "incorporated_town",
}  # fmt: skip
_DATES: Final = ("%Y-%m-%d", "%Y/%m/%d", "%m/%d/%Y", "%Y%m%d")
_NOISE_M2: Final = 1.0
_MOST_NAMED: Final = 5
_LARGEST_REACH_MILES: Final = 20.0


@dataclass(frozen=True, slots=True)
class LimitsAsked:
    """How to read municipal limits.

    Attributes
    ----------
    fields
        What (of `FIELDS`) to the name of the field that tells it, where its name is not known here.
    kind
        Kind of every row, for a layer of one kind that does not say so.
    reach_miles
        Reach of every incorporated row that states none itself.
    classes
        A CSV file of cities: name, class, source.
    """

    path: Path
    layer: str = ""
    fields: Mapping[str, str] = field(default_factory=dict)
    kind: str = ""
    reach_miles: float | None = None
    assume_crs: str | None = None
    classes: Path | None = None


def read_limits(asked: LimitsAsked, on: date) -> Limits:
    """Read the limits as of a day.

    Raises
    ------
    InputError
        If the file cannot be used, names no kind or name of a municipality, or holds a date that cannot be read.
    CrsError
        If it has no usable coordinate system.
    """
    entry = _entry(asked)
    found = find_layer(entry.path, entry.layer)
    source = placed_by(found, asked.assume_crs or entry.crs)
    telling = _telling(found, asked.fields, entry)
    rows = read_whole(found, found.fields)
    if not len(rows.geometries):
        raise InputError("the layer holds no polygons", file=entry.path.name, layer=found.layer,
                         remedy="name the layer of municipal limits")  # fmt: skip
    plane = _plane(rows, source)
    label = entry.title or entry.path.name
    flags = _row_flags(rows, label)
    geometries, repaired = placed(rows.geometries, source, plane)
    flags += [
        Flag("geometry_repaired", f"{repaired} invalid geometries were repaired; every drawn lobe was kept", label)
    ] * bool(repaired)
    flags += [Flag("crs_note", note, label) for note in source.notes]
    if asked.assume_crs:
        flags.append(Flag("crs_assumed", f"read as {source.name}, as given", label))
    groups, more = _groups(asked, found, rows, telling, geometries, on, label)
    flags += more
    classes = read_classes(asked.classes)
    made = [_municipality(name, kind, group, classes) for (name, kind), group in groups.items()]
    unused = set(classes) - {one.name.casefold() for one in made if one.kind == "city"}
    flags += [
        Flag("city_class_unknown", f"the list of classes names {name.title()}, which is no city here", label)
        for name in sorted(unused)
    ]
    flags += [
        Flag("jurisdiction_doubt", f"{one.filled_m2:.1f} square metres between pieces of the {one.label} are narrower "
             f"than {SLIVER_M:g} m and were taken as inside it", label) for one in made if one.filled_m2 > _NOISE_M2
    ]  # fmt: skip
    flags += _overlaps(made, label)
    told = Source(
        label,
        entry.path.name,
        entry.date,
        entry.licence,
        source.name,
        entry.accuracy_m,
        sha256_of(entry.path),
    )
    municipalities = tuple(sorted(made, key=lambda one: (one.name.casefold(), one.kind)))
    return Limits(municipalities, plane, told, entry.invented, tuple(sorted(flags)))


def _entry(asked: LimitsAsked) -> LayerEntry:
    """The file, as it is or as a catalogue of layers describes it."""
    path = asked.path
    if path.suffix.lower() != ".toml" and not (path / "layers.toml").is_file():
        return LayerEntry(path, "municipalities", asked.layer)
    entries = [one for one in read_catalogue(path).layers if one.role == "municipalities"]
    if len(entries) != 1:
        raise InputError(f"the catalogue has {len(entries)} layers of municipal limits", file=str(path),
                         remedy="name the file itself")  # fmt: skip
    return entries[0]


def placed_by(found: VectorLayer, given: str) -> Georeference:
    """How the layer's coordinates reach the earth, by its own CRS or the given one."""
    if not (given or found.crs):
        raise CrsError("the layer has no coordinate system", file=found.path.name, layer=found.layer,
                       remedy="give --assume-crs EPSG:n (EPSG:4326 for degrees)")  # fmt: skip
    try:
        return georeference(given or found.crs)
    except CrsError as error:
        raise CrsError(
            error.problem, file=found.path.name, layer=found.layer, remedy=error.remedy or "reproject the file"
        ) from None


def _telling(found: VectorLayer, given: Mapping[str, str], entry: LayerEntry) -> dict[str, str]:
    """The field that tells each of `FIELDS`; empty where none does."""
    own = {bare(name): name for name in reversed(found.fields)}

    def first(*names: str) -> str:
        return next((own[name] for name in names if name in own), "")

    told = dict.fromkeys(FIELDS, "") | {
        "name": entry.name_field or field_names("municipalities", found.fields).name,
        "county": first(*_COUNTY), "class": first(*_CLASS), "class_source": first(*_CLASS_SOURCE),
        "from": first(*_FROM), "until": first(*_UNTIL),
    }  # fmt: skip
    for what, name in given.items():
        if what not in FIELDS:
            raise InputError(f"--field {what}: there is no such thing to name", remedy=f"name {', '.join(FIELDS)}")
        if bare(name) not in own:
            raise InputError(f"there is no field {name!r}", file=found.path.name, layer=found.layer,
                             remedy=f"it has {', '.join(found.fields[:20]) or 'no fields'}")  # fmt: skip
        told[what] = own[bare(name)]
    if not told["name"]:
        raise InputError("no field names the municipalities", file=found.path.name, layer=found.layer,
                         remedy=f"give --field name=FIELD; it has {', '.join(found.fields[:20]) or 'no fields'}")  # fmt: skip
    return told


def _plane(rows: Rows, source: Georeference) -> Frame:
    """The plane for all areas: around a whole degree, so that it stays where a municipality is added."""
    west, south, east, north = shapely.total_bounds(rows.geometries)
    with np.errstate(all="ignore"):
        corners = source.lonlat(np.array([[west, south], [east, north], [(west + east) / 2, (south + north) / 2]]))
    # A corner of a projected box may lie where its projection has no place.
    if not on_the_earth(corners if source.metres_per_unit is None else corners[2:]).all():
        raise CrsError("the coordinates lie nowhere on the earth", remedy="give the right --assume-crs")
    return Frame(float(round(corners[2, 0])), float(round(corners[2, 1])))


@dataclass(slots=True)
class _Group:
    """The rows of one municipality."""

    geometries: list[BaseGeometry] = field(default_factory=list)
    counties: set[str] = field(default_factory=set)
    classes: set[str] = field(default_factory=set)
    class_sources: set[str] = field(default_factory=set)
    reach: set[float] = field(default_factory=set)


def _groups(
    asked: LimitsAsked,
    found: VectorLayer,
    rows: Rows,
    telling: Mapping[str, str],
    geometries: NDArray[np.object_],
    on: date,
    label: str,
) -> tuple[dict[tuple[str, str], _Group], list[Flag]]:
    fields = {bare(name): values for name, values in rows.columns.items()}
    groups: dict[tuple[str, str], _Group] = defaultdict(_Group)
    proper: dict[tuple[str, str], str] = {}
    kindless: list[str] = []
    counted = {"places": 0, "later": 0, "gone": 0, "not polygons": 0}
    reach_in = 1.0 if telling["reach_miles"] else 0.0

    def of(what: str, row: int) -> str:
        return text_of(rows.columns[telling[what]][row]) if telling[what] else ""

    for i, geometry in enumerate(geometries):
        place = {"file": found.path.name, "layer": found.layer, "feature": str(rows.fids[i])}
        attributes = {name: values[i] for name, values in fields.items()}
        told = municipality(attributes, of("name", i))
        given = of("kind", i)
        if given and given.lower() not in KIND_WORDS:
            raise InputError(f"{given!r} is no kind of municipality", **place, remedy="write C, V or T, or city, village or town")  # fmt: skip
        if told is None and not (given or asked.kind):
            counted["places"] += 1
            continue
        name, kind = told or (of("name", i), "")
        kind = KIND_WORDS.get(given.lower(), "") or asked.kind or kind
        if not name:
            raise InputError("a municipality has no name", **place, remedy="name it, or give --field name=FIELD")
        since, until = (_day(of(what, i), what, place) for what in ("from", "until"))
        if since is not None and since > on:
            counted["later"] += 1
            continue
        if until is not None and until <= on:
            counted["gone"] += 1
            continue
        if shapely.get_dimensions(geometry) != 2 or geometry.is_empty:  # noqa: PLR2004
            counted["not polygons"] += 1
            continue
        reach = _miles(of("reach_miles", i), place) * MILE_M if reach_in else stated_reach_m(attributes)
        if reach is None and asked.reach_miles is not None and kind not in UNINCORPORATED_KINDS:
            reach = asked.reach_miles * MILE_M
        if not kind and reach is None:
            kindless.append(name)
        key = name.casefold(), kind
        proper.setdefault(key, name)
        group = groups[key]
        group.geometries.append(geometry)
        group.counties |= {county.title()} if (county := of("county", i)) else set()
        group.classes |= {one} if (one := class_of(of("class", i))) else set()
        group.class_sources |= {one} if (one := of("class_source", i)) else set()
        group.reach |= set() if reach is None else {reach}
    if kindless:
        named = ", ".join(sorted(set(kindless))[:_MOST_NAMED])
        raise InputError(
            f"{len(set(kindless))} municipalities are neither city, village nor town ({named})",
            file=found.path.name, layer=found.layer, remedy="give --field kind=FIELD, or --kind for all",
        )  # fmt: skip
    if not groups:
        raise InputError(f"no municipality is left on {on}", file=found.path.name, layer=found.layer,
                         remedy="give another --on, or the layer of municipal limits")  # fmt: skip
    texts = (
        ("layer_kinds_not_counted", "places", "census-designated places were left out: they are no municipalities"),
        ("feature_not_current", "later", f"rows are of an annexation after {on} and were left out"),
        ("feature_not_current", "gone", f"rows were detached by {on} and were left out"),
        ("feature_wrong_kind", "not polygons", "rows are no polygons and were left out"),
    )
    flags = [Flag(code, f"{counted[what]} {text}", label) for code, what, text in texts if counted[what]]
    for (name, kind), group in groups.items():
        if len(group.classes) > 1 or len(group.reach) > 1:
            raise InputError(f"the rows of {proper[name, kind]} differ in {'class' if len(group.classes) > 1 else 'reach'}",
                             file=found.path.name, layer=found.layer, remedy="correct them")  # fmt: skip
    return {(_shown(proper[key]), key[1]): group for key, group in groups.items()}, flags


def _municipality(name: str, kind: str, group: _Group, classes: Mapping[str, tuple[str, str]]) -> Municipality:
    whole, filled = _dissolved(group.geometries)
    city_class, source = next(iter(group.classes), ""), "; ".join(sorted(group.class_sources))
    if city_class and not source:
        source = "the limits' own field"
    if kind == "city" and name.casefold() in classes:
        city_class, source = classes[name.casefold()]
    return Municipality(
        name, kind, tuple(sorted(group.counties)), whole, city_class if kind == "city" else "", source if kind == "city" else "",
        next(iter(group.reach), None), len(group.geometries), filled,
    )  # fmt: skip


def _dissolved(geometries: Sequence[BaseGeometry]) -> tuple[BaseGeometry, float]:
    """The union of a municipality's rows, hairs between its pieces filled, and the area that was filled."""
    whole = geometries[0] if len(geometries) == 1 else shapely.union_all(geometries)
    parts = shapely.get_parts(whole)
    holes = [shapely.polygons(ring) for part in parts for ring in part.interiors]
    thin = [hole for hole in holes if hole.area < hole.length * SLIVER_M / 2]
    if len(parts) > 1:
        near = shapely.STRtree(parts).query(parts, predicate="dwithin", distance=SLIVER_M)
        close = parts[np.unique(near[0][near[0] != near[1]])]
        if len(close):
            grown = shapely.union_all(shapely.buffer(close, SLIVER_M / 2, join_style="mitre"))
            shrunk = shapely.buffer(grown, -SLIVER_M / 2, join_style="mitre")
            thin += [gap for gap in shapely.get_parts(shapely.difference(shrunk, whole)) if gap.area > 1e-3]  # noqa: PLR2004
    if not thin:
        return whole, 0.0
    filled = shapely.union_all([whole, *thin])
    return filled, float(filled.area - whole.area)


def _overlaps(municipalities: Sequence[Municipality], label: str) -> list[Flag]:
    """Ground that two incorporated municipalities claim: it stays inside both and is nobody's extraterritorial area."""
    bodies = [one for one in municipalities if one.kind not in UNINCORPORATED_KINDS]
    shapes = np.array([one.geometry for one in bodies], dtype=object)
    if not len(shapes):
        return []
    first, second = shapely.STRtree(shapes).query(shapes, predicate="intersects")
    flags = []
    for i, j in zip(first, second, strict=True):
        if i >= j:
            continue
        common = shapely.intersection(shapes[i], shapes[j])
        wide = [part for part in shapely.get_parts(common) if part.area > max(_NOISE_M2, part.length * SLIVER_M / 2)]
        if wide:
            where = sum(part.area for part in wide)
            flags.append(
                Flag("limits_overlap", f"the {bodies[i].label} and the {bodies[j].label} both claim "
                     f"{acres(where):.2f} acres; they were taken as inside both", label)
            )  # fmt: skip
    return flags


def _row_flags(rows: Rows, label: str) -> list[Flag]:
    flags = [Flag("feature_unreadable", "its geometry could not be read", label, str(fid)) for fid in rows.unreadable]
    if rows.empty:
        flags.append(Flag("feature_empty", f"{len(rows.empty)} rows have no geometry", label))
    if rows.text_replaced:
        flags.append(Flag("attribute_text_replaced", "text was read as Windows-1252", label))
    return flags


def _miles(text: str, place: Mapping[str, str]) -> float:
    try:
        miles = float(text)
    except ValueError:
        miles = -1.0
    if not 0 <= miles <= _LARGEST_REACH_MILES:
        raise InputError(f"{text!r} is no reach in miles", **place, remedy="write a number from 0 to 20")
    return miles


def _day(text: str, what: str, place: Mapping[str, str]) -> date | None:
    """A date as data write it; empty where none is given."""
    if not text:
        return None
    for form in _DATES:
        try:
            return datetime.strptime(text[:10], form).date()  # noqa: DTZ007
        except ValueError:
            continue
    raise InputError(f"{text!r} ({what}) is not a date", **place, remedy="write YYYY-MM-DD")


def _shown(name: str) -> str:
    """A name in capitals as people write it.

    Examples
    --------
    >>> _shown("PORT WASHINGTON"), _shown("DeForest")
    ('Port Washington', 'DeForest')
    """
    return name.title() if name.isupper() else name

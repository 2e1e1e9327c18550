"""Reference layers: public maps around a site, read by bounding box and brought into the site frame."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np
import shapely

from siteplan_gis.crs import georeference
from siteplan_gis.errors import CrsError, InputError
from siteplan_gis.ingest.reference.codes import bare, field_names, is_deepwater, stated_reach_m, text_of
from siteplan_gis.ingest.reference.duplicates import one_per_id, pieces_joined, without_copies
from siteplan_gis.ingest.reference.extents import boxes_of, ground_of, window_around
from siteplan_gis.ingest.reference.footprints import placed
from siteplan_gis.ingest.reference.kinds import NOT_A_MUNICIPALITY, downstream_ids, kind_and_name, network_order
from siteplan_gis.ingest.reference.rows import Rows, VectorLayer, find_layer, no_crs, read_column, read_fids, read_rows
from siteplan_gis.ingest.reference.stamps import HASHED_BYTES, dated, file_hash, refuse_changed
from siteplan_gis.model.flag import Flag
from siteplan_gis.model.layers import REACH_CODE, UNCOUNTED_KINDS, ReferenceFeature, ReferenceLayer
from siteplan_gis.model.source import Source

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray
    from shapely.geometry.base import BaseGeometry

    from siteplan_gis.crs import Georeference
    from siteplan_gis.frame import Frame
    from siteplan_gis.ingest.reference.catalogue import LayerEntry
    from siteplan_gis.ingest.reference.codes import FieldNames

FARTHEST_SEARCH_M: Final = 8_000.0
"""Where nothing lies within the search distance, the nearest feature is looked for as far as this."""

_LEAST_SEARCH_M: Final = {
    "municipalities": 4_828.032,
    "airports": 16_093.44,
    "flowlines": 8_046.72,
    "listed_waters": 8_046.72,
}
"""A city reaches three miles beyond its limits, whatever the distance to waters; airports matter at ten miles;
drainage lines are followed five miles for the names and designations of waters."""

_WIDER: Final = 4
_MARGIN_M: Final = 50.0
_BEYOND_M: Final = 150.0
"""Read beyond the search distance too: features whose distance is doubtful by the maps' accuracy must be known."""

_JOINED_ROLES: Final = frozenset({"waters", "wetlands", "flowlines"})
_COPIED_ROLES: Final = frozenset({"waters", "wetlands", "flowlines", "floodplain", "airports", "culverts"})


@dataclass(frozen=True, slots=True)
class _Asked:
    """What one call of `read_layer` looks for, and where it found the layer."""

    entry: LayerEntry
    found: VectorLayer
    source: Georeference
    frame: Frame
    around: BaseGeometry
    names: FieldNames
    columns: tuple[str, ...]


def read_layer(entry: LayerEntry, frame: Frame, around: BaseGeometry, search_m: float) -> ReferenceLayer:
    """Read what lies within `search_m` metres of `around` (in the frame), and so much farther that the nearest is told.

    Where nothing counts within `search_m`, the window is widened step by step to `FARTHEST_SEARCH_M`. The window that
    is returned says how far was looked: a nearest feature is the nearest of all if the window reaches beyond it.

    Raises
    ------
    InputError
        If the file, its layer or a named field is not there or cannot be read.
    CrsError
        If the layer has no usable coordinate system.
    HostileInputError
        If the content is not what the file's name says.
    """
    if not entry.database and entry.path.exists():
        refuse_changed(entry.path, entry.stamp)
    found = find_layer(
        entry.path, entry.layer, entry.database, extent=entry.coverage is None or entry.coverage == "extent"
    )
    source = _georeferenced(entry, found)
    names = _named_fields(entry, found)
    asked = _Asked(entry, found, source, frame, around, names, found.fields)
    search_m = max(search_m, _LEAST_SEARCH_M.get(entry.role, 0.0)) + _BEYOND_M
    reach = search_m
    while True:
        features, flags = _read_within(asked, reach)
        wider = _wider(features, entry.role, around, reach, search_m)
        if wider is None or found.features == 0:
            break
        reach = wider
    window = window_around(around, reach)
    coverage, declared, more = _coverage(asked, window)
    flags += more
    if found.features == 0:
        flags.append(Flag("layer_empty", "the layer holds no features", entry.label))
        if entry.stamp is None:
            # Whatever its owner declares: an export that came out empty is no proof that there is nothing. A stamp is.
            coverage = shapely.Polygon()
    if entry.stamp is not None and entry.stamp.without_geometry:
        text = f"{entry.stamp.without_geometry} features came without geometry when the layer was fetched"
        flags.append(Flag("feature_empty", text, entry.label))
    if entry.crs:
        flags.append(Flag("crs_assumed", f"read as {source.name}, as the catalogue says", entry.label))
    flags += [Flag("crs_note", note, entry.label) for note in source.notes]
    return ReferenceLayer(
        entry.role, entry.label, tuple(features), window, coverage, declared,
        Source(
            entry.title or entry.source or entry.label, entry.path.name, dated(entry.date, entry.stamp), entry.licence, source.name, entry.accuracy_m,
            sha256_of(entry.path),
        ),
        entry.invented, tuple(flags),
    )  # fmt: skip


def _georeferenced(entry: LayerEntry, found: VectorLayer) -> Georeference:
    if not (entry.crs or found.crs):
        raise no_crs(found)
    try:
        return georeference(entry.crs or found.crs)
    except CrsError as error:
        raise CrsError(
            error.problem, file=entry.path.name, layer=found.layer, remedy=str(error).rpartition("; ")[2]
        ) from None


def _named_fields(entry: LayerEntry, found: VectorLayer) -> FieldNames:
    guessed = field_names(entry.role, found.fields)
    own = {bare(field): field for field in reversed(found.fields)} | {field: field for field in found.fields}

    def real(wanted: str, otherwise: str) -> str:
        if not wanted:
            return otherwise
        if wanted in own or bare(wanted) in own:
            return own.get(wanted) or own[bare(wanted)]
        raise InputError(
            f"there is no field {wanted!r}", file=entry.path.name, layer=found.layer,
            remedy=f"it has {', '.join(found.fields[:20]) or 'no fields'}",
        )  # fmt: skip

    if entry.where is not None:
        real(entry.where.field, "")
    return replace(
        guessed, name=real(entry.name_field, guessed.name), id=real(entry.id_field, guessed.id),
        code=real(entry.code_field, guessed.code), permanent=guessed.permanent or bool(entry.id_field),
    )  # fmt: skip


def _wider(
    features: list[ReferenceFeature], role: str, around: BaseGeometry, reach_m: float, search_m: float
) -> float | None:
    """How far to look next so that the nearest counted feature is certain; None when it is, or at the farthest."""
    passed_over = {*UNCOUNTED_KINDS, "filled_wetland"} | ({"wetland"} if role in {"waters", "flowlines"} else set())
    counted = [feature.geometry for feature in features if feature.kind not in passed_over]
    nearest = float(shapely.distance(np.array(counted, dtype=object), around).min()) if counted else np.inf
    farthest = max(search_m, FARTHEST_SEARCH_M)
    if nearest <= reach_m or reach_m >= farthest:
        return None
    # A feature in a corner of the window may lie farther off than one just outside a side: look as far as it lies.
    return min(nearest if np.isfinite(nearest) else reach_m * _WIDER, farthest)


def _read_within(asked: _Asked, reach_m: float) -> tuple[list[ReferenceFeature], list[Flag]]:
    """Features that meet the window of `reach_m`, each once, and what was noticed on the way."""
    window = window_around(asked.around, reach_m)
    wide = window_around(asked.around, reach_m + _MARGIN_M)
    rows = read_rows(asked.found, boxes_of(wide, asked.source, asked.frame), asked.columns)
    flags = _row_flags(asked, rows)
    features, more = _features(asked, rows)
    flags += more
    shapely.prepare(window)
    features = [feature for feature in features if window.intersects(feature.geometry)]
    if asked.entry.role == "municipalities":
        features += _other_parts(asked, rows, features)
    features, more = _each_once(asked, features)
    return features, [*flags, *more]


def _features(asked: _Asked, rows: Rows) -> tuple[list[ReferenceFeature], list[Flag]]:
    entry, names, label = asked.entry, asked.names, asked.entry.label
    chosen = _chosen(asked, rows)
    geometries, repaired = placed(rows.geometries[chosen], asked.source, asked.frame)
    fields = {bare(name): values[chosen] for name, values in rows.columns.items()}
    own = {name: rows.columns[name][chosen] for name in (names.name, names.id, names.code) if name}
    below = downstream_ids(fields, entry.role)
    features, left_out, nothing, taken = [], 0, 0, Counter[str]()
    for i, (fid, geometry) in enumerate(zip(rows.fids[chosen], geometries, strict=True)):
        attributes = {name: values[i] for name, values in fields.items()}
        name = text_of(own[names.name][i]) if names.name else ""
        code = text_of(own[names.code][i]) if names.code else ""
        if geometry.is_empty:
            nothing += 1
            continue
        layer_name = f"{asked.found.layer} {entry.path.stem} {entry.title}"
        kind, name = kind_and_name(entry.role, attributes, name, geometry, kind=entry.kind, layer=layer_name)
        if kind == NOT_A_MUNICIPALITY:
            left_out += 1
            continue
        if entry.role == "municipalities" and not entry.code_field:
            reach_m = stated_reach_m(attributes)
            code = code if reach_m is None else f"{REACH_CODE}{reach_m!r}"
        identity = text_of(own[names.id][i]) if names.id else ""
        identity = identity if identity != "0" else ""
        taken[identity] += 1
        if not identity or (taken[identity] > 1 and not names.permanent):
            identity = f"{label}:{fid}"
        order = network_order(attributes) if entry.role in {"waters", "flowlines"} else (None, None, True)
        features.append(ReferenceFeature(identity, name, kind, code, geometry, label, below.get(i, ()), *order))
    flags = [
        Flag("geometry_repaired", f"{repaired} invalid geometries were repaired; every drawn lobe was kept", label)
    ] * bool(repaired)
    if nothing:
        flags.append(Flag("feature_empty", f"{nothing} rows enclose nothing or have no length", label))
    if left_out:
        text = f"{left_out} census-designated places were left out: they are no municipalities"
        flags.append(Flag("layer_kinds_not_counted", text, label))
    return features, flags


def _chosen(asked: _Asked, rows: Rows) -> NDArray[np.bool_]:
    where = asked.entry.where
    chosen = np.ones(len(rows.geometries), dtype=bool)
    if where is None:
        return chosen
    field = next(name for name in rows.columns if name == where.field or bare(name) == bare(where.field))
    texts = [text_of(value) for value in rows.columns[field]]
    if where.any_of:
        wanted = {text_of(value) for value in where.any_of}
        chosen &= np.array([text in wanted for text in texts], dtype=bool)
    unwanted = {text_of(value) for value in where.none_of}
    chosen &= np.array([text not in unwanted for text in texts], dtype=bool)
    return chosen


def _each_once(asked: _Asked, features: list[ReferenceFeature]) -> tuple[list[ReferenceFeature], list[Flag]]:
    role, label, before = asked.entry.role, asked.entry.label, len(features)
    once = without_copies(features) if role in _COPIED_ROLES else features
    if asked.names.permanent and role in (_COPIED_ROLES | {"municipalities", "parcels"}):
        once = one_per_id(once)
    if role in _JOINED_ROLES:
        keep_apart = asked.names.permanent and role != "wetlands"
        once = pieces_joined(once, lambda one: None if keep_apart else (one.name, one.kind, one.code))
    flags = []
    if len(once) < before:
        text = f"{before} rows are {len(once)} features: copies and pieces of one feature were put together"
        flags.append(Flag("duplicate_features_merged", text, label))
    wetlands = sum(feature.kind == "wetland" for feature in once) if role in {"waters", "flowlines"} else 0
    if wetlands:
        flags.append(Flag("wetlands_in_waters_layer", f"{wetlands} features are wetlands", label))
    if role == "wetlands":
        deep = sum(is_deepwater(feature.code) for feature in once)
        filled = sum(feature.kind == "filled_wetland" for feature in once)
        if deep:
            flags.append(Flag("waters_in_wetlands_layer", f"{deep} features are rivers or lakes by their code", label))
        if filled:
            flags.append(Flag("layer_kinds_not_counted", f"{filled} filled wetlands are not counted", label))
    return once, flags


def _other_parts(asked: _Asked, read: Rows, near: list[ReferenceFeature]) -> list[ReferenceFeature]:
    """Parts of municipalities that lie outside the window, so that the main part of each is known."""
    name_field = asked.names.name
    if not name_field or not near:
        return []
    fids, columns = read_column(asked.found, asked.columns)
    seen = {int(fid) for fid in read.fids}
    wanted = {feature.name.casefold() for feature in near}
    fields = {bare(name): values for name, values in columns.items()}
    more = []
    for i, fid in enumerate(fids):
        if int(fid) in seen:
            continue
        attributes = {name: values[i] for name, values in fields.items()}
        _, name = kind_and_name("municipalities", attributes, text_of(columns[name_field][i]), None)
        if name.casefold() in wanted:
            more.append(int(fid))
    if not more:
        return []
    features, _ = _features(asked, read_fids(asked.found, more, asked.columns))
    keys = {(feature.name.casefold(), feature.kind) for feature in near if feature.kind != "town"}
    return [feature for feature in features if (feature.name.casefold(), feature.kind) in keys]


def _row_flags(asked: _Asked, rows: Rows) -> list[Flag]:
    label = asked.entry.label
    flags = [Flag("feature_unreadable", "its geometry could not be read", label, str(fid)) for fid in rows.unreadable]
    if rows.empty:
        flags.append(Flag("feature_empty", f"{len(rows.empty)} rows have no geometry", label))
    if rows.text_replaced:
        flags.append(Flag("attribute_text_replaced", "text was read as Windows-1252", label))
    return flags


def _coverage(asked: _Asked, window: BaseGeometry) -> tuple[BaseGeometry, bool, list[Flag]]:
    """The covered part of `window`, whether its owner declares it, and a flag where not."""
    declared = asked.entry.coverage
    if isinstance(declared, tuple):
        return ground_of(declared, georeference("OGC:CRS84"), asked.frame, window), True, []
    if declared is None or declared == "extent":
        flag = Flag("coverage_not_declared", "its own extent was taken as the ground it covers", asked.entry.label)
        extent = ground_of(asked.found.bounds, asked.source, asked.frame, window)
        return extent, declared is not None, [flag] * (declared is None)
    return _declared_area(asked, declared, window), True, []


def _declared_area(asked: _Asked, path: Path, window: BaseGeometry) -> BaseGeometry:
    found = find_layer(path, asked.entry.coverage_layer)
    if not found.crs:
        raise no_crs(found)
    source = georeference(found.crs)
    rows = read_rows(found, boxes_of(window, source, asked.frame), ())
    geometries, _ = placed(rows.geometries, source, asked.frame)
    areas = geometries[shapely.get_dimensions(geometries) == 2]  # noqa: PLR2004
    if len(geometries) and not len(areas):
        raise InputError("a coverage must be polygons", file=path.name, layer=found.layer)
    return shapely.intersection(shapely.union_all(areas), window)


def sha256_of(path: Path) -> str:
    """Hash of the file; empty for a folder, a database or a file too large to hash at every run."""
    return file_hash(path) if path.is_file() and path.stat().st_size <= HASHED_BYTES else ""

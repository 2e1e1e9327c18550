"""The plan's vector layers: read feature by feature, given roles and a place, brought into the site frame."""

from __future__ import annotations

import shlex
from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from siteplan_gis.crs import georeference
from siteplan_gis.errors import InputError
from siteplan_gis.frame import Frame
from siteplan_gis.ingest.cad.levels import drawn_levels, label_contours
from siteplan_gis.ingest.cad.placing import place_drawing, refuse_mixed_places, unplaced
from siteplan_gis.ingest.drawn.attributes import (
    END_FIELDS,
    KIND_FIELDS,
    NAME_FIELDS,
    PHASE_FIELDS,
    START_FIELDS,
    day_of,
    field_of,
    text_of,
)
from siteplan_gis.ingest.drawn.elevations import field_levels
from siteplan_gis.ingest.drawn.placing import choose_frame, locate, place
from siteplan_gis.ingest.formats import CAD_SUFFIXES, SHEET_SUFFIXES
from siteplan_gis.ingest.isolated import read_isolated
from siteplan_gis.ingest.plan.assigning import assigned, require_all_used
from siteplan_gis.ingest.plan.crowds import without_crowds
from siteplan_gis.ingest.plan.currency import not_current, unexplained_codes
from siteplan_gis.ingest.plan.dots import without_dots
from siteplan_gis.ingest.plan.inspected import layer_row
from siteplan_gis.ingest.plan.noticed import few_flags, reading_flags, unread_days
from siteplan_gis.ingest.plan.shaping import PLAINLY_CLOSED, project_drawings, shape
from siteplan_gis.ingest.plan.sheets import joined_sheets, read_sheets, sheet_rows
from siteplan_gis.ingest.plan.submittal import opened_submittal
from siteplan_gis.ingest.records.manifest import Manifest, read_manifest
from siteplan_gis.ingest.roles import require_role
from siteplan_gis.ingest.vector_files.geojson import GEOJSON_SUFFIXES
from siteplan_gis.ingest.vector_files.landxml import LANDXML_SUFFIXES
from siteplan_gis.ingest.vector_files.meshes import placed_surface
from siteplan_gis.model.flag import Flag
from siteplan_gis.model.plan import Plan, PlanFeature, PlanLayer
from siteplan_gis.model.source import Source
from siteplan_gis.model.surface import SURFACE_ROLES

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from siteplan_gis.ingest.drawn.drawing import Drawing, DrawnFeature, DrawnLayer
    from siteplan_gis.ingest.drawn.placing import PlacedLayer
    from siteplan_gis.ingest.plan.submittal import PlanFile, Submittal
    from siteplan_gis.model.sheet import Sheet
    from siteplan_gis.model.surface import Surface

    Progress = Callable[[str, int, int], None]

_READERS: Final = {
    **dict.fromkeys(GEOJSON_SUFFIXES, "vector_files.geojson.read_geojson"),
    **dict.fromkeys(LANDXML_SUFFIXES, "vector_files.surfaces.read_landxml"),
    **dict.fromkeys(CAD_SUFFIXES, "cad.model_space.read_cad"),
    ".kml": "vector_files.kml.read_kml",
}
"""Who reads a file in the other process, by the end of its name; all others are databases."""

_CONTOURS: Final = ("contour_existing", "contour_proposed")
_LOST: Final = frozenset({"xref_unbound", "cad_object_unread", "drawing_damaged"})
"""Warnings that tell where the ground may have gone that nobody finds."""

_NO_REASONS: Final = frozenset(
    {"role_guessed", "crs_note", "crs_assumed", "z_or_m_dropped", "z_sentinel", "unit_assumed"}
)
"""Warnings that tell nobody why no feature could be used."""


def read_plan(
    paths: Sequence[Path],
    *,
    roles: Mapping[str, str] = {},
    assume_crs: str | None = None,
    progress: Progress | None = None,
) -> tuple[Plan, Frame]:
    """Read everything submitted as one plan and place it in the site frame.

    Parameters
    ----------
    paths
        Folders, archives and files; several make one common plan.
    roles
        Roles by layer or file name or pattern; they outrank the manifest, which outranks guessing from names.
    assume_crs
        Coordinate system of layers that name none.
    progress
        Called with a file's label, the number of files done, and of all.

    Raises
    ------
    InputError
        If an input cannot be used, or no feature of a known role is left: which file and feature, and what to do.
    """
    with opened_submittal(paths) as submittal:
        manifest, layers, sheets, sources = _read(submittal, roles, assume_crs, progress)
        if sheets and not layers:
            flag = Flag("place_unknown", "the plan holds sheets only: no ground can be measured; give the drawing, too")
            told = few_flags([*submittal.flags, flag])
            return _plan(manifest, paths, flags=told, sheets=sheets, sources=sources), Frame(0.0, 0.0, placed=False)
        used = [layer for layer in layers if layer.role]
        if not used:
            seen = ", ".join(layer.label for layer in layers[:20])
            lost = [flag.text for flag in submittal.flags if flag.code == "file_unreadable"]
            lost += [flag.text for layer in layers for flag in layer.drawn.flags if flag.code in _LOST]
            raise InputError(
                f"no layer of the plan has a known role (layers: {seen})" + "".join(f"; {text}" for text in lost[:4]),
                file=paths[0].name,
                remedy=_role_to_give(layers),
            )
        for layer in used:
            problem = locate(layer)
            if problem is not None:
                raise problem
        if not any(piece is not None for layer in used for piece in layer.lonlat):
            raise _nothing_usable(used, submittal, paths[0].name)
        refuse_mixed_places(used)
        frame = choose_frame(used)
        if any(layer.local for layer in used):
            frame = unplaced(frame)
        features: list[PlanFeature] = []
        surfaces: list[Surface] = []
        shown: list[PlanLayer] = []
        flags = list(submittal.flags)
        for layer in layers:
            made, aside = _features(layer, frame) if layer.role else ([], _unreadable(layer.drawn))
            features += made
            surface = placed_surface(layer, made, frame) if layer.role in SURFACE_ROLES else None
            surfaces += [surface] if surface is not None else []
            flags += [*layer.drawn.flags, *layer.flags]
            shown.append(layer_row(layer, aside))
        for without in (without_crowds, without_dots):
            features, left_out = without(features)
            flags += left_out
            submittal.flags += left_out
        if not features:
            raise _nothing_usable(used, submittal, paths[0].name)
        plan = _plan(
            manifest,
            paths,
            features=tuple(features),
            layers=tuple(shown),
            flags=few_flags(flags),
            sources=sources,
            sheets=sheets,
            surfaces=tuple(surfaces),
            narrative=manifest.narrative,
        )
        return plan, frame


def _plan(manifest: Manifest, paths: Sequence[Path], **read: Any) -> Plan:
    """A plan of what was read and what the manifest says."""
    return Plan(
        **{"features": (), "layers": (), **read},
        name=manifest.name or paths[0].absolute().name.split(".")[0],
        stated=manifest.stated,
        activity=manifest.activity,
        applicant=manifest.applicant,
        submitted=manifest.submitted,
        ordinance=manifest.ordinance,
        invented=manifest.invented,
        declared_absent=manifest.none,
    )


def _role_to_give(layers: Sequence[PlacedLayer]) -> str:
    """What to do where no role is known, with the very option for the first layer that draws something."""
    drawn = [layer for layer in layers if layer.drawn.features] or list(layers)
    option = f" {shlex.quote(f'{drawn[0].drawn.layer or drawn[0].label}=site')}" if drawn else " LAYER=ROLE"
    of = f" if {drawn[0].label} draws the site's boundary" if drawn else ""
    return f"give --role{option}{of}, and so for every other layer (or [roles] in siteplan.toml)"


def _nothing_usable(used: Sequence[PlacedLayer], submittal: Submittal, file: str) -> InputError:
    told = [flag for layer in used for flag in (*layer.drawn.flags, *layer.flags, *reading_flags(layer))]
    flags = [flag for flag in dict.fromkeys([*submittal.flags, *told]) if flag.code not in _NO_REASONS]
    reasons = "; ".join(f"{flag.feature} {flag.text}".strip() for flag in flags[:8])
    names = ", ".join(layer.label for layer in used[:20])
    problem = f"no feature can be used (layers: {names})" + f": {reasons}" * bool(reasons)
    kinds = {flag.code for flag in flags} & {"feature_wrong_kind", "lines_not_closed"}
    remedy = "give the layer another role with --role LAYER=ROLE, or draw it as its role asks"
    return InputError(problem, file=file, remedy=remedy if kinds else "export the plan again")


def inspect_plan(
    paths: Sequence[Path],
    *,
    roles: Mapping[str, str] = {},
    assume_crs: str | None = None,
) -> tuple[tuple[PlanLayer, ...], tuple[Flag, ...]]:
    """What is seen in the files: every layer with its role and coordinate system, and every warning.

    A layer whose place cannot be told is shown with the reason as a flag (crs "none" where it names none).

    Raises
    ------
    InputError
        If nothing can be opened at all.
    """
    with opened_submittal(paths) as submittal:
        _, layers, sheets, _ = _read(submittal, roles, assume_crs, None)
        flags = list(submittal.flags)
        shown = []
        for layer in layers:
            flags += [*layer.drawn.flags, *layer.flags]
            problem = locate(layer)
            if problem is not None:
                code = "axis_order_suspect" if "swapped" in problem.problem else "crs_note"
                flags.append(Flag(code, f"{problem.problem}; {problem.remedy}", layer.label))
            flags += reading_flags(layer)
            shown.append(layer_row(layer, _unreadable(layer.drawn)))
        return (*shown, *sheet_rows(sheets)), few_flags(flags)


def _read(
    submittal: Submittal,
    roles: Mapping[str, str],
    assume_crs: str | None,
    progress: Progress | None,
) -> tuple[Manifest, list[PlacedLayer], tuple[Sheet, ...], tuple[Source, ...]]:
    """Every layer of every file, with its role, settings and coordinate system, and every sheet.

    Of several files, one that cannot be read is told by a flag, and the others are read.
    """
    for layer_name, role in roles.items():
        require_role(role, file="--role", layer=layer_name)
    if assume_crs is not None:
        georeference(assume_crs)
    manifest = _manifest(submittal)
    layers: list[PlacedLayer] = []
    sheets: list[Sheet] = []
    sources = []
    used_keys: set[tuple[str, str]] = set()
    labels: Counter[str] = Counter()
    for number, file in enumerate(submittal.files):
        if progress is not None:
            progress(file.label, number, len(submittal.files))
        if file.path.suffix.lower() in SHEET_SUFFIXES:
            crs = manifest.sheet_crs.get(file.label) or assume_crs or ""
            sheets += read_sheets(file, crs, submittal.flags, alone=len(submittal.files) == 1)
            sources.append(Source(f"plan file {file.label}", file.label, sha256=file.sha256()))
            continue
        try:
            found = _drawn(file)
        except InputError as error:
            if len(submittal.files) == 1:
                raise
            submittal.flags.append(Flag("file_unreadable", str(error), file.label))
            continue
        placed = [assigned(drawn, labels, roles, manifest, used_keys) for drawn in found]
        for layer in placed:
            if layer.drawn.cad is not None:
                place_drawing(layer, layer.drawn.cad, assume_crs)
            else:
                place(layer, assume_crs)
        label_contours(placed)
        if any(layer.drawn.layouts for layer in placed):
            from siteplan_gis.ingest.cad.layout_sheets import sheets_of_layouts  # noqa: PLC0415 - drawings are few

            sheets += sheets_of_layouts(placed)
        known = dict.fromkeys(layer.crs_shown for layer in placed if layer.georeference is not None)
        sources.append(Source(f"plan file {file.label}", file.label, crs=", ".join(known), sha256=file.sha256()))
        layers += placed
    if progress is not None:
        progress("", len(submittal.files), len(submittal.files))
    require_all_used(roles, manifest, used_keys, layers, submittal)
    return manifest, layers, joined_sheets(manifest, sheets), tuple(sources)


def _manifest(submittal: Submittal) -> Manifest:
    found = list(dict.fromkeys(path.resolve() for path in submittal.manifests))
    if len(found) > 1:
        raise InputError(
            f"{len(found)} manifests were found for one plan ({', '.join(str(path) for path in submittal.manifests)})",
            remedy="keep one siteplan.toml",
        )
    return read_manifest(found[0]) if found else Manifest()


def _drawn(file: PlanFile) -> list[DrawnLayer]:
    reader = _READERS.get(file.path.suffix.lower(), "vector_files.databases.read_database")
    return read_isolated(reader, file.path, file.label, *([str(file.root)] if file.root is not None else []))


def _features(layer: PlacedLayer, frame: Frame) -> tuple[list[PlanFeature], int]:
    """The layer's features in the frame, and how many were set aside; what was noticed goes to the layer's flags."""
    drawn = layer.drawn
    layer.flags += reading_flags(layer)
    reference = layer.georeference
    past = not_current(drawn.features, drawn.fields)
    layer.flags += unexplained_codes(drawn.features, drawn.fields, drawn.label)
    kept: list[tuple[DrawnFeature, Drawing]] = []
    for feature, positions in zip(drawn.features, layer.lonlat, strict=True):
        if feature.drawing is None:
            continue
        if feature.id in past:
            layer.flags.append(
                Flag("feature_not_current", f"{past[feature.id]}: it was set aside", drawn.label, feature.id)
            )
            continue
        if positions is not None:
            kept.append((feature, feature.drawing))
        elif not any(flag.feature == feature.id and flag.code == "feature_unreadable" for flag in layer.flags):
            text = f"a position lies where {layer.crs_shown} cannot be used"
            layer.flags.append(Flag("feature_unreadable", text, drawn.label, feature.id))
    if reference is None or not kept:
        return [], len(drawn.features)
    moved = project_drawings([drawing for _, drawing in kept], reference, frame)
    describe = _describer(layer, [feature for feature, _ in kept])
    made: list[PlanFeature] = []
    usable = plainly_closed = 0
    for (feature, source), drawing in zip(kept, moved, strict=True):
        shaped = shape(drawing, layer.role, source, reference, assume_closed=layer.settings.assume_closed)
        notes = [note for note in shaped.notes if drawn.cad is None or note != PLAINLY_CLOSED]
        plainly_closed += len(shaped.notes) - len(notes)
        layer.flags += [Flag(code, text, drawn.label, feature.id) for code, text in notes]
        usable += bool(shaped.geometries)
        for number, geometry in enumerate(shaped.geometries):
            name = feature.id if number == 0 else f"{feature.id} ({geometry.geom_type})"
            made.append(describe(feature, name, geometry))
    if plainly_closed:
        text = f"{plainly_closed} closed lines were taken as polygons"
        layer.flags.append(Flag(PLAINLY_CLOSED[0], text, drawn.label))
    return made, len(drawn.features) - usable


def _describer(layer: PlacedLayer, kept: Sequence[DrawnFeature]) -> Callable[..., PlanFeature]:
    """A function that makes plan features with what the layer's fields tell."""
    settings, fields = layer.settings, layer.drawn.fields
    name = field_of(fields, settings.name_field, NAME_FIELDS)
    kind = field_of(fields, settings.kind_field, KIND_FIELDS)
    phase = field_of(fields, settings.phase_field, PHASE_FIELDS)
    start = field_of(fields, settings.start_field, START_FIELDS)
    end = field_of(fields, settings.end_field, END_FIELDS)
    elevations: dict[int, float | None] = {}
    if layer.role in _CONTOURS:
        elevations, flags = (drawn_levels if layer.drawn.cad is not None else field_levels)(layer, kept)
        layer.flags += flags
    layer.flags += unread_days(kept, (start, end), layer.label)

    def describe(feature: DrawnFeature, shown: str, geometry: object) -> PlanFeature:
        attributes = feature.attributes
        return PlanFeature(
            role=layer.role,
            geometry=geometry,
            layer=layer.label,
            id=shown,
            name=text_of(attributes, name),
            kind=text_of(attributes, kind) or settings.kind,
            phase=text_of(attributes, phase) or settings.phase,
            start=day_of(attributes, start) or settings.start,
            end=day_of(attributes, end) or settings.end,
            elevation_m=elevations.get(id(feature)),
            attributes=attributes,
        )

    return describe


def _unreadable(drawn: DrawnLayer) -> int:
    return sum(feature.drawing is None for feature in drawn.features)

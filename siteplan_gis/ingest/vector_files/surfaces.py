"""Surfaces, parcels, contours and plan features of a LandXML file as layers of the plan.

Every surface is a layer whose one feature is the outline of its visible triangles; the triangles come with it. The
area that the file declares for a surface or a parcel is compared with the area of what is drawn.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import numpy as np
import shapely

from siteplan_gis.errors import InputError
from siteplan_gis.ingest.drawn.drawing import CadPlace, Drawing, DrawnFeature, DrawnLayer, Mesh
from siteplan_gis.ingest.roles import guess_surface_role
from siteplan_gis.ingest.vector_files.courses import read_course
from siteplan_gis.ingest.vector_files.landxml import positions, read_document, tag_of
from siteplan_gis.model.flag import Flag

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from xml.etree.ElementTree import Element

    from numpy.typing import NDArray
    from shapely.geometry.base import BaseGeometry

    from siteplan_gis.ingest.vector_files.courses import Course
    from siteplan_gis.ingest.vector_files.landxml import LandXml, RawSurface
    from siteplan_gis.model.plan import AttributeValue

DECLARED_SHARE: Final = 1e-3
"""A declared area that differs from the drawn one by more than this share of it is told."""

_SAME_GROUND_SHARE: Final = 1e-6
_FEWEST_CORNERS: Final = 3
_LEAST_PARCELS: Final = 2
_SURROUND: Final = re.compile(r"\b(?:site|boundary|tract|parent|overall|property)\b", re.IGNORECASE)
_NO_LOT: Final = re.compile(r"easement|right.?of.?way|\br\.?o\.?w\b|setback", re.IGNORECASE)


def read_landxml(path: Path, label: str) -> list[DrawnLayer]:
    """Read every surface, parcel, contour and plan feature of a LandXML file.

    Raises
    ------
    InputError
        If it is not LandXML, is damaged, or holds nothing of these.
    HostileInputError
        If it has a DOCTYPE or declares entities.
    """
    document = read_document(path, label)
    layers: list[DrawnLayer] = []
    flags: list[Flag] = []
    for number, surface in enumerate(document.surfaces, 1):
        surface.name = surface.name.strip() or f"surface {number}"
        layers += _surface_layers(surface, document, label, flags)
    layers += _parcel_layers(document, label)
    layers += _plan_feature_layers(document, label)
    unread = [f"{count} {tag}" for tag, count in sorted(document.unread.items())]
    unread += [f"{len(document.survey_points)} survey points"] * bool(document.survey_points)
    if not layers:
        reasons = "; ".join(flag.text for flag in flags[:8]) or (f"it holds {', '.join(unread)}" if unread else "")
        raise InputError(
            "holds no surface, parcel or plan feature that can be read" + f" ({reasons})" * bool(reasons),
            file=label,
            remedy="export surfaces with their faces, and parcels, as LandXML",
        )
    if unread:
        flags.append(Flag("file_ignored", f"not read from LandXML: {', '.join(unread)}", label))
    layers[0].flags += flags
    place = _place(document, layers)
    for layer in layers:
        layer.only_layer = len(layers) == 1
        layer.cad = place
        if document.crs_shown and not document.crs:
            layer.no_crs = f"the file names its coordinate system only in words ({document.crs_shown!r})"
    return layers


def _place(document: LandXml, layers: list[DrawnLayer]) -> CadPlace:
    """Unit of the file, and a place in its thick."""
    arrays = [array for layer in layers for one in layer.features if one.drawing for array in one.drawing.arrays()]
    east, north = np.median(np.vstack(arrays), axis=0) if arrays else (0.0, 0.0)
    said = f"the file's unit is {document.unit}" if document.unit else ""
    doubt = "" if document.unit else "the file does not tell its unit"
    return CadPlace(document.unit_m, said, doubt, middle=(float(east), float(north)))


def _layer(document: LandXml, label: str, name: str, role: str, features: list[DrawnFeature]) -> DrawnLayer:
    fields = tuple(dict.fromkeys(key for feature in features for key in feature.attributes))
    return DrawnLayer(label, name, False, document.crs, fields, features, guessed_role=role)


def _surface_layers(surface: RawSurface, document: LandXml, label: str, flags: list[Flag]) -> Iterator[DrawnLayer]:
    """The surface itself and the contours that it was made from."""
    role = guess_surface_role(surface.name) or guess_surface_role(surface.description)
    notes: list[str] = []
    mesh = _mesh(surface, notes)
    if surface.hidden:
        notes.append(f"{surface.hidden} invisible faces were left out")
    if mesh is None:
        notes.append("it has no visible faces, so it describes no ground; export it with its faces")
        flags += [Flag("surface_note", f"surface {surface.name}: {note}", label) for note in notes]
    else:
        outline, layer_flags = _outline(mesh, surface)
        drawing = Drawing(kinds=["TIN"])
        for part in shapely.get_parts(outline):
            drawing.polygons.append([shapely.get_coordinates(ring) for ring in (part.exterior, *part.interiors)])
        attributes: dict[str, AttributeValue] = {"name": surface.name, "triangles": len(mesh.triangles)}
        layer = _layer(document, label, surface.name, role, [DrawnFeature("outline", drawing, attributes)])
        layer.mesh = mesh
        layer.flags = [Flag("surface_note", note, label) for note in notes] + layer_flags
        yield layer
    contours = [
        _contour(element, number)
        for number, element in enumerate(_below(surface.sources, "Contour"), 1)
        if any(tag_of(child).startswith("PntList") for child in element)
    ]
    if contours:
        contour_role = {"surface_existing": "contour_existing", "surface_proposed": "contour_proposed"}.get(role, "")
        yield _layer(document, label, f"{surface.name} contours", contour_role, contours)


def _mesh(surface: RawSurface, notes: list[str]) -> Mesh | None:
    """The visible triangles of a surface; what was left out is noted."""
    if not surface.points or not surface.faces:
        return None
    try:
        rows = positions(" ".join(surface.points), 3)
    except ValueError:
        rows = np.empty((0, 3))
    if len(rows) != len(surface.points):
        rows = np.array([_point(text) for text in surface.points])
    place = {name: number for number, name in enumerate(surface.ids)}
    corners = []
    lost = 0
    for text in surface.faces:
        names = [place.get(name, -1) for name in text.split()]
        if len(names) not in (3, 4) or min(names) < 0 or not np.isfinite(rows[names]).all():
            lost += 1
            continue
        corners.append(names[:3])
        if len(names) == 4:  # noqa: PLR2004
            corners.append([names[0], names[2], names[3]])
    if lost:
        notes.append(f"{lost} faces name no valid points and were left out")
    triangles = np.array(corners, dtype=np.int64).reshape(-1, 3)
    _, first = np.unique(np.sort(triangles, axis=1), axis=0, return_index=True)
    if len(first) < len(triangles):
        notes.append(f"{len(triangles) - len(first)} faces are there twice and count once")
        triangles = triangles[np.sort(first)]
    triangles = triangles[_areas(rows, triangles) > 0]
    return Mesh(rows[:, :2], rows[:, 2], triangles) if len(triangles) else None


def _point(text: str) -> list[float]:
    try:
        (row,) = positions(text, 3)
    except ValueError:
        return [np.nan] * 3
    return [float(number) for number in row]


def _areas(rows: NDArray[np.float64], triangles: NDArray[np.int64]) -> NDArray[np.float64]:
    a, b, c = (rows[triangles[:, corner], :2] for corner in range(3))
    (ux, uy), (vx, vy) = (b - a).T, (c - a).T
    doubled: NDArray[np.float64] = np.abs(ux * vy - uy * vx)
    return doubled / 2


def _outline(mesh: Mesh, surface: RawSurface) -> tuple[BaseGeometry, list[Flag]]:
    """The ground of the visible triangles, cut by the surface's own boundaries, and what does not fit."""
    flags = []
    total = float(_areas(mesh.xy, mesh.triangles).sum())
    polygons = shapely.polygons(mesh.xy[np.column_stack((mesh.triangles, mesh.triangles[:, 0]))])
    try:
        ground = shapely.coverage_union_all(polygons)
    except shapely.errors.GEOSException:  # triangles that cross
        ground = shapely.Polygon()
    if not ground.is_valid or abs(ground.area - total) > _SAME_GROUND_SHARE * total:
        ground = shapely.union_all(polygons)
        if total - ground.area > _SAME_GROUND_SHARE * total:
            text = f"triangles lie over each other on {total - ground.area:,.1f} square units; the ground counts once"
            flags.append(Flag("surface_note", text, surface.name))
    bounded = _bounded(ground, surface)
    declared = surface.declared_area
    # A program may have cut the triangles already; where the declared area tells, it decides.
    if declared is None or abs(bounded.area - declared) <= abs(ground.area - declared):
        ground = bounded
    if declared and abs(ground.area - declared) > DECLARED_SHARE * declared:
        text = f"the file declares {declared:,.2f} square units, its visible triangles have {ground.area:,.2f}"
        flags.append(Flag("declared_area_differs", text, surface.name))
    return ground, flags


def _bounded(ground: BaseGeometry, surface: RawSurface) -> BaseGeometry:
    """The ground inside outer boundaries and outside voids; islands stand inside voids again."""
    rings: dict[str, list[BaseGeometry]] = {"outer": [], "void": [], "island": []}
    for boundary in _below(surface.sources, "Boundary"):
        kind = boundary.get("bndType", "").lower()
        for child in boundary:
            width = {"PntList2D": 2, "PntList3D": 3}.get(tag_of(child))
            if width is None or kind not in rings:
                continue
            try:
                ring = positions(child.text, width)[:, :2]
                rings[kind].append(shapely.make_valid(shapely.Polygon(ring)))
            except (ValueError, shapely.errors.GEOSException):
                continue
    whole = ground
    if rings["outer"]:
        ground = ground.intersection(shapely.union_all(rings["outer"]))
    if rings["void"]:
        ground = ground.difference(shapely.union_all(rings["void"]))
    if rings["island"]:
        ground = ground.union(whole.intersection(shapely.union_all(rings["island"])))
    parts = [part for part in shapely.get_parts(ground) if part.geom_type == "Polygon"]
    return shapely.union_all(parts) if parts else whole


def _contour(element: Element, number: int) -> DrawnFeature:
    drawing = Drawing()
    try:
        level = float(element.get("elev", "nan"))
        for child in element:
            width = {"PntList2D": 2, "PntList3D": 3}.get(tag_of(child))
            if width is not None:
                line = positions(child.text, width)[:, :2]
                drawing.add("LineString", np.column_stack((line, np.full(len(line), level))).tolist())
    except ValueError as error:
        return DrawnFeature(str(number), None, {}, str(error))
    return DrawnFeature(str(number), drawing, {})


def _below(elements: list[Element], tag: str) -> Iterator[Element]:
    return (found for element in elements for found in element.iter() if tag_of(found) == tag)


def _parcel_layers(document: LandXml, label: str) -> Iterator[DrawnLayer]:
    """Parcels by what they are: the site that holds others, lots, and strips that are neither."""
    several = sum(not _NO_LOT.search(f"{parcel.name} {parcel.kind}") for parcel in document.parcels) >= _LEAST_PARCELS
    groups: dict[tuple[str, str], list[DrawnFeature]] = {}
    flags: dict[tuple[str, str], list[Flag]] = {}
    for number, parcel in enumerate(document.parcels, 1):
        if _NO_LOT.search(f"{parcel.name} {parcel.kind}"):
            key = ("Easements and rights of way", "")
        elif parcel.parent or not several or (_SURROUND.search(parcel.name) and not parcel.level):
            key = ("Site parcels", "site")
        else:
            key = ("Parcels", "lot")
        name = parcel.name or f"parcel {number}"
        course = read_course(parcel.element, document.survey_points)
        closed = [run for run in course.runs if len(run) > _FEWEST_CORNERS and (run[0] == run[-1]).all()]
        drawing = Drawing([[run] for run in closed], kinds=["Parcel"], left_out=course.left_out)
        drawing.lines = [run for run in course.runs if not any(run is one for one in closed)]
        drawing.line_z = [None] * len(drawing.lines)
        attributes: dict[str, AttributeValue] = {"name": parcel.name, "class": parcel.kind or None}
        feature = DrawnFeature(name, drawing if course.runs else None, attributes)
        if not course.runs and course.left_out:
            feature.trouble = course.left_out[0]
        own = flags.setdefault(key, [])
        groups.setdefault(key, []).append(feature)
        own += _curve_flags([course], name)
        area = float(sum(shapely.Polygon(run).area for run in closed))
        if parcel.declared_area and area and abs(area - parcel.declared_area) > DECLARED_SHARE * parcel.declared_area:
            text = f"the file declares {parcel.declared_area:,.2f} square units, its lines enclose {area:,.2f}"
            own.append(Flag("declared_area_differs", text, "", name))
    for key, features in groups.items():
        layer = _layer(document, label, key[0], key[1], features)
        layer.flags = flags[key]
        yield layer


def _curve_flags(courses: list[Course], feature: str = "") -> list[Flag]:
    """Spirals, which are drawn roughly. Curves keep their area and lie within a hundredth of a foot: no flag."""
    spirals = sum(course.spirals for course in courses)
    text = f"{spirals} spirals were drawn as smooth curves between their ends: only approximately"
    return [Flag("curve_linearised", text, "", feature)] * bool(spirals)


def _plan_feature_layers(document: LandXml, label: str) -> Iterator[DrawnLayer]:
    """Plan features, those that have one name but for a number in one layer."""
    groups: dict[str, list[DrawnFeature]] = {}
    courses: dict[str, list[Course]] = {}
    for number, (name, element) in enumerate(document.plan_features, 1):
        course = read_course(element, document.survey_points)
        drawing = Drawing(kinds=["PlanFeature"], left_out=course.left_out)
        drawing.lines = list(course.runs)
        drawing.line_z = [None] * len(course.runs)
        stem = re.sub(r"[\s#_.-]*\d+$", "", name).strip() or "Plan features"
        feature = DrawnFeature(str(number), drawing if course.runs else None, {"name": name})
        groups.setdefault(stem, []).append(feature)
        courses.setdefault(stem, []).append(course)
    for stem, features in groups.items():
        layer = _layer(document, label, stem, "", features)
        layer.flags = _curve_flags(courses[stem])
        yield layer

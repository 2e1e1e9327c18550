"""LandXML taken apart with care: what the sections of a file hold, in the file's own numbers, easting first.

A file is read as a stream. A DOCTYPE is refused, so no entity is ever resolved and nothing outside the file is
opened. LandXML writes a position as northing, easting, elevation; the arrays here are easting, northing, elevation.
Source: LandXML-1.2 schema (www.landxml.org), elements of the same names.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final
from xml.etree.ElementTree import ParseError

import numpy as np
from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import iterparse

from siteplan_gis.errors import HostileInputError, InputError
from siteplan_gis.units import FOOT_M, INCH_M, MILE_M, US_SURVEY_FOOT_M

if TYPE_CHECKING:
    from pathlib import Path
    from xml.etree.ElementTree import Element

    from numpy.typing import NDArray

    Vertices = NDArray[np.float64]

LANDXML_SUFFIXES: Final = frozenset({".xml", ".landxml"})

_UNITS_M: Final = {
    "foot": FOOT_M, "ussurveyfoot": US_SURVEY_FOOT_M, "inch": INCH_M, "mile": MILE_M,
    "meter": 1.0, "metre": 1.0, "millimeter": 0.001, "centimeter": 0.01, "kilometer": 1000.0,
}  # fmt: skip
_LARGEST_BYTES: Final = 512 << 20
_DEEPEST: Final = 60
_MOST_ROWS: Final = 5_000_000
_READ: Final = frozenset({"Units", "CoordinateSystem", "Surfaces", "Parcels", "PlanFeatures", "CgPoints"})
_UNSAID: Final = frozenset({"Project", "Application", "Author", "FeatureDictionary", "Feature"})
_HEAD_BYTES: Final = 1 << 16
_BLANK: Final = re.compile(r"[\ufeff\s]*")
_START_TAG: Final = re.compile(r"<(?:[\w.-]+:)?([A-Za-z_][\w.-]*)")
_REMEDY: Final = "export the surface as LandXML again"


@dataclass(slots=True)
class RawSurface:
    """One Surface: points, faces, and the elements that stand beside them.

    `ids` names the points; a face names three of them (four for a grid). `hidden` counts invisible faces left out.
    """

    name: str
    description: str
    kind: str = ""
    declared_area: float | None = None
    ids: list[str] = field(default_factory=list)
    points: list[str] = field(default_factory=list)
    faces: list[str] = field(default_factory=list)
    hidden: int = 0
    sources: list[Element] = field(default_factory=list)


@dataclass(slots=True)
class RawParcel:
    """One Parcel with its courses; `level` is 0 for a parcel inside no other, `parent` whether it holds others."""

    name: str
    kind: str
    declared_area: float | None
    level: int
    parent: bool
    element: Element


@dataclass(slots=True)
class LandXml:
    """What one file holds.

    Attributes
    ----------
    unit, unit_m
        The linear unit as written, and its length in metres; None where the file names none.
    crs, crs_shown
        Definition of the coordinate system, empty where none is usable, and what the file says of it in words.
    unread
        Number of elements by the name of each section that is not read.
    """

    unit: str = ""
    unit_m: float | None = None
    crs: str = ""
    crs_shown: str = ""
    surfaces: list[RawSurface] = field(default_factory=list)
    parcels: list[RawParcel] = field(default_factory=list)
    plan_features: list[tuple[str, Element]] = field(default_factory=list)
    survey_points: dict[str, str] = field(default_factory=dict)
    unread: Counter[str] = field(default_factory=Counter)


def root_name(path: Path) -> str:
    """The name of an XML file's outermost element, without its prefix; empty where the file is no XML.

    Nothing is parsed and nothing is resolved: the first start tag outside comments counts.
    """
    with path.open("rb") as file:
        head = file.read(_HEAD_BYTES)
    wide = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}.get(head[:2])
    text = head.decode(wide or "utf-8", errors="replace")
    at = _BLANK.match(text).end()  # type: ignore[union-attr]
    while text.startswith(("<?", "<!"), at):
        # Found by looking for the end once: a pattern over the whole text would take minutes over "<!--<!--<!--".
        end = {"<?": "?>", "<!--": "-->"}.get(text[at : at + 2 if text[at + 1] == "?" else at + 4], ">")
        if end == ">" and 0 <= text.find("[", at) < text.find(">", at):
            at = text.find("]", at)
        at = text.find(end, at) if at >= 0 else at
        if at < 0:
            return ""
        at = _BLANK.match(text, at + len(end)).end()  # type: ignore[union-attr]
    found = _START_TAG.match(text, at)
    return found[1] if found else ""


def read_document(path: Path, label: str) -> LandXml:
    """Read a LandXML file.

    Raises
    ------
    InputError
        If it is not LandXML, is damaged, or is larger or deeper than a survey is.
    HostileInputError
        If it has a DOCTYPE or declares entities.
    """
    if path.stat().st_size > _LARGEST_BYTES:
        raise InputError("is larger than 512 MB", file=label, remedy="export the surfaces of this site only")
    try:
        return _read(path, label)
    except DefusedXmlException:
        raise HostileInputError("has a DOCTYPE or declares entities", file=label, remedy=_REMEDY) from None
    except (ParseError, UnicodeError, LookupError) as error:
        raise InputError(f"is not readable XML ({error})", file=label, remedy=_REMEDY) from None


def _read(path: Path, label: str) -> LandXml:
    document = LandXml()
    stack: list[Element] = []
    surface = RawSurface("", "")
    parents: list[bool] = []
    with path.open("rb") as file:
        for event, element in iterparse(file, events=("start", "end"), forbid_dtd=True):
            tag = tag_of(element)
            if event == "start":
                if not stack and tag != "LandXML":
                    raise InputError(f"is XML but not LandXML (it begins with <{tag[:40]}>)", file=label)
                stack.append(element)
                if len(stack) > _DEEPEST:
                    raise InputError(f"nests elements more than {_DEEPEST} deep", file=label, remedy=_REMEDY)
                if tag == "Surface":
                    surface = RawSurface(element.get("name", ""), element.get("desc", ""))
                elif tag == "Parcel":
                    parents = [True] * len(parents) + [False]
                continue
            stack.pop()
            section = tag_of(stack[1]) if len(stack) > 1 else tag
            if section not in _READ:
                if len(stack) == 1 and section not in _UNSAID:
                    document.unread[section] += 1
            elif section == "Surfaces":
                _surface_part(element, tag, stack, surface, document, label)
            elif section == "CgPoints":
                if tag == "CgPoint" and (element.text or "").strip():
                    document.survey_points[element.get("name", "")] = element.text or ""
            elif tag == "Parcel":
                parent = parents.pop()
                document.parcels.append(_parcel(element, len(parents), label, parent=parent))
            elif tag == "PlanFeature":
                document.plan_features.append((element.get("name", ""), element))
            elif section == "Units" and tag in ("Imperial", "Metric"):
                document.unit = element.get("linearUnit", "")
                document.unit_m = _UNITS_M.get(document.unit.lower())
                if document.unit_m is None:
                    raise InputError(f"counts in an unknown unit {document.unit[:40]!r}", file=label, remedy=_REMEDY)
            elif tag == "CoordinateSystem":
                document.crs, document.crs_shown = _coordinate_system(element)
            if stack and (len(stack) == 1 or section not in _READ or tag in ("P", "F", "CgPoint", "Surface")):
                # What has been read is let go, so that memory does not grow with the file.
                stack[-1].remove(element)
    return document


def _surface_part(
    element: Element, tag: str, stack: list[Element], surface: RawSurface, document: LandXml, label: str
) -> None:
    inside = tag_of(stack[-1])
    if tag == "P" and inside == "Pnts":
        surface.ids.append(element.get("id", ""))
        surface.points.append(element.text or "")
    elif tag == "F" and inside == "Faces":
        if element.get("i") == "1":
            surface.hidden += 1
        else:
            surface.faces.append(element.text or "")
    elif tag == "Definition":
        surface.kind = element.get("surfType", "")
        surface.declared_area = _number(element.get("area2DSurf"))
    elif tag == "SourceData":
        surface.sources.append(element)
    elif tag == "Surface":
        document.surfaces.append(surface)
    if len(surface.points) > _MOST_ROWS or len(surface.faces) > _MOST_ROWS:
        raise InputError(
            f"holds more than {_MOST_ROWS:,} points", file=label, layer=surface.name, remedy="thin the surface"
        )


def _parcel(element: Element, level: int, label: str, *, parent: bool) -> RawParcel:
    name = element.get("name", "") or element.get("oID", "")
    if not level and not name:
        name = label.rsplit("/", 1)[-1]
    return RawParcel(name, element.get("class", ""), _number(element.get("area")), level, parent, element)


def _coordinate_system(element: Element) -> tuple[str, str]:
    """The definition that the file gives, best first: EPSG code, WKT, a name; and its words where it gives none."""
    code = element.get("epsgCode", "").strip().upper().removeprefix("EPSG:")
    wkt = element.get("ogcWktCode", "").strip()
    words = [element.get(key, "").strip() for key in ("name", "desc", "horizontalCoordinateSystemName",
             "projectedCoordinateSystemName")]  # fmt: skip
    shown = next((word for word in words if word), wkt or code)[:80]
    if code.isdigit() and int(code):
        return f"EPSG:{int(code)}", shown
    return wkt, shown


def _number(text: str | None) -> float | None:
    try:
        value = float(text or "")
    except ValueError:
        return None
    return value if np.isfinite(value) else None


def tag_of(element: Element) -> str:
    """The name of an element without its namespace."""
    return str(element.tag).rsplit("}", 1)[-1]


def positions(text: str | None, width: int) -> Vertices:
    """Positions of a list of numbers, easting first, shape (n, width).

    Raises
    ------
    ValueError
        If they are not finite numbers, `width` to a position.

    Examples
    --------
    >>> positions("10 20 7 11 21 8", 3)
    array([[20., 10.,  7.],
           [21., 11.,  8.]])
    """
    numbers = np.array((text or "").split(), dtype=np.float64)
    if not len(numbers) or len(numbers) % width or not np.isfinite(numbers).all():
        raise ValueError(f"{(text or '').strip()[:40]!r} is not a list of positions")
    rows = numbers.reshape(-1, width)
    return rows[:, [1, 0, *range(2, width)]]

"""KML and KMZ by an own small reader: placemarks by folder, links inside the KMZ followed, nothing fetched.

KML is always longitude, latitude in WGS 84. A DOCTYPE is refused, so no entity is ever resolved.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote, urlsplit
from xml.etree.ElementTree import ParseError

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import iterparse

from siteplan_gis.errors import HostileInputError, InputError
from siteplan_gis.ingest.drawn.drawing import Drawing, DrawnFeature, DrawnLayer
from siteplan_gis.model.flag import Flag

if TYPE_CHECKING:
    from collections.abc import Iterator
    from xml.etree.ElementTree import Element

    from siteplan_gis.model.plan import AttributeValue

KML_CRS: Final = "OGC:CRS84"

_LARGEST_BYTES: Final = 512 << 20
_MOST_LINKED: Final = 200
_CONTAINERS: Final = frozenset({"Document", "Folder", "kml"})
_ROOTS: Final = _CONTAINERS | {"Placemark", "NetworkLink", "GroundOverlay", "ScreenOverlay"}
_NOT_READ: Final = frozenset({"Track", "MultiTrack", "Model"})
_OVERLAYS: Final = frozenset({"GroundOverlay", "PhotoOverlay"})


@dataclass(slots=True)
class _Container:
    """A Document or Folder while it is read."""

    name: str = ""
    features: list[DrawnFeature] = field(default_factory=list)


@dataclass(slots=True)
class _Reading:
    """What has been read so far, over a file and the files that it links to."""

    root: Path
    label: str
    containers: list[_Container] = field(default_factory=list)
    flags: list[Flag] = field(default_factory=list)
    seen: set[Path] = field(default_factory=set)


def read_kml(path: Path, label: str, kmz: str = "") -> list[DrawnLayer]:
    """Read a KML file and the files that it links to inside `kmz` (its unpacked folder; empty: no link is followed).

    Every Document or Folder that holds placemarks is a layer, named after it.

    Raises
    ------
    InputError
        If the file is no KML.
    HostileInputError
        If it has a DOCTYPE or declares entities.
    """
    root = Path(kmz) if kmz else path.parent
    reading = _Reading(root, label)
    _read(path, reading, follow=bool(kmz))
    if kmz:
        for unread in sorted(kml for kml in root.rglob("*.kml") if kml.resolve() not in reading.seen):
            name = unread.relative_to(root).as_posix()
            reading.flags.append(
                Flag("file_ignored", f"{name} is linked from nowhere in the KMZ and was not read", label)
            )
    layers: list[DrawnLayer] = []
    filled = [container for container in reading.containers if container.features]
    for container in filled:
        fields = tuple(dict.fromkeys(key for feature in container.features for key in feature.attributes))
        name = container.name or path.stem
        layers.append(DrawnLayer(label, name, len(filled) == 1, KML_CRS, fields, container.features))
    if not layers:
        layers.append(DrawnLayer(label, path.stem, True, KML_CRS, (), []))
    layers[0].flags.extend(reading.flags)
    return layers


def _read(path: Path, reading: _Reading, *, follow: bool) -> None:
    if path.stat().st_size > _LARGEST_BYTES:
        raise InputError("is larger than 512 MB", file=reading.label, remedy="send it as a GeoPackage")
    reading.seen.add(path.resolve())
    links: list[str] = []
    stack = [_Container()]
    own = [stack[0]]
    depth_in_placemark = 0
    began = False
    try:
        with path.open("rb") as file:
            for event, element in iterparse(file, events=("start", "end"), forbid_dtd=True):
                tag = _tag(element)
                if not began and tag not in _ROOTS:
                    raise InputError(f"is not KML (it begins with <{tag[:40]}>)", file=reading.label)
                began = True
                if event == "start":
                    if tag == "Placemark":
                        depth_in_placemark += 1
                    elif tag in _CONTAINERS and not depth_in_placemark:
                        stack.append(_Container())
                        own.append(stack[-1])
                    continue
                if tag == "Placemark":
                    depth_in_placemark -= 1
                    number = sum(len(container.features) for container in own)
                    stack[-1].features.append(_placemark(element, str(number)))
                    element.clear()
                elif tag in _CONTAINERS and not depth_in_placemark:
                    stack.pop().name = _text(element, "name")
                    element.clear()
                elif tag == "NetworkLink":
                    links.extend(_hrefs(element))
                elif tag in _OVERLAYS:
                    reading.flags.append(
                        Flag(
                            "file_ignored",
                            f"{tag} {_text(element, 'name')!r} is a picture and was not read",
                            reading.label,
                        )
                    )
    except DefusedXmlException:
        raise HostileInputError(
            "has a DOCTYPE or declares entities", file=reading.label, remedy="export it again without them"
        ) from None
    except (ParseError, UnicodeError, LookupError, ValueError) as error:
        if not any(container.features for container in own):
            raise InputError(f"is not readable KML ({error})", file=reading.label, remedy="export it again") from None
        reading.flags.append(
            Flag("layer_truncated", f"{path.name} is damaged ({error}); what stands before was read", reading.label)
        )
        for container in stack[1:]:
            container.name = container.name or path.stem
    for container in own:
        container.name = container.name or path.stem
    reading.containers += own
    for href in links:
        _follow(href, path, reading, follow=follow)


def _follow(href: str, origin: Path, reading: _Reading, *, follow: bool) -> None:
    """Read a linked file inside the KMZ; name any other link."""
    parts = urlsplit(href)
    local = not (parts.scheme or parts.netloc)
    target = (
        (origin.parent / unquote(parts.path)).resolve() if local and "\\" not in href and "\x00" not in href else None
    )
    if (
        target is None
        or not follow
        or not target.is_relative_to(reading.root.resolve())
        or target.suffix.lower() != ".kml"
        or not target.is_file()
        or len(reading.seen) >= _MOST_LINKED
    ):
        reading.flags.append(Flag("link_not_followed", f"the link to {href[:200]} was not followed", reading.label))
    elif target not in reading.seen:
        _read(target, reading, follow=True)


def _hrefs(link: Element) -> Iterator[str]:
    for element in link.iter():
        if _tag(element) == "href" and (element.text or "").strip():
            yield (element.text or "").strip()


def _placemark(placemark: Element, number: str) -> DrawnFeature:
    attributes: dict[str, AttributeValue] = {}
    for tag in ("name", "description"):
        text = _text(placemark, tag)
        if text:
            attributes[tag] = text
    for element in placemark.iter():
        tag, key = _tag(element), element.get("name")
        if tag == "SimpleData" and key:
            attributes[key] = (element.text or "").strip()
        elif tag == "Data" and key:
            attributes[key] = _text(element, "value")
        elif tag in ("begin", "end") and (element.text or "").strip():
            attributes.setdefault(tag, (element.text or "").strip())
    name = placemark.get("id") or number
    drawing = Drawing()
    try:
        for child in placemark:
            _draw(child, drawing)
    except (ValueError, RecursionError) as error:
        return DrawnFeature(name, None, attributes, str(error))
    if drawing.empty and drawing.left_out:
        return DrawnFeature(name, None, attributes, drawing.left_out[0])
    return DrawnFeature(name, None if drawing.empty else drawing, attributes)


def _draw(element: Element, drawing: Drawing) -> None:
    tag = _tag(element)
    if tag == "MultiGeometry":
        for child in element:
            _draw(child, drawing)
    elif tag == "Polygon":
        rings = [_ring(part) for part in _children(element, "outerBoundaryIs")]
        holes = [_ring(part) for part in _children(element, "innerBoundaryIs")]
        if not rings and holes:
            raise ValueError("a Polygon has no outer boundary")
        if rings and rings[0]:
            drawing.add("Polygon", [*rings[:1], *(hole for hole in holes if hole)])
        for more in rings[1:]:
            drawing.left_out.append("a second outer boundary of one Polygon was read as its own polygon")
            drawing.add("Polygon", [more])
    elif tag in ("LineString", "LinearRing", "Point"):
        positions = [position for part in _children(element, "coordinates") for position in _positions(part)]
        if positions:
            drawing.add("LineString" if tag != "Point" else "Point", positions if tag != "Point" else positions[0])
    elif tag in _NOT_READ:
        drawing.left_out.append(f"{tag} is not read")


def _ring(boundary: Element) -> list[list[float]]:
    return [
        position
        for ring in _children(boundary, "LinearRing")
        for part in _children(ring, "coordinates")
        for position in _positions(part)
    ]


def _positions(coordinates: Element) -> list[list[float]]:
    text = re.sub(r"\s*,\s*", ",", coordinates.text or "")
    found = []
    for token in text.split():
        try:
            position = [float(number) for number in token.split(",") if number]
        except ValueError:
            raise ValueError(f"{token[:40]!r} is not a position") from None
        if len(position) < 2:  # noqa: PLR2004
            raise ValueError(f"{token[:40]!r} is not a position")
        if not (abs(position[0]) <= 360 and abs(position[1]) <= 90):  # noqa: PLR2004
            raise ValueError(f"{token[:40]!r} is not longitude,latitude")
        found.append(position[:3])
    width = min((len(position) for position in found), default=2)
    return [position[:width] for position in found]


def _children(element: Element, tag: str) -> Iterator[Element]:
    return (child for child in element if _tag(child) == tag)


def _text(element: Element, tag: str) -> str:
    return next(((child.text or "").strip() for child in _children(element, tag)), "")


def _tag(element: Element) -> str:
    return str(element.tag).rsplit("}", 1)[-1]

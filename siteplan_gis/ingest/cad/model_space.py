"""CAD drawings (DXF): what the model space shows, layer by layer.

Paper space is never read as ground: what is drawn on a sheet is no place. Layers that are frozen or switched off are
kept apart and used only where somebody gives them a role. What the reader cannot read (proxy objects of other
programs, solids, external references that are not bound) is named.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

import numpy as np
from ezdxf.lldxf.const import DXFError

from siteplan_gis.ingest.cad.blocks import Unfolding, unfolded
from siteplan_gis.ingest.cad.chains import chained
from siteplan_gis.ingest.cad.entities import SILENT, Drawn, drawn_by
from siteplan_gis.ingest.cad.layouts import read_layouts
from siteplan_gis.ingest.cad.naming import name_by_texts
from siteplan_gis.ingest.cad.opening import opened_drawing
from siteplan_gis.ingest.cad.outlines import without_fills
from siteplan_gis.ingest.cad.place import place_told
from siteplan_gis.ingest.cad.texts import text_of_entity, xdata_level
from siteplan_gis.ingest.drawn.drawing import Drawing, DrawnFeature, DrawnLayer
from siteplan_gis.model.flag import Flag
from siteplan_gis.units import FOOT_M

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from siteplan_gis.ingest.cad.blocks import Shown
    from siteplan_gis.ingest.drawn.drawing import CadPlace, DrawnText
    from siteplan_gis.model.plan import AttributeValue

    Vertices = NDArray[np.float64]

_OFF_M: Final = 0.0025 * FOOT_M
_OFF_WITHOUT_UNIT: Final = 0.0025
_FACES: Final = frozenset({"3DFACE", "MESH"})
_SHOWN: Final = 8
_LONGEST_NOTE: Final = 160
_NOT_OF_A_GRID: Final = re.compile(
    r"combined (?:scale )?factor|(?:ground|surface) (?:coordinates|distances)|coordinates are (?:ground|surface)"
    r"|grid factor|\b(?:subtract|truncat)\w*|assumed coordinates", re.IGNORECASE,
)  # fmt: skip


@dataclass(slots=True)
class _Layer:
    """One layer while it is read."""

    name: str
    features: list[DrawnFeature] = field(default_factory=list)
    symbols: dict[int, DrawnFeature] = field(default_factory=dict)
    faces: DrawnFeature | None = None
    texts: list[DrawnText] = field(default_factory=list)


def read_cad(path: Path, label: str) -> list[DrawnLayer]:
    """Read a DXF file.

    Raises
    ------
    InputError
        If it is no DXF file, too large, or damaged beyond recovery.
    """
    opened = opened_drawing(path, label)
    doc = opened.doc
    place, crs, notes = place_told(doc, opened.written)
    off = _OFF_WITHOUT_UNIT if place.unit_m is None else _OFF_M / place.unit_m
    hidden = {
        layer.dxf.name.lower(): "frozen" if layer.is_frozen() else "switched off"
        for layer in doc.layers
        if layer.is_frozen() or layer.is_off()
    }
    frozen = frozenset(name for name, how in hidden.items() if how == "frozen")
    noticed = Unfolding(frozen_layers=frozen)
    reading = _Reading(off, label)
    for shown in unfolded(doc.modelspace(), doc, noticed, label):
        reading.add(shown)
    flags = [Flag("drawing_damaged", opened.damaged, label)] if opened.damaged else []
    flags += [Flag("crs_note", note, label) for note in (*notes, *reading.notes_on_place())]
    flags += reading.flags()
    flags += _flags_of_blocks(noticed, label)
    layers = _as_layers(reading, label, place, crs, hidden, flags)
    layers[0].layouts = read_layouts(doc, label)
    return layers


class _Reading:
    """Layers as they fill, and what could not be read."""

    def __init__(self, off: float, label: str) -> None:
        self.off = off
        self.label = label
        self.layers: dict[str, _Layer] = {}
        self.unread: Counter[str] = Counter()
        self.broken: Counter[str] = Counter()

    def layer(self, name: str) -> _Layer:
        """The layer of a name; case does not matter in CAD."""
        return self.layers.setdefault(name.lower(), _Layer(name))

    def add(self, shown: Shown) -> None:
        """Take in one entity."""
        entity, layer = shown.entity, self.layer(shown.layer)
        kind = entity.dxftype()
        if kind == "INSERT":
            self._add_insert(shown, layer)
            return
        text = text_of_entity(shown)
        if text is not None:
            layer.texts.append(text)
            return
        if kind in SILENT:
            return
        try:
            drawn = drawn_by(entity, self.off / max(shown.scale, 1e-9))
            if drawn is None:
                self.unread[kind] += 1
                return
            drawn = drawn.moved(shown.moved)
        except (DXFError, ValueError, ArithmeticError, LookupError, TypeError, AttributeError):
            self.broken[f"{kind} {entity.dxf.get('handle', '')}"] += 1
            return
        self._add_drawn(shown, layer, drawn)

    def _add_drawn(self, shown: Shown, layer: _Layer, drawn: Drawn) -> None:
        entity = shown.entity
        kind = entity.dxftype()
        if shown.symbol is not None:
            feature = layer.symbols.get(id(shown.symbol))
            if feature is None:
                return  # its insert lies on a layer of its own
        elif kind in _FACES:
            if layer.faces is None:
                layer.faces = DrawnFeature("faces", Drawing(), {})
                layer.features.append(layer.faces)
            feature = layer.faces
        else:
            attributes: dict[str, AttributeValue] = {}
            level = xdata_level(entity)
            if level is not None:
                attributes["xdata elevation"] = level
            feature = DrawnFeature(f"{kind} {entity.dxf.get('handle', '')}".strip(), Drawing(), attributes)
            layer.features.append(feature)
        if feature.drawing is not None:
            _draw(feature.drawing, drawn, kind, feature.id)

    def _add_insert(self, shown: Shown, layer: _Layer) -> None:
        """A symbol: everything that its block holds on layer 0, and its attributes."""
        if shown.symbol is not None:
            return  # a part of another symbol
        insert = shown.entity
        at = shown.moved(np.array([tuple(insert.ocs().to_wcs(insert.dxf.insert))], dtype=np.float64))
        name = str(insert.dxf.get("name", ""))
        attributes: dict[str, AttributeValue] = {"block": name}
        attributes.update({str(one.dxf.tag): str(one.dxf.text) for one in insert.attribs})
        drawing = Drawing(points=[at[:, :2]], kinds=["INSERT"], is_symbol=True)
        feature = DrawnFeature(f"INSERT {insert.dxf.get('handle', '')}".strip(), drawing, attributes)
        layer.symbols[id(insert)] = feature
        layer.features.append(feature)

    def notes_on_place(self) -> list[str]:
        """Texts that say that the coordinates are not those of a grid."""
        texts = (text.words for layer in self.layers.values() for text in layer.texts)
        said = dict.fromkeys(words[:_LONGEST_NOTE] for words in texts if _NOT_OF_A_GRID.search(words))
        return [
            f"the drawing says {words!r}: where its coordinates are no grid coordinates, give add_east, add_north and "
            "combined_factor in siteplan.toml"
            for words in [*said][:_SHOWN]
        ]

    def flags(self) -> list[Flag]:
        """What could not be read."""
        flags = []
        proxies = sum(count for kind, count in self.unread.items() if "PROXY" in kind)
        others = {kind: count for kind, count in self.unread.items() if "PROXY" not in kind}
        if proxies:
            flags.append(Flag(
                "cad_object_unread",
                f"{proxies} proxy objects of another program (such as surfaces and parcels of Civil 3D) could not be read; "
                "export to plain AutoCAD objects or to LandXML",
                self.label,
            ))  # fmt: skip
        if others:
            named = ", ".join(f"{count} {kind}" for kind, count in sorted(others.items())[:_SHOWN])
            text = f"objects of kinds that are not read here: {named}; explode them or export them as polylines"
            flags.append(Flag("cad_object_unread", text, self.label))
        flags += [
            Flag("feature_unreadable", "its geometry is damaged; it was set aside", self.label, name)
            for name in self.broken
        ]
        return flags


def _draw(drawing: Drawing, drawn: Drawn, kind: str, name: str) -> None:
    if kind not in drawing.kinds:
        drawing.kinds.append(kind)
    for what in (*drawn.lines, *(ring for face in drawn.faces for ring in face), *drawn.points):
        if not np.isfinite(what).all():
            drawing.left_out.append(f"a coordinate of {name} is not a finite number")
            return
    for line in drawn.lines:
        drawing.lines.append(np.ascontiguousarray(line[:, :2]))
        drawing.line_z.append(line[:, 2])
        drawing.has_z |= bool((line[:, 2] != 0).any())
    drawing.polygons += [[np.ascontiguousarray(ring[:, :2]) for ring in face] for face in drawn.faces]
    drawing.points += [point[:, :2] for point in drawn.points]


def _flags_of_blocks(noticed: Unfolding, label: str) -> list[Flag]:
    flags = [
        Flag("xref_unbound", (f"the drawing shows {path or name!r} as an external reference, which is not in it: what that file "
             f"draws was not read; bind it or send it too"), label)
        for name, path in sorted(noticed.references.items())
    ]  # fmt: skip
    if noticed.absent:
        names = ", ".join(sorted(noticed.absent)[:_SHOWN])
        flags.append(Flag("cad_object_unread", f"blocks are inserted that the drawing does not hold: {names}", label))
    if noticed.recursive:
        names = ", ".join(sorted(noticed.recursive)[:_SHOWN])
        flags.append(Flag("cad_object_unread", f"blocks hold themselves and were unfolded once: {names}", label))
    hidden = noticed.invisible + noticed.in_frozen_insert
    if hidden:
        flags.append(Flag("cad_layer_hidden", f"{hidden} hidden objects were not used", label))
    return flags


def _as_layers(
    reading: _Reading, label: str, place: CadPlace, crs: str, hidden: dict[str, str], flags: list[Flag]
) -> list[DrawnLayer]:
    found = [layer for layer in reading.layers.values() if layer.features or layer.texts]
    seen = [
        array for layer in found for feature in layer.features if feature.drawing for array in feature.drawing.arrays()
    ]
    if seen:
        x, y = np.median(np.vstack(seen), axis=0)
        place = replace(place, middle=(float(x), float(y)))
    layers = []
    for layer in sorted(found, key=lambda layer: layer.name.lower()):
        features, fills = without_fills(chained(layer.features))
        fields = tuple(dict.fromkeys(key for feature in features for key in feature.attributes))
        drawn = DrawnLayer(label, layer.name, False, crs, fields, features, cad=place, texts=layer.texts)
        drawn.hidden = hidden.get(layer.name.lower(), "")
        if fills:
            text = f"{fills} hatches only fill closed lines of the layer; each pair was taken as one"
            drawn.flags.append(Flag("duplicate_features_merged", text, label))
        drawn.no_crs = "the drawing names no coordinate system"
        layers.append(drawn)
    name_by_texts(layers)
    if not layers:
        layers = [DrawnLayer(label, "0", True, crs, (), [], cad=place)]
    layers[0].flags += flags
    return layers

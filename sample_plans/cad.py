"""The same drawing as an engineer's CAD file: National CAD Standard layers, contours broken at labels, one sheet."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import ezdxf
import numpy as np
import shapely
from shapely import LineString, Point
from shapely.ops import substring

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from ezdxf.document import Drawing as Document
    from shapely.geometry.base import BaseGeometry

    Feature = tuple[BaseGeometry, dict[str, Any]]

SHEET_IN: Final = (36.0, 24.0)
SCALE_FT: Final = 60.0
SITE_VIEW: Final = (14.25, 12.25, 26.0, 22.5)
"""Middle, width and height on the sheet, in inches, of the viewport of the site map."""

VICINITY_VIEW: Final = (31.5, 19.5, 7.0, 7.0)
VICINITY_FT: Final = 2000.0
LETTERS_FT: Final = 4.8
"""Height of the letters on the ground: 0.08 inch on paper."""

LAYERS: Final = {
    "site": "C-PROP-LINE", "construction_site": "C-CONS-LIMT", "limits_of_disturbance": "C-LOD", "lots": "C-PROP-LOTS",
    "drainage_arrows": "C-DRAN-FLOW", "roads": "C-ROAD-CNTR", "buildings": "C-BLDG-OTLN", "water_main": "C-WATR-PIPE",
    "storm_sewer": "C-STRM-PIPE", "inlets": "C-STRM-INLT", "outfalls": "C-STRM-OUTF", "culverts": "C-STRM-CULV",
    "entrance": "C-EROS-ENTR", "silt_fence": "C-EROS-SILT", "basin": "C-EROS-BASN", "diversion": "C-EROS-DVDK",
    "inlet_protection": "C-EROS-INPR", "riprap": "C-EROS-RIPR", "ditch_checks": "C-EROS-CHCK",
    "topsoil_pile": "C-TPSL-PILE", "stabilization": "C-EROS-STAB", "revegetation": "L-PLNT-REVG",
    "rain_garden": "C-RAIN-GRDN", "grid": "C-GRID", "streams": "V-RIVR-CNTR", "ponds": "V-POND-EDGE",
    "wetlands": "V-WTLD-EDGE", "small_wetlands": "V-WTLD-SPOT", "floodplain": "V-FLHA-EDGE", "cover": "V-SITE-VEGE",
    "contours_existing": "V-TOPO", "contours_proposed": "C-TOPO",
}  # fmt: skip
TOLD: Final = {
    "C-CONS-LIMT": "construction_site", "C-TPSL-PILE": "stockpile", "C-EROS-STAB": "stabilization",
    "L-PLNT-REVG": "revegetation", "C-RAIN-GRDN": "infiltration",
}  # fmt: skip
"""Roles that no layer's name tells; all others are guessed from the names."""

_PLACES: Final = tuple(share / 20 for share in range(2, 19))
_SYMBOLS: Final = {"inlets": "INLET", "outfalls": "OUTFALL"}
_LABELLED: Final = frozenset({"lots", "grid", "rain_garden", "basin", "topsoil_pile"})
_HIDDEN_IN_VICINITY: Final = ("V-TOPO-MAJR", "V-TOPO-MINR", "V-TOPO-TEXT", "C-GRID", "C-GRID-TEXT", "C-TOPO-MAJR-N", "C-TOPO-MINR-N")  # fmt: skip


@dataclass(frozen=True)
class Words:
    """A text on the sheet: what it says, where in inches, how high in inches."""

    text: str
    x: float
    y: float
    height: float


def title_block(name: str) -> tuple[Words, ...]:
    """What stands on the sheet beside the maps."""
    return (
        Words("VICINITY MAP", 30.4, 15.5, 0.2), Words("SCALE: 1\" = 2000'", 30.5, 15.15, 0.12),
        Words(name.upper(), 28.2, 6.0, 0.25), Words("SITE MAP AND EROSION CONTROL PLAN", 28.2, 5.4, 0.2),
        Words("SCALE: 1\" = 60'", 28.2, 4.8, 0.15), Words("CONTOUR INTERVAL: 2 FT", 28.2, 4.4, 0.15),
        Words("SHEET SIZE: 24 x 36", 28.2, 4.0, 0.15), Words("INVENTED GROUND - NOT A REAL PLACE", 28.2, 3.4, 0.15),
        Words("SHEET NO.", 33.6, 2.1, 0.12), Words("C-1", 33.6, 1.4, 0.4), Words("NORTH", 28.3, 8.3, 0.15),
    )  # fmt: skip


def write_drawing(path: Path, placed: Mapping[str, Sequence[Feature]], name: str) -> None:
    """Write the plan, in survey feet of the village's coordinates, with one sheet of two viewports."""
    ezdxf.options.write_fixed_meta_data_for_testing = True
    doc = ezdxf.new("R2010", units=21)
    doc.header["$MEASUREMENT"] = 0
    doc.header["$LUNITS"] = 2
    for symbol in _SYMBOLS.values():
        block = doc.blocks.new(symbol)
        block.add_circle((0, 0), 4)
        block.add_line((-4, 0), (4, 0))
        block.add_attdef("NAME", (6, 0), height=LETTERS_FT)
    _existing_contours(doc, placed["contours_existing"])
    for layer, features in placed.items():
        for shape, values in features if layer != "contours_existing" else ():
            _draw(doc, layer, shape, values)
    west, south, east, north = shapely.total_bounds([shape for shape, _ in placed["site"]])
    _sheet(doc, ((west + east) / 2, (south + north) / 2), name)
    doc.saveas(path)


def _draw(doc: Document, layer: str, shape: BaseGeometry, values: dict[str, Any]) -> None:
    space, name = doc.modelspace(), LAYERS[layer]
    attributes = {"layer": f"{name}-PH{values['PHASE']}" if "PHASE" in values else name}
    if layer == "contours_proposed":
        attributes = {"layer": f"{name}-{_rank(values['ELEV_FT'])}-N", "elevation": values["ELEV_FT"]}
    if layer in _SYMBOLS:
        insert = space.add_blockref(_SYMBOLS[layer], (shape.x, shape.y), dxfattribs=attributes)
        insert.add_auto_attribs({"NAME": values["NAME"]})
        return
    for part in shapely.get_parts(shape):
        if part.geom_type == "Point":
            space.add_point((part.x, part.y), dxfattribs=attributes)
        elif part.geom_type == "LineString":
            space.add_lwpolyline(shapely.get_coordinates(part).tolist(), dxfattribs=attributes)
        elif len(part.interiors):
            hatch = space.add_hatch(dxfattribs=attributes)
            for number, ring in enumerate((part.exterior, *part.interiors)):
                hatch.paths.add_polyline_path(list(ring.coords)[:-1], flags=1 if number == 0 else 0)
        else:
            space.add_lwpolyline(list(part.exterior.coords)[:-1], close=True, dxfattribs=attributes)
    if layer in _LABELLED:
        _write(doc, f"{name}-TEXT", values["NAME"], shape.representative_point().coords[0])


def _rank(level: float) -> str:
    return "MAJR" if level % 10 == 0 else "MINR"


def _existing_contours(doc: Document, features: Sequence[Feature]) -> None:
    """Contours at height zero, as many leave them: only the text in its gap says how high a line lies."""
    lines = np.array([line for line, _ in features])
    taken: list[Point] = []
    for number, (line, values) in enumerate(features):
        level, gap = values["ELEV_FT"], 2.5 * LETTERS_FT
        others = shapely.union_all(np.delete(lines, number))
        broken = line.length > 12 * gap and not line.is_ring
        share = max(_PLACES if broken else (0.5,), key=lambda share: _room(line, share, others, taken))
        along = share * line.length
        taken.append(line.interpolate(along))
        before, after = line.interpolate(along - 1.0), line.interpolate(along + 1.0)
        angle = math.degrees(math.atan2(after.y - before.y, after.x - before.x))
        pieces = [substring(line, 0, along - gap), substring(line, along + gap, line.length)] if broken else [line]
        for piece in pieces:
            corners = np.round(shapely.get_coordinates(piece), 2).tolist()
            doc.modelspace().add_lwpolyline(corners, dxfattribs={"layer": f"V-TOPO-{_rank(level)}"})
        at = taken[-1].coords[0]
        _write(doc, "V-TOPO-TEXT", f"{level:g}", at, (angle + 90) % 180 - 90)


def _room(line: LineString, share: float, others: BaseGeometry, taken: Sequence[Point]) -> tuple[float, float]:
    """How much room a label has there, to other labels and to other lines; then, how near the middle it is."""
    at = line.interpolate(share * line.length)
    ends = (line.interpolate(share * line.length + step) for step in (-2.5 * LETTERS_FT, 2.5 * LETTERS_FT))
    straight = next(ends).distance(next(ends)) / (5 * LETTERS_FT) > 0.95
    labels = min((at.distance(other) for other in taken), default=40.0)
    return straight * round(min(labels, 40.0) + 2 * min(at.distance(others), 20.0)), -abs(share - 0.5)


def _write(doc: Document, layer: str, words: str, at: tuple[float, ...], angle: float = 0.0) -> None:
    text = doc.modelspace().add_text(words, height=LETTERS_FT, rotation=round(angle, 1), dxfattribs={"layer": layer})
    text.set_placement((round(at[0], 2), round(at[1], 2)), align=ezdxf.enums.TextEntityAlignment.MIDDLE_CENTER)


def _sheet(doc: Document, middle: tuple[float, float], name: str) -> None:
    layout = doc.layout("Layout1")
    doc.layouts.rename("Layout1", "C-1")
    layout.page_setup(size=SHEET_IN, margins=(0, 0, 0, 0), units="inch")
    views = ((SITE_VIEW, SCALE_FT, ()), (VICINITY_VIEW, VICINITY_FT, _HIDDEN_IN_VICINITY))
    for (x, y, width, height), scale, frozen in views:
        viewport = layout.add_viewport(
            (x, y), (width, height), view_center_point=middle, view_height=height * scale, status=2
        )
        viewport.frozen_layers = list(frozen)
    for words in title_block(name):
        layout.add_text(words.text, height=words.height, dxfattribs={"insert": (words.x, words.y)})

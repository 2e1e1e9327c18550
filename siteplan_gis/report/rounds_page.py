"""The comparison of two reviews as one page that needs nothing else: tables, and a drawing of what changed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import shapely
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from siteplan_gis.frame import Frame
from siteplan_gis.report.colours import status_styles
from siteplan_gis.report.rounds import STATE_WORDS
from siteplan_gis.report.wording import STATUS_SIGNS, STATUS_WORDS, citation, figure, humanised
from siteplan_gis.units import FOOT_M

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from shapely.geometry.base import BaseGeometry

_FOLDER: Final = Path(__file__).parent
_SIDE: Final = 640
_MARGIN: Final = 24
_SCALE_BARS_FT: Final = (10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000)


def page_of_rounds(record: Mapping[str, Any], old: Mapping[str, Any], new: Mapping[str, Any]) -> str:
    """The page of a record of `compare_reviews` and the two reviews it was made of."""
    environment = Environment(
        loader=FileSystemLoader(_FOLDER / "templates"),
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    environment.filters.update(humanised=humanised)
    styles = (_FOLDER / "assets" / "page.css").read_text(encoding="utf-8") + status_styles()
    return environment.get_template("rounds.html.j2").render(
        rounds=record,
        styles=Markup(styles),  # noqa: S704
        drawing=Markup(drawing_of(record, old, new)),  # noqa: S704
        state_words=STATE_WORDS,
        status_words=STATUS_WORDS,
        status_signs=STATUS_SIGNS,
        citation=citation,
        acres=lambda value: figure(value, "acre"),
    )


def drawing_of(record: Mapping[str, Any], old: Mapping[str, Any], new: Mapping[str, Any]) -> str:
    """The site and the disturbed ground of both rounds as a drawing (SVG), with what was added and taken away.

    It holds numbers only: no text of a file reaches it.
    """
    frame = Frame(new["frame"]["longitude"], new["frame"]["latitude"])
    placed = [
        ("site", new["shapes"]["site"]),
        ("before", old["shapes"]["disturbed"]),
        ("after", new["shapes"]["disturbed"]),
        *(("added", record["geometry"][part]["added"]) for part in ("site", "disturbed")),
        *(("removed", record["geometry"][part]["removed"]) for part in ("site", "disturbed")),
    ]
    shapes = [(kind, _in_frame(place, frame)) for kind, place in placed if place is not None]
    dots = [
        (row["state"], _in_frame(row["place"], frame))
        for row in record["findings"]
        if row["place"] is not None and row["state"] in {"new", "reopened", "still_open"}
    ]
    if not shapes:
        return ""
    west, south, east, north = shapely.total_bounds([shape for _, shape in shapes])
    reach = max(east - west, north - south, 1.0)
    scale = (_SIDE - 2 * _MARGIN) / reach

    def at(xy: Any) -> list[str]:
        points = np.asarray(xy)
        return [f"{(x - west) * scale + _MARGIN:.1f},{(north - y) * scale + _MARGIN:.1f}" for x, y in points]

    height = (north - south) * scale + 2 * _MARGIN + 30
    parts = [f'<svg viewBox="0 0 {_SIDE} {height:.0f}" role="img" aria-label="What changed in the drawing">']
    for kind, shape in shapes:
        path = "".join(f"M{'L'.join(at(ring))}Z" for ring in _rings(shape))
        parts.append(f'<path class="{kind}" fill-rule="evenodd" d="{path}"/>')
    for state, shape in dots:
        x, y = at(shapely.get_coordinates(shape.representative_point() if shape.area else shape.centroid))[0].split(",")
        if 0 <= float(x) <= _SIDE and 0 <= float(y) <= height:
            parts.append(f'<circle class="{state}" cx="{x}" cy="{y}" r="5"/>')
    feet = max(bar for bar in _SCALE_BARS_FT if bar * FOOT_M * scale <= _SIDE / 2 or bar == _SCALE_BARS_FT[0])
    y, x = height - 12, _MARGIN + feet * FOOT_M * scale
    parts.append(f'<path class="bar" d="M{_MARGIN},{y - 6:.1f}V{y:.1f}H{x:.1f}V{y - 6:.1f}"/>')
    parts.append(f'<text x="{x + 6:.1f}" y="{y:.1f}">{feet:,} ft</text></svg>')
    return "\n".join(parts)


def _in_frame(place: Mapping[str, Any], frame: Frame) -> BaseGeometry:
    return shapely.transform(shapely.geometry.shape(place), lambda lonlat: frame.from_lonlat(np.asarray(lonlat)))


def _rings(shape: BaseGeometry) -> Iterator[Any]:
    for part in shapely.get_parts(shape):
        if part.geom_type == "Polygon":
            yield from (ring.coords for ring in (part.exterior, *part.interiors))

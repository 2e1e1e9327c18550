"""Pages of the pre-screening: one parcel on one page, and the summary of many. Each file needs nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import shapely
from markupsafe import Markup

from siteplan_gis.frame import Frame
from siteplan_gis.model.comparison import show, show_share
from siteplan_gis.report.colours import context_ink
from siteplan_gis.report.drawing import coded, display_geometries
from siteplan_gis.report.map_page import script_json
from siteplan_gis.report.page import asset, environment, policy
from siteplan_gis.report.plain import text
from siteplan_gis.report.screening_records import screening_record
from siteplan_gis.report.screening_terminal import (
    TAKEN_BY,
    amount_words,
    below_words,
    exits_words,
    feature_words,
    listing_words,
    near_words,
    runoff_words,
    sum_words,
)
from siteplan_gis.report.wording import figure
from siteplan_gis.units import MILE_M, QUARTER_MILE_M

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from shapely.geometry.base import BaseGeometry

    from siteplan_gis.model.screening import ParcelFacts, Screening

LARGEST_BYTES: Final = 4_000_000
"""Shapes of a page are left out, the last first, until its data are smaller than this."""

_MOST_RANKED: Final = 100
_MOST: Final = 0.9
_CLIP_M: Final = 200.0


def write_screening_page(screening: Screening, path: Path) -> None:
    """Write the page of one parcel."""
    path.write_text(screening_page(screening), encoding="utf-8", newline="\n")


def screening_page(screening: Screening) -> str:
    """The page of one parcel as text: the same bytes for the same screening."""
    record = screening_record(screening)
    facts = record["facts"]
    frame = screening.parcel.frame
    layers = [] if screening.facts is None else _parcel_layers(screening.facts, frame)
    lists = (
        []
        if facts is None
        else [("Surface waters", facts["waters"]["listed"]), ("Wetlands", facts["wetlands"]["listed"])]
    )
    return _rendered(
        "prescreen.html.j2",
        {"centre": [frame.longitude, frame.latitude], "pad": 0.6, "layers": layers, "marks": _marks(facts)},
        record=record, facts=facts, rows=[] if facts is None else _rows(facts), lists=lists,
        removed=[] if screening.facts is None else [TAKEN_BY[name] for name in screening.facts.taken_out],
        amount=amount_words, feet=lambda value: figure(value, "ft"),
    )  # fmt: skip


def write_parcel_page(record: Mapping[str, Any], path: Path) -> None:
    """Write the page of a summary (a record of `summary_record`)."""
    path.write_text(summary_page(record), encoding="utf-8", newline="\n")


def summary_page(record: Mapping[str, Any]) -> str:
    """The page of a summary as text."""
    side, tiles = record["tile_degrees"], record["tiles"]
    west, south = (min((tile[k] for tile in tiles), default=0.0) for k in (0, 1))
    east, north = (max((tile[k] for tile in tiles), default=0.0) for k in (0, 1))
    frame = Frame(round((west + east) / 2, 4), round((south + north) / 2, 4))
    squares = np.array([shapely.box(x, y, x + side, y + side) for x, y, *_ in tiles], dtype=object)
    words = [
        f"{count:,} parcels, {land:,.1f} acres"
        + (f"; {taken:,.1f} of {known:,.1f} acres cannot be built on" if known else "")
        + (f"; not known of {lost:,} parcels" if lost else "")
        for *_, count, land, known, taken, lost in tiles
    ]
    shades = [round(0.08 + 0.72 * min(taken / known, 1.0), 2) if known else 0.0 for *_, known, taken, _ in tiles]
    shapes = [(place, row) for place, row in zip(record["places"], record["ranking"], strict=True) if place is not None]
    worst = np.array([place for place, _ in shapes], dtype=object)
    told = [
        f"{row['parcel']}: {show(row['taken_acres'], 2)} of {show(row['acres'], 2)} acres cannot be built on"
        for _, row in shapes
    ]
    layers = [
        _layer("Parcels, counted by squares", "undecided", _degrees(squares, frame), words, shades=shades, fit=True),
        _layer(f"The {len(worst)} parcels with most of it", "steep_patches", _degrees(worst, frame), told),
    ]
    return _rendered(
        "parcels.html.j2", {"centre": [frame.longitude, frame.latitude], "pad": 0.05, "layers": layers},
        record=record, ranked=record["ranking"][:_MOST_RANKED],
    )  # fmt: skip


def _rendered(template: str, data: dict[str, Any], **more: Any) -> str:
    written = script_json(data)
    while len(written) > LARGEST_BYTES and any(layer["items"] for layer in data["layers"]):
        largest = max(data["layers"], key=lambda layer: len(str(layer["items"])))
        largest["items"] = largest["items"][: len(largest["items"]) // 2]
        largest["title"] += " (not all drawn)" * (not largest["title"].endswith("(not all drawn)"))
        written = script_json(data)
    scripts = [asset("leaflet/leaflet.js"), asset("map_parts.js"), asset("parcels.js")]
    return environment().get_template(template).render(
        policy=policy(scripts),
        styles=Markup(asset("leaflet/leaflet.css") + asset("parcels.css")),  # noqa: S704
        scripts=[Markup(script) for script in scripts],  # noqa: S704
        data=Markup(written),  # noqa: S704
        acres=lambda value: "not known" if value is None else show(value, 2, 0.0),
        count=lambda value: f"{value:,}",
        **more,
    )  # fmt: skip


def _rows(facts: Mapping[str, Any]) -> list[tuple[str, str, bool]]:
    """What is known, in words; the last tells that something of it is not."""
    share = facts["steep"]["share"]
    steep = amount_words(facts["steep"]) + (f", {show_share(share)} of the parcel" if share is not None else "")
    rows = [("Steep ground (20 % or more)", steep, bool(facts["steep"]["reason"]))]
    for name, key in (("Surface waters", "waters"), ("Wetlands", "wetlands")):
        near = facts[key]
        rows.append((name, near_words(near), bool(near["reason"])))
        names = "; ".join(feature_words(one) for one in near["within_75_ft"])
        if names:
            rows.append((f"{name} within 75 ft", names, False))
    wetland = facts["wetlands"]["on_parcel_acres"]
    rows.append(("Wetland on the parcel", amount_words(wetland), wetland["acres"] is None))
    for name, key in (("Floodplain", "floodplain"), ("of it floodway", "floodway")):
        rows.append((name, amount_words(facts[key]), facts[key]["acres"] is None))
    rows += [(f"Runoff, place {k}", runoff_words(one), not one["reaches"]) for k, one in enumerate(facts["runoff"], 1)]
    if facts["runoff"]:
        rows.append(("Runoff in all", exits_words(facts), facts["runoff_share"] < _MOST))
        rows.append(("Within a quarter mile downstream", below_words(facts), bool(facts["downstream_reason"])))
    if facts["runoff_reason"]:
        rows.append(("Runoff", f"not known ({facts['runoff_reason']})", True))
    receiving = facts["receiving_water"]
    rows.append(("Receiving water", receiving or f"not known ({facts['receiving_reason']})", not receiving))
    rows.append(("Its listing", listing_words(facts), facts["listing"] is None or bool(facts["listing_reason"])))
    airport = facts["airport"]
    rows.append(("Nearest airport", feature_words(airport) if airport else facts["airport_reason"], False))
    rows += [
        (f"Taken by {TAKEN_BY[name]}", amount_words(facts["removed"][name]), facts["removed"][name]["acres"] is None)
        for name in TAKEN_BY
    ]
    rows.append(("Left to build on", amount_words(facts["buildable"]), facts["buildable"]["acres"] is None))
    if sum_words(facts):
        rows.append(("How it adds up", sum_words(facts), False))
    return rows


def _marks(facts: Mapping[str, Any] | None) -> list[list[Any]]:
    """The numbers of the places where runoff leaves, as in the table: longitude, latitude and number of each."""
    return [[*one["leaves_at"]["coordinates"][:2], k] for k, one in enumerate(facts["runoff"], 1)] if facts else []


def _parcel_layers(facts: ParcelFacts, frame: Frame) -> list[dict[str, Any]]:
    parcel = facts.parcel.geometry
    reach = MILE_M + _CLIP_M
    west, south, east, north = parcel.bounds
    window = (west - reach, south - reach, east + reach, north + reach)

    def layer(
        title: str, key: str, items: Iterable[tuple[BaseGeometry, str]], *, fit: bool = False, show: bool = True
    ) -> dict[str, Any]:
        given = [(shape, words) for shape, words in items if shape is not None and not shape.is_empty]
        shapes = display_geometries([shape for shape, _ in given], window) if given else np.empty(0, dtype=object)
        return _layer(
            title, key, coded(shapes, frame) if given else [], [words for _, words in given], fit=fit, show=show
        )

    waters, wetlands = facts.waters.listed or facts.waters.beside, facts.wetlands.listed or facts.wetlands.beside
    words = {
        "widths": "Protective widths",
        "floodplain": "Floodplain on the parcel",
        "wetlands": "Wetland on the parcel",
    }
    keys = {"widths": "waived", "floodplain": "floodplain", "wetlands": "plan_wetland"}
    layers = [
        layer("Surface waters (map)", "waters", ((one.geometry, text(one.name or one.kind)) for one in waters)),
        layer("Wetlands (map)", "wetlands", ((one.geometry, text(one.name or one.kind)) for one in wetlands)),
        *(layer(words[name], keys[name], [(shape, words[name])]) for name, shape in sorted(facts.kept_out.items())),
        layer("Steep ground on the parcel", "steep_patches", ((one, "20 % or steeper") for one in facts.steep_where)),
        layer("Runoff as followed", "runoff_paths",
              ((one.path if one.path is not None else one.start, f"Place {k}: {text(one.explanation)}")
               for k, one in enumerate(facts.runoff, 1))),
        layer("A quarter mile", "quarter_mile", [(parcel.buffer(QUARTER_MILE_M, quad_segs=64).exterior, "A quarter mile")]),
        layer("One mile", "one_mile", [(parcel.buffer(MILE_M, quad_segs=64).exterior, "One mile")]),
        layer("Parcel", "site", [(parcel, f"Parcel {text(facts.parcel.id)}")], fit=True),
    ]  # fmt: skip
    return [each for each in layers if each["items"]]


def _layer(
    title: str, key: str, parts: Sequence[Any], words: Sequence[str], *, shades: Sequence[float] = (), fit: bool = False,
    show: bool = True,
) -> dict[str, Any]:  # fmt: skip
    ink = context_ink(key)
    items = [
        [part, word, *([shades[k]] if shades else [])] for k, (part, word) in enumerate(zip(parts, words, strict=True))
    ]
    return {
        "title": title, "show": show, "fit": fit, "items": items,
        "ink": {"color": ink.line, "fillColor": ink.fill, "fillOpacity": ink.fill_opacity, "weight": ink.width,
                "dashArray": ink.dash or None},
    }  # fmt: skip


def _degrees(shapes: np.ndarray[Any, np.dtype[np.object_]], frame: Frame) -> list[Any]:
    """Shapes in degrees, simplified and coded as the page reads them."""
    if not len(shapes):
        return []
    drawn = shapely.transform(shapes, lambda xy: frame.from_lonlat(np.asarray(xy)))
    return coded(display_geometries(list(drawn)), frame)

"""`review.html`: the review as one file that needs nothing else, not even a network.

Scripts and styles stand in the file, and its own content security policy admits only those scripts, by their hashes.
Applicants' text reaches the page as escaped HTML or as JSON data that the script shows as text. The one thing that may
be fetched is a picture of OpenStreetMap, once the reader asks for it.
"""

from __future__ import annotations

import base64
import hashlib
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from siteplan_gis.model.flag import FLAG_CODES
from siteplan_gis.report.colours import status_styles
from siteplan_gis.report.curves import open_acres_svg, profile_svg
from siteplan_gis.report.map_page import map_parts, script_json, site_grid
from siteplan_gis.report.plan_parts import plan_layer_records
from siteplan_gis.report.records import review_record, sorted_findings
from siteplan_gis.report.wording import (
    SEVERITY_WORDS,
    SOURCE_STATUS_WORDS,
    STATUS_SIGNS,
    STATUS_WORDS,
    VERDICTS,
    citation,
    humanised,
    limit_words,
    margin_words,
    quantity,
    quantity_name,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from siteplan_gis.model.review import Review

_FOLDER: Final = Path(__file__).parent
_MOST_FEATURES: Final = 200
_LISTS: Final = {
    "discharges", "steep_patches", "not_counted", "floodplain", "airports", "open_acres",
}  # fmt: skip
_ENTRY: Final = {"value", "unit", "method", "reason"}


def write_page(review: Review, path: Path, record: Mapping[str, Any] | None = None) -> None:
    """Write the review as one self-contained HTML file.

    `record` is `review_record(review)`, where it has been made already.
    """
    path.write_text(page_text(review, record or review_record(review)), encoding="utf-8", newline="\n")


def page_text(review: Review, record: Mapping[str, Any]) -> str:
    """The page as text: the same bytes for the same review."""
    map_html, map_script, map_data = map_parts(review, record)
    scripts = [asset("leaflet/leaflet.js"), asset("map_parts.js"), asset("map_tools.js"), asset("page.js"), map_script]
    grid = site_grid(review)
    places = [found.where for found in sorted_findings(review)]
    return environment().get_template("review.html.j2").render(
        review=record,
        policy=policy(scripts),
        styles=Markup(asset("leaflet/leaflet.css") + asset("page.css") + status_styles()),  # noqa: S704
        scripts=[Markup(script) for script in scripts],  # noqa: S704
        map_html=Markup(map_html),  # noqa: S704
        map_data=Markup(script_json(map_data)),  # noqa: S704
        verdict=VERDICTS[record["status"]],
        status_words=STATUS_WORDS,
        status_signs=STATUS_SIGNS,
        rows=[
            {**_row(position, finding), "square": grid.square(where) if grid else ""}
            for position, (finding, where) in enumerate(zip(record["findings"], places, strict=True))
        ],
        reviewer_places=any(line.where is not None for line in review.checklist),
        drawn=bool(map_data["layers"]),
        relief=map_data["relief"] is not None,
        simplified_m=f"{map_data['simplified_m']:g}",
        open_acres=Markup(open_acres_svg(record["measurements"]["open_acres"])),  # noqa: S704
        profiles=_profiles(record["measurements"]["discharges"]),
        steep_squares=[grid.square(patch.geometry) if grid else "" for patch in review.measured.steep_patches],
        plan_layers=plan_layer_records(review.site.plan),
        measured=list(_measured_rows(record["measurements"])),
        nearby=_nearby_tables(record["measurements"]),
        most_features=_MOST_FEATURES,
        flag_codes=FLAG_CODES,
    )  # fmt: skip


@cache
def environment() -> Environment:
    """Where the templates are and how their values are shown."""
    found = Environment(
        loader=FileSystemLoader(_FOLDER / "templates"), autoescape=True, undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    found.filters["humanised"] = humanised
    found.filters["feet"] = lambda value: quantity(value, "ft")
    found.filters["acres"] = lambda value: quantity(value, "acre")
    found.filters["answer"] = {True: "yes", False: "no", None: "cannot be told"}.__getitem__
    return found


@cache
def asset(name: str) -> str:
    """A vendored or own asset as text that stands inside a page: its pictures put in, its source map left out."""
    text = (_FOLDER / "assets" / name).read_text(encoding="utf-8")
    text = re.sub(r"\n//# sourceMappingURL=\S+", "", text)
    return re.sub(r"url\((images/[\w-]+\.png)\)", _picture, text) if name.endswith(".css") else text


def _picture(link: re.Match[str]) -> str:
    picture = _FOLDER / "assets" / "leaflet" / link[1]
    if not picture.is_file():
        return "none"
    return f"url(data:image/png;base64,{base64.b64encode(picture.read_bytes()).decode()})"


def policy(scripts: list[str]) -> str:
    """A content security policy that admits these scripts, pictures in the file, and the street map once asked for."""
    hashes = " ".join(
        f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'" for script in scripts
    )
    return (
        f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; "
        "img-src data: https://tile.openstreetmap.org; base-uri 'none'; form-action 'none'"
    )


def _row(position: int, finding: Mapping[str, Any]) -> dict[str, Any]:
    """A finding with its words for the page."""
    measured, limit = finding["measured"] or {}, finding["limit"]
    unit = measured.get("unit", "")
    return {
        **finding,
        "position": position,
        "citation": citation(finding["section"], inferred=finding["section_inferred"]),
        "severity_words": SEVERITY_WORDS[finding["severity"]],
        "source_words": SOURCE_STATUS_WORDS[finding["source_status"]],
        "measured_words": quantity(
            measured.get("value"), unit, measured.get("plus_minus"), limit["value"] if limit else None
        ),
        "measured_name": quantity_name(measured.get("name", "")),
        "reason": measured.get("reason", ""),
        "method": measured.get("method", ""),
        "limit_words": limit_words(limit),
        "margin_words": margin_words(
            finding["margin"],
            limit["unit"] if limit else unit,
            at_least=limit is not None and limit["operator"] in {">", ">="},
        ),
        "status_order": list(STATUS_WORDS).index(finding["status"]),
    }


def _measured_rows(measurements: Mapping[str, Any]) -> Iterator[dict[str, str]]:
    for name, entry in measurements.items():
        if name in _LISTS:
            continue
        if entry.keys() >= _ENTRY:
            yield _measured_row(quantity_name(name), entry)
        else:
            for index, each in entry.items():
                yield _measured_row(quantity_name(f"{name}[{index}]"), each)


def _measured_row(name: str, entry: Mapping[str, Any]) -> dict[str, str]:
    shown = quantity(entry["value"], entry["unit"], entry["plus_minus"])
    return {
        "name": name,
        "value": shown or "cannot be told",
        "method": entry["method"],
        "reason": entry["reason"],
        "sources": ", ".join(source["title"] for source in entry["sources"]),
    }


def _profiles(discharges: list[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The runoff paths that have a profile, with its drawing."""
    drawn = ((each, profile_svg(each["profile_ft"])) for each in discharges)
    return [
        {
            "id": each["id"],
            "drawing": Markup(drawing),  # noqa: S704
            "range": each["flow_range_ft"],
            "runs": each["runs"],
            "agreeing": each["runs_agreeing"],
        }
        for each, drawing in drawn
        if drawing
    ]


def _nearby_tables(measurements: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The reference features around the site, nearest first, as long as a reader may want them."""
    tables = [
        (title, measurements[name]["features"])
        for name, title in (
            ("waters_within_one_mile", "Surface waters within one mile"),
            ("wetlands_within_one_mile", "Wetlands within one mile"),
        )
    ]
    tables += [("Floodplain", measurements["floodplain"]), ("Airports", measurements["airports"])]
    return [
        {"title": title, "features": features[:_MOST_FEATURES], "count": len(features)}
        for title, features in tables
        if features
    ]

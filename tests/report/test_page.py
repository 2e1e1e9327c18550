from __future__ import annotations

import base64
import hashlib
import html
import json
import re
import time
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING

import fiona
import pytest
import shapely
import synthetic

from siteplan_gis.crs import georeference
from siteplan_gis.frame import Frame, frame_around
from siteplan_gis.model.plan import PlanFeature
from siteplan_gis.report.map_page import script_json
from siteplan_gis.report.page import page_text, write_page
from siteplan_gis.report.records import review_record

if TYPE_CHECKING:
    from siteplan_gis.model.review import Review

CASES = Path(__file__).parents[1] / "cases"
LIVE_MARKUP = ("<img src=x onerror", "</script><script>alert(", "onload=alert", 'href="javascript:')


class Parts(HTMLParser):
    """Tags, attributes, scripts and texts of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self.text: list[str] = []
        self._open = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._open = tag
        if tag == "script":
            self.scripts.append("")

    def handle_endtag(self, tag: str) -> None:
        self._open = ""

    def handle_data(self, data: str) -> None:
        if self._open == "script":
            self.scripts[-1] += data
        elif self._open != "style":
            self.text.append(data)


def parts(review: Review) -> Parts:
    return Parts(page_text(review, review_record(review)))


def map_data(page: Parts) -> dict:
    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} is not JSON")

    position = [attributes.get("id") for tag, attributes in page.tags if tag == "script"].index("map-data")
    return json.loads(page.scripts[position], parse_constant=refuse)


def test_nothing_outside_the_file_is_named_as_a_source(review: Review) -> None:
    page = parts(review)
    for tag, attributes in page.tags:
        assert tag not in {"link", "img", "iframe", "object", "embed", "base"}
        assert "src" not in attributes
        assert (attributes.get("href") or "#").startswith("#")
        assert not [name for name in attributes if name.startswith("on")]
    text = page_text(review, review_record(review))
    styles = "".join(re.findall(r"<style>(.*?)</style>", text, re.DOTALL))
    assert set(re.findall(r"url\((.{5})", styles)) <= {"data:", "#defa"}
    assert "@import" not in styles
    assert "sourceMappingURL" not in text
    # The one address in the page is that of the street map, which is off until the reader wants it.
    own = "".join(script for script in page.scripts if "leafletjs" not in script)
    # (The other is the name of SVG's namespace, which no one fetches.)
    assert set(re.findall(r"https?://[^/\"']+", own)) == {"https://tile.openstreetmap.org", "http://www.w3.org"}


def test_only_the_pages_own_scripts_may_run(review: Review) -> None:
    page = parts(review)
    (policy,) = [a["content"] for t, a in page.tags if t == "meta" and a.get("http-equiv") == "Content-Security-Policy"]
    assert policy is not None
    allowed = set(re.findall(r"'sha256-([^']+)'", policy))
    kinds = [attributes.get("type") for tag, attributes in page.tags if tag == "script"]
    running = [script for script, kind in zip(page.scripts, kinds, strict=True) if kind is None]
    assert len(running) == 5
    assert allowed == {base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in running}
    assert "'unsafe-inline'" not in policy.split("script-src")[1].split(";")[0]
    assert policy.startswith("default-src 'none'")


def test_no_payload_is_live(review: Review) -> None:
    text = page_text(review, review_record(review))
    for payload in LIVE_MARKUP:
        assert payload not in text, payload
    assert "{{ 7*7 }}" in text
    page = Parts(text)
    assert [tag for tag, _ in page.tags].count("script") == 6
    shown = "".join(page.text)
    for payload in synthetic.PAYLOADS[:8]:
        assert payload in shown, payload


def test_every_finding_is_shown_with_its_words_and_numbers(review: Review) -> None:
    shown = "".join(parts(review).text)
    for row in review_record(review)["findings"]:
        for name in ("title", "message", "remedy", "quote", "section", "rule", "fingerprint"):
            assert row[name] in shown
    for words in (
        "150 ft per inch",
        "at most 100 ft per inch",
        "50 ft per inch beyond the limit",
        "2.86 acres \u00b1 0.01",
    ):
        assert words in shown
    for words in (
        "Depth to groundwater",
        "It stands in text and tables",
        "2004-02-03 by Ord. No. 643",
        "ab" * 32,
        "public domain",
        "2024-05-01",
        "never proof",
        "the list of thresholds",
        "cannot be read",
        "Superintendent of Public Works",
    ):
        assert words in shown, words


def test_invented_ground_has_a_banner_and_real_ground_has_none(review: Review) -> None:
    assert "INVENTED GROUND" in page_text(review, review_record(review))
    real = replace(review, site=replace(review.site, plan=replace(review.site.plan, invented=False)))
    assert "INVENTED GROUND" not in page_text(real, review_record(real))


def test_the_map_holds_a_layer_for_every_check_with_a_place_and_the_ground(review: Review) -> None:
    data = map_data(parts(review))
    keys = {layer["key"] for layer in data["layers"]}
    assert {
        "finding:applicability",
        "finding:waters_shown",
        "finding:discharge",
        "context:site",
        "context:one_mile",
    } <= keys
    assert "finding:scale" not in keys
    placed = {item[1] for layer in data["layers"] if layer["group"] == "finding" for item in layer["items"]}
    assert placed == {finding.id for finding in review.findings if finding.where is not None}
    assert data["centre"] == [-87.9446, 43.3814]
    assert len(keys) == len(data["layers"])


def test_layer_names_cannot_carry_markup(review: Review) -> None:
    rule = replace(review.ordinance.rules[0], check="<img src=x onerror=alert(9)>")
    hostile = replace(review, findings=(replace(review.findings[0], rule=rule),))
    assert "<img src=x onerror" not in page_text(hostile, review_record(hostile))


@pytest.mark.parametrize("text", [*synthetic.PAYLOADS, "</SCRIPT >", "<!--<script>", "]]>", "\u2028"])
def test_script_json_is_json_and_inert(text: str) -> None:
    written = script_json({text: [text]})
    assert json.loads(written) == {text: [text]}
    assert not set("<>&\u2028\u2029") & set(written)


def test_the_same_review_gives_the_same_bytes(tmp_path: Path) -> None:
    for name in ("a.html", "b.html"):
        write_page(synthetic.make_review(), tmp_path / name)
    assert (tmp_path / "a.html").read_bytes() == (tmp_path / "b.html").read_bytes()


def test_a_normal_site_is_small_and_thousands_of_wetlands_are_not_large(tmp_path: Path) -> None:
    write_page(synthetic.make_review(), tmp_path / "normal.html")
    assert (tmp_path / "normal.html").stat().st_size < 3_000_000
    review = synthetic.make_review()
    # 8,000 wetlands of 50 vertices, every one within the mile.
    marsh = review.measured.wetlands[0]
    many = tuple(
        replace(marsh, id=f"w{n}", geometry=synthetic.blob(-1200 + 27 * (n % 90), -1200 + 27 * (n // 90), 12, n, 50))
        for n in range(8000)
    )
    full = replace(review, measured=replace(review.measured, wetlands=many))
    began = time.perf_counter()
    write_page(full, tmp_path / "many.html")
    assert time.perf_counter() - began < 20
    assert (tmp_path / "many.html").stat().st_size < 5_000_000
    layers = map_data(Parts((tmp_path / "many.html").read_text("utf-8")))["layers"]
    assert next(len(layer["items"]) for layer in layers if layer["key"] == "context:wetlands") == 8000


def from_case(review: Review, case: str) -> tuple[Review, int]:
    """The case's polygons as the disturbed area of a review."""
    features = []
    with fiona.open(CASES / case / "lod.gpkg") as source:
        place = georeference(source.crs.to_wkt())
        rows = list(source)
    shapes = [shapely.geometry.shape(row.geometry) for row in rows]
    frame = frame_around(place.lonlat(shapely.get_coordinates(shapes)))
    for row, shape in zip(rows, shapes, strict=True):
        name = str(row.properties.get("name") or "")
        features.append(
            PlanFeature(
                "disturbed_area",
                frame.project(shape, place),
                "lod.gpkg/lod",
                row.id,
                name,
                attributes=dict(row.properties),
            )
        )
    site = replace(review.site, frame=frame, plan=replace(review.site.plan, features=tuple(features), invented=False))
    return replace(review, site=site), len(features)


def test_case_h70_markup_in_attributes(review: Review) -> None:
    expected = json.loads((CASES / "H70" / "expected.json").read_text("utf-8"))
    strings = {check["kind"]: check.get("strings") for check in expected["checks"]}
    hostile, count = from_case(review, "H70")
    text = page_text(hostile, review_record(hostile))
    for live in strings["html_must_not_contain"]:
        assert live not in text, live
    data = map_data(Parts(text))
    drawn = next(layer for layer in data["layers"] if layer["key"] == "context:disturbed_area")
    assert len(drawn["items"]) == count == 7
    told = json.dumps(drawn["items"], ensure_ascii=False)
    for shown in strings["html_shows_text"]:
        assert shown in html.unescape(text)
        assert shown in told
    assert "C:\\\\path\\\\20190221" in told
    assert "${alert(4)}" in told


def test_case_h77_no_numbers_that_json_lacks(review: Review) -> None:
    odd, count = from_case(review, "H77")
    data = map_data(parts(odd))
    drawn = next(layer for layer in data["layers"] if layer["key"] == "context:disturbed_area")
    assert len(drawn["items"]) == count == 2
    assert "2026-03-01" in json.dumps(drawn["items"])


def test_a_site_across_the_180th_meridian_is_centred_there() -> None:
    data = map_data(parts(synthetic.make_review(Frame(180.0, 52.0))))
    assert data["centre"] == [180.0, 52.0]
    steps = [ring for layer in data["layers"] for item in layer["items"] for shape in item[0] for ring in shape[1:]]
    assert max(abs(ring[0]) for ring in steps) < 100_000


def test_a_page_without_ground_is_still_a_page(review: Review) -> None:
    bare = replace(
        review.measured,
        shape={"construction_site": shapely.Polygon()},
        waters=(),
        wetlands=(),
        discharges=(),
        steep_patches=(),
        jurisdiction=(),
        uncovered={},
    )
    site = replace(review.site, plan=replace(review.site.plan, features=()), terrain=None, layers={})
    empty = replace(synthetic.without_findings(review), measured=bare, site=site)
    page = parts(empty)
    assert map_data(page)["layers"] == []
    assert "No finding to show." in "".join(page.text)


def test_runoff_whose_way_cannot_be_told_does_not_reach_nothing(review: Review) -> None:
    _, lost = review.measured.discharges
    far = replace(lost, within_quarter_mile=False, ends_because="farther_than_limit")
    for discharge, words in ((lost, "cannot be told"), (far, "none reached")):
        judged = replace(review, measured=replace(review.measured, discharges=(discharge,)))
        assert f"<td><bdi>{words}</bdi></td>" in page_text(judged, review_record(judged))

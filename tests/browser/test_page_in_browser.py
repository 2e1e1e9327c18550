"""The page in a real browser with the network off."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import synthetic

from siteplan_gis.frame import Frame
from siteplan_gis.report.page import write_page
from siteplan_gis.report.records import review_record

if TYPE_CHECKING:
    from devtools import Browser

CASES = Path(__file__).parents[1] / "cases"
pytestmark = pytest.mark.browser

VISIBLE_PATHS = "document.querySelectorAll('.folium-map path.leaflet-interactive').length"
CENTRE = "(() => { const c = map_site.getCenter(); return [c.lng, c.lat]; })()"


def position(browser: Browser, key: str = "context:disturbed_area") -> int:
    """Which of the map's layers this is."""
    keys = "JSON.parse(document.getElementById('map-data').textContent).layers.map(layer => layer.key)"
    return browser.run(keys).index(key)


def rows_shown(browser: Browser) -> int:
    return browser.run("Array.from(document.querySelectorAll('#finding-table tbody tr')).filter(r => !r.hidden).length")


def test_map_draws_without_network_and_without_complaint(browser: Browser, page: Path) -> None:
    browser.open(page)
    assert browser.run(VISIBLE_PATHS) > 40
    assert browser.run("document.querySelectorAll('.pin').length") > 5
    assert browser.run("document.querySelector('.leaflet-control-scale-line').textContent").endswith((" ft", " mi"))
    assert browser.complaints() == []
    assert browser.requests() == []
    assert browser.files() == [page.as_uri()]


def test_applicants_text_stays_text(browser: Browser, page: Path) -> None:
    browser.open(page)
    shown = browser.run("document.body.innerText")
    for payload in synthetic.PAYLOADS[:8]:
        assert payload in shown, payload
    assert 'O\'Neal "Sub" & Sons' in shown
    assert (
        browser.run(
            "document.querySelectorAll('main img, main svg[onload], a[href^=\"javascript\"], script:not([type])').length"
        )
        == 5
    )
    assert browser.complaints() == []


def test_popups_show_attributes_as_text(browser: Browser, page: Path) -> None:
    browser.open(page)
    browser.run(
        f"(() => {{ for (const shape of feature_group_layer_{position(browser)}.getLayers().concat("
        "...Object.values(map_site._layers).filter(l => l.getPopup && l.getPopup()))) {"
        " if (!shape.getPopup || !shape.getPopup()) continue; shape.openPopup(); shape.closePopup(); } })()"
    )
    texts = browser.run(
        "Object.values(map_site._layers).filter(l => l.getPopup && l.getPopup() && l.getPopup()._content)"
        ".map(l => { const c = l.getPopup()._content; return (typeof c === 'function' ? c(l) : c).textContent; })"
    )
    for payload in synthetic.PAYLOADS[:8]:
        assert any(payload in text for text in texts), payload
    assert browser.complaints() == []
    assert browser.requests() == []


def test_finding_leads_to_the_map_and_back(browser: Browser, page: Path) -> None:
    browser.open(page)
    browser.run("document.querySelector('tr[data-finding=\"SAU-MAP-i:150023\"] .locate').click()")
    browser.settle()
    longitude, latitude = browser.run(CENTRE)
    record = review_record(synthetic.make_review())
    finding = next(each for each in record["findings"] if each["id"] == "SAU-MAP-i:150023")
    xs, ys = zip(*finding["place"]["coordinates"][0], strict=True)
    assert min(xs) < longitude < max(xs)
    assert min(ys) < latitude < max(ys)
    assert "not shown" in browser.run("document.querySelector('.leaflet-popup-content').textContent")
    assert browser.run("document.querySelectorAll('tr.selected').length") == 1

    browser.run("document.querySelector('.filter[data-status=fail]').click()")
    assert browser.run("document.querySelector('tr.selected').hidden") is True
    browser.run("document.querySelector('.leaflet-popup-content button').click()")
    assert browser.run("document.activeElement.dataset.finding") == "SAU-MAP-i:150023"
    assert browser.run("document.activeElement.hidden") is False
    assert browser.complaints() == []


def test_passing_findings_come_to_the_map_when_asked_for(browser: Browser, page: Path) -> None:
    browser.open(page)
    passed = "siteplan.places.get('SAU-MAP-h2:O1')"
    assert browser.run(f"map_site.hasLayer({passed}.group)") is False
    browser.run("document.querySelector('tr[data-finding=\"SAU-MAP-h2:O1\"] .locate').click()")
    browser.settle()
    assert browser.run(f"map_site.hasLayer({passed}.group)") is True
    assert browser.complaints() == []


def test_the_worst_finding_lies_on_top(browser: Browser, page: Path) -> None:
    browser.open(page)
    order = browser.run(
        "(() => { const of = new Map(); for (const place of siteplan.places.values())"
        " place.shapes.forEach(s => s.eachLayer(l => of.set(l._path, place.status)));"
        " return Array.from(document.querySelectorAll('.leaflet-overlay-pane path')).map(p => of.get(p)); })()"
    )
    assert set(order) >= {"fail", "needs_review"}
    assert "needs_review" not in order[order.index("fail") :]


def test_filter_search_and_sort(browser: Browser, page: Path) -> None:
    browser.open(page)
    record = review_record(synthetic.make_review())
    assert rows_shown(browser) == len(record["findings"])
    browser.run("document.querySelector('.filter[data-status=fail]').click()")
    assert rows_shown(browser) == len(record["findings"]) - record["counts"]["fail"]
    browser.run("document.querySelector('.filter[data-status=fail]').click()")
    search = "(() => { const s = document.getElementById('finding-search'); s.value = %r; s.dispatchEvent(new Event('input')); })()"
    browser.run(search % "mole creek")
    assert rows_shown(browser) == 1
    browser.run(search % "no such thing anywhere")
    assert rows_shown(browser) == 0
    assert browser.run("document.getElementById('no-finding').hidden") is False
    browser.run(search % "")
    browser.run("document.querySelector('th[data-sort=margin] button').click()")
    assert browser.run("document.querySelector('#finding-table tbody tr').dataset.orderMargin") == "-50.0"
    browser.run("document.querySelector('th[data-sort=status] button').click()")
    assert browser.run("document.querySelector('#finding-table tbody tr').dataset.status") == "error"


def test_layers_can_be_switched(browser: Browser, page: Path) -> None:
    browser.open(page)
    before = browser.run(VISIBLE_PATHS)
    switches = "document.querySelectorAll('#layer-switches input[type=checkbox]')"
    assert browser.run(f"{switches}.length") >= 15
    browser.run(f"{switches}.forEach(each => {{ if (each.checked) each.click(); }})")
    browser.settle()
    assert browser.run(VISIBLE_PATHS) == 0
    browser.run(f"{switches}.forEach(each => each.click())")
    browser.settle()
    assert browser.run(VISIBLE_PATHS) >= before
    assert browser.complaints() == []


def test_street_map_is_fetched_only_on_request(browser: Browser, page: Path) -> None:
    browser.open(page)
    assert browser.requests() == []
    browser.run("document.getElementById('street-map').click()")
    browser.settle()
    assert browser.requests()
    assert all(url.startswith("https://tile.openstreetmap.org/") for url in browser.requests())


def test_site_across_the_180th_meridian_stays_there(browser: Browser, pages: Path) -> None:
    path = pages / "aleutians.html"
    write_page(synthetic.make_review(Frame(180.0, 52.0)), path)
    browser.open(path)
    longitude, latitude = browser.run(CENTRE)
    assert abs(abs(longitude) - 180) < 0.02
    assert abs(latitude - 52) < 0.02
    layer = position(browser, "context:one_mile")
    width = browser.run(
        f"(() => {{ const b = feature_group_layer_{layer}.getBounds(); return b.getEast() - b.getWest(); }})()"
    )
    assert 0.03 < width < 0.1
    assert browser.complaints() == []


def test_thousands_of_wetlands_are_drawn_on_a_canvas(browser: Browser, pages: Path) -> None:
    path = pages / "many.html"
    write_page(synthetic.make_review(wetlands=4000), path)
    browser.open(path)
    assert browser.run("document.querySelectorAll('.leaflet-context-pane canvas').length") == 1
    painted = browser.run(
        "(() => { const c = document.querySelector('.leaflet-context-pane canvas');"
        " const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;"
        " let n = 0; for (let i = 3; i < d.length; i += 4) if (d[i]) n += 1; return n; })()"
    )
    assert painted > 10_000
    assert browser.complaints() == []


def test_review_without_findings_or_ground_still_opens(browser: Browser, pages: Path) -> None:
    path = pages / "empty.html"
    bare_review = synthetic.without_findings(synthetic.make_review())
    bare = replace(
        bare_review.measured,
        shape={},
        waters=(),
        wetlands=(),
        discharges=(),
        steep_patches=(),
        jurisdiction=(),
        uncovered={},
    )
    site = replace(bare_review.site, plan=replace(bare_review.site.plan, features=()))
    write_page(replace(bare_review, measured=bare, site=site), path)
    browser.open(path)
    assert browser.run("document.getElementById('no-finding').hidden") is False
    assert browser.complaints() == []


def test_every_control_has_a_name_and_can_be_reached(browser: Browser, page: Path) -> None:
    browser.open(page)
    nameless = browser.run(
        "Array.from(document.querySelectorAll('button, input, a[href], summary')).filter(e =>"
        " !(e.textContent.trim() || e.getAttribute('aria-label') || e.labels?.length)).map(e => e.outerHTML)"
    )
    assert nameless == []
    assert browser.run("document.querySelectorAll('.pin:not([aria-label])').length") == 0
    assert browser.run('document.querySelectorAll(\'[tabindex]:not([tabindex="0"]):not([tabindex="-1"])\').length') == 0


def test_narrow_window_needs_no_sideways_scrolling(browser: Browser, page: Path) -> None:
    browser.call("Emulation.setDeviceMetricsOverride", width=390, height=800, deviceScaleFactor=1, mobile=True)
    browser.open(page)
    assert browser.run("document.documentElement.scrollWidth") <= 390


@pytest.mark.parametrize(("case", "shapes"), [("H70", 7), ("H77", 2)])
def test_dirty_attributes_from_file_to_page(browser: Browser, pages: Path, case: str, shapes: int) -> None:
    folder = CASES / case
    expected = json.loads((folder / "expected.json").read_text("utf-8"))
    out = pages / case
    (pages / "layers.toml").write_text('name = "No layers"\n')
    command = [sys.executable, "-m", "siteplan_gis", "review", str(folder / "lod.gpkg"), "--ordinance", "saukville"]
    ran = subprocess.run(
        [*command, "--on", "2026-03-10", "--fail-on", "never", "--layers", str(pages), "--out", str(out)],
        cwd=pages, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (out / "review.html").is_file(), ran.stderr
    path = out / "review.html"
    text = path.read_text("utf-8")
    browser.open(path)
    assert browser.run(f"{VISIBLE_PATHS}") >= shapes
    assert browser.run(f"feature_group_layer_{position(browser)}.getLayers().length") == shapes
    for check in expected["checks"]:
        for string in check.get("strings", ()):
            if check["kind"] == "html_must_not_contain":
                assert string not in text
            else:
                told = browser.run(
                    f"feature_group_layer_{position(browser)}.getLayers().map(s => s.getPopup()._content(s).textContent)"
                )
                assert any(string in each for each in told)
        if check["kind"] == "value":
            measured = json.loads((out / "review.json").read_text("utf-8"))["measurements"][check["quantity"]]
            assert measured["value"] == pytest.approx(check["value"], rel=check["tol_rel"])
    assert browser.complaints() == []
    assert browser.requests() == []


def test_prints(browser: Browser, page: Path) -> None:
    browser.open(page)
    printed = browser.call("Page.printToPDF", printBackground=False)["data"]
    assert len(printed) > 50_000
    assert browser.run("document.querySelectorAll('details[open]').length") == 0

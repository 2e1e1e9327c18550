"""The pages of planners and applicants, as their commands write them: network off, search and click, axe."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import axe
import pytest
from typer.testing import CliRunner

from siteplan_gis.cli import app

if TYPE_CHECKING:
    from devtools import Browser

pytestmark = pytest.mark.browser

ROOT = Path(__file__).resolve().parents[2]


def written(*arguments: str) -> None:
    done = CliRunner().invoke(app, list(arguments))
    assert done.exit_code == 0, done.output


def test_whose_land_is_this(browser: Browser, pages: Path) -> None:
    written("etj", str(ROOT / "layers" / "saukville"), "--out", str(pages / "etj"))
    browser.open(pages / "etj" / "etj.html")
    names = "[...document.querySelectorAll('.leaflet-tooltip.name')].map(one => one.innerText).sort().join()"
    assert browser.run(names) == "Grafton,Port Washington,Saukville"
    browser.run(
        "const field = document.getElementById('name');"
        "field.value = document.querySelector('#names option').value;"
        "field.dispatchEvent(new Event('input', {bubbles: true}));"
        "document.getElementById('search').requestSubmit(); 0"
    )
    browser.settle()
    name = browser.run("document.querySelector('#names option').value")
    answer = browser.run("document.getElementById('answer').innerText")
    assert name.split("(")[0].strip() in answer
    browser.run(
        "const box = document.getElementById('map').getBoundingClientRect();"
        "document.getElementById('map').dispatchEvent(new MouseEvent('click', {bubbles: true,"
        " clientX: box.x + box.width / 2, clientY: box.y + box.height / 2})); 0"
    )
    browser.settle()
    clicked = browser.run("document.getElementById('answer').innerText")
    assert clicked != answer
    assert "mi" in clicked or "limits" in clicked
    assert browser.complaints() == []
    assert browser.requests() == []
    assert axe.violations(browser) == []


def test_a_parcel_before_there_is_a_plan(browser: Browser, pages: Path) -> None:
    layers = ROOT / "layers" / "saukville"
    parcels = layers / "parcels.fgb"
    written("prescreen", str(parcels), "--layers", str(layers), "--parcel", first_id(parcels), "--invented",
            "--out", str(pages / "parcel"))  # fmt: skip
    browser.open(pages / "parcel" / "prescreen.html")
    assert browser.run("document.querySelectorAll('#map canvas, #map svg path').length") > 0
    assert browser.complaints() == []
    assert browser.requests() == []
    assert axe.violations(browser) == []


def test_the_summary_of_many_parcels(browser: Browser, pages: Path) -> None:
    layers = ROOT / "layers" / "saukville"
    written("prescreen", "--layers", str(layers), "--no-runoff", "--out", str(pages / "parcels"))
    browser.open(pages / "parcels" / "summary.html")
    assert browser.run("document.querySelectorAll('#map canvas, #map svg path').length") > 0
    assert browser.run("document.querySelectorAll('#switches label').length") == 2
    assert browser.complaints() == []
    assert browser.requests() == []
    assert axe.violations(browser) == []


def first_id(parcels: Path) -> str:
    import pyogrio

    table = pyogrio.raw.read(parcels, max_features=1, read_geometry=False)
    fields = [str(field) for field in table[0]["fields"]]
    place = next(i for i, field in enumerate(fields) if "id" in field.lower() or "pin" in field.lower())
    return str(table[3][place][0])

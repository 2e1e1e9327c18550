"""Names that would run as a formula, a script or a command of the terminal, followed into every output."""

import csv
import io
import json
import re
import sqlite3
import zipfile

import pyogrio
import pypdf
import pytest
import shapely
from defusedxml.ElementTree import fromstring
from typer.testing import CliRunner

from siteplan_gis.cli import app
from siteplan_gis.errors import UNPRINTABLE
from siteplan_gis.report.spreadsheet import cell
from tests.campaigns.running import ROOT

LAYERS = ROOT / "layers" / "saukville"
NASTY = (
    "=cmd|' /C calc'!A0", "+1+1", "-1+1", "@SUM(1)", "\t=1", "\r=1", "\n=1", "\uff1d1+1", "\uff0b1", "\uff0d1", "\uff201",
    " =1", "\u200b=1", "a;=1+1", "a\x1b[2J\x07b", "\u202egpj.exe", "\u2066x", "<script>alert(1)</script>",
    "</script><img src=x onerror=alert(2)>", "a\r\nsiteplan-gis: all is well", "x" * 5000, "]]>&amp;", "a\x00b", "\x9b2J",
)  # fmt: skip
FEIGNED = "siteplan-gis: all is well"
LIVE = ("<script>alert", "<img src=x", "</script><img")


def run(*words, code=frozenset({0, 1, 3})):
    done = CliRunner().invoke(app, list(map(str, words)))
    assert done.exit_code in code, done.output
    assert "the program crashed" not in done.output
    clean(done.output, "terminal")
    assert not [line for line in done.output.splitlines() if line.strip() == FEIGNED], done.output
    return done


def clean(told, where):
    found = UNPRINTABLE.search(told)
    assert found is None, f"{where}: {told[max(found.start() - 40, 0) : found.end() + 20]!r}"


def look_through(folder):
    """What every file holds as text, its control characters and live markup looked for."""
    seen = {}
    for path in sorted(path for path in folder.iterdir() if path.is_file()):
        kind = path.suffix
        if kind in {".html", ".json", ".csv", ".md", ".txt", ".geojson"}:
            seen[path.name] = path.read_bytes().decode("utf-8-sig").replace("\r\n", "\n")
            if kind == ".html":
                assert not [live for live in LIVE if live in seen[path.name]], path
        elif kind == ".gpkg":
            seen[path.name] = "\n".join(of_database(path))
        elif kind == ".docx":
            with zipfile.ZipFile(path) as parts:
                document = fromstring(parts.read("word/document.xml"))
            seen[path.name] = "\n".join(document.itertext())
        elif kind == ".pdf":
            seen[path.name] = "\n".join(page.extract_text() for page in pypdf.PdfReader(path).pages)
        clean(seen[path.name], path.name)
    return seen


def of_database(path):
    """Every text of every table of a GeoPackage, and of the QGIS project in it."""
    with sqlite3.connect(path) as database:
        tables = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        for table in tables:
            for row in database.execute(f'SELECT * FROM "{table}"'):  # noqa: S608
                yield from (value for value in row if isinstance(value, str))
            if table == "qgis_projects":
                for (content,) in database.execute("SELECT content FROM qgis_projects"):
                    packed = bytes.fromhex(content if isinstance(content, str) else content.decode())
                    with zipfile.ZipFile(io.BytesIO(packed)) as project:
                        yield from fromstring(project.read("review.qgs")).itertext()
    database.close()


def cells(table):
    return [value for row in csv.reader(io.StringIO(table, newline="")) for value in row]


def harmless(value):
    begins = value.strip().lstrip("\u200b\ufeff").strip()[:1]
    return begins not in set("=+-@\uff1d\uff0b\uff0d\uff20") and value[:1] not in set("\t\r\n")


def number(value):
    return re.fullmatch(r"-?[\d.]+(e-?\d+)?", value) is not None


@pytest.mark.parametrize("words", NASTY)
def test_no_cell_is_run(words):
    told = cell(words)
    assert harmless(told)
    clean(told, "cell")
    assert told.lstrip("'").lstrip()[:1] == words.replace("\r", "\n").lstrip()[:1] or UNPRINTABLE.search(words)


@pytest.fixture(scope="module")
def plan(tmp_path_factory):
    """A plan whose names are all nasty, those of its files among them."""
    folder = tmp_path_factory.mktemp("nasty") / "\u202eplan<b>\x1b[2J=1"
    folder.mkdir()
    square = [[-87.95, 43.38], [-87.948, 43.38], [-87.948, 43.382], [-87.95, 43.382], [-87.95, 43.38]]
    features = [
        {"type": "Feature", "id": words, "properties": {"name": words, "phase": words, words: words},
         "geometry": {"type": "Polygon", "coordinates": [square]}}
        for words in NASTY
    ]  # fmt: skip
    for name in ("lod.geojson", "<img src=x onerror=alert(2)>.geojson", "\u202e\x1b[2J=1.geojson"):
        (folder / name).write_text(json.dumps({"type": "FeatureCollection", "features": features}))
    name = json.dumps("".join(NASTY).replace("\x00", "")[:4000]).replace("\\u202e", "\u202e").replace("\x7f", "")
    manifest = f'[plan]\nname = {name}\napplicant = "=1+1<script>alert(1)</script>"\ninvented = true\n'
    (folder / "siteplan.toml").write_text(manifest)
    return folder


def test_a_review_and_all_that_is_made_of_it(plan, tmp_path):
    out = tmp_path / "out"
    given = ("--role", "*.geojson=disturbed_area", "--ordinance", "saukville", "--layers", LAYERS, "--on", "2026-05-01")
    run("inspect", plan)
    run("measure", plan, "--role", "*.geojson=disturbed_area")
    run("review", plan, *given, "--out", out, "--print-sheet", "letter")
    run("letter", out / "review.json", "--on", "2026-05-02")
    run("letter", out / "review.json", "--on", "2026-05-02", "--out", out / "letter.md")
    run("compare", out / "review.json", out / "review.json", "--out", out)
    seen = look_through(out)
    assert set(seen) == {
        "review.json", "findings.gpkg", "review.html", "site_map.pdf", "letter.docx", "letter.md", "rounds.json", "rounds.html",
    }  # fmt: skip
    assert "calc" in seen["review.json"]
    assert not re.search(r"(?<!\\)<", seen["letter.md"].replace("<br>", ""))


def test_parcels_one_and_many(tmp_path):
    shapes = [shapely.box(-87.95 + 0.002 * i, 43.38, -87.949 + 0.002 * i, 43.381) for i in range(len(NASTY))]
    named = [words.replace("\x00", "") for words in NASTY]
    write(tmp_path / "parcels.geojson", shapes, {"PARCELID": named})
    given = ("prescreen", tmp_path / "parcels.geojson", "--layers", LAYERS, "--no-runoff", "--invented")
    run(*given, "--out", tmp_path / "many" / "table.csv")
    run(*given, "--parcel", named[0], "--out", tmp_path / "one")
    table = look_through(tmp_path / "many")["table.csv"]
    assert all(harmless(value) or number(value) for value in cells(table))
    assert "calc" in table
    assert look_through(tmp_path / "one")


def test_municipalities(tmp_path):
    shapes = [shapely.box(-88 + 0.05 * i, 43, -87.96 + 0.05 * i, 43.03) for i in range(len(NASTY))]
    named = [words.replace("\x00", "") for words in NASTY]
    write(tmp_path / "limits.geojson", shapes, {"MCD_NAME": named, "CTV": ["V"] * len(NASTY), "CNTY_NAME": named})
    write(tmp_path / "parcels.geojson", shapes, {"PARCELID": named})
    run(
        "etj",
        tmp_path / "limits.geojson",
        "--on",
        "2026-05-01",
        "--parcels",
        tmp_path / "parcels.geojson",
        "--out",
        tmp_path / "out",
    )
    seen = look_through(tmp_path / "out")
    for name in ("etj.csv", "parcels.csv"):
        assert all(harmless(value) or number(value) for value in cells(seen[name]))
        assert "calc" in seen[name]


def write(path, shapes, columns):
    features = [
        {"type": "Feature", "properties": {name: values[place] for name, values in columns.items()},
         "geometry": shapely.geometry.mapping(shape)} for place, shape in enumerate(shapes)
    ]  # fmt: skip
    path.write_text(json.dumps({"type": "FeatureCollection", "features": features}))
    assert len(pyogrio.read_info(path)["fields"]) == len(columns)

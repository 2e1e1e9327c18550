"""Files of the reviewer and the village that someone meant to hurt with: one clear line, or safely shown."""

import copy
import json
import os
from datetime import date

import pytest
from typer.testing import CliRunner

from siteplan_gis.cli import app
from siteplan_gis.errors import UNPRINTABLE, InputError
from siteplan_gis.ingest.drawn.attributes import elevation_of
from siteplan_gis.ingest.records.overrides import read_overrides
from siteplan_gis.ingest.records.permit_record import read_permit_record
from siteplan_gis.ingest.records.review_records import read_review_record
from siteplan_gis.ingest.records.soil_loss_inputs import read_soil_loss_inputs
from siteplan_gis.ingest.reference.catalogue import read_catalogue
from siteplan_gis.ingest.reference.city_classes import read_classes
from siteplan_gis.ingest.reference.limits import LimitsAsked, read_limits
from siteplan_gis.report.letter import letter_of
from siteplan_gis.report.letter_formats import letter_markdown
from siteplan_gis.report.records import review_record
from siteplan_gis.report.rounds import compare_reviews
from siteplan_gis.report.rounds_page import page_of_rounds
from siteplan_gis.report.schema import review_schema
from tests.campaigns.readers import LIMITS
from tests.report.synthetic import make_review

READERS = {
    "overrides.toml": read_overrides,
    "permit.toml": read_permit_record,
    "soil_loss.toml": read_soil_loss_inputs,
    "layers.toml": read_catalogue,
    "review.json": lambda path: read_review_record(path, review_schema()),
    "classes.csv": read_classes,
}
CONTENTS = {
    "deep": b"a = " + b"[" * 100_000,
    "deep json": b'{"schema": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    "digits": b"a = " + b"9" * 5000,
    "json digits": b'{"schema": ' + b"9" * 5000 + b"}",
    "nul": b"a = 1\0",
    "not utf-8": b"name,class,source\n\xff,4,x",
    "line": b"x" * 900_000,
    "quote": b'name,class,source\n"' + b"a" * 200_000,
    "other types": b"override = 3\nlayer = 'x'\narea = true\nrain = []\nplan = {}",
    "turned": "override = '\u202e\x1b'".encode(),
}


def one_line(error):
    text = str(error.value)
    assert "\n" not in text
    assert not UNPRINTABLE.search(text)
    assert len(text) < 20_000


@pytest.mark.parametrize("content", CONTENTS)
@pytest.mark.parametrize("name", READERS)
def test_hostile_content_is_one_line(tmp_path, name, content):
    (tmp_path / name).write_bytes(CONTENTS[content])
    with pytest.raises(InputError) as error:
        READERS[name](tmp_path / name)
    one_line(error)


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize("kind", ["pipe", "device", "loop", "folder", "nowhere"])
def test_what_is_no_file_is_one_line_and_ends(tmp_path, name, kind):
    path = tmp_path / name
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "device":
        path.symlink_to("/dev/zero")
    elif kind == "loop":
        path.symlink_to(path)
    elif kind == "folder":
        path.mkdir()
    with pytest.raises(InputError) as error:
        READERS[name](path)
    one_line(error)


@pytest.mark.parametrize("table", ["/dev/zero", "a\\u0000b", "../" * 400 + "x", ".", "x" * 5000])
def test_a_permit_record_that_names_no_table(tmp_path, table):
    (tmp_path / "permit.toml").write_text(f'rain = "{table}"\n', encoding="utf-8")
    with pytest.raises(InputError) as error:
        read_permit_record(tmp_path / "permit.toml")
    one_line(error)


@pytest.mark.parametrize("path", ["nowhere", "a\\u0000b"])
def test_a_catalogue_of_no_files(tmp_path, path):
    (tmp_path / "layers.toml").write_text(f'[[layer]]\npath = "{path}"\nrole = "waters"\n', encoding="utf-8")
    with pytest.raises(InputError) as error:
        read_catalogue(tmp_path)
    one_line(error)


def test_an_elevation_of_hundreds_of_digits_is_none():
    assert elevation_of("9" * 400) is None
    assert elevation_of("9" * 400 + " ft") is None
    assert elevation_of("702'") == (702.0, 0.3048)


MARKUP = "<script>alert(1)</script><img src=x onerror=alert(1)>\u202e\x1b[2J"


def everywhere(value, text):
    """A record with a text in the place of every text that names or tells something."""
    if isinstance(value, dict):
        kept = ("schema", "status", "id", "rule", "fingerprint", "sha256", "unit", "severity", "source_status", "code", "operator", "on",
                "type", "crs", "kind", "check", "ends_because", "states")  # fmt: skip
        return {key: one if key in kept else everywhere(one, text) for key, one in value.items()}
    if isinstance(value, list):
        return [everywhere(one, text) for one in value]
    return text if isinstance(value, str) and not value[:4].isdigit() else value


def test_a_review_full_of_markup_is_told_safely():
    record = copy.deepcopy(review_record(make_review()))
    record["plan"] = everywhere(record["plan"], MARKUP)
    for row in record["findings"]:
        row |= {"message": MARKUP, "remedy": MARKUP, "title": MARKUP}
    rounds = compare_reviews(record, record)
    page = page_of_rounds(rounds, record, record)
    assert "alert(1)" in page
    assert "<script>alert" not in page
    assert "<img src=x" not in page
    assert "<script>alert" not in letter_markdown(letter_of(record, date(2026, 5, 1), None, rounds))


RAGGED = [[[[-88.0, 43.0], [-87.9], [-87.9, 43.1], [-88.0, 43.0]]]]


@pytest.mark.parametrize(
    "place",
    [
        {"type": "MultiPolygon", "coordinates": RAGGED},
        {"type": "Polygon", "coordinates": [[[-88.0, 43.0]]]},
        {"type": "Polygon", "coordinates": [[1, 2, 3]]},
        {"type": "Point", "coordinates": [1e300, 43.0]},
        {"type": "Point", "coordinates": [-88.0, 91.0]},
        {"type": "Point", "coordinates": [float("nan"), 43.0]},
        {"type": "Point", "coordinates": [["a"], {}]},
        {"type": "GeometryCollection", "geometries": [{"type": "Point", "coordinates": ["a", "b"]}]},
        {"type": "GeometryCollection", "coordinates": []},
    ],
)
@pytest.mark.parametrize("where", ["finding", "shape"])
def test_a_place_that_is_none_in_a_review_is_one_line(tmp_path, place, where):
    record = copy.deepcopy(review_record(make_review()))
    if where == "finding":
        record["findings"][0]["place"] = place
    else:
        record["shapes"][next(iter(record["shapes"]))] = place
    (tmp_path / "review.json").write_text(json.dumps(record), encoding="utf-8")
    with pytest.raises(InputError, match="is damaged") as error:
        read_review_record(tmp_path / "review.json", review_schema())
    one_line(error)


def test_a_field_of_limits_that_is_no_text_is_one_line(tmp_path):
    path = tmp_path / "limits.geojson"
    path.write_bytes(LIMITS.replace(b'"class": "4"', b'"\xff\xffclass": "4"', 1))
    with pytest.raises(InputError, match="cannot be opened") as error:
        read_limits(LimitsAsked(path, assume_crs="EPSG:4326"), date(2026, 5, 1))
    one_line(error)


@pytest.mark.parametrize(
    "box", [(-88, 90.5, -87, 90.6), (-88, 8e36, -87, 9e36), (800, 43, 801, 44), (-1e300, -1e300, 1e300, 1e300)]
)
def test_limits_that_lie_nowhere_are_one_line(tmp_path, box):
    west, south, east, north = map(float, box)
    limits = json.loads(LIMITS)
    ring = [[west, south], [east, south], [east, north], [west, north], [west, south]]
    limits["features"][1]["geometry"]["coordinates"] = [ring]
    (tmp_path / "limits.geojson").write_text(json.dumps(limits), encoding="utf-8")
    with pytest.raises(InputError, match="nowhere on the earth") as error:
        read_limits(LimitsAsked(tmp_path / "limits.geojson", assume_crs="EPSG:4326"), date(2026, 5, 1))
    one_line(error)


@pytest.mark.parametrize("byte", [0x80, 0x81, 0x8D, 0x90, 0xE9, 0xFF])
def test_no_byte_of_a_name_in_limits_is_too_much(tmp_path, byte):
    path = tmp_path / "limits.geojson"
    path.write_bytes(LIMITS.replace(b"BETA", b"B" + bytes([byte]) + b"TA", 1))
    found = read_limits(LimitsAsked(path, assume_crs="EPSG:4326"), date(2026, 5, 1))
    assert any(flag.code == "attribute_text_replaced" for flag in found.flags)


def test_a_ground_in_a_review_that_crosses_itself_is_drawn():
    record = copy.deepcopy(review_record(make_review()))
    crossed = [[-88.0, 43.0], [-87.9, 43.1], [-87.9, 43.0], [-88.0, 43.1], [-88.0, 43.0]]
    place = {"type": "MultiPolygon", "coordinates": [[crossed], [[[x + 0.01, y] for x, y in crossed]]]}
    record["shapes"] = dict.fromkeys(record["shapes"], place)
    assert "<svg" in page_of_rounds(compare_reviews(record, record), record, record)


def test_limits_named_with_markup_are_mapped_safely(tmp_path):
    limits = json.loads(LIMITS)
    limits["features"][1]["properties"]["MCD_NAME"] = MARKUP
    (tmp_path / "limits.geojson").write_text(json.dumps(limits), encoding="utf-8")
    given = [
        "etj",
        str(tmp_path / "limits.geojson"),
        "--assume-crs",
        "EPSG:4326",
        "--on",
        "2026-05-01",
        "--out",
        str(tmp_path / "out"),
    ]
    done = CliRunner().invoke(app, given)
    assert done.exit_code in {0, 2}, done.output
    assert not {"\x1b", "\u202e"} & {*done.output}
    for page in (tmp_path / "out").glob("*.html"):
        text = page.read_text(encoding="utf-8")
        assert "<script>alert" not in text
        assert "<img src=x" not in text

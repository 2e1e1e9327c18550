"""Every reader of ours that takes what other people wrote, each with something sound for it to read."""

from __future__ import annotations

import contextlib
import json
import math
from datetime import date
from pathlib import Path

import numpy as np

from siteplan_gis.crs import georeference
from siteplan_gis.errors import InputError
from siteplan_gis.ingest.cad.line_texts import texts_at_lines
from siteplan_gis.ingest.cad.model_space import read_cad
from siteplan_gis.ingest.drawn.attributes import day_of, elevation_of, unit_in_field_name
from siteplan_gis.ingest.drawn.drawing import DrawnText
from siteplan_gis.ingest.records.manifest import read_manifest
from siteplan_gis.ingest.records.overrides import read_overrides
from siteplan_gis.ingest.records.permit_record import read_permit_record
from siteplan_gis.ingest.records.review_records import read_review_record
from siteplan_gis.ingest.records.soil_loss_inputs import read_soil_loss_inputs
from siteplan_gis.ingest.reference.catalogue import read_catalogue
from siteplan_gis.ingest.reference.city_classes import read_classes
from siteplan_gis.ingest.reference.codes import stated_reach_m
from siteplan_gis.ingest.reference.limits import LimitsAsked, read_limits
from siteplan_gis.ingest.roles import guess_role, guess_surface_role, without_annotation
from siteplan_gis.ingest.vector_files.geojson import read_geojson
from siteplan_gis.ingest.vector_files.kml import read_kml
from siteplan_gis.ingest.vector_files.landxml import root_name
from siteplan_gis.ingest.vector_files.surfaces import read_landxml
from siteplan_gis.measures.sheets.paper import paper_sizes
from siteplan_gis.measures.sheets.sheet import feet_per_inch, says_no_scale, scales_in, stated_contour_interval_ft
from siteplan_gis.measures.sheets.sheet_notes import shown_by
from siteplan_gis.report.letter import letter_of
from siteplan_gis.report.letter_formats import letter_markdown
from siteplan_gis.report.rounds import compare_reviews
from siteplan_gis.report.rounds_page import page_of_rounds
from siteplan_gis.report.schema import review_schema
from siteplan_gis.units import metres_per

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "sample_plans"
ON = date(2026, 5, 1)


def _finite(*numbers):
    for number in numbers:
        if isinstance(number, float) and not math.isfinite(number):
            message = f"{number} was read from a text"
            raise ValueError(message)


def _texts(path, _label):
    """Names of layers, notes on sheets, labels of contours, days, units."""
    text = path.read_bytes().decode("utf-8", "replace")
    for line in (text, *text.splitlines()[:20]):
        guess_role(line), guess_surface_role(line), without_annotation(line), root_name(path)
        says_no_scale(line), shown_by(line), day_of({"a": line}, "a"), unit_in_field_name(line)
        _finite(feet_per_inch(line), stated_contour_interval_ft(line), *(elevation_of(line) or ()))
        _finite(*(one.feet_per_inch for one in scales_in(line)), *(side for size in paper_sizes(line) for side in size))
        _finite(stated_reach_m({"etj_miles": line, "reach_miles": line}))
        with contextlib.suppress(InputError):
            metres_per(line[:200])


def _crs(path, _label):
    """A coordinate system as someone writes it; PROJ looks through its whole list for a name."""
    georeference(path.read_bytes().decode("utf-8", "replace"))


def _labels(path, _label):
    """Texts at contours, of any numbers."""
    content = path.read_bytes()
    numbers = np.nan_to_num(
        np.frombuffer(content[: len(content) // 4 * 4], "<f4").astype(float), posinf=9e9, neginf=-9e9
    )
    pairs = numbers[: len(numbers) // 2 * 2].reshape(-1, 2)[:400]
    lines = [pairs[at : at + 2 + at % 5] for at in range(0, max(len(pairs) - 1, 0), 3)]
    texts = [
        DrawnText(content[at : at + 9].decode("latin-1"), (x, y), abs(x) % 50, 0.0)
        for at, (x, y) in enumerate(pairs[::2])
    ]
    texts_at_lines([line for line in lines if len(line) > 1], texts)


def _limits(path, _label):
    read_limits(LimitsAsked(path, assume_crs="EPSG:4326"), ON)


def _classes(path, _label):
    read_classes(path)


def _rain(path, _label):
    record = path.with_name("permit.toml")
    record.write_text(f'rain = "{path.name}"\nlog = "{path.name}"\n', encoding="utf-8")
    read_permit_record(record)


def _review(path, _label):
    record = read_review_record(path, review_schema())
    rounds = compare_reviews(record, record)
    page_of_rounds(rounds, record, record)
    letter_markdown(letter_of(record, ON, None, rounds))


def _words(path, _label):
    letter_of(json.loads(_record()), ON, path, None)


def _record():
    """A review with a finding of every status."""
    from siteplan_gis.report.records import review_record
    from tests.report.synthetic import make_review

    record = review_record(make_review())
    record["findings"] = list({row["status"]: row for row in record["findings"]}.values())[:4]
    return json.dumps(record).encode()


PERMIT = b"""received = 2026-04-01
complete = "2026-04-03"
issued = 2026-04-28
decision = "approved"
began = 2026-05-10T07:00:00
closed = [2026-04-17]
[[extension]]
granted = 2026-10-01
days = 90
[[notice]]
of = "start"
happened = "2026-05-10 07:00"
given = 2026-05-08
[[visit]]
day = 2026-06-01
found = "sediment"
"""
OVERRIDES = b"""[[override]]
fingerprint = "0123456789abcdef"
finding = "SAU-SLOPE:disturbed"
value = 0.42
decision = "pass"
who = "J. Smith"
when = 2026-05-04
reason = "It stays."
"""
SOIL_LOSS = b"""tables = "county manual, 2024"
r = 150.0
course = [["04-01", 0.08], ["07-01", 0.52], ["12-31", 1.0]]
[[area]]
name = "north"
acres = 4.2
k = 0.32
slope_percent = 6.0
length_ft = 150.0
cover = [{ from = 2026-04-15, to = 2026-07-31, c = 1.0, kept = 0.6 }, { from = 2026-08-01, to = 2026-10-31, c = 0.1 }]
"""
CATALOGUE = b"""name = "a"
invented = true
proj_grids = "."
[[layer]]
path = "input.toml"
role = "waters"
title = "t"
date = "2024-03-01"
scale_denominator = 24000
coverage = [-88.0, 43.0, -87.0, 44.0]
where = { field = "A", any_of = ["1", 2], none_of = [] }
[[dem]]
path = "input.toml"
units = "us-ft"
vertical_accuracy_ft = 0.3
"""
LIMITS = json.dumps({"type": "FeatureCollection", "features": [
    {"type": "Feature", "properties": {"MCD_NAME": name, "CTV": kind, "CNTY_NAME": "A", "annexed": "2020-01-01", "class": "4"},
     "geometry": {"type": "Polygon", "coordinates": [[[x, 43], [x + 0.1, 43], [x + 0.1, 43.1], [x, 43.1], [x, 43]]]}}
    for name, kind, x in (("ALPHA", "C", -88.0), ("BETA", "V", -87.95), ("GAMMA", "T", -87.8))]}).encode()  # fmt: skip
KML = (
    b"<kml><Document><Placemark><name>a</name><Polygon><outerBoundaryIs><LinearRing><coordinates>"
    b"-87,43 -87.1,43 -87,43.1 -87,43</coordinates></LinearRing></outerBoundaryIs></Polygon></Placemark></Document></kml>"
)
TEXTS = (
    b'C-TOPO-MAJR-N\nLimits of Disturbance EX 5 FT CONTOURS <LandXML>\nSCALE: 1" = 100\' 1:1200\n3/32" = 1\'-0" 24x36 ARCH D\n'
    b"CONTOUR INTERVAL 2 FT\n702.5'\n5/1/2026\nEPSG:3071\nus-ft\nELEV_FT\n1.5 miles\nNOT TO SCALE\nEROSION CONTROL PLAN"
)

READERS = {
    "landxml": (read_landxml, SAMPLES / "unclear-steep-surface" / "surfaces.xml", ".xml"),
    "manifest": (lambda path, _: read_manifest(path), SAMPLES / "pass-saukville-subdivision" / "siteplan.toml", ".toml"),
    "dxf": (read_cad, SAMPLES / "pass-saukville-drawing" / "plan.dxf", ".dxf"),
    "geojson": (read_geojson, ROOT / "tests" / "cases" / "H08" / "lod_3857.geojson", ".geojson"),
    "kml": (read_kml, KML, ".kml"),
    "texts": (_texts, TEXTS, ".txt"),
    "crs": (_crs, b"EPSG:3071", ".txt"),
    "labels": (_labels, np.linspace(-50, 900, 240, dtype="<f4").tobytes(), ".bin"),
    "overrides": (lambda path, _: read_overrides(path), OVERRIDES, ".toml"),
    "permit": (lambda path, _: read_permit_record(path), PERMIT, ".toml"),
    "rain": (_rain, b"ended,inches,runoff,When,Name,Location,Assessment,Phase,Maintenance\n2026-05-14 03:00,0.62,yes,2026-05-14 09:00,J. Doe,all,good,grading,none\n", ".csv"),
    "soil loss": (lambda path, _: read_soil_loss_inputs(path), SOIL_LOSS, ".toml"),
    "layers": (lambda path, _: read_catalogue(path), CATALOGUE, ".toml"),
    "review": (_review, _record, ".json"),
    "words": (_words, ROOT / "siteplan_gis" / "report" / "templates" / "letter.toml", ".toml"),
    "limits": (_limits, LIMITS, ".geojson"),
    "classes": (_classes, b"name,class,source\nAlpha,4,statute\nCity of Beta,3rd class,x\n", ".csv"),
}  # fmt: skip
"""What reads a file by path and label, a sound one (bytes, a file, or what makes it), and the end of its name."""


def sound(name: str) -> bytes:
    """Bytes of a sound file for a reader, cut to a size that is read in no time."""
    source = READERS[name][1]
    if callable(source):
        return source()
    return source if isinstance(source, bytes) else source.read_bytes()[:60_000]

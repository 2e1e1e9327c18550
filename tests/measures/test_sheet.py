from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from siteplan_gis.measures.sheets.sheet import feet_per_inch, stated_contour_interval_ft

CASES = Path(__file__).resolve().parents[1] / "cases"


def _case_rows() -> list[tuple[str, float | None]]:
    (check,) = json.loads((CASES / "H63" / "expected.json").read_text(encoding="utf-8"))["checks"]
    return [(row["text"], row["value"]) for row in check["rows"]]


SIBLINGS = [
    ("1\u2033 = 50\u2032", 50),
    ("1 in. = 50 ft.", 50),
    ("1 inch equals 40 feet", 40),
    ("ONE INCH EQUALS 100 FEET", 100),
    ("One inch equals one hundred feet", 100),
    ("ONE INCH EQUALS TWO HUNDRED FIFTY FEET", 250),
    ('1/8" = 1\'-0"', 8),
    ('3/32" = 1\'-0"', 10.666666666666666),
    ('\u215b" = 1\'-0"', 8),
    ('1\xbd" = 1\'-0"', 0.6666666666666666),
    ('1-1/2" = 1\'-0"', 0.6666666666666666),
    ("1'' = 50'-0''", 50),
    ("SCALE 1:480", 40),
    ("1=50", None),
    ("SCALE 1=50", None),
    ("1=50'", 50),
    ("1cm = 10m", 83.33333333333333),
    ("1:500", 41.666666666666664),
    ("SCALE: 1:1 200", 100),
    ("1:1.200", None),
    ('1"=50', None),
    ('1"=50"', None),
    ('1" = 50\'-6"', 50.5),
    ("HORIZONTAL: 1\" = 50'  VERTICAL: 1\" = 5'", 50),
    ("1\"=40' (H)  1\"=4' (V)", 40),
    ("SCALE: 1\"=40' HORIZ., 1\"=4' VERT.", 40),
    ("H: 1\"=40', V: 1\"=4'", 40),
    ("HORIZ. & VERT. 1\"=20'", 20),
    ("VERT 1\"=4'", None),
    ("VERTICAL SCALE 1\"=5'", None),
    ("1\"=50' 1\"=100'", None),
    ("1\"=50' (1:600)", 50),
    ("1\"=40' (24x36), 1\"=80' (11x17)", None),
    ("AS SHOWN", None),
    ("VARIES", None),
    ("0' 50' 100'", None),
    ("0 50 100 FEET", None),
    ("", None),
    ("SCALE IN FEET 0 25 50 100 1 INCH = 50 FT.", 50),
    ("1 INCH = 2,000 FEET", 2000),
    ("1:24,000", 2000),
    ("1:24000", 2000),
    ("50 FEET TO THE INCH", 50),
    ("100 feet per inch", 100),
    ("50 FT/IN", 50),
    ('1" = 1 MILE', 5280),
    ("1 INCH = 0.25 MILES", 1320),
    ("1 IN = 10 M", 32.808398950131235),
    ("3:1 SIDE SLOPES", None),
    ("1:3 SLOPE", None),
    ("SCALE: NONE", None),
    ("REVISED 1:30 PM", None),
    ("1/600", None),
    ("SCALE 1/600", 50),
    ("R.F. 1/1,200", 100),
    ("NOT TO SCALE (1\"=50')", None),
    ("1\"=50' UNLESS OTHERWISE NOTED", 50),
    ("1\"=0'", None),
    ("0\"=50'", None),
    ("1:0", None),
    ("1/0\" = 1'", None),
    ("6 TO 10 FT", None),
    ("6' TO 10'", None),
    ("SHEET 1 OF 12", None),
    ("2\" = 100'", 50),
    ("1\u201d= 50\u2019 \u2013 0\u201d", 50),
    ("1 INCH = 50 FEET, NAD83", 50),
    ("1\"=50'.", 50),
    ("(1\"=50')", 50),
    ("1\" = 1,000'", 1000),
    ("1\"=1000'", 1000),
    ("SCALE 1\u201d:50\u2019", None),
    ("Ma\xdfstab 1:1000", 83.33333333333333),
    ("1\"=50' HALF SIZE", None),
    ("1'=50'", None),
    ('24"x36"', None),
    ("1 inch to 50 feet", 50),
    ('SCALE:1"=60\'-0"', 60),
    ("1 in = 50 ft (approx)", None),
    ("1IN=50FT", 50),
    ("1\u2033=50\u2032", 50),
    ("1''=50'", 50),
    ("1' ' = 50'", None),
    ("11\"=50'", 4.545454545454546),
    ("DETAIL 3 1\"=50'", 50),
    ("1 inch = 600 inches", 50),
    ("1\" = 30' HORZ 1\" = 3' VERT", 30),
    ("1:600 @ A1", 50),
    ("1:600 @ A1, 1:1200 @ A3", None),
    ("5. 1\" = 40'", 40),
    ("SCALE 1\" = 40 '", 40),
    ("1 inch = 50 feet; contour interval 2 feet", 50),
    ("1\u201d= 50 FT. CONTOURS 2 FT", 50),
    ("FINISHED GRADE PLAN  SCALE: 1\"=30'", 30),
    ("SCALE 1\"=20' VERT. EXAGGERATION 5:1", 20),
    ("9" * 500 + '"=' + "9" * 500 + "'", None),
    ("1:" + "9" * 400, None),
]

INTERVALS = [
    ("CONTOUR INTERVAL = 2'", 2),
    ("2-FT CONTOURS", 2),
    ("0.5 m", 1.6404199475065615),
    ("C.I. = 2 FT", 2),
    ("CONTOUR INTERVAL: 2 FEET", 2),
    ("2' CONTOUR INTERVAL", 2),
    ("TWO FOOT CONTOUR INTERVAL", 2),
    ("2 FT. INTERVAL", 2),
    ("CONTOUR INTERVAL 1 FT, INDEX 5 FT", 1),
    ("INDEX CONTOUR INTERVAL 10'", None),
    ("CONTOUR INTERVAL 2", None),
    ("CONTOUR INTERVAL = 2' SCALE 1\"=50'", 2),
    ("SCALE 1\"=50'", None),
    ("1 M CONTOURS", 3.280839895013123),
    ("", None),
    ("EXISTING CONTOURS 2', PROPOSED CONTOURS 1'", None),
    ("Contour interval 1 foot", 1),
    ("CONTOUR INTERVAL = 0.5 METER", 1.6404199475065615),
    ("2\u2032 contours", 2),
    ("6 INCH CONTOURS", 0.5),
    ("CONTOUR INTERVAL = 0'", None),
    ("CONTOURS @ 2' INTERVALS", 2),
    ("MAJOR CONTOURS 10', MINOR CONTOURS 2'", 2),
    ("CI=2'", 2),
    ("10' MAJOR CONTOURS", None),
    ("1/2 FT CONTOURS", 0.5),
    ("contours at 2-foot intervals", 2),
    ("712' CONTOUR", None),
]


@pytest.mark.parametrize(("note", "expected"), _case_rows() + SIBLINGS)
def test_a_scale_note_is_read_or_refused(note: str, expected: float | None) -> None:
    value = feet_per_inch(note)
    assert value == (None if expected is None else pytest.approx(expected, rel=1e-9))


@pytest.mark.parametrize(("note", "expected"), INTERVALS)
def test_a_contour_note_is_read_or_refused(note: str, expected: float | None) -> None:
    value = stated_contour_interval_ft(note)
    assert value == (None if expected is None else pytest.approx(expected, rel=1e-9))


@given(
    st.sampled_from([10, 20, 30, 40, 50, 60, 100, 101, 200, 2000]),
    st.sampled_from(["''", '"', "\u2033", " inch", "IN."]),
)
def test_every_spelling_of_one_scale_says_the_same(feet: int, inch: str) -> None:
    assert feet_per_inch(f"Scale: 1{inch} = {feet}'") == feet
    assert feet_per_inch(f"1{inch}={feet:,} FEET") == feet
    assert feet_per_inch(f"SCALE 1:{feet * 12:,}") == feet


@given(st.text(max_size=300))
def test_no_text_upsets_the_reader(note: str) -> None:
    value = feet_per_inch(note)
    assert value is None or 0 < value < float("inf")
    interval = stated_contour_interval_ft(note)
    assert interval is None or interval > 0


@pytest.mark.parametrize("unit", ["1", "1,000", "1 ", "1/", "1-1/2 ", "ONE ", '1"=', "CONTOUR "])
def test_a_long_hostile_note_is_read_in_no_time(unit: str) -> None:
    note = unit * (1_000_000 // len(unit))
    begun = time.process_time()
    feet_per_inch(note)
    stated_contour_interval_ft(note)
    assert time.process_time() - begun < 5

"""Dictionaries of every shape: a sound scale, a note, or nothing; never a crash."""

import math

from hypothesis import given, settings
from hypothesis import strategies as st

from siteplan_gis.ingest.sheets.pdf_drawn import PageFrame
from siteplan_gis.ingest.sheets.pdf_places import viewport_scales

FRAME = PageFrame(0, 0, 2592, 1728)
KEYS = ("/BBox", "/Measure", "/Subtype", "/GPTS", "/LPTS", "/X", "/Y", "/CYX", "/U", "/C", "/R", "/Name", "/CTM", "/Projection",
        "/ProjectionType", "/Registration", "/Units", "/Neatline", "/Description")  # fmt: skip
PLAIN = st.one_of(
    st.none(), st.booleans(), st.floats(), st.integers(-10**400, 10**400), st.text(max_size=8), st.binary(max_size=4),
    st.sampled_from(["/GEO", "/RL", "ft", "m", "GEOGRAPHIC", "UT", "43.38", "-87.95"]),
    st.lists(st.floats(-200, 200), min_size=4, max_size=12),
)  # fmt: skip
OBJECTS = st.recursive(
    PLAIN,
    lambda inner: st.lists(inner, max_size=6) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=6),
    max_leaves=20,
)
BOX = st.lists(st.floats(-3000, 3000), min_size=4, max_size=4)
MEASURE = st.fixed_dictionaries(
    {"/Subtype": st.sampled_from(["/GEO", "/RL"])},
    optional={
        "/GPTS": st.lists(st.floats(-200, 200) | st.floats(), max_size=10) | OBJECTS,
        "/LPTS": st.lists(st.floats(-1, 2), max_size=10) | OBJECTS,
        "/X": st.lists(st.fixed_dictionaries({"/U": st.sampled_from(["ft", "m", "x"]), "/C": PLAIN}), max_size=2)
        | OBJECTS,
        "/Y": OBJECTS,
        "/CYX": PLAIN,
        "/R": PLAIN,
    },
)
VIEWPORT = st.fixed_dictionaries({"/BBox": BOX | OBJECTS, "/Measure": MEASURE | OBJECTS}, optional={"/Name": PLAIN})
PAGE = st.fixed_dictionaries({}, optional={"/VP": st.lists(VIEWPORT, max_size=3) | OBJECTS, "/LGIDict": OBJECTS})


@given(PAGE)
@settings(max_examples=300, deadline=None, derandomize=True)
def test_any_dictionary(page):
    evidence, notes = viewport_scales(page, FRAME, "page 1")
    for item in evidence:
        assert item.feet_per_inch is not None
        assert math.isfinite(item.feet_per_inch)
        assert item.feet_per_inch > 0
        assert item.plus_minus is None or item.plus_minus >= 0
    assert all(isinstance(note, str) for note in notes)


def test_arrays_that_hold_themselves_come_to_an_end():
    ring: list[object] = []
    ring += [ring, {"/Projection": {"/ProjectionType": "UT"}, "/CTM": [0.2, 0, 0, 0.2, 0, 0]}]
    evidence, _ = viewport_scales({"/LGIDict": ring}, FRAME, "page 1")
    assert evidence
    assert len(evidence) < 200

import pytest

from siteplan_gis.measures.sheets.paper import paper_sizes, reduction


@pytest.mark.parametrize(
    ("text", "sizes"),
    [
        ("24x36", [(24, 36)]),
        ("SHEET SIZE 24 x 36", [(24, 36)]),
        ('36" X 24"', [(24, 36)]),
        ("30\u2033\u00d742\u2033", [(30, 42)]),
        ("11 by 17 in.", [(11, 17)]),
        ("ARCH D", [(24, 36)]),
        ("ANSI D (22 x 34)", [(22, 34)]),
        ("ARCH full bleed E1", [(30, 42)]),
        ("TABLOID", [(11, 17)]),
        ("24x36, half size 12x18", [(24, 36), (12, 18)]),
        ("841 x 594 mm", [(23.386, 33.110)]),
        ("ISO A1", [(23.386, 33.110)]),
        ("A3", [(11.693, 16.535)]),
        ("", []),
        ("full size", []),
        ("36 x 24 ft pond", []),
        ("1.5x2", []),
        ("40x60'", []),
        ("SECTION A1.2", []),
    ],
)
def test_paper_sizes_as_written(text, sizes):
    assert [pytest.approx(size, abs=5e-3) for size in sizes] == list(paper_sizes(text))


@pytest.mark.parametrize(
    ("drawn", "printed", "times"),
    [
        ((24, 36), (24, 36), 1.0),
        ((24, 36), (23.5, 35.5), 1.0),
        ((24, 36), (12, 18), 2.0),
        ((22, 34), (11, 17), 2.0),
        ((24, 36), (11, 17), 24 / 11),
        ((11, 17), (22, 34), 0.5),
        ((24, 36), (8.5, 14), None),
        ((24, 36), (24, 24), None),
    ],
)
def test_reduction(drawn, printed, times):
    assert reduction(drawn, printed) == (times if times is None else pytest.approx(times))

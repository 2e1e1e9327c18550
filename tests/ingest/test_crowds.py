"""Drawings of one role that lie across each other by the million are set aside together, and told."""

import numpy as np
import pytest
import shapely

from siteplan_gis.ingest.plan.crowds import without_crowds
from siteplan_gis.measures.shapes.crowding import MOST_TOGETHER
from siteplan_gis.model.plan import PlanFeature


def drawn(role, geometries, layer="plan/sheet"):
    return [PlanFeature(role, one, layer, str(number)) for number, one in enumerate(geometries)]


def strokes(count):
    """Slanting strokes, all beside each other: n (n - 1) / 2 pairs."""
    at = 0.001 * np.arange(count)
    return shapely.linestrings(
        np.stack([np.column_stack((at, 0 * at)), np.column_stack((at + 100, 0 * at + 100))], axis=1)
    )


MOST = int((1 + np.sqrt(1 + 8 * MOST_TOGETHER)) / 2)


@pytest.mark.parametrize(("count", "kept"), [(MOST, True), (MOST + 1, False)])
def test_so_many_pairs_may_be_and_no_more(count, kept):
    fences, site = drawn("control", strokes(count)), drawn("site", [shapely.box(0, 0, 200, 200)])
    found, flags = without_crowds([*site, *fences])
    assert found == [*site, *(fences if kept else [])]
    assert [(flag.code, flag.layer) for flag in flags] == [("feature_unreadable", "plan/sheet")] * (not kept)


@pytest.mark.parametrize("width_m", [0.5, 5.0])
def test_needles_across_each_other_are_set_aside_whatever_their_width(width_m):
    ends = np.random.default_rng(1).uniform(0, 300, (4_000, 2, 2))
    needles = shapely.buffer(shapely.linestrings(ends), width_m, cap_style="flat")
    assert without_crowds(drawn("disturbed_area", needles))[0] == []


def test_very_many_drawings_beside_each_other_stay():
    x, y = (values.ravel() for values in np.meshgrid(2.0 * np.arange(150), 2.0 * np.arange(150)))
    squares = drawn("stabilization", shapely.box(x, y, x + 2, y + 2))
    points = drawn("inlet", shapely.points(x, y))
    lots = drawn("lot", [shapely.MultiPolygon([shapely.box(0, 0, 9, 9), shapely.box(20, 0, 29, 9)])])
    assert without_crowds([*squares, *points, *lots]) == ([*squares, *points, *lots], [])

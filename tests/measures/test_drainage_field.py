"""Receivers of every cell: acyclic, never uphill, and ending where they must."""

from __future__ import annotations

import numpy as np
import pytest
from shapely import LineString, Point, box

from siteplan_gis.measures.runoff.drainage_field import DEPRESSION, EDGE, SINK, receivers
from siteplan_gis.measures.runoff.ground import condition_around


def field_of(grid, sinks=(), barrier_m=0.5, culverts=()):
    return receivers(condition_around(grid, Point(0, 0), 900, culverts, sinks=sinks), barrier_m)


def ends_of(field):
    """The cell where the water of each cell ends."""
    ends = np.where(field.receiver >= 0, field.receiver, np.arange(field.receiver.size))
    while True:
        on = ends[ends]
        if (on == ends).all():
            return ends
        ends = on


def rough(step):
    rng = np.random.default_rng(5)

    def surface(x, y):
        z = 100 - 0.02 * x + 0.01 * y + 3 * np.sin(x / 40) * np.cos(y / 55) + rng.normal(0, 0.1, x.shape)
        return np.round(z / step) * step if step else z

    return surface


@pytest.mark.parametrize("step", [0, 0.1, 1.0], ids=["exact", "decimetres", "whole metres"])
@pytest.mark.parametrize("barrier_m", [0.0, 0.5, np.inf])
def test_water_never_runs_uphill_nor_in_a_ring(ground, step, barrier_m):
    field = field_of(ground(rough(step), half_m=120), barrier_m=barrier_m)
    rows, cols = field.z_m.shape
    assert np.array_equal(np.sort(field.order), np.arange(rows * cols))
    place = np.empty(rows * cols, int)
    place[field.order] = np.arange(rows * cols)
    goes_on = np.flatnonzero(field.receiver >= 0)
    to = field.receiver[goes_on]
    assert (place[to] > place[goes_on]).all()
    assert (field.z_m.ravel()[to] <= field.z_m.ravel()[goes_on]).all()
    assert (np.abs(to % cols - goes_on % cols) <= 1).all()
    assert (np.abs(to // cols - goes_on // cols) <= 1).all()
    assert (field.ended_by[goes_on] == 0).all()
    assert set(field.ended_by[field.receiver < 0].tolist()) <= {EDGE, DEPRESSION}
    if np.isinf(barrier_m):
        assert (field.ended_by != DEPRESSION).all()


def pitted(x, y):
    """A plane that falls to the east, with a noisy dent and a kettle 3 m deep."""
    kettle = np.clip(3 - np.hypot(x - 40, y) / 5, 0, None)
    dent = np.where(np.hypot(x + 60, y) < 2, 0.3, 0)
    return 100 - 0.02 * x - kettle - dent


def test_a_deep_depression_keeps_its_water_and_a_dent_does_not(ground):
    field = field_of(ground(pitted))
    ends = ends_of(field)
    pits = np.flatnonzero(field.ended_by == DEPRESSION)
    assert len(pits) == 1
    kettle = field.ground.placed(Point(pits[0] % 600 + 0.5, pits[0] // 600 + 0.5))
    assert kettle.distance(Point(40, 0)) < 2
    cells = np.indices((600, 600)).reshape(2, -1)
    west_of_it = (cells[0] == 300) & (cells[1] < 230)
    assert (ends[west_of_it] == pits[0]).all()


def test_a_given_sink_ends_water_that_would_run_on(ground):
    pond = box(0, 50, 10, 60)
    field = field_of(ground(pitted), sinks=[pond])
    ended = np.flatnonzero(field.ended_by == SINK)
    assert 100 <= ended.size <= 121
    ends = ends_of(field)
    x, y = (int(v) for v in np.floor(np.array(field.ground.pixels(Point(-50, 55)).coords[0])))
    assert field.ended_by[ends[y * 600 + x]] == SINK


def test_a_culvert_is_a_way_through_a_road(ground):
    def surface(x, y):
        return np.where(np.abs(x) < 4, 105, 100 - 0.02 * x + 0.05 * np.abs(y))

    for culverts, why in (((), DEPRESSION), ([LineString([(-8, 0), (8, 0)])], EDGE)):
        field = field_of(ground(surface, half_m=100), culverts=culverts)
        start = 100 * 200 + 40
        assert field.ended_by[ends_of(field)[start]] == why


def test_ground_without_elevations_has_no_receiver(ground):
    field = field_of(ground(lambda x, y: np.where(x > 20, np.nan, 100 + x), half_m=50))
    nothing = np.isnan(field.z_m.ravel())
    assert nothing.any()
    assert (field.receiver[nothing] == -1).all()
    assert (field.ended_by[nothing] == 0).all()
    assert field.order.size == (~nothing).sum()

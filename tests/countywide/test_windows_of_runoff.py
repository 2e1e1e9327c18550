"""A parcel's runoff that hangs on ground beyond its window: the window grows, and the answer is that of the table."""

from types import SimpleNamespace

import numpy as np
import pyogrio.raw
import pytest
import rasterio
import shapely
import shapely.affinity
from affine import Affine

from siteplan_gis.countywide.one import ParcelsAsked, evidence_of, laws, screen_rows
from siteplan_gis.ingest.reference.parcel_index import index_parcels
from siteplan_gis.measures.runoff.leaving_places import Drained, _groups_met
from siteplan_gis.measures.runoff.widening import Widening
from siteplan_gis.measuring.parcel_ground import taken_ground
from siteplan_gis.model.screening import Asked
from siteplan_gis.report.screening_records import screening_row
from tests.bench.county import make
from tests.campaigns.parcels_alone import OF_RUNOFF, County, differing, spread

EPSG, WEST, NORTH, CELL = "EPSG:6610", 680_000.0, 340_000.0, 5.0


def write(path, shapes, **fields):
    pyogrio.raw.write(
        path, shapely.to_wkb(shapes), [np.asarray(each, dtype=object) for each in fields.values()], list(fields),
        layer=path.stem, driver="FlatGeobuf", geometry_type=shapes[0].geom_type, crs=EPSG,
    )  # fmt: skip


@pytest.fixture(scope="module")
def county(tmp_path_factory):
    """A shallow basin 1,100 m long, whose way out lies in the east, a parcel at its western end, and one beyond it."""
    folder = tmp_path_factory.mktemp("basin")
    x, y = (np.arange(cells) * CELL + CELL / 2 for cells in (1000, 440))
    along = np.where(x < 400, 0.01 * (400 - x), 0.0004 * (x - 400))
    along = np.where(x > 1500, 0.44 - 0.01 * (x - 1500), along)
    z = 300 + along[None, :] + 0.002 * np.abs(y - 1097.5)[:, None]
    profile = {"driver": "GTiff", "width": x.size, "height": y.size, "count": 1, "dtype": "float64", "crs": EPSG}
    with rasterio.open(folder / "dem.tif", "w", transform=Affine(CELL, 0, WEST, 0, -CELL, NORTH), **profile) as out:
        out.write(z, 1)
    lots = [shapely.box(WEST + a, NORTH - 1140, WEST + a + 80, NORTH - 1060) for a in (250, 2900)]
    write(folder / "parcels.fgb", lots, PARCELID=["west", "east"])
    write(
        folder / "waters.fgb",
        [shapely.LineString([(WEST + 4900, NORTH), (WEST + 4900, NORTH - 2200)])],
        FCODE=["46006"],
    )
    return ParcelsAsked(
        folder / "parcels.fgb", None, (("waters", folder / "waters.fgb"), ("wetlands", folder / "waters.fgb")),
        (folder / "dem.tif",), "m", asked=Asked(listed=False),
    )  # fmt: skip


def row_of(given, *together):
    """The row of the western parcel, screened together with others."""
    evidence, path = evidence_of(given)
    index = index_parcels(path)
    ordinances, method = laws("")
    chosen = np.flatnonzero(np.isin(index.ids, ["west", *together])).tolist()
    found = screen_rows(index, chosen, evidence, ordinances, method, given)
    return next(screening_row(one) for one in found if one.parcel.id == "west")


def test_alone_the_window_grows_until_the_answer_is_that_of_the_table(county):
    alone, together = row_of(county), row_of(county, "east")
    assert together["runoff_plus_minus_ft"] is not None
    assert {name: value for name, value in alone.items() if value != together[name]} == {}


def test_what_rounding_leaves_of_a_parcel_is_nothing():
    parcel = shapely.Polygon([(0.1, 0.3), (90.7, 11.9), (77.3, 60.1), (3.3, 44.7)])
    for step, left_m2 in ((1e-9, 0.0), (1e-3, 0.05)):
        taken = {"widths": [shapely.affinity.translate(parcel, step, 0)]}
        rest, _ = taken_ground(taken, Asked(), np.array([parcel]))
        assert rest[0].area == pytest.approx(left_m2, abs=0.01), step
        assert (rest[0].area > 0) is (left_m2 > 0)


def test_where_no_more_is_read_the_row_says_so(county, monkeypatch):
    monkeypatch.setattr(Widening, "widen", lambda _: False)
    alone = row_of(county)
    assert alone["runoff_plus_minus_ft"] is None
    assert alone["runoff_within_quarter_mile"] != "yes"
    assert "the way from place 1 hangs on ground beyond the elevations that are read at once" in alone["not_known"]


def test_alone_as_in_the_table_of_a_generated_county(tmp_path):
    make(tmp_path, 80)
    generated = County(tmp_path)
    together = {row: screening_row(one) for row, one in generated.together().items()}
    without = {row: screening_row(one) for row, one in generated.together(runoff=False).items()}
    assert len(together) == 80
    assert [differing(together[row], without[row], OF_RUNOFF) for row in together] == [[]] * 80
    for row in spread(generated, 5):
        assert differing(screening_row(generated.screened([row])[0]), together[row]) == []


def test_where_waters_overlap_the_first_is_met_whatever_lies_beside_them():
    ground = SimpleNamespace(z_m=np.zeros((4, 4)), placed=lambda geometry: geometry)
    both = [shapely.box(0, 0, 4, 4), shapely.box(1, 1, 3, 3)]
    for more in range(40):
        shapes = [*both, *(shapely.box(9 + k, 0, 10 + k, 1) for k in range(more))]
        for order in (shapes, [*shapes[2:], *both]):
            field = SimpleNamespace(ground=ground)
            drained = Drained(field, np.arange(16), np.arange(16), shapely.STRtree(order), np.arange(len(order)))
            assert set(_groups_met(drained, np.array([5, 6, 9, 10])).tolist()) == {order.index(both[0])}

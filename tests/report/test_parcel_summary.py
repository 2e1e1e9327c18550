"""The summary of many parcels: counts that add up, and a page that stays small whatever comes."""

import math

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import shapely

from siteplan_gis.report.parcel_files import summary_of, summary_text
from siteplan_gis.report.parcel_page import summary_page
from siteplan_gis.report.parcel_summary import WORST
from siteplan_gis.report.parcel_table import SCHEMA

ABOUT = {"parcels": 0, "repeated_ids": 0, "without_id": 0, "left_out": {}, "invented": False, "sources": ()}


def part(path, count, *, degrees=0.5, corners=4, seed=1):
    rng = np.random.default_rng(seed)
    turn = np.linspace(0, 2 * math.pi, corners, endpoint=False)
    middles = np.column_stack([rng.uniform(-90, -90 + degrees, count), rng.uniform(43, 43 + degrees, count)])
    ring = 0.0008 * np.column_stack([np.cos(turn), np.sin(turn)]) * (1 + 0.1 * np.sin(40 * turn))[:, None]
    shapes = shapely.polygons(middles[:, None, :] + ring[None]) if count else np.empty(0, dtype=object)
    columns = {name: [None] * count for name in SCHEMA.names}
    columns["parcel"] = [f"{k:06d}" for k in range(count)]
    columns["state"] = ["left out" if k % 10 == 9 else "screened" for k in range(count)]
    columns["reason"] = ["no parcel: water (HYDRO)" if k % 10 == 9 else "" for k in range(count)]
    columns["acres"] = [2.0] * count
    columns["buildable_acres"] = [None if k % 4 == 1 else float(v) for k, v in enumerate(rng.uniform(0, 2, count))]
    columns["geometry"] = shapely.to_wkb(shapes).tolist() if count else []
    pq.write_table(pa.table(columns, schema=SCHEMA), path)
    return path


@pytest.mark.parametrize(
    ("count", "degrees", "corners"), [(0, 0.5, 4), (1, 0.1, 4), (40, 0.02, 4), (20_000, 3.0, 4), (450, 0.5, 3_000)]
)
def test_a_page_of_any_number_of_parcels_is_small_and_counts_them_all(tmp_path, count, degrees, corners):
    record = summary_of([part(tmp_path / "p.parquet", count, degrees=degrees, corners=corners)], ABOUT)
    screened = record["states"].get("screened", 0)
    known = screened - record["not_known"].get("buildable", 0)
    tiles = record["tiles"]
    assert (sum(one[2] for one in tiles), sum(one[6] for one in tiles)) == (screened, screened - known)
    assert sum(one[4] for one in tiles) == pytest.approx(2.0 * known, abs=0.01 * len(tiles))
    assert sum(one[5] for one in tiles) <= sum(one[4] for one in tiles)
    assert len(tiles) <= 4000
    assert len(record["ranking"]) == min(WORST, known)
    taken = [one["taken_acres"] for one in record["ranking"]]
    assert taken == sorted(taken, reverse=True)
    page = summary_page(record)
    assert len(page.encode()) < 5_000_000
    assert count < 10 or "no parcel: water (HYDRO)" in page
    assert count < 2 or f"without {record['not_known']['buildable']:,} of which it is not known" in page
    assert f"{screened:,} parcels screened" in summary_text(record, ()) or not count


def test_a_square_of_which_nothing_is_known_is_told_apart_from_one_of_which_nothing_is_taken(tmp_path):
    path = part(tmp_path / "p.parquet", 2, degrees=0.0001)
    table = pq.read_table(path, schema=SCHEMA)
    for amounts, words in (((None, None), "not known of 2 parcels"), ((2.0, 2.0), "0.0 of 4.0 acres")):
        column = table.schema.get_field_index("buildable_acres")
        pq.write_table(table.set_column(column, "buildable_acres", pa.array(amounts, pa.float64())), path)
        assert words in summary_page(summary_of([path], ABOUT))

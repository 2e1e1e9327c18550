"""Counts within a mile and the nearest, of every parcel: ours, and DuckDB's spatial extension.

python parcel_ways.py make FOLDER PARCELS | ours FOLDER | duckdb FOLDER
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

MILE = 1609.344


def make(folder, parcels):
    """Parcels, wetlands and streams as Parquet with WKB, and the county they come from."""
    import pyarrow as pa
    import pyarrow.parquet as pq
    import pyogrio.raw

    from tests.bench.county import make as county

    county(folder, parcels)
    for name, file in (("parcels", "parcels.gpkg"), ("wetlands", "wetlands.fgb"), ("streams", "streams.fgb")):
        wkb = pyogrio.raw.read(folder / file, columns=[])[2]
        pq.write_table(
            pa.table({"id": range(len(wkb)), "wkb": pa.array(wkb.tolist(), pa.binary())}), folder / f"{name}.parquet"
        )


def read(folder, *names):
    import numpy as np
    import pyarrow.parquet as pq
    import shapely

    found = [shapely.from_wkb(pq.read_table(folder / f"{name}.parquet").column("wkb").to_numpy()) for name in names]
    return np.concatenate(found)


def ours(folder):
    import numpy as np
    import shapely

    from siteplan_gis.measures.shapes.neighbours import find_neighbours, take_apart

    parcels, features = read(folder, "parcels"), read(folder, "wetlands", "streams")
    middle = shapely.get_coordinates(shapely.centroid(parcels))
    # As the program cuts them: blocks of some 1.5 miles, each with the features of its own window.
    block = np.floor(middle / 2500.0).astype(np.int64)
    _, of = np.unique(block, axis=0, return_inverse=True)
    order = np.argsort(of.ravel(), kind="stable")
    boxes = shapely.bounds(features)
    count, away = np.zeros(len(parcels), np.int64), np.full(len(parcels), np.inf)
    for rows in np.split(order, np.flatnonzero(np.diff(of.ravel()[order])) + 1):
        west, south, east, north = shapely.total_bounds(parcels[rows])
        near = (
            (boxes[:, 0] <= east + MILE)
            & (boxes[:, 2] >= west - MILE)
            & (boxes[:, 1] <= north + MILE)
            & (boxes[:, 3] >= south - MILE)
        )
        found = find_neighbours(take_apart(parcels[rows]), take_apart(features[near]), MILE)
        count[rows], away[rows] = found.count, np.where(found.nearest_m <= MILE, found.nearest_m, np.inf)
    return int(count.sum()), float(away[np.isfinite(away)].sum()), int(np.isfinite(away).sum())


def duckdb(folder):
    import duckdb as db
    from duckdb_extension_spatial import __file__ as beside

    extension = next(Path(beside).parent.rglob("spatial.duckdb_extension"))
    connection = db.connect(config={"threads": 2, "allow_unsigned_extensions": "true"})
    connection.execute(f"LOAD '{extension}'")
    for name in ("parcels", "wetlands", "streams"):
        connection.execute(f"CREATE TABLE {name} AS SELECT id, ST_GeomFromWKB(wkb) AS g FROM '{folder / name}.parquet'")  # noqa: S608
    connection.execute("CREATE TABLE features AS SELECT g FROM wetlands UNION ALL SELECT g FROM streams")
    query = f"""
        SELECT sum(n), sum(least), count(*) FROM (
            SELECT p.id, count(*) AS n, min(ST_Distance(p.g, f.g)) AS least
            FROM parcels p JOIN features f ON ST_DWithin(p.g, f.g, {MILE}) GROUP BY p.id)"""  # noqa: S608
    return tuple(connection.execute(query).fetchone())


def main():
    way, folder = sys.argv[1], Path(sys.argv[2])
    if way == "make":
        make(folder, int(sys.argv[3]))
        return
    start = time.perf_counter()
    pairs, sum_m, told = {"ours": ours, "duckdb": duckdb}[way](folder)
    print(
        json.dumps(
            {"seconds": time.perf_counter() - start, "pairs": int(pairs), "sum_m": float(sum_m), "told": int(told)}
        )
    )


if __name__ == "__main__":
    main()

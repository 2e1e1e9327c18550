"""Counts within a mile and the nearest, of every parcel of a state: ours, and DuckDB's spatial extension.

python parcel_ways.py make FOLDER PARCELS | county FOLDER PARCELS | ours FOLDER | duckdb FOLDER | plain FOLDER
"""

from __future__ import annotations

import json
import resource
import sys
import time
from pathlib import Path

MILE = 1609.344
SIDE = 290_000.0
WETLANDS, STREAMS = 1_000_000, 250_000
TILE = 4_000.0
"""Rows of a file that lie in one square of this side stand together, as spatially sorted GeoParquet has them."""

TOGETHER_M = 40_000.0
"""Parcels of a square of this side are looked at together: with half of it a sixth more is read, 0.1 GB less held."""

AT_ONCE = 2
SOON = 402.336
"""DuckDB looks for the nearest within a quarter mile first: distances of a whole mile cost more than the counts."""


def make(folder, parcels):
    """A state of wetlands (34 vertices), streams and parcels as Parquet with WKB and boxes, a row group a square."""
    import numpy as np
    import shapely

    from tests.bench.county import blobs

    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(20)
    write(folder / "wetlands.parquet", blobs(rng, WETLANDS, SIDE, 34, 22))
    heading = rng.uniform(0, 2 * np.pi, (STREAMS, 1)) + np.cumsum(rng.normal(0, 0.25, (STREAMS, 25)), axis=1)
    steps = 12 * np.stack([np.cos(heading), np.sin(heading)], axis=2)
    starts = rng.uniform(0, SIDE, (STREAMS, 1, 2)) * (1, -1) + CORNER
    write(folder / "streams.parquet", shapely.linestrings(starts + np.cumsum(steps, axis=1)))
    west, north = (rng.uniform(0, SIDE, (2, parcels)).T * (1, -1) + CORNER).T
    write(
        folder / "parcels.parquet",
        shapely.box(west, north, west + rng.uniform(20, 90, parcels), north + rng.uniform(20, 90, parcels)),
    )


CORNER = (680_000.0, 340_000.0)


def write(path, shapes):
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq
    import shapely

    boxes = shapely.bounds(shapes)
    cell = np.floor(boxes[:, :2] / TILE).astype(np.int64)
    order = np.lexsort((cell[:, 0], cell[:, 1]))
    edges = np.flatnonzero(np.diff(cell[order], axis=0).any(axis=1)) + 1
    schema = pa.schema([("id", pa.int64()), ("wkb", pa.binary()), *((name, pa.float64()) for name in SIDES)])
    with pq.ParquetWriter(path, schema) as out:
        for rows in np.split(order, edges):
            wkb = pa.array(shapely.to_wkb(shapes[rows]).tolist(), pa.binary())
            out.write_table(pa.table([rows, wkb, *boxes[rows].T], schema=schema), row_group_size=len(rows))


SIDES = ("west", "south", "east", "north")


class Squares:
    """A file of them, with the bounds of each square."""

    def __init__(self, path):
        import numpy as np
        import pyarrow.parquet as pq

        self.path, self.about = path, pq.read_metadata(path)
        self.bounds = np.empty((self.about.num_row_groups, 4))
        for number in range(self.about.num_row_groups):
            group = self.about.row_group(number)
            told = {group.column(k).path_in_schema: group.column(k).statistics for k in range(group.num_columns)}
            self.bounds[number] = [told[name].min for name in SIDES[:2]] + [told[name].max for name in SIDES[2:]]

    def read(self, groups):
        import pyarrow.parquet as pq

        file = pq.ParquetFile(self.path, metadata=self.about)
        return file.read_row_groups(list(groups), ["wkb", *SIDES], use_threads=False)

    def around(self, west, south, east, north):
        """What meets a window, by its boxes."""
        import numpy as np
        import pyarrow as pa
        import shapely

        def meets(box):
            return (box[0] <= east) & (box[2] >= west) & (box[1] <= north) & (box[3] >= south)

        table = self.read(np.flatnonzero(meets(self.bounds.T)).tolist())
        chosen = pa.array(meets([table.column(name).to_numpy() for name in SIDES]))
        return shapely.from_wkb(table.column("wkb").filter(chosen).to_numpy(zero_copy_only=False))


def ours(folder):
    """As the program does it: square by square, each with the features of its window, two at once, large ones first."""
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    import numpy as np
    import shapely  # noqa: F401  (loaded once, for the processes too)

    import siteplan_gis.measures.shapes.neighbours  # noqa: F401

    FILES.extend(Squares(folder / f"{name}.parquet") for name in ("parcels", "wetlands", "streams"))
    squares = {}
    for number, place in enumerate(np.floor(FILES[0].bounds[:, :2] / TOGETHER_M).astype(int).tolist()):
        squares.setdefault(tuple(place), []).append(number)
    with ProcessPoolExecutor(AT_ONCE, get_context("fork")) as pool:
        found = list(pool.map(looked_at, sorted(squares.values(), key=len, reverse=True)))
    return tuple(sum(column) for column in zip(*found, strict=True))


FILES = []
"""Those of `ours`, which forked processes know without being sent them."""


def looked_at(groups):
    """How many pairs the parcels of some row groups have, the metres to the nearest in all, and for how many."""
    import numpy as np
    import shapely

    from siteplan_gis.measures.shapes.flat_shapes import take_apart
    from siteplan_gis.measures.shapes.neighbours import find_neighbours

    parcels, *layers = FILES
    shapes = take_apart(shapely.from_wkb(parcels.read(groups).column("wkb").to_numpy()))
    west, south = shapes.boxes[:, :2].min(axis=0) - MILE
    east, north = shapes.boxes[:, 2:].max(axis=0) + MILE
    count, away = np.zeros(len(shapes), np.int64), np.full(len(shapes), np.inf)
    for layer in layers:
        found = find_neighbours(shapes, take_apart(layer.around(west, south, east, north)), MILE)
        count += found.count
        away = np.minimum(away, found.nearest_m)
    told = away <= MILE
    return count.sum(), away[told].sum(), told.sum()


def opened(folder):
    import duckdb as db
    from duckdb_extension_spatial import __file__ as beside

    extension = next(Path(beside).parent.rglob("spatial.duckdb_extension"))
    connection = db.connect(config={"threads": AT_ONCE, "allow_unsigned_extensions": "true"})
    connection.execute(f"LOAD '{extension}'")
    for name in ("parcels", "wetlands", "streams"):
        connection.execute(f"CREATE TABLE {name} AS SELECT id, ST_GeomFromWKB(wkb) AS g FROM '{folder / name}.parquet'")  # noqa: S608
    connection.execute("CREATE TABLE features AS SELECT g FROM wetlands UNION ALL SELECT g FROM streams")
    return connection


def duckdb(folder):
    """The quickest of the ways we tried: every pair is looked at once (SPATIAL_JOIN), distances only of the near."""
    within = "SELECT p.id, {what} FROM {parcels} p JOIN features f ON ST_DWithin(p.g, f.g, {reach}) GROUP BY p.id"
    least = "min(ST_Distance(p.g, f.g)) AS least"
    query = f"""
        WITH counted AS ({within.format(what="count(*) AS n", parcels="parcels", reach=MILE)}),
        soon AS ({within.format(what=least, parcels="parcels", reach=SOON)}),
        others AS (SELECT * FROM parcels ANTI JOIN soon USING (id)),
        later AS ({within.format(what=least, parcels="others", reach=MILE)}),
        nearest AS (SELECT * FROM soon UNION ALL SELECT * FROM later)
        SELECT sum(n), sum(least), count(*) FROM counted JOIN nearest USING (id)"""  # noqa: S608
    return joined(opened(folder), query)


def plain(folder):
    """The way that comes to mind first: it measures every pair a second time."""
    query = f"""
        SELECT sum(n), sum(least), count(*) FROM (
            SELECT p.id, count(*) AS n, min(ST_Distance(p.g, f.g)) AS least
            FROM parcels p JOIN features f ON ST_DWithin(p.g, f.g, {MILE}) GROUP BY p.id)"""  # noqa: S608
    return joined(opened(folder), query)


def joined(connection, query):
    plan = connection.execute(f"EXPLAIN {query}").fetchone()[1]
    if "SPATIAL_JOIN" not in plan or "NL_JOIN" in plan:
        raise RuntimeError(f"DuckDB does not join by its index:\n{plan}")
    return tuple(connection.execute(query).fetchone())


def main():
    way, folder = sys.argv[1], Path(sys.argv[2])
    if way == "make":
        make(folder, int(sys.argv[3]))
        return
    if way == "county":
        from tests.bench.county import make as county

        county(folder, int(sys.argv[3]))
        return
    start = time.perf_counter()
    pairs, sum_m, told = {"ours": ours, "duckdb": duckdb, "plain": plain}[way](folder)
    seconds = time.perf_counter() - start
    own, others = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    print(
        json.dumps({
            "seconds": seconds, "cpu_s": own.ru_utime + own.ru_stime + others.ru_utime + others.ru_stime,
            "memory_mb": (own.ru_maxrss + AT_ONCE * others.ru_maxrss) / 1024, "pairs": int(pairs),
            "sum_m": float(sum_m), "told": int(told),
        })
    )  # fmt: skip


if __name__ == "__main__":
    main()

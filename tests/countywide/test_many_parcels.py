"""Many parcels: the same answer as alone, however they are cut and whoever works; nothing lost, nothing twice."""

import csv
import json
import math
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pyogrio
import pytest
import shapely
from typer.testing import CliRunner

from siteplan_gis.cli import app
from siteplan_gis.countywide import job
from siteplan_gis.countywide.many import screen_many
from siteplan_gis.countywide.one import ParcelsAsked
from siteplan_gis.countywide.partitions import curve, partitioned
from siteplan_gis.report.parcel_table import SCHEMA, read_parts
from siteplan_gis.report.screening_records import ROW_COLUMNS

ROOT = Path(__file__).resolve().parents[2]
LAYERS = ROOT / "layers" / "saukville"
GIVEN = ParcelsAsked(None, LAYERS)


def rows_of(made):
    rows = [row for table in read_parts(made.parts) for row in table.to_pylist()]
    return sorted(rows, key=lambda row: row["file_row"])


@pytest.fixture(scope="module")
def together(tmp_path_factory):
    return rows_of(screen_many(GIVEN, tmp_path_factory.mktemp("together")))


def same(ours, theirs):
    """Equal text; numbers to ten digits; a trace within its doubt."""
    for one, other in zip(ours, theirs, strict=True):
        doubt = (one["runoff_plus_minus_ft"] or 0) + 1e-6
        for name in SCHEMA.names:
            if isinstance(one[name], float):
                slack = doubt if name == "runoff_flow_ft" else 1e-4 if name.startswith("runoff_") else 0.0
                assert one[name] == pytest.approx(other[name], rel=1e-7, abs=1e-9 + slack), (one["parcel"], name)
            else:
                assert one[name] == other[name], (one["parcel"], name)
    return True


def test_each_parcel_as_if_it_were_alone(together, tmp_path):
    assert same(rows_of(screen_many(GIVEN, tmp_path, most=1)), together)
    assert [row["state"] for row in together] == ["screened"] * 9


def test_two_processes_give_the_same_table(together, tmp_path):
    assert same(rows_of(screen_many(GIVEN, tmp_path, workers=2, most=3)), together)


def test_a_cluster_that_runs_already_and_loses_a_worker_gives_the_same_table(together, tmp_path):
    env = {**os.environ, "PYTHONPATH": str(ROOT)}

    def start(*arguments):
        return subprocess.Popen(
            [sys.executable, "-m", *arguments], env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )

    told = tmp_path / "scheduler.json"
    made = [start("distributed.cli.dask_scheduler", "--port", "0", "--no-dashboard", "--scheduler-file", str(told))]
    try:
        until = time.monotonic() + 60
        while not told.is_file() and time.monotonic() < until:
            time.sleep(0.1)
        address = json.loads(told.read_text())["address"]
        made += [
            start("distributed.cli.dask_worker", address, "--nthreads", "1", "--no-nanny", "--no-dashboard")
            for _ in range(2)
        ]
        from distributed import Client

        with Client(address) as client:
            client.wait_for_workers(2, timeout=60)
        killed = []

        def tell(done, total):
            if done and not killed:
                killed.append(made[1].pid)
                os.kill(made[1].pid, signal.SIGKILL)

        rows = rows_of(screen_many(GIVEN, tmp_path / "work", scheduler=address, tell=tell, most=1))
        assert killed
        assert same(rows, together)
    finally:
        for one in reversed(made):
            one.kill()
            one.wait()


def test_a_stopped_run_goes_on_where_it_stopped(together, tmp_path, monkeypatch):
    class StoppedError(Exception):
        pass

    def stop(done, total):
        if done >= 4:
            raise StoppedError

    with pytest.raises(StoppedError):
        screen_many(GIVEN, tmp_path, tell=stop, most=2)
    asked = []
    real = job.screen_rows
    monkeypatch.setattr(job, "screen_rows", lambda index, *more: asked.extend(index.ids) or real(index, *more))
    made = screen_many(GIVEN, tmp_path, most=2)
    assert (made.kept, len(asked)) == (4, 5)
    assert same(rows_of(made), together)
    # Other options are another run: nothing of this one is taken for its own.
    assert screen_many(ParcelsAsked(None, LAYERS, where="PARCELID=none"), tmp_path, most=2).kept == 0


def test_a_parcel_that_crashes_is_a_row_with_its_reason(together, tmp_path, monkeypatch):
    from siteplan_gis.measuring import parcels as measuring

    real = measuring.measure_parcels

    def crash(parcels, *more):
        if any(one.id == "4301-03" for one in parcels):
            raise ZeroDivisionError("on purpose")
        return real(parcels, *more)

    monkeypatch.setattr(measuring, "measure_parcels", crash)
    rows = rows_of(screen_many(GIVEN, tmp_path))
    failed = [row for row in rows if row["state"] == "failed"]
    assert [(row["parcel"], row["reason"]) for row in failed] == [("4301-03", "ZeroDivisionError: on purpose")]
    assert same(
        [row for row in rows if row["state"] != "failed"], [row for row in together if row["parcel"] != "4301-03"]
    )


def test_a_partition_whose_layers_are_gone_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr(job, "screen_rows", lambda *_: (_ for _ in ()).throw(OSError("the share went away")))
    rows = rows_of(screen_many(GIVEN, tmp_path))
    assert {(row["state"], row["reason"]) for row in rows} == {("failed", "OSError: the share went away")}


def square(lon, lat, side=0.0005):
    return [[[lon, lat], [lon + side, lat], [lon + side, lat + side], [lon, lat + side], [lon, lat]]]


def test_rows_that_are_no_parcels_and_names_that_are_not_unique(tmp_path):
    kinds = [
        ("7", ""),
        ("7", ""),
        ("", ""),
        ("ROW", ""),
        ("HYDRO", ""),
        ("8", "Right of Way"),
        ("9", "gap"),
        ("10", "Grove"),
    ]
    features = [
        {"type": "Feature", "properties": {"PARCELID": name, "PARCELTYPE": kind},
         "geometry": {"type": "Polygon", "coordinates": square(-87.945 + 0.001 * k, 43.38)}}
        for k, (name, kind) in enumerate(kinds)
    ]  # fmt: skip
    features.append({"type": "Feature", "properties": {"PARCELID": "11", "PARCELTYPE": ""}, "geometry": None})
    features.append({"type": "Feature", "properties": {"PARCELID": "12", "PARCELTYPE": ""},
                     "geometry": {"type": "Point", "coordinates": [-87.94, 43.38]}})  # fmt: skip
    path = tmp_path / "mine.geojson"
    path.write_text(json.dumps({"type": "FeatureCollection", "features": features}))
    made = screen_many(ParcelsAsked(path, LAYERS, invented=True), tmp_path / "work")
    rows = rows_of(made)
    assert [row["parcel"] for row in rows] == ["7", "7 (2)", "row 2", "ROW", "HYDRO", "8", "9", "10", "11", "12"]
    assert [row["state"] for row in rows] == ["screened"] * 3 + ["left out"] * 4 + ["screened"] + ["left out"] * 2
    assert [row["reason"] for row in rows[3:7]] == [
        "no parcel: right of way (ROW)", "no parcel: water (HYDRO)", "no parcel: right of way (Right of Way)",
        "no parcel: gap (gap)",
    ]  # fmt: skip
    assert (rows[8]["reason"], rows[9]["reason"]) == ("it has no geometry", "it is no area")
    assert (made.repeated_ids, made.without_id) == (1, 1)
    assert rows[1]["given_id"] == "7"


@pytest.mark.parametrize("name", ["out", "table.gpkg", "table.csv", "table.parquet"])
def test_the_table_in_every_format(together, tmp_path, name):
    out = tmp_path / name
    done = CliRunner().invoke(app, ["prescreen", "--layers", str(LAYERS), "--out", str(out)])
    assert done.exit_code == 0, done.stderr
    assert "9 of 9 parcels" in done.stderr
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []
    if name.endswith(".csv"):
        rows = list(csv.DictReader(out.read_text(encoding="utf-8").splitlines()))
        assert sorted(row["parcel"] for row in rows) == sorted(row["parcel"] for row in together)
        assert list(rows[0]) == list(ROW_COLUMNS)
        return
    path = out / "parcels.parquet" if name == "out" else out
    if name.endswith(".gpkg"):
        info = pyogrio.read_info(path)
        assert (info["features"], info["crs"], list(info["fields"])) == (9, "EPSG:4326", list(ROW_COLUMNS))
        return
    table = pq.read_table(path)
    geo = json.loads(table.schema.metadata[b"geo"])
    assert geo["columns"]["geometry"]["encoding"] == "WKB"
    shapes = shapely.from_wkb(table.column("geometry").to_pylist())
    assert geo["columns"]["geometry"]["bbox"] == pytest.approx(list(shapely.total_bounds(shapes)))
    rows = sorted(table.to_pylist(), key=lambda row: row["file_row"])
    assert same(rows, together)
    before = "" if name == "out" else "table."
    page = (path.parent / f"{before}summary.html").read_text(encoding="utf-8")
    assert "<script src" not in page
    assert len(page) < 5_000_000
    ranking = json.loads((path.parent / f"{before}summary.json").read_text())["ranking"]
    assert [row["taken_acres"] for row in ranking] == sorted((row["taken_acres"] for row in ranking), reverse=True)


def test_partitions_hold_every_row_once_and_keep_to_a_place():
    rng = np.random.default_rng(5)
    lonlat = np.column_stack([rng.uniform(-88.2, -87.8, 5000), rng.uniform(43.2, 43.5, 5000)])
    lonlat[7] = math.nan
    made = partitioned(lonlat, np.arange(5000), 100)
    assert sorted(np.concatenate([one.rows for one in made]).tolist()) == list(range(5000))
    assert max(len(one.rows) for one in made) <= 100
    for one in made[:-1]:
        assert len({tuple(np.round(place / 0.05)) for place in lonlat[one.rows]}) == 1
        assert np.ptp(lonlat[one.rows], axis=0).max() <= 0.025 + 1e-9
    assert len(np.unique(curve(lonlat[np.isfinite(lonlat[:, 0])]) >> 14)) > 100

"""The whole state's extraterritorial areas, beside the same job in PostGIS.

PostGIS: buffers of geographies for the reach, and for the division a Voronoi diagram of points set along the limits
(`ST_VoronoiPolygons` of each pair's common reach, points 20 m apart), dissolved by municipality. PostgreSQL is started
here for the occasion, as an unprivileged user, in a folder that is thrown away.
"""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.bench.running import ROOT, Row, run_once

_BINARIES = sorted(Path("/usr/lib/postgresql").glob("*/bin")) if Path("/usr/lib/postgresql").is_dir() else []
_SMALL = 25
_POINTS_M = 20
_LONGEST_S = 600

_SQL = """
CREATE TABLE reach AS SELECT id, m, body, ST_Difference(
  ST_Transform(ST_Buffer(ST_Transform(body, 4326)::geography, m, 'quad_segs=64')::geometry, 3071),
  (SELECT ST_Union(o.body) FROM limits o WHERE ST_DWithin(o.body, l.body, l.m * 1.01))) AS ground FROM limits l;
CREATE INDEX ON reach USING gist (ground);
CREATE TABLE pair AS SELECT a.id AS i, b.id AS j, ST_Intersection(a.ground, b.ground) AS common
  FROM reach a JOIN reach b ON a.id < b.id AND ST_Intersects(a.ground, b.ground);
CREATE TABLE cell AS SELECT p.i, p.j, (ST_Dump(ST_VoronoiPolygons(
    (SELECT ST_Collect(q.geom) FROM limits l, LATERAL ST_DumpPoints(ST_Segmentize(
       ST_Intersection(ST_Boundary(l.body), ST_Expand(p.common, 5000)), {points})) q WHERE l.id IN (p.i, p.j)),
    0, p.common))).geom AS geom FROM pair p;
CREATE INDEX ON cell USING gist (geom);
CREATE TABLE loss AS SELECT c.i, c.j,
    ST_Distance(ST_PointOnSurface(ST_Intersection(c.geom, p.common)), a.body)
      < ST_Distance(ST_PointOnSurface(ST_Intersection(c.geom, p.common)), b.body) AS first,
    ST_Union(ST_Intersection(c.geom, p.common)) AS ground
  FROM cell c JOIN pair p USING (i, j) JOIN limits a ON a.id = c.i JOIN limits b ON b.id = c.j
  WHERE ST_Intersects(c.geom, p.common) GROUP BY 1, 2, 3;
CREATE TABLE held AS SELECT r.id, COALESCE(ST_Difference(r.ground, (SELECT ST_Union(l.ground) FROM loss l
    WHERE (l.i = r.id AND NOT l.first) OR (l.j = r.id AND l.first))), r.ground) AS ground FROM reach r;
"""


def rows(runs):
    """The state in seconds and megabytes; a part of it beside PostGIS; one municipality more."""
    with tempfile.TemporaryDirectory(prefix="siteplan-etj-") as made:
        folder = Path(made)
        small, large = folder / "small.gpkg", folder / "state.gpkg"
        for path, count, vertices in ((small, _SMALL, 40_000), (large, 600, 1_000_000)):
            run_once(
                [sys.executable, str(ROOT / "tests" / "bench" / "municipal_limits.py"), path, str(count), str(vertices)]
            )
        run_once(_ours(small, folder / "warm"))
        seconds, memory, _ = run_once(_ours(large, folder / "out"))
        yield Row("etj: 600 municipalities, 1,000,000 vertices, all files", seconds, None, "s", 60)
        yield Row("etj: the same, peak memory", memory, None, "MB", 2000)
        yield Row("etj: etj.html of the state", (folder / "out" / "etj.html").stat().st_size / 1e6, None, "MB", 5)
        _, _, printed = run_once([sys.executable, "-c", _ONE_MORE, str(large)])
        whole, more = map(float, printed.split())
        yield Row("etj: one municipality more, beside all of them", more, whole, "s", 0.1)
        if _BINARIES:
            theirs = _postgis(small, folder)
            seconds, _, _ = run_once([sys.executable, "-c", _DIVIDE, str(small)])
            yield Row(f"etj: reach and division of {_SMALL} municipalities, beside PostGIS", seconds, theirs, "s", 1)


def _ours(limits, out):
    return [sys.executable, "-m", "siteplan_gis", "etj", str(limits), "--on", "2026-01-01", "--out", str(out)]


_DIVIDE = """
import sys
from datetime import date
import siteplan_gis
siteplan_gis.etj(sys.argv[1], on=date(2026, 1, 1))
"""
_ONE_MORE = """
import sys, time
from datetime import date
from pathlib import Path
from siteplan_gis.ingest.reference.limits import LimitsAsked, read_limits
from siteplan_gis.measures.territory.division import Body, divide
limits = read_limits(LimitsAsked(Path(sys.argv[1])), date(2026, 1, 1))
bodies = [Body(one.label, one.geometry, one.geometry, 2414.016) for one in limits.municipalities]
start = time.perf_counter()
before = divide(bodies[:300] + bodies[301:], limits.plane)
middle = time.perf_counter()
divide(bodies, limits.plane, before.pieces)
print(middle - start, time.perf_counter() - middle)
"""


def _postgis(limits, folder):
    """Seconds that PostGIS takes for reach and division, its table being loaded already."""
    data = Path(tempfile.mkdtemp(prefix="siteplan-pg-"))
    user = "postgres" if os.getuid() == 0 else pwd.getpwuid(os.getuid()).pw_name
    runas = ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups"] if os.getuid() == 0 else []
    if runas:
        shutil.chown(data, user, user)

    def run(program, *arguments, **more):
        return subprocess.run(
            [*runas, str(_BINARIES[-1] / program), *arguments],
            check=True,
            cwd=data,
            capture_output=True,
            text=True,
            **more,
        )

    try:
        run("initdb", "-D", str(data / "db"), "-A", "trust", "-U", "bench")
        run("pg_ctl", "-D", str(data / "db"), "-w", "-l", str(data / "log"), "-o",
            f"-k {data} -c listen_addresses='' -c fsync=off -c work_mem=256MB -c shared_buffers=512MB", "start")  # fmt: skip
        psql = ["-h", str(data), "-U", "bench", "-d", "postgres", "-v", "ON_ERROR_STOP=1", "-q"]
        run("psql", *psql, input="CREATE EXTENSION postgis;\n" + _load(limits))
        start = time.perf_counter()
        try:
            run("psql", *psql, input=_SQL.format(points=_POINTS_M), timeout=_LONGEST_S)
        except subprocess.TimeoutExpired:
            print(f"# PostGIS was stopped after {_LONGEST_S} s", file=sys.stderr)
        return time.perf_counter() - start
    finally:
        subprocess.run(
            [*runas, str(_BINARIES[-1] / "pg_ctl"), "-D", str(data / "db"), "-m", "immediate", "stop"],
            check=False,
            cwd="/",
            capture_output=True,
        )
        shutil.rmtree(data, ignore_errors=True)


def _load(limits):
    """The limits as SQL, made in another process: this one must stay light."""
    script = (
        "import sys, pyogrio, shapely\n"
        "meta, _, wkb, (ctv, grade) = pyogrio.raw.read(sys.argv[1], columns=['CTV', 'CITY_CLASS'])\n"
        "print('CREATE TABLE limits (id int primary key, m float, body geometry(Geometry, 3071));')\n"
        "for k, shape in enumerate(wkb):\n"
        "    far = 4828.032 if ctv[k] == 'C' and grade[k] in '123' else 2414.016\n"
        "    print(f\"INSERT INTO limits VALUES ({k}, {far}, ST_SetSRID('{shape.hex()}'::geometry, 3071));\")\n"
        "print('CREATE INDEX ON limits USING gist (body); ANALYZE limits;')\n"
    )
    _, _, printed = run_once([sys.executable, "-c", script, str(limits)])
    return printed

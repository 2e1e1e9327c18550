"""Our own readers over files whose bytes were changed at random: each reads or refuses, soon.

    python -m tests.campaigns.fuzz [--seconds 600] [--seed 1] [READER ...]

Exit 1 where a reader raised anything but `InputError`, or took longer than ten seconds; the input is kept and named.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from pathlib import Path

from siteplan_gis.errors import InputError
from siteplan_gis.ingest.cad import read_cad
from siteplan_gis.ingest.geojson import read_geojson
from siteplan_gis.ingest.kml import read_kml
from siteplan_gis.ingest.landxml import root_name
from siteplan_gis.ingest.manifest import read_manifest
from siteplan_gis.ingest.roles import guess_role, guess_surface_role
from siteplan_gis.ingest.surfaces import read_landxml
from siteplan_gis.measures.sheet import scales_in, stated_contour_interval_ft

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "sample_plans"
SLOW_S = 10.0
PIECES = (
    b"nan", b"-1", b"1e999", b"\x00", b"\xff\xfe", b"<", b">", b"]]>", b"\n", b'"', b"<F>1 2 3</F>", b"[[layer]]", b"=",
    b"9" * 400, b"<!--", b"&a;", b"0\nINSERT\n", b"{", b"[" * 50,
)  # fmt: skip


def _names(path, _label):
    name = path.read_bytes().decode("latin-1")
    return (
        guess_role(name),
        guess_surface_role(name),
        root_name(path),
        scales_in(name),
        stated_contour_interval_ft(name),
    )


READERS = {
    "landxml": (read_landxml, SAMPLES / "unclear-steep-surface" / "surfaces.xml"),
    "manifest": (lambda path, _label: read_manifest(path), SAMPLES / "pass-saukville-subdivision" / "siteplan.toml"),
    "dxf": (read_cad, SAMPLES / "pass-saukville-drawing" / "plan.dxf"),
    "geojson": (read_geojson, ROOT / "tests" / "cases" / "H08" / "lod_3857.geojson"),
    "kml": (read_kml, (b"<kml><Document><Placemark><name>a</name><Polygon><outerBoundaryIs><LinearRing><coordinates>"
            b"-87,43 -87.1,43 -87,43.1 -87,43</coordinates></LinearRing></outerBoundaryIs></Polygon></Placemark></Document></kml>")),
    "names": (_names, b"C-TOPO-MAJR-N Limits of Disturbance EX 5 FT CONTOURS <LandXML> SCALE: 1\" = 100' 1:1200 CONTOUR INTERVAL 2 FT"),
}  # fmt: skip


def sound(source):
    """Bytes of a sound file, cut to a size that is read in no time."""
    if isinstance(source, bytes):
        return source
    return source.read_bytes()[:60_000]


def changed(content, chance):
    """Some bytes replaced, cut, repeated or joined by pieces that readers dislike."""
    found = bytearray(content)
    for _ in range(chance.randint(1, 6)):
        at = chance.randrange(len(found) + 1)
        size = chance.choice((1, 4, 40, 400))
        kind = chance.randrange(5)
        if kind == 0:
            found[at : at + 1] = bytes([chance.randrange(256)])
        elif kind == 1:
            del found[at : at + size]
        elif kind == 2:
            found[at:at] = found[at : at + size] * chance.randint(1, 5)
        else:
            found[at : at + chance.choice((0, 1, 8))] = chance.choice(PIECES)
    return bytes(found)


def fuzz(name, tries, seconds, seed):
    """How many inputs a reader took, and what it did wrong: (problem, input)."""
    read, source = READERS[name]
    chance, content = random.Random(f"{name} {seed}"), sound(source)
    faults, done, until = [], 0, time.perf_counter() + seconds
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "input"
        while done < tries and time.perf_counter() < until:
            tried = changed(content, chance)
            path.write_bytes(tried)
            began = time.perf_counter()
            try:
                read(path, "input")
            except InputError:
                pass
            except Exception as error:  # noqa: BLE001
                faults.append((f"{type(error).__name__}: {error}"[:200], tried))
            if time.perf_counter() - began > SLOW_S:
                faults.append((f"{time.perf_counter() - began:.0f} s", tried))
            done += 1
    return done, faults


def main():
    parser = argparse.ArgumentParser(
        prog="python -m tests.campaigns.fuzz", description="Our readers over changed files."
    )
    parser.add_argument("names", nargs="*", metavar="READER", help=f"of {', '.join(READERS)}; all by default")
    parser.add_argument("--seconds", type=float, default=600, help="over all readers together")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    names, bad = options.names or [*READERS], 0
    for name in names:
        done, faults = fuzz(name, sys.maxsize, options.seconds / len(names), options.seed)
        print(f"{name}: {done} inputs, {len(faults)} faults", flush=True)
        for number, (problem, tried) in enumerate(dict(faults).items()):
            kept = Path(tempfile.gettempdir()) / f"fuzz-{name}-{number}"
            kept.write_bytes(tried)
            print(f"  {problem} ({kept})")
        bad += len(faults)
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()

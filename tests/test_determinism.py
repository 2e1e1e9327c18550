"""The same inputs and day give the same bytes, wherever and by however many the program runs."""

import shutil
from pathlib import Path

from tests.campaigns.running import siteplan

ROOT = Path(__file__).resolve().parents[1]
SAMPLES = ROOT / "sample_plans"
SURROUNDINGS = (
    {"PYTHONHASHSEED": "1", "NUMBA_NUM_THREADS": "1", "LC_ALL": "C", "TZ": "UTC", "OMP_NUM_THREADS": "1"},
    {"PYTHONHASHSEED": "77", "NUMBA_NUM_THREADS": "2", "LC_ALL": "de_DE.UTF-8", "TZ": "Pacific/Kiritimati"},
)


def test_hash_seeds_threads_locales_time_zones_and_the_order_of_folders_change_no_byte(tmp_path):
    """A plan of a drawing, a PDF and surfaces, its files written in one order and in the other."""
    files = [SAMPLES / "pass-saukville-drawing" / name for name in ("plan.dxf", "C-1.pdf", "siteplan.toml")]
    files.append(SAMPLES / "unclear-steep-surface" / "surfaces.xml")
    results = []
    for number, surroundings in enumerate(SURROUNDINGS):
        work = tmp_path / str(number)
        (work / "plan").mkdir(parents=True)
        for file in files if number else reversed(files):
            shutil.copy(file, work / "plan" / file.name)
        done = siteplan(
            "review", "plan", "--layers", ROOT / "layers" / "saukville", "--on", "2026-05-01", "--out", "out",
            folder=work, seconds=120, **surroundings,
        )  # fmt: skip
        assert done.fault == "", done.stderr
        assert done.code in {0, 1, 3}, done.stderr
        outputs = {path.name: path.read_bytes() for path in sorted((work / "out").iterdir())}
        results.append((done.code, done.stdout, outputs))
    assert results[0] == results[1]
    assert set(results[0][2]) >= {"review.json", "findings.gpkg", "review.html"}


def test_no_other_command_writes_other_bytes_elsewhere(tmp_path):
    """Letter, rounds, extraterritorial areas, one parcel and many, in two surroundings."""
    layers = ROOT / "layers" / "saukville"
    given = ("--layers", layers, "--ordinance", "saukville", "--on", "2026-05-01", "--print-sheet", "letter")
    done = siteplan(
        "review", SAMPLES / "pass-saukville-subdivision" / "plan.gpkg", *given, "--out", tmp_path / "review", seconds=240
    )  # fmt: skip
    assert done.fault == "", done.stderr
    review = tmp_path / "review" / "review.json"
    wanted = {
        "letter": ("letter", review, "--since", review, "--on", "2026-05-02", "--out", "out/letter.docx"),
        "compare": ("compare", review, review, "--out", "out"),
        "etj": ("etj", layers, "--on", "2026-05-01", "--parcels", layers / "parcels.fgb", "--out", "out"),
        "one": ("prescreen", "--layers", layers, "--parcel", "4301-02", "--out", "out"),
        "many": ("prescreen", "--layers", layers, "--out", "out/table.csv"),
    }
    for name, words in wanted.items():
        results = []
        for number, surroundings in enumerate(SURROUNDINGS):
            work = tmp_path / name / str(number)
            (work / "out").mkdir(parents=True)
            done = siteplan(*words, folder=work, seconds=240, **surroundings)
            assert done.fault == "", done.stderr
            outputs = {path.name: path.read_bytes() for path in sorted((work / "out").iterdir())}
            results.append((done.code, done.stdout.replace(str(work), ""), outputs))
        assert results[0] == results[1], name
        assert results[0][2]

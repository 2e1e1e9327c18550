"""Nasty texts in the village's own files (layers, decisions, the permit's record), followed into every output."""

import json
import shutil

import pyogrio
import pytest

from tests.campaigns.readers import SOIL_LOSS
from tests.campaigns.running import ROOT
from tests.test_text_dirt import LAYERS, NASTY, cells, harmless, look_through, number, run

SAMPLE = ROOT / "sample_plans" / "unclear-saukville-duplex"
WRITABLE = [words.replace("\x00", "") for words in NASTY]
NAMES = ("GNIS_NAME", "NAME", "ROAD", "PERMANENT_", "NWI_ID", "WWI_ID", "FLD_AR_ID", "CULV_ID", "PARCELID", "CONAME", "PLACENAME", "CNTY_NAME",
         "WETLAND_TYPE")  # fmt: skip
SAID = "calc"
GIVEN = ("--ordinance", "saukville", "--on", "2026-05-01")


def quoted(words):
    return json.dumps(words).replace("\x7f", "")


@pytest.fixture(scope="module")
def layers(tmp_path_factory):
    """The village's layers with nasty names, titles and sources."""
    folder = tmp_path_factory.mktemp("layers") / "saukville"
    shutil.copytree(LAYERS, folder)
    for path in folder.glob("*.fgb"):
        frame = pyogrio.read_dataframe(path)
        for column in frame.columns.intersection(NAMES):
            frame[column] = [WRITABLE[row % len(WRITABLE)] for row in range(len(frame))]
        if "MCD_NAME" in frame:
            others = ~frame["MCD_NAME"].str.contains("SAUKVILLE", case=False)
            frame.loc[others, "MCD_NAME"] = WRITABLE[: int(others.sum())]
        pyogrio.write_dataframe(frame, path, driver="FlatGeobuf")
    told, turn = [], 0
    for line in (folder / "layers.toml").read_text(encoding="utf-8").splitlines():
        key = line.split(" =")[0]
        if key in {"title", "source", "licence"}:
            told.append(f"{key} = {quoted(WRITABLE[turn % len(WRITABLE)][:300])}")
            turn += 1
        else:
            told.append(line)
    (folder / "layers.toml").write_text("\n".join(told), encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def records(tmp_path_factory):
    """A permit's record, its tables and what is computed of soil loss, each text in them nasty."""
    folder = tmp_path_factory.mktemp("records")
    words = [one for one in WRITABLE if one.strip() and len(one) <= 400]
    table = "\u202e=1<b>.csv"
    rows = "".join(
        f"2025-04-{day:02d} 08:00,{','.join(json.dumps(one, ensure_ascii=False) for _ in range(5))}\n"
        for day, one in enumerate((one for one in words if not {'"', "\n", "\r", "\\"} & {*one}), 1)
    )
    (folder / table).write_text(f"when,name,location,assessment,phase,maintenance\n{rows}", encoding="utf-8")
    notices = "".join(f"[[notice]]\nof = {quoted(one)}\nhappened = 2025-04-15\ngiven = 2025-04-18\n" for one in words)
    permit = (
        f"received = 2025-03-10\nissued = 2025-04-14\nbegan = 2025-04-15T07:00:00\nlog = {quoted(table)}\n{notices}"
    )
    (folder / "permit.toml").write_text(permit, encoding="utf-8")
    soil = (
        SOIL_LOSS.decode()
        .replace('"county manual, 2024"', quoted("".join(words)[:200]))
        .replace('"north"', quoted(words[0]))
    )
    (folder / "soil_loss.toml").write_text(soil, encoding="utf-8")
    return folder


def test_a_review_with_all_the_villages_files(layers, records, tmp_path):
    given = (*GIVEN, "--layers", layers, "--permit", records / "permit.toml", "--soil-loss", records / "soil_loss.toml")
    told = json.loads(run("review", SAMPLE, *given, "--json").stdout)
    tables = [
        f'[[override]]\nfingerprint = {quoted(row["fingerprint"])}\nfinding = {quoted(words)}\ndecision = "needs_review"\n'
        f"who = {quoted(words)}\nwhen = 2026-05-01\nreason = {quoted(words[:4000])}\n"
        for row, words in zip(told["findings"], [one[:4000] for one in WRITABLE if one.strip()], strict=False)
    ]
    tables.append(tables[0].replace(told["findings"][0]["fingerprint"], "0123456789abcdef"))
    (tmp_path / "overrides.toml").write_text("\n".join(tables), encoding="utf-8")
    out = tmp_path / "out"
    run("review", SAMPLE, *given, "--overrides", tmp_path / "overrides.toml", "--out", out, "--print-sheet", "letter")
    run("letter", out / "review.json", "--on", "2026-05-02")
    run("letter", out / "review.json", "--on", "2026-05-02", "--out", out / "letter.md")
    run("compare", out / "review.json", out / "review.json", "--out", out)
    seen = look_through(out)
    assert {
        "review.json",
        "review.html",
        "findings.gpkg",
        "letter.docx",
        "letter.md",
        "site_map.pdf",
        "rounds.html",
    } <= set(seen)
    for name in ("review.json", "review.html", "findings.gpkg", "letter.docx"):
        assert SAID in seen[name], name
    assert any(row["override"] for row in json.loads(seen["review.json"])["findings"])


def test_screenings_over_such_layers(layers, tmp_path):
    for as_json in ((), ("--json",)):
        assert SAID in run("layers", "list", layers, *as_json).stdout
        assert SAID in run("layers", "check", layers, *as_json).stdout
    given = ("prescreen", "--layers", layers, "--no-runoff")
    run(*given, "--out", tmp_path / "many" / "table.csv")
    run(*given, "--at=-87.945,43.38", "--out", tmp_path / "one")
    table = look_through(tmp_path / "many")["table.csv"]
    assert all(harmless(value) or number(value) for value in cells(table))
    assert SAID in table
    assert look_through(tmp_path / "one")
    run("etj", layers / "municipalities.fgb", "--on", "2026-05-01", "--out", tmp_path / "etj", code={0, 1, 2, 3})
    look_through(tmp_path / "etj")

"""No paragraph of the supplied texts is missing from the published matrix."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from siteplan_gis.cli import app
from siteplan_gis.ordinances.reader import read_ordinance, shipped

TEXTS = Path(__file__).parent / "texts"
ENUMERATOR = re.compile(r"^(?:\(?[A-Za-z0-9]{1,3}\)?\.?|\[\d\])$")
LEAST = 12
"""A quote covers a line when at least this much of it (or half of a short line) lies in the line."""


def lines_of(name: str) -> list[str]:
    return [" ".join(line.split()) for line in (TEXTS / f"{name}.txt").read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("name", shipped())
def test_every_line_is_quoted_by_a_rule_or_named_as_a_passage(name):
    lines, ordinance = lines_of(name), read_ordinance(name)
    starts, text = [], ""
    for line in lines:
        starts.append(len(text))
        text += line + " "
    marked = bytearray(len(text))
    for rule in ordinance.rules:
        for piece in filter(None, (part.strip() for part in rule.quote.split("[...]"))):
            at = text.find(piece)
            assert at >= 0, (rule.id, piece)
            while at >= 0:
                marked[at : at + len(piece)] = b"\1" * len(piece)
                at = text.find(piece, at + 1)
    after = 0
    for passage in ordinance.passages:
        begins = text.find(passage.begins, after)
        assert begins >= 0, passage.begins
        ends = text.find(passage.ends, begins)
        assert ends >= 0, passage.ends
        after = begins
        marked[begins : ends + len(passage.ends)] = b"\1" * (ends + len(passage.ends) - begins)
    missing = [
        (number, line)
        for number, (line, start) in enumerate(zip(lines, starts, strict=True), 1)
        if line and not ENUMERATOR.match(line) and sum(marked[start : start + len(line)]) < min(LEAST, len(line) / 2)
    ]
    assert missing == []


@pytest.mark.parametrize("name", shipped())
def test_the_markdown_holds_every_rule_and_passage(name):
    done = CliRunner().invoke(app, ["rules", name, "--format", "md"])
    assert done.exit_code == 0
    ordinance = read_ordinance(name)
    rows = [line for line in done.stdout.splitlines() if line.startswith("| ")]
    for rule in ordinance.rules:
        (row,) = (line for line in rows if line.startswith(f"| {rule.id} |"))
        assert len(re.findall(r"(?<!\\)\|", row)) == 6
        assert rule.check or rule.why_not, rule.id
    for passage in ordinance.passages:
        assert any(passage.why.replace("|", "\\|") in row for row in rows)
    as_json = CliRunner().invoke(app, ["rules", name, "--format", "json"])
    assert as_json.stdout == CliRunner().invoke(app, ["rules", name, "--json"]).stdout

from __future__ import annotations

from dataclasses import replace

import pytest

from siteplan_gis.errors import InputError
from siteplan_gis.ingest.records.soil_loss_inputs import read_soil_loss_inputs
from siteplan_gis.measures.soil_loss import length_slope
from siteplan_gis.model.plan import Stated
from siteplan_gis.reviewing import run
from tests.checks.conftest import make_case, rule_of

GOOD = """
tables = "county manual, 2024, tables 2 and 5"
r = 150.0
course = [["03-31", 0.08], ["06-30", 0.52], ["09-30", 0.91], ["12-31", 1.0]]
[[area]]
name = "north"
acres = 4.2
k = 0.32
slope_percent = 6.0
length_ft = 150.0
cover = [
  { from = 2026-04-01, to = 2026-06-30, c = 1.0, kept = KEPT },
  { from = 2026-07-01, to = 2026-07-31, c = 0.01, kept = 1.0 },
]
"""
BARE = 150 * 0.32 * (0.52 - 0.08) * length_slope(150 * 0.3048, 0.06)  # R x K x the share from April to June x LS


def test_bare_ground_on_paper():
    assert pytest.approx(17.387, abs=0.001) == BARE


def inputs(tmp_path, text):
    path = tmp_path / "soil_loss.toml"
    path.write_text(text, encoding="utf-8")
    return read_soil_loss_inputs(path)


def outcome(tmp_path, text=None, *, slope=None, stated=None):
    case = make_case("saukville", {"slope_percent_median": slope} if slope else {})
    plan = replace(case.site.plan, stated=Stated(sediment_tons_per_acre_year=stated))
    given = inputs(tmp_path, text) if text else None
    case = replace(case, site=replace(case.site, plan=plan), soil_loss=given)
    return run(rule_of(case, "SAU-USLE"), case)


def with_kept(share):
    return GOOD.replace("KEPT", repr(share))


@pytest.mark.parametrize(
    ("tons", "status"), [(4.999, "pass"), (5.0, "pass"), (5.001, "needs_review")]
)  # "to the maximum extent practicable": more is the reviewer's
def test_five_tons(tmp_path, tons, status):
    (found,) = outcome(tmp_path, with_kept(1 - tons / BARE))
    assert found.status.value == status
    assert found.measured.value == pytest.approx(tons, abs=2e-4)
    assert found.sources[0].sha256


def test_without_factors_it_is_a_line_of_the_checklist(tmp_path):
    (found,) = outcome(tmp_path, stated=3.0)
    assert not found.counted
    assert "3.00 tons" in found.message


def test_the_measured_slope_brings_its_doubt(tmp_path):
    text = with_kept(1 - 4.9 / BARE).replace("slope_percent = 6.0\n", "")
    (sure,) = outcome(tmp_path, text, slope=(6.0, 0.001))
    assert sure.status.value == "pass"
    (unsure,) = outcome(tmp_path, text, slope=(6.0, 1.0))
    assert unsure.status.value == "needs_review"
    assert unsure.measured.plus_minus > 0.1
    (unknown,) = outcome(tmp_path, text)
    assert unknown.status.value == "not_checked"


@pytest.mark.parametrize(("slope", "status"), [("33.0", "needs_review"), ("33.1", "not_checked")])
def test_steeper_ground_is_not_checked(tmp_path, slope, status):
    (found,) = outcome(tmp_path, with_kept(0.5).replace("slope_percent = 6.0", f"slope_percent = {slope}"))
    assert found.status.value == status


def test_a_stated_value_is_compared(tmp_path):
    text = with_kept(1 - 4.0 / BARE)
    assert [item.status.value for item in outcome(tmp_path, text, stated=4.1)] == ["pass", "pass"]
    assert [item.status.value for item in outcome(tmp_path, text, stated=2.0)] == ["pass", "needs_review"]


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("to = 2026-06-30", "to = 2026-06-29", "covers follow day by day"),
        ('["12-31", 1.0]', '["12-30", 1.0]', "ends with"),
        ('["06-30", 0.52]', '["06-30", 0.05]', "must rise"),
        ('["06-30", 0.52]', '["June", 0.52]', "is not a day of the year"),
        ('["06-30", 0.52]', '["02-29", 0.52]', "is not a day of the year"),
        ("k = 0.32", "k = 1.32", "k"),
        ("r = 150.0", "r = -1.0", "r"),
        ('tables = "county manual, 2024, tables 2 and 5"', 'tables = ""', "tables"),
        ("acres = 4.2", "acre = 4.2", "unknown key"),
    ],
)
def test_a_slip_is_named(tmp_path, old, new, told):
    text = with_kept(0.5).replace(old, new, 1)
    with pytest.raises(InputError, match=told):
        inputs(tmp_path, text)

"""Where part of the disturbed ground has no elevation, drawn outfalls tell nothing of runoff that leaves elsewhere."""

from dataclasses import replace
from datetime import date
from pathlib import Path

import numpy as np
import pytest
import shapely

from siteplan_gis.ingest.plan.vectors import read_plan
from siteplan_gis.ingest.reference.catalogue import read_catalogue
from siteplan_gis.measuring.ground import shapes
from siteplan_gis.measuring.survey import take_measurements
from siteplan_gis.model.review import Case
from siteplan_gis.ordinances.reader import read_ordinance
from siteplan_gis.pipeline import Inputs, gather
from siteplan_gis.reviewing import run

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def site():
    folder = ROOT / "sample_plans" / "pass-saukville-subdivision"
    plan, frame = read_plan((folder,))
    catalogue, law = read_catalogue(ROOT / "layers" / "saukville"), read_ordinance("saukville")
    return gather(Inputs((folder,)), plan, frame, catalogue, law.method, lambda _: None, airports=False)


def cut(site):
    """The site, its elevation model without values on the eastern half of the disturbed ground."""
    grid, ground = site.terrain.grid, shapes(site.plan)["disturbed"]
    middle = (ground.bounds[0] + ground.bounds[2]) / 2
    west = shapely.box(-1e6, -1e6, middle, 1e6)
    z_m = grid.z_m.copy()
    z_m[:, z_m.shape[1] // 2 :] = np.nan
    return replace(
        site,
        terrain=replace(site.terrain, grid=replace(grid, z_m=z_m), coverage=site.terrain.coverage.intersection(west)),
    )


def found(site, *rules):
    law = read_ordinance("saukville")
    case = Case(site, take_measurements(site, law.method), law, date(2026, 5, 1))
    told = {}
    for rule in law.rules:
        if rule.id in rules:
            told |= {(rule.id, item.subject): item.status.value for item in run(rule, case)}
    return told, case.measured.values["runoff_exit_count"]


@pytest.fixture(scope="module")
def whole(site):
    return found(site, "SAU-BMP-LOC", "SAU-MAP-h2")


@pytest.mark.parametrize(("spoil", "why"), [(cut, "part of the disturbed ground has no elevation"),
                                            (lambda site: replace(site, terrain=None), "no elevation model was given")])  # fmt: skip
def test_runoff_that_nobody_could_follow_is_not_treated(site, whole, spoil, why):
    whole, exits = whole
    assert exits.value > 0
    assert {status for (rule, _), status in whole.items() if rule == "SAU-MAP-h2"} == {"pass"}
    assert whole["SAU-BMP-LOC", "before"] == "pass"
    dirty, exits = found(spoil(site), "SAU-BMP-LOC", "SAU-MAP-h2")
    assert (exits.value, exits.reason) == (None, why)
    assert dirty["SAU-BMP-LOC", "before"] == "needs_review"
    assert "not_checked" in {status for (_, subject), status in dirty.items() if subject.startswith("undrawn")}

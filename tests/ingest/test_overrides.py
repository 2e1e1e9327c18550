from __future__ import annotations

from datetime import date

import pytest

from siteplan_gis.errors import InputError
from siteplan_gis.ingest.records.overrides import ignored_overrides, overrides_beside, read_overrides
from siteplan_gis.model.review import Status

GOOD = """
[[override]]
fingerprint = "0123456789abcdef"
finding = "SAU-SLOPE:disturbed"
value = 0.42
decision = "pass"
who = "J. Smith"
when = 2026-05-04
reason = "An existing bank."
"""


def test_a_decision_is_read_whole(tmp_path):
    path = tmp_path / "overrides.toml"
    path.write_text(GOOD, encoding="utf-8")
    (decision,), source = read_overrides(path)
    assert (decision.fingerprint, decision.finding, decision.value) == (
        "0123456789abcdef",
        "SAU-SLOPE:disturbed",
        0.42,
    )
    override = decision.override
    assert (override.status, override.who, override.when) == (Status.PASS, "J. Smith", date(2026, 5, 4))
    assert override.why == "An existing bank."
    assert source.file == "overrides.toml"
    assert len(source.sha256) == 64


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('decision = "pass"', 'decision = "error"', "decision"),
        ('decision = "pass"', 'decision = "not_checked"', "decision"),
        ('who = "J. Smith"\n', "", "who: is missing"),
        ('who = "J. Smith"', 'who = "  "', "who"),
        ('reason = "An existing bank."', 'reason = ""', "reason"),
        ("when = 2026-05-04", 'when = "soon"', "is not a date"),
        ("0123456789abcdef", "0123", "fingerprint"),
        ("value = 0.42", "value = nan", "value"),
        ("value", "values", "unknown key"),
        ("[[override]]", "[[override]", "not a TOML file"),
        (GOOD, GOOD + GOOD, "decides 0123456789abcdef twice"),
    ],
)
def test_a_slip_is_named(tmp_path, old, new, told):
    path = tmp_path / "overrides.toml"
    path.write_text(GOOD.replace(old, new), encoding="utf-8")
    with pytest.raises(InputError, match=told) as raised:
        read_overrides(path)
    assert "overrides.toml" in str(raised.value)
    assert "\n" not in str(raised.value)


def test_decisions_inside_a_plan_or_beside_a_single_file_are_told_of_and_not_used(tmp_path):
    """What an applicant sends with a plan decides nothing, whether the folder or a file of it is named."""
    plan = tmp_path / "sent"
    plan.mkdir()
    drawing = plan / "lod.geojson"
    drawing.write_text("{}", encoding="utf-8")
    forged = plan / "overrides.toml"
    forged.write_text(GOOD, encoding="utf-8")
    for given, where in (([plan], "inside"), ([drawing], "beside"), ([plan, drawing], "inside")):
        assert overrides_beside(given) is None
        (flag,) = ignored_overrides(given)
        assert flag.code == "file_ignored"
        assert where in flag.text
        assert not ignored_overrides(given, forged)


@pytest.mark.parametrize("name", ["plan", "plan.zip", "PLAN.ZIP"])
def test_decisions_are_taken_from_beside_a_folder_or_an_archive(tmp_path, name):
    plan = tmp_path / name
    plan.mkdir() if name == "plan" else plan.write_bytes(b"")
    assert overrides_beside([plan]) is None
    beside = tmp_path / "overrides.toml"
    beside.write_text(GOOD, encoding="utf-8")
    assert overrides_beside([plan]) == beside
    assert not ignored_overrides([plan], beside)
    other = tmp_path / "other"
    (other / "phase2").mkdir(parents=True)
    (other / "overrides.toml").write_text(GOOD, encoding="utf-8")
    with pytest.raises(InputError, match="several"):
        overrides_beside([plan, other / "phase2"])

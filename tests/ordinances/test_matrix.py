"""The published matrix of what is and is not checked."""

from __future__ import annotations

import json

import pytest

from siteplan_gis.model.ordinance import Limit
from siteplan_gis.ordinances.matrix import COLUMNS, limit_text, matrix_json, matrix_rows, matrix_text
from siteplan_gis.ordinances.reader import read_ordinance, shipped

LISTED = [read_ordinance(name) for name in shipped()]
ROWS = {row["id"]: row for ordinance in LISTED for row in matrix_rows(ordinance)}


def test_every_rule_has_one_row_in_the_order_of_its_file():
    for ordinance in LISTED:
        rows = matrix_rows(ordinance)
        assert [row["id"] for row in rows] == [rule.id for rule in ordinance.rules]
        assert all(tuple(row) == COLUMNS for row in rows)
        assert all(isinstance(value, str) for row in rows for value in row.values())


def test_a_row_tells_what_is_asked_and_who_decides():
    assert ROWS["SAU-SLOPE"] == {
        "id": "SAU-SLOPE",
        "title": "Land disturbance on slopes of 20 % or more is minimised",
        "section": "205-118C(5)(c) (inferred)",
        "severity": "minimise",
        "mode": "judgement",
        "source_status": "text",
        "limit": "slope at least 20 %",
        "check": "steep_slopes",
        "why_not": "",
    }
    assert ROWS["ETR-SCALE"]["why_not"].endswith("missing from the text as supplied; none is invented")
    assert ROWS["SAU-APP-1"]["section"] == "205-111.1"


@pytest.mark.parametrize(
    ("limit", "words"),
    [
        (Limit("disturbed_acres", ">=", 1.0, "acre"), "disturbed at least 1 acre"),
        (Limit("site_acres", ">", 5.0, "acre"), "site more than 5 acres"),
        (Limit("site_acres", ">=", 0.9996, "acre"), "site at least 0.9996 acres"),
        (Limit("feet_per_inch", "<=", 100.0, "ft/in"), "at most 100 ft/in"),
        (Limit("review_business_days", "<=", 20.0, "business day"), "review at most 20 business days"),
        (Limit("contributing_sqft", ">", 10_000.0, "sq ft"), "contributing more than 10,000 sq ft"),
        (Limit("winter_inspection_count", ">=", 2.0, "count"), "winter inspection at least 2"),
        (Limit("permit_days", "==", 180.0, "day"), "permit exactly 180 days"),
        (Limit("slope_percent", "<", 12.0, "%"), "slope less than 12 %"),
        (Limit("flow_distance_mi", "<=", 0.25, "mile"), "flow distance at most 0.25 miles"),
    ],
)  # fmt: skip
def test_a_limit_keeps_its_number_unit_and_direction(limit, words):
    assert limit_text(limit) == words


@pytest.mark.parametrize("width", [60, 80, 120])
def test_the_text_names_every_rule_and_every_gap_within_its_width(width):
    text = matrix_text(LISTED, width)
    lines = text.splitlines()
    assert text.endswith("\n")
    assert not text.endswith("\n\n")
    for ordinance in LISTED:
        assert ordinance.title in lines
        for rule in ordinance.rules:
            assert sum(line.split(" ")[0] == rule.id for line in lines) == 1
    joined = " ".join(text.split())
    for ordinance in LISTED:
        for part in ordinance.missing_text:
            assert part in joined
        for rule in ordinance.rules:
            assert f"{rule.title}" in joined
            assert rule.why_not in joined
    wrapped = [line for line in lines if line.startswith("    ")]
    assert max(map(len, wrapped)) <= width


def test_the_counts_of_the_heading_are_those_of_the_rows():
    text = " ".join(matrix_text([read_ordinance("east_troy")]).split())
    rows = matrix_rows(read_ordinance("east_troy"))
    unchecked = sum(row["mode"] == "not_checked" for row in rows)
    assert f"{len(rows)} rules: " in text
    assert f"{unchecked} decided by nobody yet" in text
    assert "The words of 14 are missing or assumed." in text


def test_unchecked_rules_are_plain_to_see():
    text = matrix_text(LISTED)
    unchecked = sum(row["mode"] == "not_checked" for row in ROWS.values())
    assert text.count("NOT CHECKED") == unchecked
    assert text.count("    not checked: ") == unchecked


def test_json_holds_the_law_in_full_and_is_the_same_each_time():
    text = matrix_json(LISTED)
    assert text == matrix_json([read_ordinance(name) for name in shipped()])
    records = {record["id"]: record for record in json.loads(text)}
    assert list(records) == list(shipped())
    rules = {rule["id"]: rule for record in records.values() for rule in record["rules"]}
    assert set(rules) == set(ROWS)
    assert rules["SAU-MAP-i"]["limits"] == {
        "within": {"subject": "distance_mi", "operator": "<=", "value": 1.0, "unit": "mile"}
    }
    assert rules["SAU-MAP-i"]["since"] == "2023-03-07"
    assert rules["SAU-MAP-i"]["quote"].startswith("Locations of all surface waters")
    assert rules["SAU-MAP-i"]["section_inferred"] is True
    assert rules["SAU-MAP-k"]["options"] == {"roles": ["infiltration"], "may_be_absent": True}
    assert rules["ETR-GRID"]["since"] is None
    assert records["east_troy"]["missing_text"] == list(read_ordinance("east_troy").missing_text)


def test_an_ordinance_without_gaps_or_with_one_rule_prints_too(tmp_path):
    path = tmp_path / "one.toml"
    path.write_text(
        'id = "one"\ntitle = "One"\nmunicipality = "One"\nmunicipality_kind = "town"\ncounty = "c"\nstate = "s"\n'
        'administrator = "a"\nextraterritorial = "none"\namended = ["2020"]\nsource = "the Code"\n[[rule]]\nid = "ONE-1"\n'
        'title = "t"\nsection = "1"\nseverity = "shall"\nmode = "declared"\nsource_status = "text"\nquote = "q"\ncheck = "c"\n',
        encoding="utf-8",
    )
    assert matrix_text([read_ordinance(path)]).splitlines() == [
        "One",
        "===",
        "Source: the Code. Amended: 2020.",
        "1 rule: 1 decided by a reviewer, from the applicant's declaration. The words of 0 are missing or assumed.",
        "",
        "rule   section  decided by   severity  text",
        "-----  -------  -----------  --------  ----",
        "ONE-1  1        declaration  shall     text",
        "    t",
    ]

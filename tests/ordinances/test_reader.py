"""The reader: strict, every problem at once, light to import."""

from __future__ import annotations

import math
import pickle
import subprocess
import sys
from datetime import date
from pathlib import Path

import pytest

from siteplan_gis.errors import InputError, SeveralInputErrors
from siteplan_gis.model.measurement import Method
from siteplan_gis.model.ordinance import Limit
from siteplan_gis.ordinances.reader import read_ordinance, shipped

HEAD = """
id = "somewhere"
title = "Village of Somewhere Code"
municipality = "Somewhere"
municipality_kind = "village"
county = "Some"
state = "Wisconsin"
administrator = "Village Engineer"
extraterritorial = "none"
amended = ["2020-01-01"]
source = "the Code"
"""
RULE = """
[[rule]]
id = "SOM-1"
title = "A title"
section = "1-1"
severity = "shall"
mode = "automatic"
source_status = "text"
quote = "The words."
check = "steep_slopes"
limits.steep = { subject = "slope_percent", operator = ">=", value = 20, unit = "%" }
"""


def told_of(folder: Path, text: str) -> str:
    try:
        read_ordinance(write(folder, text))
    except SeveralInputErrors as error:
        return str(error)
    return ""


def write(folder: Path, text: str) -> Path:
    path = folder / "somewhere.toml"
    path.write_text(text, encoding="utf-8")
    return path


def problems(folder: Path, text: str) -> list[str]:
    with pytest.raises(SeveralInputErrors) as raised:
        read_ordinance(write(folder, text))
    assert str(raised.value).startswith("somewhere.toml: ")
    return [str(problem) for problem in raised.value.problems]


def test_a_new_village_is_one_file_and_no_python(tmp_path):
    text = (
        HEAD
        + "[method]\nsteep_percent = 15\nsearch_ft = 1000\nshown_within_m = 5\noverlap_noise_sqft = 10\n"
        + RULE.replace("value = 20", "value = 15")
    )
    ordinance = read_ordinance(write(tmp_path, text))
    assert ordinance.municipality == "Somewhere"
    assert ordinance.amended == ("2020-01-01",)
    assert ordinance.method.steep_ratio == 0.15
    assert math.isclose(ordinance.method.search_m, 304.8, rel_tol=1e-15)
    assert ordinance.method.shown_within_m == 5.0
    assert math.isclose(ordinance.method.overlap_noise_m2, 0.9290304, rel_tol=1e-12)
    assert ordinance.method.downstream_m == Method().downstream_m
    (rule,) = ordinance.rules
    assert rule.limits == {"steep": Limit("slope_percent", ">=", 15.0, "%")}
    assert (rule.since, rule.note, rule.options) == (None, "", {})


def test_optional_keys_are_read(tmp_path):
    more = 'since = 2016-12-07\nnote = """\ntwo\n  lines"""\nsection_inferred = true\noptions.roles = ["road", "inlet"]\noptions.may_be_absent = true\n'
    (rule,) = read_ordinance(write(tmp_path, HEAD + RULE + more)).rules
    assert rule.since == date(2016, 12, 7)
    assert rule.note == "two lines"
    assert rule.section_inferred
    assert rule.options == {"roles": ("road", "inlet"), "may_be_absent": True}


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('title = "A title"', 'titel = "A title"', "unknown key 'titel' (is 'title' meant?)"),
        ('title = "A title"\n', "", "rule SOM-1: the key 'title' is missing"),
        ('title = "A title"', 'title = " "', "rule SOM-1: title ' ' is empty"),
        ('title = "A title"', "title = 7", "rule SOM-1: title: input should be a valid string"),
        ('id = "SOM-1"', 'id = "som 1"', "rule som 1: id 'som 1' is empty or not of the form"),
        ('severity = "shall"', 'severity = "must"', "rule SOM-1: severity is 'must'; it may be 'shall', 'should'"),
        ('mode = "automatic"', 'mode = "auto"', "rule SOM-1: mode is 'auto'; it may be 'automatic'"),
        ('source_status = "text"', 'source_status = "known"', "rule SOM-1: source_status is 'known'"),
        ('quote = "The words."\n', "", "rule SOM-1: a rule quotes the words it rests on, unless source_status is 'missing'"),
        ('quote = "The words."', 'quote = "  "', "rule SOM-1: a rule quotes the words it rests on"),
        ('source_status = "text"', 'source_status = "missing"', "rule SOM-1: words that are missing cannot be quoted"),
        ('check = "steep_slopes"\n', "", "rule SOM-1: mode 'automatic' names its check"),
        ('check = "steep_slopes"', 'check = "Steep slopes"', "rule SOM-1: check 'Steep slopes' is empty or not of the form"),
        ('mode = "automatic"', 'mode = "not_checked"', "rule SOM-1: mode 'not_checked' says why in why_not"),
        ('mode = "automatic"', 'mode = "not_checked"\nwhy_not = "x"', "rule SOM-1: mode 'not_checked' has a check"),
        ('operator = ">="', 'operator = "=>"', "rule SOM-1: limit steep: operator is '=>'; it may be '>=', '>'"),
        ('operator = ">=", ', "", "rule SOM-1: limit steep: the key 'operator' is missing"),
        ("value = 20", 'value = "20"', "rule SOM-1: limit steep: value: input should be a valid number"),
        ("value = 20", "value = true", "rule SOM-1: limit steep: value: input should be a valid number"),
        ("value = 20", "value = nan", "rule SOM-1: limit steep: value: the number is not finite"),
        ("value = 20", "value = inf", "rule SOM-1: limit steep: value: the number is not finite"),
        ('unit = "%"', 'unit = "percent"', "rule SOM-1: limit steep: 'percent' is no unit; use one of acre"),
        ('unit = "%"', 'unit = "acre"', "limit steep: 'slope_percent' is measured as ratio, but 'acre' is a unit of area"),
        ('"slope_percent"', '"disturbed_acres"', "limit steep: 'disturbed_acres' is measured as area, but '%' is a unit of ratio"),
        ('"slope_percent"', '"slope"', "limit steep: the subject 'slope' does not end in a unit"),
        ('unit = "%"', 'unit = "%", units = "%"', "rule SOM-1: limit steep: unknown key 'units' (is 'unit' meant?)"),
        ('check = "steep', 'since = "2016-12-07"\ncheck = "steep', "rule SOM-1: since: input should be a valid date"),
        ('check = "steep', 'since = 2016-12-07T00:00:00\ncheck = "steep', "rule SOM-1: since: input should be a valid date"),
        ('check = "steep', 'options.rolse = ["road"]\ncheck = "steep', "rule SOM-1: options: unknown key 'rolse' (is 'roles' meant?)"),
        ('check = "steep', 'options.roles = ["rode"]\ncheck = "steep', "rule SOM-1: options: roles: 'rode' is no role of a plan"),
        ('check = "steep', 'options.each_of = ["rode"]\ncheck = "steep', "rule SOM-1: options: each_of: 'rode' is no role of a plan"),
        ('check = "steep', 'options.roles = "road"\ncheck = "steep', "rule SOM-1: options: roles: input should be a valid list"),
        ('check = "steep', 'options.quantity = "rail"\ncheck = "steep', "rule SOM-1: options: quantity is 'rail'; it may be 'street' or 'pipe'"),
        ('county = "Some"\n', "", "the key 'county' is missing"),
        ('county = "Some"', 'county = "Some"\nzip = 5', "unknown key 'zip'"),
        ('extraterritorial = "none"', 'extraterritorial = "perhaps"', "extraterritorial is 'perhaps'; it may be 'select_sites'"),
        ('amended = ["2020-01-01"]', 'amended = "2020-01-01"', "amended: input should be a valid list"),
        ("[[rule]]", "[method]\nsearch_mile = 1\n[[rule]]", "method: unknown key 'search_mile'"),
        ("[[rule]]", "[method]\nsteep_ft = 1\n[[rule]]", "method: unknown key 'steep_ft'"),
        ("[[rule]]", "[method]\nsearch_m2 = 1\n[[rule]]", "method: unknown key 'search_m2'"),
        ("[[rule]]", "[method]\nsearch = 1\n[[rule]]", "method: unknown key 'search'"),
        ("[[rule]]", "[method]\nsearch_mi = 1\nsearch_m = 1609\n[[rule]]", "method: search_m is given 2 times"),
        ("[[rule]]", "[method]\nsearch_mi = 0\n[[rule]]", "method: search_mi: the number is not above zero"),
        ("[[rule]]", "[method]\nsearch_mi = -1\n[[rule]]", "method: search_mi: the number is not above zero"),
        ("[[rule]]", "[method]\nsearch_mi = nan\n[[rule]]", "method: search_mi: the number is not finite"),
        ("[[rule]]", '[method]\nsearch_mi = "1"\n[[rule]]', "method: search_mi: input should be a valid number"),
    ],
)  # fmt: skip
def test_one_fault_is_named_with_its_place(tmp_path, old, new, said):
    text = HEAD + RULE
    assert old in text
    found = problems(tmp_path, text.replace(old, new, 1))
    assert any(said in problem for problem in found), found


def test_the_unchanged_file_has_no_fault(tmp_path):
    assert read_ordinance(write(tmp_path, HEAD + RULE)).id == "somewhere"


@pytest.mark.parametrize("mode", ["automatic", "judgement", "declared"])
def test_every_mode_but_not_checked_names_a_check(tmp_path, mode):
    text = HEAD + RULE.replace('"automatic"', f'"{mode}"').replace('check = "steep_slopes"\n', "")
    assert problems(tmp_path, text) == [f"rule SOM-1: mode {mode!r} names its check"]
    assert read_ordinance(write(tmp_path, HEAD + RULE.replace('"automatic"', f'"{mode}"'))).rules[0].mode == mode


def test_every_problem_of_a_file_is_told_at_once(tmp_path):
    text = (
        HEAD.replace('county = "Some"\n', "").replace('"none"', '"perhaps"')
        + "colour = 3\n[method]\nsearch_furlongs = 8\n"
        + RULE.replace('"shall"', '"must"')
        .replace(">=", "=>")
        .replace('unit = "%"', 'unit = "acre"')
        .replace('quote = "The words."\n', "")
        + RULE.replace("value = 20", 'value = "x"').replace('check = "steep_slopes"\n', "")
        + RULE.replace('id = "SOM-1"', "id = 5").replace('mode = "automatic"', 'mode = "not_checked"')
        + RULE.replace('id = "SOM-1"\n', "").replace('title = "A title"', "titel = 1")
    )
    found = problems(tmp_path, text)
    expected = [
        "the key 'county' is missing",
        "extraterritorial is 'perhaps'",
        "unknown key 'colour'",
        "method: unknown key 'search_furlongs'",
        "rule SOM-1: severity is 'must'",
        "rule SOM-1: limit steep: operator is '=>'",
        "rule SOM-1: limit steep: 'slope_percent' is measured as ratio",
        "rule SOM-1: a rule quotes the words",
        "rule SOM-1: the id is used 2 times",
        "rule SOM-1: limit steep: value: input should be a valid number",
        "rule SOM-1: mode 'automatic' names its check",
        "rule 5: id: input should be a valid string",
        "rule 5: mode 'not_checked' says why",
        "rule 5: mode 'not_checked' has a check",
        "rule no. 4: the key 'id' is missing",
        "rule no. 4: unknown key 'titel'",
        "rule no. 4: the key 'title' is missing",
    ]
    missing = [start for start in expected if not any(problem.startswith(start) for problem in found)]
    assert not missing, found
    assert len(found) == len(expected), found


def test_a_duplicate_id_is_named_even_where_nothing_else_is_wrong(tmp_path):
    assert problems(tmp_path, HEAD + RULE + RULE + RULE) == ["rule SOM-1: the id is used 3 times"]


@pytest.mark.parametrize(
    ("rules", "said"),
    [
        ("", "the key 'rule' is missing"),
        ("rule = []", "rule: list should have at least 1 item"),
        ('rule = "none"', "rule: input should be a valid list"),
        ("rule = [1]", "rule no. 1: input should be"),
        ("[rule]\nid = 1", "rule: input should be a valid list"),
        ("rule = [{ limits = 3, options = 4 }]", "rule no. 1: limits: input should be a valid dict"),
        ("rule = [{ limits = { a = 3 } }]", "rule no. 1: limit a: input should be"),
        ("method = 3\n" + RULE, "method: input should be a valid dict"),
    ],
)  # fmt: skip
def test_a_file_of_the_wrong_shape_is_told_and_never_crashes(tmp_path, rules, said):
    found = problems(tmp_path, HEAD + rules)
    assert any(said in problem for problem in found), found


STRANGE = (
    "3",
    "-1",
    "1e999",
    "9" * 400,
    '"x"',
    '""',
    "true",
    "[]",
    "[1]",
    "{}",
    "{ a = 1 }",
    "nan",
    "2020-01-01",
    "07:30:00",
)


@pytest.mark.parametrize("line", [line for line in (HEAD + RULE).splitlines() if " = " in line])
def test_any_value_of_a_wrong_kind_is_told_and_never_crashes(tmp_path, line):
    key, _, value = line.partition(" = ")
    told = [told_of(tmp_path, (HEAD + RULE).replace(line, f"{key} = {strange}", 1)) for strange in STRANGE]
    refused = [text for text in told if text]
    assert len(refused) >= len(STRANGE) - 4, value
    assert all(key.partition(".")[0].removesuffix("s") in text for text in refused)


@pytest.mark.parametrize(
    ("check", "limit", "method", "said"),
    [
        ("steep_slopes", 'steep = { subject = "slope_percent", operator = ">=", value = 15, unit = "%" }', "", "limit steep is 15 %, but [method] steep is 20 %"),
        ("steep_slopes", 'steep = { subject = "slope_percent", operator = ">=", value = 20, unit = "%" }', "steep_percent = 25", "is 20 %, but [method] steep is 25 %"),
        ("waters_within_one_mile", 'within = { subject = "distance_mi", operator = "<=", value = 0.5, unit = "mile" }', "", "is 2640 ft, but [method] search is 5280 ft"),
        ("discharges_shown", 'within = { subject = "flow_ft", operator = "<=", value = 1320, unit = "ft" }', "downstream_ft = 1300", "is 1320 ft, but [method] downstream is 1300 ft"),
    ],
)  # fmt: skip
def test_a_limit_and_the_method_that_measures_for_it_agree(tmp_path, check, limit, method, said):
    rule = RULE.replace("steep_slopes", check).rpartition("limits.")[0] + f"limits.{limit}\n"
    (found,) = problems(tmp_path, f"{HEAD}[method]\n{method}\n{rule}")
    assert said in found


def test_a_limit_in_another_unit_than_the_method_agrees_when_it_is_the_same_length(tmp_path):
    limit = 'limits.within = { subject = "distance_ft", operator = "<=", value = 5280, unit = "ft" }\n'
    rule = RULE.replace("steep_slopes", "waters_within_one_mile").rpartition("limits.")[0] + limit
    assert (
        read_ordinance(write(tmp_path, f"{HEAD}[method]\nsearch_mi = 1\n{rule}")).rules[0].limits["within"].value
        == 5280
    )


@pytest.mark.parametrize("number", ["1e999", "9" * 400, "-nan", "true", '"20"', "[20]"])
def test_a_limit_that_is_no_finite_number_is_refused(tmp_path, number):
    (found,) = problems(tmp_path, HEAD + RULE.replace("value = 20", f"value = {number}"))
    assert found.startswith("rule SOM-1: limit steep: value: ")


def test_an_empty_file_names_what_it_lacks(tmp_path):
    found = problems(tmp_path, "")
    assert "the key 'id' is missing" in found
    assert "the key 'rule' is missing" in found


def test_a_file_from_notepad_is_read(tmp_path):
    path = tmp_path / "somewhere.toml"
    path.write_bytes(b"\xef\xbb\xbf" + (HEAD + RULE).replace("\n", "\r\n").encode())
    assert read_ordinance(path).rules[0].id == "SOM-1"


@pytest.mark.parametrize("name", ["nowhere", "saukville.toml", "Saukville", "", ".", "../saukville"])
def test_an_unknown_ordinance_names_those_there_are(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match="east_troy, fairwater, saukville"):
        read_ordinance(name)


def test_a_path_is_always_a_file_and_an_id_always_the_shipped_one(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "saukville").write_text(HEAD + RULE, encoding="utf-8")
    assert read_ordinance("saukville").id == "saukville"
    assert read_ordinance(Path("saukville")).id == "somewhere"
    assert read_ordinance("./saukville").id == "somewhere"


@pytest.mark.parametrize("name", ["east_troy", "fairwater", "saukville"])
def test_an_ordinance_travels_between_processes(name):
    ordinance = read_ordinance(name)
    assert pickle.loads(pickle.dumps(ordinance)) == ordinance  # noqa: S301


def test_reading_and_printing_all_ordinances_loads_nothing_heavy():
    script = """
import sys
from siteplan_gis.ordinances.matrix import matrix_json, matrix_text
from siteplan_gis.ordinances.reader import read_ordinance, shipped
listed = [read_ordinance(name) for name in shipped()]
assert len(matrix_text(listed)) > 1000 and len(matrix_json(listed)) > 1000
heavy = {"numpy", "shapely", "pandas", "geopandas", "pyproj", "rasterio", "fiona", "pyogrio", "numba", "folium", "jinja2",
         "pyarrow", "rich", "xml"}
print(sorted(heavy & set(sys.modules)))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == "[]"
    assert done.stderr == ""


def test_shipped_names_only_ordinances():
    assert shipped() == ("east_troy", "fairwater", "saukville")

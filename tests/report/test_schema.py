from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING, Any, get_args

import jsonschema
import pytest

from siteplan_gis.measuring.vocabulary import VOCABULARY
from siteplan_gis.model.flag import FLAG_CODES
from siteplan_gis.model.ordinance import OPERATORS, Mode, Severity, SourceStatus
from siteplan_gis.model.review import Status
from siteplan_gis.report.json_report import json_text
from siteplan_gis.report.records import measurements_record, review_record
from siteplan_gis.report.schema import measurements_schema, review_schema

if TYPE_CHECKING:
    from collections.abc import Iterator

    from siteplan_gis.model.review import Review

REVIEW = jsonschema.Draft202012Validator(review_schema(), format_checker=jsonschema.FormatChecker())
MEASUREMENTS = jsonschema.Draft202012Validator(measurements_schema(), format_checker=jsonschema.FormatChecker())
STRUCTURED = {"discharges", "steep_patches", "not_counted", "floodplain", "airports", "open_acres"}


def test_the_schemas_are_schemas() -> None:
    for schema in (review_schema(), measurements_schema()):
        jsonschema.Draft202012Validator.check_schema(schema)


def test_a_review_is_valid(review: Review) -> None:
    REVIEW.validate(json.loads(json_text(review_record(review))))


def test_measurements_are_valid(review: Review) -> None:
    MEASUREMENTS.validate(json.loads(json_text(measurements_record(review.measured, review.site))))


def objects(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if isinstance(value, dict):
        yield path
        for key, each in value.items():
            yield from objects(each, (*path, key))
    if isinstance(value, list) and value:
        yield from objects(value[0], (*path, 0))


def test_every_object_is_closed_and_complete(review: Review) -> None:
    record = review_record(review)
    free = {"software", "faults", "missing_layers", "not_counted", "phase_acres"}
    tried = 0
    for path in objects(record):
        if free & set(path) or "place" in path:
            continue
        wrong = copy.deepcopy(record)
        target = wrong
        for step in path:
            target = target[step]
        target["surprise"] = 1
        assert not REVIEW.is_valid(wrong), path
        tried += 1
    assert tried > 20
    for key in record:
        assert not REVIEW.is_valid({name: value for name, value in record.items() if name != key}), key
    for key in record["findings"][0]:
        wrong = copy.deepcopy(record)
        del wrong["findings"][0][key]
        assert not REVIEW.is_valid(wrong), key


@pytest.mark.parametrize(
    "path_and_value",
    [
        (("status",), "passed"), (("on",), "10 March"), (("findings", 0, "status"), "ok"),
        (("findings", 0, "severity"), "must"), (("findings", 0, "margin"), "1"), (("counts", "fail"), -1),
        (("flags", 0, "code"), "unknown_code"), (("measurements", "disturbed_acres", "unit"), "hectare"),
        (("measurements", "discharges", 0, "ends_because"), "tired"), (("plan", "files", 0, "sha256"), "xyz"),
    ],
)  # fmt: skip
def test_words_outside_the_vocabulary_are_refused(review: Review, path_and_value: tuple[tuple[Any, ...], Any]) -> None:
    (*path, last), value = path_and_value
    wrong = copy.deepcopy(review_record(review))
    target: Any = wrong
    for step in path:
        target = target[step]
    assert last in target or isinstance(target, list)
    target[last] = value
    assert not REVIEW.is_valid(wrong)


def test_the_measured_names_are_those_of_the_vocabulary() -> None:
    assert set(measurements_schema()["$defs"]["measurements"]["properties"]) == set(VOCABULARY) | STRUCTURED


def test_units_are_those_of_the_vocabulary() -> None:
    units = set(measurements_schema()["$defs"]["measurement"]["properties"]["unit"]["enum"])
    assert {unit for unit, _ in VOCABULARY.values()} | {""} == units


def test_closed_words_are_those_of_the_model() -> None:
    definitions = review_schema()["$defs"]
    finding = definitions["finding"]["properties"]
    assert definitions["status"]["enum"] == [status.value for status in Status]
    assert list(review_schema()["properties"]["counts"]["properties"]) == [status.value for status in Status]
    assert finding["severity"]["enum"] == list(get_args(Severity))
    assert finding["mode"]["enum"] == list(get_args(Mode))
    assert finding["source_status"]["enum"] == list(get_args(SourceStatus))
    assert set(definitions["limit"]["properties"]["operator"]["enum"]) == set(OPERATORS)
    assert measurements_schema()["$defs"]["flag"]["properties"]["code"]["enum"] == sorted(FLAG_CODES), (
        "list every flag code in measurements.schema.json"
    )


@pytest.mark.parametrize("unit", sorted({unit for unit, _ in VOCABULARY.values()} | {"ton/acre/year"}))
def test_a_finding_may_rest_on_a_figure_of_any_unit(review: Review, unit: str) -> None:
    record = json.loads(json_text(review_record(review)))
    measured = next(row["measured"] for row in record["findings"] if row["measured"] is not None)
    measured["unit"] = unit
    REVIEW.validate(record)

from __future__ import annotations

import json
import math
from dataclasses import replace
from datetime import date, datetime

import numpy as np
import pytest
import shapely
import synthetic

from siteplan_gis.frame import Frame
from siteplan_gis.model.measurement import Measurement
from siteplan_gis.model.review import Review, Status
from siteplan_gis.report.json_report import json_text, write_json
from siteplan_gis.report.plain import geojson_place, number, plain_value, text
from siteplan_gis.report.records import measurements_record, review_record


def refuse(constant: str) -> None:
    raise AssertionError(f"{constant} is not JSON")


def test_counts_hold_all_six_statuses(review: Review) -> None:
    counts = review_record(review)["counts"]
    assert list(counts) == ["error", "fail", "not_checked", "needs_review", "pass", "not_applicable"]
    assert counts == {"error": 1, "fail": 10, "not_checked": 1, "needs_review": 3, "pass": 1, "not_applicable": 1}
    empty = review_record(synthetic.without_findings(review))
    assert set(empty["counts"].values()) == {0}
    assert empty["status"] == "not_checked"


def test_findings_stand_worst_first_then_in_the_order_of_the_ordinance(review: Review) -> None:
    rows = review_record(review)["findings"]
    statuses = [list(Status).index(Status(row["status"])) for row in rows]
    assert statuses == sorted(statuses)
    asked = [row["rule"] for row in rows if row["status"] == "needs_review"]
    assert asked == ["SAU-APP-0", "SAU-SLOPE", "SAU-PAY"]
    shuffled = replace(review, findings=review.findings[::-1])
    assert [row["id"] for row in review_record(shuffled)["findings"]] == [row["id"] for row in rows]


def test_a_finding_holds_everything_a_reader_needs(review: Review) -> None:
    row = next(row for row in review_record(review)["findings"] if row["rule"] == "SAU-MAP-scale")
    assert row["measured"] == {
        "name": "feet_per_inch[C-101]", "value": 150.0, "unit": "ft/in", "plus_minus": None, "method": "note",
        "reason": "",
    }  # fmt: skip
    assert row["limit"] == {"subject": "feet_per_inch", "operator": "<=", "value": 100.0, "unit": "ft/in"}
    assert row["margin"] == -50.0
    assert row["place"] is None
    assert row["remedy"].startswith("Draw it")
    assert row["quote"] == "scale of not greater than 100 feet per inch"


def test_an_override_stands_beside_the_result(review: Review) -> None:
    row = next(row for row in review_record(review)["findings"] if row["rule"] == "SAU-APP-0")
    assert row["status"] == "needs_review"
    assert row["override"]["status"] == "pass"
    assert row["override"]["when"] == "2026-03-09"


def test_what_is_not_a_number_is_null_with_a_reason(review: Review) -> None:
    record = review_record(review)
    median = record["measurements"]["slope_percent_median"]
    assert median["value"] is None
    assert median["reason"]
    row = next(row for row in record["findings"] if row["rule"] == "SAU-PAY")
    assert row["measured"]["value"] is row["measured"]["plus_minus"] is row["margin"] is None
    json.loads(json_text(record), parse_constant=refuse)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, np.float64("nan"), np.float32("inf")])
def test_no_form_of_infinity_passes(value: float) -> None:
    assert plain_value(value) is None
    assert number(value) is None


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (np.int64(7), 7), (np.float32(0.5), 0.5), (np.bool_(1), True), (date(2026, 3, 1), "2026-03-01"),
        (datetime(2026, 3, 1, 8, 30), "2026-03-01T08:30:00"), (None, None), (b"raw", "b'raw'"),
        ("\ud800 lone", "\ufffd lone"), ("nul\x00", "nul\ufffd"), ("\u202eturned", "\ufffdturned"), (2**60, 2**60),
    ],
)  # fmt: skip
def test_attribute_values_become_plain(value: object, expected: object) -> None:
    assert plain_value(value) == expected
    assert type(plain_value(value)) is type(expected)
    json.dumps(plain_value(value), ensure_ascii=False).encode()


def test_not_a_time_is_no_date() -> None:
    pandas = pytest.importorskip("pandas")
    assert plain_value(pandas.NaT) is None
    assert plain_value(pandas.Timestamp("2026-03-01")) == "2026-03-01T00:00:00"


def test_rounding_keeps_a_value_on_its_side_of_a_limit() -> None:
    # Values nearer to a limit than 1e-9 of it count as equal; ten digits keep all others apart.
    for limit in (1.0, 5.0, 10.0, 0.2, 100.0, 5280.0):
        assert number(limit * (1 - 2e-9)) < limit < number(limit * (1 + 2e-9))


def test_the_same_review_gives_the_same_bytes(tmp_path) -> None:
    for name in ("one.json", "two.json"):
        write_json(review_record(synthetic.make_review()), tmp_path / name)
    assert (tmp_path / "one.json").read_bytes() == (tmp_path / "two.json").read_bytes()
    assert b"\r" not in (tmp_path / "one.json").read_bytes()


def test_json_refuses_what_it_cannot_write() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        json_text({"value": math.nan})


def test_indexed_measurements_are_nested(review: Review) -> None:
    phases = measurements_record(review.measured, review.site)["measurements"]["phase_acres"]
    assert set(phases) == {"1", synthetic.PAYLOADS[1]}
    assert phases["1"]["value"] == pytest.approx(10 * 34 * 34 / 4046.8564224)


def test_waters_carry_their_features_and_distances_in_feet(review: Review) -> None:
    waters = review_record(review)["measurements"]["waters_within_one_mile"]
    assert waters["value"] == len(waters["features"]) == 2
    creek = next(each for each in waters["features"] if each["name"] == "Mole Creek")
    assert creek["shown"] is True
    distance_m = review.measured.waters[0].distance_m
    assert creek["distance_ft"] == pytest.approx(distance_m / 0.3048, rel=1e-9)


def test_jurisdiction_names_the_largest_parts(review: Review) -> None:
    governed = review_record(review)["measurements"]["jurisdiction"]
    assert (governed["municipality"], governed["etj_of"]) == ("Saukville", "Saukville")
    assert governed["acres_inside"] == pytest.approx(420 * 340 * 0.8 / 4046.8564224)
    assert governed["acres_in_etj"] == pytest.approx(420 * 340 * 0.2 / 4046.8564224)
    nowhere = replace(review.measured, jurisdiction=())
    assert measurements_record(nowhere, review.site)["measurements"]["jurisdiction"]["municipality"] is None


def test_every_flag_is_told_once(review: Review) -> None:
    flags = review_record(review)["flags"]
    assert [flag["code"] for flag in flags] == ["coverage_short", "coverage_short", "role_guessed"]
    repeated = replace(review, site=replace(review.site, flags=review.measured.flags))
    assert review_record(repeated)["flags"] == flags


def test_invented_ground_is_told_wherever_it_lies(review: Review) -> None:
    real = replace(review.site, plan=replace(review.site.plan, invented=False))
    assert review_record(replace(review, site=real))["plan"]["invented"] is False
    invented_layer = replace(real, layers={"waters": (replace(real.layers["waters"][0], invented=True),)})
    assert review_record(replace(review, site=invented_layer))["plan"]["invented"] is True
    invented_ground = replace(real, terrain=replace(real.terrain, invented=True))
    assert review_record(replace(review, site=invented_ground))["plan"]["invented"] is True


def test_crashed_steps_are_told(review: Review) -> None:
    crashed = replace(review, measured=replace(review.measured, faults={"slopes": "ValueError: \x1b[2J"}))
    assert review_record(crashed)["faults"] == {"slopes": "ValueError: \ufffd[2J"}


def test_places_are_degrees_of_the_site() -> None:
    # 1,000 m east and north of 43.3814 N: arithmetic with the radii of GRS 80 at that latitude.
    place = geojson_place(shapely.Point(1000, 1000), synthetic.FRAME)
    assert place is not None
    longitude, latitude = place["coordinates"]
    sine = math.sin(math.radians(43.3814))
    square = 0.00669438002290
    prime_vertical = 6378137 / math.sqrt(1 - square * sine**2)
    meridian = 6378137 * (1 - square) / (1 - square * sine**2) ** 1.5
    assert latitude == pytest.approx(43.3814 + math.degrees(1000 / meridian), abs=2e-6)
    assert longitude == pytest.approx(
        -87.9446 + math.degrees(1000 / (prime_vertical * math.cos(math.radians(43.3814)))), abs=3e-6
    )


def test_places_have_seven_decimals(review: Review) -> None:
    def numbers(value: object) -> list[float]:
        return [value] if isinstance(value, float) else [n for each in value for n in numbers(each)]  # type: ignore[attr-defined]

    for row in review_record(review)["findings"]:
        if row["place"] and "coordinates" in row["place"]:
            assert all(round(n, 7) == n for n in numbers(row["place"]["coordinates"]))


def test_a_place_across_the_180th_meridian_stays_in_one_piece() -> None:
    place = geojson_place(shapely.box(-500, -500, 500, 500), Frame(180.0, 52.0))
    assert place is not None
    xs = [x for x, _ in place["coordinates"][0]]
    assert max(xs) - min(xs) < 0.02
    assert min(xs) < 180 < max(xs)
    west = geojson_place(shapely.Point(-500, 0), Frame(-179.999, 52.0))
    assert west is not None
    assert -180.01 < west["coordinates"][0] < -180


@pytest.mark.parametrize("empty", [None, shapely.Point(), shapely.Polygon(), shapely.GeometryCollection()])
def test_an_empty_place_is_none(empty: shapely.Geometry | None) -> None:
    assert geojson_place(empty, synthetic.FRAME) is None


def test_every_kind_of_geometry_has_a_place() -> None:
    ring = shapely.LinearRing([(0, 0), (10, 0), (10, 10)])
    assert geojson_place(ring, synthetic.FRAME)["type"] == "LineString"  # type: ignore[index]
    solid = shapely.Polygon([(0, 0, 5), (10, 0, 5), (10, 10, 5)])
    assert all(len(xy) == 2 for xy in geojson_place(solid, synthetic.FRAME)["coordinates"][0])  # type: ignore[index]
    mixed = shapely.GeometryCollection([shapely.Point(1, 1), shapely.box(0, 0, 1, 1)])
    assert len(geojson_place(mixed, synthetic.FRAME)["geometries"]) == 2  # type: ignore[index]


def test_measured_text_and_truth_stay_what_they_are(review: Review) -> None:
    values = {
        "jurisdiction": Measurement("jurisdiction", "Saukville \x07"),
        "grid_label_faults": Measurement("grid_label_faults", True),
    }
    record = measurements_record(replace(review.measured, values=values), review.site)["measurements"]
    assert record["jurisdiction"]["value"] == "Saukville \ufffd"
    assert record["grid_label_faults"]["value"] is True


def test_line_ends_are_of_one_kind() -> None:
    assert text("a\r\nb\rc\n") == "a\nb\nc\n"

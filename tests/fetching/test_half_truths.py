"""Every way in which a feature service tells half the truth: the layer comes whole, or it does not come."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from orders import BOX, QUICK, catalogue, fetched, stored

from siteplan_gis.fetching.ground import box_in

if TYPE_CHECKING:
    from pathlib import Path

    from services import Service

WHOLE = (
    "", "short_pages", "empty_page", "flag_in_properties", "no_flag", "silent_cut", "disregards_order", "no_paging",
    "ids_reversed", "repeats", "twice", "error_200", "html", "busy", "busy_date", "slow", "cut_body", "gzip",
    "gzip_cut", "json_cut", "fails_when_large", "error_when_large", "redirects", "moved", "lists_nothing", "root_fails",
)  # fmt: skip
REFUSED = {
    "ids_cut": "counts 779 features and lists 776", "no_count": "does not count", "withholds": "1 of 779 features did not come",
    "more_than_listed": "1 features came that the service had not listed", "changes": "changed while it was fetched",
    "empty_layer": "holds no feature at all", "error_200_always": "Failed to execute query. a b",
    "html_always": "no JSON", "cut_body_always": "the connection broke",
    "gzip_cut_always": "no JSON", "json_cut_always": "no JSON", "busy_always": "status 429", "busy_long": "asks to wait 86400 s",
    "asks_token": "asks for a token", "redirects_away": "sends on to localhost", "group": "is a group of layers",
    "group_layer": "is a group of layers", "two_of_the_name": "no single layer", "renamed": "named 'Wetlands'",
    "line_layer": "not polygons", "no_field": "no field FCODE", "no_query": "not queried", "table": "is a Table",
    "hidden_near": "copy with thinned lines", "cached": "copy with thinned lines", "no_ids": "no object ids",
    "no_crs": "does not say its coordinate system", "quantized": "quantized", "curves": "true curves",
    "other_crs": "does not answer in EPSG:3071", "not_numbers": "geometry cannot be read", "points_among": "another kind",
    "outside": "swaps its axes or disregards the box",
}  # fmt: skip


@pytest.mark.parametrize("fault", WHOLE)
def test_a_whole_layer_comes_in_spite_of(fault: str, service: Service, tmp_path: Path) -> None:
    service.faults = {fault}
    done = fetched(tmp_path, service)
    assert done.problem is None, done.problem
    assert done.path is not None
    truth = service.truth(box_in("EPSG:3071", BOX))
    found = stored(done.path)
    assert 500 < len(truth) < service.layer.count
    assert found.keys() == truth.keys()
    assert all(found[number].equals_exact(shape, 1e-7) for number, shape in truth.items())
    (layer,) = catalogue(tmp_path)["layer"]
    assert layer["path"] == done.path.name
    assert layer["fetched"]["expected"] == layer["fetched"]["got"] == len(truth)


@pytest.mark.parametrize("fault", REFUSED)
def test_no_layer_comes_from(fault: str, service: Service, tmp_path: Path) -> None:
    service.faults = {fault}
    done = fetched(tmp_path, service)
    assert done.path is None
    assert REFUSED[fault] in str(done.problem)
    assert "\n" not in str(done.problem)
    assert catalogue(tmp_path) == {}
    assert sorted(one.name for one in (tmp_path / "layers").iterdir()) == [".fetching"]


def test_a_service_that_never_answers_is_given_up(service: Service, tmp_path: Path) -> None:
    service.faults, service.layer.page = {"slow_always"}, 10
    done = fetched(tmp_path, service, manners=replace(QUICK, attempts=2, timeout_s=0.1))
    assert "no answer within 0.1 s" in str(done.problem)
    assert catalogue(tmp_path) == {}


def test_nothing_is_asked_that_thins_a_geometry(service: Service, tmp_path: Path) -> None:
    fetched(tmp_path, service)
    words = {word for question in service.questions for word in question}
    assert not words & {"maxAllowableOffset", "geometryPrecision", "quantizationParameters", "resultType"}
    pages = [one for one in service.questions if "resultOffset" in one or "objectIds" in one]
    assert len(pages) == 2
    assert all(page["outSR"] == "3071" and page["returnGeometry"] == "true" for page in pages)
    assert all(page["orderByFields"] == "OBJECTID ASC" for page in pages if "resultOffset" in page)


def test_fields_that_carry_their_table_s_name_are_found(service: Service, tmp_path: Path) -> None:
    service.layer.prefix = "Streams."
    done = fetched(tmp_path, service)
    assert done.path is not None, done.problem
    assert len(stored(done.path)) == done.stamp.expected if done.stamp else False


def test_features_that_lie_nowhere_are_counted_and_not_stored(service: Service, tmp_path: Path) -> None:
    service.layer.nothing_at = frozenset({3, 2999})
    done = fetched(tmp_path, service)
    assert done.path is not None, done.problem
    (layer,) = catalogue(tmp_path)["layer"]
    assert layer["fetched"]["without_geometry"] == 2
    assert len(stored(done.path)) == layer["fetched"]["got"] - 2 == layer["fetched"]["expected"] - 2


def test_ground_without_features_is_an_empty_layer_and_ground_beyond_the_data_is_refused(
    service: Service, tmp_path: Path
) -> None:
    empty = fetched(tmp_path, service, (-88.2, 43.2, -88.19, 43.21))
    assert empty.stamp is not None, empty.problem
    assert (empty.stamp.expected, empty.stamp.got) == (0, 0)
    beyond = fetched(tmp_path, service, (-92.2, 45.2, -92.1, 45.3))
    assert "do not reach the asked ground" in str(beyond.problem)

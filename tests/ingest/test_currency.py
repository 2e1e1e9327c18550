"""Features that the plan marks as no longer valid, in words or in codes whose words stand in the file."""

import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import pytest
import shapely

from siteplan_gis.errors import InputError
from siteplan_gis.ingest.plan.vectors import read_plan
from siteplan_gis.ingest.vector_files.domains import coded_values
from siteplan_gis.units import acres

sys.path.insert(0, str(Path(__file__).parent))
from plans import X, Y, database, feature, geojson, polygon, rectangle

CASES = Path(__file__).parents[1] / "cases"
RINGS = [rectangle(X + 1000 * n, Y, 330, 264) for n in range(3)]


def drawn_acres(plan):
    return acres(shapely.union_all([one.geometry for one in plan.of("disturbed_area")]).area)


def flags(plan, code):
    return [(flag.feature, flag.text) for flag in plan.flags if flag.code == code]


def statuses(tmp_path, *values, field="STATUS"):
    features = [feature([ring], **{field: value}) for ring, value in zip(RINGS, values, strict=False)]
    return read_plan([geojson(tmp_path / "LOD.geojson", *features)])[0]


def test_h88_codes_of_a_geodatabase_are_read_in_its_words():
    plan, _ = read_plan([CASES / "H88" / "plan.gdb.zip"])
    assert drawn_acres(plan) == pytest.approx(2.0, rel=1e-3)
    assert flags(plan, "feature_not_current") == [("2", "STATUS is 'Superseded': it was set aside")]
    assert [one.attributes["STATUS"] for one in plan.features] == ["Proposed"]
    assert plan.layers[0].set_aside == 1


def coded(path, *rows):
    """A GeoPackage whose field STATUS has a list of codes."""
    geometries = [(polygon(ring), {"STATUS": status}) for ring, status in zip(RINGS, (1, 2, 3), strict=True)]
    database(path, "LOD", *geometries, properties={"STATUS": "int32"})
    with closing(sqlite3.connect(path)) as file, file:
        file.execute("CREATE TABLE gpkg_data_columns (table_name TEXT, column_name TEXT, name TEXT, title TEXT,"
                     " description TEXT, mime_type TEXT, constraint_name TEXT)")  # fmt: skip
        file.execute("CREATE TABLE gpkg_data_column_constraints (constraint_name TEXT, constraint_type TEXT, value TEXT,"
                     " min NUMERIC, min_is_inclusive BOOLEAN, max NUMERIC, max_is_inclusive BOOLEAN, description TEXT)")  # fmt: skip
        file.execute("INSERT INTO gpkg_data_columns VALUES ('LOD', 'STATUS', NULL, NULL, NULL, NULL, 'state')")
        file.executemany(
            "INSERT INTO gpkg_data_column_constraints VALUES ('state', 'enum', ?, NULL, NULL, NULL, NULL, ?)", rows
        )
    return path


def test_codes_of_a_geopackage_are_read_in_its_words(tmp_path):
    path = coded(tmp_path / "plan.gpkg", ("1", "Proposed"), ("2", "VOID - see rev. 3"))
    before = path.read_bytes()
    plan, _ = read_plan([path])
    assert drawn_acres(plan) == pytest.approx(4.0, rel=1e-3)
    assert flags(plan, "feature_not_current") == [("2", "STATUS is 'VOID - see rev. 3': it was set aside")]
    assert [one.attributes["STATUS"] for one in plan.features] == ["Proposed", 3]
    assert path.read_bytes() == before
    assert [one.name for one in tmp_path.iterdir()] == ["plan.gpkg"]


def test_a_list_of_codes_that_is_no_list_is_none(tmp_path):
    (tmp_path / "broken.gpkg").write_bytes(b"SQLite format 3\x00" + bytes(200))
    (tmp_path / "empty.gdb").mkdir()
    assert coded_values(tmp_path / "broken.gpkg") == coded_values(tmp_path / "empty.gdb") == {}


@pytest.mark.parametrize(
    "status", ["Superseded", "superceded 2024", "VOID", "Voided", "Withdrawn by owner", "Cancelled", "canceled",
               "Obsolete", "not used", "DELETED", "rejected"],
)  # fmt: skip
def test_what_is_marked_as_past_is_not_measured(tmp_path, status):
    plan = statuses(tmp_path, "Proposed", status)
    assert drawn_acres(plan) == pytest.approx(2.0, rel=1e-3)
    assert [name for name, _ in flags(plan, "feature_not_current")] == ["1"]


@pytest.mark.parametrize(
    "status", ["", None, "Proposed", "Existing", "approved", "to be voided", "not superseded", "avoid trees", "Phase 2"]
)
def test_any_other_status_is_measured(tmp_path, status):
    plan = statuses(tmp_path, "Proposed", status)
    assert drawn_acres(plan) == pytest.approx(4.0, rel=1e-3)
    assert flags(plan, "feature_not_current") == []


def test_only_a_field_of_status_marks_a_feature(tmp_path):
    plan = statuses(tmp_path, "Superseded", "Void", field="NOTES")
    assert drawn_acres(plan) == pytest.approx(4.0, rel=1e-3)


def test_a_plan_of_nothing_but_the_past_is_refused_with_the_reason(tmp_path):
    with pytest.raises(InputError, match="STATUS is 'Void'"):
        statuses(tmp_path, "Void", "Void")


def test_codes_without_words_are_asked_about(tmp_path):
    plan = statuses(tmp_path, 1, 2, 2)
    assert drawn_acres(plan) == pytest.approx(6.0, rel=1e-3)
    assert "codes 1, 2" in flags(plan, "status_code_unknown")[0][1]
    assert flags(statuses(tmp_path / "one", 1, 1, 1), "status_code_unknown") == []
    assert flags(statuses(tmp_path / "words", "1", "open", "2"), "status_code_unknown") == []

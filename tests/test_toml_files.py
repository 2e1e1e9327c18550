"""Every file that people write by hand comes in by one door: each way in which it can be wrong is one clear line."""

import pytest
from pydantic import BaseModel, ConfigDict

from siteplan_gis.errors import InputError, SeveralInputErrors
from siteplan_gis.fetching.registry import read_sources
from siteplan_gis.ingest.records.manifest import read_manifest
from siteplan_gis.ingest.records.overrides import read_overrides
from siteplan_gis.ingest.records.permit_record import read_permit_record
from siteplan_gis.ingest.records.soil_loss_inputs import read_soil_loss_inputs
from siteplan_gis.ingest.reference.catalogue import read_catalogue
from siteplan_gis.ordinances.reader import read_ordinance
from siteplan_gis.ordinances.state import read_state
from siteplan_gis.toml_files import LARGEST_BYTES, read_toml

READERS = {
    "catalogue": read_catalogue,
    "manifest": read_manifest,
    "ordinance": read_ordinance,
    "overrides": read_overrides,
    "permit": read_permit_record,
    "soil loss": read_soil_loss_inputs,
    "sources": read_sources,
    "state": read_state,
}
NO_TOML = {
    "unfinished": (b"id = ", "not a TOML file"),
    "twice": (b"id = 'a'\nid = 'b'\n", "not a TOML file"),
    "no text": (b"title = '\xff\xfe'", "not UTF-8"),
    "deep": (b"a = " + b"[" * 100_000, "nested too deep"),
    "deep tables": (b"[" + b".".join([b"a"] * 20_000) + b"]", "|"),
    "digits": (b"a = " + b"9" * 5_000, "not a TOML file"),
    "no such day": (b"a = 2016-02-30", "not a TOML file"),
    "huge": (b"#" * (LARGEST_BYTES + 1), "far too large"),
    "zeros": (b"\0" * 100, "not a TOML file"),
}


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("how", NO_TOML)
def test_no_toml_is_one_line_that_names_the_file(tmp_path, reader, how):
    content, told = NO_TOML[how]
    path = tmp_path / "written.toml"
    path.write_bytes(content)
    with pytest.raises(InputError, match=told) as caught:
        READERS[reader](path)
    assert "written.toml" in str(caught.value)
    assert "\n" not in str(caught.value)


class _Item(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)
    acres: float


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)
    name: str
    item: list[_Item] = []


def test_every_problem_is_named_at_once_and_entries_are_counted_from_one(tmp_path):
    path = tmp_path / "written.toml"
    path.write_text("colour = 'red'\n[[item]]\nacres = 1.0\n[[item]]\nacres = 'two'\n", encoding="utf-8")
    with pytest.raises(SeveralInputErrors) as caught:
        read_toml(path, _Table, lambda key: f"no {key} here")
    assert [problem.problem for problem in caught.value.problems] == [
        "name: is missing", "item.2.acres: input should be a valid number, not 'two'", "colour: no colour here",
    ]  # fmt: skip


def test_a_byte_order_mark_is_no_text(tmp_path):
    path = tmp_path / "written.toml"
    path.write_bytes(b"\xef\xbb\xbfname = 'a'\n")
    assert read_toml(path, _Table)[0].name == "a"

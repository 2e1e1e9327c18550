from __future__ import annotations

from datetime import date, datetime

import pytest

from siteplan_gis.errors import InputError
from siteplan_gis.ingest.records.permit_record import read_permit_record
from siteplan_gis.model.permit import Moment

GOOD = """
received = 2026-04-01
complete = "2026-04-03"
issued = 2026-04-28
began = 2026-05-10T07:00:00
rain = "rain.csv"
log = "log.csv"
closed = [2026-04-17]
[[extension]]
granted = 2026-10-01
days = 90
[[notice]]
of = "start"
happened = "2026-05-10 07:00"
given = 2026-05-08
[[visit]]
day = 2026-06-01
[[visit]]
day = 2026-05-20
found = "sediment"
"""
RAIN = "ended,inches,runoff\n2026-05-14 03:00,0.62,yes\n2026-05-12,0.5,\n"
LOG = "When,Name,Location,Assessment,Phase,Maintenance\n2026-05-14 09:00,J. Doe,all,good,grading,none\n,,,,,\n"


def record(tmp_path, text=GOOD, rain=RAIN, log=LOG):
    (tmp_path / "rain.csv").write_text(rain, encoding="utf-8-sig")
    (tmp_path / "log.csv").write_text(log, encoding="utf-8")
    path = tmp_path / "permit.toml"
    path.write_text(text, encoding="utf-8")
    return read_permit_record(path)


def test_everything_is_read_and_put_in_order(tmp_path):
    read = record(tmp_path)
    assert (read.received, read.complete, read.issued) == (date(2026, 4, 1), date(2026, 4, 3), date(2026, 4, 28))
    assert read.began == Moment(datetime(2026, 5, 10, 7), datetime(2026, 5, 10, 7))
    assert read.closed == {date(2026, 4, 17)}
    assert [rain.inches for rain in read.rains] == [0.5, 0.62]
    assert [rain.runoff for rain in read.rains] == [None, True]
    (entry,) = read.log
    assert (entry.name, entry.phase) == ("J. Doe", "grading")
    assert [visit.day for visit in read.visits] == [date(2026, 5, 20), date(2026, 6, 1)]
    assert read.notices[0].given == Moment.of(date(2026, 5, 8))
    assert [source.file for source in read.sources] == ["permit.toml", "rain.csv", "log.csv"]


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("issued = 2026-04-28", "issued = 2026-04-02", "issued .2026-04-02. is before complete"),
        ("issued = 2026-04-28", "isued = 2026-04-28", "isued: unknown key"),
        ("2026-05-10T07:00:00", "2026-05-10T07:00:00-05:00", "without a time zone"),
        ("days = 90", "days = 0", "days"),
        ('found = "sediment"', 'found = "mud"', "found"),
        ("rain.csv", "rains.csv", "rains.csv: cannot be read"),
        ("received", "[received", "not a TOML file"),
        ("given = 2026-05-08\n[[visit]]", "[[visit]]", "given: is missing"),
    ],
)
def test_a_slip_is_named(tmp_path, old, new, told):
    with pytest.raises(InputError, match=told) as raised:
        record(tmp_path, GOOD.replace(old, new, 1))
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("rain", "told"),
    [
        ("ended,inches\n2026-05-14,0.6\n", "columns runoff are missing"),
        ("ended,inches,runoff\n2026-05-14,half,yes\n", "line 2: inches 'half' is not a number"),
        ("ended,inches,runoff\n2026-05-14,nan,yes\n", "line 2: inches 'nan' is no depth"),
        ("ended,inches,runoff\n2026-05-14,0.6,perhaps\n", "line 2: runoff 'perhaps'"),
        ("ended,inches,runoff\n14 May,0.6,yes\n", "line 2: '14 May' is not a date"),
        ("", "columns ended, inches, runoff are missing"),
        ('ended,inches,runoff\n"2026-05-14,0.6,yes\n', "not a CSV table"),
    ],
)
def test_a_slip_in_a_table_is_named_with_its_line(tmp_path, rain, told):
    with pytest.raises(InputError, match=told) as raised:
        record(tmp_path, rain=rain)
    assert "rain.csv" in str(raised.value)

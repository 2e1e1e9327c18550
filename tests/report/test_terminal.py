from __future__ import annotations

import io
import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import synthetic

from siteplan_gis.model.flag import Flag
from siteplan_gis.report.records import review_record
from siteplan_gis.report.terminal import measurements_text, print_measurements, print_summary, summary_text

if TYPE_CHECKING:
    from siteplan_gis.model.review import Review

UNSAFE = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u2028\u2029]")


def test_the_verdict_stands_above_what_must_be_done(review: Review) -> None:
    told = summary_text(review, [Path("out/review.html")])
    lines = told.splitlines()
    assert lines[0].startswith("INVENTED GROUND")
    assert lines[1].startswith("! CHECK CRASHED")
    assert "1 check crashed, 10 fail, 1 not checked, 3 needs review, 1 pass, 1 does not apply" in lines
    assert "150 ft per inch; the limit is at most 100 ft per inch. Draw it at 1 in = 100 ft or larger." in told
    assert "Outfall O1 reaches" not in told
    assert lines[-1].strip() == "out/review.html"


def test_markup_and_control_characters_are_only_text(review: Review) -> None:
    for told in (summary_text(review), measurements_text(review.measured, review.site)):
        assert not UNSAFE.search(told)
    assert "[red]bold[/red] [link=x]" in summary_text(review)
    assert "</script><script>alert(2)</script>" in measurements_text(review.measured, review.site)


def test_printing_says_the_same(review: Review) -> None:
    stream = io.StringIO()
    print_summary(review, [Path("a [b]/review.html")], stream)
    assert stream.getvalue() == summary_text(review, [Path("a [b]/review.html")])
    stream = io.StringIO()
    print_measurements(review.measured, review.site, stream)
    assert stream.getvalue() == measurements_text(review.measured, review.site)


def test_every_line_of_a_long_review_fits_its_finding(review: Review) -> None:
    many = replace(review, findings=tuple(replace(review.findings[4], subject=str(n)) for n in range(100)))
    told = summary_text(many)
    assert "... and 60 more in the files" in told
    assert told.count("A pond 1,500 ft away") == 40


def test_measurements_say_why_they_cannot_be_told(review: Review) -> None:
    told = measurements_text(review.measured, review.site)
    assert "Wetland on site: cannot be told (no wetland map covers the site)" in told
    assert "Disturbed: 2.86 acres \u00b1 0.01" in told
    assert "; within a quarter mile: yes (" in told
    assert ", 1,296 ft along the flow, 1,837 ft straight;" in told
    assert (
        "Discharge edge-1: where it goes cannot be told; within a quarter mile: cannot be told (No elevation)" in told
    )
    assert synthetic.PAYLOADS[6] in told


def test_crashed_steps_are_told(review: Review) -> None:
    crashed = replace(review.measured, faults={"slopes": "ZeroDivisionError: division by zero"})
    assert "measuring slopes crashed: ZeroDivisionError" in measurements_text(crashed, review.site)
    assert "measuring slopes crashed: ZeroDivisionError" in summary_text(replace(review, measured=crashed))


def test_runoff_that_reaches_nothing_is_no_doubtful_runoff(review: Review) -> None:
    (_, lost) = review.measured.discharges
    far = replace(lost, within_quarter_mile=False, ends_because="farther_than_limit", explanation="")
    told = measurements_text(replace(review.measured, discharges=(far,)), review.site)
    assert "edge-1: reaches no water that was given; within a quarter mile: no (Farther than limit)" in told


def test_what_one_missing_input_hides_stands_on_one_line(review: Review) -> None:
    told = measurements_text(review.measured, review.site)
    reasons = [line.partition(": cannot be told (")[2] for line in told.splitlines() if ": cannot be told (" in line]
    assert len(reasons) == len(set(reasons)) > 0


def test_the_warnings_stand_below_the_findings(review: Review) -> None:
    flags = tuple(Flag("contour_level_odd", f"level {n}", "contours.shp") for n in range(14))
    warned = replace(review, measured=replace(review.measured, flags=(*flags, Flag("dem_flat", "flat", "dem.tif"))))
    told = summary_text(warned).partition("About the inputs: ")[2].splitlines()
    assert told[0].startswith(f"{len(review_record(warned)['flags'])} warnings")
    assert "    contour_level_odd: level 0 [contours.shp] (and 13 more of this kind)" in told
    assert "    dem_flat: flat [dem.tif]" in told
    assert len(told) == 1 + len({flag["code"] for flag in review_record(warned)["flags"]})

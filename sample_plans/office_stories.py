"""Stories of Saukville's office: the plan of another story, and what the village has on file about it.

Days are counted on paper; the state's holidays between March and July 2025 are May 26, June 19 and July 4.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from saukville_stories import APPLIES, SUBDIVISION
from story import overrides

if TYPE_CHECKING:
    from story import Story

_ON_FILE: Final = """# Invented, like all else here.
received = 2025-03-10
complete = 2025-03-12
decision = "approved"
"""
_RAIN: Final = "ended,inches,runoff\n2025-05-20 05:00,0.3,no\n2025-06-17 03:00,0.8,yes\n"


def _log(first: str, last: str, *more: str) -> str:
    """A log with an entry every Monday, and more entries."""
    times, end = [datetime.fromisoformat(first)], datetime.fromisoformat(last)
    while times[-1] + timedelta(days=7) <= end:
        times.append(times[-1] + timedelta(days=7))
    times += [datetime.fromisoformat(each) for each in more]
    rows = [f"{time:%Y-%m-%d %H:%M},I. Walker,whole site,in order,grading,none needed" for time in sorted(times)]
    return "\n".join(["when,name,location,assessment,phase,maintenance", *rows]) + "\n"


def _office(name: str, story: str, paper: str, status: str, rows: dict[str, str], *, on: str, decided_by: tuple[str, ...],
            files: tuple[tuple[str, str], ...], decided: str = "", options: tuple[str, ...] = ("permit",)) -> Story:  # fmt: skip
    """The subdivision's plan with files of the office."""
    names = {"permit": "permit.toml", "overrides": "overrides.toml", "soil-loss": "soil_loss.toml"}
    given = [part for option in options for part in (f"--{option}", f"sample_plans/{name}/{names[option]}")]
    return replace(
        SUBDIVISION, name=name, story=story, status=status, exit_code=1 if status == "fail" else 0, on=on,
        findings=SUBDIVISION.findings | rows, measurements={}, plan_of=SUBDIVISION.name, files=files, decided=decided,
        decided_by=decided_by, on_paper=f"{paper}\nAll else as in pass-saukville-subdivision.\n",
        args=(*SUBDIVISION.args, *given),
    )  # fmt: skip


OFFICE_STORIES: Final = (
    _office(
        "fail-saukville-early-start",
        "The contractor began a week before the permit was issued, told the village three days later, and is still at it a\n"
        "month after the permit ran out: each of the three alone is against the ordinance.",
        "Twenty business days after March 12 end on April 9. Work began on April 15, the permit is of April 21. From April 15,\n"
        "7:00, to April 18, 9:00, are 74 hours, more than 48. 180 days from April 21 end on October 18, before November 20.",
        "fail",
        {"SAU-20BD:clock": "pass", "SAU-48H:start": "fail", "SAU-3D:sediment basin": "pass", "SAU-180:permit": "fail",
         "SAU-PERMIT:permit": "fail", "SAU-RAIN:rains": "pass", "SAU-RAIN:weeks": "pass", "SAU-RAIN:log": "pass"},
        on="2025-11-20", decided_by=("permits_first", "notices", "permit_term"),
        files=(
            ("permit.toml", _ON_FILE + 'decided = 2025-04-07\nissued = 2025-04-21\nbegan = 2025-04-15T07:00:00\n'
             'rain = "rain.csv"\nlog = "log.csv"\n\n'
             '[[notice]]\nof = "start"\nhappened = 2025-04-15T07:00:00\ngiven = 2025-04-18T09:00:00\n\n'
             '[[notice]]\nof = "sediment basin"\nhappened = 2025-04-16\ngiven = 2025-04-18\n'),
            ("rain.csv", _RAIN), ("log.csv", _log("2025-04-21 08:00", "2025-11-17 08:00", "2025-06-17 15:00")),
        ),
    ),
    _office(
        "fail-saukville-uninspected-rain",
        "Eight tenths of an inch fell on the night of June 17 and ran off the bare ground. The log has an entry every Monday,\n"
        "the next one five and a half days after the rain; the ordinance gives 24 hours.",
        "The rain ended on June 17, 3:00; the entries around it are of June 16, 8:00, and June 23, 8:00. The rain of May 20 is\n"
        "below half an inch. From one Monday to the next are seven days, not more.",
        "fail",
        {"SAU-20BD:clock": "pass", "SAU-48H:start": "pass", "SAU-180:permit": "pass", "SAU-PERMIT:permit": "pass",
         "SAU-RAIN:rains": "fail", "SAU-RAIN:weeks": "pass", "SAU-RAIN:log": "pass"},
        on="2025-07-15", decided_by=("rain_inspections",),
        files=(
            ("permit.toml", _ON_FILE + 'decided = 2025-04-07\nissued = 2025-04-14\nbegan = 2025-04-15T07:00:00\n'
             'rain = "rain.csv"\nlog = "log.csv"\n\n'
             '[[notice]]\nof = "start"\nhappened = 2025-04-15T07:00:00\ngiven = 2025-04-14T15:00:00\n'),
            ("rain.csv", _RAIN), ("log.csv", _log("2025-04-21 08:00", "2025-07-14 08:00")),
        ),
    ),
    _office(
        "unclear-saukville-late-decision",
        "The village answered three business days too late, and for six weeks of early summer nobody of the village looked at\n"
        "the site. Both are the village's own matter: they make no plan fail, and a person must weigh what follows.",
        "Twenty business days after March 12 end on April 9; the applicant was informed on April 14. Between the visits of\n"
        "May 5 and June 16 lie 42 days, more than 14. The reviewer has decided that the article applies.",
        "needs_review",
        {"SAU-20BD:clock": "needs_review", "SAU-180:permit": "pass", "SAU-INSP:visits": "needs_review"},
        on="2025-07-15", decided="needs_review", decided_by=("review_clock", "village_inspections"),
        options=("permit", "overrides"),
        files=(
            ("permit.toml", _ON_FILE + "decided = 2025-04-14\nissued = 2025-04-14\n\n" + "\n".join(
                f"[[visit]]\nday = {day}\n" for day in
                ("2025-04-21", "2025-05-05", "2025-06-16", "2025-06-30", "2025-07-14"))),
            overrides(APPLIES),
        ),
    ),
    _office(
        "unclear-saukville-soil-loss",
        "The engineer's factors of the soil loss equation give more than five tons an acre in the first twelve months, though\n"
        "the basin keeps back half. \"To the maximum extent practicable\" is the reviewer's to decide.",
        "LS of 150 ft at 6 %: (150 / 72.6)^0.5 x (65.41 x 0.059892^2 + 4.56 x 0.059892 + 0.065) = 0.8233. R x K x LS = 150 x 0.30 x\n"
        "0.8233 = 37.05. Bare from April 15 to August 31, 139 days of 365: 14.11; seeded (C 0.1) on the other 226: 2.29. Half\n"
        "is kept back: 8.20 tons per acre, more than 5. R falls evenly over the year here, which no county's tables say.",
        "needs_review", {"SAU-USLE:phase 1": "needs_review"},
        on="2025-03-20", decided="needs_review", decided_by=("sediment",), options=("soil-loss", "overrides"),
        files=(
            ("soil_loss.toml", ('tables = "invented for this sample; no county\'s tables"\nr = 150.0\n'
             'course = [["12-31", 1.0]]\n\n[[area]]\nname = "phase 1"\nacres = 4.594\nk = 0.30\nslope_percent = 6.0\n'
             "length_ft = 150.0\ncover = [\n  { from = 2025-04-15, to = 2025-08-31, c = 1.0, kept = 0.5 },\n"
             "  { from = 2025-09-01, to = 2026-04-14, c = 0.1, kept = 0.5 },\n]\n")),
            overrides(APPLIES),
        ),
    ),
    _office(
        "unclear-saukville-open-questions",
        "All that is drawn is in order, and the reviewer has gone through the checklist: four lines of it are still open, and\n"
        "stand in overrides.toml as questions. What the program leaves to a person decides as soon as the person does.",
        "Each of the four decisions is 'needs_review'; the fifth says that the article applies.",
        "needs_review", {},
        on="2025-03-20", decided="needs_review",
        decided_by=("applicability_determined", "bare_ground", "outlets", "vegetation_beside_water"),
        options=("overrides",),
        files=(overrides(
            APPLIES,
            ("SAU-APP-4:site", "needs_review", "needs_review", "The Superintendent has been asked whether the ditch bears more."),
            ("SAU-STAGE:bare_ground", "needs_review", "needs_review", "Could the second phase be halved? Ask the engineer."),
            ("SAU-OUTLET:outlets", "needs_review", "needs_review", "No velocities are computed for OF-2."),
            ("SAU-VEG:beside_water", "needs_review", "needs_review", "Are the trees along the ravine to be fenced off?"),
        ),),
    ),
)  # fmt: skip

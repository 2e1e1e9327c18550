"""Division of land, as the text defines it.

What the rule says: the creation of parcels or building sites of five or fewer acres each, at one time or by successive
partition within five years.

How it is judged: the drawn lots of five acres or less are counted. Those with a date (attribute `created`, `recorded`
or `platted`) count together with all that follow within five years; lots without a date are taken as created at one
time, with the plan. "Pass" means that the definition is met. It decides nothing by itself: the text as supplied lacks
the list that uses it.

Limits: the text gives no least number of lots; two are a division. Earlier partitions that nobody drew are not seen.
"""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Final

import shapely

from siteplan_gis.checks.verdict import finding, limit_words
from siteplan_gis.model.comparison import compare
from siteplan_gis.model.drawn_figures import day_of
from siteplan_gis.model.review import Status
from siteplan_gis.units import acres

if TYPE_CHECKING:
    from collections.abc import Sequence

    from siteplan_gis.model.ordinance import Rule
    from siteplan_gis.model.review import Case, Finding

_LEAST: Final = 2
_DATES: Final = ("created", "recorded", "platted")


def judge_division(rule: Rule, case: Case) -> Sequence[Finding]:
    """Whether the drawn lots are a division of land."""
    lot, period = rule.limits["lot"], rule.limits["period"]
    lots = case.site.plan.of("lot")
    small = [item for item in lots if item.geometry.area > 0 and compare(acres(item.geometry.area), lot.operator, lot.value, _DOUBT * acres(item.geometry.area)) is not False]  # fmt: skip
    if not lots:
        text = "The plan draws no lots."
        status = Status.NEEDS_REVIEW if case.site.plan.activity.needs_plat else Status.NOT_APPLICABLE
        return [finding(rule, "lots", status, text)]
    where = shapely.union_all([item.geometry for item in small]) if small else None
    most = _together([day_of(item, *_DATES) for item in small], int(period.value))
    undated = sum(day_of(item, *_DATES) is None for item in small)
    counted = f"{len(small)} of {len(lots)} drawn lots have {limit_words(lot)}"
    if most + undated < _LEAST:
        text = f"{counted}; no two of them come within {period.value:g} years: no division of land is drawn."
        return [finding(rule, "lots", Status.NOT_APPLICABLE, text, where=where, limit=lot)]
    certain = sum(acres(item.geometry.area) <= lot.value * (1 - _DOUBT) for item in small) >= _LEAST
    if most < _LEAST and undated < _LEAST:
        text = f"{counted}; one bears no date: whether they come within {period.value:g} years cannot be told."
        return [finding(rule, "lots", Status.NEEDS_REVIEW, text, where=where, limit=lot)]
    when = "as drawn at one time" if undated >= _LEAST else f"{most} of them within {period.value:g} years"
    status = Status.PASS if certain else Status.NEEDS_REVIEW
    doubt = "" if certain else f" Some are too near {lot.value:g} acres to tell."
    text = f"{counted}, {when}: a division of land as the text defines it.{doubt}"
    return [finding(rule, "lots", status, text, where=where, limit=lot)]


_DOUBT: Final = 1e-4


def _together(days: Sequence[date | None], years: int) -> int:
    """The most of some days that lie within some years of the first of them, the last day counted."""
    known = sorted(day for day in days if day is not None)
    return max((sum(first <= day <= _later(first, years) for day in known) for first in known), default=0)


def _later(day: date, years: int) -> date:
    try:
        return day.replace(year=day.year + years)
    except ValueError:  # 29 February
        return date(day.year + years, 3, 1)

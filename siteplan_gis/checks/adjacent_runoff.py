"""Runoff from adjacent land: led around the disturbed ground, or slow.

What the rules ask: channelised runoff from adjacent areas is diverted around disturbed areas, if practical, or its
channel is protected; sheet flow from more than 10,000 square feet is diverted, too, unless it is shown to run at less
than 0.5 ft/s across the disturbed area in the set of one-year storms.

How it is judged: the ground outside the site whose water comes in to the disturbed ground, cell by cell, as a channel
where the program's threshold has gathered and as a sheet elsewhere. Water that meets a drawn diversion (berm, dike,
diversion ditch) first does not come in. Sheet flow that is left over the limit is the reviewer's, with a bound of its
velocity: Manning's law for a wide sheet, v = q^0.4 S^0.3 / n^0.6, where q is the rain of the strongest half-hour on
the whole slope above, S the median slope, and n from 0.011 (smooth bare soil) to 0.05 (fallow) as in TR-55, with
from three tenths to all of the rain running off. The range is wide; only a computation by the applicant settles it.

Limits: the ground of today; whether a diversion is practical, and whether what is diverted erodes where it goes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from siteplan_gis.checks.verdict import amount, finding, held, limit_words, unseen, untold
from siteplan_gis.model.comparison import show
from siteplan_gis.model.review import Status
from siteplan_gis.units import FOOT_M, INCH_M, feet

if TYPE_CHECKING:
    from collections.abc import Sequence

    from siteplan_gis.model.ordinance import Rule
    from siteplan_gis.model.review import Case, Finding

_NOISE_ACRES: Final = 0.05
_ROUGH: Final = (0.05, 0.011)
_RUNS_OFF: Final = (0.3, 1.0)
_FLATTEST: Final = 0.001


def judge_adjacent_channels(rule: Rule, case: Case) -> Sequence[Finding]:
    """Channelised runoff from next door."""
    if case.site.plan.only_sheets:
        return [unseen(rule, "channels")]
    comes, left = (case.measured.values.get(name) for name in ("offsite_channel_acres", "undiverted_channel_acres"))
    if comes is None or comes.value is None or left is None or left.value is None:
        return [untold(rule, "channels", comes, "the channels that come in")]
    if _nothing(comes.value, comes.plus_minus) and not comes.reason:
        text = "No channelised runoff from adjacent land comes to the disturbed ground."
        return [finding(rule, "channels", Status.NOT_APPLICABLE, text, measured=comes)]
    if _nothing(left.value, None) and not comes.reason and not _nothing(comes.value, None):
        text = f"Channelised runoff of {amount(comes)} of adjacent land meets a drawn diversion before the disturbed ground."
        return [finding(rule, "channels", Status.PASS, text, measured=left)]
    bare = case.measured.values.get("channel_edge_bare_ft")
    edges = ""
    if bare is not None and isinstance(bare.value, float):
        edges = f" {show(bare.value, 0)} ft of the edges of channels that come in have no fence."
    why = f" ({left.reason})" if left.reason else ""
    text = f"Runoff of {amount(left)} of adjacent land may come in to the disturbed ground in channels, by the program's threshold{why}.{edges}"
    remedy = "Draw the diversion, or the protection of the channel."
    return [finding(rule, "channels", Status.NEEDS_REVIEW, text, measured=left, remedy=remedy)]


def _nothing(value: object, doubt: float | None) -> bool:
    return isinstance(value, int | float) and value + (doubt or 0.0) <= _NOISE_ACRES


def judge_adjacent_sheet(rule: Rule, case: Case) -> Sequence[Finding]:
    """Sheet flow from next door."""
    if case.site.plan.only_sheets:
        return [unseen(rule, "sheet")]
    limit, values = rule.limits["area"], case.measured.values
    comes, left = (values.get(name) for name in ("offsite_sheet_flow_sqft", "undiverted_sheet_flow_sqft"))
    if comes is None or comes.value is None or left is None or left.value is None:
        return [untold(rule, "sheet", comes, "the sheet flow that comes in")]
    over = held(comes, limit)
    if over is False and not comes.reason:
        text = f"Sheet flow comes in from {amount(comes, limit, 0)} of adjacent land, not {limit_words(limit)}."
        return [finding(rule, "sheet", Status.NOT_APPLICABLE, text, measured=comes, limit=limit)]
    rest = held(left, limit)
    if rest is False and not comes.reason:
        text = f"Of {amount(comes, limit, 0)} of adjacent land with sheet flow, drawn diversions leave {amount(left, limit, 0)}, not {limit_words(limit)}."
        return [finding(rule, "sheet", Status.PASS, text, measured=left, limit=limit)]
    doubt = f" ({left.reason})" if left.reason else ": too near the limit to tell" if rest is None else ""
    text = f"Sheet flow comes in from {amount(left, limit, 0)} of adjacent land that no drawn diversion leads around{doubt}.{_velocity(rule, case)}"
    remedy = f"Draw a diversion, or show that the flow stays {limit_words(rule.limits['slow'])}."
    upper = values.get("perimeter_up_ft")
    where = upper.where if upper is not None and (left.where is None or left.where.is_empty) else left.where
    return [finding(rule, "sheet", Status.NEEDS_REVIEW, text, measured=left, limit=limit, where=where, remedy=remedy)]


def _velocity(rule: Rule, case: Case) -> str:
    """The range that the velocity of the sheet may have, in a sentence; empty where its inputs are not told."""
    values = case.measured.values
    slope, upper, area = (
        values.get(name) for name in ("slope_percent_median", "perimeter_up_ft", "undiverted_sheet_flow_sqft")
    )
    rain = max(
        (
            limit.value
            for other in case.ordinance.rules
            for limit in other.limits.values()
            if limit.subject == "one_year_rain_in_per_h"
        ),
        default=0.0,
    )
    numbers = [item.value if item is not None else None for item in (slope, upper, area)]
    steep, width_ft, sqft = (float(n) if isinstance(n, int | float) else 0.0 for n in numbers)
    disturbed = case.measured.shape["disturbed"]
    if not rain or width_ft <= 0 or sqft <= 0 or disturbed.is_empty:
        return ""
    length_m = sqft * FOOT_M**2 / (width_ft * FOOT_M) + disturbed.area / (width_ft * FOOT_M)
    ratio = max(steep / 100.0, _FLATTEST)
    low, high = (
        feet(sheet_velocity(share * rain * INCH_M / 3600.0 * length_m, ratio, rough))
        for share, rough in zip(_RUNS_OFF, _ROUGH, strict=True)
    )
    limit = rule.limits["slow"]
    return f" At {rain:g} in/h on {show(feet(length_m), 0)} ft of slope at {show(100 * ratio, 1)} % it would run at {show(low, 2, limit.value)} to {show(high, 2, limit.value)} ft/s (a bound, no proof); the limit is {limit_words(limit)}."


def sheet_velocity(flow_m2_s: float, slope_ratio: float, roughness: float) -> float:
    """Velocity in m/s of a wide sheet of water by Manning's law, for its flow per metre of width.

    Examples
    --------
    With n = 0.05, 5 % and one litre per second and metre: depth (n q / S^0.5)^0.6 = 6.6 mm.

    >>> velocity = sheet_velocity(0.001, 0.05, 0.05)
    >>> round(velocity, 4), round(0.001 / velocity, 4)
    (0.155, 0.0065)
    """
    depth = (roughness * flow_m2_s / slope_ratio**0.5) ** 0.6
    return float(flow_m2_s / depth)

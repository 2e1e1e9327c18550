"""Fences, bales or their equal along the down-slope and side-slope edges of the disturbed ground, and along channels.

What the rules ask: on sites with less than 10 acres disturbed at one time, filter fences, straw bales or equivalent
measures along all side-slope and down-slope sides, and fences along the edges of a channel that passes through; or,
elsewhere, sediment kept from adjacent waters and from drainageways that flow off the site.

How it is judged: the edge of the disturbed ground is cut into pieces that lie down slope, beside the slope or up
slope, by the plane of the existing ground around each place and by the water that crosses it. A piece is covered where
a barrier (fence, bales, wattle, berm, strip, basin, trap) runs beside it within 25 ft; a tracking pad, riprap and a
check close the gap that a fence leaves for them, and gaps under 10 ft are drafting. What stays bare is told in feet
and drawn. It fails where more is bare than may be of another kind; within that doubt it is the reviewer's. Exactly 10
acres is neither less nor more. A figure that the application states on the other side of 10 acres leaves all of it to
the reviewer.

The state's technical standard 1056 is told as advice: it sets fences on the contour, at most so far apart down the
slope (its table 1), and forbids them in concentrated flow. A literal fence along a channel's edge, or straight down a
side slope, conflicts with it: that is for the reviewer to weigh and never a failure.

Limits: the sides are those of the disturbed ground, on the ground of today; that a fence is drawn does not make it
right.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import shapely

from siteplan_gis.checks.verdict import amount, checklist, contradiction, finding, held, limit_words, unseen, untold
from siteplan_gis.checks.water_edges import protective_areas
from siteplan_gis.model.comparison import show
from siteplan_gis.model.controls import FENCES, control_kind, controls_of
from siteplan_gis.model.review import Status
from siteplan_gis.units import FOOT_M, feet

if TYPE_CHECKING:
    from collections.abc import Sequence

    from siteplan_gis.model.measurement import Measurement
    from siteplan_gis.model.ordinance import Rule
    from siteplan_gis.model.review import Case, Finding

_SIDES: Final = (
    ("perimeter_down_bare_ft", "perimeter_down_ft", "down slope"),
    ("perimeter_side_bare_ft", "perimeter_side_ft", "beside the slope"),
)
_DRAFTING_FT: Final = 3.0
_SPACING_FT: Final = ((2.0, 100), (5.0, 75), (10.0, 50), (33.0, 25), (float("inf"), 20))
"""Greatest slope length above a silt fence by the slope in per cent: technical standard 1056, table 1."""


def judge_perimeter(rule: Rule, case: Case) -> Sequence[Finding]:
    """The sides of the disturbed ground, the channels through it, and the state's standard as advice."""
    if case.site.plan.only_sheets:
        return [unseen(rule, "perimeter")]
    most, limit = case.measured.values.get("disturbed_max_concurrent_acres"), rule.limits.get("below")
    doubt = ""
    if limit is not None:
        if most is None or most.value is None:
            return [untold(rule, "perimeter", most, "the largest area open on one day")]
        below = held(most, limit)
        doubt = contradiction(case.site.plan.stated.disturbed_max_concurrent_acres, most, limit)
        if doubt:
            doubt = f" {amount(most, limit)} are open at one time.{doubt}"
        elif below is False and not _exactly(most, limit.value):
            text = f"{amount(most, limit)} open at one time, not {limit_words(limit)}: basins are asked for instead."
            return [finding(rule, "perimeter", Status.NOT_APPLICABLE, text, measured=most, limit=limit)]
        elif not below:
            doubt = f" {amount(most, limit)} are open at one time: too near {limit.value:g} acres to tell, and at exactly {limit.value:g} the text asks for neither fences nor a basin."
    found = [_judge_side(rule, case, *side, doubt) for side in _SIDES]
    if rule.options.get("channels"):
        found.append(_judge_channels(rule, case))
        found += [_advice(rule, case), protective_areas(rule, case)]
    return found


def _exactly(most: Measurement, value: float) -> bool:
    return isinstance(most.value, int | float) and abs(most.value - value) <= (most.plus_minus or 0.0)


def _judge_side(rule: Rule, case: Case, bare_name: str, whole_name: str, words: str, doubt: str) -> Finding:
    bare, whole = case.measured.values.get(bare_name), case.measured.values.get(whole_name)
    subject = words.split(maxsplit=1)[0]
    if bare is None or whole is None or bare.value is None or whole.value is None:
        return untold(rule, subject, bare, f"the edge that lies {words}")
    assert isinstance(bare.value, float)
    assert isinstance(whole.value, float)
    may = bare.plus_minus or 0.0
    edge = f"{show(whole.value, 0)} ft of the edge of the disturbed ground lie {words}"
    if bare.value <= _DRAFTING_FT and may <= _DRAFTING_FT:
        if whole.value <= _DRAFTING_FT:
            text = f"No edge of the disturbed ground lies {words}."
            return finding(rule, subject, Status.NOT_APPLICABLE, text, measured=bare)
        status = Status.NEEDS_REVIEW if doubt else Status.PASS
        return finding(rule, subject, status, f"{edge}, all of them with a control beside them.{doubt}", measured=bare)
    remedy = "Draw a fence, bales or their equal along the bare stretches."
    if bare.value <= _DRAFTING_FT:
        text = f"{edge}, with a control beside them; up to {show(may, 0)} ft more may lie so and are bare.{doubt}"
        where = bare.where if bare.where is not None else whole.where
        return finding(rule, subject, Status.NEEDS_REVIEW, text, measured=bare, where=where, remedy=remedy)
    gaps = len(shapely.get_parts(bare.where)) if bare.where is not None else 0
    text = f"{edge}; {show(bare.value, 0)} ft of them, in {gaps} gap{'s' * (gaps != 1)} ({_longest(bare)}), have no control beside them{_other(case, bare)}.{doubt}"
    certain = bare.value - may > _DRAFTING_FT and not doubt and not _other(case, bare)
    status = Status.FAIL if certain else Status.NEEDS_REVIEW
    return finding(rule, subject, status, text, measured=bare, remedy=remedy)


def _longest(bare: Measurement) -> str:
    parts = shapely.get_parts(bare.where)
    return f"the longest {show(feet(max(float(part.length) for part in parts)), 0)} ft"


def _other(case: Case, bare: Measurement) -> str:
    """Controls of no known kind beside the bare stretches: they may be what is missing."""
    near_m = case.ordinance.method.control_near_m
    unknown = [
        item
        for item in case.site.plan.of("control")
        if not control_kind(item) and bare.where is not None and shapely.dwithin(item.geometry, bare.where, near_m)
    ]
    return f"; {len(unknown)} controls of no known kind are drawn there" * bool(unknown)


def _judge_channels(rule: Rule, case: Case) -> Finding:
    through, bare = (
        case.measured.values.get(name) for name in ("channel_through_disturbed_ft", "channel_edge_bare_ft")
    )
    if bare is None or through is None or bare.value is None:
        return untold(rule, "channels", bare, "channels through the disturbed ground")
    if not isinstance(bare.value, float) or (bare.value <= _DRAFTING_FT and bare.where is None):
        entering = "None that comes in from outside is without a fence" if through.value else "No channel runs"
        text = f"{entering} through the disturbed ground."
        status = Status.NEEDS_REVIEW if through.reason else Status.NOT_APPLICABLE
        return finding(rule, "channels", status, f"{text} {through.reason}".rstrip(), measured=bare)
    text = f"A channel comes in and passes through the disturbed ground; {show(bare.value, 0)} ft of its two edges have no fence beside them, by the ground of today and the program's threshold."
    remedy = "Lead it around, or protect its edges."
    return finding(rule, "channels", Status.NEEDS_REVIEW, text, measured=bare, remedy=remedy)


def _advice(rule: Rule, case: Case) -> Finding:
    slope, down = (case.measured.values.get(name) for name in ("slope_percent_median", "perimeter_down_ft"))
    disturbed = case.measured.shape["disturbed"]
    text = "Advice, beyond the ordinance: the state's standard 1056 sets silt fence on the contour and never in concentrated flow, so that a fence along a channel's edge or straight down a side slope conflicts with it."
    if slope is not None and isinstance(slope.value, int | float):
        apart = next(spacing for steep, spacing in _SPACING_FT if slope.value < steep)
        text += f" At the site's median slope of {show(float(slope.value), 1)} % it allows {apart} ft of slope above a fence"
        if down is not None and isinstance(down.value, float) and down.value > _DRAFTING_FT:
            text += f"; here {show(feet(disturbed.area / (down.value * FOOT_M)), 0)} ft of disturbed slope lie above each foot of the edge down slope"
        text += "."
    channels = case.measured.values.get("channel_through_disturbed_ft")
    crossing = []
    if channels is not None and channels.where is not None:
        crossing = [
            item.geometry for item in controls_of(case.site.plan, FENCES) if item.geometry.intersects(channels.where)
        ]
        text += f" {len(crossing)} drawn fences stand across a channel." * bool(crossing)
    return checklist(rule, "standard_1056", text, where=shapely.union_all(crossing) if crossing else None)

"""Small drawings (SVG) in the page: the ground along a runoff path, and the acres that are open day by day."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from siteplan_gis.report.wording import figure

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_WIDE: Final = 520
_HIGH: Final = 150
_LEFT, _RIGHT, _TOP, _BOTTOM = 84, 16, 14, 34
_MOST_POINTS: Final = 160


def profile_svg(profile_ft: Sequence[Sequence[float]]) -> str:
    """The ground along a path of (distance, elevation) in feet; "" where there are fewer than two places.

    It holds numbers only: no text of a file reaches it.
    """
    known = [(along, height) for along, height in profile_ft if along is not None and height is not None]
    if len(known) < 2:  # noqa: PLR2004
        return ""
    points = np.array(known)
    kept = points[np.unique(np.linspace(0, len(points) - 1, _MOST_POINTS).round().astype(int))]
    low, high = float(points[:, 1].min()), float(points[:, 1].max())
    label = (
        f"Ground along the path: from {figure(points[0, 1], 'ft')} ft to {figure(points[-1, 1], 'ft')} ft "
        f"over {figure(points[-1, 0], 'ft')} ft"
    )
    return _drawing(kept, (low, high), label, f"{figure(points[-1, 0], 'ft')} ft along the path", "ft", "profile")


def open_acres_svg(rows: Sequence[Mapping[str, Any]]) -> str:
    """The acres of disturbed ground that are open from each day on, as steps; "" where no phase has dates."""
    if len(rows) < 2:  # noqa: PLR2004
        return ""
    days = [date.fromisoformat(row["from"]).toordinal() for row in rows]
    steps = [(days[0], 0.0)]
    for day, row in zip(days, rows, strict=True):
        steps += [(day, steps[-1][1]), (day, float(row["acres"]))]
    largest = max(rows, key=lambda row: row["acres"])
    label = f"Open ground by day: at most {figure(largest['acres'], 'acre')} acres, from {largest['from']} on"
    points = np.array([(day - days[0], height) for day, height in steps])
    return _drawing(points, (0.0, float(largest["acres"])), label, f"{rows[0]['from']} to {rows[-1]['from']}", "acre", "open-acres")  # fmt: skip


def _drawing(points: Any, span: tuple[float, float], label: str, below: str, unit: str, kind: str) -> str:
    low, high = span
    rise = max(high - low, 1e-9)
    wide, tall = _WIDE - _LEFT - _RIGHT, _HIGH - _TOP - _BOTTOM
    longest = max(float(points[-1, 0]), 1e-9)
    drawn = [
        f"{_LEFT + x / longest * wide:.1f},{_TOP + (high - y) / rise * tall:.1f}" for x, y in points
    ]  # fmt: skip
    base = _TOP + tall
    words = {"ft": "ft", "acre": "acres"}[unit]
    return (
        f'<svg class="curve {kind}" viewBox="0 0 {_WIDE} {_HIGH}" role="img" aria-label="{label}">'
        f'<path class="ground" d="M{_LEFT},{base}L{"L".join(drawn)}L{_LEFT + wide},{base}Z"/>'
        f'<path class="line" d="M{"L".join(drawn)}"/>'
        f'<path class="axis" d="M{_LEFT},{_TOP}V{base}H{_LEFT + wide}"/>'
        f'<text x="{_LEFT - 5}" y="{_TOP + 5}" text-anchor="end">{figure(high, unit)} {words}</text>'
        f'<text x="{_LEFT - 5}" y="{base}" text-anchor="end">{figure(low, unit)} {words}</text>'
        f'<text x="{_LEFT + wide / 2}" y="{_HIGH - 8}" text-anchor="middle">{below}</text></svg>'
    )

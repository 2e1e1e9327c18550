"""Paper and scale of a printed sheet: sizes by name, and the scales that engineers' rulers have."""

from __future__ import annotations

import math
import re
from typing import Final

from siteplan_gis.errors import InputError

PAPERS_IN: Final = {
    "letter": (11.0, 8.5), "legal": (14.0, 8.5), "tabloid": (17.0, 11.0), "ledger": (17.0, 11.0),
    "a4": (297 / 25.4, 210 / 25.4), "a3": (420 / 25.4, 297 / 25.4),
}  # fmt: skip
"""Width and height in inches, lying."""

ENGINEERS_SCALES: Final = tuple(step * ten for ten in (1, 10, 100, 1000) for step in (10, 20, 30, 40, 50, 60))
"""Feet of ground to an inch of paper."""

_BY_NUMBERS: Final = re.compile(r"(\d{1,2}(?:\.\d+)?)x(\d{1,2}(?:\.\d+)?)")
_SMALLEST_IN, _LARGEST_IN = 8.0, 60.0


def paper_size(name: str) -> tuple[float, float]:
    """Width and height in inches of the paper lying on its longer side.

    Raises
    ------
    InputError
        If the name is no size of paper.

    Examples
    --------
    >>> paper_size("Tabloid"), paper_size("22x34"), paper_size("8.5x11")
    ((17.0, 11.0), (34.0, 22.0), (11.0, 8.5))
    """
    known = PAPERS_IN.get(name.lower())
    if known:
        return known
    numbers = _BY_NUMBERS.fullmatch(name.lower())
    sides = sorted((float(numbers[1]), float(numbers[2])), reverse=True) if numbers else []
    if not sides or sides[1] < _SMALLEST_IN or sides[0] > _LARGEST_IN:
        raise InputError(
            f"{name!r} is no size of paper", remedy=f"use {', '.join(PAPERS_IN)} or inches like 22x34 (8 to 60)"
        )
    return sides[0], sides[1]


def fitting_scale(ground_ft: tuple[float, float], room_in: tuple[float, float], wanted: float | None = None) -> float:
    """Feet to the inch at which ground of this width and height fits: the wanted one, or the largest of a ruler.

    Raises
    ------
    InputError
        If the ground does not fit at the wanted scale, or at any.

    Examples
    --------
    >>> fitting_scale((900.0, 400.0), (10.0, 8.0)), fitting_scale((1000.0, 400.0), (10.0, 8.0))
    (100, 100)
    >>> fitting_scale((300.0, 240.0), (10.0, 8.0))
    30
    """
    needed = max(ground / room for ground, room in zip(ground_ft, room_in, strict=True))
    least = next((scale for scale in sorted(set(ENGINEERS_SCALES)) if scale >= needed), None)
    if least is None:
        raise InputError("the site is too large for a sheet", remedy="choose larger paper with --print-sheet")
    if wanted is None:
        return least
    if not math.isfinite(wanted) or wanted < needed:
        raise InputError(
            f'the site is {ground_ft[0]:,.0f} by {ground_ft[1]:,.0f} ft: it does not fit at 1" = {wanted:g} ft',
            remedy=f"use --sheet-scale {least:g} or larger paper",
        )
    return wanted

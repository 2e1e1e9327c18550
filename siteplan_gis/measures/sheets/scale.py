"""All that tells the scale of one sheet, weighed: what is measured before what is written, doubt where they differ."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from siteplan_gis.measures.sheets.paper import paper_sizes, reduction
from siteplan_gis.measures.sheets.sheet import feet_per_inch
from siteplan_gis.model.sheet import SCALE_KINDS, ScaleEvidence

if TYPE_CHECKING:
    from collections.abc import Sequence

    from siteplan_gis.measures.sheets.paper import Size
    from siteplan_gis.model.sheet import Sheet

AGREES: Final = 0.02
"""Scales that differ by no more than this share say the same."""

_ELSEWHERE: Final = frozenset({"location", "detail"})
_LARGEST_HALF_IN: Final = 24.5
"""A page no longer than this may be a half-size copy (half of 36 x 48); a longer one is drawn as it is printed."""


@dataclass(frozen=True, slots=True)
class SettledScale:
    """The scale of a sheet's main map.

    Attributes
    ----------
    printed
        Feet of ground per inch of the paper as printed, the coarsest of several; None where nothing tells it:
        `reason` says why.
    plus_minus
        Half the width of the doubt; it reaches over all evidence that disagrees.
    kind
        The kind of evidence that the figure rests on; "stated" where nothing was measured.
    full_size
        Feet per inch on paper of the size that the sheet was drawn for; None where that size is not known.
    stated
        The written scales, as written.
    reduced
        How many times smaller than drawn for the sheet is printed; None where not known.
    disagreements
        A sentence for each pair of evidence that differs by more than 2 %.
    basis
        What the figure rests on, in words.
    finest
        The finest scale that evidence of this kind tells: of several drawings on a sheet `printed` is the coarsest.
    """

    printed: float | None = None
    plus_minus: float | None = None
    kind: str = ""
    full_size: float | None = None
    stated: tuple[float, ...] = ()
    reduced: float | None = None
    disagreements: tuple[str, ...] = ()
    basis: str = ""
    reason: str = ""
    finest: float | None = None


def settled_scale(sheet: Sheet) -> SettledScale:
    """Weigh the evidence of a sheet.

    A note holds for the paper that the sheet was drawn for: on smaller paper it is worth more feet to the inch. Where
    a note agrees with a measured figure within its doubt, the written figure is taken: it is the exact one.

    Examples
    --------
    >>> from siteplan_gis.model.sheet import Sheet
    >>> half = settled_scale(Sheet("C-1", "site_map", "1 in = 60 ft", paper="24x36", width_in=18.0, height_in=12.0))
    >>> half.printed, half.full_size, half.reduced
    (120.0, 60.0, 2.0)
    """
    evidence = [item for item in sheet.evidence if sheet.shows == "location" or item.subject not in _ELSEWHERE]
    notes = [item for item in evidence if item.kind == "stated"]
    if sheet.scale_text.strip():
        notes.insert(0, _note(sheet))
    measured = [item for item in evidence if item.kind != "stated" and item.feet_per_inch is not None]
    measured.sort(key=lambda item: SCALE_KINDS.index(item.kind))
    reduced = _reduced(sheet, notes)
    written = _for_this_paper(sheet, [note for note in notes if note.feet_per_inch is not None])
    stated = tuple(dict.fromkeys(note.feet_per_inch for note in written if note.feet_per_inch is not None))
    printed_notes = [(_printed(note, sheet, reduced), note) for note in written]
    if measured:
        return _from_measured(measured, printed_notes, stated, reduced)
    if not printed_notes:
        return SettledScale(reduced=reduced, reason=_why_none(notes))
    return _from_notes(sheet, printed_notes, stated, reduced)


def printed_size(sheet: Sheet) -> Size | None:
    """Short and long side in inches of the sheet as printed."""
    if sheet.width_in is None or sheet.height_in is None:
        return None
    short, long = sorted((sheet.width_in, sheet.height_in))
    return (short, long) if short > 0 else None


def _note(sheet: Sheet) -> ScaleEvidence:
    where = f"as stated: {sheet.scale_text.strip()}"
    return ScaleEvidence("stated", feet_per_inch(sheet.scale_text), None, where)


def _reduced(sheet: Sheet, notes: Sequence[ScaleEvidence]) -> float | None:
    """Drawn size over printed size, from the sizes or from the sheet's word that it is a half-size plot."""
    printed = printed_size(sheet)
    drawn = paper_sizes(sheet.paper) or tuple(size for note in notes for size in paper_sizes(note.paper))
    if printed is None or not drawn:
        return 2.0 if sheet.half_size else None
    ratios = [ratio for size in drawn if (ratio := reduction(size, printed)) is not None]
    if not ratios:
        return None
    # A sheet that names two sizes ("24x36, half size 11x17") was drawn for the larger. One that calls itself half size
    # and names no larger paper leaves open for which paper its notes hold.
    return None if sheet.half_size and max(ratios) == 1 else max(ratios)


def _for_this_paper(sheet: Sheet, notes: Sequence[ScaleEvidence]) -> list[ScaleEvidence]:
    """Of notes that each name a paper, those for the printed one, where there is one: "1 in = 100 ft at 11x17"."""
    printed = printed_size(sheet)
    if printed is None:
        return list(notes)
    own = [note for note in notes if any(reduction(size, printed) == 1 for size in paper_sizes(note.paper))]
    return own if own and len(own) < len(notes) and all(note.paper for note in notes) else list(notes)


def _printed(note: ScaleEvidence, sheet: Sheet, reduced: float | None) -> float:
    assert note.feet_per_inch is not None
    printed = printed_size(sheet)
    ratios = [reduction(size, printed) for size in paper_sizes(note.paper)] if printed else []
    own = [ratio for ratio in ratios if ratio is not None]
    return note.feet_per_inch * (max(own) if own else reduced or 1.0)


def _from_measured(
    measured: Sequence[ScaleEvidence],
    notes: Sequence[tuple[float, ScaleEvidence]],
    stated: tuple[float, ...],
    reduced: float | None,
) -> SettledScale:
    alike = [item for item in measured if item.kind == measured[0].kind]
    best = max(alike, key=lambda item: item.feet_per_inch or 0.0)
    value, doubt = best.feet_per_inch, best.plus_minus
    assert value is not None
    finest = min(item.feet_per_inch or value for item in alike)
    told: list[str] = []
    for other in [item for item in measured if item.kind != best.kind]:
        assert other.feet_per_inch is not None
        if _differ(value, other.feet_per_inch, (best.plus_minus or 0.0) + (other.plus_minus or 0.0)):
            told.append(f"{value:g} ft per inch by {best.where}, but {other.feet_per_inch:g} by {other.where}")
            doubt = max(doubt or 0.0, abs(other.feet_per_inch - value))
    basis = best.where + f"; the coarsest of {len(alike)}, the finest has {finest:g}" * _differ(value, finest, 0.0)
    confirming = [(printed, note) for printed, note in notes if abs(printed - value) <= (best.plus_minus or 0.0)]
    if confirming and not told:
        value, doubt = confirming[0][0], None
        basis = f"{confirming[0][1].where}, confirmed by {best.where}"
    agreeing = [note for printed, note in notes if not _differ(value, printed, best.plus_minus or 0.0)]
    if notes and not agreeing:
        told += [
            f"{value:g} ft per inch by {best.where}, but {printed:g} by {note.where}"
            + (f" ({note.feet_per_inch:g} as written, on paper {printed / note.feet_per_inch:.3g} times smaller)"
               if note.feet_per_inch and printed != note.feet_per_inch else "")
            for printed, note in notes
        ]  # fmt: skip
    full = value / reduced if reduced else agreeing[0].feet_per_inch if agreeing else None
    return SettledScale(
        value, doubt, best.kind, full, stated, reduced, tuple(dict.fromkeys(told)), basis, finest=min(finest, value)
    )


def _from_notes(
    sheet: Sheet, notes: Sequence[tuple[float, ScaleEvidence]], stated: tuple[float, ...], reduced: float | None
) -> SettledScale:
    """The coarsest note; what else is written, and the size that nobody tells, are doubt."""
    value, coarsest = max(notes, key=lambda one: one[0])
    finest, other = min(notes, key=lambda one: one[0])
    told: tuple[str, ...] = ()
    doubt = max((note.plus_minus for _, note in notes if note.plus_minus is not None), default=None)
    basis = coarsest.where
    if _differ(value, finest, 0.0):
        told = (f"{value:g} ft per inch by {coarsest.where}, but {finest:g} by {other.where}",)
    printed = printed_size(sheet)
    if printed is not None and reduced is None:
        size = f"the page is {_sides(sheet)}"
        if paper_sizes(sheet.paper):
            other_paper = f"which is no copy of the {sheet.paper} that it was drawn for"
            called_half = f"as the sheet was drawn for ({sheet.paper}), but the sheet calls itself half size"
            told = (*told, f"{size}, {called_half if sheet.half_size else other_paper}")
            doubt = value
        elif printed[1] <= _LARGEST_HALF_IN:
            basis += f"; {size}, and nothing says for what size it was drawn: at half size it is {2 * value:g}"
            doubt = value
    full = value / reduced if reduced else value if printed is None else None
    return SettledScale(value, doubt, "stated", full, stated, reduced, told, basis, finest=finest)


def _differ(one: float, other: float, doubt: float) -> bool:
    return abs(one - other) > max(AGREES * min(one, other), doubt)


def _sides(sheet: Sheet) -> str:
    return f"{sheet.width_in:.4g} x {sheet.height_in:.4g} in"


def _why_none(notes: Sequence[ScaleEvidence]) -> str:
    if notes:
        return f"{notes[0].where} gives no one scale"
    return "nothing on the sheet tells its scale"

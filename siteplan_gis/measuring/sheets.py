"""The scale of each sheet, from all that tells it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from siteplan_gis.measures.sheets.scale import SettledScale, settled_scale
from siteplan_gis.measuring.record import Taken, cannot, measured
from siteplan_gis.model.flag import Flag

if TYPE_CHECKING:
    from collections.abc import Sequence

    from siteplan_gis.model.sheet import Sheet

_NOT_REDUCED = 0.01


def measure_sheets(sheets: Sequence[Sheet], taken: Taken) -> None:
    """Scale as printed, at full size and as stated, and what disagrees."""
    settled = [(sheet, settled_scale(sheet)) for sheet in sheets]
    for sheet, scale in settled:
        namesakes = {other.printed for namesake, other in settled if namesake.name == sheet.name}
        if len(namesakes) > 1:
            scale = SettledScale(reason="several sheets have this name, with different scales")  # noqa: PLW2901
        _add(sheet, scale, taken)


def _add(sheet: Sheet, scale: SettledScale, taken: Taken) -> None:
    printed, full, stated = (
        f"{name}[{sheet.name}]" for name in ("feet_per_inch", "feet_per_inch_full_size", "feet_per_inch_stated")
    )
    if scale.printed is None:
        taken.add(cannot(printed, scale.reason))
    else:
        taken.add(measured(printed, scale.printed, scale.plus_minus, scale.basis))
    if scale.full_size is None:
        taken.add(cannot(full, scale.reason or "the paper size that the sheet was drawn for is not known"))
    else:
        method = f"printed {scale.reduced:.3g} times smaller" if scale.reduced else "as written"
        taken.add(measured(full, scale.full_size, None, method))
    if len(scale.stated) == 1:
        taken.add(measured(stated, scale.stated[0], None, "as written on the sheet or by the applicant"))
    else:
        taken.add(cannot(stated, "several scales are written" if scale.stated else "no scale is written"))
    for told in scale.disagreements:
        taken.flags.append(Flag("sheet_scale_disagrees", told, sheet.name))
    if scale.reduced is not None and abs(scale.reduced - 1) > _NOT_REDUCED:
        share = f"half size or {100 / scale.reduced:.0f} %" if abs(scale.reduced - 2) < _NOT_REDUCED else f"{100 / scale.reduced:.0f} %"  # fmt: skip
        text = f"the sheet is printed at {share} of the size that it was drawn for"
        taken.flags.append(Flag("sheet_reduced", text, sheet.name))
    taken.flags.extend(Flag("sheet_note", note, sheet.name) for note in sheet.notes)

"""One set of colours for page, map and GeoPackage.

Statuses keep apart for every kind of colour vision (after Okabe and Ito, darkened until white text on them reaches a
contrast of 4.5) and always come with a sign or a line pattern.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from siteplan_gis.model.review import Status

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Ink:
    """How a thing is drawn: `dash` as SVG dash lengths, empty for a whole line; widths in pixels."""

    line: str
    fill: str
    fill_opacity: float
    width: float
    dash: str = ""


STATUS_INK: Final[Mapping[str, Ink]] = {
    Status.ERROR: Ink("#8e2d74", "#8e2d74", 0.25, 3, "2 5"),
    Status.FAIL: Ink("#b5340b", "#d55e00", 0.35, 4),
    Status.NOT_CHECKED: Ink("#00568a", "#0072b2", 0.15, 2.5, "1 6"),
    Status.NEEDS_REVIEW: Ink("#8a5a00", "#e69f00", 0.35, 3, "8 4"),
    Status.PASS: Ink("#00694d", "#009e73", 0.1, 2),
    Status.NOT_APPLICABLE: Ink("#5b6168", "#999999", 0.05, 1.5, "4 6"),
}

REVIEWER_INK: Final = Ink("#3d4a8a", "#7b88c9", 0.25, 2.5, "10 3")
"""For what the reviewer decides alone."""

_PLAN_INK: Final = Ink("#3d3d3d", "#8c8c8c", 0.1, 1.2)
CONTEXT_INK: Final[Mapping[str, Ink]] = {
    "site": Ink("#1a1a1a", "#ffffff", 0.0, 3, "10 4 2 4"),
    "disturbed_area": Ink("#7a4a1e", "#c89b6d", 0.45, 1.5),
    "steep_patches": Ink("#5c2d91", "#9b6fc9", 0.45, 1),
    "slope_disagreement": Ink("#a3154f", "#e0708f", 0.35, 1.5, "5 3"),
    "isolines": Ink("#a07850", "#a07850", 0.0, 0.6),
    "plan_surface_existing": Ink("#8a6d3b", "#ffffff", 0.0, 1, "2 4"),
    "plan_surface_proposed": Ink("#6b3e12", "#ffffff", 0.0, 1.2, "6 3"),
    "runoff_paths": Ink("#00369e", "#00369e", 0.6, 3, "6 3"),
    "perimeter_down": Ink("#b5340b", "#b5340b", 0.0, 4),
    "perimeter_side": Ink("#8a5a00", "#8a5a00", 0.0, 4, "7 4"),
    "perimeter_up": Ink("#00694d", "#00694d", 0.0, 4, "2 5"),
    "offsite_upslope": Ink("#00568a", "#56b4e9", 0.2, 1.5, "8 3 2 3"),
    "channel_through_disturbed": Ink("#00369e", "#00369e", 0.0, 3, "2 4"),
    "channel_heads_in_disturbed": Ink("#00369e", "#ffffff", 0.9, 2),
    "basin_drainage": Ink("#00568a", "#9ecae9", 0.2, 1.2, "3 3"),
    "stockpile_drainage": Ink("#6b3e12", "#6b3e12", 0.0, 2, "4 3"),
    "top_of_channel": Ink("#6b4fa0", "#6b4fa0", 0.0, 2, "5 3"),
    "downstream_network": Ink("#2b6fb3", "#2b6fb3", 0.0, 1.5, "8 4"),
    "parcels": Ink("#8a8a8a", "#ffffff", 0.0, 0.8),
    "roads": Ink("#6a6a6a", "#c9c9c9", 0.5, 1.4),
    "contours": Ink("#a07850", "#a07850", 0.0, 0.6),
    "culverts": Ink("#6b4fa0", "#6b4fa0", 0.2, 2.2, "4 2"),
    "lettered_grid": Ink("#555c63", "#ffffff", 0.0, 0.8),
    "waters": Ink("#1f78b4", "#9ecae9", 0.5, 1.8),
    "wetlands": Ink("#3a7d6b", "#a9d8c8", 0.5, 1),
    "floodplain": Ink("#4f81bd", "#c6dbef", 0.4, 1, "3 3"),
    "airports": Ink("#444444", "#bbbbbb", 0.4, 1.5),
    "municipality_shares": Ink("#a0527a", "#e3c4d4", 0.25, 1.5, "8 3"),
    "uncovered": Ink("#777777", "#d0d0d0", 0.5, 1, "2 4"),
    "limits": Ink("#1a1a1a", "#8c8c8c", 0.35, 1.5),
    "etj_reach": Ink("#777777", "#ffffff", 0.0, 1, "4 4"),
    "jurisdiction": Ink("#00568a", "#56b4e9", 0.3, 1.5),
    "overlaps": Ink("#8a5a00", "#e69f00", 0.25, 1, "6 3"),
    "division_lines": Ink("#b5340b", "#b5340b", 0.0, 2.5),
    "detached_only": Ink("#8e2d74", "#cc79a7", 0.35, 1.2, "2 3"),
    "undecided": Ink("#8a5a00", "#f0e442", 0.25, 1.2, "1 4"),
    "waived": Ink("#5b6168", "#999999", 0.35, 1.2, "8 3 2 3"),
    "agreed": Ink("#00694d", "#009e73", 0.2, 1.2, "8 3 2 3"),
    "quarter_mile": Ink("#555555", "#ffffff", 0.0, 1.2, "3 5"),
    "one_mile": Ink("#555555", "#ffffff", 0.0, 1.5, "8 6"),
    "plan_construction_site": Ink("#1a1a1a", "#ffffff", 0.0, 1.5, "6 3"),
    "plan_lot": Ink("#8a8a8a", "#ffffff", 0.0, 0.8),
    "plan_grid": Ink("#9a9a9a", "#ffffff", 0.0, 0.6),
    "plan_contour_existing": Ink("#a07850", "#a07850", 0.0, 0.7),
    "plan_contour_proposed": Ink("#6b3e12", "#6b3e12", 0.0, 0.9, "5 2"),
    "plan_surface_water": Ink("#0b4f86", "#9ecae9", 0.35, 1.5),
    "plan_ohwm": Ink("#0b4f86", "#9ecae9", 0.0, 1.2, "4 3"),
    "plan_pond": Ink("#0b4f86", "#9ecae9", 0.5, 1.2),
    "plan_drainage_pattern": Ink("#2b6fb3", "#2b6fb3", 0.0, 1.4, "7 4"),
    "plan_wetland": Ink("#1f5a4b", "#a9d8c8", 0.4, 1.2, "2 3"),
    "plan_floodplain": Ink("#4f81bd", "#c6dbef", 0.2, 1, "8 3 2 3"),
    "plan_vegetation": Ink("#5b7d31", "#cfe0b0", 0.3, 0.8),
    "plan_stabilization": Ink("#6f8f1f", "#dbe8a8", 0.35, 0.8, "3 3"),
    "plan_revegetation": Ink("#6f8f1f", "#dbe8a8", 0.35, 0.8, "6 3"),
    "plan_infiltration": Ink("#1f7a88", "#a8dbe2", 0.4, 1),
    "plan_control": Ink("#c2410c", "#f3a683", 0.5, 1.8),
    "plan_storm_sewer": Ink("#6b4fa0", "#6b4fa0", 0.2, 1.6),
    "plan_culvert": Ink("#6b4fa0", "#6b4fa0", 0.2, 2.4),
    "plan_inlet": Ink("#6b4fa0", "#ffffff", 0.8, 1.6),
    "plan_outfall": Ink("#00369e", "#9db7ff", 0.9, 1.8),
    "plan_road": Ink("#777777", "#d9d9d9", 0.5, 1.2),
    "plan_structure": Ink("#444444", "#999999", 0.5, 1),
    "plan_utility": Ink("#946c2c", "#946c2c", 0.1, 1, "4 2 1 2"),
}


def context_ink(key: str) -> Ink:
    """How a layer of context is drawn; a role of the plan without an ink of its own is grey."""
    return CONTEXT_INK.get(key, _PLAN_INK)


def status_styles() -> str:
    """The colour of each status as a style sheet."""
    inks = {**STATUS_INK, "for_reviewer": REVIEWER_INK}
    return "".join(f".status-{status} {{ --ink: {ink.line}; }}\n" for status, ink in inks.items())

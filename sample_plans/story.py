"""What a story is, and the changes that make one plan into another."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from shapely import LineString

if TYPE_CHECKING:
    from collections.abc import Callable

    from drawing import Design, Drawing, Drawn

    Change = Callable[[Drawing], None]
    Values = dict[str, Any]

ACRES: Final = 0.0005
"""Relative tolerance of acreages: the villages' grids differ from the ellipsoid by less than 0.0001."""


@dataclass(frozen=True)
class Story:
    """One sample.

    Attributes
    ----------
    findings
        Status by "RULE:subject", every row of the review.
    measurements
        By name: `value`, and `tol_rel` or `tol_abs` where it is not exact.
    on_paper
        How the expected values were worked out.
    flags
        Codes that must be raised.
    surfaces
        Whether the engineer also sends existing and finished ground as LandXML.
    narrative
        Items of the plan statement that the manifest declares.
    plan_of
        The story whose plan is reviewed, where this one adds only what the office has on file; "" for its own plan.
    files
        The office's own files that lie with the story: name and text.
    decided
        Status with the reviewer's decisions; "" where there are none.
    decided_by
        Checks on whose findings the verdict rests: with those of any one of them alone, and of all checks that are not
        listed, it is the same; with none of them it is another.
    """

    name: str
    story: str
    village: str
    design: Callable[[], Design]
    status: str
    exit_code: int
    findings: dict[str, str]
    measurements: dict[str, Values]
    on_paper: str
    plan: Values
    stated: Values
    activity: Values
    sheets: tuple[Values, ...]
    args: tuple[str, ...]
    on: str = "2025-03-20"
    flags: tuple[str, ...] = ("invented_ground",)
    format: str = ".gpkg"
    plots: tuple[tuple[str, float], ...] = ()
    """Sheets plotted as PDF beside a CAD drawing: file, and size (1 full, 0.5 half)."""
    interval: float = 2.0
    changes: tuple[Change, ...] = ()
    surfaces: bool = False
    narrative: Values = field(default_factory=dict)
    plan_of: str = ""
    files: tuple[tuple[str, str], ...] = ()
    decided: str = ""
    decided_by: tuple[str, ...] = ()

    def expected_tables(self) -> list[tuple[str, Values]]:
        """`expected.toml`."""
        top: Values = {
            "status": self.status,
            "decided_status": self.decided or None,
            "decided_by": self.decided_by,
            "exit_code": self.exit_code,
            "on": self.on,
            "plan": self.plan_of or self.name,
            "args": self.args,
        }
        return [
            ("", top), ("findings", {f'"{row}"': status for row, status in self.findings.items()}),
            ("measurements", {f'"{name}"': value for name, value in self.measurements.items()}),
            ("flags", {"must": self.flags}),
        ]  # fmt: skip


def sheets(
    scale: str, interval: float, shows: tuple[str, str] = ("site_map", "control"), second: str = ""
) -> tuple[Values, ...]:
    drawn = {"contour_interval_ft": interval, "paper": "24x36"}
    return (
        {"name": "C-0", "shows": "location", "scale": "1:24,000", "paper": "11x17"},
        {"name": "C-1", "shows": shows[0], "scale": scale, **drawn},
        {"name": "C-2", "shows": shows[1], "scale": second or scale, **drawn},
    )


def without(*layers: str) -> Change:
    def change(drawing: Drawing) -> None:
        for layer in layers:
            del drawing[layer]

    return change


def keeping(layer: str, keep: Callable[[Any, Values], bool]) -> Change:
    def change(drawing: Drawing) -> None:
        drawn = drawing[layer]
        drawing[layer] = replace(drawn, features=tuple(item for item in drawn.features if keep(*item)))

    return change


def adding(layer: str, drawn: Drawn) -> Change:
    def change(drawing: Drawing) -> None:
        before = drawing[layer].features if layer in drawing else ()
        drawing[layer] = replace(drawn, features=(*before, *drawn.features))

    return change


def outfall_in_the_ravine(drawing: Drawing) -> None:
    """Where the ravine's stream leaves the third phase."""
    stream = next(line for line, values in drawing["streams"].features if values["KIND"] == "46003")
    spot = stream.intersection(LineString([(0, -480), (600, -480)]))
    drawn = drawing["outfalls"]
    drawing["outfalls"] = replace(drawn, features=(*drawn.features, (spot, {"NAME": "OF-3"})))


def about(value: float, tol_rel: float = ACRES) -> Values:
    return {"value": value, "tol_rel": tol_rel}


def noting(layer: str, **values: Any) -> Change:
    """The same layer, every feature of it with more attributes."""

    def change(drawing: Drawing) -> None:
        drawn = drawing[layer]
        drawing[layer] = replace(drawn, features=tuple((shape, old | values) for shape, old in drawn.features))

    return change


def named_fields(layer: str, **settings: str) -> Change:
    """What the manifest says of a layer, and more of it."""

    def change(drawing: Drawing) -> None:
        drawn = drawing[layer]
        drawing[layer] = replace(drawn, settings=(*drawn.settings, *settings.items()))

    return change


def overrides(*decisions: tuple[str, str, str, str]) -> tuple[str, str]:
    """`overrides.toml`: finding, its status by the program, the decision, and the reason."""
    tables = [
        f'[[override]]\nfingerprint = "{_fingerprint(finding, status)}"\nfinding = "{finding}"\n'
        f'decision = "{decision}"\nwho = "I. Magined, reviewer"\nwhen = 2025-03-20\nreason = "{reason}"\n'
        for finding, status, decision, reason in decisions
    ]
    return "overrides.toml", "# The reviewer's decisions, invented like all else here.\n\n" + "\n".join(tables)


def _fingerprint(finding: str, status: str) -> str:
    """As a review prints it beside each finding."""
    return hashlib.sha256(f"{finding}|{status}".encode()).hexdigest()[:16]

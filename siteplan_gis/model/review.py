"""Findings and the review that holds them."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import date

    from shapely.geometry.base import BaseGeometry

    from siteplan_gis.model.flag import Flag
    from siteplan_gis.model.measurement import Measurement, Measurements
    from siteplan_gis.model.ordinance import Limit, Ordinance, Rule
    from siteplan_gis.model.permit import PermitRecord
    from siteplan_gis.model.site import Site
    from siteplan_gis.model.soil_loss import SoilLossInputs
    from siteplan_gis.model.source import Source


class Status(StrEnum):
    """The six answers a requirement can get, worst first."""

    ERROR = "error"
    FAIL = "fail"
    NOT_CHECKED = "not_checked"
    NEEDS_REVIEW = "needs_review"
    PASS = "pass"  # noqa: S105
    NOT_APPLICABLE = "not_applicable"


def total(statuses: Iterable[Status]) -> Status:
    """The one status of several: the worst. Of none at all: not checked.

    Examples
    --------
    >>> total([Status.PASS, Status.NOT_CHECKED, Status.NOT_APPLICABLE])
    <Status.NOT_CHECKED: 'not_checked'>
    """
    order = list(Status)
    return min(statuses, key=order.index, default=Status.NOT_CHECKED)


@dataclass(frozen=True, slots=True)
class Override:
    """A reviewer's own decision beside the machine's, which it never erases."""

    status: Status
    who: str
    when: date
    why: str


@dataclass(frozen=True, slots=True)
class Decision:
    """A reviewer's decision as written down: which finding it is about, and what was decided.

    Attributes
    ----------
    finding
        Id of the finding, "" where not written; it tells a stale decision from a mistyped one.
    value
        The measured value that the reviewer looked at, in the finding's unit; None where not written.
    """

    fingerprint: str
    finding: str
    value: float | None
    override: Override


@dataclass(frozen=True, slots=True, eq=False)
class Finding:
    """What a check found about one subject of one rule.

    Attributes
    ----------
    subject
        What the finding is about within its rule ("site", an outfall, a missing stream ...): stable across runs.
    measured, limit, margin
        The compared value, the limit, and how far the value is on the right side of it (negative: wrong side), in
        the limit's unit; None where nothing was compared.
    """

    rule: Rule
    subject: str
    status: Status
    message: str
    remedy: str = ""
    measured: Measurement | None = None
    limit: Limit | None = None
    margin: float | None = None
    where: BaseGeometry | None = None
    sources: tuple[Source, ...] = ()
    override: Override | None = None
    counted: bool = True
    """False for a line of the reviewer's checklist: evidence that decides nothing until the reviewer does."""
    due: date | None = None
    """The day by which somebody has to act; None where the finding sets none."""

    @property
    def id(self) -> str:
        """Stable name of the finding: rule and subject."""
        return f"{self.rule.id}:{self.subject}"

    @property
    def fingerprint(self) -> str:
        """Changes when the rule, the subject or the status changes; equal in every format and run."""
        return hashlib.sha256(f"{self.id}|{self.status.value}".encode(errors="backslashreplace")).hexdigest()[:16]

    @property
    def decided(self) -> Status:
        """The reviewer's decision where there is one, else the program's."""
        return self.status if self.override is None else self.override.status


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """What a check may look at: it takes values and returns findings; no path, clock or network."""

    site: Site
    measured: Measurements
    ordinance: Ordinance
    on: date
    permit: PermitRecord | None = None
    soil_loss: SoilLossInputs | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Review:
    """A site reviewed against one ordinance on one day."""

    site: Site
    ordinance: Ordinance
    measured: Measurements
    findings: tuple[Finding, ...]
    on: date
    software: Mapping[str, str] = field(default_factory=dict)
    flags: tuple[Flag, ...] = ()
    """What became of the reviewer's decisions, and layers that are not of the application's date."""
    decisions_from: Source | None = None
    checklist: tuple[Finding, ...] = ()
    """Requirements that the reviewer decides alone, with the evidence gathered for each; not in the program's total."""
    permit: PermitRecord | None = None

    @property
    def status(self) -> Status:
        """The worst status of all findings; an error where a measuring step crashed, whatever rests on it."""
        if self.measured.faults:
            return Status.ERROR
        return total(finding.status for finding in self.findings)

    @property
    def decided(self) -> Status:
        """The worst status after the reviewer's decisions, those on the checklist too; it never hides a crash."""
        if self.measured.faults:
            return Status.ERROR
        decided = [line for line in self.checklist if line.override is not None]
        return total(finding.decided for finding in (*self.findings, *decided))

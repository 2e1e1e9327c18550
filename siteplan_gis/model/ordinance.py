"""An ordinance as data: rules with citation, quote, severity and limits."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import date

    from siteplan_gis.model.measurement import Method

Severity = Literal["shall", "should", "minimise", "where_appropriate", "practicable", "as_necessary", "inform"]
"""The ordinance's own word. Only "shall" can fail by itself; "inform" is a fact the law turns on."""

SourceStatus = Literal["text", "inferred", "assumed", "missing"]
"""Whether the words were supplied, inferred from their order, assumed from state law, or are missing."""

Mode = Literal["automatic", "judgement", "declared", "not_checked"]
"""Who decides: the program, a reviewer from the program's evidence, a declaration, or nobody yet."""

Operator = Literal[">=", ">", "<=", "<", "=="]
OPERATORS: Final = (">=", ">", "<=", "<", "==")


@dataclass(frozen=True, slots=True)
class Limit:
    """A number of the law with its unit as written: `value` `unit`, to be compared by `operator`.

    `subject` is the quantity it limits, in the ordinance's terms, e.g. "disturbed_acres", "feet_per_inch".
    """

    subject: str
    operator: Operator
    value: float
    unit: str


@dataclass(frozen=True, slots=True)
class Rule:
    """One requirement.

    Attributes
    ----------
    id
        As in the rule catalogue, e.g. "SAU-SLOPE".
    check
        Name of the check in `checks.CHECKS`; empty where nothing checks it.
    why_not
        For mode "not_checked" (and optionally others): the reason, in plain words.
    quote
        The ordinance's own words; empty only where they are missing.
    limits
        By a short name that the check knows, e.g. "least", "steep".
    options
        Further settings of the check, as plain values.
    """

    id: str
    title: str
    section: str
    quote: str
    severity: Severity
    mode: Mode
    source_status: SourceStatus
    check: str = ""
    why_not: str = ""
    note: str = ""
    since: date | None = None
    section_inferred: bool = False
    limits: Mapping[str, Limit] = field(default_factory=dict)
    options: Mapping[str, str | float | bool | tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Passage:
    """A part of the text that no rule quotes: from its first words to its last, and why it asks nothing of a plan.

    `rules` names those that tell what it says.
    """

    begins: str
    ends: str
    kind: str
    why: str
    rules: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class OfficeCalendar:
    """When the village's office is open, which decides what a business day is.

    Attributes
    ----------
    office_days
        Weekdays on which it is open, Monday 0 to Sunday 6.
    holidays
        Calendar of its holidays, "US-WI" for Wisconsin's; "" for none.
    assumed
        Whether the calendar is assumed rather than the village's own.
    """

    office_days: tuple[int, ...] = (0, 1, 2, 3, 4)
    holidays: str = ""
    assumed: bool = True
    note: str = ""


@dataclass(frozen=True, slots=True)
class Ordinance:
    """One village's ordinance."""

    id: str
    title: str
    municipality: str
    municipality_kind: str
    county: str
    state: str
    administrator: str
    extraterritorial: Literal["select_sites", "optional", "none"]
    amended: tuple[str, ...]
    source: str
    method: Method
    rules: tuple[Rule, ...]
    missing_text: tuple[str, ...] = ()
    """Parts of the ordinance that the supplied text lacks."""
    calendar: OfficeCalendar = OfficeCalendar()
    passages: tuple[Passage, ...] = ()
    """The rest of the text, in its order."""

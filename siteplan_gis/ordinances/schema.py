"""The shape of an ordinance's TOML file: which tables and keys there are, and what kind of value each holds."""

from __future__ import annotations

import math
from datetime import date  # noqa: TC003 - pydantic reads it
from difflib import get_close_matches
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from siteplan_gis.errors import InputError
from siteplan_gis.model.ordinance import Mode, Operator, Severity, SourceStatus  # noqa: TC001 - pydantic reads them

if TYPE_CHECKING:
    from collections.abc import Mapping

Words = Annotated[str, StringConstraints(min_length=1, pattern=r"\S")]
Name = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]*$")]
RuleId = Annotated[str, StringConstraints(pattern=r"^[A-Z][A-Za-z0-9]*(-[A-Za-z0-9]+)+$")]

Exemption = Literal[
    "npdes_exempt", "agricultural", "silviculture", "no_disturbance", "routine_maintenance", "state_funded",
    "state_agency",
]  # fmt: skip


def _finite(value: float) -> float:
    if not math.isfinite(value):
        message = "the number is not finite"
        raise ValueError(message)
    return value


def _positive(value: float) -> float:
    if value <= 0:
        message = "the number is not above zero"
        raise ValueError(message)
    return _finite(value)


Number = Annotated[float, AfterValidator(_finite)]
PositiveNumber = Annotated[float, AfterValidator(_positive)]


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class LimitTable(_Table):
    """`limits.<name> = { subject, operator, value, unit }`."""

    subject: Words
    operator: Operator
    value: Number
    unit: Words


class OptionsTable(_Table):
    """`options.<name> = value`: the settings that checks read. A new setting is one line here."""

    gate: Name | None = None
    roles: list[Words] | None = None
    each_of: list[Words] | None = None
    may_be_absent: bool | None = None
    quantity: Literal["street", "pipe"] | None = None
    shows: list[Literal["site_map", "existing", "final", "control"]] | None = None
    exemptions: list[Exemption] | None = None
    agrees_percent: PositiveNumber | None = None
    wrong_percent: PositiveNumber | None = None
    floor_acres: PositiveNumber | None = None
    items: list[Name] | None = None
    of: Literal["start", "practice"] | None = None
    only_runoff: bool | None = None
    log_columns: list[Literal["location", "name", "assessment", "phase", "maintenance"]] | None = None
    clock: Literal["complete", "received", "more_received"] | None = None
    deemed_approved: bool | None = None
    only_downslope: bool | None = None
    channels: bool | None = None
    permit: Literal["erosion_control", "post_construction"] | None = None


class RuleTable(_Table):
    """One `[[rule]]`."""

    id: RuleId
    title: Words
    section: Words
    severity: Severity
    mode: Mode
    source_status: SourceStatus
    quote: str = ""
    check: Literal[""] | Name = ""
    why_not: str = ""
    note: str = ""
    since: date | None = None
    section_inferred: bool = False
    limits: dict[Name, LimitTable] = Field(default_factory=dict)
    options: OptionsTable = Field(default_factory=OptionsTable)


class PassageTable(_Table):
    """`[[passage]]`: words that no rule quotes, and why."""

    begins: Words
    ends: Words
    kind: Literal["heading", "authority", "purpose", "definition", "procedure", "conduct", "example", "enforcement"]
    why: Words
    rules: list[RuleId] = Field(default_factory=list)


_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
Weekday = Literal["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]


class CalendarTable(_Table):
    """`[calendar]`: when the village's office is open."""

    office_days: Annotated[list[Weekday], Field(min_length=1)]
    holidays: Annotated[str, StringConstraints(pattern=r"^([A-Z]{2}(-[A-Z0-9]{1,3})?)?$")] = ""
    assumed: bool = True
    note: str = ""

    def numbers(self) -> tuple[int, ...]:
        """The office days as numbers, Monday 0."""
        return tuple(sorted({_WEEKDAYS.index(day) for day in self.office_days}))


class OrdinanceTable(_Table):
    """The whole file."""

    id: Name
    title: Words
    municipality: Words
    municipality_kind: Literal["village", "city", "town", "county"]
    county: Words
    state: Words
    administrator: Words
    extraterritorial: Literal["select_sites", "optional", "none"]
    amended: list[Words]
    source: Words
    missing_text: list[Words] = Field(default_factory=list)
    method: dict[str, PositiveNumber] = Field(default_factory=dict)
    calendar: CalendarTable | None = None
    passage: list[PassageTable] = Field(default_factory=list)
    rule: Annotated[list[RuleTable], Field(min_length=1)]


def explain(error: ValidationError, table: Mapping[str, Any]) -> list[InputError]:
    """Every problem of a validation, in the words of the file: rule, key, what it holds and what it may hold."""
    problems: dict[str, None] = {}
    for detail in error.errors(include_url=False):
        place, key = _place(detail["loc"], table)
        problems[f"{place}{_said(detail, key)}"] = None
    return [InputError(text) for text in problems]


def _place(where: tuple[str | int, ...], table: Mapping[str, Any]) -> tuple[str, str]:
    parts = [str(part) for part in where if part != "[key]"]
    if len(where) > 1 and where[0] == "rule" and isinstance(where[1], int):
        rule = table["rule"][where[1]]
        name = rule.get("id", f"no. {where[1] + 1}") if isinstance(rule, dict) else f"no. {where[1] + 1}"
        rest = parts[2:]
        if rest[:1] == ["options"] and len(rest) > 1:
            return f"rule {name}: options: ", rest[1]
        if rest[:1] == ["limits"] and len(rest) > 1:
            return f"rule {name}: limit {rest[1]}: ", "".join(rest[2:3])
        return f"rule {name}: ", rest[0] if rest else ""
    if len(parts) > 1 and parts[0] == "method":
        return "method: ", parts[1]
    return "", parts[0]


def _said(detail: Any, key: str) -> str:
    kind, value = detail["type"], detail["input"]
    if kind == "missing":
        return f"the key {key!r} is missing"
    if kind == "extra_forbidden":
        known = [
            name
            for table in (LimitTable, OptionsTable, RuleTable, PassageTable, OrdinanceTable)
            for name in table.model_fields
        ]
        near = get_close_matches(key, known, n=1)
        return f"unknown key {key!r}" + (f" (is {near[0]!r} meant?)" if near else "")
    if kind == "literal_error":
        return f"{key} is {value!r}; it may be {detail['ctx']['expected']}"
    if kind in {"string_pattern_mismatch", "string_too_short"}:
        return f"{key} {value!r} is empty or not of the form {detail['ctx'].get('pattern', 'of a text')}"
    message = detail["msg"].removeprefix("Value error, ")
    return f"{key}: {message[0].lower()}{message[1:]}" if key else f"{message[0].lower()}{message[1:]}"

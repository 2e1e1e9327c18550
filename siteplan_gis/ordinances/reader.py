"""Reads an ordinance from its TOML file: strictly, and naming every problem of the file at once.

An ordinance file holds the facts of the village, one `[method]` table that says how to measure (lengths with their
unit in the key: `search_mi = 1`), and one `[[rule]]` per requirement, each with the words it rests on.
"""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pydantic import ValidationError

from siteplan_gis.errors import InputError, SeveralInputErrors
from siteplan_gis.model.measurement import Method
from siteplan_gis.model.ordinance import Limit, OfficeCalendar, Ordinance, Passage, Rule
from siteplan_gis.model.plan import ROLES
from siteplan_gis.ordinances.quantities import SUFFIXES, UNITS, dimension_of_subject, limit_in
from siteplan_gis.ordinances.schema import OrdinanceTable, RuleTable, explain
from siteplan_gis.toml_files import toml_table
from siteplan_gis.units import FOOT_M, MILE_M

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_HERE: Final = Path(__file__).parent
_DECIDING: Final = ("automatic", "judgement", "declared")
_MEASURED_BY: Final = {
    "steep_slopes": ("steep", "steep_ratio", "%", 0.01),
    "waters_within_one_mile": ("within", "search_m", "ft", FOOT_M),
    "discharges_shown": ("within", "downstream_m", "ft", FOOT_M),
}
"""By check: the limit that a number of `[method]` must repeat, that number's field, and the unit to tell both in."""
_METHOD_UNITS: Final = {"_m": 1.0, "_ft": FOOT_M, "_mi": MILE_M, "_m2": 1.0, "_sqft": FOOT_M**2, "_percent": 0.01}
_METHOD_FIELDS: Final = {name.rpartition("_")[0]: name for name in Method.__dataclass_fields__}
_METHOD_FITS: Final = {"m": ("_m", "_ft", "_mi"), "m2": ("_m2", "_sqft"), "ratio": ("_percent",)}


def shipped() -> tuple[str, ...]:
    """Ids of the ordinances that come with the program.

    Examples
    --------
    >>> shipped()
    ('east_troy', 'fairwater', 'saukville')
    """
    return tuple(sorted(path.stem for path in _HERE.glob("*.toml")))


def read_ordinance(id_or_path: str | Path) -> Ordinance:
    """Read the ordinance of a shipped id ("saukville"), or of any TOML file.

    Raises
    ------
    InputError
        If there is no such ordinance, or the file is not readable TOML.
    SeveralInputErrors
        With every problem of the file, if it breaks a rule of the format.

    Examples
    --------
    >>> steep = next(rule for rule in read_ordinance("saukville").rules if rule.id == "SAU-SLOPE")
    >>> steep.limits["steep"]
    Limit(subject='slope_percent', operator='>=', value=20.0, unit='%')
    """
    path = _path(id_or_path)
    table, _ = toml_table(path)
    try:
        checked = OrdinanceTable.model_validate(table)
        problems = []
    except ValidationError as error:
        checked = None
        problems = explain(error, table)
    problems.extend(InputError(text) for text in _meaning_problems(table))
    if checked is not None and all(map(_method_key, checked.method)):
        problems.extend(InputError(text) for text in _disagreements(checked))
    if checked is None or problems:
        raise SeveralInputErrors(problems, file=path.name)
    facts = checked.model_dump(exclude={"rule", "method", "calendar", "passage"})
    facts["passages"] = tuple(
        Passage(one.begins, one.ends, one.kind, one.why, tuple(one.rules)) for one in checked.passage
    )
    table_of_days = checked.calendar
    if table_of_days is not None:
        facts["calendar"] = OfficeCalendar(
            table_of_days.numbers(), table_of_days.holidays, table_of_days.assumed, table_of_days.note
        )
    facts.update(amended=tuple(checked.amended), missing_text=tuple(checked.missing_text))
    return Ordinance(**facts, method=_method(checked.method), rules=tuple(_rule(rule) for rule in checked.rule))


def _path(id_or_path: str | Path) -> Path:
    if isinstance(id_or_path, str) and id_or_path in shipped():
        return _HERE / f"{id_or_path}.toml"
    path = Path(id_or_path)
    if not path.is_file():
        raise InputError(
            f"there is no ordinance {str(id_or_path)!r}",
            remedy=f"give one of {', '.join(shipped())}, or the path of an ordinance's TOML file",
        )
    return path


def _meaning_problems(table: Mapping[str, Any]) -> Iterator[str]:
    """What the shape of the file cannot tell; tolerant of any shape, so that it runs beside the schema."""
    method = table.get("method")
    yield from _method_problems(method if isinstance(method, dict) else {})
    rules = table.get("rule")
    rules = [rule for rule in rules if isinstance(rule, dict)] if isinstance(rules, list) else []
    for name, times in Counter(str(rule["id"]) for rule in rules if "id" in rule).items():
        if times > 1:
            yield f"rule {name}: the id is used {times} times"
    known = {str(rule.get("id")) for rule in rules}
    passages = table.get("passage")
    for passage in passages if isinstance(passages, list) else ():
        named = passage.get("rules") if isinstance(passage, dict) else None
        for name in named if isinstance(named, list) else ():
            if str(name) not in known:
                yield f"passage {passage.get('begins')!r}: there is no rule {name!r}"
    for number, rule in enumerate(rules, 1):
        for problem in _rule_problems(rule):
            yield f"rule {rule.get('id', f'no. {number}')}: {problem}"


def _rule_problems(rule: Mapping[str, Any]) -> Iterator[str]:
    mode, status = rule.get("mode"), rule.get("source_status")
    if not _said(rule, "quote") and status != "missing":
        yield "a rule quotes the words it rests on, unless source_status is 'missing'"
    if _said(rule, "quote") and status == "missing":
        yield "words that are missing cannot be quoted"
    if mode == "not_checked" and not _said(rule, "why_not"):
        yield "mode 'not_checked' says why in why_not"
    if mode == "not_checked" and _said(rule, "check"):
        yield "mode 'not_checked' has a check"
    if mode in _DECIDING and not _said(rule, "check"):
        yield f"mode {mode!r} names its check"
    limits = rule.get("limits")
    for name, limit in limits.items() if isinstance(limits, dict) else ():
        if isinstance(limit, dict):
            for problem in _limit_problems(limit):
                yield f"limit {name}: {problem}"
    options = rule.get("options")
    for name in ("roles", "each_of"):
        roles = options.get(name) if isinstance(options, dict) else None
        for role in roles if isinstance(roles, list) else ():
            if isinstance(role, str) and role not in ROLES:
                yield f"options: {name}: {role!r} is no role of a plan; use one of {', '.join(ROLES)}"


def _limit_problems(limit: Mapping[str, Any]) -> Iterator[str]:
    subject, unit = limit.get("subject"), limit.get("unit")
    expected = dimension_of_subject(subject) if isinstance(subject, str) else None
    if isinstance(subject, str) and expected is None:
        yield f"the subject {subject!r} does not end in a unit; it ends in one of {', '.join(SUFFIXES)}"
    if isinstance(unit, str) and unit not in UNITS:
        yield f"{unit!r} is no unit; use one of {', '.join(UNITS)}"
    elif isinstance(unit, str) and expected is not None and UNITS[unit][0] != expected:
        yield f"{subject!r} is measured as {expected}, but {unit!r} is a unit of {UNITS[unit][0]}"


def _disagreements(table: OrdinanceTable) -> Iterator[str]:
    """Where a limit and the `[method]` that measures for it differ: a verdict would quote the wrong number."""
    method = _method(table.method)
    for rule in table.rule:
        name, field, unit, per_unit = _MEASURED_BY.get(rule.check, ("", "", "", 1.0))
        limit = rule.limits.get(name)
        if limit is None or UNITS.get(limit.unit, ("",))[0] != UNITS[unit][0]:
            continue
        measured, written = getattr(method, field) / per_unit, limit_in(Limit(**limit.model_dump()), unit)
        if not math.isclose(measured, written, rel_tol=1e-9):
            stem = field.rpartition("_")[0]
            yield f"rule {rule.id}: limit {name} is {written:.12g} {unit}, but [method] {stem} is {measured:.12g} {unit}"


def _method_problems(method: Mapping[str, Any]) -> Iterator[str]:
    seen = Counter(split[0] for key in method if (split := _method_key(key)))
    for key in method:
        if _method_key(key) is None:
            yield f"method: unknown key {key!r}; use {', '.join(_METHOD_FIELDS)} with the unit at the end"
    for field, times in seen.items():
        if times > 1:
            yield f"method: {field} is given {times} times"


def _method_key(key: str) -> tuple[str, float] | None:
    """Field of `Method` and factor to its unit, for a key as written ("search_mi"); None if there is none."""
    stem, _, unit = key.rpartition("_")
    field = _METHOD_FIELDS.get(stem)
    if field is None or f"_{unit}" not in _METHOD_FITS[field.rpartition("_")[2]]:
        return None
    return field, _METHOD_UNITS[f"_{unit}"]


def _method(table: Mapping[str, float]) -> Method:
    values = {}
    for key, value in table.items():
        field = _method_key(key)
        assert field is not None
        values[field[0]] = value * field[1]
    return Method(**values)


def _rule(table: RuleTable) -> Rule:
    facts = table.model_dump(exclude={"limits", "options"})
    facts.update({key: " ".join(facts[key].split()) for key in ("title", "quote", "why_not", "note")})
    limits = {name: Limit(**limit.model_dump()) for name, limit in table.limits.items()}
    given = table.options.model_dump(exclude_none=True)
    options = {name: tuple(value) if isinstance(value, list) else value for name, value in given.items()}
    return Rule(**facts, limits=limits, options=options)


def _said(rule: Mapping[str, Any], key: str) -> bool:
    value = rule.get(key)
    return isinstance(value, str) and bool(value.strip())

"""Which rows of a table an expression chooses: comparisons, lists and empty values, joined by AND."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from siteplan_gis.errors import InputError
from siteplan_gis.ingest.reference.codes import text_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

_QUOTED: Final = r"""'(?:[^']|'')*'|"[^"]*"|\[[^\]]*\]"""
_AND: Final = re.compile(rf"({_QUOTED})|(\bAND\b)", re.IGNORECASE)
_UNREAD: Final = re.compile(rf"({_QUOTED})|\b(OR|LIKE|ILIKE|BETWEEN)\b", re.IGNORECASE)
_COMMA: Final = re.compile(rf"({_QUOTED})|(,)")
_FIELD: Final = r"""(?P<field>"[^"]+"|\[[^\]]+\]|[^=!<>'"]+?)"""
_EMPTY: Final = re.compile(rf"{_FIELD}\s+IS\s+(?P<no>NOT\s+)?NULL", re.IGNORECASE)
_LIST: Final = re.compile(rf"{_FIELD}\s+(?P<no>NOT\s+)?IN\s*\((?P<values>.*)\)", re.IGNORECASE)
_COMPARED: Final = re.compile(rf"{_FIELD}\s*(?P<sign>==|!=|<>|<=|>=|=|<|>)\s*(?P<values>.*)")
_REMEDY: Final = (
    "use FIELD=VALUE,... FIELD!=VALUE,... FIELD<NUMBER (<=, >, >=), FIELD IN ('A','B'), FIELD IS NULL, joined by AND; "
    "quote what holds a comma or the word AND"
)
_ORDERED: Final = {"<": np.less, "<=": np.less_equal, ">": np.greater, ">=": np.greater_equal}


@dataclass(frozen=True, slots=True)
class Condition:
    """One condition: `sign` is "=", "!=", "<", "<=", ">" or ">="; the empty text stands for a cell without a value."""

    field: str
    sign: str
    values: tuple[str, ...]


def conditions(text: str) -> tuple[Condition, ...]:
    """Read an expression; upper and lower case of AND, IN, IS NULL do not matter.

    Raises
    ------
    InputError
        If it is not understood, or asks for what is not read (OR, LIKE, BETWEEN).

    Examples
    --------
    >>> conditions("TYPE != ROW,GAP AND acres >= 2 AND OWNER IN ('Smith, J', 'Doe')")[2].values
    ('Smith, J', 'Doe')
    >>> conditions("NAME IS NULL")
    (Condition(field='NAME', sign='=', values=('',)),)
    """
    if not text.strip():
        return ()
    unread = next((found[2] for found in _UNREAD.finditer(text) if found[2]), "")
    if unread:
        raise InputError(f"--where {text!r}: {unread.upper()} is not read", remedy=_REMEDY)
    return tuple(_condition(part, text) for part in _split(text, _AND))


def chosen(asked: Sequence[Condition], columns: Mapping[str, NDArray[Any]], file: str) -> NDArray[np.bool_]:
    """The rows for which all conditions hold; `columns` has the values by the conditions' fields.

    Texts are compared without regard to upper and lower case and to blanks around them. Numbers are compared as numbers
    where the column holds such; an order (<, >) looks only at cells that are numbers. A cell without a value is neither
    equal, less nor greater: it is chosen by != and by IS NULL only.

    Raises
    ------
    InputError
        If an order is asked of what is no number.
    """
    found = np.ones(len(next(iter(columns.values()))) if columns else 0, dtype=bool)
    for one in asked:
        cells = columns[one.field]
        if one.sign in _ORDERED:
            found &= _ordered(one, cells, file)
        else:
            found &= _equal(one, cells) == (one.sign == "=")
    return found


def _split(text: str, mark: re.Pattern[str]) -> list[str]:
    """The parts between marks that stand outside of quotes."""
    parts, begin = [], 0
    for found in mark.finditer(text):
        if found[2]:
            parts.append(text[begin : found.start()])
            begin = found.end()
    return [*parts, text[begin:]]


def _condition(part: str, text: str) -> Condition:
    plain = part.strip()
    if found := _EMPTY.fullmatch(plain):
        return Condition(_bare(found["field"]), "!=" if found["no"] else "=", ("",))
    if found := _LIST.fullmatch(plain):
        return Condition(_bare(found["field"]), "!=" if found["no"] else "=", _values(found["values"]))
    found = _COMPARED.fullmatch(plain)
    if not found or not _bare(found["field"]):
        raise InputError(f"--where {text!r}: {plain!r} is not understood", remedy=_REMEDY)
    sign = {"==": "=", "<>": "!="}.get(found["sign"], found["sign"])
    values = _values(found["values"])
    if sign in _ORDERED and (len(values) != 1 or _number(values[0]) is None):
        raise InputError(f"--where {text!r}: {sign} compares with one number", remedy=_REMEDY)
    return Condition(_bare(found["field"]), sign, values)


def _values(text: str) -> tuple[str, ...]:
    return tuple(_bare(part) for part in _split(text, _COMMA))


def _bare(text: str) -> str:
    plain = text.strip()
    for left, right in (("'", "'"), ('"', '"'), ("[", "]")):
        if len(plain) > 1 and plain.startswith(left) and plain.endswith(right):
            return plain[1:-1].replace("''", "'").strip()
    return plain


def _equal(one: Condition, cells: NDArray[Any]) -> NDArray[np.bool_]:
    numbers = {_number(value) for value in one.values} - {None} if cells.dtype.kind in "iuf" else set()
    wanted = {" ".join(value.split()).casefold() for value in one.values}
    known: dict[str, bool] = {}
    found = np.zeros(len(cells), dtype=bool)
    for i, cell in enumerate(cells):
        plain = text_of(cell).casefold()
        if plain not in known:
            known[plain] = plain in wanted or (bool(plain) and bool(numbers) and float(cell) in numbers)
        found[i] = known[plain]
    return found


def _ordered(one: Condition, cells: NDArray[Any], file: str) -> NDArray[np.bool_]:
    if cells.dtype.kind in "iuf":
        numbers = cells.astype(np.float64)
    else:
        told = [_number(text_of(cell)) for cell in cells]
        numbers = np.array([np.nan if value is None else value for value in told], dtype=np.float64)
    if len(numbers) and np.isnan(numbers).all():
        raise InputError(f"--where: the field {one.field!r} holds no numbers to compare", file=file, remedy=_REMEDY)
    found: NDArray[np.bool_] = _ORDERED[one.sign](numbers, np.float64(one.values[0].replace(",", "")))
    return found


def _number(text: str) -> float | None:
    try:
        value = float(text.replace(",", "") if re.fullmatch(r"[+-]?\d{1,3}(,\d{3})+(\.\d*)?", text) else text)
    except ValueError:
        return None
    return value if np.isfinite(value) else None

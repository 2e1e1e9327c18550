"""Tables as CSV that a spreadsheet shows as they are: no text in them is run as a formula or falls into two cells."""

from __future__ import annotations

import csv
import unicodedata
from typing import IO, TYPE_CHECKING, Any, Final

from siteplan_gis.report.plain import text

if TYPE_CHECKING:
    from collections.abc import Iterable

_SIGNS: Final = frozenset("=+-@")
_BREAKS: Final = frozenset("\t\r\n")
_UNSEEN: Final = "\ufeff\u200b\u200c\u200d\u2060\u200e\u200f"


def write_rows(file: IO[str], columns: Iterable[str], rows: Iterable[Iterable[Any]], line_end: str = "\r\n") -> None:
    """Write a heading and rows; what is no number stands in quotes, as some spreadsheets divide at semicolons, too."""
    writer = csv.writer(file, quoting=csv.QUOTE_NONNUMERIC, lineterminator=line_end)
    writer.writerow(columns)
    writer.writerows([cell(value) for value in row] for row in rows)


def cell(value: Any) -> Any:
    r"""A value as it may stand in a cell; a text that a spreadsheet would run as a formula is given an apostrophe.

    Examples
    --------
    >>> cell("=1+1"), cell("\uff1d1+1"), cell(" \n-1"), cell("4-1"), cell(-1.5), cell(None)
    ("'=1+1", "'\uff1d1+1", "' \n-1", '4-1', -1.5, '')
    """
    if value is None:
        return ""
    if not isinstance(value, str):
        return value
    shown = text(value)
    begins = shown.strip().lstrip(_UNSEEN).lstrip()[:1]
    # Wide and small forms of the signs count as the signs in some settings.
    formula = unicodedata.normalize("NFKC", begins)[:1] in _SIGNS if begins else False
    return f"'{shown}" if formula or shown[:1] in _BREAKS else shown

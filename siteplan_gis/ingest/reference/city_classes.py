"""Classes of cities, each with the place where it is written: a class is proclaimed, population does not tell it."""

from __future__ import annotations

import csv
import io
import re
from typing import TYPE_CHECKING

from siteplan_gis.errors import InputError
from siteplan_gis.ingest.reference.codes import text_of
from siteplan_gis.toml_files import text_of as file_text

if TYPE_CHECKING:
    from pathlib import Path


def read_classes(path: Path | None) -> dict[str, tuple[str, str]]:
    """Class and its source by a city's name, from a CSV file with the columns name, class, source."""
    if path is None:
        return {}
    if not path.is_file():
        raise InputError("there is no such file", file=str(path))
    text, _ = file_text(path)
    try:
        rows = list(csv.DictReader(io.StringIO(text, newline="")))
    except csv.Error as problem:
        raise InputError(
            f"cannot be read as CSV: {problem}", file=path.name, remedy="save it as CSV in UTF-8"
        ) from None
    if not rows:
        raise InputError(
            "holds no row under its names of columns", file=path.name, remedy="write name, class and source"
        )
    classes: dict[str, tuple[str, str]] = {}
    for line, row in enumerate(rows, start=2):
        told = {str(key).strip().lower(): text_of(value) for key, value in row.items()}
        name, city_class, source = told.get("name", ""), class_of(told.get("class", "")), told.get("source", "")
        if not (name and city_class and source):
            raise InputError("name, class (1 to 4) and source must all be given", file=path.name,
                             feature=f"line {line}", remedy="write all three columns")  # fmt: skip
        name = re.sub(r"^city of ", "", name, flags=re.IGNORECASE).casefold()
        if classes.get(name, (city_class,))[0] != city_class:
            raise InputError(f"{name.title()} has two classes", file=path.name, feature=f"line {line}")
        classes[name] = city_class, source
    return classes


def class_of(text: str) -> str:
    """The class that "2", "2nd" or "4th class" names; other codes ("25" is the Census's for a city) name none.

    Examples
    --------
    >>> class_of("4th class"), class_of("25")
    ('4', '')
    """
    match = re.fullmatch(r"([1-4])(st|nd|rd|th)?( class)?", text.strip().lower())
    return match[1] if match else ""

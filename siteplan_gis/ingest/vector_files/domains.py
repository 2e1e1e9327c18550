"""Coded values: what the codes in a field stand for, as file geodatabases and GeoPackages state it."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any, Final
from xml.etree.ElementTree import ParseError

import fiona
from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import fromstring

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path
    from xml.etree.ElementTree import Element

    from siteplan_gis.model.plan import AttributeValue

    Meanings = dict[str, dict[str, dict[str, str]]]

_LARGEST_DEFINITION: Final = 4_000_000
_GEOPACKAGE_DOMAINS: Final = """
SELECT columns.table_name, columns.column_name, constraints.value, constraints.description
FROM gpkg_data_columns AS columns JOIN gpkg_data_column_constraints AS constraints USING (constraint_name)
WHERE constraints.constraint_type = 'enum' AND constraints.description <> ''
"""


def coded_values(path: Path) -> Meanings:
    """Words by layer, field and code; empty where the file states none or its statement cannot be read."""
    suffix = path.suffix.lower()
    if suffix == ".gdb":
        return _of_geodatabase(path)
    return _of_geopackage(path) if suffix == ".gpkg" else {}


def worded(value: AttributeValue, words: Mapping[str, str]) -> AttributeValue:
    """What a code stands for; the value itself where no words are known for it.

    Examples
    --------
    >>> worded(2.0, {"2": "Superseded"}), worded("LOD", {"LOD": "Limits"}), worded(7, {"2": "Superseded"})
    ('Superseded', 'Limits', 7)
    """
    if value is None or isinstance(value, bool):
        return value
    code = str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
    return words.get(code, value)


def _of_geopackage(path: Path) -> Meanings:
    found: Meanings = {}
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)) as database:
            for layer, field, code, words in database.execute(_GEOPACKAGE_DOMAINS):
                found.setdefault(str(layer), {}).setdefault(str(field), {})[str(code)] = str(words)
    except sqlite3.Error:  # the two tables are an extension that few files have
        return {}
    return found


def _of_geodatabase(path: Path) -> Meanings:
    domains: dict[str, dict[str, str]] = {}
    fields: dict[str, dict[str, str]] = {}
    found: Meanings = {}
    for item in _definitions(path):
        coded = {_text(one, "Code"): _text(one, "Name") for one in item.iter("CodedValue")}
        if "GPCodedValueDomain" in item.tag:
            domains[_text(item, "DomainName")] = coded
            continue
        layer = _text(item, "Name")
        for one in item.iter("GPFieldInfoEx"):
            if _text(one, "DomainName"):
                fields.setdefault(layer, {})[_text(one, "Name")] = _text(one, "DomainName")
        subtypes = {_text(one, "SubtypeCode"): _text(one, "SubtypeName") for one in item.iter("Subtype")}
        if subtypes and _text(item, "SubtypeFieldName"):
            found.setdefault(layer, {})[_text(item, "SubtypeFieldName")] = subtypes
    for layer, named in fields.items():
        for field, domain in named.items():
            if domains.get(domain):
                found.setdefault(layer, {})[field] = domains[domain]
    return found


def _definitions(path: Path) -> list[Element]:
    """The descriptions that a geodatabase keeps of its layers and domains."""
    texts: list[Any] = []
    try:
        with fiona.open(str(path), layer="GDB_Items", enabled_drivers=["OpenFileGDB"]) as items:
            texts = [item.properties.get("Definition") for item in items]
    except Exception:  # noqa: BLE001  (a geodatabase without such a table, or of an older kind, has no words to give)
        return []
    elements = []
    for text in texts:
        if not isinstance(text, str) or not 0 < len(text) < _LARGEST_DEFINITION:
            continue
        try:
            elements.append(fromstring(text.encode(), forbid_dtd=True))
        except (ParseError, DefusedXmlException, ValueError, LookupError):
            continue
    return elements


def _text(element: Element, name: str) -> str:
    return (element.findtext(name) or "").strip()

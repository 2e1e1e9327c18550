"""`review.json`: the record as text."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


def json_text(record: Mapping[str, Any]) -> str:
    """A record as JSON, indented down to its plain lists and geometries; never NaN or Infinity.

    Raises
    ------
    ValueError
        If the record holds a number that JSON cannot write: a fault of the program.

    Examples
    --------
    >>> print(json_text({"acres": 1.5, "place": {"type": "Point", "coordinates": [0, 1]}}), end="")
    {
      "acres": 1.5,
      "place": {"type": "Point", "coordinates": [0, 1]}
    }
    """
    return _lines(record, "") + "\n"


def write_json(record: Mapping[str, Any], path: Path) -> None:
    """Write a record of `review_record` or `measurements_record` to a file in UTF-8."""
    path.write_text(json_text(record), encoding="utf-8", newline="\n")


def _lines(value: Any, indent: str) -> str:
    deeper = indent + "  "
    if isinstance(value, dict) and value and not {"coordinates", "geometries"} & value.keys():
        inside = [f"{deeper}{_compact(key)}: {_lines(each, deeper)}" for key, each in value.items()]
        return "{\n" + ",\n".join(inside) + f"\n{indent}}}"
    if isinstance(value, list) and value and isinstance(value[0], dict):
        inside = [deeper + _lines(each, deeper) for each in value]
        return "[\n" + ",\n".join(inside) + f"\n{indent}]"
    return _compact(value)


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)

"""`review.json`: the record as text."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


def json_text(record: Mapping[str, Any]) -> str:
    """A record as indented JSON with a line end; never NaN or Infinity.

    Raises
    ------
    ValueError
        If the record holds a number that JSON cannot write: a fault of the program.

    Examples
    --------
    >>> print(json_text({"acres": 1.5}), end="")
    {
      "acres": 1.5
    }
    """
    return json.dumps(record, ensure_ascii=False, allow_nan=False, indent=2) + "\n"


def write_json(record: Mapping[str, Any], path: Path) -> None:
    """Write a record of `review_record` or `measurements_record` to a file in UTF-8."""
    path.write_text(json_text(record), encoding="utf-8", newline="\n")

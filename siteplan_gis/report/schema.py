"""The published JSON Schemas (2020-12) of what `review.json` and `measure --json` hold."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

_FOLDER: Final = Path(__file__).parent


def measurements_schema() -> dict[str, Any]:
    """The schema of `measurements_record`.

    Examples
    --------
    >>> measurements_schema()["$id"]
    'urn:siteplan-gis:schema:measurements:1'
    """
    return _read("measurements")


def review_schema() -> dict[str, Any]:
    """The schema of `review_record`, with the measurements' schema bundled in, so that it stands alone.

    Examples
    --------
    >>> review_schema()["title"]
    'Review of a site plan against an ordinance'
    """
    schema = _read("review")
    schema["$defs"]["measurements_schema"] = _read("measurements")
    return schema


def prescreen_schema() -> dict[str, Any]:
    """The schema of `screening_record`.

    Examples
    --------
    >>> prescreen_schema()["title"]
    'Pre-screening of one parcel'
    """
    return _read("prescreen")


def _read(name: str) -> dict[str, Any]:
    schema: dict[str, Any] = json.loads((_FOLDER / f"{name}.schema.json").read_text(encoding="utf-8"))
    return schema

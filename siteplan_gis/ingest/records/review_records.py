"""`review.json` read back: for letters and comparisons, held to the published schema."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from siteplan_gis.errors import InputError
from siteplan_gis.frame import on_the_earth
from siteplan_gis.toml_files import text_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_LARGEST_BYTES: Final = 256 << 20


def read_review_record(path: Path, schema: Mapping[str, Any]) -> dict[str, Any]:
    """Read a `review.json` and hold it to the schema.

    Raises
    ------
    InputError
        If it cannot be read, is no JSON, or is no review of this version.
    """
    from jsonschema import Draft202012Validator  # noqa: PLC0415

    text, _ = text_of(path, _LARGEST_BYTES)
    try:
        record = json.loads(text)
    except (ValueError, RecursionError):
        raise InputError("is not a JSON file", file=path.name, remedy="give a review.json") from None
    wanted = schema["properties"]["schema"]["const"]
    if not isinstance(record, dict) or record.get("schema") != wanted:
        raise InputError(f"is no review of this version ({wanted})", file=path.name, remedy="run the review again")
    wrong = next(iter(Draft202012Validator(schema).iter_errors(record)), None)
    if wrong is not None:
        place = "/".join(map(str, wrong.absolute_path)) or "the record"
        raise InputError(f"is damaged: {place}: {wrong.message:.200}", file=path.name, remedy="run the review again")
    if not _drawable(record):
        raise InputError("is damaged: a place in it cannot be drawn", file=path.name, remedy="run the review again")
    return record


def _drawable(value: Any) -> bool:
    """Whether every place in a record, as GeoJSON in degrees, is one: the schema does not count what brackets hold."""
    import shapely.geometry  # noqa: PLC0415

    if isinstance(value, list):
        return all(map(_drawable, value))
    if not isinstance(value, dict):
        return True
    if "coordinates" not in value and "geometries" not in value:
        return all(map(_drawable, value.values()))
    try:
        degrees = shapely.get_coordinates(shapely.geometry.shape(value))
    except Exception:  # noqa: BLE001  (whatever shapely raises over what is no geometry)
        return False
    return bool(on_the_earth(degrees).all())

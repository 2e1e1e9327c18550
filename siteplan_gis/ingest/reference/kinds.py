"""Kind and name of a reference feature by its layer's role, and what lies downstream of it in a river network."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING, Any, Final

import shapely

from siteplan_gis.ingest.reference.codes import flood_kind, municipality, text_of, water_kind, wetland_kind
from siteplan_gis.model.layers import LISTED_KINDS, UNCOUNTED_KINDS, WATER_KINDS, WETLAND_KINDS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray
    from shapely.geometry.base import BaseGeometry

NOT_A_MUNICIPALITY: Final = "census_designated_place"
KINDS: Final = {
    "waters": (*WATER_KINDS, *UNCOUNTED_KINDS, "wetland"),
    "flowlines": (*WATER_KINDS, *UNCOUNTED_KINDS, "wetland"),
    "wetlands": WETLAND_KINDS,
    "municipalities": ("city", "village", "town", "incorporated_town"),
    "floodplain": ("floodway", "flood_fringe", "other"),
    "listed_waters": LISTED_KINDS,
    "wells": ("well", "spring"),
}
"""Kinds that a feature of a role can have; other roles have none."""
_NETWORK_IDS: Final = ("comid", "nhdplusid", "permanent_identifier", "id3dhp", "hydroid")
_SEQUENCES: Final = ("hydroseq",)
_ORDERS: Final = ("streamorde", "streamorder", "stream_order", "strahler")
_FLOWS: Final = ("flowdir",)
_UNKNOWN_FLOW: Final = ("0", "uninitialized")
"""NHD: 1 is "With Digitized", 0 "Uninitialized"."""
_AREA: Final = 2
_SAID: Final = {
    "listed_waters": (
        ("impaired", re.compile(r"\bimpair|303 ?\(?d\b", re.IGNORECASE)),
        ("exceptional", re.compile(r"\bexceptional|(?<![a-z])ERW(?![a-z])", re.IGNORECASE)),
        ("outstanding", re.compile(r"\boutstanding|(?<![a-z])ORW(?![a-z])", re.IGNORECASE)),
    ),
    "wells": (
        ("spring", re.compile(r"\bsprings?\b|\bseep", re.IGNORECASE)),
        ("well", re.compile(r"\bwells?\b", re.IGNORECASE)),
    ),
}
"""Words of a feature's attributes, or else of its layer, that tell its kind."""


def kind_and_name(
    role: str,
    attributes: Mapping[str, Any],
    name: str,
    geometry: BaseGeometry | None,
    *,
    kind: str = "",
    layer: str = "",
) -> tuple[str, str]:
    """Kind and name of a feature; `kind` (from the catalogue) outranks the attributes."""
    dimension = -1 if geometry is None else int(shapely.get_dimensions(geometry))
    if role == "municipalities":
        told = municipality(attributes, name)
        if told is None and not kind:
            return NOT_A_MUNICIPALITY, name
        return kind or (told[1] if told else ""), told[0] if told else name
    if kind:
        return kind, name
    if role in {"waters", "flowlines"}:
        return water_kind(attributes, is_area=dimension == _AREA), name
    if role == "wetlands":
        return wetland_kind(attributes, is_point=dimension == 0, layer=layer), name
    if role in _SAID:
        own = " ".join(text_of(value) for value in attributes.values() if isinstance(value, str))
        return next((kind for words in (own, layer) for kind, said in _SAID[role] if said.search(words)), ""), name
    return (flood_kind(attributes) if role == "floodplain" else ""), name


def downstream_ids(fields: Mapping[str, NDArray[Any]], role: str) -> dict[int, tuple[str, ...]]:
    """By row: ids of the lines that follow it downstream, both branches of a divergence; only where the data say so.

    NHDPlus names the node where a line ends (`tonode`) and the node where one begins (`fromnode`); without them its
    `hydroseq` numbers tell the main and the minor path.
    """
    identity = next((name for name in _NETWORK_IDS if name in fields), "")
    if role not in {"waters", "flowlines"} or not identity:
        return {}
    ids = [text_of(value) for value in fields[identity]]
    if {"fromnode", "tonode"} <= fields.keys():
        return _by_key(ids, fields["fromnode"], [fields["tonode"]])
    if {"hydroseq", "dnhydroseq"} <= fields.keys():
        minor = [fields["dnminorhyd"]] if "dnminorhyd" in fields else []
        return _by_key(ids, fields["hydroseq"], [fields["dnhydroseq"], *minor])
    return {}


def network_order(attributes: Mapping[str, Any]) -> tuple[float | None, int | None, bool]:
    """A line's sequence number, its stream order, and whether its direction of flow is known."""
    sequence, order = (
        next((number for name in names if (number := _number(attributes.get(name))) is not None), None)
        for names in (_SEQUENCES, _ORDERS)
    )
    flow = text_of(next((attributes[name] for name in _FLOWS if name in attributes), "")).casefold()
    return sequence, None if order is None else int(order), flow not in _UNKNOWN_FLOW


def _number(value: object) -> float | None:
    """A positive number; others stand for none."""
    try:
        number = float(text_of(value))
    except ValueError:
        return None
    return number if 0 < number < float("inf") else None


def _by_key(ids: list[str], starts: NDArray[Any], ends: list[NDArray[Any]]) -> dict[int, tuple[str, ...]]:
    begins: dict[str, list[str]] = defaultdict(list)
    for one, start in zip(ids, starts, strict=True):
        key = text_of(start)
        if one and key not in {"", "0"}:
            begins[key].append(one)
    below: dict[int, tuple[str, ...]] = {}
    for row in range(len(ids)):
        found = [one for end in ends for one in begins.get(text_of(end[row]), ()) if one != ids[row]]
        if found:
            below[row] = tuple(dict.fromkeys(found))
    return below

"""Pages of GeoJSON features, as OGC services send them."""

from __future__ import annotations

import hashlib
import json
import re
from typing import TYPE_CHECKING, Any, Final

from siteplan_gis.errors import InputError
from siteplan_gis.fetching.asking import ROW, Page
from siteplan_gis.fetching.connection import PassingError
from siteplan_gis.ingest.reference.codes import bare

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_IDENTITY: Final = "feature_id"
"""The property under which a feature's own identifier is kept."""


def features_of(document: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The features of a collection.

    Raises
    ------
    PassingError
        If the document is none, or says that it holds another number.
    """
    features = document.get("features")
    if not isinstance(features, list) or any(not isinstance(one, dict) for one in features):
        raise PassingError("the answer is no collection of features")
    told = document.get("numberReturned")
    if isinstance(told, int) and told != len(features):
        raise PassingError(f"a page says that it holds {told} features and holds {len(features)}")
    return features


def page_of(document: Mapping[str, Any], needs: Sequence[str], place: str) -> Page:
    """What a page holds; features lie somewhere where their geometry has coordinates or parts.

    Raises
    ------
    InputError
        If a needed property is not there.
    """
    features = features_of(document)
    if features:
        there = {bare(str(name)) for name in features[0].get("properties") or {}}
        missing = [want for want in needs if bare(want) not in there]
        if missing:
            raise InputError(
                f"there is no property {missing[0]}", file=place,
                remedy=f"it has {', '.join(sorted(there)[:30]) or 'none'}; correct the source",
            )  # fmt: skip
    geometries = [one.get("geometry") or {} for one in features]
    ids = [_identity(one) for one in features]
    lie = [bool(one.get("coordinates") or one.get("geometries")) for one in geometries]
    return Page(ids, lie, lambda: (_for_gdal(features), {}))


def is_made_up(identity: str) -> bool:
    """Whether a server numbers features anew at every question: GeoServer does so for tables without a key.

    Examples
    --------
    >>> is_made_up("streams.fid-2d1c9f1a_18f"), is_made_up("streams.17")
    (True, False)
    """
    return re.search(r"\bfid-+[0-9a-f]{6,}", identity) is not None


def fingerprint(content: bytes) -> str:
    """What stands for the identifier of a feature that has none: two that are all alike count as one."""
    return hashlib.sha256(content).hexdigest()


def _identity(feature: Mapping[str, Any]) -> str:
    told = feature.get("id")
    if told is not None and not is_made_up(str(told)):
        return str(told)
    return fingerprint(json.dumps([feature.get("geometry"), feature.get("properties")], sort_keys=True).encode())


def _for_gdal(features: Sequence[Mapping[str, Any]]) -> bytes:
    """The features as GDAL keeps them apart: identifiers as a property, by which it would reorder."""
    rows = []
    for row, feature in enumerate(features):
        own = {} if feature.get("id") is None else {_IDENTITY: str(feature["id"])}
        properties = {**own, **(feature.get("properties") or {}), ROW: row}
        rows.append({"type": "Feature", "properties": properties, "geometry": feature.get("geometry")})
    return json.dumps({"type": "FeatureCollection", "features": rows}).encode()

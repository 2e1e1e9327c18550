"""Features that the plan itself marks as no longer valid: they are set aside, and named."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from siteplan_gis.ingest.drawn.attributes import field_of, text_of
from siteplan_gis.model.flag import Flag

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from siteplan_gis.ingest.drawn.drawing import DrawnFeature

STATUS_FIELDS: Final = ("status", "plan_status", "planstatus", "rev_status", "revstatus", "lifecycle", "life_cycle",
    "lifecyclestatus", "feature_status", "featstatus", "status_cd", "status_code", "statuscode")  # fmt: skip

_PAST: Final = re.compile(
    r"\b(superseded|superceded|obsolete|void|voided|withdrawn|cancell?ed|deleted|rejected|not used)\b",
    re.IGNORECASE,
)
_DENIED: Final = re.compile(r"\b(not|never|to be|if)\b", re.IGNORECASE)
"""Words beside them that leave it open: "not yet superseded", "to be voided"."""
_UNUSED: Final = re.compile(r"\bnot used\b", re.IGNORECASE)
_CODE: Final = re.compile(r"-?\d{1,6}")


def not_current(features: Iterable[DrawnFeature], fields: Sequence[str]) -> dict[str, str]:
    """Why a feature is not valid any more, by its id: what its status field says."""
    field = field_of(fields, None, STATUS_FIELDS)
    if field is None:
        return {}
    told = ((feature.id, text_of(feature.attributes, field)) for feature in features)
    return {
        name: f"{field} is {status!r}"
        for name, status in told
        if _PAST.search(status) and not _DENIED.search(_UNUSED.sub("void", status))
    }


def unexplained_codes(features: Iterable[DrawnFeature], fields: Sequence[str], layer: str) -> list[Flag]:
    """A warning where features differ in a status that is only a number."""
    field = field_of(fields, None, STATUS_FIELDS)
    if field is None:
        return []
    codes = {text_of(feature.attributes, field) for feature in features} - {""}
    if len(codes) < 2 or not all(_CODE.fullmatch(code) for code in codes):  # noqa: PLR2004  (of one kind, whatever it is)
        return []
    listed = ", ".join(sorted(codes, key=int)[:8])
    text = f"{field} holds the codes {listed} and nothing says what they mean; features of every code were taken"
    return [Flag("status_code_unknown", text, layer)]

"""What a reviewer must know of the features of a layer as read, and flags without number kept to a few."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from siteplan_gis.ingest.drawn.attributes import day_of, text_of
from siteplan_gis.model.flag import Flag
from siteplan_gis.model.surface import SURFACE_ROLES

if TYPE_CHECKING:
    from collections.abc import Iterable

    from siteplan_gis.ingest.drawn.drawing import DrawnFeature
    from siteplan_gis.ingest.drawn.placing import PlacedLayer

_MOST_FLAGS_ALIKE: Final = 20
_MOST_WORDS: Final = 60
_CONTOURS: Final = ("contour_existing", "contour_proposed")


def reading_flags(layer: PlacedLayer) -> list[Flag]:
    """Features without geometry, unreadable ones, heights that were dropped."""
    drawn = layer.drawn
    flags = []
    heights = sentinels = 0
    for feature in drawn.features:
        if feature.trouble:
            flags.append(Flag("feature_unreadable", f"{feature.trouble}; it was set aside", drawn.label, feature.id))
        elif feature.drawing is None:
            flags.append(Flag("feature_empty", "has no geometry (none stored, or damaged)", drawn.label, feature.id))
        else:
            heights += feature.drawing.has_z
            sentinels += feature.drawing.has_sentinel_z
            flags += [
                Flag("feature_unreadable", text, drawn.label, feature.id) for text in feature.drawing.left_out
            ]  # fmt: skip
    if heights and layer.role not in (*_CONTOURS, *SURFACE_ROLES):
        flags.append(Flag("z_or_m_dropped", f"{_counted(heights)} heights, which were dropped", drawn.label))
    if sentinels:
        flags.append(Flag("z_sentinel", f"{_counted(sentinels)} heights that are NaN or a sentinel", drawn.label))
    return flags


def unread_days(features: Iterable[DrawnFeature], fields: Iterable[str | None], label: str) -> list[Flag]:
    """Features with words where a day should stand ("after Easter", 31/5/2026): they are taken as undated."""
    return [
        Flag("date_unreadable", f"{name} is {said!r}: write it as 2026-05-31", label, feature.id)
        for feature in features
        for name in dict.fromkeys(filter(None, fields))
        if (said := text_of(feature.attributes, name)[:_MOST_WORDS]) and day_of(feature.attributes, name) is None
    ]


def _counted(number: int) -> str:
    return "1 feature has" if number == 1 else f"{number} features have"


def few_flags(flags: Iterable[Flag]) -> tuple[Flag, ...]:
    """Flags in order, each once; of many alike in one layer the first ones and the number of the others."""
    kept: list[Flag] = []
    counts: Counter[tuple[str, str]] = Counter()
    for flag in dict.fromkeys(flags):
        counts[flag.code, flag.layer] += 1
        if counts[flag.code, flag.layer] <= _MOST_FLAGS_ALIKE:
            kept.append(flag)
    kept += [
        Flag(code, f"... and {count - _MOST_FLAGS_ALIKE} more of this kind in this layer", layer)
        for (code, layer), count in counts.items()
        if count > _MOST_FLAGS_ALIKE
    ]
    return tuple(kept)

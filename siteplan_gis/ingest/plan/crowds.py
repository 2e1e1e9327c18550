"""Drawings of one role that lie across each other so often that no measuring of them would come to an end."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import shapely

from siteplan_gis.measures.shapes.crowding import MOST_TOGETHER, crowded
from siteplan_gis.model.flag import Flag

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from siteplan_gis.model.plan import PlanFeature


def without_crowds(features: Sequence[PlanFeature]) -> tuple[list[PlanFeature], list[Flag]]:
    """The features of all roles but those whose drawings crowd each other, and a flag for each of these.

    Examples
    --------
    >>> from siteplan_gis.model.plan import PlanFeature
    >>> ends = np.random.default_rng(1).uniform(0, 100, (5_000, 2, 2))
    >>> needles = [PlanFeature("control", line, "plan/fence", "1") for line in shapely.linestrings(ends)]
    >>> kept, flags = without_crowds(needles)
    >>> len(kept), flags[0].text.partition(":")[0]
    (0, '5,000 drawings of the role control lie across each other by the million')
    """
    by_role: dict[str, list[PlanFeature]] = {}
    for item in features:
        by_role.setdefault(item.role, []).append(item)
    lost = {role: alike for role, alike in by_role.items() if crowded(_lines(alike), MOST_TOGETHER)}
    return [item for item in features if item.role not in lost], [_told(role, alike) for role, alike in lost.items()]


def _lines(features: Sequence[PlanFeature]) -> list[NDArray[np.float64]]:
    """Coordinates of every line and ring."""
    parts = shapely.get_parts(shapely.get_parts([item.geometry for item in features]))
    areas = shapely.get_dimensions(parts) == 2  # noqa: PLR2004
    lines = np.concatenate([parts[shapely.get_dimensions(parts) == 1], shapely.get_rings(parts[areas])])
    xy, line = shapely.get_coordinates(lines, return_index=True)
    return np.split(xy, np.flatnonzero(np.diff(line)) + 1) if len(xy) else []


def _told(role: str, alike: Sequence[PlanFeature]) -> Flag:
    words = role.replace("_", " ")
    layers = ", ".join(dict.fromkeys(item.layer for item in alike))
    return Flag(
        "feature_unreadable",
        f"{len(alike):,} drawings of the role {words} lie across each other by the million: nothing can be measured on them "
        f"and all of them were set aside ({layers}); draw what is meant once",
        alike[0].layer,
    )

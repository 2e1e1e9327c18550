"""Everything known about one site before any law: the plan, the layers around it, the ground."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from siteplan_gis.frame import Frame
    from siteplan_gis.model.flag import Flag
    from siteplan_gis.model.layers import ReferenceLayer
    from siteplan_gis.model.plan import Plan
    from siteplan_gis.model.terrain import Terrain


@dataclass(frozen=True, slots=True, eq=False)
class Site:
    """One site: all geometry in `frame`.

    `layers` maps a role of `LAYER_ROLES` to every layer given for it (two wetland maps may both be given).
    `missing_layers` maps a role to the reason why a layer named for it could not be used.
    """

    frame: Frame
    plan: Plan
    layers: Mapping[str, tuple[ReferenceLayer, ...]]
    terrain: Terrain | None
    missing_layers: Mapping[str, str]
    flags: tuple[Flag, ...] = ()

"""Reference layers: what public maps show around the site, in the site frame."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from shapely.geometry.base import BaseGeometry

    from siteplan_gis.model.flag import Flag
    from siteplan_gis.model.source import Source

LAYER_ROLES: Final = (
    "waters", "flowlines", "wetlands", "floodplain", "municipalities", "airports", "culverts", "roads", "parcels",
    "contours", "listed_waters", "wells",
)  # fmt: skip
"""Roles of a reference layer. `flowlines` are drainage lines in the direction of flow, followed downstream;
`listed_waters` outstanding or exceptional resource waters and impaired ones; `wells` wells and springs."""

WATER_KINDS: Final = (
    "stream", "intermittent_stream", "ephemeral_stream", "river", "ditch", "lake", "reservoir", "pond", "coastline",
    "spring", "water",
)  # fmt: skip
"""Kinds counted as surface waters; "water" where the layer does not tell more."""

SINK_KIND: Final = "sink"
"""A sinkhole or closed depression that a map shows: runoff ends in it."""

UNCOUNTED_KINDS: Final = (
    "artificial_path", "connector", "pipeline", "underground", "flow_direction", SINK_KIND, "other",
)  # fmt: skip
"""Kinds of a hydrography layer that are no waters by themselves (they may be followed downstream)."""

WETLAND_KINDS: Final = ("wetland", "wetland_point", "filled_wetland")
"""`wetland_point` is a wetland too small to be drawn as an area; `filled_wetland` is never counted."""


LISTED_KINDS: Final = ("outstanding", "exceptional", "impaired")
"""Kinds of a listed water; "" where the layer does not tell."""

REACH_CODE: Final = "reach_m="
"""Begins the code of a municipality whose boundary map states its extraterritorial reach, in metres."""


@dataclass(frozen=True, slots=True, eq=False)
class ReferenceFeature:
    """One feature of a reference layer.

    Attributes
    ----------
    id
        A permanent identifier from the data where there is one, else "layer:row".
    kind
        For waters one of `WATER_KINDS` or `UNCOUNTED_KINDS`; for wetlands one of `WETLAND_KINDS`; for floodplain
        "floodway", "flood_fringe" or "other"; for municipalities "city", "village" or "town"; else "".
    code
        The layer's own code as it stands in the data (46006, PEM1C, AE ...).
    downstream
        For network layers: ids of the features downstream of it, where the data say so; empty: by geometry.
    sequence, order
        For network layers: a number that falls downstream, and the order of the stream, which never falls downstream;
        None where the data do not say.
    flow_known
        False where the data call the direction of flow unknown.
    """

    id: str
    name: str
    kind: str
    code: str
    geometry: BaseGeometry
    layer: str
    downstream: tuple[str, ...] = ()
    sequence: float | None = None
    order: int | None = None
    flow_known: bool = True


@dataclass(frozen=True, slots=True, eq=False)
class ReferenceLayer:
    """A reference layer as far as it was read.

    Attributes
    ----------
    features
        All features within `window`, each delivered once.
    window
        The searched ground in the frame: a rectangle around the site.
    coverage
        The ground that the layer covers, in the frame, clipped to `window`; its own data extent where not declared.
    """

    role: str
    label: str
    features: tuple[ReferenceFeature, ...]
    window: BaseGeometry
    coverage: BaseGeometry
    coverage_declared: bool
    source: Source
    invented: bool = False
    flags: tuple[Flag, ...] = ()

"""What lies around some parcels of one place, read by the window: layers once, elevations once."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np
import shapely

from siteplan_gis.frame import PLACE_DEGREES
from siteplan_gis.ingest.elevation.terrain import open_terrain, read_terrain
from siteplan_gis.ingest.reference.airports import airports_near
from siteplan_gis.ingest.reference.layers import FARTHEST_SEARCH_M, read_layer
from siteplan_gis.measures.shapes.flat_shapes import take_apart
from siteplan_gis.measures.shapes.neighbours import find_neighbours
from siteplan_gis.measuring.parcel_runoff import RUNOFF_CELL_M
from siteplan_gis.measuring.waters import counted_features
from siteplan_gis.model.flag import Flag
from siteplan_gis.model.plan import Plan
from siteplan_gis.model.site import Site
from siteplan_gis.pipeline import TERRAIN_MARGIN_M

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from shapely.geometry.base import BaseGeometry

    from siteplan_gis.frame import Frame
    from siteplan_gis.ingest.elevation.terrain import DemFile
    from siteplan_gis.ingest.reference.catalogue import LayerEntry
    from siteplan_gis.model.layers import ReferenceLayer
    from siteplan_gis.model.measurement import Method
    from siteplan_gis.model.screening import Asked, Parcel
    from siteplan_gis.model.terrain import Terrain

_USED: Final = (
    "waters", "flowlines", "wetlands", "floodplain", "municipalities", "airports", "culverts", "listed_waters",
)  # fmt: skip
_AIRPORTS_M: Final = 30_000.0
_METRES_PER_DEGREE: Final = 111_320.0
_OF_THE_WINDOW: Final = frozenset({"dem_flat", "dem_stairs"})
"""Flags of a whole window of elevations: each parcel's own ground is looked at instead."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What parcels are compared with: every layer and elevation model, and the folder of datum shift grids."""

    entries: tuple[LayerEntry, ...]
    dems: tuple[DemFile, ...]
    proj_grids: Path | None = None


def place_of(_frame: Frame) -> BaseGeometry:
    """The ground of a place of the net, and some beyond, in its frame."""
    half = PLACE_DEGREES / 2 * _METRES_PER_DEGREE * 1.3
    return shapely.box(-half, -half, half, half)


def gather_around(parcels: Sequence[Parcel], evidence: Evidence, asked: Asked, method: Method) -> Site:
    """Read everything around some parcels of one frame.

    Where for some parcel nothing lies near enough to be surely the nearest, waters and wetlands are read farther out.
    """
    frame = parcels[0].frame
    drawn = np.array([parcel.geometry for parcel in parcels], dtype=object)
    around = shapely.box(*shapely.total_bounds(drawn))
    layers: dict[str, tuple[ReferenceLayer, ...]] = {}
    for entry in evidence.entries:
        if entry.role in _USED:
            ground = place_of(frame).union(around).envelope if entry.role == "municipalities" else around
            layers[entry.role] = (*layers.get(entry.role, ()), read_layer(entry, frame, ground, method.search_m))
    site = Site(frame, Plan("", (), ()), layers, None, {}, ())
    for role in ("waters", "wetlands"):
        reach = _farther(site, role, drawn)
        if reach:
            again = [entry for entry in evidence.entries if entry.role == role]
            layers[role] = tuple(read_layer(entry, frame, around, reach) for entry in again)
    if "airports" not in layers:
        layers["airports"] = (airports_near(frame, _AIRPORTS_M),)
    terrain = _terrain(evidence, frame, drawn, around, asked)
    invented = [layer.label for each in layers.values() for layer in each if layer.invented]
    if terrain is not None and terrain.invented:
        invented.append("the elevations")
    flags = (Flag("invented_ground", f"invented to demonstrate the program: {', '.join(invented)}"),) * bool(invented)
    missing = {role: f"no layer of {role.replace('_', ' ')} was given" for role in _USED if role not in layers}
    if terrain is None:
        missing["dem"] = "no elevation model was given"
    return replace(site, layers=layers, terrain=terrain, missing_layers=missing, flags=flags)


def _farther(site: Site, role: str, parcels: np.ndarray[tuple[int], np.dtype[np.object_]]) -> float:
    """How far out a role must be read so that the nearest of every parcel is certain; 0 where it is."""
    layers = site.layers.get(role, ())
    if not layers:
        return 0.0
    features = counted_features(site)[role]
    found = find_neighbours(take_apart(parcels), take_apart([one.geometry for one in features]), 1.0)
    boxes = shapely.bounds(parcels)
    margin = np.full(len(parcels), np.inf)
    for layer in layers:
        west, south, east, north = layer.window.bounds
        sides = [boxes[:, 0] - west, boxes[:, 1] - south, east - boxes[:, 2], north - boxes[:, 3]]
        margin = np.minimum(margin, np.min(sides, axis=0))
    unsure = found.nearest_m > margin
    if not unsure.any() or margin.min() >= FARTHEST_SEARCH_M:
        return 0.0
    return float(np.minimum(found.nearest_m[unsure], FARTHEST_SEARCH_M).max())


def _terrain(
    evidence: Evidence,
    frame: Frame,
    parcels: np.ndarray[tuple[int], np.dtype[np.object_]],
    around: BaseGeometry,
    asked: Asked,
) -> Terrain | None:
    if not evidence.dems:
        return None
    if not asked.runoff:
        return open_terrain(evidence.dems, frame, list(parcels))
    found = read_terrain(evidence.dems, frame, around, TERRAIN_MARGIN_M, RUNOFF_CELL_M)
    return replace(found, flags=tuple(flag for flag in found.flags if flag.code not in _OF_THE_WINDOW))

"""Surfaces brought into the site frame, with elevations in metres."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import shapely

from siteplan_gis.errors import UnitError
from siteplan_gis.model.surface import Surface, Tin
from siteplan_gis.units import metres_per

if TYPE_CHECKING:
    from collections.abc import Sequence

    from siteplan_gis.frame import Frame
    from siteplan_gis.ingest.drawn.placing import PlacedLayer
    from siteplan_gis.model.plan import PlanFeature


def placed_surface(layer: PlacedLayer, outlines: Sequence[PlanFeature], frame: Frame) -> Surface | None:
    """The surface of a layer, given the features made of its outline; None where the layer has none.

    Raises
    ------
    UnitError
        If neither the file, the manifest nor the coordinate system tells the unit of its elevations.
    """
    mesh, reference = layer.drawn.mesh, layer.georeference
    if mesh is None or reference is None or not outlines:
        return None
    xy = frame.from_lonlat(reference.lonlat(mesh.xy))
    return Surface(
        role=layer.role,
        name=layer.drawn.layer,
        layer=layer.label,
        tin=Tin(np.ascontiguousarray(xy), mesh.z * _elevation_unit_m(layer), mesh.triangles),
        outline=shapely.union_all([feature.geometry for feature in outlines]),
    )


def _elevation_unit_m(layer: PlacedLayer) -> float:
    """Metres of the elevations' unit: as the manifest says, or that of the file."""
    if layer.settings.elevation_units is not None:
        return metres_per(layer.settings.elevation_units)
    if layer.height_m is None:
        raise UnitError(
            "the unit of its elevations is not known",
            file=layer.drawn.file,
            layer=layer.drawn.layer,
            remedy="set elevation_units for it in siteplan.toml",
        )
    return layer.height_m

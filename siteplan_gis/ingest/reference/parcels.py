"""Parcels of a file, each under its identifier."""

from __future__ import annotations

from typing import TYPE_CHECKING

import shapely

from siteplan_gis.errors import InputError
from siteplan_gis.ingest.reference.codes import bare, field_names, text_of
from siteplan_gis.ingest.reference.footprints import placed
from siteplan_gis.ingest.reference.limits import placed_by
from siteplan_gis.ingest.reference.rows import find_layer, read_whole

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from siteplan_gis.frame import Frame


def read_parcels(
    path: Path, frame: Frame, id_field: str | None = None, assume_crs: str | None = None
) -> tuple[list[str], NDArray[np.object_]]:
    """Identifiers and polygons or points in the frame, in the order of the file; empty rows are left out.

    Raises
    ------
    InputError
        If the file cannot be used or holds no polygons or points.
    """
    found = find_layer(path)
    source = placed_by(found, assume_crs or "")
    own = {bare(name): name for name in reversed(found.fields)}
    if id_field and bare(id_field) not in own:
        raise InputError(f"there is no field {id_field!r}", file=path.name, layer=found.layer,
                         remedy=f"it has {', '.join(found.fields[:20]) or 'no fields'}")  # fmt: skip
    chosen = own[bare(id_field)] if id_field else own.get("parcelid") or field_names("parcels", found.fields).id
    rows = read_whole(found, (chosen,) if chosen else ())
    geometries, _ = placed(rows.geometries, source, frame)
    areas = (shapely.get_dimensions(geometries) != 1) & ~shapely.is_empty(geometries)
    if not areas.any():
        raise InputError(
            "it holds no polygons or points", file=path.name, layer=found.layer, remedy="name a layer of parcels"
        )
    names = [text_of(value) for value in rows.columns[chosen][areas]] if chosen else [""] * int(areas.sum())
    ids = [name or str(fid) for name, fid in zip(names, rows.fids[areas], strict=True)]
    return ids, geometries[areas]

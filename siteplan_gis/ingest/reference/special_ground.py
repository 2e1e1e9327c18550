"""Waivers and boundary agreements: ground where the reach of a municipality is not what distance alone gives."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import shapely

from siteplan_gis.errors import InputError
from siteplan_gis.ingest.reference.codes import bare, field_names, municipality, text_of
from siteplan_gis.ingest.reference.footprints import placed
from siteplan_gis.ingest.reference.limits import KIND_WORDS, placed_by
from siteplan_gis.ingest.reference.rows import find_layer, read_whole
from siteplan_gis.model.limits import UNINCORPORATED_KINDS, Municipality, SpecialGround

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from shapely.geometry.base import BaseGeometry

    from siteplan_gis.frame import Frame


def read_special_ground(
    path: Path, municipalities: Sequence[Municipality], plane: Frame, what: str, assume_crs: str | None = None
) -> tuple[SpecialGround, ...]:
    """Polygons of waivers or agreements: each names a municipality of the limits (fields as theirs).

    Raises
    ------
    InputError
        If the file cannot be used, or a polygon names no municipality of the limits, or one that could be two.
    """
    found = find_layer(path)
    source = placed_by(found, assume_crs or "")
    rows = read_whole(found, found.fields)
    geometries, _ = placed(rows.geometries, source, plane)
    names = field_names("municipalities", found.fields).name
    if not names:
        raise InputError(f"no field names the municipality of a {what}", file=path.name, layer=found.layer,
                         remedy="name it in a field called municipality")  # fmt: skip
    grounds: dict[str, list[BaseGeometry]] = defaultdict(list)
    fields = {bare(name): values for name, values in rows.columns.items()}
    for i, geometry in enumerate(geometries):
        attributes = {name: values[i] for name, values in fields.items()}
        told = municipality(attributes, text_of(rows.columns[names][i]))
        name, kind = told or (text_of(rows.columns[names][i]), "")
        kind = kind or KIND_WORDS.get(text_of(attributes.get("kind")).lower(), "")
        fits = [
            one.label
            for one in municipalities
            if one.name.casefold() == name.casefold()
            and (one.kind == kind if kind else one.kind not in UNINCORPORATED_KINDS)
        ]
        if len(fits) != 1:
            problem = f"{name!r} is {' or '.join(fits)}" if fits else f"{name!r} is no city or village of the limits"
            raise InputError(problem, file=path.name, layer=found.layer, feature=str(rows.fids[i]),
                             remedy="write it like 'Village of X'")  # fmt: skip
        if shapely.get_dimensions(geometry) != 2:  # noqa: PLR2004
            raise InputError(f"a {what} must be a polygon", file=path.name, layer=found.layer,
                             feature=str(rows.fids[i]), remedy="draw the ground that it is about")  # fmt: skip
        grounds[fits[0]].append(geometry)
    return tuple(SpecialGround(name, shapely.union_all(parts)) for name, parts in sorted(grounds.items()))

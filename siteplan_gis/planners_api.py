"""Extraterritorial areas from Python: `siteplan_gis.etj`, with a result that shows itself in a notebook."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import shapely

from siteplan_gis.ingest.reference.limits import LimitsAsked
from siteplan_gis.planning import TerritoriesAsked, list_parcels, map_territories
from siteplan_gis.report.json_report import json_text
from siteplan_gis.report.territory_records import overlap_rows, parcel_rows, territory_record, territory_rows

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import date

    import geopandas as gpd

    from siteplan_gis.model.limits import TerritoryMap
    from siteplan_gis.model.parcels import ParcelShare


@dataclass(frozen=True, slots=True, eq=False)
class Mapped:
    """Extraterritorial areas: `territories` holds the nouns, the methods turn them into what people use."""

    territories: TerritoryMap
    parcels: tuple[ParcelShare, ...] | None = None
    pieces: dict[tuple[Any, ...], Any] = field(default_factory=dict, repr=False)
    """Finished steps: given to the next call, they make it cost only what lies near a change."""

    def record(self) -> dict[str, Any]:
        """Everything but the geometry as plain data, as in `etj.json`."""
        return territory_record(self.territories, self.parcels)

    def to_json(self) -> str:
        """The text of `etj.json`."""
        return json_text(self.record())

    def to_geodataframe(self) -> gpd.GeoDataFrame:
        """One row a municipality with its area after division, in longitude and latitude (EPSG:4326)."""
        return self._frame(territory_rows(self.territories), [one.held for one in self.territories.territories])

    def overlaps_to_geodataframe(self) -> gpd.GeoDataFrame:
        """One row a pair of municipalities with the ground that both reach."""
        return self._frame(overlap_rows(self.territories), [one.ground for one in self.territories.overlaps])

    def lines_to_geodataframe(self) -> gpd.GeoDataFrame:
        """One row a pair of municipalities with the line that divides their common reach."""
        return self._frame(overlap_rows(self.territories), [one.line for one in self.territories.overlaps])

    def parcel_rows(self) -> list[dict[str, Any]]:
        """One row a parcel, as in `parcels.csv`."""
        return parcel_rows(self.parcels or ())

    def write(self, folder: str | Path) -> tuple[Path, ...]:
        """Write the files of the command `etj` into a folder, whole or not at all."""
        from siteplan_gis.report.territory_files import write_territories  # noqa: PLC0415

        return write_territories(self.territories, Path(folder), self.parcels)

    def _frame(self, rows: list[dict[str, Any]], shapes: Sequence[shapely.Geometry]) -> gpd.GeoDataFrame:
        import geopandas as gpd  # noqa: PLC0415

        plane = self.territories.limits.plane
        placed = shapely.transform(np.array(shapes, dtype=object), plane.to_lonlat)
        return gpd.GeoDataFrame(rows, geometry=placed, crs="EPSG:4326")

    def _repr_html_(self) -> str:
        """The map, in a frame of its own."""
        from html import escape  # noqa: PLC0415

        from siteplan_gis.report.territory_page import territory_page_text  # noqa: PLC0415

        page = escape(territory_page_text(self.territories), quote=True)
        return f'<iframe srcdoc="{page}" style="width:100%;height:700px;border:0" title="Whose land is this?"></iframe>'


def etj(
    limits: str | Path,
    *,
    on: date,
    names: Sequence[str] = (),
    state: str | Path = "wisconsin",
    detached_parts: str = "",
    classes: str | Path | None = None,
    waivers: str | Path | None = None,
    agreements: str | Path | None = None,
    parcels: str | Path | None = None,
    parcel_id: str | None = None,
    layer: str = "",
    fields: Mapping[str, str] | None = None,
    kind: str = "",
    reach_miles: float | None = None,
    assume_crs: str | None = None,
    before: Mapped | None = None,
) -> Mapped:
    """Map the extraterritorial areas of municipalities as of a day, each place with one holder.

    Parameters
    ----------
    limits
        Municipal limits: a file, or a catalogue of layers (`layers.toml` or its folder).
    on
        The day: there is no clock inside.
    names
        Municipalities to map; all where empty.
    state
        Id of a shipped state profile, or a file.
    detached_parts
        "count" or "main_only" in place of the profile's rule.
    classes
        CSV file of cities: name, class, source.
    waivers, agreements
        Files of ground that a municipality has waived, or that an agreement gives to it.
    parcels, parcel_id
        Parcels to list, and the field of their identifier.
    layer, fields, kind, reach_miles, assume_crs
        How to read `limits` where it does not tell (see `LimitsAsked`).
    before
        An earlier result: whatever has not changed near a municipality is taken over from it.

    Raises
    ------
    InputError
        If an input cannot be used.
    """
    asked = TerritoriesAsked(
        LimitsAsked(Path(limits), layer, fields or {}, kind, reach_miles, assume_crs, _path(classes)),
        state, tuple(names), detached_parts, _path(waivers), _path(agreements),
    )  # fmt: skip
    pieces = dict(before.pieces) if before is not None else {}
    mapped = map_territories(asked, on, pieces=pieces)
    listed = None if parcels is None else list_parcels(Path(parcels), mapped, parcel_id, assume_crs)
    return Mapped(mapped, listed, pieces)


def _path(given: str | Path | None) -> Path | None:
    return None if given is None else Path(given)

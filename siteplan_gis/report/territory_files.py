"""The planners' output folder: map, table, layers and web layer, all or none of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from siteplan_gis.report.files import write_together
from siteplan_gis.report.json_report import write_json
from siteplan_gis.report.territory_layers import write_territory_geojson, write_territory_geopackage
from siteplan_gis.report.territory_page import write_territory_page
from siteplan_gis.report.territory_records import (
    PARCEL_COLUMNS,
    ROW_COLUMNS,
    parcel_rows,
    territory_record,
    territory_rows,
    write_csv,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from siteplan_gis.model.limits import TerritoryMap
    from siteplan_gis.model.parcels import ParcelShare


def write_territories(
    mapped: TerritoryMap, folder: Path, parcels: Sequence[ParcelShare] | None = None
) -> tuple[Path, ...]:
    """Write `etj.gpkg`, `etj.csv`, `etj.json`, `etj.html`, `etj.geojson`, and `parcels.csv` where parcels were given.

    Raises
    ------
    InputError
        If the folder cannot be written to, or the disk is full.
    """
    writers: dict[str, Callable[[Path], object]] = {
        "etj.json": lambda path: write_json(territory_record(mapped, parcels), path),
        "etj.csv": lambda path: write_csv(territory_rows(mapped), ROW_COLUMNS, path),
        "etj.gpkg": lambda path: write_territory_geopackage(mapped, path),
        "etj.html": lambda path: write_territory_page(mapped, path),
        "etj.geojson": lambda path: write_territory_geojson(mapped, path),
    }
    if parcels is not None:
        listed = parcels
        writers["parcels.csv"] = lambda path: write_csv(parcel_rows(listed), PARCEL_COLUMNS, path)
    return write_together(folder, writers)

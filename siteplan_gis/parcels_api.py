"""Pre-screening from Python: `siteplan_gis.prescreen`, with a result that shows itself in a notebook."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from siteplan_gis.countywide.one import ParcelsAsked, screen_few
from siteplan_gis.model.screening import TAKEN_OUT, Asked
from siteplan_gis.report.json_report import json_text
from siteplan_gis.report.screening_records import screening_record, screening_row

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import geopandas as gpd

    from siteplan_gis.model.screening import Screening


@dataclass(frozen=True, slots=True, eq=False)
class Prescreened:
    """Screened parcels: `screenings` holds the nouns, the methods turn them into what people use."""

    screenings: tuple[Screening, ...]

    def records(self) -> list[dict[str, Any]]:
        """Each parcel as plain data, as in `prescreen.json`."""
        return [screening_record(one) for one in self.screenings]

    def to_json(self) -> str:
        """The records as text; of one parcel the text of `prescreen.json`."""
        records = self.records()
        return json_text(records[0] if len(records) == 1 else {"parcels": records})

    def to_geodataframe(self) -> gpd.GeoDataFrame:
        """One row a parcel, with the columns of the table, in longitude and latitude (EPSG:4326)."""
        import geopandas as gpd  # noqa: PLC0415

        shapes = [
            one.parcel.frame.unproject(one.parcel.geometry)
            if one.parcel.frame.placed and not one.parcel.geometry.is_empty
            else None
            for one in self.screenings
        ]
        return gpd.GeoDataFrame([screening_row(one) for one in self.screenings], geometry=shapes, crs="EPSG:4326")

    def _repr_html_(self) -> str:
        """The page of the first parcel, in a frame of its own."""
        from html import escape  # noqa: PLC0415

        from siteplan_gis.report.parcel_page import screening_page  # noqa: PLC0415

        page = escape(screening_page(self.screenings[0]), quote=True)
        return f'<iframe srcdoc="{page}" style="width:100%;height:800px;border:0" title="Parcel"></iframe>'


def prescreen(
    parcels: str | Path | None = None,
    *,
    at: tuple[float, float] | None = None,
    parcel: str = "",
    id_field: str = "",
    where: str = "",
    layers: str | Path | None = None,
    layer: Mapping[str, str | Path] | None = None,
    dem: Sequence[str | Path] = (),
    dem_units: str | None = None,
    assume_crs: str = "",
    ordinance: str = "",
    disturb_acres: float | None = None,
    taken_out: Sequence[str] = TAKEN_OUT,
    runoff: bool = True,
    invented: bool = False,
) -> Prescreened:
    """Tell what is known of one parcel, or of every parcel of a small file, each with everything listed.

    For a whole county use the command: it shares the work, keeps what is finished and writes a table.

    Parameters
    ----------
    parcels
        File of parcels; None: the catalogue's layer of them.
    at, parcel
        Only the parcel at this longitude and latitude, or of this name.
    taken_out
        Those of "steep", "wetlands", "floodplain", "widths" that count against the buildable remainder.
    invented
        True where the parcels lie on invented ground, as the samples do.

    Raises
    ------
    InputError
        If an input cannot be used, or there is no such parcel.
    """
    given = ParcelsAsked(
        Path(parcels) if parcels else None, Path(layers) if layers else None,
        tuple((role, Path(file)) for role, file in (layer or {}).items()), tuple(Path(file) for file in dem), dem_units,
        at, parcel, id_field, where, assume_crs, ordinance, invented,
        Asked(disturb_acres, tuple(taken_out), runoff=runoff),
    )  # fmt: skip
    return Prescreened(screen_few(given))

"""The program from Python: the same names as on the command line, with results that show themselves in a notebook."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from siteplan_gis.pipeline import Inputs, measure_inputs, review_inputs
from siteplan_gis.report.json_report import json_text
from siteplan_gis.report.records import measurements_record, review_record

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import date

    import geopandas as gpd
    from shapely.geometry.base import BaseGeometry

    from siteplan_gis.frame import Frame
    from siteplan_gis.model.measurement import Measurements
    from siteplan_gis.model.review import Review
    from siteplan_gis.model.site import Site


@dataclass(frozen=True, slots=True, eq=False)
class Reviewed:
    """A finished review: `review` holds the nouns, the methods turn it into what people use."""

    review: Review

    @property
    def status(self) -> str:
        """The worst status of all findings."""
        return self.review.status.value

    def record(self) -> dict[str, Any]:
        """The review as plain data, as in `review.json`."""
        return review_record(self.review)

    def to_json(self) -> str:
        """The text of `review.json`."""
        return json_text(self.record())

    def to_geodataframe(self) -> gpd.GeoDataFrame:
        """One row a finding, with its evidence in longitude and latitude (EPSG:4326)."""
        findings = self.review.findings
        rows = [
            {
                "id": item.id,
                "rule": item.rule.id,
                "status": item.status.value,
                "message": item.message,
                "remedy": item.remedy,
            }
            for item in findings
        ]
        return _frame(rows, (item.where for item in findings), self.review.site.frame)

    def write(
        self, folder: str | Path, print_sheet: str | None = None, sheet_scale: float | None = None
    ) -> tuple[Path, ...]:
        """Write `review.json`, `findings.gpkg` and `review.html` into a folder, whole or not at all.

        With `print_sheet` ("letter", "tabloid", "22x34" ...) `site_map.pdf`, too, at 1 inch = `sheet_scale` feet.
        """
        from siteplan_gis.report.files import write_outputs  # noqa: PLC0415

        return tuple(write_outputs(self.review, Path(folder), print_sheet, sheet_scale))

    def _repr_html_(self) -> str:
        """The review page, in a frame of its own."""
        from html import escape  # noqa: PLC0415

        from siteplan_gis.report.page import page_text  # noqa: PLC0415

        page = escape(page_text(self.review, self.record()), quote=True)
        return f'<iframe srcdoc="{page}" style="width:100%;height:800px;border:0" title="Review"></iframe>'


@dataclass(frozen=True, slots=True, eq=False)
class Measured:
    """What was measured on one site, without any law."""

    measurements: Measurements
    site: Site

    def __getitem__(self, name: str) -> Any:
        """The value of a name of the vocabulary; None where it cannot be told."""
        return self.measurements[name].value

    def record(self) -> dict[str, Any]:
        """The measurements as plain data, as `measure --json` prints them."""
        return measurements_record(self.measurements, self.site)

    def to_json(self) -> str:
        """The text that `measure --json` prints."""
        return json_text(self.record())

    def to_geodataframe(self) -> gpd.GeoDataFrame:
        """One row a measurement, with its evidence in longitude and latitude (EPSG:4326)."""
        values = self.measurements.values
        rows = [
            {"name": name, "value": item.value, "unit": item.unit, "plus_minus": item.plus_minus, "reason": item.reason}
            for name, item in values.items()
        ]
        return _frame(rows, (item.where for item in values.values()), self.site.frame)


def review(
    *plan: str | Path,
    on: date,
    ordinance: str | Path | None = None,
    layers: str | Path | None = None,
    layer: Mapping[str, str | Path] | None = None,
    dem: Sequence[str | Path] = (),
    dem_units: str | None = None,
    roles: Mapping[str, str] | None = None,
    assume_crs: str | None = None,
) -> Reviewed:
    """Review a plan against an ordinance as of a day.

    Parameters
    ----------
    plan
        Folders, zips or files; several make one common plan.
    on
        The day of the review: there is no clock inside.
    ordinance
        Id of a shipped ordinance or path of an ordinance file; by default the one that the plan's manifest names.
    layers
        A catalogue (`layers.toml` or its folder); by default `layers/<ordinance>` of the working folder.
    layer
        Further reference layers, role to file.
    dem, dem_units
        Elevation tiles, and their vertical unit ("m", "ft", "us-ft") where the files do not tell it.
    roles
        Layer name to role, before the manifest and before guessing.
    assume_crs
        CRS of files that name none.

    Raises
    ------
    InputError
        If an input cannot be used.
    """
    inputs = _inputs(plan, layers, layer, dem, dem_units, roles, assume_crs)
    return Reviewed(review_inputs(inputs, ordinance, on))


def measure(
    *plan: str | Path,
    layers: str | Path | None = None,
    layer: Mapping[str, str | Path] | None = None,
    dem: Sequence[str | Path] = (),
    dem_units: str | None = None,
    roles: Mapping[str, str] | None = None,
    assume_crs: str | None = None,
) -> Measured:
    """Measure everything that the inputs allow, without any law (parameters and errors as for `review`)."""
    return Measured(*measure_inputs(_inputs(plan, layers, layer, dem, dem_units, roles, assume_crs)))


def _inputs(
    plan: tuple[str | Path, ...],
    layers: str | Path | None,
    layer: Mapping[str, str | Path] | None,
    dem: Sequence[str | Path],
    dem_units: str | None,
    roles: Mapping[str, str] | None,
    assume_crs: str | None,
) -> Inputs:
    return Inputs(
        tuple(Path(path) for path in plan),
        Path(layers) if layers else None,
        tuple((role, Path(file)) for role, file in (layer or {}).items()),
        tuple(Path(file) for file in dem),
        dem_units,
        roles or {},
        assume_crs,
    )


def _frame(rows: list[dict[str, Any]], where: Iterable[BaseGeometry | None], frame: Frame) -> gpd.GeoDataFrame:
    import geopandas as gpd  # noqa: PLC0415

    if not frame.placed:  # metres of the plan's own: nobody knows where they lie
        return gpd.GeoDataFrame(rows, geometry=list(where), crs=None)
    geometries = [None if shape is None else frame.unproject(shape) for shape in where]
    return gpd.GeoDataFrame(rows, geometry=geometries, crs="EPSG:4326")

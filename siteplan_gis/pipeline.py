"""The workbench: paths and options to a measured or reviewed site."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Final

import shapely

from siteplan_gis.crs import use_grids
from siteplan_gis.errors import InputError
from siteplan_gis.ingest.plan.vectors import read_plan
from siteplan_gis.ingest.records.overrides import ignored_overrides, overrides_beside, read_overrides
from siteplan_gis.ingest.reference.catalogue import Catalogue, entries_from_options, read_catalogue
from siteplan_gis.measuring.ground import shapes
from siteplan_gis.model.flag import Flag
from siteplan_gis.model.layers import LAYER_ROLES
from siteplan_gis.model.measurement import Measurements, Method
from siteplan_gis.model.review import Review, Status
from siteplan_gis.model.site import Site
from siteplan_gis.ordinances.reader import read_ordinance, shipped

if TYPE_CHECKING:
    from datetime import date

    from shapely.geometry.base import BaseGeometry

    from siteplan_gis.frame import Frame
    from siteplan_gis.ingest.elevation.terrain import DemFile
    from siteplan_gis.ingest.reference.catalogue import LayerEntry
    from siteplan_gis.model.layers import ReferenceLayer
    from siteplan_gis.model.ordinance import Ordinance
    from siteplan_gis.model.permit import PermitRecord
    from siteplan_gis.model.plan import Plan
    from siteplan_gis.model.soil_loss import SoilLossInputs
    from siteplan_gis.model.terrain import Terrain

Progress = Callable[[str], None]

TERRAIN_MARGIN_M: Final = 900.0
"""Elevation is read this far around the plan: a quarter mile of flow, and room for it to find its way."""


@dataclass(frozen=True, slots=True)
class Inputs:
    """What a command was given: a plan and the evidence to compare it with."""

    plan: tuple[Path, ...]
    layers: Path | None = None
    layer: tuple[tuple[str, Path], ...] = ()
    dem: tuple[Path, ...] = ()
    dem_units: str | None = None
    roles: Mapping[str, str] = field(default_factory=dict)
    assume_crs: str | None = None
    overrides: Path | None = None
    permit: Path | None = None
    soil_loss: Path | None = None


def review_inputs(inputs: Inputs, ordinance: str | Path | None, on: date, progress: Progress | None = None) -> Review:
    """Review what a command was given, as of a day."""
    tell = progress or _quiet
    tell("reading the plan")
    plan, frame = read_plan(inputs.plan, roles=inputs.roles, assume_crs=inputs.assume_crs)
    law = chosen_ordinance(ordinance, plan)
    catalogue = _catalogue(inputs, law.id, plan)
    site = gather(
        inputs,
        plan,
        frame,
        catalogue,
        law.method,
        tell,
        airports=any(rule.check.startswith("airport") for rule in law.rules),
    )
    decided = inputs.overrides or overrides_beside(inputs.plan)
    decisions, decisions_from = read_overrides(decided) if decided is not None else ((), None)
    permit, soil_loss = _permit(inputs.permit), _soil_loss(inputs.soil_loss)
    tell("measuring and judging")
    from siteplan_gis.reviewing import judge  # noqa: PLC0415

    reviewed = judge(site, law, on, software(), decisions, decisions_from, permit, soil_loss)
    flags = ignored_overrides(inputs.plan, decided)
    if decided is not None and inputs.overrides is None:
        text = f"the decisions of {decided.name} were used because it lies beside the plan: make sure that it is the reviewer's own"
        flags = (*flags, Flag("decisions_beside", text, decided.name))
    return replace(reviewed, flags=(*reviewed.flags, *flags))


def _permit(path: Path | None) -> PermitRecord | None:
    if path is None:
        return None
    from siteplan_gis.ingest.records.permit_record import read_permit_record  # noqa: PLC0415

    return read_permit_record(path)


def _soil_loss(path: Path | None) -> SoilLossInputs | None:
    if path is None:
        return None
    from siteplan_gis.ingest.records.soil_loss_inputs import read_soil_loss_inputs  # noqa: PLC0415

    return read_soil_loss_inputs(path)


def measure_inputs(inputs: Inputs, progress: Progress | None = None) -> tuple[Measurements, Site]:
    """Every measurement that the inputs allow, no law."""
    tell = progress or _quiet
    tell("reading the plan")
    plan, frame = read_plan(inputs.plan, roles=inputs.roles, assume_crs=inputs.assume_crs)
    catalogue = _catalogue(inputs, "", plan)
    site = gather(inputs, plan, frame, catalogue, Method(), tell, airports=False)
    tell("measuring")
    from siteplan_gis.measuring.survey import take_measurements  # noqa: PLC0415

    return take_measurements(site), site


def chosen_ordinance(ordinance: str | Path | None, plan: Plan) -> Ordinance:
    """The ordinance that was asked for, or that the manifest names.

    Raises
    ------
    InputError
        If neither names one.
    """
    chosen = ordinance or plan.ordinance
    if not chosen:
        raise InputError("no ordinance is named", remedy=f"give --ordinance {'|'.join(shipped())} or a file")
    if not ordinance and chosen not in shipped():
        # The manifest comes from the applicant: it may choose a shipped ordinance, never a file.
        raise InputError(
            f"the manifest names an unknown ordinance {chosen!r}", remedy=f"use one of {', '.join(shipped())}"
        )
    return read_ordinance(chosen)


def gather(
    inputs: Inputs,
    plan: Plan,
    frame: Frame,
    catalogue: Catalogue | None,
    method: Method,
    tell: Progress,
    *,
    airports: bool,
) -> Site:
    """Read everything around the plan: reference layers by window, elevation by window."""
    if plan.only_sheets:
        reason = "only sheets were given, which have no ground to measure: give the drawing or GIS layers, too"
        return Site(frame, plan, {}, None, dict.fromkeys((*LAYER_ROLES, "dem"), reason), ())
    shape = shapes(plan)
    drawn = [ground for ground in shape.values() if not ground.is_empty] or [
        feature.geometry for feature in plan.features
    ]
    if not drawn:
        raise InputError("the plan holds no feature with a known role", file=str(inputs.plan[0]),
                         remedy="give roles with --role LAYER=ROLE; see siteplan-gis inspect")  # fmt: skip
    ground = shapely.union_all(drawn)
    _refuse_invented(plan, catalogue)
    if not frame.placed:
        reason = "where the plan lies on the earth is not known (give its coordinate system)"
        return Site(frame, plan, {}, None, dict.fromkeys((*LAYER_ROLES, "dem"), reason), ())
    if catalogue is not None and catalogue.proj_grids is not None:
        use_grids(catalogue.proj_grids)
    entries = [*(catalogue.layers if catalogue is not None else ()), *entries_from_options(inputs.layer)]
    layers = _read_layers(entries, frame, ground, method, tell)
    if airports and "airports" not in layers:
        from siteplan_gis.ingest.reference.airports import airports_near  # noqa: PLC0415

        layers["airports"] = (airports_near(frame, 16_093.44),)
    terrain = _read_terrain(inputs, catalogue, frame, _around(plan, ground), tell)
    invented = [layer.label for given in layers.values() for layer in given if layer.invented]
    told = [plan.name or "the plan"] * plan.invented + invented
    flags = (Flag("invented_ground", f"invented to demonstrate the program: {', '.join(told)}"),) * bool(told)
    return Site(frame, plan, layers, terrain, {}, flags)


def _around(plan: Plan, ground: BaseGeometry) -> BaseGeometry:
    outfalls = [feature.geometry for feature in plan.of("outfall")]
    return shapely.union_all([ground, *outfalls])


def _read_layers(
    entries: Sequence[LayerEntry], frame: Frame, ground: BaseGeometry, method: Method, tell: Progress
) -> dict[str, tuple[ReferenceLayer, ...]]:
    layers: dict[str, tuple[ReferenceLayer, ...]] = {}
    if not entries:
        return layers
    from siteplan_gis.ingest.reference.layers import read_layer  # noqa: PLC0415

    for entry in entries:
        tell(f"reading {entry.title or entry.path.name}")
        layers[entry.role] = (*layers.get(entry.role, ()), read_layer(entry, frame, ground, method.search_m))
    return layers


def _read_terrain(
    inputs: Inputs, catalogue: Catalogue | None, frame: Frame, around: BaseGeometry, tell: Progress
) -> Terrain | None:
    files = dem_files(inputs.dem, inputs.dem_units, catalogue)
    if not files:
        return None
    from siteplan_gis.ingest.elevation.terrain import read_terrain  # noqa: PLC0415

    tell("reading the elevation model")
    return read_terrain(files, frame, around, TERRAIN_MARGIN_M)


def dem_files(dem: Sequence[Path], units: str | None, catalogue: Catalogue | None) -> tuple[DemFile, ...]:
    """The elevation models that were given, else those of the catalogue."""
    from siteplan_gis.ingest.elevation.terrain import DemFile  # noqa: PLC0415
    from siteplan_gis.ingest.reference.stamps import dated, refuse_changed  # noqa: PLC0415

    if dem:
        return tuple(DemFile(path, units, "option" if units else "") for path in dem)
    entries = catalogue.dems if catalogue is not None else ()
    for entry in entries:
        refuse_changed(entry.path, entry.stamp)
    return tuple(
        DemFile(
            entry.path,
            units or entry.units or None,
            "option" if units else "catalogue" if entry.units else "",
            entry.crs or None,
            entry.title,
            entry.source,
            dated(entry.date, entry.stamp),
            entry.licence,
            entry.vertical_accuracy_m,
            entry.invented,
        )
        for entry in entries
    )


def _catalogue(inputs: Inputs, ordinance: str, plan: Plan) -> Catalogue | None:
    if inputs.layers is not None:
        return read_catalogue(inputs.layers)
    if ordinance and not inputs.layer:
        for folder in (Path.cwd(), Path(__file__).parents[1]):
            # Never out of what was submitted: the applicant does not choose the evidence.
            submitted = any(folder.resolve().is_relative_to(path.resolve()) for path in inputs.plan)
            if not submitted and (folder / "layers" / ordinance / "layers.toml").is_file():
                found = read_catalogue(folder / "layers" / ordinance)
                # Nobody asked for these: layers of invented ground are no evidence about a real plan.
                return found if plan.invented or not found.invented else None
    return None


def _refuse_invented(plan: Plan, catalogue: Catalogue | None) -> None:
    if catalogue is not None and catalogue.invented and not plan.invented:
        raise InputError(
            "these layers show invented ground, made to demonstrate the program, but the plan is not marked as invented",
            file=str(catalogue.path), remedy="give real layers with --layers",
        )  # fmt: skip


def exit_code(review: Review, fail_on: str = "fail") -> int:
    """The exit code: 3 after a crash, 1 at or above `fail_on`, 3 where something could not be checked, else 0."""
    statuses = {finding.status for finding in review.findings}
    if Status.ERROR in statuses or review.measured.faults:
        return 3
    failing = {"fail": {Status.FAIL}, "needs_review": {Status.FAIL, Status.NEEDS_REVIEW}, "never": set()}[fail_on]
    if statuses & failing:
        return 1
    return 3 if Status.NOT_CHECKED in statuses or not statuses else 0


def software() -> dict[str, str]:
    """Versions of everything that reads or measures, for the report."""
    import pyogrio  # noqa: PLC0415
    import pyproj  # noqa: PLC0415
    import rasterio  # noqa: PLC0415

    return {
        "siteplan_gis": version("siteplan-gis"),
        "fiona (plans, with its own GDAL)": version("fiona"),
        "ezdxf (drawings)": version("ezdxf"),
        "GDAL (layers, pyogrio)": pyogrio.__gdal_version_string__,
        "GDAL (elevation, rasterio)": rasterio.__gdal_version__,
        "PROJ": pyproj.proj_version_str,
        "GEOS": shapely.geos_version_string,
        "PDFium (sheets, pypdfium2)": version("pypdfium2"),
        "pypdf (sheets)": version("pypdf"),
        "Pillow (pictures of sheets)": version("pillow"),
    }


def _quiet(_: str) -> None:
    return None

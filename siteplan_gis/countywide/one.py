"""One parcel, or a few: from a file, or by a point in a layer of parcels."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import shapely

from siteplan_gis.countywide.surroundings import Evidence, gather_around, place_of
from siteplan_gis.crs import use_grids
from siteplan_gis.errors import InputError
from siteplan_gis.frame import frame_of_place
from siteplan_gis.ingest.reference.catalogue import entries_from_options, read_catalogue
from siteplan_gis.ingest.reference.parcel_index import index_parcels, read_indexed
from siteplan_gis.ingest.reference.rows import find_layer
from siteplan_gis.model.measurement import Method
from siteplan_gis.model.screening import Asked, Screening
from siteplan_gis.ordinances.reader import read_ordinance, shipped
from siteplan_gis.pipeline import dem_files
from siteplan_gis.prescreening import screen

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from siteplan_gis.ingest.reference.parcel_index import ParcelIndex
    from siteplan_gis.model.ordinance import Ordinance

_NEAR_M = 1.0


@dataclass(frozen=True, slots=True)
class ParcelsAsked:
    """What the command was given.

    Attributes
    ----------
    parcels
        The file of parcels; with `at`, the layer to find one in; None: the catalogue's layer of parcels.
    at, parcel
        Longitude and latitude of a place in the parcel, or its name; all parcels of the file where neither is given.
    ordinance
        To be told of wherever the parcels lie; empty for those of their municipalities only.
    invented
        True where the parcels themselves lie on invented ground, so that layers of it are no mistake.
    """

    parcels: Path | None
    layers: Path | None = None
    layer: tuple[tuple[str, Path], ...] = ()
    dem: tuple[Path, ...] = ()
    dem_units: str | None = None
    at: tuple[float, float] | None = None
    parcel: str = ""
    id_field: str = ""
    where: str = ""
    assume_crs: str = ""
    ordinance: str = ""
    invented: bool = False
    asked: Asked = field(default_factory=Asked)


def evidence_of(given: ParcelsAsked) -> tuple[Evidence, Path]:
    """The layers and elevations that were given, and the file of parcels.

    Raises
    ------
    InputError
        If a file cannot be used, no parcels are named, or layers of invented ground meet parcels that are not.
    """
    catalogue = read_catalogue(given.layers) if given.layers is not None else None
    entries = (*(catalogue.layers if catalogue is not None else ()), *entries_from_options(given.layer))
    grids = catalogue.proj_grids if catalogue is not None else None
    if grids is not None:
        use_grids(grids)
    dems = dem_files(given.dem, given.dem_units, catalogue)
    of_catalogue = next((entry for entry in entries if entry.role == "parcels"), None)
    path = given.parcels or (of_catalogue.path if of_catalogue is not None else None)
    if path is None:
        raise InputError("no parcels are named", remedy="name a file of parcels, or give --layers with one")
    own = of_catalogue is not None and of_catalogue.invented and path.resolve() == of_catalogue.path.resolve()
    shown = [entry.label for entry in entries if entry.invented] + [
        dem.title or dem.path.name for dem in dems if dem.invented
    ]
    if shown and not (given.invented or own):
        raise InputError(
            f"these layers show invented ground, made to demonstrate the program: {', '.join(shown[:3])}",
            file=str(given.layers or path), remedy="give real layers, or --invented where the parcels are invented, too",
        )  # fmt: skip
    return Evidence(entries, dems, grids), path


def laws(named: str) -> tuple[tuple[Ordinance, ...], Method]:
    """Every shipped ordinance (and the one named), and the method that measures for all of them."""
    ids = shipped()
    ordinances = [read_ordinance(one) for one in ids]
    if named and named not in ids:
        from pathlib import Path  # noqa: PLC0415

        ordinances.append(read_ordinance(Path(named)))
    methods = {one.method for one in ordinances}
    chosen = next((one.method for one in ordinances if one.id == named), None)
    return tuple(ordinances), chosen or (methods.pop() if len(methods) == 1 else Method())


def asked_rows(given: ParcelsAsked) -> int:
    """How many parcels are asked about.

    Raises
    ------
    InputError
        If the file cannot be used, or holds none.
    """
    if given.at is not None or given.parcel:
        return 1
    count = find_layer(evidence_of(given)[1]).features
    if not count:
        raise InputError("the file holds no parcels", file=str(given.parcels or given.layers))
    return count


def screen_few(given: ParcelsAsked, tell: Callable[[str], None] = lambda _: None) -> tuple[Screening, ...]:
    """Screen one parcel, or every parcel of a small file, each with everything listed.

    Raises
    ------
    InputError
        If an input cannot be used, or no parcel lies at the given place.
    """
    evidence, path = evidence_of(given)
    tell("reading the parcels")
    index = index_parcels(path, given.id_field, given.where, given.assume_crs)
    rows = chosen_rows(index, given)
    ordinances, method = laws(given.ordinance)
    found: list[Screening] = []
    for row in rows.tolist():
        tell(f"parcel {index.ids[row]}")
        found += screen_rows(index, [row], evidence, ordinances, method, given)
    return tuple(found)


def screen_rows(
    index: ParcelIndex,
    rows: Sequence[int],
    evidence: Evidence,
    ordinances: Sequence[Ordinance],
    method: Method,
    given: ParcelsAsked,
) -> tuple[Screening, ...]:
    """Screen rows of the index that belong to one place of the net."""
    known: NDArray[np.bool_] = np.isfinite(index.lonlat[:, 0] + index.lonlat[:, 1])
    screened = [
        Screening(one, None)
        for one in index.of(np.array([row for row in rows if not known[row]], dtype=np.int64)).named()
    ]
    usable = [row for row in rows if known[row]]
    if usable:
        frame = frame_of_place(*index.lonlat[usable[0]].tolist())
        parcels = read_indexed(index, usable, frame)
        told = [parcel for parcel in parcels if not parcel.left_out]
        if told:
            site = gather_around(told, evidence, given.asked, method)
            screened += screen(told, site, place_of(frame), ordinances, given.asked, method, given.ordinance)
        screened += [Screening(parcel, None) for parcel in parcels if parcel.left_out]
    return tuple(sorted(screened, key=lambda one: one.parcel.row))


def chosen_rows(index: ParcelIndex, given: ParcelsAsked) -> NDArray[np.int64]:
    """The rows that were asked for: the one at a place or of a name, else all.

    Raises
    ------
    InputError
        If there is none.
    """
    if given.at is not None:
        return _rows_at(index, given.at)
    if not given.parcel:
        return np.arange(len(index))
    rows = np.flatnonzero((index.given == given.parcel) | (index.ids == given.parcel))
    if not len(rows):
        raise InputError(f"there is no parcel {given.parcel!r}", file=index.found.path.name, layer=index.found.layer,
                         remedy="give the name as the file has it, or its field with --id")  # fmt: skip
    return rows


def _rows_at(index: ParcelIndex, at: tuple[float, float]) -> NDArray[np.int64]:
    """The row of the parcel that holds a place in degrees: the smallest of several."""
    lonlat = np.array([at], dtype=np.float64)
    source = index.source
    x, y = source.xy(lonlat)[0]
    boxes = index.boxes
    margin = _NEAR_M / (source.metres_per_unit or 111_320.0)
    inside = (
        (boxes[:, 0] - margin <= x)
        & (boxes[:, 2] + margin >= x)
        & (boxes[:, 1] - margin <= y)
        & (boxes[:, 3] + margin >= y)
    )
    rows = np.flatnonzero(inside & (index.left_out == ""))
    frame = frame_of_place(*at)
    place = shapely.Point(frame.from_lonlat(lonlat)[0])
    if len(rows):
        parcels = read_indexed(index, rows, frame)
        held = [one for one in parcels if not one.geometry.is_empty and one.geometry.distance(place) <= 0]
        if held:
            return np.array([min(held, key=lambda one: one.geometry.area).row])
    raise InputError(
        f"no parcel lies at {at[0]:.6f}, {at[1]:.6f}", file=index.found.path.name, layer=index.found.layer,
        remedy="give longitude first, in degrees; or name a layer that holds the parcel",
    )  # fmt: skip

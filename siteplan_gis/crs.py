"""Where a file's numbers lie on the earth, or a refusal to guess.

The datum policy: every datum on the GRS 80 or WGS 84 ellipsoid (NAD83 of 1986, HARN, 2011; WGS 84) is treated as one,
with a recorded tolerance of 1.5 m. An offline PROJ would otherwise move HARN data by a phantom 1.017 m. Any other datum
(NAD27 above all) needs its published transformation, grid included; without it the data are refused.
"""

from __future__ import annotations

import json
import math
import os
import re
import warnings
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np
import pyproj.datadir
from pyproj import CRS, Geod, Transformer
from pyproj.exceptions import CRSError as PyprojCRSError
from pyproj.exceptions import ProjError
from pyproj.transformer import TransformerGroup

from siteplan_gis.errors import CrsError

if TYPE_CHECKING:
    from numpy.typing import NDArray

ONE_DATUM_TOLERANCE_M: Final = 1.5
GRIDS_VARIABLE: Final = "SITEPLAN_PROJ_GRIDS"
_LARGEST_SHIFT_ERROR_M: Final = 2.0
_GRS_80: Final = (6_378_137.0, 298.257)
_SAME_AXIS_M, _SAME_FLATTENING = 1.0, 0.01
_NO_ANGLE: Final = 1e-12
_LONGEST: Final = 20_000
"""Letters of a definition; the longest of EPSG's has 4,000, and PROJ takes all memory over what is nested deeply."""
_NAMES_A_FILE: Final = re.compile(
    r"""(?ix) \b(?:\w*_)?(?:grids|model|file|catalog) ["']? \s* [=:]      # operations by a file of one's own
    | \b init ["']? \s* [=:] \s* ["']? (?! epsg: | esri: )
    | \b(?:nad|geoid)grids ["']? \s* [=:] \s* ["']? [^\s"'\]}]* [/\\~]""",
)
"""What would have PROJ open a file that the definition names."""

AxisOrder = Literal["xy", "yx"]


@dataclass(frozen=True, slots=True)
class Georeference:
    """How coordinates of one file reach longitude and latitude (degrees, the one NAD83-WGS 84 datum) and back.

    Attributes
    ----------
    name
        The CRS as its authority code, or as its own name where it has none.
    metres_per_unit
        The CRS's unit factor; None for degrees.
    datum_tolerance_m
        How far positions may be off because datums are treated as one, in metres.
    notes
        What a reader of the result should know about this CRS.
    axis_order
        "yx" where the file writes latitude or northing first.
    """

    crs: CRS
    name: str
    metres_per_unit: float | None
    datum_tolerance_m: float
    notes: tuple[str, ...]
    axis_order: AxisOrder
    _to_lonlat: Transformer = field(repr=False, compare=False)

    def lonlat(self, xy: NDArray[np.float64]) -> NDArray[np.float64]:
        """Longitude and latitude in degrees, shape (n, 2), of coordinates as the file writes them."""
        x, y = (xy[:, 0], xy[:, 1]) if self.axis_order == "xy" else (xy[:, 1], xy[:, 0])
        return np.column_stack(self._to_lonlat.transform(x, y))

    def xy(self, lonlat: NDArray[np.float64]) -> NDArray[np.float64]:
        """The file's own coordinates, shape (n, 2), of longitudes and latitudes in degrees."""
        x, y = self._to_lonlat.transform(lonlat[:, 0], lonlat[:, 1], direction="INVERSE")
        return np.column_stack((x, y) if self.axis_order == "xy" else (y, x))


def georeference(definition: Any, axis_order: AxisOrder = "xy") -> Georeference:
    """Understand a CRS given as EPSG code, WKT, PROJ text or `pyproj.CRS`.

    Raises
    ------
    CrsError
        If the text is no CRS, is not tied to the earth, or needs a datum shift that this machine does not have.

    Examples
    --------
    >>> georeference("EPSG:2289").name
    'EPSG:2289'
    >>> round(georeference("EPSG:2289").metres_per_unit, 10)
    0.3048006096
    """
    crs = understood(definition)
    try:
        return _georeference(crs.to_wkt(), axis_order)
    except ProjError as error:  # a definition that PROJ understands and cannot carry out
        problem = f"its coordinate system cannot be used ({str(error)[:120]})"
        raise CrsError(problem, remedy="give the real one as EPSG:n") from None


def understood(definition: Any) -> CRS:
    """A CRS as PROJ reads it, of a definition that makes it open no file and is not endless.

    Raises
    ------
    CrsError
        If the text is no CRS, or names a file.
    """
    text = str(definition)
    no_crs = CrsError(f"{text[:80]!r} is not a coordinate system", remedy="name it like EPSG:7613")
    if isinstance(definition, str):
        if len(text) > _LONGEST:
            raise CrsError(
                f"a coordinate system of more than {_LONGEST:,} letters is not read", remedy="name it like EPSG:7613"
            )
        try:
            if text.lstrip()[:1] == "{":
                # What is escaped in JSON would hide a file's name.
                text = definition = json.dumps(json.loads(text), ensure_ascii=False)
        except (ValueError, RecursionError):
            raise no_crs from None
    if _NAMES_A_FILE.search(text):
        raise CrsError(f"{text[:80]!r} names a file to compute with", remedy="give the real one as EPSG:n")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # of "+init=epsg:n", which older programs write
        try:
            return CRS.from_user_input(definition)
        except (PyprojCRSError, UnicodeError):
            raise no_crs from None


@cache
def _georeference(wkt: str, axis_order: AxisOrder) -> Georeference:
    crs = _horizontal(CRS.from_wkt(wkt))
    name = _name(crs)
    if "PARAMETERFILE" in crs.to_wkt():
        raise CrsError(f"{name} names a file to compute with", remedy="give the real one as EPSG:n")
    if not (crs.is_geographic or crs.is_projected):
        raise CrsError(f"{name} is a local or unusual coordinate system", remedy="give the real one as EPSG:n")
    if crs.prime_meridian is not None and abs(crs.prime_meridian.longitude) > _NO_ANGLE:
        raise CrsError(f"{name} does not count from Greenwich", remedy="reproject the file")
    geodetic = crs.geodetic_crs
    degrees = geodetic is not None and all(
        math.isclose(axis.unit_conversion_factor, math.radians(1), rel_tol=1e-9) for axis in geodetic.axis_info
    )
    if not degrees or (crs.is_geographic and crs.is_derived):
        raise CrsError(f"{name} does not rest on plain longitude and latitude in degrees", remedy="reproject the file")
    unit = crs.axis_info[0].unit_conversion_factor if crs.axis_info else 1.0
    tolerance, notes, transformer = _datum(crs, name)
    return Georeference(crs, name, None if crs.is_geographic else unit, tolerance, notes, axis_order, transformer)


def _name(crs: CRS) -> str:
    """The EPSG code, or the name where there is no code; of an unknown datum any code would be a guess."""
    code = None if _is_unknown_datum(crs) else crs.to_epsg()
    return f"EPSG:{code}" if code else crs.name


def _is_unknown_datum(crs: CRS) -> bool:
    datum = crs.datum.name.lower() if crs.datum is not None else ""
    return not datum.strip() or "unknown" in datum or "not specified" in datum or "unnamed" in datum


def _horizontal(crs: CRS) -> CRS:
    """The two-dimensional part of a compound, bound or three-dimensional CRS."""
    while True:
        if crs.is_bound and crs.source_crs is not None:
            crs = crs.source_crs
        elif crs.is_compound:
            crs = crs.sub_crs_list[0]
        else:
            return crs.to_2d() if len(crs.axis_info) > 2 else crs  # noqa: PLR2004


def _datum(crs: CRS, name: str) -> tuple[float, tuple[str, ...], Transformer]:
    """Tolerance in metres, notes and the way to longitude and latitude."""
    geodetic = crs.geodetic_crs
    ellipsoid = crs.ellipsoid
    if geodetic is None or ellipsoid is None:
        raise CrsError(f"{name} names no datum", remedy="give the real one as EPSG:n")
    axis_m, inverse_flattening = _GRS_80
    if (
        abs(ellipsoid.semi_major_metre - axis_m) < _SAME_AXIS_M
        and abs(ellipsoid.inverse_flattening - inverse_flattening) < _SAME_FLATTENING
    ):
        unknown = _is_unknown_datum(crs)
        notes = (f"{name} names no datum; NAD83 or WGS 84 taken from its ellipsoid {ellipsoid.name}",) * unknown
        return ONE_DATUM_TOLERANCE_M, notes, Transformer.from_crs(crs, geodetic, always_xy=True)
    _use_more_grids()
    with warnings.catch_warnings():
        # It warns of grids for other parts of the continent; what is missing here is said below.
        warnings.simplefilter("ignore", UserWarning)
        group = TransformerGroup(crs, CRS.from_epsg(4269), always_xy=True)
    for shift in group.transformers:
        by_grid = any(grid.available for operation in shift.operations or () for grid in operation.grids)
        if by_grid and 0 <= shift.accuracy <= _LARGEST_SHIFT_ERROR_M:
            notes = (f"{name} shifted to NAD83 by {shift.description} (accuracy {shift.accuracy:g} m)",)
            return ONE_DATUM_TOLERANCE_M + shift.accuracy, notes, shift
    wanted = sorted({grid.short_name for op in group.unavailable_operations for grid in op.grids if not grid.available})
    american = [grid for grid in wanted if grid.startswith("us_noaa_")] or wanted
    put = f"put {' or '.join(american[:3])} in a folder named by {GRIDS_VARIABLE}, or " if wanted else ""
    raise CrsError(
        f"{name} lies on another datum ({geodetic.name}) and the shift to NAD83 is not on this machine",
        remedy=f"{put}reproject the file to NAD83",
    )


def ellipsoid_lengths_m(first: NDArray[np.float64], second: NDArray[np.float64]) -> NDArray[np.float64]:
    """Lengths in metres along the ellipsoid (GRS 80) between places given as longitude and latitude, shape (n, 2).

    Examples
    --------
    >>> lengths = ellipsoid_lengths_m(np.array([[-88.0, 43.0]]), np.array([[-88.0, 43.01]]))
    >>> round(float(lengths[0]), 1)
    1110.9
    """
    return np.asarray(Geod(ellps="GRS80").inv(first[:, 0], first[:, 1], second[:, 0], second[:, 1])[2])


def use_grids(folder: str | os.PathLike[str]) -> None:
    """Let PROJ find datum shift grids in a folder, besides the one that the environment names.

    Raises
    ------
    CrsError
        If there is no such folder.
    """
    if not os.path.isdir(folder):  # noqa: PTH112
        raise CrsError("there is no such folder of datum shift grids", file=os.fspath(folder))
    if os.fspath(folder) not in pyproj.datadir.get_data_dir().split(os.pathsep):
        pyproj.datadir.append_data_dir(os.fspath(folder))


@cache
def _use_more_grids() -> None:
    folder = os.environ.get(GRIDS_VARIABLE, "")
    if folder:
        use_grids(folder)

"""Sheets that are pictures: their resolution, their place on the earth, and so their scale. No word is recognised."""

from __future__ import annotations

import math
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from PIL import Image, UnidentifiedImageError
from rasterio.transform import from_gcps

from siteplan_gis.crs import georeference
from siteplan_gis.errors import CrsError, InputError
from siteplan_gis.ingest.elevation.rasters import open_raster
from siteplan_gis.measures.sheets.ground_scale import GRID_TO_GROUND, scale_between
from siteplan_gis.model.sheet import ScaleEvidence, Sheet
from siteplan_gis.units import FOOT_M

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

PICTURES: Final = {
    **dict.fromkeys((".tif", ".tiff"), ("GTiff",)),
    **dict.fromkeys((".jpg", ".jpeg"), ("JPEG",)),
    ".png": ("PNG",),
}
"""What a picture of a sheet may be, by the end of its name."""

_X_RESOLUTION, _Y_RESOLUTION, _RESOLUTION_UNIT = 282, 283, 296
_PER_INCH: Final = {2: 1.0, 3: 2.54}
"""TIFF's and Exif's units of resolution: to the inch and to the centimetre. Unit 1 is none at all."""
_JFIF_PER_INCH: Final = {1: 1.0, 2: 2.54}
_LARGEST_PAPER_IN: Final = 72.0
_OUTSIDE_DEGREES: Final = 2.0
_PICTURE: Final = "the sheet is a picture: its words were not read, for text in pictures is not recognised"
_ASK_RESOLUTION: Final = "so its size on paper is not known"


def read_picture(path: Path, label: str, crs: str = "") -> list[Sheet]:
    """The one sheet of a picture; `crs` is that of a world file, where the user gives it.

    Raises
    ------
    InputError
        If it is damaged, or no picture but a grid of measurements.
    """
    name = PurePath(label).stem
    with open_raster(path, PICTURES) as dataset:
        if any(kind not in {"uint8", "uint16"} for kind in dataset.dtypes):
            raise InputError(
                f"holds measurements ({dataset.dtypes[0]}), not a picture of a sheet",
                file=label,
                remedy="give elevation models with --dem",
            )
        columns, rows = int(dataset.width), int(dataset.height)
        corners, place = _corners(dataset, columns, rows)
        reference = crs or dataset.crs or dataset.gcps[1]
    per_inch, told = _resolution(path, label)
    notes = [_PICTURE, *told]
    size: tuple[float | None, float | None] = (None, None)
    evidence: tuple[ScaleEvidence, ...] = ()
    if per_inch is not None:
        size = columns / per_inch[0], rows / per_inch[1]
        if max(columns / per_inch[0], rows / per_inch[1]) > _LARGEST_PAPER_IN:
            notes.append(
                f"its resolution tag ({per_inch[0]:g} dots to the inch) would make it {size[0]:,.0f} x {size[1]:,.0f} in, "
                f"larger than plan paper: the tag was not used, {_ASK_RESOLUTION}"
            )
            size, per_inch = (None, None), None
    if corners is None:
        notes.append("it is not placed on the earth: it has no georeference and no world file")
    elif per_inch is not None:
        scale, problem = _scale(corners, place, reference, per_inch)
        if scale is not None:
            where = f"{columns} x {rows} ground pixels at {per_inch[0]:g} dots to the inch"
            evidence = (ScaleEvidence("raster", *scale, where),)
        notes += problem
    return [Sheet(name, file=label, width_in=size[0], height_in=size[1], evidence=evidence, notes=tuple(notes))]


def _resolution(path: Path, label: str) -> tuple[tuple[float, float] | None, list[str]]:
    """Dots to the inch across and down as the file itself tells; None where it does not: none is assumed."""
    Image.MAX_IMAGE_PIXELS = None  # only headers are read
    try:
        with Image.open(path, formats=["TIFF", "JPEG", "PNG"]) as image:
            notes = []
            if getattr(image, "n_frames", 1) > 1:
                notes.append(f"it holds {getattr(image, 'n_frames', 1)} pages, of which the first was read")
            x, y, per_unit, written = _tags(image)
    except (UnidentifiedImageError, OSError, ValueError, SyntaxError, ZeroDivisionError, OverflowError):
        raise InputError("is damaged, or no picture", file=label, remedy="export it again") from None
    if x is None or y is None:
        return None, [*notes, f"it has no resolution tag, {_ASK_RESOLUTION}"]
    if per_unit is None:
        return None, [*notes, f"its resolution tag ({written}) names no unit of length, {_ASK_RESOLUTION}"]
    across, down = x * per_unit, y * per_unit
    if not (math.isfinite(across) and math.isfinite(down) and across > 0 and down > 0):
        return None, [*notes, f"its resolution tag ({written}) is no number above zero, {_ASK_RESOLUTION}"]
    return (across, down), notes


def _tags(image: Any) -> tuple[float | None, float | None, float | None, str]:
    """Resolution across and down, what makes it one to the inch (None without unit), and as it is written.

    Pillow's own `dpi` is not asked: it is 1 or 72 where a file tells none.
    """
    if image.format == "PNG":
        dpi = image.info.get("dpi")
        return (*dpi, 1.0, f"{dpi[0]:g} x {dpi[1]:g}") if dpi else (None, None, None, "")
    if image.format == "JPEG" and image.info.get("jfif_unit") in _JFIF_PER_INCH:
        x, y = image.info["jfif_density"]
        return float(x), float(y), _JFIF_PER_INCH[image.info["jfif_unit"]], f"{x} x {y}"
    tags = image.tag_v2 if image.format == "TIFF" else image.getexif()
    x, y = _number(tags.get(_X_RESOLUTION)), _number(tags.get(_Y_RESOLUTION))
    # Inches are TIFF's own default where the unit is left out.
    return x, y, _PER_INCH.get(tags.get(_RESOLUTION_UNIT, 2)), f"{x} x {y}"


def _number(value: Any) -> float | None:
    try:
        return None if value is None else float(value)
    except ZeroDivisionError:
        return math.nan


def _corners(dataset: Any, columns: int, rows: int) -> tuple[NDArray[np.float64] | None, NDArray[np.float64]]:
    """Places of the picture's corners in its CRS, and in pixels; None where it has no place."""
    pixels = np.array([[0, 0], [columns, 0], [columns, rows], [0, rows]], dtype=float)
    transform = dataset.transform
    points = dataset.gcps[0]
    if transform.is_identity:
        if len(points) < 3:  # noqa: PLR2004
            return None, pixels
        transform = from_gcps(points)
    ground = pixels @ np.array([[transform.a, transform.d], [transform.b, transform.e]]) + [transform.c, transform.f]
    return (ground if np.isfinite(ground).all() else None), pixels


def _scale(
    ground: NDArray[np.float64],
    pixels: NDArray[np.float64],
    reference: Any,
    per_inch: Sequence[float],
) -> tuple[tuple[float, float] | None, list[str]]:
    page = pixels / np.array(per_inch)
    if not reference:
        return None, ["its place names no coordinate system, so the unit of its pixels is not known: give it with crs"]
    try:
        told = georeference(reference.to_wkt() if hasattr(reference, "to_wkt") else reference)
        lonlat = told.lonlat(ground)
        if not _in_use(told.crs.area_of_use, lonlat):
            return None, [f"it lies far outside the area of {told.name}: its place or its coordinate system is wrong"]
        scale = scale_between(page, lonlat)
    except CrsError:
        # For a length the datum does not matter; the unit does.
        unit_m = _unit(reference)
        scale = None if unit_m is None else _plain_scale(page, ground, unit_m)
    if scale is None:
        return None, ["its place on the earth gives no scale"]
    return scale, []


def _in_use(area: Any, lonlat: NDArray[np.float64]) -> bool:
    """Whether some corner lies in the area for which a coordinate system is made, or near it."""
    if area is None or area.west >= area.east:
        return True
    lon, lat = lonlat[:, 0], lonlat[:, 1]
    near = (area.west - _OUTSIDE_DEGREES <= lon) & (lon <= area.east + _OUTSIDE_DEGREES)
    return bool((near & (area.south - _OUTSIDE_DEGREES <= lat) & (lat <= area.north + _OUTSIDE_DEGREES)).any())


def _unit(reference: Any) -> float | None:
    try:
        return float(reference.linear_units_factor[1]) if reference.is_projected else None
    except (AttributeError, ValueError):
        return None


def _plain_scale(page: NDArray[np.float64], ground: NDArray[np.float64], unit_m: float) -> tuple[float, float] | None:
    inches = np.hypot(*(page - np.roll(page, 1, axis=0)).T)
    lengths = np.hypot(*(ground - np.roll(ground, 1, axis=0)).T) * unit_m / FOOT_M
    if not (inches.min() > 0 and lengths.min() > 0):
        return None
    scales = lengths / inches
    value = float(np.average(scales, weights=inches))
    return value, float(np.ptp(scales)) / 2 + GRID_TO_GROUND * value

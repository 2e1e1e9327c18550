"""CAD drawings brought to their place: unit, cut-off coordinates, ground to grid, or a place that nobody knows."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

import numpy as np

from siteplan_gis.crs import georeference
from siteplan_gis.errors import CrsError, InputError, UnitError
from siteplan_gis.ingest.drawn.placing import place
from siteplan_gis.model.flag import Flag
from siteplan_gis.units import FOOT_M, US_SURVEY_FOOT_M, metres_per

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from siteplan_gis.crs import Georeference
    from siteplan_gis.frame import Frame
    from siteplan_gis.ingest.drawn.drawing import CadPlace
    from siteplan_gis.ingest.drawn.placing import PlacedLayer

    Matrix = NDArray[np.float64]

_SAME_FOOT: Final = 1e-5
_EXACT: Final = 1e-9
_OUTSIDE_DEGREES: Final = 0.1
"""A drawing this far outside the area of its coordinate system has its coordinates cut off, or another system."""


@cache
def _own_plane() -> Georeference:
    """Metres of the drawing's own, as a plane that takes areas and lengths into the site frame unchanged."""
    return georeference("+proj=laea +lat_0=0 +lon_0=0 +ellps=GRS80 +units=m +no_defs +type=crs")


def place_drawing(layer: PlacedLayer, cad: CadPlace, assume_crs: str | None) -> None:
    """Find where a CAD layer lies and bring its numbers there; what hinders it is kept in `trouble`."""
    settings, drawn = layer.drawing, layer.drawn
    unit_m = metres_per(settings.units) if settings.units is not None else cad.unit_m
    if settings.units is not None and cad.unit_m is not None and abs(unit_m / cad.unit_m - 1) > _EXACT:  # type: ignore[operator]
        text = f"siteplan.toml gives the unit {settings.units}; that {cad.unit_said} was not used"
        layer.flags.append(Flag("unit_assumed", text, drawn.file))
    layer.height_m = unit_m
    given = layer.settings.crs or settings.crs
    if not (given or drawn.crs or assume_crs):
        _place_nowhere(layer, cad, unit_m)
        return
    place(layer, assume_crs)
    reference = layer.georeference
    if reference is None:
        return
    if drawn.crs and not given and cad.to_crs is not None:
        _move(layer, cad.to_crs)
        return
    factor, notes = _units_of_crs(unit_m, reference)
    layer.flags += [Flag(code, text, drawn.file) for code, text in notes]
    if layer.height_m is None:
        layer.height_m = reference.metres_per_unit
    scale = factor * settings.combined_factor
    matrix = np.array([[scale, 0.0, scale * settings.add_east], [0.0, scale, scale * settings.add_north]])
    layer.trouble = _unit_trouble(layer, cad, matrix, factor)
    if layer.trouble is not None:
        layer.georeference = None
        return
    _move(layer, matrix)


def _units_of_crs(unit_m: float | None, reference: Georeference) -> tuple[float, tuple[tuple[str, str], ...]]:
    """Units of the CRS in one of the drawing, and flags (code and words) where that needs saying."""
    own = reference.metres_per_unit
    if own is None:
        return 1.0, ()
    if unit_m is None:
        text = f"the drawing does not tell its unit; that of {reference.name} ({_unit_words(own)}) was taken"
        return 1.0, (("unit_assumed", text),)
    factor = unit_m / own
    if abs(factor - 1) < _EXACT:
        return 1.0, ()
    if abs(factor - 1) < _SAME_FOOT:
        # Nobody rescales state plane coordinates from one foot to the other: it would move them by feet.
        text = f"the drawing's linear unit is the {_unit_words(unit_m)}, that of {reference.name} the {_unit_words(own)}: its numbers were taken as they are"
        return 1.0, (("crs_note", text),)
    return factor, ()


def _unit_words(metres: float) -> str:
    names = {1.0: "metre", FOOT_M: "international foot", US_SURVEY_FOOT_M: "US survey foot"}
    return next((name for size, name in names.items() if abs(metres / size - 1) < _EXACT), f"unit of {metres:g} m")


def _unit_trouble(layer: PlacedLayer, cad: CadPlace, matrix: Matrix, factor: float) -> CrsError | None:
    """What is wrong where the drawing would lie outside its coordinate system."""
    reference = layer.georeference
    numbers = np.array([cad.middle])
    if reference is None or _inside(reference, _moved(numbers, matrix)):
        return None
    if factor == 1 or not _inside(reference, _moved(numbers, matrix / factor)):
        return CrsError(
            f"it lies outside {reference.name}: its coordinates are cut off, or of another system",
            file=layer.drawn.file,
            remedy=f'give add_east, add_north and, for ground coordinates, combined_factor under [drawing."{layer.drawn.file}"] '
            "in siteplan.toml, or the real coordinate system",
        )
    return CrsError(
        f"{cad.unit_said or 'its unit was given'}, but then it lies outside {reference.name}; in the unit of that system it lies inside",
        file=layer.drawn.file,
        remedy=f'say which is right: units = "us-ft", for example, under [drawing."{layer.drawn.file}"] in siteplan.toml',
    )


def _inside(reference: Georeference, xy: Matrix) -> bool:
    area = reference.crs.area_of_use
    lon, lat = reference.lonlat(xy)[0]
    if area is None or not np.isfinite((lon, lat)).all():
        return area is None
    off = _OUTSIDE_DEGREES
    return bool(area.west - off <= lon <= area.east + off and area.south - off <= lat <= area.north + off)


def _place_nowhere(layer: PlacedLayer, cad: CadPlace, unit_m: float | None) -> None:
    """Local coordinates: lengths and areas where the unit is known, and never a place."""
    drawn = layer.drawn
    how = f'crs = "EPSG:n" under [drawing."{drawn.file}"] in siteplan.toml, or --assume-crs EPSG:n'
    if unit_m is None:
        layer.trouble = UnitError(
            f"{cad.unit_doubt}, and no coordinate system is given",
            file=drawn.file,
            remedy=f'give units = "us-ft" (or "ft", "in", "m") and the place: {how}',
        )
        return
    layer.local = True
    layer.georeference = _own_plane()
    layer.crs_shown = f"local ({_unit_words(unit_m)})"
    text = (
        f"the drawing names no coordinate system: its acreages are told, and nothing that needs its place; give {how}"
    )
    layer.flags.append(Flag("place_unknown", text, drawn.file))
    x, y = cad.middle
    _move(layer, unit_m * np.array([[1.0, 0.0, -x], [0.0, 1.0, -y]]))


def _move(layer: PlacedLayer, matrix: Matrix) -> None:
    layer.matrix = matrix
    scale = float(np.sqrt(abs(np.linalg.det(matrix[:, :2]))))
    for feature in layer.drawn.features:
        if feature.drawing is not None:
            feature.drawing = feature.drawing.replaced([_moved(array, matrix) for array in feature.drawing.arrays()])
    if layer.drawn.mesh is not None:
        layer.drawn.mesh.xy = _moved(layer.drawn.mesh.xy, matrix)
    layer.drawn.texts = [text.moved(_moved(np.array([text.middle]), matrix)[0], scale) for text in layer.drawn.texts]


def _moved(xy: Matrix, matrix: Matrix) -> Matrix:
    return np.asarray(xy @ matrix[:, :2].T + matrix[:, 2])


def refuse_mixed_places(layers: Sequence[PlacedLayer]) -> None:
    """A drawing without a place makes no common plan with other files.

    Raises
    ------
    InputError
        If one of several files has no place.
    """
    local = list(dict.fromkeys(layer.drawn.file for layer in layers if layer.local))
    others = [layer.drawn.file for layer in layers if layer.drawn.file != local[0]] if local else []
    if others:
        raise InputError(
            f"names no coordinate system, so nobody knows how it lies to {others[0]}",
            file=local[0],
            remedy=f'give crs = "EPSG:n" under [drawing."{local[0]}"] in siteplan.toml, or review it alone',
        )


def unplaced(frame: Frame) -> Frame:
    """The frame of a plan whose place nobody knows."""
    return type(frame)(0.0, 0.0, placed=False)

"""The unit and the place of a CAD drawing, as far as the drawing tells them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from pyproj import CRS

from siteplan_gis.ingest.drawn.drawing import CadPlace
from siteplan_gis.units import FOOT_M, INCH_M, US_SURVEY_FOOT_M

if TYPE_CHECKING:
    from numpy.typing import NDArray

UNITS: Final = {
    1: ("inch", INCH_M), 2: ("foot", FOOT_M), 3: ("mile", 5280 * FOOT_M), 4: ("millimetre", 0.001),
    5: ("centimetre", 0.01), 6: ("metre", 1.0), 7: ("kilometre", 1000.0), 10: ("yard", 3 * FOOT_M), 14: ("decimetre", 0.1),
    21: ("US survey foot", US_SURVEY_FOOT_M), 22: ("US survey inch", US_SURVEY_FOOT_M / 12),
    23: ("US survey yard", 3 * US_SURVEY_FOOT_M), 24: ("US survey mile", 5280 * US_SURVEY_FOOT_M),
}  # fmt: skip
"""Codes of $INSUNITS that a site is drawn in: name, metres."""

_IMPERIAL: Final = frozenset({1, 2, 3, 10, 21, 22, 23, 24})
_GRID_TYPES: Final = frozenset({1, 2})
_BY_USER: Final = 2


def place_told(doc: Any, written: frozenset[str]) -> tuple[CadPlace, str, list[str]]:
    """Unit and place, the coordinate system that the drawing names ("" for none), and remarks for the reviewer.

    `written` names the header's variables that the file itself holds: the library fills in others, metres among them.
    """
    code = int(doc.header.get("$INSUNITS", 0)) if "$INSUNITS" in written else 0
    metric = doc.header.get("$MEASUREMENT", None) if "$MEASUREMENT" in written else None
    notes: list[str] = []
    unit_m, said, doubt = None, "", ""
    if code in UNITS:
        name, unit_m = UNITS[code]
        said = f"the drawing's unit is the {name} ($INSUNITS = {code})"
        if metric is not None and bool(metric) == (code in _IMPERIAL):
            system = "metric" if metric else "imperial"
            notes.append(f"{said}, though its hatches and line types are {system} ($MEASUREMENT = {metric})")
    elif code:
        doubt = f"the drawing's unit is none that a site is drawn in ($INSUNITS = {code})"
    else:
        why = "$INSUNITS = 0" if "$INSUNITS" in written else "there is no $INSUNITS"
        doubt = f"the drawing does not tell its unit ({why})"
    crs, matrix = "", None
    geodata = doc.modelspace().get_geodata()
    if geodata is not None:
        crs, matrix, note = _geodata(geodata, unit_m)
        notes += [note] * bool(note)
        if matrix is not None and unit_m is None:
            unit_m = float(geodata.dxf.horizontal_unit_scale)
            said, doubt = f"the drawing's GEODATA counts {unit_m:g} m to a unit", ""
    return CadPlace(unit_m, said, doubt, matrix), crs, notes


def _geodata(geodata: Any, unit_m: float | None) -> tuple[str, NDArray[np.float64] | None, str]:
    """The CRS of the GEODATA object, the matrix that leads there, and why it cannot be used."""
    if "<!" in geodata.coordinate_system_definition.replace("<!--", ""):
        return "", None, "its GEODATA has a DOCTYPE or declares entities and was not read"
    try:
        epsg, east_first = geodata.get_crs()
        crs = CRS.from_epsg(epsg)
    except Exception as error:  # noqa: BLE001  (the library reads XML of many programs)
        return "", None, f"its GEODATA names no coordinate system that can be used ({str(error)[:120]})"
    dxf = geodata.dxf
    if dxf.coordinate_type not in _GRID_TYPES or not crs.is_projected:
        return "", None, f"its GEODATA (EPSG:{epsg}) is no grid: give the coordinate system in siteplan.toml"
    crs_unit = crs.axis_info[0].unit_conversion_factor
    scale = float(dxf.horizontal_unit_scale)
    if unit_m is not None and not math.isclose(scale, unit_m, rel_tol=1e-4):
        return (
            "",
            None,
            (
                f"its GEODATA (EPSG:{epsg}) counts {scale:g} m to a unit, its header {unit_m:g} m: give unit and coordinate "
                f"system in siteplan.toml"
            ),
        )
    if dxf.scale_estimation_method == _BY_USER:
        scale *= dxf.user_scale_factor
    design, reference, north = dxf.design_point, dxf.reference_point, dxf.north_direction
    turn = math.pi / 2 - math.atan2(north.y, north.x)
    factor = scale / crs_unit
    cosine, sine = factor * math.cos(turn), factor * math.sin(turn)
    east, northing = (reference.x, reference.y) if east_first else (reference.y, reference.x)
    matrix = np.array(
        [
            [cosine, -sine, east - cosine * design.x + sine * design.y],
            [sine, cosine, northing - sine * design.x - cosine * design.y],
        ]
    )
    return f"EPSG:{epsg}", matrix, ""

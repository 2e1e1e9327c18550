"""The engineer's surfaces as LandXML: existing ground around the work, and finished ground within its limits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import shapely
from drawing import proposed

if TYPE_CHECKING:
    from drawing import Design
    from ground import Ground
    from shapely.geometry.base import BaseGeometry

STEP: Final = 10.0
AROUND: Final = 20.0


def landxml(ground: Ground, design: Design, origin: tuple[float, float]) -> str:
    """EG on a 10-ft grid, 20 ft beyond the construction site; FG on the same grid, faces outside the limits hidden."""
    west, south, east, north = design.construction_site.buffer(AROUND, join_style="mitre").bounds
    across, up = np.arange(west, east + 1, STEP), np.arange(south, north + 1, STEP)
    u, v = np.meshgrid(across, up)
    before = ground.elevation(u, v)
    after = proposed(design, u, v, before)
    corners = shapely.points(u.ravel(), v.ravel())
    placed = shapely.get_coordinates([ground.placed(corner, origin) for corner in corners])
    surfaces = (
        _surface("EG", "existing ground, field survey", placed, before, None, u, v),
        _surface("FG", "finished ground", placed, after, design.disturbed, u, v),
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<LandXML xmlns="http://www.landxml.org/schema/LandXML-1.2" version="1.2" date="2025-03-03" time="09:00:00">\n'
        '<Units><Imperial areaUnit="squareFoot" linearUnit="USSurveyFoot" volumeUnit="cubicYard" '
        'temperatureUnit="fahrenheit" pressureUnit="inchHG"/></Units>\n'
        f'<CoordinateSystem desc="Wisconsin county coordinates, US survey foot" epsgCode="{ground.village.epsg}"/>\n'
        '<Project name="Invented ground: no survey of any real place"/>\n'
        f"<Surfaces>\n{''.join(surfaces)}</Surfaces>\n</LandXML>\n"
    )


def _surface(
    name: str, words: str, placed: np.ndarray, z: np.ndarray, limits: BaseGeometry | None, u: np.ndarray, v: np.ndarray
) -> str:
    rows, columns = z.shape
    points = "".join(
        f'<P id="{number}">{north:.1f} {east:.1f} {height:.2f}</P>\n'
        for number, ((east, north), height) in enumerate(zip(placed, z.ravel(), strict=True), 1)
    )
    first = (np.arange(rows - 1)[:, None] * columns + np.arange(columns - 1)).ravel() + 1
    middle = shapely.points(u[:-1, :-1].ravel() + STEP / 2, v[:-1, :-1].ravel() + STEP / 2)
    shown = np.ones(len(first), dtype=bool) if limits is None else shapely.intersects(limits, middle)
    mark = np.where(shown, "<F>", '<F i="1">')
    faces = "".join(
        f"{tag}{a} {a + 1} {a + columns + 1}</F>\n{tag}{a} {a + columns + 1} {a + columns}</F>\n"
        for a, tag in zip(first.tolist(), mark.tolist(), strict=True)
    )
    area = STEP**2 * int(shown.sum())
    return (
        f'<Surface name="{name}" desc="{words}"><Definition surfType="TIN" area2DSurf="{area:.2f}">\n'
        f"<Pnts>\n{points}</Pnts>\n<Faces>\n{faces}</Faces>\n</Definition></Surface>\n"
    )

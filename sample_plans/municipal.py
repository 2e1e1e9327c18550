"""Invented municipal limits and the airport: drawn in feet east and north of the site, whatever way the valley runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import shapely
from maps import Layer
from pyproj import Transformer
from shapely import Point, Polygon, box

if TYPE_CHECKING:
    from ground import Village
    from shapely.geometry.base import BaseGeometry

REACH: Final = 32_000.0

# (kind, name, county, outline); incorporated places are cut out of the towns below them.
_PLACES: Final = {
    "saukville": (
        ("V", "SAUKVILLE", "OZAUKEE", Polygon([(-760, -6200), (3200, -6200), (3200, -4400), (6900, -4400), (6900, 2600),
                                              (1700, 2600), (1700, 3900), (-760, 3900)])),
        ("C", "PORT WASHINGTON", "OZAUKEE", Polygon([(16_400, -5200), (27_000, -5200), (27_000, 9000), (16_400, 9000)])),
        ("V", "GRAFTON", "OZAUKEE", Polygon([(-3000, -30_500), (9000, -30_500), (9000, -19_800), (-3000, -19_800)])),
        ("T", "SAUKVILLE", "OZAUKEE", box(-REACH, -9000, 8000, REACH)),
        ("T", "PORT WASHINGTON", "OZAUKEE", box(8000, -9000, REACH, REACH)),
        ("T", "GRAFTON", "OZAUKEE", box(-REACH, -REACH, REACH, -9000)),
    ),
    "fairwater": (
        ("V", "FAIRWATER", "FOND DU LAC", Polygon([(-2700, -3600), (4100, -3600), (4100, 1900), (900, 1900), (900, 3300),
                                                  (-2700, 3300)])),
        ("T", "METOMEN", "FOND DU LAC", box(-5600, -REACH, REACH, REACH)),
        ("T", "MACKFORD", "GREEN LAKE", box(-REACH, -REACH, -5600, REACH)),
    ),
    "east_troy": (
        ("V", "EAST TROY", "WALWORTH", Polygon([(-4300, -5200), (7200, -5200), (7200, 1100), (10_900, 1100), (10_900, 6300),
                                               (2600, 6300), (2600, 3400), (-4300, 3400)])),
        ("T", "EAST TROY", "WALWORTH", box(-12_000, -REACH, REACH, REACH)),
        ("T", "TROY", "WALWORTH", box(-REACH, -REACH, -12_000, REACH)),
    ),
}  # fmt: skip


def municipalities(village: Village) -> tuple[Layer, ...]:
    incorporated = shapely.union_all([area for kind, _, _, area in _PLACES[village.id] if kind != "T"])
    features: list[tuple[BaseGeometry, dict[str, str]]] = []
    for kind, name, county, outline in _PLACES[village.id]:
        area = outline.difference(incorporated) if kind == "T" else outline
        features.append((area, {"CTV": kind, "MCD_NAME": name, "CNTY_NAME": county, "LABEL": f"{name} - {kind}"}))
    return (
        Layer("municipalities.fgb", "municipalities", "Invented municipal limits", "2025-01-01", tuple(features), 2400,
              in_village_feet=True),
    )  # fmt: skip


def airports(village: Village, origin: tuple[float, float]) -> tuple[Layer, ...]:
    """East Troy's airport by its published reference point; the other two ordinances ask for none."""
    if village.id != "east_troy":
        return ()
    east, north = Transformer.from_crs("EPSG:6318", f"EPSG:{village.epsg}", always_xy=True).transform(
        -88.37250, 42.79694
    )
    spot = Point(east - origin[0], north - origin[1])
    fields = {"IDENT": "57C", "NAME": "East Troy Municipal", "SERVCITY": "EAST TROY", "STATE": "WI", "ELEVATION": 860.0,
              "LATITUDE": "42-47-48.9840N", "LONGITUDE": "088-22-21.0000W"}  # fmt: skip
    title = "Airport reference point as published; everything else invented"
    return (Layer("airports.fgb", "airports", title, "2024-12-26", ((spot, fields),), 1200, in_village_feet=True),)

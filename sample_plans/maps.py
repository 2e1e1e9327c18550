"""What public maps would show on the invented ground: the reference layers of a village."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import shapely
import shapely.ops
from ground import LAKE_EAST, LAKE_WEST, MAP_HALF, SITE, Ground, blob
from shapely import LineString, Point, Polygon

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from shapely.geometry.base import BaseGeometry

MOUTH = 9_000.0
"""Where along the valley the main stream ends in a reservoir, on the maps."""

Feature = tuple["BaseGeometry", dict[str, Any]]


@dataclass(frozen=True)
class Layer:
    """A reference layer: one file, one geometry type."""

    file: str
    role: str
    title: str
    date: str
    features: tuple[Feature, ...]
    scale: int = 24_000
    also: tuple[str, ...] = ()
    in_village_feet: bool = False
    """True where the geometry is already east and north of the origin."""


def _band(ground: Ground, from_u: float, to_u: float, low: Callable[[Any], Any], high: Callable[[Any], Any]) -> Polygon:
    """The ground between two distances from the main stream, left positive."""
    u = np.append(np.arange(from_u, to_u, 40.0), to_u)
    v = ground.stream_v(u)
    one, other = np.column_stack((u, v + low(u))), np.column_stack((u, v + high(u)))
    return Polygon(np.round(np.vstack((one, other[::-1])), 1))


def _wavy(start: tuple[float, float], end: tuple[float, float], swing: float, turns: float, phase: float) -> LineString:
    t = np.linspace(0.0, 1.0, 90)
    off = swing * np.sin(2 * np.pi * turns * t + phase) * np.sin(np.pi * t) ** 0.5
    u, v = (start[i] + (end[i] - start[i]) * t for i in (0, 1))
    return LineString(np.round(np.column_stack((u, v + off)), 1))


def flowlines(ground: Ground) -> tuple[Feature, ...]:
    village, seed = ground.village, ground.village.seed
    ravine, pipe = ground.ravine, ground.culverts()["ravine"]
    foot = ravine.coords[-1][0]
    place = [float(shapely.line_locate_point(ravine, Point(pipe.coords[i]))) for i in (0, -1)]
    above, below = (
        shapely.ops.substring(ravine, *span) for span in ((0.0, min(place)), (max(place), ravine.length))
    )  # fmt: skip
    drawn = [
        (ground.stream(-MAP_HALF, foot), village.stream, 46006),
        (ground.stream(foot, LAKE_WEST), village.stream, 46006),
        (ground.stream(LAKE_WEST, LAKE_EAST), village.stream, 55800),
        (ground.stream(LAKE_EAST, 3200.0), village.stream, 46006),
        (ground.stream(3200.0, MOUTH), village.stream, 46006),
        (above, "", 46003),
        (LineString([above.coords[-1], below.coords[0]]), "", 33400),
        (below, "", 46003),
        (_wavy((-7000.0, 3900.0), (9400.0, 3300.0), 260.0, 4.5, ground.phases[0]), f"North Branch {village.stream}",
         46006),
        (LineString([(3050.0, -3900.0), (3150.0, -2600.0), (3200.0, float(ground.stream_v(np.array(3200.0))))]),
         "", 33600),
        (LineString([(-5200.0, -4700.0), (-900.0, -4300.0)]), "", 42803),
    ]  # fmt: skip
    return tuple(
        (line, {"PERMANENT_": f"INV-{seed}-{number:03d}", "GNIS_NAME": name, "FTYPE": code // 100, "FCODE": code})
        for number, (line, name, code) in enumerate(drawn, start=1)
    )


def listed_waters(ground: Ground) -> tuple[Feature, ...]:
    """What the state's lists would name: the main stream below the pond, and one that takes nothing of the site."""
    north_branch = next(line for line, values in flowlines(ground) if values["GNIS_NAME"].startswith("North Branch"))
    drawn = [
        (ground.stream(LAKE_EAST, MOUTH), ground.village.stream, "impaired water (303d list): total phosphorus"),
        (north_branch, f"North Branch {ground.village.stream}", "exceptional resource water"),
    ]
    return tuple((line, {"NAME": name, "LISTED_AS": why}) for line, name, why in drawn)


def wells(ground: Ground) -> tuple[Feature, ...]:
    """A farm's well on the site, another beside it, and a spring at the foot of the valley side."""
    drawn = [(-652.0, 505.0, "farm well"), (-1180.0, 640.0, "private well"), (560.0, -1120.0, "spring")]
    number = ground.village.seed
    return tuple(
        (Point(u, v), {"NAME": f"{kind} {number}-{n}", "KIND": kind}) for n, (u, v, kind) in enumerate(drawn, 1)
    )


def waterbodies(ground: Ground) -> tuple[Feature, ...]:
    seed = ground.village.seed
    drawn = [
        (ground.lake, ground.village.lake, 39004),
        (blob(-2100.0, -2950.0, 140.0, 95.0, seed + 1), "", 39001),
        (blob(6900.0, 5200.0, 330.0, 240.0, seed + 2), "Farthing Pond", 39004),
        (blob(MOUTH + 90.0, float(ground.stream_v(np.array(MOUTH))), 120.0, 300.0, seed + 7), "Last Reservoir", 43600),
    ]
    return tuple(
        (area, {"PERMANENT_": f"INV-{seed}-{number:03d}", "GNIS_NAME": name, "FTYPE": code // 100, "FCODE": code})
        for number, (area, name, code) in enumerate(drawn, start=101)
    )


def kettle_wetland(ground: Ground) -> Polygon:
    """The wetland on the site: whole feet, so that its acreage can be told on paper."""
    u, v = ground.kettle_at
    around = blob(u, v, 92.0, 80.0, ground.village.seed + 3, points=18)
    return Polygon(np.round(shapely.get_coordinates(around)))


def wetlands(ground: Ground) -> tuple[Feature, ...]:
    seed, a = ground.village.seed, ground.phases[1]
    north = _band(ground, -620.0, 1290.0, lambda u: 12.0 + 0 * u, lambda u: 95.0 + 30.0 * np.sin(u / 240.0 + a))
    south = _band(ground, -1900.0, -150.0, lambda u: -12.0 + 0 * u, lambda u: -110.0 - 35.0 * np.sin(u / 310.0 + a))
    fringe = _band(ground, LAKE_WEST + 120, LAKE_EAST - 140, lambda u: 0 * u, lambda u: 235.0 + 18.0 * np.sin(u / 90.0))
    drawn = [
        (north, "PEM1C", "Freshwater Emergent Wetland"),
        (south, "PFO1A", "Freshwater Forested/Shrub Wetland"),
        (fringe.difference(ground.lake.buffer(2.0)), "PEM1F", "Freshwater Emergent Wetland"),
        (kettle_wetland(ground), "PEM1C", "Freshwater Emergent Wetland"),
        (blob(-3450.0, 1900.0, 265.0, 170.0, seed + 4), "PSS1C", "Freshwater Forested/Shrub Wetland"),
        (blob(2950.0, 2750.0, 190.0, 240.0, seed + 5), "PFO1B", "Freshwater Forested/Shrub Wetland"),
        (blob(5300.0, 7000.0, 420.0, 260.0, seed + 6), "PEM1C", "Freshwater Emergent Wetland"),
    ]
    return tuple(
        (_largest(area), {"NWI_ID": f"W-{seed}-{number}", "ATTRIBUTE": code, "WETLAND_TYPE": kind,
                "ACRES": round(_largest(area).area / 43_560, 2)})
        for number, (area, code, kind) in enumerate(drawn, start=1)
    )  # fmt: skip


def wetland_points(ground: Ground) -> tuple[Feature, ...]:
    seed = ground.village.seed
    return (
        (Point(1540.0, 2660.0), {"WWI_ID": f"P-{seed}-1", "WETCODE": "E2K"}),
        (Point(-6300.0, 6100.0), {"WWI_ID": f"P-{seed}-2", "WETCODE": "S3K"}),
    )


def floodplain(ground: Ground) -> tuple[Feature, ...]:
    a = ground.phases[2]

    def band(half: float, swing: float) -> Polygon:
        return _band(
            ground, -MAP_HALF, MAP_HALF, lambda u: -half - swing * np.sin(u / 370.0 + a),
            lambda u: half + swing * np.sin(u / 430.0)
        )  # fmt: skip

    def tidy(area: BaseGeometry) -> BaseGeometry:
        return shapely.set_precision(shapely.simplify(area, 0.5), 0.1)

    floodway = tidy(band(52.0, 8.0).union(ground.lake.buffer(15.0)))
    hundred_year = tidy(band(165.0, 22.0).union(ground.lake.buffer(60.0)).union(floodway))
    five_hundred_year = tidy(hundred_year.union(band(205.0, 30.0)))
    everything = shapely.box(-MAP_HALF, -MAP_HALF, MAP_HALF, MAP_HALF)
    drawn = [
        (floodway, "AE", "FLOODWAY", "T"),
        (hundred_year.difference(floodway), "AE", "", "T"),
        (five_hundred_year.difference(hundred_year), "X", "0.2 PCT ANNUAL CHANCE FLOOD HAZARD", "F"),
        (everything.difference(five_hundred_year), "X", "AREA OF MINIMAL FLOOD HAZARD", "F"),
    ]
    return tuple(
        (shapely.MultiPolygon([part for part in shapely.get_parts(tidy(area)) if part.area > 50.0]),
         {"FLD_AR_ID": f"INV_{number}", "FLD_ZONE": zone, "ZONE_SUBTY": kind, "SFHA_TF": special,
          "STATIC_BFE": -9999.0, "V_DATUM": "NAVD88", "LEN_UNIT": "Feet"})
        for number, (area, zone, kind, special) in enumerate(drawn, start=1)
    )  # fmt: skip


def roads(ground: Ground) -> tuple[Feature, ...]:
    return (
        (ground.road, {"NAME": ground.village.road, "CLASS": "county"}),
        (_wavy((-2900.0, -MAP_HALF), (-2900.0, MAP_HALF), 0.0, 1.0, 0.0), {"NAME": "Invention Road", "CLASS": "town"}),
    )


def culverts(ground: Ground) -> tuple[Feature, ...]:
    return tuple(
        (line, {"CULV_ID": f"C-{number}", "ROAD": ground.village.road, "DIAM_IN": size})
        for number, (line, size) in enumerate(zip(ground.culverts().values(), (48, 30, 24), strict=False), start=1)
    )


def parcels(ground: Ground) -> tuple[Feature, ...]:
    west, south, east, north = SITE
    side = 1320.0
    boxes = [
        shapely.box(west + side * i, south + side * j, east + side * i, north + side * j)
        for j in (0, 1) for i in (-1, 0, 1)
    ]  # fmt: skip
    boxes += [shapely.box(west + side * i, -2176.0, east + side * i, -856.0) for i in (-1, 0, 1)]
    return tuple(
        (area, {"PARCELID": f"{ground.village.seed}-{number:02d}", "CONAME": ground.village.county,
                "PLACENAME": f"VILLAGE OF {ground.village.name.upper()}", "GISACRES": round(area.area / 43_560, 3),
                "TAXROLLYEAR": "2024", "PROPCLASS": "4"})
        for number, area in enumerate(boxes, start=1)
    )  # fmt: skip


def _largest(area: BaseGeometry) -> Polygon:
    return max(shapely.get_parts(area), key=lambda part: part.area)


def reference_layers(ground: Ground) -> Iterable[Layer]:
    """Every layer of the catalogue except the airports and the elevation model."""
    yield Layer("flowlines.fgb", "waters", "Invented streams, ditches and pipes", "2024-03-01", flowlines(ground),
                also=("flowlines",))  # fmt: skip
    yield Layer("waterbodies.fgb", "waters", "Invented lakes and ponds", "2024-03-01", waterbodies(ground))
    yield Layer("wetlands.fgb", "wetlands", "Invented wetland areas", "2024-05-15", wetlands(ground))
    yield Layer("wetland_points.fgb", "wetlands", "Invented wetlands too small for an area", "2024-05-15",
                wetland_points(ground))  # fmt: skip
    yield Layer("floodplain.fgb", "floodplain", "Invented flood hazard areas", "2023-11-01", floodplain(ground), 12_000)
    yield Layer("roads.fgb", "roads", "Invented road centrelines", "2024-01-01", roads(ground), 12_000)
    yield Layer("culverts.fgb", "culverts", "Invented culverts", "2024-01-01", culverts(ground), 1_200)
    yield Layer("listed_waters.fgb", "listed_waters", "Invented list of impaired and exceptional waters", "2024-04-01",
                listed_waters(ground))  # fmt: skip
    yield Layer("wells.fgb", "wells", "Invented wells and springs", "2024-02-01", wells(ground), 12_000)
    yield Layer("parcels.fgb", "parcels", "Invented parcels", "2024-01-01", parcels(ground), 1_200)

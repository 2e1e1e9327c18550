"""The engineer's drawing: everything that a complete site map of the invented site shows, layer by layer.

Corners are whole feet, so that each acreage can be worked out on paper from the numbers here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import maps
import numpy as np
import shapely
from ground import ROAD_V, SITE, Ground, smoothstep
from isolines import contours
from shapely import LineString, Point, Polygon, box
from shapely.affinity import translate

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from shapely.geometry.base import BaseGeometry

    Array = NDArray[np.float64]
    Feature = tuple[BaseGeometry, dict[str, Any]]

MARGIN: Final = 120.0
"""Feet of adjacent land that the site map shows around the site."""

MILE_FT: Final = 5280.0


@dataclass(frozen=True)
class Drawn:
    """One layer of a plan: its role and its features."""

    role: str
    features: tuple[Feature, ...]
    settings: tuple[tuple[str, str], ...] = ()
    """What the manifest says of the layer besides its role: field names, units."""


Drawing = dict[str, Drawn]


@dataclass(frozen=True)
class Design:
    """What is to be built: whole feet in the canonical frame.

    Attributes
    ----------
    phases
        (name, ground, first day, last open day).
    """

    site: Polygon
    construction_site: Polygon
    phases: tuple[tuple[str, Polygon, str, str], ...]
    street: LineString
    lots: tuple[Polygon, ...]
    buildings: tuple[Polygon, ...]
    basin: Polygon
    basin_kind: str
    rain_garden: Polygon
    stockpile: Polygon
    entrance: Polygon
    inlets: tuple[tuple[float, float], ...]

    @property
    def disturbed(self) -> BaseGeometry:
        """All ground within the limits of disturbance."""
        return shapely.union_all([ground for _, ground, _, _ in self.phases])


def shoelace_acres(polygon: Polygon) -> float:
    """Acres of 43,560 square feet, by the shoelace formula on the drawn corners."""
    u, v = shapely.get_coordinates(polygon).T
    return float(abs(np.dot(u[:-1], v[1:]) - np.dot(u[1:], v[:-1])) / 2.0 / 43_560.0)


SITE_AREA: Final = box(*SITE)


def subdivision() -> Design:
    """Eight lots on a short street west of the ravine, graded in two phases, one after the other."""
    first = Polygon(
        [(-560, -740), (70, -740), (70, -790), (120, -790), (120, -740), (200, -740), (200, -480), (-560, -480)]
    )
    second = box(-560, -480, 200, -240)
    lots = [box(-560 + 150 * i, -655, -410 + 150 * i, -505) for i in range(4)]
    lots += [box(-560 + 150 * i, -455, -410 + 150 * i, -250) for i in range(4)]
    houses = [box(-510 + 150 * i, -600, -465 + 150 * i, -560) for i in range(4)]
    houses += [box(-510 + 150 * i, -390, -465 + 150 * i, -350) for i in range(4)]
    return Design(
        site=SITE_AREA, construction_site=box(-580, -790, 220, -220),
        phases=(("1", first, "2025-04-15", "2025-08-31"), ("2", second, "2025-09-01", "2026-05-31")),
        street=LineString([(95, ROAD_V), (95, -480), (-530, -480)]), lots=tuple(lots), buildings=tuple(houses),
        basin=box(-370, -725, -230, -665), basin_kind="sediment basin", rain_garden=box(-200, -725, -120, -675),
        stockpile=box(130, -580, 185, -520), entrance=box(80, -790, 110, -740),
        inlets=((95, -620), (95, -500), (-150, -480), (-400, -480)),
    )  # fmt: skip


def store() -> Design:
    """A farm-supply store with its yard, in one phase."""
    ground = Polygon(
        [(-500, -735), (70, -735), (70, -790), (120, -790), (120, -735), (150, -735), (150, -240), (-500, -240)]
    )
    return Design(
        site=SITE_AREA, construction_site=box(-520, -790, 170, -220),
        phases=(("1", ground, "2025-05-01", "2025-10-31"),),
        street=LineString([(95, ROAD_V), (95, -420), (-300, -420)]), lots=(SITE_AREA,),
        buildings=(box(-260, -390, -20, -270), box(-460, -400, -360, -300)),
        basin=box(-410, -720, -230, -640), basin_kind="sediment basin", rain_garden=box(-200, -715, -110, -665),
        stockpile=box(60, -330, 130, -270), entrance=box(80, -790, 110, -735), inlets=((95, -560), (-100, -420)),
    )  # fmt: skip


def five_acres() -> Design:
    """A shop on 217,800 square feet of land, all of it graded: 640 x 335 ft and the drive, 68 x 50 ft."""
    ground = Polygon(
        [(-330, -740), (61, -740), (61, -790), (129, -790), (129, -740), (310, -740), (310, -405), (-330, -405)]
    )
    return Design(
        site=ground, construction_site=ground, phases=(("1", ground, "2025-05-01", "2025-10-31"),),
        street=LineString([(95, ROAD_V), (95, -560), (-120, -560)]), lots=(ground,),
        buildings=(box(-100, -540, 60, -440),), basin=box(-326, -735, -200, -640), basin_kind="sediment basin",
        rain_garden=box(-180, -715, -110, -665), stockpile=box(180, -520, 230, -470), entrance=box(66, -790, 124, -740),
        inlets=((95, -620), (-100, -560)),
    )  # fmt: skip


def duplex() -> Design:
    """A two-family house on two narrow lots beside the swale: 200 x 190 ft, of which 17,500 square feet are graded."""
    ground = Polygon(
        [(-400, -740), (-280, -740), (-280, -790), (-250, -790), (-250, -740), (-240, -740), (-240, -640), (-400, -640)]
    )
    site = box(-420, -790, -220, -600)
    return Design(
        site=site, construction_site=site, phases=(("1", ground, "2025-05-01", "2025-08-15"),),
        street=LineString([(-265, ROAD_V), (-265, -700)]),
        lots=(box(-420, -790, -320, -600), box(-320, -790, -220, -600)), buildings=(box(-310, -690, -260, -650),),
        basin=box(-385, -735, -345, -715), basin_kind="sediment trap", rain_garden=box(-335, -665, -315, -645),
        stockpile=box(-395, -665, -375, -645), entrance=box(-278, -790, -252, -740), inlets=((-265, -730), (-265, -705)),
    )  # fmt: skip


def hangars() -> Design:
    """Storage units and a stormwater pond, in one phase, near the airport."""
    ground = Polygon(
        [(-540, -730), (60, -730), (60, -790), (130, -790), (130, -730), (180, -730), (180, -280), (-540, -280)]
    )
    return Design(
        site=SITE_AREA, construction_site=box(-560, -790, 200, -260),
        phases=(("1", ground, "2025-06-01", "2025-11-15"),),
        street=LineString([(95, ROAD_V), (95, -450), (-450, -450)]), lots=(),
        buildings=tuple(box(-480 + 140 * i, -420, -400 + 140 * i, -320) for i in range(4)),
        basin=box(-400, -715, -220, -630), basin_kind="wet pond", rain_garden=box(-190, -715, -110, -665),
        stockpile=box(120, -360, 170, -310), entrance=box(80, -790, 110, -730), inlets=((95, -600), (-200, -450)),
    )  # fmt: skip


def proposed(design: Design, u: Array, v: Array, z: Array) -> Array:
    """The ground after grading: smoothed inside the limits of disturbance, with the basin dug out."""
    kernel = np.exp(-0.5 * (np.arange(-15, 16) / 6.0) ** 2)
    kernel /= kernel.sum()
    smooth = np.pad(z, 15, mode="edge")
    for axis in (0, 1):
        smooth = np.apply_along_axis(np.convolve, axis, smooth, kernel, mode="valid")
    points = shapely.points(u, v)
    inside = np.where(shapely.intersects(design.disturbed, points),
                      shapely.distance(design.disturbed.boundary, points), 0.0)  # fmt: skip
    share = smoothstep(inside / 50.0)
    graded = z * (1.0 - share) + smooth * share
    rim = float(graded[shapely.intersects(design.basin.buffer(10.0), points)].min())
    depth = np.minimum(np.where(shapely.intersects(design.basin, points),
                                shapely.distance(design.basin.boundary, points), 0.0) / 4.0, 4.0)  # fmt: skip
    return np.where(depth > 0, np.minimum(graded, rim + 1.0 - depth), graded)


def topography(ground: Ground, design: Design, interval: float = 2.0) -> Drawing:
    west, south, east, north = design.site.buffer(MARGIN, join_style="mitre").bounds
    across, up = np.arange(west, east + 1, 10.0), np.arange(south, north + 1, 10.0)
    u, v = np.meshgrid(across, up)
    before = ground.elevation(u, v)
    after = proposed(design, u, v, before)
    settings = (("elevation_field", "ELEV_FT"), ("elevation_units", "us-ft"))
    limits = design.disturbed.buffer(-0.5)
    changed = []
    for level, line in contours(across, up, after, interval):
        changed += [(part, {"ELEV_FT": level}) for part in _lines(line.intersection(limits))]
    existing = tuple((line, {"ELEV_FT": level}) for level, line in contours(across, up, before, interval))
    return {
        "contours_existing": Drawn("contour_existing", existing, settings),
        "contours_proposed": Drawn("contour_proposed", tuple(changed), settings),
    }


def nature(ground: Ground, design: Design) -> Drawing:
    """Waters, wetlands, floodplain and plant cover, taken over from the public maps for a mile around."""
    within = design.construction_site.buffer(MILE_FT + 200.0)

    def near(features: tuple[Feature, ...]) -> list[BaseGeometry]:
        return [part for area, _ in features if area.intersects(within) for part in _parts(area.intersection(within))]

    def fields(features: tuple[Feature, ...], name: str) -> list[tuple[BaseGeometry, dict[str, Any]]]:
        return [
            (part, {"NAME": values.get("GNIS_NAME", ""), "KIND": str(values[name])})
            for area, values in features if area.intersects(within) for part in _parts(area.intersection(within))
        ]  # fmt: skip

    streams = [item for item in fields(maps.flowlines(ground), "FCODE") if item[1]["KIND"] not in {"42803", "33400"}]
    wetlands = fields(maps.wetlands(ground), "ATTRIBUTE")
    around = box(*design.site.buffer(1500.0).bounds)
    zones = [
        (part, {"KIND": "floodway" if values["ZONE_SUBTY"] == "FLOODWAY" else "flood fringe"})
        for area, values in maps.floodplain(ground) if values["SFHA_TF"] == "T"
        for part in _parts(area.intersection(around))
    ]  # fmt: skip
    woods = ground.ravine.buffer(95.0).intersection(design.site)
    kettle = maps.kettle_wetland(ground)
    cover = [(_whole(woods), {"COVER": "oak and ash woodland"}), (kettle, {"COVER": "sedge meadow"}),
             (_whole(design.site.difference(shapely.union_all([woods, kettle]))), {"COVER": "hay field"})]  # fmt: skip
    cover = [item for item in cover if not item[0].is_empty]
    assert len(near(maps.wetland_points(ground))) == 1
    return {
        "streams": Drawn("surface_water", tuple(streams), _NAMED),
        "ponds": Drawn("surface_water", tuple(fields(maps.waterbodies(ground), "FCODE")), _NAMED),
        "wetlands": Drawn("wetland", tuple(wetlands), _NAMED),
        "small_wetlands": Drawn("wetland", tuple((spot, {"NAME": "", "KIND": "E2K"})
                                                 for spot in near(maps.wetland_points(ground))), _NAMED),
        "floodplain": Drawn("floodplain", tuple(zones), _KIND),
        "cover": Drawn("vegetation", tuple(cover), (("kind_field", "COVER"),)),
    }  # fmt: skip


_KIND = (("kind_field", "KIND"),)
_NAMED = (("name_field", "NAME"), ("kind_field", "KIND"))


def works(ground: Ground, design: Design) -> Drawing:
    """What is built, and what keeps the soil in place while it is."""
    disturbed = design.disturbed
    edge = shapely.get_coordinates(disturbed)
    south = float(np.sort(np.unique(edge[:, 1]))[1])
    low = _crossing(ground.swale, south)
    outfall = Point(low, south)
    road = LineString([(-820, ROAD_V), (800, ROAD_V)])
    paved = shapely.union_all([design.street.buffer(16.0, cap_style="flat"), *design.buildings])
    west, _, east, north = shapely.union_all([area for _, area, _, _ in design.phases[:2]]).bounds
    slope_foot = Point(east, -200.0)
    fence = [
        LineString([(west - 4, north), (west - 4, south - 4), (low - 20, south - 4)]),
        LineString([(low + 20, south - 4), (design.entrance.bounds[0] - 8, south - 4)]),
        LineString([(design.entrance.bounds[2] + 18, south - 4), (east + 4, south - 4), (east + 4, north)]),
        LineString(design.stockpile.buffer(6.0, join_style="mitre").exterior.coords),
    ]
    riprap = [(Point(low, south - 6), "riprap energy dissipater"), (slope_foot, "level spreader")]
    check = Point(_crossing(ground.swale, -300.0), -300.0)
    berm = LineString([(west - 4, north - 60), (west - 4, north + 12), (east + 4, north + 12), (east + 4, north - 60)])
    phases = [(area, {"PHASE": name, "OPEN": start, "CLOSED": end}) for name, area, start, end in design.phases]
    culverts = tuple((line, {"NAME": values["CULV_ID"]}) for line, values in maps.culverts(ground))
    return {
        "site": Drawn("site", ((design.site, {"NAME": "Parcel 02"}),)),
        "construction_site": Drawn("construction_site", ((design.construction_site, {"NAME": "construction site"}),)),
        "limits_of_disturbance": Drawn("disturbed_area", tuple(phases), (("phase_field", "PHASE"),
                                       ("start_field", "OPEN"), ("end_field", "CLOSED"))),
        "lots": Drawn("lot", tuple((lot, {"NAME": f"Lot {i}"}) for i, lot in enumerate(design.lots, 1)), _NAME),
        "drainage_arrows": Drawn("drainage_pattern", tuple(_arrows(ground, disturbed))),
        "roads": Drawn("road", ((road, {"NAME": ground.village.road}), (design.street, {"NAME": "new drive"})), _NAME),
        "buildings": Drawn("structure", tuple((house, {"KIND": "building"}) for house in design.buildings), _KIND),
        "water_main": Drawn("utility", ((translate(design.street, 22.0, 22.0), {"KIND": "water"}),), _KIND),
        "storm_sewer": Drawn("storm_sewer", ((LineString([*design.inlets, design.basin.centroid.coords[0]]),
                                             {"KIND": "15 in concrete"}),), _KIND),
        "inlets": Drawn("inlet", tuple((Point(at), {"NAME": f"CB-{i}"}) for i, at in enumerate(design.inlets, 1)), _NAME),
        "outfalls": Drawn("outfall", ((outfall, {"NAME": "OF-1"}), (slope_foot, {"NAME": "OF-2"})), _NAME),
        "culverts": Drawn("culvert", culverts, _NAME),
        "entrance": Drawn("entrance", ((design.entrance, {"NAME": "stone tracking pad"}),), _NAME),
        "silt_fence": Drawn("control", tuple((line, {"KIND": "silt fence"}) for line in fence), _KIND),
        "diversion": Drawn("control", ((berm, {"KIND": "diversion berm"}),), _KIND),
        "basin": Drawn("control", ((design.basin, {"NAME": "P-1", "KIND": design.basin_kind, "DEPTH_FT": 4.0}),), _NAMED),
        "inlet_protection": Drawn("control", tuple((Point(at), {"KIND": "inlet protection"}) for at in design.inlets), _KIND),
        "riprap": Drawn("control", tuple((at, {"KIND": kind}) for at, kind in riprap), _KIND),
        "ditch_checks": Drawn("control", ((check, {"KIND": "ditch check"}),), _KIND),
        "topsoil_pile": Drawn("stockpile", ((design.stockpile, {"NAME": "topsoil", "VOLUME_CY": 420.0}),), _NAME),
        "stabilization": Drawn("stabilization", ((_whole(disturbed), {"KIND": "seed and mulch within 14 days"}),), _KIND),
        "revegetation": Drawn("revegetation", ((_whole(disturbed.difference(paved)), {"KIND": "no-mow fescue"}),), _KIND),
        "rain_garden": Drawn("infiltration", ((design.rain_garden, {"NAME": "RG-1"}),), _NAME),
        "grid": Drawn("grid", tuple(grid()), _NAME),
    }  # fmt: skip


_NAME = (("name_field", "NAME"),)


def grid(
    west: float = -900.0, north: float = 800.0, columns: int = 9, rows: int = 9, side: float = 200.0
) -> list[Feature]:
    """Squares of 200 ft over the whole map, lettered from the north and numbered from the west."""
    return [
        (box(west + side * i, north - side * (j + 1), west + side * (i + 1), north - side * j), {"NAME": f"{'ABCDEFGHJ'[j]}{i + 1}"})
        for j in range(rows) for i in range(columns)
    ]  # fmt: skip


def complete(ground: Ground, design: Design, interval: float = 2.0) -> Drawing:
    """The whole drawing."""
    return works(ground, design) | nature(ground, design) | topography(ground, design, interval)


def _arrows(ground: Ground, area: BaseGeometry) -> list[Feature]:
    """Short lines down the slope, with the slope in per cent."""
    west, south, east, north = area.bounds
    spots = [(u, v) for u in np.linspace(west + 60, east - 60, 4) for v in np.linspace(south + 90, north - 60, 3)]
    arrows = []
    for u, v in spots:
        sides = np.array([(u + 20, v), (u - 20, v), (u, v + 20), (u, v - 20)])
        z = ground.elevation(sides[:, 0], sides[:, 1])
        fall = np.array([z[1] - z[0], z[3] - z[2]]) / 40.0
        steep = float(np.hypot(*fall))
        end = np.array([u, v]) + 50.0 * fall / steep
        arrows.append((LineString([(u, v), tuple(end)]), {"SLOPE_PCT": round(100.0 * steep, 1)}))
    return arrows


def _crossing(line: LineString, v: float) -> float:
    """Where a line crosses a height of the drawing, in whole feet."""
    return float(np.round(line.intersection(LineString([(-2000.0, v), (2000.0, v)])).x))


def _lines(geometry: BaseGeometry) -> list[LineString]:
    return [part for part in _parts(geometry) if part.geom_type == "LineString" and part.length > 5.0]


def _parts(geometry: BaseGeometry) -> list[BaseGeometry]:
    return [part for part in shapely.get_parts(geometry) if not part.is_empty]


def _whole(geometry: BaseGeometry) -> BaseGeometry:
    """One geometry; several pieces of ground as one multipolygon."""
    return geometry

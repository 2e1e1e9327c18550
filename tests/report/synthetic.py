"""A review made by hand from the nouns of the model: every status, every kind of evidence, hostile texts."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import date, datetime

import numpy as np
import shapely

from siteplan_gis.frame import Frame
from siteplan_gis.model.flag import Flag
from siteplan_gis.model.layers import ReferenceFeature, ReferenceLayer
from siteplan_gis.model.measurement import (
    Discharge,
    JurisdictionShare,
    Measurement,
    Measurements,
    Method,
    NearbyFeature,
    SteepPatch,
)
from siteplan_gis.model.ordinance import Limit, Ordinance, Rule
from siteplan_gis.model.plan import Plan, PlanFeature
from siteplan_gis.model.review import Finding, Override, Review, Status
from siteplan_gis.model.site import Site
from siteplan_gis.model.source import Source
from siteplan_gis.model.terrain import Terrain
from siteplan_gis.units import ACRE_M2

PAYLOADS = (
    "<img src=x onerror=alert(1)>",
    "</script><script>alert(2)</script>",
    "`+alert(3)+`",
    "${alert(4)}",
    "C:\\path\\20190221 \\1",
    "O'Neal \"Sub\" & Sons",
    '<a href="javascript:alert(5)">x</a>',
    '<svg onload="alert(6)"> {{ 7*7 }} {% raw %} ]]> <!-- -->',
    "line\u2028separator\u2029 and \u202eright to left\u202c \u0645\u0648\u0642\u0639 \u00e9\u0323 \U0001f6a7",
    "NaN Infinity NaT \x00\x1b[31m [red]bold[/red] [link=x]",
)  # fmt: skip

FRAME = Frame(-87.9446, 43.3814)
PLAN_SOURCE = Source("Site map of Blue Heron Subdivision", "blue_heron.gpkg", crs="EPSG:7613", sha256="ab" * 32)
WATERS_SOURCE = Source(
    "Hydrography 1:24,000", "hydro.gpkg", "2024-05-01", "public domain", "EPSG:3071", 12.0, "cd" * 32
)
WETLANDS_SOURCE = Source("Wetland inventory", "wetlands.gpkg", "2019", "see owner", "EPSG:3071", 5.0, "ef" * 32)
DEM_SOURCE = Source("County lidar", "dem.tif", "2023-04", "", "EPSG:6610", 0.5, "01" * 32)


def square(x: float, y: float, side: float) -> shapely.Polygon:
    return shapely.box(x, y, x + side, y + side)


def blob(x: float, y: float, radius: float, seed: int, vertices: int = 34) -> shapely.Polygon:
    turn = np.linspace(0, 2 * np.pi, vertices, endpoint=False)
    wobble = radius * (1 + 0.2 * np.sin(3 * turn + seed) + 0.1 * np.cos(7 * turn + seed))
    return shapely.Polygon(np.column_stack((x + wobble * np.cos(turn), y + wobble * np.sin(turn))))


def rule(rule_id: str, title: str, section: str, quote: str, **settings: object) -> Rule:
    given = {"severity": "shall", "mode": "automatic", "source_status": "text", **settings}
    return Rule(rule_id, title, section, quote, **given)  # type: ignore[arg-type]


ACRES = Limit("disturbed_acres", ">=", 1.0, "acre")
RULES = (
    rule("SAU-APP-0", "Threshold of the ordinance", "205-115A(1)", "", source_status="assumed", mode="judgement",
         check="applicability", note="The list is missing; the state's one acre is assumed.", limits={"least": ACRES}),
    rule("SAU-SLOPE", "Disturbance of steep slopes", "205-118C(5)", "minimize land disturbing construction activity on "
         "slopes of 20% or more", severity="minimise", mode="judgement", check="steep_ground", section_inferred=True),
    rule("SAU-MAP-h1", "Wetland acreage on the site", "205-118.2A(4)", "areal extent of wetland acreage on the site",
         check="wetland_acreage"),
    rule("SAU-MAP-h2", "Discharge within a quarter mile", "205-118.2A(4)", "locations where stormwater is discharged to a "
         "surface water or wetland within one-quarter mile downstream of the construction site", check="discharge"),
    rule("SAU-MAP-i", "Waters within one mile", "205-118.2A(4)", "surface waters and wetlands within one mile of the "
         "construction site", check="waters_shown"),
    rule("SAU-MAP-scale", "Scale of the site map", "205-118.2A(4)", "scale of not greater than 100 feet per inch",
         check="scale"),
    rule("SAU-JUR-1", "Inside the Village", "205-115B", "within the Village boundary", severity="inform",
         check="jurisdiction"),
    rule("SAU-CRASH", "Contour interval", "205-118.2A(4)", "contours at an interval not to exceed five feet",
         check="contours"),
    rule("SAU-PAY", PAYLOADS[1], PAYLOADS[0], " ".join(PAYLOADS), check="payload"),
    rule("SAU-GW", "Depth to groundwater", "205-118.2A(3)", "depth to groundwater", mode="not_checked",
         why_not="It stands in text and tables, which a reviewer reads."),
)  # fmt: skip


def ordinance() -> Ordinance:
    return Ordinance(
        "saukville", "Construction Site Erosion Control", "Saukville", "village", "Ozaukee", "WI",
        "Superintendent of Public Works", "select_sites", ("2004-02-03 by Ord. No. 643",), "Village code, Art. XII",
        Method(), RULES, ("205-115A(1): the list of thresholds",),
    )  # fmt: skip


def plan() -> Plan:
    features = [
        PlanFeature("site", shapely.box(-200, -160, 220, 180), "plan.gpkg/site", "1", "Blue Heron", phase=""),
        PlanFeature(
            "surface_water", shapely.LineString([(-900, 300), (-200, 260), (500, 420)]), "plan.gpkg/water", "7"
        ),
        PlanFeature("outfall", shapely.Point(200, -100), "plan.gpkg/outfall", "O1", "Outfall 1"),
    ]
    for position, payload in enumerate(PAYLOADS):
        features.append(
            PlanFeature(
                "disturbed_area", square(-180 + 36 * position, -60, 34), f"{payload}/lod", payload, payload, payload,
                "1", date(2026, 3, 1), None, None,
                {"owner": PAYLOADS[-1 - position], "acres": (math.nan, math.inf, -math.inf)[position % 3],
                 "when": date(2026, 3, 1), "at": datetime(2026, 3, 1, 8, 30), "nothing": None, payload: True},
            )
        )  # fmt: skip
    return Plan(
        f"Blue Heron {PAYLOADS[1]}", tuple(features), (), sources=(PLAN_SOURCE,),
        applicant=f"{PAYLOADS[5]} {PAYLOADS[0]}", submitted=date(2026, 3, 1), invented=True,
        flags=(Flag("role_guessed", f"taken as disturbed_area: {PAYLOADS[6]}", PAYLOADS[0], PAYLOADS[3]),),
    )  # fmt: skip


def reference(wetlands: int = 60) -> tuple[ReferenceLayer, ReferenceLayer]:
    window = shapely.box(-2200, -2200, 2200, 2200)
    stream = shapely.LineString([(x, 350 + 120 * math.sin(x / 300)) for x in range(-2000, 2001, 25)])
    waters = (
        ReferenceFeature("150022", "Mole Creek", "stream", "46006", stream, "hydro"),
        ReferenceFeature("150023", "", "pond", "39004", blob(-700, -500, 90, 1), "hydro"),
    )
    random = np.random.default_rng(5)
    places = random.uniform(-1900, 1900, (wetlands, 2))
    marshes = tuple(
        ReferenceFeature(f"w{number}", PAYLOADS[number % 7] if number < 7 else "", "wetland", "T3K",
                         blob(x, y, 25, number), "wwi")
        for number, (x, y) in enumerate(places)
    )  # fmt: skip
    return (
        ReferenceLayer("waters", "hydro.gpkg", waters, window, window, True, WATERS_SOURCE),
        ReferenceLayer("wetlands", "wetlands.gpkg", marshes, window, shapely.box(-2200, -2200, 1500, 2200), True,
                       WETLANDS_SOURCE, flags=(Flag("coverage_short", "the east is not mapped", "wetlands.gpkg"),)),
    )  # fmt: skip


def nearby(layer: ReferenceLayer, ground: shapely.Geometry, shown: dict[str, bool]) -> tuple[NearbyFeature, ...]:
    found = (
        NearbyFeature(f.id, f.name, f.kind, f.code, f.layer, ground.distance(f.geometry), f.geometry, shown.get(f.id))
        for f in layer.features
    )
    return tuple(sorted((f for f in found if f.distance_m <= 1609.344), key=lambda f: f.distance_m))


def measurements(site: Site) -> Measurements:
    disturbed = shapely.union_all([feature.geometry for feature in site.plan.of("disturbed_area")])
    boundary = site.plan.of("site")[0].geometry
    waters = nearby(site.layers["waters"][0], disturbed, {"150022": True, "150023": False})
    wetlands = nearby(site.layers["wetlands"][0], disturbed, {})
    steep = blob(60, -45, 30, 2)
    values = (
        Measurement("site_acres", boundary.area / ACRE_M2, "acre", 0.02, "area of the union", boundary, (PLAN_SOURCE,)),
        Measurement("disturbed_acres", disturbed.area / ACRE_M2, "acre", 0.01, "area of the union", disturbed),
        Measurement("phase_acres[1]", disturbed.area / ACRE_M2, "acre", 0.01, "area of the union"),
        Measurement(f"phase_acres[{PAYLOADS[1]}]", 0.5, "acre", math.inf, "area of the union"),
        Measurement("steep_disturbed_acres", steep.intersection(disturbed).area / ACRE_M2, "acre", 0.05, "Horn", steep),
        Measurement("waters_within_one_mile", len(waters), "count", None, "distance to the construction site"),
        Measurement("wetlands_within_one_mile", len(wetlands), "count", None, "distance to the construction site"),
        Measurement("slope_percent_median", math.nan, "%", None, "Horn"),
        Measurement("wetland_on_site_acres", None, "acre", reason="no wetland map covers the site"),
        Measurement("contour_interval_ft", 2.0, "ft"),
    )  # fmt: skip
    path = shapely.LineString([(200, -100), (260, -60), (300, 60), (340, 250), (380, 460)])
    return Measurements(
        {measurement.name: measurement for measurement in values},
        {"site": boundary, "construction_site": disturbed, "disturbed": disturbed},
        waters, wetlands,
        discharges=(Discharge("O1", True, f"Mole Creek {PAYLOADS[6]}", "water", 395.0, 560.0, True, "reached_water",
                   shapely.Point(200, -100), path, 30.0, True, "followed over the elevation"),
         Discharge("edge-1", False, "", None, None, None, None, "no_elevation", shapely.Point(-180, 0), None)),
        jurisdiction=(JurisdictionShare("Saukville", "village", "inside", boundary.area * 0.8, 0.8, shapely.box(-200, -160, 136, 180)),
         JurisdictionShare("Saukville", "village", "etj", boundary.area * 0.2, 0.2, shapely.box(136, -160, 220, 180))),
        steep_patches=(SteepPatch(steep, steep.area, 24.5, steep.intersection(disturbed).area),),
        not_counted={"connector": 2, "artificial_path": 4},
        uncovered={"wetlands": shapely.box(1500, -1700, 1800, 1700)},
        flags=(Flag("coverage_short", "wetlands: a strip in the east is not covered", "wetlands.gpkg"),),
    )  # fmt: skip


def findings(measured: Measurements, site: Site) -> tuple[Finding, ...]:
    by_id = {each.id: each for each in RULES}
    disturbed = measured.shape["disturbed"]
    pond = next(water for water in measured.waters if water.id == "150023")
    missing = [
        Finding(by_id["SAU-MAP-i"], wetland.id, Status.FAIL, f"Wetland {wetland.id} {wetland.name} is not shown",
                "Draw it on the site map.", where=wetland.geometry, sources=(WETLANDS_SOURCE,))
        for wetland in measured.wetlands[:8]
    ]  # fmt: skip
    return (
        Finding(by_id["SAU-APP-0"], "site", Status.NEEDS_REVIEW, "2.9 acres are disturbed; one acre is assumed.", "",
                measured["disturbed_acres"], ACRES, 1.8567, disturbed, (PLAN_SOURCE,),
                Override(Status.PASS, "J. Reviewer", date(2026, 3, 9), PAYLOADS[0])),
        Finding(by_id["SAU-SLOPE"], "site", Status.NEEDS_REVIEW, "0.4 acre of ground at 20 % or more is disturbed.",
                "Show that less is not possible.", measured["steep_disturbed_acres"], None, None,
                measured.steep_patches[0].geometry, (DEM_SOURCE, PLAN_SOURCE)),
        Finding(by_id["SAU-MAP-h1"], "site", Status.NOT_CHECKED, "No wetland map covers the site.",
                "Give a layer of wetlands.", measured["wetland_on_site_acres"]),
        Finding(by_id["SAU-MAP-h2"], "O1", Status.PASS, "Outfall O1 reaches Mole Creek after 1,296 ft.",
                where=measured.discharges[0].path, sources=(DEM_SOURCE, WATERS_SOURCE)),
        Finding(by_id["SAU-MAP-i"], "150023", Status.FAIL, "A pond 1,500 ft away is not shown.",
                "Draw it on the site map.", where=pond.geometry, sources=(WATERS_SOURCE,)),
        *missing,
        Finding(by_id["SAU-MAP-scale"], "C-101", Status.FAIL, "Sheet C-101 is drawn at 150 feet per inch.",
                "Draw it at 1 in = 100 ft or larger.", Measurement("feet_per_inch[C-101]", 150.0, "ft/in", None, "note"),
                Limit("feet_per_inch", "<=", 100.0, "ft/in"), -50.0),
        Finding(by_id["SAU-JUR-1"], "site", Status.NOT_APPLICABLE, "80 % lies inside the Village.",
                where=measured.jurisdiction[0].where),
        Finding(by_id["SAU-CRASH"], "site", Status.ERROR, "The check crashed: ZeroDivisionError"),
        Finding(by_id["SAU-PAY"], PAYLOADS[6], Status.NEEDS_REVIEW, " | ".join(PAYLOADS), PAYLOADS[1],
                Measurement("disturbed_acres", math.nan, "acre", math.inf), ACRES, math.nan,
                shapely.GeometryCollection([shapely.Point(0, 0), square(-20, 20, 15), shapely.Polygon()]),
                (Source(PAYLOADS[0], PAYLOADS[1], PAYLOADS[2], PAYLOADS[6]),)),
    )  # fmt: skip


def make_review(frame: Frame = FRAME, wetlands: int = 60) -> Review:
    waters, marshes = reference(wetlands)
    terrain = Terrain(None, "the elevation is read elsewhere", None, "US survey foot", "band", (DEM_SOURCE,))
    site = Site(frame, plan(), {"waters": (waters,), "wetlands": (marshes,)}, terrain,
                {"floodplain": f"cannot be read: {PAYLOADS[0]}"})  # fmt: skip
    measured = measurements(site)
    law = ordinance()
    soils = law.rules[-1]
    left = Finding(soils, "reviewer", Status.NEEDS_REVIEW, soils.why_not, counted=False)
    return Review(
        site, law, measured, findings(measured, site), date(2026, 3, 10), {"siteplan_gis": "0.1.0"}, checklist=(left,)
    )


def without_findings(review: Review) -> Review:
    return replace(review, findings=())

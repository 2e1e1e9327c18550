"""Stories of Saukville: one complete plan, and what is changed in it.

Expected values are worked out from the drawing's corners and from the formula of the ground, never from the program.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from drawing import SITE_AREA, Drawn, duplex, grid, subdivision
from shapely import box
from story import Story, about, adding, keeping, named_fields, noting, outfall_in_the_ravine, overrides, sheets, without

if TYPE_CHECKING:
    from drawing import Design, Drawing
    from story import Values

SAUKVILLE_ROWS: Final = {
    "SAU-APP-0:disturbed": "needs_review",
    "SAU-APP-1:site": "not_applicable",
    "SAU-APP-2:disturbed": "not_applicable",
    "SAU-APP-3:claim": "not_applicable",
    "SAU-JUR-1:site": "pass",
    "SAU-JUR-2:claim": "not_applicable",
    "SAU-SLOPE:disturbed": "pass",
    "SAU-MAP-h1:stated": "pass",
    "SAU-MAP-h1:mapped": "pass",
    "SAU-MAP-h2:OF-1": "pass",
    "SAU-MAP-h2:OF-2": "pass",
    "SAU-MAP-i:waters": "pass",
    "SAU-MAP-i:wetlands": "pass",
    "SAU-SCALE:C-1": "pass",
    "SAU-SCALE:C-2": "pass",
    "SAU-CONTOUR:contours": "pass",
    "SAU-MAP-a:waters": "pass",
    "SAU-MAP-a:wetlands": "pass",
    "SAU-MAP-a:floodplain": "pass",
    "SAU-MAP-a1:contour_existing": "pass",
    "SAU-MAP-a2:vegetation": "pass",
    "SAU-MAP-a3:drainage_pattern+storm_sewer+inlet+culvert+outfall": "pass",
    "SAU-MAP-a4:road": "pass",
    "SAU-MAP-a5:surface_water": "pass",
    "SAU-MAP-a6:floodplain": "pass",
    "SAU-MAP-b:construction_site+disturbed_area": "pass",
    "SAU-MAP-c:drainage_pattern": "pass",
    "SAU-MAP-c2:contour_proposed+surface_proposed": "pass",
    "SAU-MAP-d:disturbed_area": "pass",
    "SAU-ACRES:site": "pass",
    "SAU-ACRES:disturbed": "pass",
    "SAU-MAP-e:control": "pass",
    "SAU-MAP-f:stabilization": "pass",
    "SAU-MAP-g:revegetation": "pass",
    "SAU-MAP-j:cover": "pass",
    "SAU-MAP-k:infiltration": "pass",
    "SAU-APP-5:lots": "pass",
    "SAU-ADJ:down": "pass",
    "SAU-ADJ:beside": "pass",
    "SAU-BMP-LOC:before": "pass",
    "SAU-BMP-LOC:upland": "pass",
    "SAU-STOCK:topsoil": "pass",
    "SAU-INLET:inlets": "pass",
    "SAU-TRACK:exits": "pass",
    "SAU-RECV:name": "pass",
    "SAU-ORW:listed": "pass",
    "SAU-DISSIP:outfalls": "pass",
    "SAU-DRAINWAY:channels": "pass",
}

_SAUKVILLE_PAPER: Final = """\
Acres of 43,560 square feet, from the corners in drawing.py:
site 1,320 x 1,320 = 40.000; construction site 800 x 570 = 10.468;
phase 1 760 x 260 + 50 x 50 = 200,100 sq ft = 4.594; phase 2 760 x 240 = 182,400 sq ft = 4.187; together 8.781;
phase 1 closes the day before phase 2 opens: at most 4.594 at one time.
Wetland on the site: shoelace formula on its 18 corners = 0.526.
Steep ground: the formula of the ground, differentiated every 2 ft, is at 20 % or more on 2.30 acres of the site (ravine
banks, road fill and ditch) and nowhere in the disturbed ground.
The first named water is Teasel Creek; below the pond it is on the list of impaired waters. It ends in a reservoir.
Within a mile: four pieces of Teasel Creek, two of the ravine's stream, North Branch, a ditch, Lantern Pond and a farm
pond (10 waters; the path through the pond, the pipe under the road and a pipeline are none); six wetlands and a point (7).
From the construction site, in the plane of the drawing: 137.4 ft to the ravine's stream, 315.8 ft to the marsh.
From OF-1 430 ft along the axis of the swale, through the pipe, to the marsh; 396.1 ft straight.
"""

SUBDIVISION: Final = Story(
    name="pass-saukville-subdivision",
    story="Eight lots west of a wooded ravine, graded in two phases. The map shows all that the ordinance lists, and the steep\n"
    "banks are left alone; the ordinance's list of thresholds is missing from the text supplied, so a person has the last word.",
    village="saukville", design=subdivision, status="needs_review", exit_code=0, findings=SAUKVILLE_ROWS,
    measurements={
        "site_acres": about(40.0), "construction_site_acres": about(10.468), "disturbed_acres": about(8.781),
        "phase_acres[1]": about(4.594), "phase_acres[2]": about(4.187), "disturbed_max_concurrent_acres": about(4.594),
        "disturbed_overlap_acres": {"value": 0.0}, "wetland_on_site_acres": about(0.5264),
        "steep_site_acres": about(2.3, 0.1), "steep_disturbed_acres": {"value": 0.0, "tol_abs": 0.005},
        "feet_per_inch[C-1]": {"value": 100.0}, "contour_interval_ft": {"value": 2.0, "tol_abs": 0.001},
        "grid_uncovered_acres": {"value": 0.0}, "waters_within_one_mile": {"value": 10},
        "wetlands_within_one_mile": {"value": 7}, "nearest_water_ft": about(137.4), "nearest_wetland_ft": about(315.8),
        "discharges[OF-1].flow_distance_ft": about(430.0, 0.05), "discharges[OF-1].straight_distance_ft": about(396.1),
    },
    on_paper=_SAUKVILLE_PAPER,
    plan={"name": "Heron Hill Subdivision", "applicant": "Imaginary Acres LLC", "submitted": "2025-03-10", "ordinance": "saukville"},
    stated={"site_acres": 40.0, "disturbed_acres": 8.78, "wetland_acres": 0.53, "disturbed_max_concurrent_acres": 4.59,
            "receiving_water": "Teasel Creek", "listed_waters": ("Teasel Creek",)},
    activity={"land_use": "residential_subdivision", "needs_plat": True, "state_funded": False},
    sheets=sheets("1\" = 100'", 2.0), args=("--layers", "layers/saukville"),
    decided_by=("applicability_disturbed",),
)  # fmt: skip


APPLIES: Final = ("SAU-APP-0:disturbed", "needs_review", "pass",
                  "The Superintendent applies the article from one acre of disturbed ground on.")  # fmt: skip
"""The decision that settles what the missing list of thresholds leaves open."""


_ONE_SHEET: Final = ({"name": "C-1", "shows": "site_map", "contour_interval_ft": 2.0, "paper": "24x36"},)


def saukville_story(name: str, story: str, paper: str, status: str, exit_code: int, rows: dict[str, str | None], *,
                    measurements: dict[str, Values] | None = None, settled: bool = False, **changed: Any) -> Story:  # fmt: skip
    """The complete plan with one change; a row set to None is not in the review.

    `settled` is where the reviewer has decided that the article applies, so that nothing but the change is open.
    """
    if settled:
        given = ("--overrides", f"sample_plans/{name}/overrides.toml")
        changed = {"args": (*SUBDIVISION.args, *given), "files": (overrides(APPLIES),), "decided": status} | changed
    findings = {row: state for row, state in (SAUKVILLE_ROWS | rows).items() if state is not None}
    return replace(
        SUBDIVISION, name=name, story=story, status=status, exit_code=exit_code, findings=findings,
        measurements=measurements or {}, on_paper=f"{paper}\nAll else as in pass-saukville-subdivision.\n", **changed
    )  # fmt: skip


def _across_the_ravine() -> Design:
    base = subdivision()
    third = ("3", box(200, -480, 520, -240), "2026-04-01", "2026-09-30")
    return replace(base, construction_site=box(-580, -790, 540, -220), phases=(*base.phases, third))


def _wider() -> Design:
    return replace(subdivision(), site=box(-1160, -790, 640, 530))


def _resting(drawing: Drawing) -> None:
    """Work on the first phase is paused for six weeks."""
    drawn = drawing["limits_of_disturbance"]
    rest = {"1": {"PAUSED": "2025-06-02", "RESUMES": "2025-07-15"}}
    drawing["limits_of_disturbance"] = replace(drawn, features=tuple(
        (area, values | rest.get(values["PHASE"], {"PAUSED": "", "RESUMES": ""})) for area, values in drawn.features
    ))  # fmt: skip


def _one_dated_lot(drawing: Drawing) -> None:
    drawn = drawing["lots"]
    drawing["lots"] = replace(drawn, features=tuple(
        (lot, values | {"CREATED": "2024-05-01" * (values["NAME"] == "Lot 1")}) for lot, values in drawn.features
    ))  # fmt: skip


SAUKVILLE_STORIES: Final = (
    SUBDIVISION,
    saukville_story(
        "unclear-steep-ravine",
        "A third phase crosses the ravine and grades its banks, which are steeper than 20 %.\n"
        "The ordinance asks to minimise that, it does not forbid it: the acres are measured and a person decides.",
        "Phase 3 is 320 x 240 ft = 76,800 sq ft = 1.763 acres; with the others 10.544. By the formula of the ground,\n"
        "differentiated every 2 ft, 0.52 acres of it are at 20 % or more.",
        "needs_review", 0,
        {"SAU-SLOPE:disturbed": "needs_review", "SAU-MAP-h2:OF-3": "pass", "SAU-ADJ:down": "needs_review",
         "SAU-ADJ:beside": "needs_review", "SAU-BMP-LOC:before": "needs_review", "SAU-DISSIP:outfalls": "needs_review",
         "SAU-DRAINWAY:channels": "needs_review"},
        measurements={"disturbed_acres": about(10.544), "phase_acres[3]": about(1.763),
                      "steep_disturbed_acres": about(0.52, 0.15)},
        design=_across_the_ravine, stated=SUBDIVISION.stated | {"disturbed_acres": 10.54, "disturbed_max_concurrent_acres": 5.95},
        changes=(outfall_in_the_ravine,),
        decided_by=("steep_slopes", "perimeter_controls", "practice_places", "dissipation", "drainageways"), settled=True,
    ),
    saukville_story(
        "unclear-steep-surface",
        "The same third phase across the ravine, but nobody has an elevation model: the engineer sends existing and finished\n"
        "ground as LandXML, and the steep acres are those of the submitted triangles, as the finding says.",
        "FG covers the limits of disturbance, whose corners lie on its 10-ft grid: 10.544 acres; EG 1,160 x 610 ft = 16.244.\n"
        "Steep ground as in unclear-steep-ravine, by the formula of the ground: 0.52 acres of the disturbed ground.",
        "not_checked", 3,
        {"SAU-ORW:listed": "needs_review", "SAU-SLOPE:disturbed": "needs_review", "SAU-MAP-h2:OF-1": "needs_review", "SAU-MAP-h2:OF-2": "needs_review",
         "SAU-MAP-h2:OF-3": "pass", "SAU-MAP-h2:undrawn": "not_checked", "SAU-ADJ:down": "not_checked",
         "SAU-ADJ:beside": "not_checked", "SAU-DRAINWAY:channels": "not_checked", "SAU-BMP-LOC:before": "needs_review",
         "SAU-DISSIP:outfalls": "needs_review"},
        measurements={"disturbed_acres": about(10.544), "surface_acres[surfaces.xml/FG]": about(10.544),
                      "surface_acres[surfaces.xml/EG]": about(16.244), "steep_disturbed_acres": about(0.52, 0.15),
                      "existing_steep_disturbed_acres": about(0.52, 0.15)},
        design=_across_the_ravine, stated=SUBDIVISION.stated | {"disturbed_acres": 10.54, "disturbed_max_concurrent_acres": 5.95},
        changes=(outfall_in_the_ravine, without("contours_proposed")), surfaces=True,
        args=("--layers", "layers/saukville/no_elevation.toml"), flags=("invented_ground", "slopes_from_plan"),
        decided_by=("discharges_shown", "perimeter_controls", "drainageways"),
    ),
    saukville_story(
        "fail-missed-wetland",
        "The wetland map shows a shrub swamp 0.6 miles northwest of the work, across the town road.\n"
        "The site map leaves it out; the ordinance wants every wetland within a mile.",
        "The swamp is number 5 of the wetland layer.",
        "fail", 1, {"SAU-MAP-i:wetlands": None, "SAU-MAP-i:wetlands:W-4301-5": "fail"},
        measurements={"wetlands_within_one_mile": {"value": 7}},
        changes=(keeping("wetlands", lambda _, values: values["KIND"] != "PSS1C"),),
        decided_by=("waters_within_one_mile",),
    ),
    saukville_story(
        "fail-undeclared-discharge",
        "The swale below the basin runs through a pipe under the county road to the marsh along Teasel Creek, and the east\n"
        "slope runs into the ravine. The map draws no outfall anywhere.",
        "Lines of steepest descent on the formula of the ground: from the south edge 330 to 580 ft to the marsh; from the east\n"
        "edge, north of v = -450, 300 to 550 ft to the ravine's stream; from the west edge 990 to 1,100 ft to the marsh.\n"
        "Both waters are reached within the quarter mile (1,320 ft).",
        "fail", 1,
        {"SAU-MAP-h2:OF-1": None, "SAU-MAP-h2:OF-2": None, "SAU-MAP-h2:undrawn:unnamed wetland": "fail",
         "SAU-MAP-h2:undrawn:unnamed intermittent stream": "fail", "SAU-BMP-LOC:before": "needs_review",
         "SAU-DISSIP:outfalls": "needs_review"},
        flags=("invented_ground", "discharge_assumed"), changes=(without("outfalls"),),
        decided_by=("discharges_shown",),
    ),
    saukville_story(
        "pass-saukville-drawing",
        "The same plan as the engineer's CAD drawing: contours at height zero that only their labels tell, one sheet with a\n"
        "site map at one inch to 60 feet and a vicinity map, and the sheet plotted at full size.",
        "The viewport shows 22.5 x 60 = 1,350 ft on 22.5 inches of paper; the vicinity map, 2,000 ft to the inch, is none\n"
        "that the rule asks about. The plot is 36 x 24 inches: 60 ft/in as drawn.",
        "needs_review", 0, {"SAU-SCALE:C-1": None, "SAU-SCALE:C-2": None, "SAU-SCALE:C-1 (dxf)": "pass", "SAU-SCALE:C-1 (pdf)": "pass"},
        measurements={"disturbed_acres": about(8.781), "phase_acres[1]": about(4.594), "site_acres": about(40.0),
                      "contour_interval_ft": {"value": 2.0, "tol_abs": 0.001}, "feet_per_inch[C-1]": {"value": 60.0},
                      "feet_per_inch[plan C-1]": {"value": 60.0}},
        flags=("invented_ground", "contour_elevation_source", "role_guessed"),
        sheets=_ONE_SHEET, format=".dxf", plots=(("C-1.pdf", 1.0),),
        decided_by=("applicability_disturbed",),
    ),
    saukville_story(
        "fail-half-size-print",
        "The same drawing with its sheet plotted at half size, 18 x 12 inches, as sets for the office are.\n"
        "The note still says one inch to 60 feet; on this paper an inch shows 120.",
        "Half of 36 x 24 is 18 x 12; twice 60 ft/in is 120 ft/in, more than 100. At full size it would hold.",
        "fail", 1,
        {"SAU-SCALE:C-1": None, "SAU-SCALE:C-2": None, "SAU-SCALE:C-1 (pdf)": "fail", "SAU-SCALE:C-1 (dxf)": "pass"},
        measurements={"feet_per_inch[C-1-half]": {"value": 120.0}, "feet_per_inch_full_size[C-1-half]": {"value": 60.0}},
        flags=("invented_ground", "contour_elevation_source", "sheet_reduced"),
        sheets=_ONE_SHEET, format=".dxf", plots=(("C-1-half.pdf", 0.5),),
        decided_by=("map_scale",),
    ),
    saukville_story(
        "fail-scale-200",
        "The same drawing plotted at one inch to 200 feet.\nThe ordinance allows no more than 100 feet to the inch.",
        "200 ft/in is more than 100 ft/in.",
        "fail", 1, {"SAU-SCALE:C-1": "fail", "SAU-SCALE:C-2": "fail"},
        measurements={"feet_per_inch[C-1]": {"value": 200.0}}, sheets=sheets("1\" = 200'", 2.0),
        decided_by=("map_scale",),
    ),
    saukville_story(
        "fail-contours-5ft",
        "The state's model ordinance asks for contours every five feet, and the engineer drew these.\n"
        "The village asks for two.",
        "Levels are multiples of 5 ft.",
        "fail", 1, {"SAU-CONTOUR:contours": "fail"},
        measurements={"contour_interval_ft": {"value": 5.0, "tol_abs": 0.001}}, sheets=sheets("1\" = 100'", 5.0), interval=5.0,
        decided_by=("contour_interval",),
    ),
    saukville_story(
        "fail-grid-gap",
        "The lettered grid was trimmed where the title of the lots stands: cells D5 and E5 are gone.\n"
        "The ordinance wants it over the entire map.",
        "Two cells of 200 x 200 ft inside the site = 80,000 sq ft = 1.837 acres.",
        "fail", 1, {"SAU-MAP-j:cover": "fail"},
        measurements={"grid_uncovered_acres": about(1.8365, 0.001)},
        changes=(keeping("grid", lambda _, values: values["NAME"] not in {"D5", "E5"}),),
        decided_by=("grid_over_map",),
    ),
    saukville_story(
        "unclear-bare-inlet",
        "The westernmost inlet of the new street has no protection, and nobody fenced the topsoil that stands for months.\n"
        "The village asks for both as far as practicable: a person decides.",
        "CB-4 stands inside the limits of disturbance, 250 ft from the next inlet.",
        "needs_review", 0, {"SAU-INLET:inlets": None, "SAU-INLET:bare": "needs_review", "SAU-STOCK:topsoil": "needs_review"},
        changes=(keeping("inlet_protection", lambda spot, _: spot.x != -400.0),
                 keeping("silt_fence", lambda line, _: not line.is_ring)),
        decided_by=("inlet_protection", "stockpile_standing"), settled=True,
    ),
    saukville_story(
        "fail-wrong-acreage",
        "The application states 7.00 acres of disturbed ground; the drawing shows 8.78.\n"
        "Somebody forgot to add up again after the second phase grew.",
        "8.78 - 7.00 = 1.78 acres, a fifth of what is drawn.",
        "fail", 1, {"SAU-ACRES:disturbed": "fail"},
        measurements={"disturbed_acres": about(8.781)}, stated=SUBDIVISION.stated | {"disturbed_acres": 7.0},
        decided_by=("stated_acreage",),
    ),
    saukville_story(
        "unclear-no-vertical-unit",
        "The elevations come from a file that nobody labelled with a unit; feet and metres would both be believable.\n"
        "The way of the runoff cannot be told, and the program does not guess; slopes are those between the plan's own "
        "contours, which nobody else has measured.",
        "Feet for metres would make 8 % of slope into 26 %.",
        "not_checked", 3,
        {"SAU-ORW:listed": "not_checked", "SAU-BMP-LOC:before": "needs_review", "SAU-SLOPE:disturbed": "needs_review",
         "SAU-MAP-h2:OF-1": "needs_review", "SAU-MAP-h2:OF-2": "needs_review",
         "SAU-MAP-h2:undrawn": "not_checked", "SAU-ADJ:down": "not_checked", "SAU-ADJ:beside": "not_checked",
         "SAU-DRAINWAY:channels": "not_checked", "SAU-RECV:name": "needs_review"},
        args=("--layers", "layers/saukville/no_vertical_unit.toml"),
        flags=("invented_ground", "dem_vertical_unit_unknown", "slopes_from_plan"),
        decided_by=("listed_waters", "discharges_shown", "perimeter_controls", "drainageways"),
    ),
    saukville_story(
        "unclear-short-layers",
        "The county mapped waters and wetlands only for 4,000 feet around: the mile reaches farther.\n"
        "All that is mapped is drawn, but none found beyond the map's edge means nothing.",
        "A mile is 5,280 ft.",
        "needs_review", 0,
        {"SAU-ORW:listed": "needs_review", "SAU-MAP-i:waters": None, "SAU-MAP-i:wetlands": None, "SAU-MAP-i:waters:coverage": "needs_review",
         "SAU-MAP-i:wetlands:coverage": "needs_review"},
        args=("--layers", "layers/saukville/short.toml"), flags=("invented_ground", "coverage_short"),
        decided_by=("listed_waters", "applicability_disturbed", "waters_within_one_mile"),
    ),
    saukville_story(
        "unclear-partly-in-etj",
        "The owner's land reaches 400 feet past the village limit into the town, within the village's extraterritorial area.\n"
        "There the ordinance applies only to sites that the village selects.",
        "The site is 1,800 x 1,320 ft = 54.545 acres; the limit runs 400 ft inside its west side: 1,400 x 1,320 ft = 42.424\n"
        "acres are in the village and 400 x 1,320 ft = 12.121 acres in the town.",
        "needs_review", 0, {"SAU-JUR-1:site": "needs_review"},
        measurements={"site_acres": about(54.545), "acres_inside[SAUKVILLE (village)]": about(42.424),
                      "acres_in_etj[SAUKVILLE (village)]": about(12.121)},
        design=_wider, stated=SUBDIVISION.stated | {"site_acres": 54.55},
        changes=(without("grid"), adding("grid", Drawn("grid", tuple(grid(west=-1300.0, columns=11)), (("name_field", "NAME"),)))),
        decided_by=("jurisdiction",), settled=True,
    ),
    saukville_story(
        "fail-saukville-statement",
        "The drawing is complete, the words are not: a river that the runoff does not reach first, a quarter of the wetland\n"
        "forgotten, an impaired creek not named, and no topographic map. Each alone is against the ordinance.",
        "The first named water is Teasel Creek, which below the pond is on the list of impaired waters. 0.40 acres are stated; drawn and mapped are 0.526, a quarter more.",
        "fail", 1, {"SAU-RECV:name": "fail", "SAU-ORW:listed": "fail", "SAU-MAP-h1:stated": "fail", "SAU-QUAD:quadrangle_map": "fail"},
        stated=SUBDIVISION.stated | {"wetland_acres": 0.40, "receiving_water": "Milwaukee River", "listed_waters": ()},
        narrative={"quadrangle_map": False},
        decided_by=("receiving_water", "listed_waters", "wetland_acreage", "statement_items"),
    ),
    saukville_story(
        "fail-saukville-thin-map",
        "A map for the contractor: neither the ground to be stabilised nor the sedge meadow on the site is drawn.\n"
        "The ordinance asks for both; the wetland's acres, which are stated, can be found nowhere on it.",
        "The meadow is number 4 of the wetland layer, 0.526 acres, wholly on the site.",
        "fail", 1,
        {"SAU-MAP-f:stabilization": "fail", "SAU-MAP-a:wetlands": "fail", "SAU-MAP-i:wetlands": None,
         "SAU-MAP-i:wetlands:W-4301-4": "fail", "SAU-MAP-h1:stated": None, "SAU-MAP-h1:mapped": "needs_review"},
        changes=(without("stabilization"), keeping("wetlands", lambda area, _: not area.within(SITE_AREA))),
        decided_by=("map_items", "waters_on_site_shown", "waters_within_one_mile"),
    ),
    saukville_story(
        "fail-saukville-order-of-works",
        "The fence comes three weeks after the first grading, and the first phase rests bare from June to the middle of July.\n"
        "The ordinance wants practices before disturbance, and ground that rests for more than 14 days stabilised.",
        "April 15 is before May 5. From June 2 to July 15 are 43 days, more than 14; seed and mulch come on August 1.",
        "fail", 1,
        {"SAU-14D:phase 1": "fail", "SAU-ORDER:before": "fail"},
        changes=(_resting, noting("silt_fence", PUT_UP="2025-05-05"), named_fields("silt_fence", start_field="PUT_UP"),
                 *(change for layer in ("stabilization", "revegetation")
                   for change in (noting(layer, SOWN="2025-08-01"), named_fields(layer, start_field="SOWN")))),
        decided_by=("pauses", "order_of_works"),
    ),
    saukville_story(
        "unclear-saukville-duplex",
        "A two-family house on two narrow lots, one of them cut off last year; the owner says that the work is routine\n"
        "maintenance and that a state agency does it. None of that is on a map, and each of it could free him from the permit.",
        "Site 200 x 190 ft = 38,000 sq ft = 0.872 acres, less than 1; graded 160 x 100 + 30 x 50 = 17,500 sq ft = 0.402 acres.\n"
        "Lots of 0.436 acres, one dated 2024-05-01, one not dated. No wetland is on the site.",
        "needs_review", 0,
        {"SAU-APP-1:site": "needs_review", "SAU-APP-2:disturbed": "needs_review", "SAU-JUR-2:claim": "needs_review",
         "SAU-APP-5:lots": "needs_review", "SAU-MAP-h2:OF-2": None, "SAU-MAP-h1:stated": None},
        measurements={"site_acres": about(0.8724), "disturbed_acres": about(0.4017)},
        design=duplex, settled=True, plan=SUBDIVISION.plan | {"name": "House at the Swale"},
        stated=SUBDIVISION.stated | {"site_acres": 0.87, "disturbed_acres": 0.40, "wetland_acres": 0.0,
                                     "disturbed_max_concurrent_acres": 0.40},
        activity={"land_use": "two_family", "needs_plat": False, "state_funded": False, "state_agency": True,
                  "exemption": "routine_maintenance"},
        changes=(keeping("outfalls", lambda _, values: values["NAME"] == "OF-1"),
                 keeping("riprap", lambda _, values: values["KIND"] != "level spreader"), _one_dated_lot),
        decided_by=("applicability_residential", "applicability_maintenance", "applicability_exempt", "division_of_land"),
    ),
)  # fmt: skip

"""Stories of Fairwater: a farm-supply store, and what is changed in its plan.

Expected values are worked out from the drawing's corners and from the formula of the ground, never from the program.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from drawing import Drawn, five_acres, store
from shapely import LineString, Polygon, box
from story import Story, about, adding, keeping, noting, sheets, without

if TYPE_CHECKING:
    from drawing import Design

_STREET: Final = LineString([(20, -823), (200, -823)])
_LATERAL: Final = LineString([(117, -800), (117, -540)])


def _small_basin() -> Design:
    base = store()
    return replace(base, basin=box(-295, -700, -235, -660))


STORE: Final = Story(
    name="pass-fairwater-commercial",
    story="A farm-supply store on a forty-acre lot, with a turning lane on the county road and a new water lateral.\n"
    "The map of the site as it is and the map of the site as it will be are on one scale; all that is listed is drawn.",
    village="fairwater", design=store, status="pass", exit_code=0,
    findings={
        "FAI-APP-1:land": "pass",
        "FAI-APP-2:street": "pass",
        "FAI-APP-3:plat": "not_applicable",
        "FAI-APP-3:lot": "pass",
        "FAI-APP-4:street": "pass",
        "FAI-APP-5:pipe": "pass",
        "FAI-JUR-1:site": "pass",
        "FAI-JUR-2:claim": "not_applicable",
        "FAI-CPLAN:disturbed": "pass",
        "FAI-SCALE:C-1": "pass",
        "FAI-SCALE-2:sheets": "pass",
        "FAI-MAP-a:site": "pass",
        "FAI-MAP-b:waters": "pass",
        "FAI-MAP-b:wetlands": "pass",
        "FAI-MAP-b:floodplain": "pass",
        "FAI-MAP-b1:surface_water": "pass",
        "FAI-MAP-b2:wetland": "pass",
        "FAI-MAP-b3:floodplain": "pass",
        "FAI-MAP-b4:vegetation": "pass",
        "FAI-MAP-b5:storm_sewer+inlet+culvert+outfall": "pass",
        "FAI-MAP-b6:drainage_pattern": "pass",
        "FAI-MAP-b7:utility": "pass",
        "FAI-MAP-b8:structure": "pass",
        "FAI-MAP-b9:road": "pass",
        "FAI-MAP-c:control": "pass",
        "FAI-APP-6:runoff": "pass",
        "FAI-CHAN:channels": "pass",
        "FAI-SHEET:sheet": "pass",
        "FAI-10-A:down": "pass",
        "FAI-10-A:beside": "pass",
        "FAI-10-A:channels": "not_applicable",
        "FAI-10-B:basins": "pass",
        "FAI-BASIN-1:P-1": "pass",
        "FAI-BASIN-2:P-1": "pass",
        "FAI-STOCK:topsoil": "pass",
        "FAI-INLET:inlets": "pass",
        "FAI-TRACK:exits": "pass",
    },
    measurements={
        "site_acres": about(40.0), "disturbed_acres": about(7.449), "disturbed_max_concurrent_acres": about(7.449),
        "lot_largest_acres": about(40.0), "street_work_ft": about(180.0), "pipe_work_ft": about(260.0),
        "feet_per_inch[C-1]": {"value": 60.0}, "feet_per_inch[C-2]": {"value": 60.0},
        "wetland_on_site_acres": about(0.5276), "steep_disturbed_acres": {"value": 0.0, "tol_abs": 0.005},
    },
    on_paper="Site 1,320 x 1,320 ft = 40.000 acres. Disturbed: 650 x 495 ft + 50 x 55 ft = 324,500 sq ft = 7.449 acres.\n"
    "Turning lane 180 ft, lateral 260 ft. Wetland: shoelace formula on its 18 corners = 0.528 acres.\n",
    plan={"name": "Prairie Feed and Seed", "applicant": "Imaginary Grain Cooperative", "submitted": "2025-02-24", "ordinance": "fairwater"},
    stated={"site_acres": 40.0, "disturbed_acres": 7.45, "wetland_acres": 0.53, "receiving_water": "Quillfeather Creek"},
    activity={"land_use": "commercial", "needs_plat": False, "state_funded": False, "street_work_ft": 180.0, "pipe_work_ft": 260.0},
    sheets=sheets("1\" = 60'", 2.0, ("existing", "final")), args=("--layers", "layers/fairwater"), format=".shp",
    changes=(adding("turning_lane", Drawn("street_work", ((_STREET, {"NAME": "turning lane"}),), (("name_field", "NAME"),))),
             adding("water_lateral", Drawn("pipe_work", ((_LATERAL, {"NAME": "8 in lateral"}),), (("name_field", "NAME"),)))),
)  # fmt: skip


def _rows(changed: dict[str, str | None]) -> dict[str, str]:
    """The store's rows with some changed; one that is None is not in the review."""
    return {row: status for row, status in (STORE.findings | changed).items() if status is not None}


_TWO_SCALES: Final = replace(
    STORE, name="fail-fairwater-two-scales",
    story="The site as it is was drawn at one inch to 50 feet, the site as it will be at one inch to 100 feet.\n"
    "Each alone would do; the ordinance wants both on the same scale.",
    status="fail", exit_code=1, findings=_rows({"FAI-SCALE-2:sheets": "fail"}),
    measurements={"feet_per_inch[C-1]": {"value": 50.0}, "feet_per_inch[C-2]": {"value": 100.0}},
    on_paper="50 is not 100. All else as in pass-fairwater-commercial.\n",
    sheets=sheets("1\" = 50'", 2.0, ("existing", "final"), "1\" = 100'"),
    decided_by=("same_scale",),
)  # fmt: skip

_SHORT_FENCE: Final = replace(
    STORE, name="fail-fairwater-short-fence",
    story="The silt fence west of the outlet was left out of the drawing: from the northwest corner down to the swale nothing\n"
    "stands below the yard. Under ten acres, a fence or its equal belongs along all side and down slopes.",
    status="fail", exit_code=1, findings=_rows({"FAI-10-A:down": "fail", "FAI-10-A:beside": "fail"}),
    measurements={},
    on_paper="West edge 495 ft, south edge from the corner to the swale: no control within 25 ft but the berm's end.\n"
    "All else as in pass-fairwater-commercial.\n",
    changes=(*STORE.changes, keeping("silt_fence", lambda line, _: line.bounds[0] > -500.0)),
    decided_by=("perimeter_controls",),
)  # fmt: skip

_SMALL_BASIN: Final = replace(
    STORE, name="fail-fairwater-small-basin", design=_small_basin,
    story="The basin was made smaller to save parking: 60 by 40 feet, and two and a half feet deep.\n"
    "The ordinance asks for 1 % of what drains to it, on and off the site, and for three feet.",
    status="fail", exit_code=1,
    findings=_rows({"FAI-BASIN-1:P-1": "fail", "FAI-BASIN-2:P-1": "fail"}),
    measurements={"basin_acres[P-1]": about(0.0551, 0.005)},
    on_paper="60 x 40 = 2,400 sq ft = 0.0551 acres; 1 % of the 9 acres in the swale above is 0.09. 2.5 ft are less than 3.\n"
    "All else as in pass-fairwater-commercial.\n",
    changes=(*STORE.changes, noting("basin", DEPTH_FT=2.5)),
    decided_by=("basin_sizes", "basin_depths"),
)  # fmt: skip

_ACROSS: Final = LineString([(70, -739), (70, -794), (120, -794), (122, -739), (132, -739)])

_BARE: Final = replace(
    STORE, name="fail-fairwater-open-inlets",
    story="Nobody drew how the two inlets of the new drive are kept clean, and the fence runs straight across the drive.\n"
    "The ordinance wants every storm drain inlet protected, and gravelled drives that keep the soil off the road.",
    status="fail", exit_code=1,
    findings=_rows({"FAI-INLET:inlets": None, "FAI-INLET:bare": "fail", "FAI-TRACK:exits": "fail"}),
    measurements={}, on_paper="Two inlets, no protection; no entrance, no pad. All else as in pass-fairwater-commercial.\n",
    changes=(*STORE.changes, without("inlet_protection", "entrance"),
             adding("silt_fence", Drawn("control", ((_ACROSS, {"KIND": "silt fence"}),), (("kind_field", "KIND"),)))),
    decided_by=("inlet_protection", "tracking"),
)  # fmt: skip


def _to_the_creek() -> Design:
    base = store()
    return replace(base, site=box(-1100, -1700, 640, 530), stockpile=box(-10, -412, 60, -372))


_UPSLOPE: Final = replace(
    STORE, name="unclear-fairwater-upslope", design=_to_the_creek,
    story="The land reaches down to the creek, so that no runoff was seen to leave it; no berm leads the water of the land\n"
    "above around the yard, and the topsoil stands above the drive. The ordinance leaves each of these to a person.",
    status="needs_review", exit_code=0,
    findings=_rows({"FAI-CHAN:channels": "needs_review", "FAI-SHEET:sheet": "needs_review",
                               "FAI-STOCK:topsoil": "needs_review", "FAI-APP-6:runoff": "needs_review",
                               "FAI-10-A:beside": "needs_review", "FAI-10-A:channels": "needs_review"}),
    measurements={"site_acres": about(89.077), "lot_largest_acres": about(40.0)},
    on_paper="Site 1,740 x 2,230 ft = 89.077 acres; the creek runs through it at v = -1,190. From the foot of the pile at\n"
    "v = -412 to the middle of the drive at v = -420 are 8 ft, less than 15. The\n"
    "swale, which the berm turned away, comes in as a channel, without fences along it; and the berm's ends were what stood\n"
    "beside the highest feet of the side slopes. All else as in pass-fairwater-commercial.\n",
    stated=STORE.stated | {"site_acres": 89.08}, changes=(*STORE.changes, without("diversion")),
    decided_by=("adjacent_channels", "adjacent_sheet", "stockpile_distance", "runoff_leaves", "perimeter_controls"),
)  # fmt: skip


def _wide_open() -> Design:
    ground = Polygon(
        [(-500, -735), (70, -735), (70, -790), (120, -790), (120, -735), (150, -735), (150, 50), (-500, 50)]
    )
    return replace(
        store(), construction_site=box(-520, -790, 170, 70), phases=(("1", ground, "2025-05-01", "2025-10-31"),)
    )


_WIDE_OPEN: Final = replace(
    STORE, name="fail-fairwater-no-basin", design=_wide_open,
    story="The yard grew to the north, all of it is graded at once, and no basin is drawn.\n"
    "With more than ten acres open at one time the ordinance asks for one or more sedimentation basins.",
    status="fail", exit_code=1,
    findings=_rows({"FAI-10-B:basins": "fail", "FAI-10-A:perimeter": "not_applicable", "FAI-10-A:down": None,
                               "FAI-10-A:beside": None, "FAI-10-A:channels": None, "FAI-BASIN-1:P-1": None,
                               "FAI-BASIN-2:P-1": None, "FAI-BASIN-1:basins": "not_applicable",
                               "FAI-BASIN-2:basins": "not_applicable"}),
    measurements={"disturbed_max_concurrent_acres": about(11.777)},
    on_paper="650 x 785 ft + 50 x 55 ft = 513,000 sq ft = 11.777 acres, more than 10. All else as in pass-fairwater-commercial.\n",
    stated=STORE.stated | {"disturbed_acres": 11.78}, changes=(*STORE.changes, without("basin")),
    decided_by=("basins_required",),
)  # fmt: skip

_LANE: Final = LineString([(45, -823), (145, -823)])
_BESIDE_THE_PAD: Final = LineString([(128, -744), (145, -744)])

_FIVE: Final = replace(
    STORE, name="unclear-fairwater-five-acres", design=five_acres,
    story="Five acres of land, five acres of it graded, and a hundred feet of turning lane: every threshold to the foot.\n"
    "No survey is that exact, and the plat's limit is another than the lot's: a person says which rules apply.",
    status="needs_review", exit_code=0,
    findings=_rows({"FAI-APP-1:land": "needs_review", "FAI-APP-3:plat": "needs_review",
                               "FAI-APP-3:lot": "needs_review", "FAI-CPLAN:disturbed": "needs_review",
                               "FAI-APP-2:street": "needs_review", "FAI-APP-4:street": "needs_review",
                               "FAI-SHEET:sheet": "needs_review"}),
    measurements={"site_acres": about(5.0), "disturbed_acres": about(5.0), "street_work_ft": about(100.0)},
    on_paper="640 x 335 + 68 x 50 = 217,800 sq ft = 5.000 acres: not over five for a plat, five or more for the rest.\n"
    "Hardly any ground lies around the five acres that does not drain to them: how much sheet flow comes in cannot be told.\n",
    plan=STORE.plan | {"name": "Five Acre Feed"},
    stated=STORE.stated | {"site_acres": 5.0, "disturbed_acres": 5.0, "wetland_acres": 0.0},
    activity=STORE.activity | {"needs_plat": True, "street_work_ft": 100.0},
    changes=(adding("turning_lane", Drawn("street_work", ((_LANE, {"NAME": "turning lane"}),), (("name_field", "NAME"),))),
             *STORE.changes[1:],
             adding("silt_fence", Drawn("control", ((_BESIDE_THE_PAD, {"KIND": "silt fence"}),), (("kind_field", "KIND"),)))),
    decided_by=("applicability_land", "applicability_plat_or_lot", "applicability_length", "plan_content_applies",
                "adjacent_sheet"),
)  # fmt: skip


FAIRWATER_STORIES: Final = (STORE, _TWO_SCALES, _SHORT_FENCE, _SMALL_BASIN, _BARE, _UPSLOPE, _WIDE_OPEN, _FIVE)

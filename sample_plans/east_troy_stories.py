"""Stories of East Troy: storage units near the airport.

Expected values are worked out from the drawing's corners and on the ellipsoid, never from the program.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from drawing import SITE_AREA, Drawn, hangars
from ground import VILLAGES, Ground
from story import Story, about, adding, noting, overrides, sheets, without

_HIGH_WATER: Final = Drawn("ohwm", tuple(
    (Ground(VILLAGES["east_troy"]).ravine.intersection(SITE_AREA).offset_curve(away), {"NAME": side})
    for away, side in ((6.0, "left bank"), (-6.0, "right bank"))
), (("name_field", "NAME"),))  # fmt: skip
"""Six feet from the middle of the ravine's stream: its floor is ten feet wide, its banks rise at 40 %."""

HANGARS: Final = Story(
    name="unclear-east-troy-airport",
    story="Storage units with a pond and a rain garden, a mile and a half from the village airport. The ordinance's map of the\n"
    "airport zone was not supplied, and nobody says how fast the rain garden drains: a person must look.",
    village="east_troy", design=hangars, status="needs_review", exit_code=0,
    findings={
        "ETR-APP-0:disturbed": "pass", "ETR-JUR-1:site": "pass", "ETR-AIR-1:airport": "needs_review",
        "ETR-AIR-2:P-1": "pass", "ETR-AIR-2:RG-1": "needs_review",
    },
    measurements={
        "site_acres": about(40.0), "disturbed_acres": about(7.534), "airport_ft": about(8103.7),
    },
    on_paper="Site 1,320 x 1,320 ft = 40.000 acres. Disturbed: 720 x 450 ft + 70 x 60 ft = 328,200 sq ft = 7.534 acres.\n"
    "Geodesic from the site's northeast corner to the airport reference point 42.79694 N, 88.37250 W: 8,103.7 ft.\n",
    plan={"name": "Brook Bend Storage", "applicant": "Imaginary Storage Inc.", "submitted": "2025-03-03", "ordinance": "east_troy"},
    stated={"site_acres": 40.0, "disturbed_acres": 7.53, "wetland_acres": 0.53, "receiving_water": "Bittern Brook"},
    activity={"land_use": "commercial", "needs_plat": False, "state_funded": False},
    sheets=sheets("1 inch = 50 feet", 2.0), args=("--layers", "layers/east_troy"), format=".geojson",
    changes=(without("lots"), noting("basin", drain_hours=36.0), adding("high_water_mark", _HIGH_WATER)),
    decided_by=("airport_distance", "airport_ponds"),
)  # fmt: skip

_WET_POND: Final = replace(
    HANGARS, name="fail-east-troy-wet-pond",
    story="The same storage units, but the pond holds its water for three days and draws geese.\n"
    "Within 10,000 feet of the airport a stormwater pond must drain within 48 hours.",
    status="fail", exit_code=1, findings=HANGARS.findings | {"ETR-AIR-2:P-1": "fail"},
    on_paper="72 hours are more than 48, and 8,103.7 ft less than 10,000. All else as in unclear-east-troy-airport.\n",
    changes=(without("lots"), noting("basin", drain_hours=72.0)),
    decided_by=("airport_ponds",),
)  # fmt: skip

_TOP_OF_CHANNEL: Final = replace(
    HANGARS, name="unclear-east-troy-top-of-channel",
    story="The reviewer has settled what the airport asks, and doubts the high-water mark along the ravine that the engineer\n"
    "drew: where the top of the channel lies, from which distances are to be measured, is fixed in the field.",
    findings=HANGARS.findings, measurements={}, plan_of=HANGARS.name, decided="needs_review",
    on_paper="Three decisions: two pass, one is open. All else as in unclear-east-troy-airport.\n",
    args=(*HANGARS.args, "--overrides", "sample_plans/unclear-east-troy-top-of-channel/overrides.toml"),
    files=(overrides(
        ("ETR-AIR-1:airport", "needs_review", "pass", "The circular was followed; letter of the airport's manager."),
        ("ETR-AIR-2:RG-1", "needs_review", "pass", "Infiltration tests: dry within a day."),
        ("ETR-TOC:top_of_channel", "needs_review", "needs_review", "The mark is to be staked in the field first."),
    ),), decided_by=("top_of_channel",),
)  # fmt: skip


EAST_TROY_STORIES: Final = (HANGARS, _WET_POND, _TOP_OF_CHANNEL)

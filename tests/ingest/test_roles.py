"""Names of layers as offices write them, and the roles they speak of."""

import time

import pytest

from siteplan_gis.errors import InputError
from siteplan_gis.ingest.roles import guess_role, matched, require_role
from siteplan_gis.model.plan import ROLES

NAMES = {
    "disturbed_area": ["LOD", "lod_3857", "Limits_of_Disturbance", "LimitsOfDisturbance", "LIMIT OF DISTURBANCE", "C-LOD",
        "limits-of-construction", "Disturbed Area", "disturbance_ph1", "LOD_PHASE2", "Phase 1", "phases", "GRADING LIMITS",
        "clearing_limits", "land disturbance", "DISTURBED_AREAS", "C-LIMT-DIST", "C-DIST-LIMT", "base$0$C-LOD"],
    "contour_existing": ["EX_CONTOUR", "contours", "Existing Contours", "V-TOPO-MAJR", "V-TOPO-MINR", "xref$0$V-TOPO-MAJR", "C-TOPO-MINR-E", "topo", "CONT_EX",
        "contours_2ft"],
    "contour_proposed": ["PROP_CONTOUR", "Proposed Contours", "C-TOPO-MAJR-N", "C-TOPO-MINR-N", "FG_CONTOURS", "finished grade contours",
        "contours_proposed", "ContoursProposed"],
    "wetland": ["wetlands", "WETLAND", "Wetland Delineation", "wetland boundary", "V-WETL"],
    "floodplain": ["FEMA 100yr", "floodplain", "Flood Plain", "floodway", "C-FLHA", "V-FLPL-EDGE"],
    "surface_water": ["waters", "Streams", "creek", "RIVERS", "V-RIVR", "lake_shore", "NHDFlowline", "water bodies"],
    "control": ["Silt Fence", "SILTFENCE", "C-EROS-SILT", "inlet protection", "BMPs", "erosion_control", "check dams",
        "perimeter control"],
    "entrance": ["Construction Entrance", "tracking pad", "stone entrance", "C-EROS-ENTR"],
    "stockpile": ["stockpile", "Topsoil Stockpile", "soil_stockpiles"],
    "revegetation": ["revegetation", "Permanent Seeding", "landscaping"],
    "stabilization": ["stabilization", "temporary seeding", "mulch"],
    "infiltration": ["infiltration basin", "rain gardens", "bioretention"],
    "outfall": ["outfalls", "OUTFALL_1", "discharge point", "C-STRM-OUTF"],
    "inlet": ["inlets", "catch basins", "CB", "C-STRM-INLT"],
    "culvert": ["culverts", "EX_CULV", "C-STRM-CULV"],
    "pond": ["ponds", "detention pond", "wet basin", "Stormwater Pond"],
    "storm_sewer": ["storm sewer", "C-STRM-PIPE", "STORM"],
    "utility": ["C-WATR-PIPE", "water main", "sanitary sewer", "gas", "utilities", "C-SSWR"],
    "road": ["EX_ROAD", "roads", "C-ROAD-CNTR", "driveway", "edge of pavement", "parking", "C-PVMT-EDGE", "C-PKNG-STRP", "C-DRIV"],
    "structure": ["Bldg", "A-BLDG", "buildings", "house"],
    "site": ["site", "Site Boundary", "PROPERTY LINE", "V-PROP-LINE", "parcel", "project_boundary", "C-PROP-BNDY", "V-SITE-BNDY"],
    "lot": ["lots", "LOT LINES", "C-PROP-LOTS"],
    "construction_site": ["construction site", "construction_site"],
    "vegetation": ["trees", "TREE LINE", "woodland", "L-PLNT", "V-SITE-VEGE", "V-SITE-TREE"],
    "drainage_pattern": ["drainage arrows", "flow paths", "swales", "ditch", "C-DTCH-CNTR", "C-DRAN-FLOW"],
    "grid": ["grid"],
    "surface_existing": ["surface_existing", "Surface-Existing"],
    "surface_proposed": ["surface_proposed"],
    "ohwm": ["OHWM", "ordinary high water mark"],
    "street_work": ["street work"],
    "pipe_work": ["pipe work"],
    "": ["Layer1", "0", "misc", "C-ANNO-TEXT", "contour labels", "Wetland Buffer", "wetland_setback_75ft", "undisturbed",
        "watershed", "title block", "LOD text", "Defpoints", "drainage easement", "V-TOPO-SPOT", "V-TOPO-BKLN", "C-TOPO-TEXT",
        "breaklines", "V-SITE-FENC", "G-ANNO-TTLB", "V-TOPO-BNDY"],
}  # fmt: skip


@pytest.mark.parametrize(("role", "name"), [(role, name) for role, names in NAMES.items() for name in names])
def test_names_of_offices(role, name):
    assert guess_role(name) == role


@pytest.mark.parametrize("role", ROLES)
def test_a_role_is_its_own_name(role):
    assert guess_role(role) == role
    assert guess_role(role.upper() + "S") == role
    assert guess_role(role.replace("_", "-")) == role


def test_every_role_is_spoken_of():
    assert set(NAMES) == {*ROLES, ""}


def test_an_equal_name_outranks_a_pattern_and_case_does_not_matter():
    told = {"*": "road", "LOD": "disturbed_area"}
    assert matched(["plan.gpkg/lod", "lod"], told) == ("LOD", "disturbed_area")
    assert matched(["plan.gpkg/x", "x"], told) == ("*", "road")
    assert matched(["x"], {"y": "road"}) is None
    assert matched(["a[1]"], {"A[1]": "road"}) == ("A[1]", "road")


def test_an_unknown_role_is_named_with_the_known_ones():
    with pytest.raises(InputError, match=r"--role / layer LOD: 'dirt' is not a role; use one of site, .*ignore"):
        require_role("dirt", file="--role", layer="LOD")
    assert require_role("ignore") == "ignore"


def test_a_name_without_end_is_looked_at_in_no_time():
    began = time.process_time()
    assert guess_role("contour interval " * 50_000) == "contour_existing"
    assert time.process_time() - began < 1

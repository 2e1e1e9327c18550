from __future__ import annotations

import numpy as np
import pytest

from siteplan_gis.ingest.reference.codes import (
    field_names,
    flood_kind,
    is_deepwater,
    municipality,
    text_of,
    water_kind,
    wetland_kind,
)
from siteplan_gis.ingest.reference.kinds import KINDS, downstream_ids, network_order


@pytest.mark.parametrize(
    ("attributes", "kind"),
    [
        # NHD and NHDPlus: FCode outranks FType; both as numbers or texts.
        ({"fcode": 46000}, "stream"),
        ({"fcode": "46006", "ftype": "StreamRiver"}, "stream"),
        ({"fcode": 46003.0, "ftype": 460}, "intermittent_stream"),
        ({"fcode": 46007}, "ephemeral_stream"),
        ({"fcode": 55800}, "artificial_path"),
        ({"fcode": 33400}, "connector"),
        ({"fcode": 33600}, "ditch"),
        ({"fcode": 33603}, "ditch"),
        ({"fcode": 42003}, "underground"),
        ({"fcode": 42801}, "pipeline"),
        ({"fcode": 39004}, "lake"),
        ({"fcode": 43624}, "reservoir"),
        ({"fcode": 46602}, "wetland"),
        ({"fcode": 56600}, "coastline"),
        ({"fcode": 45800}, "spring"),
        ({"fcode": 40307}, "other"),
        ({"ftype": 460}, "stream"),
        ({"ftype": "StreamRiver"}, "stream"),
        ({"ftype": "Stream/River"}, "stream"),
        ({"ftype": "STREAM/RIVER "}, "stream"),
        ({"ftype": "CONNECTOR"}, "connector"),
        ({"ftype": "ARTIFICIAL PATH"}, "artificial_path"),
        ({"ftype": "CANAL/DITCH"}, "ditch"),
        ({"ftype": "SwampMarsh"}, "wetland"),
        ({"ftype": "Inundation Area"}, "other"),
        ({"ftype": "LakePond", "fcode": None}, "lake"),
        # 3DHP: the number decides, whatever the label says.
        ({"featuretype": 1, "featuretypelabel": "Canal"}, "stream"),
        ({"featuretype": 2}, "ditch"),
        ({"featuretype": 4}, "connector"),
        ({"featuretype": 5}, "artificial_path"),
        ({"featuretype": 7}, "other"),
        # WDNR 24K: two codes are known.
        ({"hydrotype": "508"}, "stream"),
        ({"hydrotype": 706}, "lake"),
        ({"hydrotype": 512}, "water"),
        # Words of local maps, and nothing at all.
        ({"type": "Intermittent Stream"}, "intermittent_stream"),
        ({"type": "Drainage ditches"}, "ditch"),
        ({"type": "stream culvert"}, "underground"),
        ({"type": "Retention Pond"}, "pond"),
        ({"type": "None"}, "water"),
        ({}, "water"),
    ],
)
def test_water_kinds(attributes, kind):
    assert water_kind(attributes) == kind
    assert kind in KINDS["waters"]


def test_a_stream_drawn_as_an_area_is_a_river():
    assert water_kind({"ftype": "StreamRiver", "fcode": 46006}, is_area=True) == "river"
    assert water_kind({"fcode": 39004}, is_area=True) == "lake"


@pytest.mark.parametrize(
    ("attributes", "kwargs", "kind"),
    [
        ({"attribute": "PEM1C"}, {}, "wetland"),
        ({"attribute": "R5UBH"}, {}, "wetland"),
        ({"wetcode": "E2Kg"}, {}, "wetland"),
        ({}, {"is_point": True}, "wetland_point"),
        ({}, {"is_point": True, "layer": "WWI_Filled_Points"}, "filled_wetland"),
        ({"wetland_type": "Filled/drained"}, {}, "filled_wetland"),
        ({"wetland_type": "Unfilled"}, {}, "wetland"),
    ],
)
def test_wetland_kinds(attributes, kwargs, kind):
    assert wetland_kind(attributes, **kwargs) == kind


@pytest.mark.parametrize(
    ("code", "deep"), [("R5UBH", True), ("R4SBC", True), ("L2ABH", True), ("Riverine", True), ("PFO1A", False),
                       ("PUBHx", False), ("E2Kg", False), ("", False), ("Freshwater Pond", False)]
)  # fmt: skip
def test_rivers_and_lakes_in_a_wetland_map(code, deep):
    assert is_deepwater(code) is deep


@pytest.mark.parametrize(
    ("zone", "subtype", "special", "kind"),
    [
        ("AE", "FLOODWAY", "T", "floodway"),
        ("AE", " RIVERINE FLOODWAY SHOWN IN COASTAL ZONE ", "T", "floodway"),
        ("AE", "", "T", "flood_fringe"),
        ("A", None, "T", "flood_fringe"),
        ("AE", "<Null>", " ", "flood_fringe"),
        ("A99", -9999, None, "flood_fringe"),
        ("VE", "", "", "flood_fringe"),
        ("A12", "", None, "flood_fringe"),
        ("AREA NOT INCLUDED", "", None, "other"),
        ("OPEN WATER", "", "F", "other"),
        ("X", "0.2 PCT ANNUAL CHANCE FLOOD HAZARD", "F", "other"),
        ("X", "AREA OF MINIMAL FLOOD HAZARD", None, "other"),
        ("D", "", "F", "other"),
        ("", "", None, "other"),
    ],
)
def test_flood_kinds(zone, subtype, special, kind):
    assert flood_kind({"fld_zone": zone, "zone_subty": subtype, "sfha_tf": special}) == kind


@pytest.mark.parametrize(
    ("attributes", "name", "expected"),
    [
        ({"ctv": "V", "cnty_name": "Ozaukee"}, "Saukville", ("Saukville", "village")),
        ({"ctv": "T"}, "Saukville", ("Saukville", "town")),
        ({"ctv": "C"}, "Port Washington", ("Port Washington", "city")),
        ({"namelsad": "Plainfield village", "lsad": "47", "classfp": "C5", "mtfcc": "G4110"}, "Plainfield",
         ("Plainfield", "village")),
        ({"namelsad": "Madison city", "lsad": 25}, "Madison", ("Madison", "city")),
        ({"namelsad": "Saukville town", "lsad": "43", "classfp": "T1", "mtfcc": "G4040"}, "Saukville",
         ("Saukville", "town")),
        ({"namelsad": "Cary town", "lsad": "43", "classfp": "C1", "mtfcc": "G4110"}, "Cary",
         ("Cary", "incorporated_town")),
        ({"namelsad": "Whittlesey CDP", "lsad": "57", "classfp": "U1"}, "Whittlesey", None),
        ({"namelsad": "Whittlesey CDP"}, "Whittlesey", None),
        ({"mtfcc": "G4210"}, "Whittlesey", None),
        ({}, "TOWN OF EAST TROY", ("EAST TROY", "town")),
        ({}, "Village of East Troy", ("East Troy", "village")),
        ({}, "MONONA - C", ("MONONA", "city")),
        ({}, "Kansas City", ("Kansas City", "city")),
        ({"etj_mi": 0.0}, "Beta Town", ("Beta Town", "incorporated_town")),
        ({}, "Alpha", ("Alpha", "")),
    ],
)  # fmt: skip
def test_municipalities(attributes, name, expected):
    assert municipality(attributes, name) == expected


@pytest.mark.parametrize(
    "nothing", [None, "", "  ", "nan", "None", "<Null>", "Unnamed", "UNNAMED", float("nan"), -9999]
)
def test_nothing_has_many_spellings(nothing):
    assert text_of(nothing) == ""


def test_texts_are_stripped_and_numbers_are_plain():
    assert text_of("Token  Creek   ") == "Token Creek"
    assert text_of(np.float64(46006.0)) == "46006"
    assert text_of(np.int64(7)) == "7"
    assert text_of(b"Fox") == "Fox"


def test_telling_fields_are_found_in_any_dress():
    names = field_names("wetlands", ["OBJECTID", "Wetlands.ATTRIBUTE", "Wetlands.WETLAND_TYPE", "Wetlands.GLOBALID"])
    assert (names.code, names.id, names.permanent) == ("Wetlands.ATTRIBUTE", "Wetlands.GLOBALID", True)
    names = field_names("waters", ["OBJECTID", "GNIS_Name", "FCode"])
    assert (names.name, names.id, names.code, names.permanent) == ("GNIS_Name", "OBJECTID", "FCode", False)
    assert field_names("waters", []) == field_names("waters", ["geometry_length"])
    assert field_names("municipalities", ["NAME", "NAMELSAD", "GEOID"]).name == "NAME"


@pytest.mark.parametrize(
    ("attributes", "order"),
    [
        ({}, (None, None, True)),
        ({"hydroseq": 250031234.0, "streamorde": 3}, (250031234.0, 3, True)),
        ({"stream_order": "2"}, (None, 2, True)),
        ({"strahler": -9, "hydroseq": 0}, (None, None, True)),
        ({"flowdir": 1}, (None, None, True)),
        ({"flowdir": 0}, (None, None, False)),
        ({"flowdir": "Uninitialized"}, (None, None, False)),
        ({"flowdir": "With Digitized"}, (None, None, True)),
        ({"flowdir": None, "hydroseq": float("nan")}, (None, None, True)),
    ],
)
def test_order_fields_of_a_network(attributes, order):
    assert network_order(attributes) == order


def test_both_legs_of_a_divergence_lie_downstream():
    fields = {
        "comid": np.array([1, 2, 3, 4]),
        "fromnode": np.array([10, 20, 20, 30]),
        "tonode": np.array([20, 30, 40, 0]),
    }
    assert downstream_ids(fields, "flowlines") == {0: ("2", "3"), 1: ("4",)}
    by_hydroseq = {
        "comid": np.array([1, 2, 3]),
        "hydroseq": np.array([300.0, 200.0, 100.0]),
        "dnhydroseq": np.array([200.0, 0.0, 0.0]),
        "dnminorhyd": np.array([100.0, 0.0, 0.0]),
    }
    assert downstream_ids(by_hydroseq, "waters") == {0: ("2", "3")}
    assert downstream_ids(fields, "wetlands") == {}
    assert downstream_ids({"fromnode": np.array([1])}, "waters") == {}

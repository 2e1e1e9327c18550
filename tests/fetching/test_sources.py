"""The file of sources: every layer of the published list with its fields, and codes that mean what the reader reads."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from siteplan_gis.errors import InputError, SeveralInputErrors
from siteplan_gis.fetching.registry import chosen_sources, read_sources, shipped_sources, sources_text
from siteplan_gis.ingest.reference.codes import flood_kind, municipality, water_kind, wetland_kind
from siteplan_gis.model.layers import LAYER_ROLES

ROOT = Path(__file__).resolve().parents[2]
SOURCES = read_sources()
BY_ID = {source.id: source for source in SOURCES}

PUBLISHED = {
    "WT_SWDV/WY_INLAND_WATER_RESOURCES/MapServer": {0, 1, 2, 3, 8},
    "TS_AGOL_STAGING_SERVICES/EN_AGOL_STAGING_SurfaceWater_WTM/MapServer": {0, 1, 2},
    "DW_Map_Dynamic/EN_SurfaceWater_WTM_Ext_Dynamic_L16/MapServer": {1, 3, 5},
    "hydro.nationalmap.gov/arcgis/rest/services/nhd/MapServer": {2, 6, 9, 12},
    "NHDPlus_HR/MapServer": {3, 9},
    "3DHP_all/MapServer": {50, 60, 80},
    "WT_Wisconsin_Wetland_Inventory_NWI_WTM_Ext_Dynamic_L16/MapServer": {2, 5, 6, 8, 9, 10, 11, 12},
    "WY_WETLAND_INDICATORS/MapServer": {21},
    "fwspublicservices.wim.usgs.gov/wetlandsmapservice/rest/services/Wetlands/MapServer": {0},
    "WT_SWDV/WT_Dam_and_Floodplain_WTM_Ext_v2/MapServer": {11, 12, 13},
    "hazards.fema.gov/arcgis/rest/services/public/NFHL/MapServer": {28},
    "FDsAtKBk8Hy4cAH0/ArcGIS/rest/services/WI_Cities_Towns_and_Villages_Current/FeatureServer": {0},
    "EN_Municipality_Boundary_WTM_Ext/MapServer": {0},
    "EN_Reference_Layers_WTM_Ext/MapServer": {5, 7},
    "tigerweb.geo.census.gov": {1, 4},
    "n6uYoouQZW75n5WI/arcgis/rest/services/Wisconsin_Statewide_Parcels_DB/FeatureServer": {0},
    "EN_County_Tax_Parcels/MapServer": {0},
    "ssFJjBXIUyZDrSYZ/arcgis/rest/services/US_Airport/FeatureServer": {0},
    "ssFJjBXIUyZDrSYZ/arcgis/rest/services/Runways/FeatureServer": {0},
    "DW_Elevation/EN_DEM_from_LiDAR/ImageServer": {None},
    "DW_Elevation/EN_DEM_from_LiDAR_Feet/ImageServer": {None},
    "DW_Elevation/EN_DEM_10m/ImageServer": {None},
    "DW_Elevation/EN_Slope_from_LiDAR_Percent/ImageServer": {None},
    "DW_Elevation/EN_Slope_from_LiDAR_Degree/ImageServer": {None},
    "DW_Elevation/EN_Contour_from_LiDAR_2_ft/ImageServer": {None},
    "DW_Elevation/EN_DEM_from_LiDAR_Index/MapServer": {0},
    "elevation.nationalmap.gov/arcgis/rest/services/3DEPElevation/ImageServer": {None},
    "3DEPElevationIndex/MapServer": {11},
    "DW_Map_Dynamic/EN_SSURGO_Soil_Survey_WTM_Ext/MapServer": {0, 1, 5, 9},
    "WY_WETLANDS_AND_HABITAT/MapServer": {12, 14, 15},
    "SDMDataAccess.sc.egov.usda.gov/Tabular/post.rest": {None},
    "WY_DESIGNATED_WATERS/MapServer": {4, 7},
    "WY_CONDITION_ASSESSMENTS/MapServer": {13, 14, 16, 17, 19, 20},
    "WT_TMDL_Status/MapServer": {0},
    "ATTAINS": {1},
    "WY_FEDERAL_HYDROLOGIC_UNITS/MapServer": {0, 1, 2},
    "services/wbd/MapServer": {1, 2, 3, 4, 5, 6},
}
"""Services by a part of their address, and the numbers of their layers, as the published list has them."""

FIELDS = {
    "wdnr_streams": "HYDROID HYDROCODE HYDROTYPE RIVER_SYS_NAME ROW_NAME RIVER_SYS_WBIC STREAM_ORDER WATERBODY_HYDROID "
    "TRACE_USE_FLAG CARTO_USE_FLAG LANDLOCK_CODE QUAD_LINE_FLAG ORIG_HRZ_SRC_YR ORIG_HRZ_SRC_DNOM_AMT",
    "wdnr_lakes": "WATERBODY_NAME WATERBODY_WBIC HYDROTYPE",
    "nhd_flowlines": "FCODE",
    "3dhp_flowlines": "FEATURETYPE",
    "wwi_old_areas": "WETCODE NEWCODE",
    "nwi_wetlands": "Wetlands.ATTRIBUTE Wetlands.WETLAND_TYPE Wetlands.ACRES",
    "nfhl_flood_hazard_areas": "FLD_ZONE ZONE_SUBTY SFHA_TF STATIC_BFE V_DATUM LEN_UNIT",
    "ltsb_municipalities": "CTV MCD_NAME CNTY_NAME LABEL MCD_FIPS COSUBFP GEOID FIPS6 DOA DOR DOT",
    "wisconsin_parcels": "PARCELID STATEID TAXPARCELID CONAME PARCELFIPS PLACENAME DEEDACRES GISACRES ASSDACRES "
    "TAXROLLYEAR LOADDATE PROPCLASS",
    "faa_airports": "IDENT ICAO_ID NAME SERVCITY STATE ELEVATION TYPE_CODE OPERSTATUS LATITUDE LONGITUDE",
    "usda_soil_tables": "mukey cokey kwfact kffact hzdept_r hydgrpdcd wtdepannmin hydclprs slope_r",
    "wdnr_huc12": "HUC12_CODE HUC12_NAME DOWNSTREAM_HUC12_CODE",
    "wbd_huc12": "HUC12 NAME AREASQKM",
}


def test_every_published_layer_is_there() -> None:
    left = list(SOURCES)
    for address, numbers in PUBLISHED.items():
        of_service = [source for source in SOURCES if address in source.url]
        assert {source.number for source in of_service} == numbers, address
        left = [source for source in left if source not in of_service]
    assert left == []


@pytest.mark.parametrize("name", FIELDS)
def test_a_layer_has_its_published_fields(name: str) -> None:
    assert set(FIELDS[name].split()) <= {*BY_ID[name].needs, *BY_ID[name].fields}


def test_everything_that_a_layer_needs_is_said() -> None:
    for source in SOURCES:
        assert source.url.startswith("https://"), source.id
        assert source.owner, source.id
        assert source.licence, source.id
        assert source.covers, source.id
        assert set(source.codes) <= {name.rpartition(".")[2] for name in (*source.needs, *source.fields)}, source.id
        assert not set(source.url.split("//")[1].split("/")[0]) & {"@", "?"}, source.id


@pytest.mark.parametrize(
    ("source", "field", "code", "meaning"),
    [
        (source.id, field, code, meaning)
        for source in SOURCES
        for field, codes in source.codes.items()
        for code, meaning in codes.items()
        if source.roles and field != "IDENT"
    ],
)
def test_a_code_means_what_the_reader_reads(source: str, field: str, code: str, meaning: str) -> None:
    about = BY_ID[source]
    attributes: dict[str, Any] = {field.lower(): int(code) if code.isdecimal() else code}
    if "municipalities" in about.roles:
        found = municipality({"lsad" if field == "LSADC" else field.lower(): code}, "Alpha")
        assert found == ("Alpha", meaning)
    elif "floodplain" in about.roles:
        zone = {"ZONE_SUBTY": {"fld_zone": "AE" if meaning == "floodway" else "X"}, "SFHA_TF": {}, "FLD_ZONE": {}}[
            field
        ]
        assert flood_kind({**zone, **attributes}) == meaning
    elif "wetlands" in about.roles:
        assert wetland_kind(attributes, layer=about.title) == meaning
    else:
        assert water_kind(attributes) == meaning


def test_what_is_fetched_when_nobody_chooses_serves_every_ordinance() -> None:
    from siteplan_gis.checks.table import needed_layers
    from siteplan_gis.ordinances.reader import read_ordinance, shipped

    for name in shipped():
        needed = needed_layers(read_ordinance(name))
        plain = {"municipalities"} if name == "east_troy" else {"municipalities", "waters", "wetlands", "floodplain"}
        assert needed.keys() >= plain | ({"flowlines", "elevation"} if name == "saukville" else set())
        found = chosen_sources(SOURCES, (), tuple(needed))
        assert {use for source in found for use in source.uses} >= needed.keys()
    assert "airports" in needed_layers(read_ordinance("east_troy"))
    assert "airports" not in needed_layers(read_ordinance("saukville"))


def test_layers_are_chosen_by_role_or_by_name() -> None:
    assert [one.id for one in chosen_sources(SOURCES, ("floodplain", "nhd_areas"), ())] == [
        "nfhl_flood_hazard_areas",
        "nhd_areas",
    ]
    assert all(one.preferred for one in chosen_sources(SOURCES, (), (*LAYER_ROLES, "elevation")))
    with pytest.raises(InputError, match=r"'rivers' is no layer and no role; name one or more of waters"):
        chosen_sources(SOURCES, ("rivers",), ())
    with pytest.raises(InputError, match=r"none of soils is preferred; name one or more of wdnr_wetland_indicators"):
        chosen_sources(SOURCES, ("soils",), ())
    with pytest.raises(InputError, match="is a table, which is not fetched"):
        chosen_sources(SOURCES, ("usda_soil_tables",), ())


def test_the_list_for_people_names_every_layer() -> None:
    text = sources_text(SOURCES)
    assert all(f" {source.id} (" in text for source in SOURCES)
    assert text.count("https://") == len({source.url for source in SOURCES})


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ('kind = "arcgis"', 'kind = "ftp"', "input should be 'arcgis'"),
        ('roles = ["waters"]', 'roles = ["rivers"]', "'rivers' is no role"),
        ('roles = ["waters"]', "", "give roles, or say with other"),
        ("number = 5", "numbr = 5", "numbr: unknown key"),
        ('layer = "Streams"\nnumber = 5', "", "give the layer's name or number"),
        ('geometry = "line"', 'geometry = "raster"', "raster for images"),
        ('title = "Streams"', 'title = "Streams"\nkind = "village"', "'village' is no kind of waters"),
        ('title = "Streams"', 'title = "Streams"\nname_field = "NAME"', "must be among needs"),
        ('covers = "x"', 'covers = "x"\ntoken_env = "a b"', "token_env"),
        ('covers = "x"', 'covers = "x"\nscale_denominator = 1\naccuracy_ft = 2', "not both"),
        ('id = "s"', 'id = "S s"', "id: string should match"),
    ],
)
def test_a_slip_in_a_file_of_sources_is_told(old: str, new: str, problem: str, tmp_path: Path) -> None:
    text = (
        '[[service]]\nid = "s"\nowner = "o"\nkind = "arcgis"\nurl = "https://a.example/x"\ncovers = "x"\nlicence = "l"\n'
        '[[service.layer]]\nid = "a"\nroles = ["waters"]\ntitle = "Streams"\nlayer = "Streams"\nnumber = 5\ngeometry = "line"\n'
    )
    file = tmp_path / "sources.toml"
    file.write_text(text, encoding="utf-8")
    assert len(read_sources(file)) == 1
    file.write_text(text.replace(old, new), encoding="utf-8")
    with pytest.raises(SeveralInputErrors, match=problem):
        read_sources(file)


def test_a_name_that_is_given_twice_and_a_file_that_is_none_are_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file of sources"):
        read_sources(tmp_path / "none.toml")
    file = tmp_path / "sources.toml"
    file.write_text("[[service", encoding="utf-8")
    with pytest.raises(InputError, match="not a TOML file"):
        read_sources(file)
    text = shipped_sources().read_text(encoding="utf-8")
    file.write_text(text.replace('id = "nhd_lines"', 'id = "nhd_areas"'), encoding="utf-8")
    with pytest.raises(InputError, match="'nhd_areas' is given twice"):
        read_sources(file)


def test_the_file_goes_into_the_wheel() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    put = project["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    assert put == {"layers/sources.toml": "siteplan_gis/fetching/sources.toml"}
    assert shipped_sources().read_bytes() == (ROOT / "layers" / "sources.toml").read_bytes()

"""Extraterritorial areas from files to answers: cases, real places, inputs that cannot be used."""

from __future__ import annotations

import json
import sqlite3
from datetime import date
from pathlib import Path

import geopandas as gpd
import numpy as np
import pytest
import shapely
from shapely import box
from typer.testing import CliRunner

import siteplan_gis
from siteplan_gis.cli import app
from siteplan_gis.crs import georeference
from siteplan_gis.errors import CrsError, InputError
from siteplan_gis.frame import project_many
from siteplan_gis.measures.territory.division import between, frame_for

ROOT = Path(__file__).resolve().parents[1]
CASES = ROOT / "tests" / "cases"
PLACES = ROOT.parent / "shared" / "data" / "vector" / "wi_places" / "wi_places_scenarios.gpkg"
DAY = date(2026, 1, 1)
X, Y = 560_000.0, 300_000.0
MILE = 1609.344


def _rows(mapped):
    return {row["municipality"]: row for row in mapped.record()["municipalities"]}


def _there(xy):
    return xy + np.array((X, Y))


def _layer(path, rows, crs="EPSG:3071"):
    """Limits from rows of (CTV, name, shape relative to a place in Wisconsin, further fields)."""
    told = [{"CTV": kind, "MCD_NAME": name, **(more[0] if more else {})} for kind, name, _, *more in rows]
    shapes = [shapely.transform(shape, _there) for _, _, shape, *_ in rows]
    gpd.GeoDataFrame(told, geometry=shapes, crs=crs).to_file(path, driver="GPKG")
    return path


def test_a_hole_is_its_own_area_and_a_neighbour_is_cut_out() -> None:
    case = CASES / "H50"
    mapped = siteplan_gis.etj(case / "municipalities.gpkg", on=DAY, parcels=case / "sites.gpkg", parcel_id="sid")
    (row,) = _rows(mapped).values()
    assert row["etj_acres"] == pytest.approx(7130.619298, rel=1e-3)
    told = {one["parcel"]: one for one in mapped.parcel_rows()}
    assert [told[name]["etj_of"] for name in ("in_hole", "in_etj", "in_town", "in_city")] == [
        row["municipality"]
    ] * 2 + [""] * 2
    assert (told["in_town"]["municipality"], told["in_city"]["municipality"]) == (
        "Town of Beta Town",
        row["municipality"],
    )


def test_a_satellite_reaches_out_only_where_it_counts_and_is_marked_then() -> None:
    case = CASES / "H51"
    asked = {"on": DAY, "reach_miles": 1.0, "parcels": case / "sites.gpkg", "parcel_id": "sid"}
    main = siteplan_gis.etj(case / "municipalities.gpkg", detached_parts="main_only", **asked)
    (row,) = _rows(main).values()
    assert row["etj_acres"] == pytest.approx(7130.619298, rel=1e-3)
    told = {one["parcel"]: one for one in main.parcel_rows()}
    assert (told["near_satellite"]["etj_of"], told["in_satellite"]["municipality"]) == ("", row["municipality"])
    counted = siteplan_gis.etj(case / "municipalities.gpkg", **asked)
    (row,) = _rows(counted).values()
    assert row["etj_acres"] == pytest.approx(9653.2386, rel=1e-3)
    assert row["detached_only_acres"] == pytest.approx(9653.2386 - 7130.6193, rel=3e-3)
    assert "detached_part" in {flag["code"] for flag in counted.record()["flags"]}


def test_an_edge_in_common_is_no_share_and_a_cut_parcel_is_split() -> None:
    case = CASES / "H52"
    mapped = siteplan_gis.etj(case / "municipalities.gpkg", on=DAY, reach_miles=1.0, parcels=case / "site.gpkg")
    touches, straddles = mapped.parcel_rows()
    assert (touches["municipality"], touches["etj_of"], touches["limits_ft"]) == (
        "",
        "Alpha",
        pytest.approx(0, abs=1e-3),
    )
    assert straddles["municipality_share"] * straddles["acres"] == pytest.approx(1.3774104683, rel=2e-3)
    assert straddles["etj_share"] == pytest.approx(0.5, abs=1e-3)


@pytest.mark.skipif(not PLACES.is_file(), reason="the shared data are not here")
def test_real_places_have_one_holder_each_and_nothing_is_lost(tmp_path) -> None:
    mapped = siteplan_gis.etj(PLACES, on=DAY)
    territories = mapped.territories.territories
    assert len(territories) == 83  # 20 of the 103 are census-designated
    held = np.array([one.held for one in territories], dtype=object)
    limits = shapely.union_all([one.geometry for one in mapped.territories.limits.municipalities])
    reached = shapely.union_all([one.reached for one in territories])
    acre = 4046.8564224
    assert abs(shapely.area(held).sum() - reached.area) < 0.1 * acre
    assert shapely.area(shapely.intersection(held, limits)).sum() < 1e-3 * acre
    first, second = shapely.STRtree(held).query(held, predicate="intersects")
    other = first < second
    assert shapely.area(shapely.intersection(held[first[other]], held[second[other]])).sum() < 1e-3 * acre
    _random_points_have_the_nearest(mapped, held)
    # Other names in another order change nothing.
    table = gpd.read_file(PLACES).iloc[::-1]
    table["NAME"] = [f"Q{k}" for k in range(len(table))]
    table["NAMELSAD"] = table["NAME"] + table["LSAD"].map({"25": " city", "47": " village", "57": " CDP"})
    table.to_file(tmp_path / "renamed.gpkg", driver="GPKG")
    again = siteplan_gis.etj(tmp_path / "renamed.gpkg", on=DAY)
    ours, theirs = (sorted(round(one.held.area, 3) for one in each.territories.territories) for each in (mapped, again))
    assert ours == theirs


def _random_points_have_the_nearest(mapped, held) -> None:
    """Brute force: of all that reach a point, the nearest by distances in a frame around that very point has it."""
    plane = mapped.territories.limits.plane
    territories = mapped.territories.territories
    rng = np.random.default_rng(11)
    tree = shapely.STRtree([one.municipality.geometry for one in territories])
    checked = 0
    for overlap in mapped.territories.overlaps[::3]:
        west, south, east, north = overlap.ground.bounds
        for at in shapely.points(rng.uniform(west, east, 12), rng.uniform(south, north, 12)):
            if not overlap.ground.contains(at):
                continue
            frame = frame_for(at, plane)
            near = {}
            for k in tree.query(at, predicate="dwithin", distance=5_000):
                away = shapely.distance(
                    *(between(one, plane, frame) for one in (territories[k].municipality.geometry, at))
                )
                if away <= territories[k].reach_m:
                    near[int(k)] = away
            order = sorted(near, key=near.get)
            if len(order) > 1 and near[order[1]] - near[order[0]] > 0.6 and near[order[0]] > 0.3:
                assert held[order[0]].contains(at)
                checked += 1
    assert checked > 50


def test_towns_and_villages_of_one_name_and_pieces_by_county(tmp_path) -> None:
    path = _layer(
        tmp_path / "limits.gpkg",
        [
            ("V", "GRAFTON", box(0, 0, 1000, 1000), {"CNTY_NAME": "ONE"}),
            ("V", "GRAFTON", box(1000.05, 0, 1500, 1000), {"CNTY_NAME": "TWO"}),
            ("T", "GRAFTON", box(-6000, -6000, 6000, 6000), {"CNTY_NAME": "ONE"}),
        ],
    )
    mapped = siteplan_gis.etj(path, on=DAY)
    (row,) = _rows(mapped).values()
    assert (row["municipality"], row["counties"]) == ("Village of Grafton", "One; Two")
    assert (row["towns_touched"], row["counties_touched"]) == ("Town of Grafton", "One")
    assert row["detached_only_acres"] == 0.0
    assert any("50.0 square metres" in flag["text"] for flag in mapped.record()["flags"])


def test_limits_are_those_of_the_day(tmp_path) -> None:
    rows = [
        ("V", "A", box(0, 0, 1000, 1000), {"annexed": "", "detached": ""}),
        ("V", "A", box(1000, 0, 2000, 1000), {"annexed": "2020-05-01", "detached": "2022-01-01"}),
    ]
    path = _layer(tmp_path / "limits.gpkg", rows)
    acres = [
        next(iter(_rows(siteplan_gis.etj(path, on=day)).values()))["acres_inside"]
        for day in (date(2020, 4, 30), date(2020, 5, 1), date(2021, 12, 31), date(2022, 1, 1))
    ]
    assert acres[1] == pytest.approx(2 * acres[0], rel=1e-3)
    assert acres == [acres[0], acres[1], acres[1], acres[0]]


def test_a_class_comes_from_a_list_with_its_source_or_is_unknown(tmp_path) -> None:
    path = _layer(tmp_path / "limits.gpkg", [("C", "BIG", box(0, 0, 2000, 2000))])
    unknown = _rows(siteplan_gis.etj(path, on=DAY))["City of Big"]
    assert (unknown["city_class"], unknown["reach_miles"]) == ("unknown", 1.5)
    assert unknown["undecided_acres"] > 5000
    classes = tmp_path / "classes.csv"
    classes.write_text("name,class,source\nBig,2nd,Proclamation of 1 May 1999\n", encoding="utf-8")
    known = _rows(siteplan_gis.etj(path, on=DAY, classes=classes))["City of Big"]
    assert (known["city_class"], known["reach_miles"], known["undecided_acres"]) == ("2", 3.0, 0.0)
    assert "Proclamation of 1 May 1999" in known["reach_source"]
    classes.write_text("name,class,source\nBig,2nd,\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"line 2: name, class .* and source must all be given"):
        siteplan_gis.etj(path, on=DAY, classes=classes)


def test_waived_ground_is_not_held_and_agreed_ground_goes_to_the_named(tmp_path) -> None:
    path = _layer(tmp_path / "limits.gpkg", [("V", "A", box(0, 0, 1000, 1000)), ("V", "B", box(3000, 0, 4000, 1000))])
    ground = shapely.transform(box(2100, 0, 2400, 1000), _there)
    special = tmp_path / "special.gpkg"
    gpd.GeoDataFrame({"municipality": ["Village of A"]}, geometry=[ground], crs="EPSG:3071").to_file(
        special, driver="GPKG"
    )
    before = siteplan_gis.etj(path, on=DAY)
    agreed = siteplan_gis.etj(path, on=DAY, agreements=special, before=before)
    gained = _rows(agreed)["Village of A"]["etj_acres"] - _rows(before)["Village of A"]["etj_acres"]
    assert gained == pytest.approx(300 * 1000 / 4046.8564224, rel=1e-2)
    assert _rows(before)["Village of B"]["etj_acres"] - _rows(agreed)["Village of B"]["etj_acres"] == pytest.approx(
        gained
    )
    waived = siteplan_gis.etj(path, on=DAY, waivers=special)
    # What A waives there was B's already, being nearer.
    assert _rows(waived)["Village of A"]["etj_acres"] == pytest.approx(
        _rows(before)["Village of A"]["etj_acres"], rel=1e-6
    )
    gpd.GeoDataFrame({"municipality": ["C"]}, geometry=[ground], crs="EPSG:3071").to_file(special, driver="GPKG")
    with pytest.raises(InputError, match="'C' is no city or village of the limits"):
        siteplan_gis.etj(path, on=DAY, waivers=special)


def test_limits_that_overlap_are_said_and_bow_ties_are_repaired(tmp_path) -> None:
    tie = shapely.Polygon([(5000, 0), (6000, 1000), (6000, 0), (5000, 1000)])
    path = _layer(
        tmp_path / "limits.gpkg",
        [("V", "A", box(0, 0, 1000, 1000)), ("C", "B", box(900, 0, 2000, 1000)), ("V", "T", tie)],
    )
    mapped = siteplan_gis.etj(path, on=DAY)
    codes = [flag["code"] for flag in mapped.record()["flags"]]
    assert {"limits_overlap", "geometry_repaired", "city_class_unknown"} <= set(codes)
    assert _rows(mapped)["Village of T"]["acres_inside"] == pytest.approx(500_000 / 4046.8564224, rel=2e-3)


@pytest.mark.parametrize(
    ("columns", "crs", "problem"),
    [
        ({"MCD_NAME": ["A"]}, "EPSG:3071", "1 municipalities are neither city, village nor town"),
        ({"CTV": ["V"], "MCD_NAME": ["A"]}, None, "no coordinate system"),
        ({"CTV": ["V"], "MCD_NAME": [""]}, "EPSG:3071", "has no name"),
        ({"CTV": ["V"]}, "EPSG:3071", "no field names the municipalities"),
        ({"CTV": ["V"], "MCD_NAME": ["A"], "annexed": ["spring"]}, "EPSG:3071", "'spring' .from. is not a date"),
    ],
    ids=["no kind", "no crs", "nameless", "no name field", "no date"],
)
def test_unusable_limits_are_refused_in_one_line(tmp_path, columns, crs, problem) -> None:
    path = tmp_path / "bad.shp"
    gpd.GeoDataFrame(columns, geometry=[shapely.transform(box(0, 0, 1000, 1000), _there)], crs="EPSG:3071").to_file(
        path
    )
    if crs is None:
        path.with_suffix(".prj").unlink()
    with pytest.raises((InputError, CrsError), match=problem) as refused:
        siteplan_gis.etj(path, on=DAY)
    assert "\n" not in str(refused.value)


def test_the_command_writes_all_its_files_and_the_same_bytes_twice(tmp_path) -> None:
    asked = [
        "etj",
        str(ROOT / "layers" / "saukville"),
        "--on",
        "2026-01-01",
        "--parcels",
        str(ROOT / "layers/saukville/parcels.fgb"),
    ]
    done = [CliRunner().invoke(app, [*asked, "--out", str(tmp_path / name)]) for name in "ab"]
    assert [one.exit_code for one in done] == [0, 0], done[0].output
    assert "Overlap: City of Port Washington and Village of Saukville" in done[0].output
    names = {"etj.csv", "etj.geojson", "etj.gpkg", "etj.html", "etj.json", "parcels.csv"}
    assert {path.name for path in (tmp_path / "a").iterdir()} == names
    for name in names:
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()
    web = json.loads((tmp_path / "a" / "etj.geojson").read_text(encoding="utf-8"))
    assert set(web) == {"type", "features"}
    for feature in web["features"]:
        shape = shapely.from_geojson(json.dumps(feature["geometry"]))
        assert shape.is_valid
        assert all(
            part.exterior.is_ccw and not any(hole.is_ccw for hole in part.interiors)
            for part in shapely.get_parts(shape)
        )
    with sqlite3.connect(tmp_path / "a" / "etj.gpkg") as database:
        styled = {row[0] for row in database.execute("SELECT f_table_name FROM layer_styles")}
    database.close()
    assert styled >= {"limits", "etj_reach", "jurisdiction", "overlaps", "division_lines"}


def test_one_municipality_is_mapped_as_among_all(tmp_path) -> None:
    path = ROOT / "layers" / "saukville"
    alone, among = (siteplan_gis.etj(path, on=DAY, names=names) for names in (("Saukville",), ()))
    assert list(_rows(alone)) == ["Village of Saukville"]
    assert _rows(alone)["Village of Saukville"] == _rows(among)["Village of Saukville"]
    assert alone._repr_html_().startswith("<iframe")
    frame = among.to_geodataframe()
    assert frame.crs == "EPSG:4326"
    assert list(frame["municipality"]) == list(_rows(among))
    with pytest.raises(InputError, match="no city or village of the limits"):
        siteplan_gis.etj(path, on=DAY, names=["Atlantis"])


def test_the_plane_is_the_frame_of_every_area() -> None:
    mapped = siteplan_gis.etj(ROOT / "layers" / "saukville", on=DAY)
    table = mapped.to_geodataframe()
    shapes = project_many(
        table.geometry.values,
        georeference("EPSG:4326"),
        frame_for(mapped.territories.territories[0].held, mapped.territories.limits.plane),
    )
    assert list(shapely.area(shapes) / 4046.8564224) == pytest.approx(list(table["etj_acres"]), rel=5e-5)

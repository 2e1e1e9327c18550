"""One parcel on the invented ground of the samples, from the command line and from the workbench."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
import shapely
from typer.testing import CliRunner

from siteplan_gis.cli import app
from siteplan_gis.countywide.one import ParcelsAsked, screen_few
from siteplan_gis.errors import InputError
from siteplan_gis.measures.shapes.proximity import nearby
from siteplan_gis.measures.territory.jurisdiction import shares
from siteplan_gis.model.screening import Asked
from siteplan_gis.report.parcel_page import screening_page
from siteplan_gis.units import acres

ROOT = Path(__file__).resolve().parents[2]
LAYERS = ROOT / "layers" / "saukville"


def screened(layers=LAYERS, **more):
    return screen_few(ParcelsAsked(None, layers, parcel="4301-02", **more))[0]


@pytest.fixture(scope="module")
def screening():
    return screened()


def without_list(folder):
    """The sample's layers without its list of impaired and exceptional waters."""
    shutil.copytree(LAYERS, folder / "layers")
    catalogue = folder / "layers" / "layers.toml"
    head, *tables = catalogue.read_text(encoding="utf-8").split("\n[[")
    kept = [table for table in tables if 'role = "listed_waters"' not in table]
    assert len(kept) == len(tables) - 1
    catalogue.write_text("\n[[".join([head, *kept]), encoding="utf-8")
    return folder / "layers"


def run(*arguments):
    return CliRunner().invoke(app, ["prescreen", "--layers", str(LAYERS), *arguments])


def test_who_governs_and_which_ordinance(screening):
    assert screening.governing_words == "SAUKVILLE (village) 100 %"
    assert [(one.ordinance, one.extent) for one in screening.governing] == [("saukville", "inside")]
    assert screening.invented


def test_acres_are_those_that_the_invented_parcel_has(screening):
    # Drawn as 40 acres of grid, which are 40 acres of ground to 1e-4.
    assert acres(screening.facts.area_m2) == pytest.approx(40, rel=1e-4)


def test_waters_are_those_that_the_review_finds(screening):
    facts = screening.facts
    for near, word in ((facts.waters, "water"), (facts.wetlands, "wetland")):
        assert near.within_mile == len(near.listed) > 0
        assert near.listed[0].distance_m == near.nearest.distance_m
        assert [one.distance_m for one in near.listed] == sorted(one.distance_m for one in near.listed)
        assert all(shapely.distance(one.geometry, screening.parcel.geometry) == pytest.approx(one.distance_m, abs=1e-9)
                   for one in near.listed), word  # fmt: skip
    assert nearby(screening.parcel.geometry, [], 1.0) == ()


def test_taking_less_out_leaves_more(screening):
    least = screening.facts.remainder
    most = screened(asked=Asked(taken_out=())).facts.remainder
    assert most.area_m2 == screening.facts.area_m2
    for name in ("steep", "wetlands", "widths"):
        kept = tuple(one for one in ("steep", "wetlands", "floodplain", "widths") if one != name)
        more = screened(asked=Asked(taken_out=kept)).facts.remainder
        assert least.area_m2 <= more.area_m2 <= most.area_m2
    narrow = screened(asked=Asked(water_width_m=0.0, wetland_width_m=0.0)).facts.remainder
    assert narrow.area_m2 > least.area_m2


def test_without_elevations_nothing_is_said_of_slopes(tmp_path):
    catalogue = (LAYERS / "layers.toml").read_text().split("[[dem]]")[0].replace('"', '"')
    for line in set(catalogue.splitlines()):
        if line.startswith("path = "):
            catalogue = catalogue.replace(line, f'path = "{LAYERS / line.split(chr(34))[1]}"')
        if line.startswith("coverage = ") and "extent" not in line:
            catalogue = catalogue.replace(line, f'coverage = "{LAYERS / line.split(chr(34))[1]}"')
    (tmp_path / "layers.toml").write_text(catalogue)
    facts = screen_few(ParcelsAsked(None, tmp_path, parcel="4301-02"))[0].facts
    assert facts.steep.area_m2 is None
    assert facts.remainder.area_m2 is None
    assert "no elevation model was given" in facts.runoff_reason
    assert facts.remainder.reason.startswith("steep: no elevation")


def test_without_layers_nothing_is_said_to_be_absent():
    facts = screen_few(
        ParcelsAsked(LAYERS / "parcels.fgb", dem=(LAYERS / "dem.tif",), dem_units="us-ft", parcel="4301-02")
    )[0].facts
    assert (facts.waters.known, facts.waters.within_mile) == (False, None)
    assert facts.floodplain.area_m2 is None
    assert facts.shares is None
    assert facts.remainder.area_m2 is None


def test_a_stated_disturbance_trips_what_it_reaches():
    for stated, reached in ((0.99, False), (1.0, True), (1.01, True)):
        told = screened(asked=Asked(stated, runoff=False)).governing[0].thresholds
        least = next(one for one in told if one.rule.id == "SAU-APP-0")
        assert least.reached is reached
        assert least.words.startswith("You may disturb less than 1 acre before")


def test_the_shares_are_those_of_a_site(screening):
    alone = screen_few(ParcelsAsked(None, LAYERS, parcel="4301-04", asked=Asked(runoff=False)))[0]
    from siteplan_gis.countywide.one import evidence_of
    from siteplan_gis.ingest.reference.layers import read_layer

    entry = next(one for one in evidence_of(ParcelsAsked(None, LAYERS))[0].entries if one.role == "municipalities")
    layer = read_layer(entry, alone.parcel.frame, alone.parcel.geometry, 100.0)
    told = {(one.municipality, one.municipality_kind, one.kind): one.share for one in alone.facts.shares}
    direct = shares(alone.parcel.geometry, layer.features)
    assert told == pytest.approx(
        {(one.municipality, one.municipality_kind, one.kind): one.share for one in direct}, abs=1e-6
    )


def test_at_a_place():
    record = json.loads(run("--at=-87.9447,43.3805", "--json", "--no-runoff").stdout)
    assert record["parcel"]["id"] == "4301-02"
    gone = run("--at=-80,43")
    assert gone.exit_code == 2
    assert "no parcel lies at" in gone.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--at", "1"], "is not two numbers"),
        (["--at=43.38,-187"], "is no place in degrees"),
        (["--parcel", "nobody"], "there is no parcel 'nobody'"),
        (["--id", "NAME"], "there is no field 'NAME'"),
        (["--keep", "trees"], "is nothing that is taken out"),
    ],
)
def test_slips_are_told_in_one_line(arguments, words):
    done = run(*arguments)
    assert done.exit_code == 2
    assert words in done.stderr
    assert done.stderr.count("\n") == 1


def test_invented_layers_need_invented_parcels(tmp_path):
    mine = tmp_path / "mine.geojson"
    ring = [[-87.945, 43.379], [-87.944, 43.379], [-87.944, 43.38], [-87.945, 43.379]]
    mine.write_text(json.dumps({"type": "FeatureCollection", "features": [
        {"type": "Feature", "properties": {}, "geometry": {"type": "Polygon", "coordinates": [ring]}}]}))  # fmt: skip
    with pytest.raises(InputError, match="invented ground"):
        screen_few(ParcelsAsked(mine, LAYERS))
    assert screen_few(ParcelsAsked(mine, LAYERS, invented=True, asked=Asked(runoff=False)))[0].invented


def test_the_record_is_what_its_schema_says(screening):
    import jsonschema

    from siteplan_gis.report.schema import prescreen_schema
    from siteplan_gis.report.screening_records import screening_record

    validator = jsonschema.Draft202012Validator(prescreen_schema())
    record = screening_record(screening)
    for told in (
        record,
        screening_record(screen_few(ParcelsAsked(LAYERS / "parcels.fgb", parcel="4301-02"))[0]),
        {**record, "facts": None, "fault": "it crashed"},
    ):
        assert list(validator.iter_errors(told)) == []
    assert list(validator.iter_errors({**record, "more": 1}))


def test_the_page_is_one_file_and_says_what_is_not_known(tmp_path):
    out = tmp_path / "out"
    done = run("--layers", str(without_list(tmp_path)), "--parcel", "4301-02", "--out", str(out), "--no-runoff")
    assert done.exit_code == 0, done.stderr
    page = (out / "prescreen.html").read_text(encoding="utf-8")
    assert "INVENTED GROUND" in page
    assert "no layer of listed waters was given" in page
    assert "runoff was not asked for" in page
    assert "src=" not in page.split("</style>")[1].split('<script type="application/json"')[0]
    assert {path.name for path in out.iterdir()} == {"prescreen.html", "prescreen.json", "prescreen.txt"}


def test_the_map_numbers_the_places_of_the_table(screening):
    page = screening_page(screening)
    data = json.loads(page.split('id="map-data">')[1].split("</script>")[0])
    frame = screening.parcel.frame
    for number, one in enumerate(screening.facts.runoff, 1):
        longitude, latitude, told = data["marks"][number - 1]
        assert (told, f"Runoff, place {number}<" in page) == (number, True)
        away = frame.from_lonlat(np.array([[longitude, latitude]]))[0] - (one.start.x, one.start.y)
        assert np.hypot(*away) < 0.2
    assert len(data["marks"]) == len(screening.facts.runoff) >= 2
    lines = next(layer for layer in data["layers"] if layer["title"] == "Runoff as followed")
    assert [words.split(":")[0] for _, words in lines["items"]] == [
        f"Place {k + 1}" for k in range(len(lines["items"]))
    ]


def test_pieces_of_a_named_water_are_told_once():
    facts = screen_few(ParcelsAsked(None, LAYERS, parcel="4301-07"))[0].facts
    pieces = [one for one in facts.waters.listed if one.name == "Teasel Creek"]
    assert len(pieces) > 1
    found = [one for one in facts.downstream if one.name == "Teasel Creek"]
    assert [round(one.distance_m) for one in found] == [0]
    # Those without a name may be different ones.
    assert sum(not one.name for one in facts.downstream) == 2


def test_from_python():
    import siteplan_gis

    made = siteplan_gis.prescreen(layers=LAYERS, parcel="4301-02", runoff=False, taken_out=["steep"])
    assert json.loads(made.to_json())["parcel"]["id"] == "4301-02"
    frame = made.to_geodataframe()
    assert (len(frame), frame.crs.to_string(), frame["state"][0]) == (1, "EPSG:4326", "screened")
    assert "iframe" in made._repr_html_()


def test_the_acres_add_up(screening):
    facts = screening.facts
    assert sum(facts.taken_of_rest.values()) + facts.remainder.area_m2 == pytest.approx(facts.area_m2, rel=1e-9)
    assert facts.taken_of_rest["steep"] <= facts.steep.area_m2
    assert facts.taken_of_rest["widths"] <= facts.removed["widths"].area_m2
    less = screened(asked=Asked(taken_out=("wetlands", "widths"), runoff=False)).facts
    assert set(less.taken_of_rest) == {"wetlands", "widths"}
    assert sum(less.taken_of_rest.values()) + less.remainder.area_m2 == pytest.approx(less.area_m2, rel=1e-9)


def test_every_exit_that_matters_is_followed(screening):
    facts = screening.facts
    assert len(facts.runoff) == len(facts.runoff_shares)
    assert sum(facts.runoff_shares) == pytest.approx(1.0, abs=0.02)
    # What each reaches within a quarter mile is told among the waters downstream, at the same distance or nearer.
    below = {one.id: one.distance_m for one in facts.downstream}
    for one in facts.runoff:
        if one.within_quarter_mile:
            assert min(abs(away - one.flow_distance_m) for away in below.values()) < 15
    assert [one.distance_m for one in facts.downstream] == sorted(below.values())
    assert max(below.values()) <= 402.336


@pytest.mark.parametrize(
    ("line", "listing", "words"),
    [
        ([[-87.94, 43.379], [-87.93, 43.37]], ["impaired"], "impaired: Teasel Creek"),
        ([[-87.90, 43.42], [-87.89, 43.43]], [], "not in the list given"),
    ],
)
def test_listed_waters_downstream(tmp_path, line, listing, words):
    from siteplan_gis.report.screening_records import screening_record
    from siteplan_gis.report.screening_terminal import screening_text

    path = tmp_path / "impaired.geojson"
    path.write_text(json.dumps({"type": "FeatureCollection", "features": [
        {"type": "Feature", "properties": {"NAME": "Teasel Creek", "STATUS": "303(d) listed"},
         "geometry": {"type": "LineString", "coordinates": line}},
        {"type": "Feature", "properties": {"NAME": "far", "STATUS": "ORW"},
         "geometry": {"type": "LineString", "coordinates": [[-88.05, 43.30], [-87.85, 43.30]]}},
        {"type": "Feature", "properties": {"NAME": "far", "STATUS": "ORW"},
         "geometry": {"type": "LineString", "coordinates": [[-88.05, 43.46], [-87.85, 43.46]]}},
    ]}))  # fmt: skip
    found = screened(without_list(tmp_path), layer=(("listed_waters", path),))
    assert [one.kind for one in found.facts.listing] == listing
    assert f"Its listing      {words}" in screening_text(screening_record(found))


@pytest.mark.parametrize(
    ("village", "rule", "operator", "limit"),
    [
        ("saukville", "SAU-APP-0", ">=", 1.0),
        ("saukville", "SAU-APP-2", "<", 5.0),
        ("fairwater", "FAI-CPLAN", ">=", 5.0),
        ("fairwater", "FAI-10-A", "<", 10.0),
        ("fairwater", "FAI-10-B", ">", 10.0),
        ("east_troy", "ETR-APP-0", ">", 0.0),
    ],
)
def test_a_stated_disturbance_just_below_at_and_above_each_limit(village, rule, operator, limit):
    """Limits as the ordinances' texts have them: Saukville one (assumed) and five acres, Fairwater five and ten, East
    Troy any ground at all."""
    from siteplan_gis.countywide.one import laws
    from siteplan_gis.prescreening import _thresholds

    (ordinance,) = (one for one in laws("")[0] if one.id == village)
    facts = screened(asked=Asked(runoff=False, listed=False)).facts
    for stated in (limit - 0.001, limit, limit + 0.001) if limit else (0.0, 0.001):
        (told,) = (one for one in _thresholds(ordinance, facts, Asked(stated)) if one.rule.id == rule)
        assert (told.limit.operator, told.limit.value) == (operator, limit)
        reached = {">=": stated >= limit, ">": stated > limit, "<": stated < limit}[operator]
        assert told.reached is reached
        assert told.words.endswith("yes" if reached else "no")


def test_a_parcel_alone_has_the_trace_of_the_county_with_more_doubt(screening):
    county = screened(asked=Asked(listed=False)).facts
    assert len(county.runoff) == len(screening.facts.runoff)
    assert county.receiving == screening.facts.receiving
    for many, alone in zip(county.runoff, screening.facts.runoff, strict=True):
        assert (many.receiving, many.flow_distance_m) == (alone.receiving, alone.flow_distance_m)
        assert shapely.equals_exact(many.start, alone.start, 1e-6)
        assert (many.plus_minus_m or 0) <= (alone.plus_minus_m or 0)
        assert alone.within_quarter_mile in (many.within_quarter_mile, None)
        assert many.runs == 0
    assert any(one.runs == 10 and one.runs_agreeing <= 10 for one in screening.facts.runoff)


def test_a_trace_differs_from_the_reviews_by_less_than_its_doubt(screening):
    from siteplan_gis.countywide.one import evidence_of, laws
    from siteplan_gis.countywide.surroundings import gather_around
    from siteplan_gis.measures.runoff.flow import trace_terrain
    from siteplan_gis.measuring.discharges import targets

    asked = ParcelsAsked(None, LAYERS, parcel="4301-02")
    site = gather_around([screening.parcel], evidence_of(asked)[0], asked.asked, laws("")[1])
    waters = [one.geometry for one in targets(site)]
    culverts = [one.geometry for layer in site.layers["culverts"] for one in layer.features]
    compared = 0
    for one in screening.facts.runoff:
        if one.runs and one.flow_distance_m is not None:
            finest = trace_terrain(site.terrain.grid, one.start, waters, 804.672, culverts)
            assert abs(finest.length_m - one.flow_distance_m) <= one.plus_minus_m
            compared += 1
    assert compared >= 1

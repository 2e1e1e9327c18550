"""What a PDF's sheets tell: paper, words, bars, viewports; and that no file harms the reading."""

import math
import random

import pytest
from pyproj import Geod

from siteplan_gis.errors import InputError
from siteplan_gis.ingest.plan import sheets
from siteplan_gis.ingest.plan.vectors import read_plan
from siteplan_gis.ingest.sheets.pdf_sheets import read_pdf
from siteplan_gis.measures.sheets.scale import settled_scale
from siteplan_gis.model.comparison import compare
from tests.ingest.pdfs import FULL, bar, letters, objects_to_pdf, one_page, pages_to_pdf, said, stream, viewport

GEOD = Geod(ellps="GRS80")
HALF = (0, 0, 1296, 864)


@pytest.fixture
def read(tmp_path):
    def reading(content, name="plan.pdf"):
        (tmp_path / name).write_bytes(content)
        return read_pdf(tmp_path / name, name)

    return reading


def evidence(sheet, kind):
    return [item for item in sheet.evidence if item.kind == kind]


def corners(feet_per_inch, wide_in, high_in, lat=43.38, lon=-87.95):
    """Latitude and longitude of a rectangle's corners whose sides along the ellipsoid are as long as asked."""
    east, north = wide_in * feet_per_inch * 0.3048, high_in * feet_per_inch * 0.3048
    top_lon, top_lat, _ = GEOD.fwd(lon, lat, 0, north)
    right_lon, right_lat, _ = GEOD.fwd(lon, lat, 90, east)
    far_lon, far_lat, _ = GEOD.fwd(right_lon, right_lat, 0, north)
    places = ((lat, lon), (top_lat, top_lon), (far_lat, far_lon), (right_lat, right_lon))
    return " ".join(f"{a:.9f} {b:.9f}" for a, b in places)


@pytest.mark.parametrize(
    ("box", "entries", "size"),
    [
        (FULL, "", (36, 24)),
        (FULL, "/Rotate 90", (24, 36)),
        (FULL, "/Rotate 180", (36, 24)),
        (FULL, "/Rotate -90", (24, 36)),
        ((0, 0, 1296, 864), "/UserUnit 2", (36, 24)),
        ((-100, -50, 2492, 1678), "", (36, 24)),
        ((0, 0, 3000, 2000), "/CropBox [100 100 2692 1828]", (36, 24)),
        (FULL, "/CropBox [-500 -500 9000 9000]", (36, 24)),
        (FULL, "/CropBox [5 5 5 5]", (36, 24)),
        (FULL, "/UserUnit 0", (36, 24)),
        (FULL, "/UserUnit (two)", (36, 24)),
    ],
)
def test_printed_size(read, box, entries, size):
    (sheet,) = read(one_page(said("SITE PLAN"), box, entries))
    assert (sheet.width_in, sheet.height_in) == pytest.approx(size)


@pytest.mark.parametrize(
    ("note", "value"),
    [
        ("SCALE: 1\" = 50'", 50),
        ("1\"=50'", 50),
        ("1 inch = 50 feet", 50),
        ("SCALE: 1:600", 50),
        ("SCALE 1 : 1,200", 100),
        ("SCALE = 1:500", 500 / 12),
        ("HORIZ. SCALE: 1\" = 40'", 40),
        ("HORIZ: 1\"=40' VERT: 1\"=4'", 40),
        ("SCALE: 1 IN = 30 FT", 30),
        ('1" = 60\'-0"', 60),
        ("SCALE IN FEET 1 INCH EQUALS 20 FEET", 20),
    ],
)
def test_notes(read, note, value):
    (sheet,) = read(one_page(said(note)))
    (found,) = evidence(sheet, "stated")
    assert found.feet_per_inch == pytest.approx(value)
    assert note[:12] in found.where.replace("\u2019", "'")


@pytest.mark.parametrize("note", ["SCALE: AS NOTED", "SCALE: N.T.S.", "SCALE: NONE", "NOT TO SCALE", "SCALE: VARIES"])
def test_notes_that_tell_no_scale(read, note):
    (sheet,) = read(one_page(said(note)))
    assert settled_scale(sheet).printed is None


@pytest.mark.parametrize(
    "words",
    [
        "SLOPES 3:1 MAX",
        "1:3",
        "12\" CMP IS 6' DEEP",
        "TYPE 1 = 6 in. RIPRAP",
        "SLOPE 1:100",
        "RATIO 1:2",
        "24\" TO 5' WALL",
    ],
)
def test_other_words_are_no_scales(read, words):
    (sheet,) = read(one_page(said(words)))
    assert not evidence(sheet, "stated")


@pytest.mark.parametrize("write", [said, letters], ids=["words", "letters"])
def test_letters_placed_one_by_one(read, write):
    (sheet,) = read(one_page(write("SCALE: 1\" = 50'") + write("CONTOUR INTERVAL = 2'", y=60)))
    assert evidence(sheet, "stated")[0].feet_per_inch == 50
    assert sheet.contour_interval_ft == 2


@pytest.mark.parametrize("entries", ["", "/Rotate 90", "/Rotate 270"])
@pytest.mark.parametrize("turn", [0, 90])
def test_turned_words_and_pages(read, turn, entries):
    (sheet,) = read(one_page(said("SCALE: 1\" = 50'", turn=turn), entries=entries))
    assert evidence(sheet, "stated")[0].feet_per_inch == 50


def test_label_and_value_apart(read):
    content = said("SCALE:", 1800, 100) + said("1\" = 40'", 1900, 100)
    content += said("CONTOUR INTERVAL:", 1800, 60) + said("2 FT", 1810, 45)
    (sheet,) = read(one_page(content))
    assert settled_scale(sheet).printed == 40
    assert sheet.contour_interval_ft == 2


def test_title_block(read):
    content = said("EROSION CONTROL PLAN", 2200, 150, 18) + said("SHEET NO.", 2400, 100) + said("C-301", 2400, 80, 20)
    content += said("NORTH", 200, 1600) + said("SHEET SIZE 24 x 36", 1500, 30)
    (sheet,) = read(one_page(content))
    assert (sheet.title, sheet.number, sheet.shows) == ("EROSION CONTROL PLAN", "C-301", "control")
    assert (sheet.north_arrow, sheet.paper) == ("NORTH", "24x36")


@pytest.mark.parametrize(
    ("words", "half"),
    [
        ("HALF SIZE SET", True),
        ("THIS DRAWING IS HALF-SIZE", True),
        ("1/2 SIZE PLOT", True),
        ("IF SHEET IS 11x17 IT IS HALF SIZE", False),
        ("FULL SIZE", False),
        ("HALF ACRE LOTS", False),
    ],
)
def test_half_size(read, words, half):
    (sheet,) = read(one_page(said(words)))
    assert sheet.half_size is half


def test_half_size_print_of_a_full_size_sheet(read):
    content = said("SCALE: 1\" = 60'   SHEET SIZE 24 x 36", 900, 40) + bar([0, 60, 120, 180], 72, unit="FEET")
    (full,) = read(one_page(content))
    # What a printer's "fit to 18 x 12" does: the same drawing at half of its size.
    (half,) = read(one_page(f"q 0.5 0 0 0.5 0 0 cm {content} Q", HALF))
    scale = settled_scale(full)
    assert (scale.printed, scale.full_size, scale.reduced, scale.kind) == (60.0, 60.0, 1.0, "bar")
    scale = settled_scale(half)
    assert (scale.printed, scale.full_size, scale.reduced, scale.kind) == (120.0, 60.0, 2.0, "bar")
    assert not scale.disagreements


@pytest.mark.parametrize(
    ("numbers", "unit", "part", "value"),
    [
        ([0, 50, 100], "FEET", 72, 50.0),
        ([50, 0, 50, 100], "FEET", 72, 50.0),
        ([0, 25, 50, 75, 100], "FT", 36, 50.0),
        ([0, 100], "FEET", 72, 100.0),
        ([0, 10, 20], "METERS", 72, 10 / 0.3048),
        ([0, 0.1, 0.2], "MILES", 72, 528.0),
        (["0", "1,000", "2,000"], "FEET", 36, 2000.0),
        (["0'", "50'", "100'"], "", 72, 50.0),
    ],
)
@pytest.mark.parametrize("entries", ["", "/Rotate 90"])
def test_bars(read, numbers, unit, part, value, entries):
    (sheet,) = read(one_page(bar(numbers, part, unit=unit), entries=entries))
    (found,) = evidence(sheet, "bar")
    assert found.feet_per_inch == pytest.approx(value, abs=found.plus_minus + 1e-6)
    assert found.plus_minus < 0.006 * value


@pytest.mark.parametrize(("part", "holds"), [(72.6, True), (72.0, None), (71.4, False)])
def test_a_bar_at_the_limit(read, part, holds):
    (sheet,) = read(one_page(bar([0, 100, 200, 300], part)))
    scale = settled_scale(sheet)
    assert compare(scale.printed, "<=", 100.0, scale.plus_minus) is holds
    # A note that the bar confirms is the exact figure; one that it contradicts does not count.
    (sheet,) = read(one_page(bar([0, 100, 200, 300], part) + said("SCALE: 1\" = 100'")))
    scale = settled_scale(sheet)
    assert compare(scale.printed, "<=", 100.0, scale.plus_minus) is (True if holds is None else holds)


def test_bar_and_title_disagree(read):
    (sheet,) = read(one_page(bar([0, 10, 20], 72) + said("SCALE 1\"=20'")))
    scale = settled_scale(sheet)
    assert scale.printed == pytest.approx(10, abs=0.05)
    assert "20 by page 1, note" in scale.disagreements[0]
    assert "scale bar 0 10 20" in scale.disagreements[0]


@pytest.mark.parametrize(
    "content",
    [
        "".join(said(str(number), 300 + 72 * place, 312, 10) for place, number in enumerate([0, 50, 100]))
        + said("FEET", 480, 312, 10),
        bar([0, 50, 100], 72, unit=""),
        bar([0, 50, 120], 72, unit="FEET"),
        bar([10, 50, 100], 72, unit="FEET"),
        bar([0, 50, 100], 72, unit="CFS"),
    ],
    ids=["no ticks", "no unit", "uneven", "no zero", "another unit"],
)
def test_what_is_no_bar(read, content):
    (sheet,) = read(one_page(content))
    assert not evidence(sheet, "bar")


def test_vicinity_map_is_told_from_the_site_map(read):
    content = said("SITE GRADING PLAN", 1200, 140, 14) + said("SCALE: 1\" = 50'", 1200, 120)
    content += said("VICINITY MAP", 2200, 1500, 14) + said("SCALE: 1\" = 2000'", 2200, 1480)
    content += said("INLET DETAIL", 200, 300, 12) + said('SCALE: 1/2" = 1\'-0"', 200, 285)
    (sheet,) = read(one_page(content))
    assert {item.subject: item.feet_per_inch for item in sheet.evidence} == {
        "site_map": 50,
        "location": 2000,
        "detail": 2,
    }
    scale = settled_scale(sheet)
    assert (scale.printed, scale.disagreements) == (50, ())


def test_notes_for_two_papers(read):
    content = said("1\" = 50' (24x36)   1\" = 100' (12x18)")
    assert settled_scale(read(one_page(content))[0]).printed == 50
    assert settled_scale(read(one_page(content.replace("1800 100", "200 100"), HALF))[0]).printed == 100


@pytest.mark.parametrize(("value", "holds"), [(99.9, True), (100.0, None), (100.1, False)])
@pytest.mark.parametrize(
    ("box", "entries"),
    [("288 288 2160 1440", ""), ("2160 1440 288 288", "/Rotate 90"), ("144 144 1080 720", "/UserUnit 2")],
)
def test_geospatial_viewport_at_the_limit(read, value, holds, box, entries):
    given = FULL if "UserUnit" not in entries else HALF
    (sheet,) = read(one_page("", given, f"{entries} /VP [ {viewport(box, corners(value, 26, 16))} ]"))
    (found,) = evidence(sheet, "geospatial")
    assert found.feet_per_inch == pytest.approx(value, rel=5e-5)
    assert compare(found.feet_per_inch, "<=", 100.0, found.plus_minus) is holds


def test_largest_viewport_is_the_site_map(read):
    main = viewport("72 72 2232 1656", corners(60, 30, 22))
    inset = viewport("2300 1400 2500 1600", corners(2000, 200 / 72, 200 / 72), name="2")
    named = viewport("2300 1000 2500 1200", corners(30, 200 / 72, 200 / 72), name="VICINITY")
    (sheet,) = read(one_page("", entries=f"/VP [ {inset} {main} {named} ]"))
    assert [item.subject for item in sheet.evidence] == ["location", "site_map", "location"]
    assert settled_scale(sheet).printed == pytest.approx(60, rel=1e-4)


@pytest.mark.parametrize(
    ("measure", "entries", "value"),
    [
        ("/X [ << /U (ft) /C 0.6944444444 >> ] /D [ << /U (ft) /C 1 >> ]", "", 50),
        ("/X [ << /U (in) /C 8.33333333 >> ]", "", 50),
        ("/X [ << /U (m) /C 0.2116666667 >> ]", "", 50),
        ("/X [ << /U (ft) /C 1.3888888889 >> ]", "/UserUnit 2", 50),
        ("/X [ << /U (mi) /C 0.00013152357 >> ]", "", 50),
    ],
)
def test_rectilinear_viewport(read, measure, entries, value):
    view = f"<< /BBox [72 72 1000 700] /Measure << /Subtype /RL /R (1 in = 50 ft) {measure} >> >>"
    (sheet,) = read(one_page("", HALF, f"{entries} /VP [ {view} ]"))
    (found,) = evidence(sheet, "viewport")
    assert found.feet_per_inch == pytest.approx(value, rel=1e-6)
    assert evidence(sheet, "stated")[0].feet_per_inch == 50


@pytest.mark.parametrize(("factor", "holds"), [(1.3887, True), (1.388888888, True), (1.3891, False)])
def test_rectilinear_viewport_at_the_limit(read, factor, holds):
    view = f"<< /BBox [72 72 1000 700] /Measure << /X [ << /U (ft) /C {factor} >> ] >> >>"
    (sheet,) = read(one_page("", FULL, f"/VP [ {view} ]"))
    (found,) = evidence(sheet, "viewport")
    assert compare(found.feet_per_inch, "<=", 100.0) is holds


@pytest.mark.parametrize("units", ["/Units /M", "/Units (FT)", ""], ids=["metres", "feet", "unsaid: metres"])
@pytest.mark.parametrize("shape", ["{}", "[ {} ]", "[ [ [ {} ] ] ]"], ids=["one", "array", "nested"])
def test_older_map_dictionary(read, units, shape):
    per_point = 50 / 72 * (1 if "FT" in units else 0.3048)
    numbers = f"[({per_point:.9f}) 0 0 ({per_point:.9f}) (700000) 200000]"
    dictionary = f"<< /Type /LGIDict /CTM {numbers} /Projection << /ProjectionType /UT {units} >> >>"
    (sheet,) = read(one_page("", entries=f"/LGIDict {shape.format(dictionary)}"))
    assert evidence(sheet, "geospatial")[0].feet_per_inch == pytest.approx(50, rel=1e-6)


def test_registration_points_of_the_older_dictionary(read):
    rows = " ".join(
        f"[({x}) ({y}) ({700000 + x * 50 / 72}) ({y * 50 / 72})]" for x, y in ((0, 0), (2000, 0), (0, 1500))
    )
    dictionary = f"<< /Registration [{rows}] /Projection << /ProjectionType /LE /Units /FT >> >>"
    (sheet,) = read(one_page("", entries=f"/LGIDict {dictionary}"))
    assert evidence(sheet, "geospatial")[0].feet_per_inch == pytest.approx(50, rel=1e-6)


@pytest.mark.parametrize(
    "entries",
    [
        "/VP 17",
        "/VP [ 99 0 R ]",
        "/VP [ null (x) [ ] << >> ]",
        "/VP [ << /BBox [0 0] /Measure << /Subtype /GEO >> >> ]",
        "/VP [ << /BBox [0 0 0 0] /Measure << /Subtype /GEO /GPTS [1 2 3 4] >> >> ]",
        "/VP [ << /BBox [0 0 9 9] /Measure << /Subtype /GEO /GPTS [91 2 300 4 5 6 7 8] >> >> ]",
        "/VP [ << /BBox [0 0 9 9] /Measure << /Subtype /GEO /GPTS [1e999 -1e999 (x) /y 3 4 5 6] >> >> ]",
        "/VP [ << /BBox [0 0 9 9] /Measure << /Subtype /GEO /GPTS [5 5 5 5 5 5 5 5] >> >> ]",
        "/VP [ << /BBox [0 0 9 9] /Measure << /Subtype /RL /X [ << /U (ft) /C 0 >> ] >> >> ]",
        "/VP [ << /BBox [0 0 9 9] /Measure << /Subtype /RL /X [ << /U (furlong) /C 1 >> ] >> >> ]",
        "/LGIDict [ [ [ << /CTM [0 0 0 0 0 0] /Projection << /ProjectionType /UT >> >> ] ] ]",
        "/LGIDict << /CTM [1 2] /Projection (x) >>",
        f"/LGIDict {'[' * 60}{']' * 60}",
    ],
)
def test_broken_dictionaries_tell_nothing(read, entries):
    (sheet,) = read(one_page(said("SITE PLAN"), entries=entries))
    assert not sheet.evidence
    assert settled_scale(sheet).printed is None


def test_several_pages(read):
    page = (said("SCALE: 1\" = 50'"), FULL, "")
    letter = (said("STORM WATER REPORT, page of words"), (0, 0, 612, 792), "")
    found = read(pages_to_pdf(page, letter, page, letter))
    assert [(sheet.name, sheet.page) for sheet in found] == [("plan page 1", 1), ("plan page 3", 3)]
    # A report alone is one sheet that tells nothing, never a clean bill.
    (sheet,) = read(pages_to_pdf(letter, letter))
    assert not sheet.evidence


@pytest.mark.parametrize("entries", ["", "/Rotate 90"])
def test_words_that_are_drawn_as_strokes(read, entries):
    def shx(words, box, author="AutoCAD SHX Text"):
        return f"<< /Type /Annot /Subtype /Square /Rect [{box}] /Contents ({words}) /T ({author}) >>"

    ticks = "".join(f"{300 + 72 * part} 300 72 8 re S\n" for part in range(2))
    listed = [shx("SCALE: 1\" = 60'", "900 100 1060 112"), shx("CONTOUR INTERVAL = 2 FT", "700 100 712 400"),
              shx("1\" = 500'", "900 200 1000 212", "A. Reviewer")]  # fmt: skip
    listed += [
        shx(number, f"{300 + 72 * part - 10} 312 {300 + 72 * part + 10} 322")
        for part, number in enumerate(("0", "60", "120"))
    ]
    listed.append(shx("FEET", "470 312 500 322"))
    (sheet,) = read(one_page(ticks, entries=f"{entries} /Annots [ {' '.join(listed)} ]"))
    assert [item.feet_per_inch for item in evidence(sheet, "stated")] == [60]
    assert sheet.contour_interval_ft == 2
    assert evidence(sheet, "bar")[0].feet_per_inch == pytest.approx(60, abs=0.5)


def test_picture_of_a_sheet(read):
    image = stream(
        b"\x80" * 100, "/Type /XObject /Subtype /Image /Width 10 /Height 10 /ColorSpace /DeviceGray /BitsPerComponent 8"
    )
    entries = "/Resources << /Font << /F1 3 0 R >> /XObject << /I 4 0 R >> >>"
    drawn = "q 2592 0 0 1728 0 0 cm /I Do Q"
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Count 1 /Kids [5 0 R] >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>", image,
        f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 2592 1728] /Contents 6 0 R {entries} >>",
    ]  # fmt: skip
    (sheet,) = read(objects_to_pdf([*objects, stream(drawn)]))
    assert "not recognised" in " ".join(sheet.notes)
    # Words that text recognition has put behind the picture are not what the sheet says.
    (sheet,) = read(objects_to_pdf([*objects, stream(drawn + " 3 Tr " + said("SCALE: 1\" = 50'"))]))
    assert not sheet.evidence
    assert "hidden text" in " ".join(sheet.notes)


def test_words_and_bars_inside_forms(read):
    form = stream(bar([0, 50, 100], 72, x=10, y=10) + said("SCALE: 1\" = 100'", 10, 60),
                  "/Type /XObject /Subtype /Form /BBox [0 0 900 900] /Resources << /Font << /F1 3 0 R >> >>")  # fmt: skip
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Count 1 /Kids [5 0 R] >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>", form,
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 2592 1728] /Contents 6 0 R /Resources << /XObject << /X 4 0 R >> >> >>",
        stream("q 0.5 0 0 0.5 300 200 cm /X Do Q"),
    ]  # fmt: skip
    (sheet,) = read(objects_to_pdf(objects))
    assert evidence(sheet, "bar")[0].feet_per_inch == pytest.approx(100, abs=0.5)
    assert settled_scale(sheet).printed == 100


def test_a_file_made_to_hang_is_ended(tmp_path, monkeypatch):
    form = stream(
        "/X Do /X Do", "/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X 4 0 R >> >>"
    )
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Count 1 /Kids [5 0 R] >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>", form,
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 2592 1728] /Contents 6 0 R /Resources << /XObject << /X 4 0 R >> >> >>",
        stream("/X Do"),
    ]  # fmt: skip
    path = tmp_path / "plan.pdf"
    path.write_bytes(objects_to_pdf(objects))
    monkeypatch.setattr(sheets, "SHORTEST_LIMIT_S", 2.0)
    with pytest.raises(InputError, match="not read to its end within 2 s, the limit"):
        read_plan([path])
    monkeypatch.undo()
    path.write_bytes(one_page(said("SCALE: 1\" = 50'")))
    assert read_plan([path])[0].sheets[0].evidence


def test_scripts_and_attachments_are_left_alone(read, tmp_path):
    canary = tmp_path / "canary"
    script = f"this.exportDataObject\\({{cName: '{canary}'}}\\); app.launchURL\\('http://127.0.0.1:9/'\\);"
    objects = [
        (
            f"<< /Type /Catalog /Pages 2 0 R /OpenAction << /S /JavaScript /JS ({script}) >> "
            "/Names << /EmbeddedFiles << /Names [(a.exe) 5 0 R] >> >> >>"
        ),
        "<< /Type /Pages /Count 1 /Kids [3 0 R] >>",
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 2592 1728] /AA << /O << /S /Launch /F (calc.exe) >> >> >>",
        stream("MZ"),
        "<< /Type /Filespec /F (a.exe) /EF << /F 4 0 R >> >>",
    ]
    (sheet,) = read(objects_to_pdf(objects))
    assert "1 attachments, which were not opened" in sheet.notes[0]
    assert not canary.exists()


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "is no PDF"),
        (b"PK\x03\x04 not a plan", "is no PDF"),
        (b"%PDF-1.7\n", "cannot be opened"),
        (
            objects_to_pdf(["<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Count 0 /Kids [] >>"]),
            "cannot be opened",
        ),
    ],
)
def test_what_is_no_plan_is_refused_in_one_line(read, content, problem):
    with pytest.raises(InputError, match=problem) as caught:
        read(content)
    assert "\n" not in str(caught.value)
    assert caught.value.file == "plan.pdf"


def test_damaged_files_are_read_or_refused(read):
    """Bytes are changed at random places: a sheet or one clear line, nothing else."""
    chance = random.Random(4)
    sound = one_page(bar([0, 50, 100], 72) + said("SCALE: 1\" = 50'"),
                     entries=f"/VP [ {viewport('72 72 2232 1656', corners(50, 30, 22))} ]")  # fmt: skip
    for _ in range(60):
        damaged = bytearray(sound)
        for _ in range(chance.randint(1, 12)):
            damaged[chance.randrange(len(damaged))] = chance.randrange(256)
        if chance.random() < 0.3:
            del damaged[chance.randrange(len(damaged)) :]
        try:
            found = read(bytes(damaged))
        except InputError:
            continue
        for sheet in found:
            scale = settled_scale(sheet)
            assert scale.printed is None or math.isfinite(scale.printed)


SIXTY = "SCALE: 1 IN = 60 FT"
CLEAR = "/Resources << /Font << /F1 3 0 R >> /ExtGState << /G << /ca 0 /CA 0 >> >> >>"


@pytest.mark.parametrize(
    "hidden",
    [
        "1 g " + said(SIXTY),
        "0.97 g " + said(SIXTY),
        "1 1 1 RG 1 Tr " + said(SIXTY),
        "7 Tr " + said(SIXTY),
        "q 0 0 10 10 re W n " + said(SIXTY) + "Q ",
        said(SIXTY) + "1 g 1700 50 600 100 re f ",
        said(SIXTY, x=3000),
        said(SIXTY, y=-60),
        said(SIXTY, size=1.4),
        "/G gs " + said(SIXTY),
        "1 g 1 G " + bar((0, 60, 120, 180), 72),
    ],
)
def test_what_the_print_does_not_show_tells_no_scale(read, hidden):
    (sheet,) = read(pages_to_pdf((said("SITE MAP", 1200, 200, 30) + hidden, FULL, CLEAR)))
    assert sheet.evidence == ()
    assert "print does not show" in " ".join(sheet.notes)


@pytest.mark.parametrize(
    "shown",
    [
        said(SIXTY),
        "0.8 g " + said(SIXTY),
        said(SIXTY, size=1.5),
        "0 g 1700 50 600 100 re f 1 g " + said(SIXTY),
        said(SIXTY, turn=90),
        "1 0 0 RG 1 Tr " + said(SIXTY),
    ],
)
@pytest.mark.parametrize("turned", ["", "/Rotate 90", "/CropBox [100 50 2592 1728]"])
def test_what_the_print_shows_is_read(read, shown, turned):
    (sheet,) = read(one_page(said("SITE MAP", 1200, 200, 30) + shown, entries=turned))
    assert settled_scale(sheet).printed == 60
    assert sheet.notes == ()


def test_no_hidden_caption_spares_a_map_and_no_hidden_note_a_title(read):
    (sheet,) = read(one_page(said("SCALE: 1 IN = 200 FT") + "1 g " + said("VICINITY MAP", y=114, size=30)))
    assert settled_scale(sheet).printed == 200
    assert sheet.shows == ""

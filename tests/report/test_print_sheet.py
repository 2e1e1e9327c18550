"""The printed sheet, read back: a ruler on it agrees with what it says."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pypdf
import pypdfium2
import pypdfium2.raw
import pytest
import synthetic

from siteplan_gis.errors import InputError
from siteplan_gis.frame import Frame
from siteplan_gis.ingest.sheets.pdf_sheets import read_pdf
from siteplan_gis.report.files import write_outputs
from siteplan_gis.report.print_sheet import write_print_sheet
from siteplan_gis.report.records import review_record

if TYPE_CHECKING:
    from pathlib import Path

    from siteplan_gis.model.review import Review

SITE_FT = (420 / 0.3048, 340 / 0.3048)


def sheet(review: Review, path: Path, size: str, scale: float | None = None) -> Path:
    write_print_sheet(review, review_record(review), path / "sheet.pdf", size, scale)
    return path / "sheet.pdf"


def drawn(path: Path) -> list[tuple[float, float]]:
    """Width and height in points of everything that is drawn as a path."""
    page = pypdfium2.PdfDocument(path)[0]
    kind = pypdfium2.raw.FPDF_PAGEOBJ_PATH
    boxes = [each.get_bounds() for each in page.get_objects(filter=[kind], max_depth=5)]
    return [(right - left, top - bottom) for left, bottom, right, top in boxes]


def has(path: Path, width: float, height: float) -> bool:
    # PDFium adds the width of the line, 1.8 points, on every side.
    return any(abs(w - 3.6 - width) < 0.3 and abs(h - 3.6 - height) < 0.3 for w, h in drawn(path))


def words(path: Path) -> str:
    return pypdf.PdfReader(path).pages[0].extract_text()


@pytest.mark.parametrize(
    ("size", "paper"),
    [("letter", (11, 8.5)), ("tabloid", (17, 11)), ("22x34", (34, 22)), ("a4", (297 / 25.4, 210 / 25.4))],
)
def test_site_is_drawn_at_the_scale_that_is_written(
    review: Review, tmp_path: Path, size: str, paper: tuple[float, float]
) -> None:
    path = sheet(review, tmp_path, size)
    box = pypdf.PdfReader(path).pages[0].mediabox
    assert (float(box.width) / 72, float(box.height) / 72) == pytest.approx(paper)
    text = words(path)
    scale = float(text.split('SCALE: 1" = ')[1].split("'")[0])
    assert has(path, SITE_FT[0] / scale * 72, SITE_FT[1] / scale * 72)


@pytest.mark.parametrize("scale", [300.0, 250.0])
def test_bar_is_as_long_as_its_figures_say(review: Review, tmp_path: Path, scale: float) -> None:
    path = sheet(review, tmp_path, "letter", scale)
    page = pypdfium2.PdfDocument(path)[0]
    text = page.get_textpage()
    places: dict[str, list[tuple[float, float]]] = {}
    for figure in ("0", "400", "FEET"):
        search = text.search(figure, match_case=True, match_whole_word=True)
        while (hit := search.get_next()) is not None:
            boxes = [text.get_charbox(hit[0] + k) for k in range(hit[1])]
            places.setdefault(figure, []).append(((boxes[0][0] + boxes[-1][2]) / 2, boxes[0][1]))
    ((_, line),) = places["FEET"]
    first, last = (next(x for x, y in places[figure] if abs(y - line) < 1) for figure in ("0", "400"))
    assert last - first == pytest.approx(400 / scale * 72, abs=1.0)
    assert any(abs(width - 1.6 - 400 / scale * 72) < 0.1 and height < 2 for width, height in drawn(path))


def test_our_own_reader_measures_the_same_scale_three_times(review: Review, tmp_path: Path) -> None:
    (found,) = read_pdf(sheet(review, tmp_path, "22x34"), "site_map.pdf")
    by_kind = {each.kind: each.feet_per_inch for each in found.evidence if each.subject in {"", "site_map"}}
    assert set(by_kind) == {"viewport", "stated", "bar"}
    assert by_kind["viewport"] == pytest.approx(by_kind["stated"], rel=1e-6)
    assert by_kind["bar"] == pytest.approx(by_kind["stated"], rel=0.01)


def test_largest_scale_that_fits_is_taken(review: Review, tmp_path: Path) -> None:
    scale = float(words(sheet(review, tmp_path, "tabloid")).split('SCALE: 1" = ')[1].split("'")[0])
    finer = {200.0: 100.0, 100.0: 60.0, 300.0: 200.0}[scale]
    with pytest.raises(InputError, match="does not fit at"):
        sheet(review, tmp_path, "tabloid", finer)


def test_verdict_and_findings_stand_on_it_as_text(review: Review, tmp_path: Path) -> None:
    text = " ".join(words(sheet(review, tmp_path, "22x34")).split())
    assert "CHECK CRASHED" in text
    assert "INVENTED GROUND" in text
    assert "Sheet C-101 is drawn at 150 feet per inch." in text
    assert "<script>alert(2)</script>" in text
    assert "(off this map)" in text
    assert all(letter in text for letter in "ABCDEFG")


def test_it_comes_with_the_other_results_or_none_does(review: Review, tmp_path: Path) -> None:
    paths = write_outputs(review, tmp_path / "out", "letter")
    assert [path.name for path in paths] == ["review.json", "findings.gpkg", "review.html", "site_map.pdf"]
    with pytest.raises(InputError, match="does not fit"):
        write_outputs(review, tmp_path / "other", "letter", 10.0)
    assert list((tmp_path / "other").iterdir()) == []


def test_it_is_the_same_every_time(review: Review, tmp_path: Path) -> None:
    first = sheet(review, tmp_path, "letter").read_bytes()
    assert sheet(review, tmp_path, "letter").read_bytes() == first


def test_a_plan_without_a_place_is_drawn_as_it_is(tmp_path: Path) -> None:
    review = synthetic.make_review(Frame(0.0, 0.0, placed=False))
    text = words(sheet(review, tmp_path, "letter"))
    assert "as drawn" in text


def test_nothing_to_draw_is_refused(review: Review, tmp_path: Path) -> None:
    bare: Any = replace(review, measured=replace(review.measured, shape={}))
    with pytest.raises(InputError, match="no site to draw"):
        sheet(bare, tmp_path, "letter")


@pytest.mark.parametrize("size", ["", "huge", "7x9", "22x99", "22 x 34", "NaNxNaN"])
def test_no_paper_of_that_name(size: str, review: Review, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is no size of paper"):
        sheet(review, tmp_path, size)

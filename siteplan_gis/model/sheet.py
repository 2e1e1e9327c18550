"""The sheets of a plan: what the applicant says of them, what stands on them, and all that tells their scale."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

SHEET_KINDS: Final = ("", "site_map", "existing", "final", "control", "location", "detail")
"""What a sheet may show; "" where nobody says. The scale rules spare location maps and details."""

SCALE_KINDS: Final = ("viewport", "geospatial", "raster", "bar", "stated")
"""What tells a scale, best first: all but a stated one are measured on the sheet."""


@dataclass(frozen=True, slots=True)
class ScaleEvidence:
    """One thing on a sheet that tells a scale.

    Attributes
    ----------
    kind
        One of `SCALE_KINDS`: a viewport's own scale, a viewport or picture placed on the earth, ground pixels and
        their number to the inch, a drawn bar, a note.
    feet_per_inch
        Feet of ground per inch of paper: as printed, but for a note as written; None for a note that tells none
        ("AS NOTED").
    plus_minus
        Half the width of the doubt, in feet per inch; None where the figure is exact.
    where
        Where it is found and what it says, as a reviewer would find it: "page 1, note 'SCALE: 1 inch = 50 feet'".
    subject
        Of what part of the sheet it speaks: "site_map", "location", "detail", or "" for the sheet or not known.
    paper
        For a note: the paper size that it names for itself, as written ("24x36"); "" where it names none.
    """

    kind: str
    feet_per_inch: float | None
    plus_minus: float | None = None
    where: str = ""
    subject: str = ""
    paper: str = ""

    def __post_init__(self) -> None:
        if self.kind not in SCALE_KINDS:
            message = f"unknown kind of scale evidence {self.kind!r}"
            raise ValueError(message)


@dataclass(frozen=True, slots=True)
class Sheet:
    """One sheet of the plan: as the applicant describes it, as its file shows it, or both.

    Attributes
    ----------
    name
        How the plan calls it; the page's place in its file where nobody names it. Unique.
    shows
        One of `SHEET_KINDS`.
    scale_text, contour_interval_ft, paper
        As the applicant states them, or as a note on the sheet does: the scale note as written, the interval (None
        where not stated) and the paper size that the sheet was drawn for.
    number, title
        From the title block: "C-101", "GRADING PLAN".
    file, page
        The file that holds it, and its page there; "" and 0 where it is only described or the file has no pages.
    width_in, height_in
        Size of the printed paper in inches, turned as it is read; None where it is not known.
    half_size
        Whether the sheet says that it is plotted at half of its size.
    north_arrow
        The words at the north arrow, where there are any.
    evidence
        All that tells a scale, of whatever part of the sheet.
    notes
        What a reviewer should know of it: that it is a picture whose words were not read.
    """

    name: str
    shows: str = ""
    scale_text: str = ""
    contour_interval_ft: float | None = None
    paper: str = ""
    number: str = ""
    title: str = ""
    file: str = ""
    page: int = 0
    width_in: float | None = None
    height_in: float | None = None
    half_size: bool = False
    north_arrow: str = ""
    evidence: tuple[ScaleEvidence, ...] = ()
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.shows not in SHEET_KINDS:
            message = f"unknown kind of sheet {self.shows!r}"
            raise ValueError(message)

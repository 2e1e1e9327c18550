"""Which role a layer plays: as told, or guessed from the names that offices and the US National CAD Standard use.

A guess is always shown (flag `role_guessed`), and no name is stretched: a wetland's buffer is no wetland, a water main
no water, text and dimensions are nothing.
"""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Final, TypeVar

from siteplan_gis.errors import InputError
from siteplan_gis.model.plan import ROLES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

T = TypeVar("T")

IGNORE: Final = "ignore"
"""What a manifest or `--role` may say of a layer that is no part of the plan."""

_LONGEST_NAME: Final = 1000
"""Letters of a name that are looked at; the time that the guesses take grows as their square."""

_ANNOTATION: Final = r"anno|text|txt|dims?|dimension\w*|label\w*|labl|legend|title\w*|ttlb|tblk|notes?|iden|tags?"
_PROPOSED: Final = r"(?:prop|proposed|propose|fin|final|finish|finished|fg|new|design|post|prp|grading|grad)"
_BOUNDARY: Final = r"b(?:oun)?nd|lim|line|prop|edge|otln|peri|cons|plan"
_EXISTING: Final = r"(?:ex|exist|existing|exst|exg|eg|pre|nat|natural|orig)"

# The first pattern that matches the words of a name decides; so the narrower reading stands above the wider one.
_GUESSES: Final = tuple(
    (re.compile(rf"\b(?:{pattern})\b"), role)
    for pattern, role in (
        (rf"{_ANNOTATION}|vport\w*|viewport\w*|defpoints|symb\w*", ""),
        ((r"(?:topo|contours?) (?:\w+ )*(?:spot|bkln|brkl|break ?lines?|points?|pnts|tin|bndy|boundary|trig|soil|bore)|spot elev\w*"
         r"|break ?lines?|bkln|brkl"), ""),
        (r"undisturbed|buffers?|setbacks?|easements?|esmt|watersheds?|sub ?basins?|not disturbed|north arrow", ""),
        ((r"lod|limits? of (?:land )?(?:disturb\w*|constr\w*|grading|clearing|work|earthwork)|disturb\w*|land disturb\w*"
         r"|(?:clearing|grading|construction|work|dist) lim(?:its?|t)|limt (?:dist|grad|clrg?)|earthwork|denuded?"), "disturbed_area"),
        (r"(?:construction|constr|const|stone|gravel|eros) entr\w*|entrances?|track(?:ing)? pads?|rock entrance", "entrance"),
        ((r"inlet prot\w*|silt ?fenc\w*|silt|sf|erosion|eros|escp?|ecm|bmps?|sediment \w+|sed (?:trap|basin)|check dams?"
         r"|ditch checks?|perimeter control|controls?|straw bales?|wattles?|turbidity \w+|diversions?"), "control"),
        (rf"{_PROPOSED} (?:\w+ )*(?:contours?|cont|topo)|(?:contours?|cont|topo) (?:\w+ )*{_PROPOSED}",
         "contour_proposed"),
        (r"contours?|cont|topo", "contour_existing"),
        (r"wetlands?|wtlnd|wtld|wetl|delineat\w*|wwi|nwi", "wetland"),
        (r"flood ?plains?|floodway|flood|flod|flha|flpl|fldp|fpln|fema|sfha|100 ?yr|100 year", "floodplain"),
        (r"ohwm|ordinary high water\w*|ohw", "ohwm"),
        (r"stock ?piles?|topsoil piles?|spoil", "stockpile"),
        (r"reveg\w*|(?:perm|permanent|final) (?:seed\w*|stabili\w*)|restoration|landscap\w*", "revegetation"),
        (r"stabili\w*|seed\w*|mulch\w*|sod|erosion mat\w*", "stabilization"),
        (r"infiltrat\w*|rain ?gardens?|bio ?retention|bio ?swales?|bioretention", "infiltration"),
        (r"outfalls?|outf|discharge points?|outlet pipes?", "outfall"),
        (r"catch ?basins?|inlets?|inlt|^(?:ex |prop |storm |strm )?cbs?$", "inlet"),
        (r"culverts?|culv", "culvert"),
        ((r"(?:detention|retention|wet|dry|storm ?water|storm|sedimentation|prop|proposed) (?:ponds?|basins?)"
         r"|detention|retention|forebay"), "pond"),
        (r"storm ?sewers?|storm|strm|stormwater pipes?", "storm_sewer"),
        (r"street work|road work|street reconstruction", "street_work"),
        (r"pipe work|pipeline work|trench\w*", "pipe_work"),
        ((r"water ?(?:main|line|service|valve|supply)s?|watr|domw|hydrants?|utilit\w*|util|sanitary|san|sswr|sewers?|gas|ngas"
         r"|electric\w*|elec|powr|power|comm|telecom|telephone|fiber|fibre|cable|force ?main|forcemain"), "utility"),
        ((r"drainage (?:patterns?|ways?|arrows?|paths?|flow)|flow (?:paths?|arrows?|lines?)|runoff|swales?|swle|ditch\w*|dtch|drain\w*|dran"
         r"|drainageways?"), "drainage_pattern"),
        ((r"surface waters?|waters?|water ?bod(?:y|ies)|streams?|creeks?|rivers?|rivr|lakes?|ponds?|nhd\w*|hydro\w*"
         r"|shore ?lines?|channels?|navigable \w+"), "surface_water"),
        (r"construction sites?", "construction_site"),
        (r"roads?|streets?|roadways?|drives?|driveways?|pavement|pvmt|curbs?|eop|edge of pave\w*|parking|prkg|pkng|driv|aisle", "road"),
        (r"buildings?|bldgs?|houses?|structures?|footprints?|foundations?|garage", "structure"),
        (r"lots?|lot lines?", "lot"),
        ((r"site|site (?:boundary|bndy|limits?)|property(?: \w+)?|prop (?:line|bndy|boundary)|prop|boundary|bndy|parcels?"
         r"|project (?:boundary|limits?|area|site)"), "site"),
        (r"trees?|tree ?lines?|woods|woodlands?|wooded|vegetat\w*|vege|veg|plnt|forest\w*|canopy|shrubs?", "vegetation"),
        (r"phases?(?: \d+)?|ph ?\d+", "disturbed_area"),
        (r"grid", "grid"),
    )
)  # fmt: skip


def guess_role(name: str) -> str:
    """The role that a layer's or file's name speaks of; empty where it speaks of none.

    Examples
    --------
    >>> guess_role("EX_CONTOUR"), guess_role("C-TOPO-MAJR-N"), guess_role("Limits_of_Disturbance")
    ('contour_existing', 'contour_proposed', 'disturbed_area')
    >>> guess_role("C-WATR-PIPE"), guess_role("waters"), guess_role("Wetland Buffer 75ft")
    ('utility', 'surface_water', '')
    """
    words = _words(name)
    exact = words.replace(" ", "_")
    for role in (exact, exact.removesuffix("s")):
        if role in ROLES:
            return role
    # "-N" and "-E" at the end of a CAD Standard name are its status: new work, existing.
    words = re.sub(r"^\w+ 0 (?=[a-z]{1,2} )", "", words) if "$0$" in name else words
    standard = re.fullmatch(r"[a-z]{1,2} [a-z0-9]{4}( .*)? ([nepfm])", words)
    if standard:
        words = words[:-1] + {"n": "new", "e": "existing", "p": "proposed"}.get(standard[2], standard[2])
    # "V-SITE-VEGE" is a plant on the site, not the site.
    on_site = re.fullmatch(r"[a-z]{1,2} site (\w{4}(?: .*)?)", words)
    if on_site and not re.match(_BOUNDARY, on_site[1]):
        words = on_site[1]
    for pattern, role in _GUESSES:
        if pattern.search(words):
            return role
    return ""


def guess_surface_role(name: str) -> str:
    """The role that a surface's name speaks of; empty where it speaks of none.

    Examples
    --------
    >>> guess_surface_role("EG-Survey 2024"), guess_surface_role("Finished Ground"), guess_surface_role("Volume EG-FG")
    ('surface_existing', 'surface_proposed', '')
    """
    words = _words(name)
    if re.search(r"\b(?:volumes?|vol|cut|fill|compare|comparison|bedrock|ground ?water)\b", words):
        return ""
    if re.search(rf"\b{_PROPOSED}\b", words):
        return "surface_proposed"
    if re.search(rf"\b(?:{_EXISTING}|topo|dtm|og|survey|lidar)\b", words):
        return "surface_existing"
    return ""


def without_annotation(name: str) -> str:
    """A layer's name without its word for texts.

    Examples
    --------
    >>> without_annotation("V-TOPO-TEXT"), without_annotation("C-ANNO-NOTE")
    ('v topo', 'c')
    """
    return " ".join(re.sub(rf"\b(?:{_ANNOTATION})\b", " ", _words(name)).split())


def _words(name: str) -> str:
    """The words of a name in small letters, one space between, camel case and digits divided."""
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z]{2})", " ", name[:_LONGEST_NAME])
    spaced = re.sub(r"(?<=[A-Za-z]{3})(?=\d)", " ", spaced)
    return " ".join(re.findall(r"[a-z0-9]+", spaced.lower()))


def matched(names: Iterable[str], told: Mapping[str, T]) -> tuple[str, T] | None:
    """The key and value of `told` that speak of one of `names`: equal first, then as a pattern; case does not matter.

    Examples
    --------
    >>> matched(["plan.gpkg/LOD_PH1", "LOD_PH1"], {"lod*": "disturbed_area"})
    ('lod*', 'disturbed_area')
    """
    lowered = [name.lower() for name in names]
    for key, value in told.items():
        if key.lower() in lowered:
            return key, value
    for key, value in told.items():
        if any(fnmatchcase(name, key.lower()) for name in lowered):
            return key, value
    return None


def require_role(role: str, file: str = "", layer: str = "") -> str:
    """`role` itself.

    Raises
    ------
    InputError
        If it is none of the known roles, nor "ignore".
    """
    if role in ROLES or role == IGNORE:
        return role
    raise InputError(
        f"{role!r} is not a role", file=file, layer=layer, remedy=f"use one of {', '.join(ROLES)}, {IGNORE}"
    )

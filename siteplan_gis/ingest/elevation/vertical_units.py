"""In what unit a raster's elevations are, as far as the file tells; and whether they are elevations at all."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from siteplan_gis.errors import InputError, UnitError
from siteplan_gis.units import FOOT_M, US_SURVEY_FOOT_M, metres_per

if TYPE_CHECKING:
    from pyproj import CRS

_SURVEY_FOOT: Final = re.compile(r"\b(u\.?s\.?|us) ?(survey)? ?(ft|foot|feet)\b|\bsurvey (ft|foot|feet)\b|\bft ?us\b")
_FOOT: Final = re.compile(r"\b(ft|foot|feet)\b")
_METRE: Final = re.compile(r"\b(m|metres?|meters?)\b")
_BEFORE_UNIT: Final = re.compile(r"(?:\bin\b|\(|\[|:|=)\s*([^()\[\]]{1,24})[)\]]?\s*$")
_IN_BRACKETS: Final = re.compile(r"\(([^()]+)\)\s*$")
_NO_LENGTH: Final = re.compile(r"^(%|per ?cent|deg|degrees?|radians?|rad|grad)$")
_UNIT_KEY: Final = re.compile(r"^(z|vertical|elevation|height|alt)?_?units?(_?type|_?name)?$|^altunits$", re.IGNORECASE)
_DESCRIBING_KEYS: Final = ("bandname", "long_name", "standard_name", "description", "layer_name", "datatype")

_ELEVATION_WORDS: Final = frozenset(
    {"dem", "dtm", "dsm", "elev", "elevation", "elevations", "elevação", "ned", "height", "terrain", "topography",
     "topobathy", "altitude"}
)  # fmt: skip
_OTHER_MEASURES: Final = {
    **dict.fromkeys(("slope", "slopes", "gradient"), (0.0, 90.0)),
    "aspect": (-1.0, 360.0),
    **dict.fromkeys(("hillshade", "shaded", "relief", "intensity"), (0.0, 255.0)),
    **dict.fromkeys(("depth", "depths", "bathymetry", "bathy"), (0.0, 100.0)),
    **dict.fromkeys(("curvature", "roughness", "ndvi", "tpi", "tri"), (-10.0, 10.0)),
    **dict.fromkeys(("landcover", "accumulation", "flowdir"), (0.0, 1e12)),
}
"""Words for rasters that are no elevations, and the values such a raster holds."""


@dataclass(frozen=True, slots=True)
class VerticalUnit:
    """A unit of height: metres in one unit, and where it was found ("band", "crs", "metadata", or as given)."""

    metres: float
    found_in: str

    @property
    def name(self) -> str:
        """The unit's name for people."""
        return unit_name(self.metres)


def unit_name(metres: float) -> str:
    """A length unit's name.

    Examples
    --------
    >>> unit_name(1200 / 3937)
    'US survey foot'
    """
    names = {1.0: "metre", FOOT_M: "foot", US_SURVEY_FOOT_M: "US survey foot"}
    for size, name in names.items():
        if abs(metres / size - 1) < 1e-7:  # noqa: PLR2004
            return name
    return f"unit of {metres:g} m"


def same_unit(one: float, other: float) -> bool:
    """Whether two units are the same for heights: the two feet differ by 1 mm in 500 m and count as one."""
    return abs(one / other - 1) < 1e-5  # noqa: PLR2004


def length_in_words(text: str) -> float | None:
    """Metres in the unit that a text names; None where it names none or more than one.

    Examples
    --------
    >>> length_in_words("NAVD88 (US_survey_feet)") == 1200 / 3937
    True
    >>> length_in_words("Meters"), length_in_words("furlongs")
    (1.0, None)
    """
    try:
        return metres_per(text)
    except UnitError:
        words = " ".join(re.sub(r"[_\-/,;]", " ", text.lower()).split())
    metre = _METRE.search(words)
    if _SURVEY_FOOT.search(words):
        return None if metre else US_SURVEY_FOOT_M
    if _FOOT.search(words):
        return None if metre else FOOT_M
    return 1.0 if metre else None


def stated_unit(dataset: Any, crs: CRS, name: str) -> VerticalUnit | None:
    """The vertical unit that the file itself states: by its band, its compound CRS, or its metadata, in this order.

    Raises
    ------
    UnitError
        If band and CRS, or the CRS's name and axis, contradict each other.
    InputError
        If the values are no heights above a datum.
    """
    band = (dataset.units[0] or "").strip()
    by_band = length_in_words(band) if band else None
    if by_band is None and _NO_LENGTH.match(band.lower()):
        raise InputError(f"the values are in {band!r}, so they are no elevations", file=name, remedy="give elevations")
    by_crs = _vertical_axis(crs, name)
    if by_band is not None and by_crs is not None and not same_unit(by_band, by_crs):
        raise UnitError(
            f"the band says {unit_name(by_band)}, the CRS says {unit_name(by_crs)}",
            file=name,
            remedy="give --dem-units m, ft or us-ft",
        )
    if by_band is not None:
        return VerticalUnit(by_band, "band")
    if by_crs is not None:
        return VerticalUnit(by_crs, "crs")
    by_words = _metadata_unit(dataset)
    return None if by_words is None else VerticalUnit(by_words, "metadata")


def _vertical_axis(crs: CRS, name: str) -> float | None:
    """Metres in the unit of a compound or three-dimensional CRS's third axis."""
    axes = [axis for axis in crs.axis_info if axis.direction in {"up", "down"}]
    if not axes:
        return None
    if axes[0].direction == "down":
        raise InputError("the CRS counts downward: depths are no elevations", file=name, remedy="give elevations")
    unit = float(axes[0].unit_conversion_factor)
    vertical = crs.sub_crs_list[-1].name if crs.is_compound else ""
    named = _IN_BRACKETS.search(vertical)
    by_name = length_in_words(named[1]) if named else None
    if by_name is not None and not same_unit(by_name, unit):
        # GDAL writes EPSG:8796 (state plane and height in US survey feet) so that it comes back in metres.
        raise UnitError(
            f"the vertical CRS is named {vertical!r} but counts in {unit_name(unit)}",
            file=name,
            remedy="give --dem-units m, ft or us-ft",
        )
    return unit


def _metadata_unit(dataset: Any) -> float | None:
    """The unit named in the tags or the description, where all that name one agree."""
    tags = {**dataset.tags(), **dataset.tags(1)}
    texts = [value for key, value in tags.items() if _UNIT_KEY.match(key)]
    for text in _descriptions(dataset):
        ending = _BEFORE_UNIT.search(text)
        if ending and length_in_words(text) == length_in_words(ending[1]):
            texts.append(ending[1])
    units = {unit for text in texts if (unit := length_in_words(text)) is not None}
    return units.pop() if len(units) == 1 else None


def _descriptions(dataset: Any) -> list[str]:
    tags = {**dataset.tags(), **dataset.tags(1)}
    found = [value for key, value in tags.items() if key.lower() in _DESCRIBING_KEYS]
    return [text for text in (dataset.descriptions[0], *found) if text]


def refuse_other_measures(dataset: Any, lowest: float, highest: float, file: str) -> None:
    """Refuse a raster that is evidently no elevation: by its description, or by its name and values together.

    Raises
    ------
    InputError
        For slopes, aspects, shades, depths and the like.
    """
    described = _words(" ".join(_descriptions(dataset)))
    other = sorted(described & _OTHER_MEASURES.keys())
    if other and not described & _ELEVATION_WORDS:
        raise InputError(f"the band is described as {other[0]}", file=file, remedy="give elevations")
    named = _words(file.rsplit(".", 1)[0])
    other = sorted(named & _OTHER_MEASURES.keys())
    if other and not (named | described) & _ELEVATION_WORDS:
        low, high = _OTHER_MEASURES[other[0]]
        if low <= lowest <= highest <= high:
            raise InputError(
                f"by name and values ({lowest:g} to {highest:g}) this is {other[0]}, no elevation",
                file=file,
                remedy="give elevations; rename the file if these are",
            )


def _words(text: str) -> set[str]:
    return {word for word in re.split(r"[\W\d_]+", text.lower()) if word}

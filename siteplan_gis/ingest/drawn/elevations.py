"""Levels of contour lines in metres: from a field, from text with a unit, or from the heights of the lines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from siteplan_gis.crs import understood
from siteplan_gis.errors import CrsError
from siteplan_gis.ingest.drawn.attributes import ELEVATION_FIELDS, elevation_of, field_of, unit_in_field_name
from siteplan_gis.model.flag import Flag
from siteplan_gis.units import FOOT_M, US_SURVEY_FOOT_M, metres_per

if TYPE_CHECKING:
    from collections.abc import Sequence

    from siteplan_gis.ingest.drawn.drawing import Drawing, DrawnFeature
    from siteplan_gis.ingest.drawn.placing import PlacedLayer

_LEVEL_SPREAD: Final = 1e-3
_SHOWN: Final = 5


@dataclass(slots=True)
class Levels:
    """How one contour layer tells its elevations.

    Attributes
    ----------
    field
        The attribute field, or None where the heights of the lines count.
    metres
        Metres of the unit of bare numbers; None where it cannot be told.
    assumed
        Why that unit was taken, where the data did not say it.
    """

    field: str | None
    metres: float | None
    assumed: str

    def of(self, feature: DrawnFeature) -> float | None:
        """The level of a feature in metres; None where it cannot be read."""
        if self.field is not None:
            read = elevation_of(feature.attributes.get(self.field))
            if read is None:
                return None
            level, told = read
            metres = told or self.metres
            return None if metres is None else level * metres
        height = height_of(feature.drawing) if feature.drawing is not None else None
        return None if height is None or self.metres is None else height * self.metres


def levels_of(layer: PlacedLayer) -> Levels:
    """Find the field and the unit of a contour layer."""
    settings, drawn = layer.settings, layer.drawn
    name = field_of(drawn.fields, settings.elevation_field, ELEVATION_FIELDS)
    if name is not None and settings.elevation_field is None and not _some_numbers(layer, name):
        name = None
    metres: float | None = None
    assumed = ""
    if settings.elevation_units is not None:
        metres = metres_per(settings.elevation_units)
    elif name is not None:
        metres = unit_in_field_name(name)
    if metres is None:
        metres, assumed = _unit_of_crs(layer, from_heights=name is None)
    return Levels(name, metres, assumed)


def field_levels(layer: PlacedLayer, features: Sequence[DrawnFeature]) -> tuple[dict[int, float | None], list[Flag]]:
    """Levels in metres by the `id()` of each feature, and what the reviewer must know about them."""
    levels = levels_of(layer)
    found = {id(feature): levels.of(feature) for feature in features}
    unread = [feature.id for feature in features if found[id(feature)] is None]
    read = [elevation_of(feature.attributes.get(levels.field)) for feature in features] if levels.field else []
    bare = levels.field is None or any(one is not None and one[1] is None for one in read)
    return found, _level_flags(layer, levels, unread, bare_numbers=bare)


def _level_flags(layer: PlacedLayer, levels: Levels, unread: list[str], *, bare_numbers: bool) -> list[Flag]:
    """Lines without a level, a unit that was assumed."""
    flags = []
    if bare_numbers and levels.assumed:
        flags.append(Flag("unit_assumed", levels.assumed, layer.label))
    if unread:
        shown = ", ".join(unread[:_SHOWN]) + ", ..." * (len(unread) > _SHOWN)
        if levels.field is None:
            why = "there is no elevation field (set elevation_field for it in siteplan.toml)"
        elif bare_numbers and levels.metres is None:
            why = f"the unit of {levels.field} is not known (set elevation_units for it in siteplan.toml)"
        else:
            why = f"{levels.field} is blank, missing or no number"
        flags.append(Flag("contour_elevation_missing", f"{len(unread)} lines have no readable elevation: {why}; features {shown}",
                          layer.label))  # fmt: skip
    return flags


def _some_numbers(layer: PlacedLayer, name: str) -> bool:
    return any(elevation_of(feature.attributes.get(name)) is not None for feature in layer.drawn.features)


def _unit_of_crs(layer: PlacedLayer, *, from_heights: bool) -> tuple[float | None, str]:
    """The vertical unit of a compound CRS, else the horizontal one; feet of either kind are read as feet."""
    definition = layer.settings.crs or layer.drawn.crs
    try:
        crs = understood(definition) if definition else None
    except CrsError:
        crs = None
    if crs is not None and crs.is_compound and len(crs.sub_crs_list) > 1:
        axis = crs.sub_crs_list[1].axis_info
        if axis:
            return axis[0].unit_conversion_factor, ""
    if from_heights and definition == "OGC:CRS84":
        return 1.0, ""  # RFC 7946 and KML both define heights in metres
    unit = layer.georeference.metres_per_unit if layer.georeference is not None else None
    if unit is None:
        return None, ""
    name = layer.georeference.name if layer.georeference is not None else ""
    if abs(unit - FOOT_M) < 1e-6 or abs(unit - US_SURVEY_FOOT_M) < 1e-9:  # noqa: PLR2004
        # The two feet differ by 2 parts in a million, 1.4 thousandths of a foot at 700 ft; a 2-ft interval stays 2 ft.
        return FOOT_M, f"elevations have no unit; feet were taken because {name} counts in feet"
    return unit, f"elevations have no unit; that of {name} was taken ({unit:g} m)"


def height_of(drawing: Drawing) -> float | None:
    """The one height of all lines, in the file's unit; None where they slope or have none."""
    heights = [z for z in drawing.line_z if z is not None]
    if not heights or len(heights) != len(drawing.lines) or not drawing.has_z:
        return None
    joined = np.concatenate(heights)
    if not len(joined) or not np.isfinite(joined).all() or float(np.ptp(joined)) > _LEVEL_SPREAD:
        return None
    return float(np.median(joined))

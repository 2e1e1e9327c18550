"""Flags: what a reviewer must know about the inputs, from a closed vocabulary of codes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

FLAG_CODES: Final = {
    "archive_entry_skipped": "an archive entry was not opened: unsafe name, too large, or of no known kind",
    "attribute_text_replaced": "bytes of a text attribute could not be decoded",
    "axis_order_suspect": "the coordinates look as if latitude and longitude were swapped",
    "cad_layer_hidden": "a layer or object of a drawing is frozen, switched off or hidden; it was not used",
    "cad_object_unread": "objects of a drawing could not be read",
    "city_class_unknown": "the class of a city, and so its reach, is not known",
    "contour_duplicate": "the same contour line is drawn twice",
    "contour_elevation_missing": "contour lines without a readable elevation",
    "contour_elevation_source": "where the elevations of a drawing's contours were read",
    "contour_interval_mismatch": "the drawn contour interval is not the stated one",
    "contour_level_missing": "levels are missing between contours",
    "contour_level_odd": "a level does not fit the contour interval",
    "contour_zero_length": "contour lines of no length were left out",
    "coverage_not_declared": "a layer does not say what ground it covers; its own extent was taken",
    "coverage_short": "a layer does not cover the whole searched area",
    "culvert_assumed": "the runoff path was carried through a barrier at a drawn culvert",
    "crs_assumed": "the CRS was given by the user, not by the file",
    "crs_note": "the CRS needs an explanation",
    "curve_linearised": "true curves were replaced by short chords",
    "date_unreadable": "a day is written in a way that is not read; the feature is taken as undated",
    "decisions_beside": "decisions were taken from a file beside the plan",
    "jurisdiction_doubt": "who governs the ground is doubtful",
    "declared_area_differs": "the area that a file declares is not the area of what it draws",
    "detached_part": "a part apart from the main one reaches out too; whether it may, a person decides",
    "dem_axis_exaggerated": "the elevation grid's cells are far from square",
    "dem_cell_too_coarse": "the elevation grid is too coarse for the rule",
    "dem_empty_blocks": "the elevation grid has no values where the site is",
    "dem_flat": "the elevation is exactly equal over much of the site",
    "dem_level_water": "ground is exactly level, as water is made in elevation models: no proof of its slope",
    "dem_nodata_undeclared": "a sentinel that the file does not declare was taken as no elevation",
    "dem_not_covering": "the elevation grid does not cover the whole site",
    "dem_seam": "the elevations step along a straight line of cells, as between tiles that do not fit",
    "dem_stairs": "the elevations repeat in whole rows or columns, as nearest-neighbour resampling makes them",
    "dem_tiles_units_differ": "elevation tiles are in different vertical units; each was read in its own",
    "dem_vertical_unit_unknown": "the unit of the elevations is not known",
    "dem_whole_units": "the elevations are whole units: slopes are steps",
    "dem_window_reduced": "the elevation grid is so fine that less ground around the site was read",
    "depression_closed": "the runoff path stops in a closed depression",
    "depression_breached": "the runoff path was carried through shallow ponding",
    "discharge_assumed": "no outfall is drawn: runoff was traced from where it leaves the disturbed area",
    "drawing_damaged": "a drawing is damaged; it was mended to read it",
    "duplicate_features_merged": "the same feature was delivered more than once and counted once",
    "feature_empty": "a feature has no geometry",
    "feature_not_current": "the plan marks a feature as superseded or void; it was set aside",
    "feature_reaches_far": "a feature reaches farther from the plan than a site can",
    "feature_too_small": "a feature is too small to be seen on a map of the ordinance's scale; it was not used",
    "feature_unreadable": "a feature could not be read and was set aside",
    "feature_wrong_kind": "a feature's geometry does not fit its role and was set aside",
    "file_part_missing": "a part of a file is missing; what remains was read",
    "file_unreadable": "a file could not be opened",
    "file_ignored": "a file in the plan is of no kind that is read here",
    "geometry_repaired": "an invalid geometry was repaired; every drawn lobe was kept",
    "ground_heights_off": "heights of the plan's existing ground do not agree with the elevation model",
    "invented_ground": "the data show invented ground, made to demonstrate the program",
    "layer_kinds_not_counted": "features that are no waters by themselves were not counted",
    "layer_empty": "a layer holds no features",
    "layer_not_of_date": "a layer's date is not that of the application, or unknown",
    "layer_truncated": "reading a layer stopped before its end",
    "link_not_followed": "a link to another place was not followed",
    "limits_overlap": "two incorporated municipalities claim the same ground",
    "line_through_barrier": "a mapped drainage line or a drawn storm sewer led the runoff path through a barrier",
    "lines_closed": "closed lines were taken as polygons",
    "lines_not_closed": "lines of a polygon role do not close and were set aside",
    "manifest_role_unmatched": "the manifest names a layer that the plan does not hold",
    "mapped_line_followed": "the runoff path meets a mapped line that is no counted water, and was followed along it",
    "network_doubt": "a drainage line was followed with a doubt",
    "network_gap_bridged": "a gap in the drainage lines was bridged",
    "no_role": "a layer's role is not known; it was not used",
    "override_stale": "a reviewer's decision was made about another answer; it was not applied",
    "override_unknown": "a reviewer's decision is about no finding of this review",
    "phase_dates_contradict": "a phase ends before it starts",
    "phases_overlap": "phases overlap; the common ground was counted once",
    "disturbed_from_surface": "no disturbed area is drawn; the outline of the proposed surface stands in for it",
    "disturbed_outside_site": "disturbed ground lies outside the site",
    "place_unknown": "where the plan lies on the earth is not known; nothing that needs its place was measured",
    "role_against_name": "the manifest takes a layer out of the disturbed area whose name speaks of it",
    "role_guessed": "a layer's role was guessed from its name",
    "sheet_note": "what a reviewer should know of a sheet",
    "sheet_unreadable": "a sheet could not be opened; nothing of it is known",
    "sheet_reduced": "a sheet is printed at another size than it was drawn for",
    "sheet_scale_disagrees": "what tells the scale of a sheet disagrees with itself",
    "site_drawn_twice": "a boundary of the site lies inside another one; the larger was taken",
    "site_from_disturbed": "no site boundary is drawn; the disturbed area stands in for it",
    "slopes_disagree": "slopes of the plan's existing ground and of the elevation model differ",
    "slopes_from_plan": "no elevation model tells slopes: those of the plan's own ground stand in",
    "status_code_unknown": "a status is a number and nothing says what it means",
    "stated_differs": "a stated figure is not the measured one",
    "surface_note": "something of a surface was left out or does not fit",
    "trace_leaves_elevation": "the runoff path leaves the elevation data",
    "unit_assumed": "a unit was given by the user, not by the file",
    "waters_in_wetlands_layer": "a wetlands layer holds rivers or lakes; they were counted as its owner has them",
    "wetlands_in_waters_layer": "a waters layer holds wetlands; they were counted as wetlands",
    "xref_unbound": "a drawing shows another file that was not sent",
    "z_or_m_dropped": "heights or measures of a plan layer were dropped; plan geometry is flat",
    "z_sentinel": "a height is not a number or a sentinel",
}
"""Every flag code with its meaning. A flag with another code is a fault of the program."""


@dataclass(frozen=True, slots=True, order=True)
class Flag:
    """One warning: a code of `FLAG_CODES`, a sentence, and where it arose."""

    code: str
    text: str
    layer: str = ""
    feature: str = ""

    def __post_init__(self) -> None:
        if self.code not in FLAG_CODES:
            message = f"unknown flag code {self.code!r}"
            raise ValueError(message)

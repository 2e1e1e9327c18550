"""The closed vocabulary of measured names, with unit and meaning."""

from __future__ import annotations

from typing import Final

VOCABULARY: Final[dict[str, tuple[str, str]]] = {
    "site_acres": ("acre", "area of the site: the land of the application"),
    "construction_site_acres": ("acre", "area of the construction site: all activities of the common plan"),
    "disturbed_acres": ("acre", "area of the union of all disturbed ground"),
    "disturbed_overlap_acres": ("acre", "ground that more than one phase disturbs"),
    "disturbed_outside_site_acres": ("acre", "disturbed ground outside the site"),
    "disturbed_max_concurrent_acres": ("acre", "largest area open on one day"),
    "phase_acres": ("acre", "disturbed ground of each phase"),
    "separate_disturbed_areas": ("count", "parts of the disturbed ground that do not touch"),
    "lot_largest_acres": ("acre", "area of the largest lot"),
    "street_work_ft": ("ft", "length of street work, drawn or stated"),
    "pipe_work_ft": ("ft", "length of pipe work, drawn or stated"),
    "slope_percent_median": ("%", "median slope of the site, by area"),
    "steep_site_acres": ("acre", "ground of the site at or above the steep limit"),
    "steep_site_native_acres": ("acre", "the same on the elevation model's own cells"),
    "steep_disturbed_acres": ("acre", "disturbed ground at or above the steep limit"),
    "no_elevation_acres": ("acre", "ground of the site without elevation"),
    "no_elevation_disturbed_acres": ("acre", "disturbed ground without elevation"),
    "elevation_cell_ft": ("ft", "cell size of the elevation model on the ground"),
    "slope_cell_ft": ("ft", "cell size at which slopes were analysed"),
    "wetland_on_site_acres": ("acre", "mapped wetland on the site"),
    "wetland_drawn_on_site_acres": ("acre", "wetland that the plan draws on the site"),
    "waters_within_one_mile": ("count", "mapped waters within the search distance"),
    "wetlands_within_one_mile": ("count", "mapped wetlands within the search distance"),
    "wetland_within_one_mile_acres": ("acre", "area of the mapped wetlands within the search distance, each whole"),
    "nearest_water_ft": ("ft", "distance from the construction site to the nearest mapped water"),
    "nearest_wetland_ft": ("ft", "distance from the construction site to the nearest mapped wetland"),
    "discharge_count": ("count", "places where runoff leaves, followed downstream"),
    "feet_per_inch": ("ft/in", "stated scale of each sheet"),
    "contour_interval_ft": ("ft", "usual step between drawn contours"),
    "contour_index_interval_ft": ("ft", "usual step between index contours"),
    "contour_count": ("count", "drawn contour lines"),
    "contour_elevation_min_ft": ("ft", "lowest drawn contour"),
    "contour_elevation_max_ft": ("ft", "highest drawn contour"),
    "contour_missing_levels": ("count", "levels missing between drawn contours"),
    "grid_uncovered_acres": ("acre", "site outside the drawn grid"),
    "grid_label_faults": ("count", "grid labels that are odd, missing or repeated"),
    "jurisdiction": ("", "who has the largest part of the site"),
    "acres_inside": ("acre", "area of the site inside each municipality"),
    "acres_in_etj": ("acre", "area of the site in each municipality's extraterritorial reach"),
    "airport_ft": ("ft", "distance from the site to the nearest airport's reference point"),
}
"""Every measured name: its unit and its meaning. Names with an index (`phase_acres[1]`) stand here without it."""

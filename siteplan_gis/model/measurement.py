"""Measured values: each with unit, doubt, method, place and sources."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import date

    from shapely.geometry.base import BaseGeometry

    from siteplan_gis.model.flag import Flag
    from siteplan_gis.model.source import Source

Value = float | int | str | bool | None


@dataclass(frozen=True, slots=True)
class Method:
    """How to measure: every length in metres, every slope as rise over run. An ordinance may set its own.

    The defaults are those of the state's model and of `measure` without an ordinance.
    """

    search_m: float = 1609.344
    downstream_m: float = 402.336
    steep_ratio: float = 0.20
    slope_cell_m: float = 3.048
    coarsest_cell_m: float = 5.0
    network_snap_m: float = 20.0
    network_gap_m: float = 20.0
    shown_within_m: float = 15.24
    """A reference water counts as shown when the plan draws one within this distance of the whole of it (50 ft)."""
    adjacent_m: float = 15.24
    """Waters this near to the site are immediately adjacent to it (50 ft; the texts give no distance)."""
    steep_noise_m2: float = 40.0
    """Less steep ground than this (0.01 acre) is within the noise of an elevation model."""
    unstated_accuracy_m: float = 12.192
    """Taken for a map that states no accuracy: 40 ft, the national map standard at 1:24,000."""
    control_near_m: float = 7.62
    """A control this near stands at the inlet, outfall or edge that it serves (25 ft; the texts give none)."""
    channel_edge_m: float = 15.24
    """A fence this near to a channel's course stands along its edge (50 ft; the texts give no width)."""
    overlap_noise_m2: float = 1.0
    """Common ground of two phases below this area is drafting noise."""
    channel_m2: float = 10_000.0
    """Runoff is channelised where at least this much ground drains through one cell (1 ha; the texts give none)."""
    named_water_m: float = 8046.72
    """Drainage lines are followed this far downstream for names and designations (5 miles; the texts give none)."""
    bank_gentle_ratio: float = 0.12
    bank_run_m: float = 15.24
    """The top of a channel: where land is gentler than this ratio for this length (East Troy: 12 %, 50 ft)."""


@dataclass(frozen=True, slots=True, eq=False)
class Measurement:
    """One measured value of the closed vocabulary in `measuring.VOCABULARY`.

    Attributes
    ----------
    value
        None where it cannot be told; `reason` then says why.
    unit
        "acre", "sq ft", "ft", "%", "ft/in", "count" or "".
    plus_minus
        Half the width of the doubt in `unit`; None where it is not known.
    where
        Evidence in the site frame.
    """

    name: str
    value: Value
    unit: str = ""
    plus_minus: float | None = None
    method: str = ""
    where: BaseGeometry | None = None
    sources: tuple[Source, ...] = ()
    reason: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class NearbyFeature:
    """A reference water or wetland near the construction site.

    `shown` tells whether the plan draws it: None where a person has to compare; `note` says in a sentence what is
    drawn instead.
    """

    id: str
    name: str
    kind: str
    code: str
    layer: str
    distance_m: float
    geometry: BaseGeometry
    shown: bool | None = None
    note: str = ""


AGREEING: Final = 0.95
"""Share of the runs over shaken ground that must end alike for a verdict."""


@dataclass(frozen=True, slots=True, eq=False)
class Discharge:
    """One place where runoff leaves, followed downstream.

    Attributes
    ----------
    drawn
        True where the plan draws an outfall here; False where runoff was found to leave the disturbed area.
    receiving, kind
        Name of the first water or wetland reached ("unnamed stream" where it has none) and "water" or "wetland";
        empty and None where none was reached.
    within_quarter_mile
        None where it cannot be told.
    ends_because
        "reached_water", "reached_wetland", "farther_than_limit", "leaves_elevation_data", "closed_depression",
        "barrier" (a closed depression behind a narrow, road-like one),
        "network_ends", "no_elevation", "at_edge_of_coverage".
    shown
        Whether the plan shows this discharge location: True for a drawn outfall or one within 50 ft of it.
    runs, runs_agreeing
        How often runoff was followed over ground shaken by the elevations' error, and how often it ended alike; 0
        where the way does not hang on the elevations.
    flow_range_m
        Least and greatest length of the runs that ended alike.
    rivals
        Paths of the runs that ended otherwise, one for each other end.
    profile
        Distance along the path and elevation there, in metres.
    barrier
        The crest of the road-like barrier that stops the path; None where none does.
    """

    id: str
    drawn: bool
    receiving: str
    kind: str | None
    flow_distance_m: float | None
    straight_distance_m: float | None
    within_quarter_mile: bool | None
    ends_because: str
    start: BaseGeometry
    path: BaseGeometry | None
    plus_minus_m: float | None = None
    shown: bool | None = None
    explanation: str = ""
    runs: int = 0
    runs_agreeing: int = 0
    flow_range_m: tuple[float, float] | None = None
    rivals: tuple[BaseGeometry, ...] = ()
    profile: tuple[tuple[float, float], ...] = ()
    barrier: BaseGeometry | None = None


@dataclass(frozen=True, slots=True, eq=False)
class JurisdictionShare:
    """The part of the site that one municipality governs: `kind` is "inside" or "etj"."""

    municipality: str
    municipality_kind: str
    kind: str
    area_m2: float
    share: float
    where: BaseGeometry


@dataclass(frozen=True, slots=True, eq=False)
class SteepPatch:
    """A connected piece of ground at or above the steep limit, in the site frame."""

    geometry: BaseGeometry
    area_m2: float
    median_percent: float
    in_disturbed_m2: float
    outline: BaseGeometry | None = None
    """To draw: without the stairs of cells. Nothing is measured on it. None: draw `geometry`."""


@dataclass(frozen=True, slots=True, eq=False)
class Measurements:
    """Everything measured on one site.

    `values` maps a name of the vocabulary to its measurement; names with an index look like `phase_acres[1]`.
    `not_counted` counts hydrography features within the search distance that are no waters by themselves, by kind.
    `shape` holds the ground that rules speak of: "site", "construction_site", "disturbed", each in the frame.
    """

    values: Mapping[str, Measurement]
    shape: Mapping[str, BaseGeometry]
    waters: tuple[NearbyFeature, ...] = ()
    wetlands: tuple[NearbyFeature, ...] = ()
    floodplain: tuple[NearbyFeature, ...] = ()
    """Floodway and flood fringe on or next to the site."""
    adjoining: Mapping[str, tuple[NearbyFeature, ...]] = field(default_factory=dict)
    """By role: waters and wetlands on or next to the site, with their distance from the site itself."""
    beyond: Mapping[str, tuple[NearbyFeature, ...]] = field(default_factory=dict)
    """By role: not counted but to be compared: beyond the search distance by less than the map's accuracy, or a path
    through a water whose area no layer holds."""
    airports: tuple[NearbyFeature, ...] = ()
    discharges: tuple[Discharge, ...] = ()
    jurisdiction: tuple[JurisdictionShare, ...] = ()
    steep_patches: tuple[SteepPatch, ...] = ()
    open_ground: tuple[tuple[date, float], ...] = ()
    """From each day on, the square metres of disturbed ground that are open; empty where no phase has dates."""
    isolines: Mapping[str, BaseGeometry] = field(default_factory=dict)
    """By layer: contours of the submitted surfaces, to draw."""
    not_counted: Mapping[str, int] = field(default_factory=dict)
    uncovered: Mapping[str, BaseGeometry] = field(default_factory=dict)
    """By layer role: the searched ground that no layer of the role covers (absent where all is covered)."""
    flags: tuple[Flag, ...] = ()
    faults: Mapping[str, str] = field(default_factory=dict)
    """Steps that crashed, with what happened: "ground", "drawing", "waters", "places", "slopes", "submitted" (the
    plan's own ground), "agreement" (that ground against the elevation model), "discharges", ..."""

    def __getitem__(self, name: str) -> Measurement:
        return self.values[name]

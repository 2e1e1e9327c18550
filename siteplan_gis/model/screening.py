"""What can be told of a parcel before anybody draws a plan."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from siteplan_gis.units import FOOT_M, MILE_M

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shapely.geometry.base import BaseGeometry

    from siteplan_gis.frame import Frame
    from siteplan_gis.model.flag import Flag
    from siteplan_gis.model.measurement import Discharge, JurisdictionShare, NearbyFeature
    from siteplan_gis.model.ordinance import Limit, Rule
    from siteplan_gis.model.source import Source

TAKEN_OUT: Final = ("steep", "wetlands", "floodplain", "widths")
"""What can be taken out of the buildable remainder."""

BESIDE_M: Final = 75 * FOOT_M
QUARTER_MILE_M: Final = MILE_M / 4


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked about every parcel.

    Attributes
    ----------
    disturb_acres
        Ground that the applicant means to disturb; None where nothing is stated.
    taken_out
        Those of `TAKEN_OUT` that count against the buildable remainder.
    water_width_m, wetland_width_m
        Protective widths along waters and wetlands, measured from the mapped edge.
    listed
        Whether a parcel is looked at for itself: every water and wetland within the search distance is listed, not only
        counted, so are those downstream, and runoff is followed again over elevations wrong by their error.
    runoff
        Whether runoff is followed.
    exits
        From how many places at most, beside those to waters that none of these reaches.
    """

    disturb_acres: float | None = None
    taken_out: tuple[str, ...] = TAKEN_OUT
    water_width_m: float = BESIDE_M
    wetland_width_m: float = BESIDE_M
    listed: bool = True
    runoff: bool = True
    exits: int = 3


@dataclass(frozen=True, slots=True, eq=False)
class Parcel:
    """One parcel in the frame of its place; `left_out` says why it is no parcel at all, else it is empty.

    `row` is its place in the file, `given_id` what the file calls it; `id` is unique.
    """

    id: str
    geometry: BaseGeometry
    frame: Frame
    row: int = 0
    given_id: str = ""
    left_out: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Nearby:
    """Waters, or wetlands, on and around a parcel.

    Attributes
    ----------
    known
        False where no layer of them was given, so that nothing is known; `reason` says so, or what is not covered.
    within_mile
        How many lie within the search distance; None where it is not known, or where none was found and a part of the
        ground is not covered.
    nearest
        The nearest; None where none lies within 8 km, or it is not known.
    on_site, beside
        Those on the parcel, and within 75 ft of it (those on it too), nearest first.
    listed
        All within the search distance, nearest first; None where they were only counted.
    """

    known: bool
    reason: str
    within_mile: int | None = None
    nearest: NearbyFeature | None = None
    on_site: tuple[NearbyFeature, ...] = ()
    beside: tuple[NearbyFeature, ...] = ()
    listed: tuple[NearbyFeature, ...] | None = None
    plus_minus_m: float = 0.0


@dataclass(frozen=True, slots=True)
class Amount:
    """Square metres of a parcel; None with a reason where it is not known. A reason beside a value limits it."""

    area_m2: float | None
    plus_minus_m2: float | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class ParcelFacts:
    """What was measured on one parcel, before any law.

    Attributes
    ----------
    no_elevation_m2
        Ground of the parcel without a slope; None without elevations.
    airport
        The nearest airport within ten miles; `airport_reason` where there is none or it is not known.
    runoff
        Places where runoff leaves, each followed downstream; `runoff_reason` where it cannot be told.
    remainder
        Ground left when `Asked.taken_out` is taken out; `removed` tells what each takes by itself.
    gaps
        By role of a layer: what of the searched ground it does not cover, as a sentence.
    kept_out
        Ground taken out that is drawn: wetlands, floodplain, widths.
    """

    parcel: Parcel
    area_m2: float
    steep: Amount
    no_elevation_m2: float | None
    waters: Nearby
    wetlands: Nearby
    wetland: Amount
    floodplain: Amount
    floodway: Amount
    airport: NearbyFeature | None
    airport_reason: str
    shares: tuple[JurisdictionShare, ...] | None
    jurisdiction_doubts: tuple[str, ...]
    runoff: tuple[Discharge, ...]
    runoff_reason: str
    receiving: str
    receiving_reason: str
    remainder: Amount
    removed: Mapping[str, Amount]
    gaps: Mapping[str, str] = field(default_factory=dict)
    flags: tuple[Flag, ...] = ()
    kept_out: Mapping[str, BaseGeometry] = field(default_factory=dict)
    taken_out: tuple[str, ...] = ()
    runoff_shares: tuple[float, ...] = ()
    """Of each of `runoff`: the share of the parcel's runoff that the place stands for."""
    downstream: tuple[NearbyFeature, ...] | None = None
    """Waters and wetlands within a quarter mile downstream, with the distance along the way; None where it is not known
    or was not asked for; `downstream_reason` tells what of them is not known."""
    downstream_reason: str = ""
    listing: tuple[NearbyFeature, ...] | None = None
    """Outstanding, exceptional and impaired waters on the parcel and downstream, with their distance; None without a
    layer of them; `listing_reason` tells what was not looked at."""
    listing_reason: str = ""
    taken_of_rest: Mapping[str, float] = field(default_factory=dict)
    """By what takes it: square metres of what those before it left, steep ground last; empty where it was not asked."""
    steep_where: tuple[BaseGeometry, ...] = ()
    """Steep ground to draw; empty where it was only measured."""


@dataclass(frozen=True, slots=True)
class Threshold:
    """A limit of an ordinance that a disturbance may reach.

    Attributes
    ----------
    measured
        The parcel's or the stated quantity, None where nobody stated it; in the limit's unit.
    reached
        Whether it is; None where it cannot be told.
    words
        What it means for this parcel, one sentence.
    """

    rule: Rule
    limit: Limit
    measured: float | None
    reached: bool | None
    words: str


@dataclass(frozen=True, slots=True)
class MapItem:
    """Something that the site map must show; `here` tells what maps show of it on this parcel, where they can."""

    rule: Rule
    here: str


@dataclass(frozen=True, slots=True)
class Governing:
    """An ordinance that may govern the parcel, and why.

    `extent` is "inside", "partly", "extraterritorial" or "named" (asked for by name, wherever the parcel lies).
    """

    ordinance: str
    title: str
    extent: str
    why: str
    thresholds: tuple[Threshold, ...] = ()
    must_show: tuple[MapItem, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Screening:
    """The pre-screening of one parcel: what was measured, and what the law makes of it.

    `facts` is None for what is no parcel (`parcel.left_out`) and where it failed (`fault`).
    """

    parcel: Parcel
    facts: ParcelFacts | None
    governing: tuple[Governing, ...] = ()
    governing_words: str = ""
    sources: Mapping[str, tuple[Source, ...]] = field(default_factory=dict)
    """By role of a layer, "elevation" for the elevation model: what was looked at."""
    missing: Mapping[str, str] = field(default_factory=dict)
    """By role: why nothing is known."""
    invented: bool = False
    fault: str = ""

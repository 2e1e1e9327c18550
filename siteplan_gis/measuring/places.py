"""Whose land the site is, and the nearest airport."""

from __future__ import annotations

from typing import TYPE_CHECKING

import shapely

from siteplan_gis.measures.shapes.coverage import uncovered
from siteplan_gis.measures.shapes.proximity import nearby
from siteplan_gis.measures.territory.jurisdiction import doubts, shares
from siteplan_gis.measuring.record import Taken, cannot, measured
from siteplan_gis.model.flag import Flag
from siteplan_gis.units import acres, feet

if TYPE_CHECKING:
    from shapely.geometry.base import BaseGeometry

    from siteplan_gis.model.measurement import JurisdictionShare, NearbyFeature
    from siteplan_gis.model.site import Site

_SLIVER = 1e-4
_AIRPORT_SEARCH_M = 16_093.44
_BASES = ("reference point", "runway", "own area")
"""What an airport is measured from, by what it is drawn as: a point, a line, an area."""


def measure_places(
    site: Site, shape: dict[str, BaseGeometry]
) -> tuple[Taken, tuple[JurisdictionShare, ...], tuple[NearbyFeature, ...], dict[str, BaseGeometry]]:
    """Shares of the site by municipality, the nearest airport, and site ground without a boundary layer."""
    taken = Taken()
    ground = shape["site"]
    municipalities = site.layers.get("municipalities", ())
    found: tuple[JurisdictionShare, ...] = ()
    gaps: dict[str, BaseGeometry] = {}
    if ground.is_empty or not municipalities:
        reason = (
            "the plan draws no ground"
            if ground.is_empty
            else site.missing_layers.get("municipalities", "no layer of municipal boundaries was given")
        )
        taken.add(cannot("jurisdiction", reason))
    else:
        features = [feature for layer in municipalities for feature in layer.features]
        sources = tuple(layer.source for layer in municipalities)
        found = shares(ground, features)
        taken.flags.extend(
            Flag("jurisdiction_doubt", doubt, municipalities[0].label) for doubt in doubts(ground, features)
        )
        gap = uncovered(ground, [layer.coverage for layer in municipalities], 1.0)
        if gap is not None:
            gaps["municipalities"] = gap
        for share in found:
            name = "acres_inside" if share.kind == "inside" else "acres_in_etj"
            taken.add(
                measured(
                    f"{name}[{label(share)}]",
                    acres(share.area_m2),
                    None,
                    "area of the site's part",
                    share.where,
                    sources,
                )
            )
        words = "; ".join(
            f"{'ETJ of ' if share.kind == 'etj' else ''}{label(share)} {share.share:.1%}"
            for share in found
            if share.share > _SLIVER
        )
        alone = "unincorporated, or outside the boundary layer" if gap is not None else "unincorporated"
        taken.add(
            measured(
                "jurisdiction",
                words or alone,
                None,
                "by area",
                None,
                sources,
                "the boundary layer does not cover the whole site" if gap is not None else "",
            )
        )
    airports = site.layers.get("airports", ())
    near: tuple[NearbyFeature, ...] = ()
    if airports and not ground.is_empty:
        near = nearby(ground, [feature for layer in airports for feature in layer.features], _AIRPORT_SEARCH_M)
        sources = tuple(layer.source for layer in airports)
        if near:
            taken.add(
                measured(
                    "airport_ft",
                    feet(near[0].distance_m),
                    None,
                    f"to the {_BASES[int(shapely.get_dimensions(near[0].geometry))]} of {near[0].name or near[0].id}",
                    near[0].geometry,
                    sources,
                )
            )
        else:
            taken.add(cannot("airport_ft", "no airport within 10 miles", sources))
    else:
        taken.add(cannot("airport_ft", site.missing_layers.get("airports", "no airports were given")))
    return taken, found, near, gaps


def label(share: JurisdictionShare) -> str:
    """A municipality by name and kind, e.g. "Saukville (village)"."""
    return f"{share.municipality} ({share.municipality_kind})" if share.municipality_kind else share.municipality

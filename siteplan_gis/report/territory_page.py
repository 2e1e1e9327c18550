"""`etj.html`: the map of extraterritorial areas as one file; a click answers whose the land is, and why.

Shapes are simplified as far as the file stays small; what is near a line is said to be told elsewhere.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import shapely
from markupsafe import Markup

from siteplan_gis.report.drawing import coded
from siteplan_gis.report.map_page import script_json
from siteplan_gis.report.page import asset, environment, policy
from siteplan_gis.report.plain import text
from siteplan_gis.report.territory_records import territory_record
from siteplan_gis.units import acres

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray
    from shapely.geometry.base import BaseGeometry

    from siteplan_gis.model.limits import Municipality, Territory, TerritoryMap

LARGEST_BYTES: Final = 4_500_000
"""The map's data are simplified until they are smaller than this."""

_TOLERANCES_M: Final = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0)
_LEAST_M2: Final = 100.0


def write_territory_page(mapped: TerritoryMap, path: Path) -> None:
    """Write the map as one self-contained HTML file."""
    path.write_text(territory_page_text(mapped), encoding="utf-8", newline="\n")


def territory_page_text(mapped: TerritoryMap) -> str:
    """The page as text: the same bytes for the same map."""
    record = territory_record(mapped)
    for tolerance in _TOLERANCES_M:
        written = script_json(_data(mapped, record, tolerance))
        if len(written) < LARGEST_BYTES:
            break
    scripts = [asset("leaflet/leaflet.js"), asset("map_parts.js"), asset("etj.js")]
    return environment().get_template("etj.html.j2").render(
        record=record,
        labels=[text(one.label) for one in mapped.limits.municipalities],
        tolerance=f"{tolerance:g}",
        policy=policy(scripts),
        styles=Markup(asset("leaflet/leaflet.css") + asset("etj.css")),  # noqa: S704
        scripts=[Markup(script) for script in scripts],  # noqa: S704
        data=Markup(written),  # noqa: S704
    )  # fmt: skip


def _data(mapped: TerritoryMap, record: Mapping[str, Any], tolerance: float) -> dict[str, Any]:
    plane = mapped.limits.plane

    def drawn(shapes: Sequence[BaseGeometry]) -> list[list[Any]]:
        exact: NDArray[np.object_] = np.array(shapes, dtype=object)
        coarse = shapely.simplify(exact, tolerance, preserve_topology=False)
        lost = shapely.is_empty(coarse)
        coarse[lost] = exact[lost]
        return coded(coarse, plane)

    municipalities = mapped.limits.municipalities
    by_label = {one.municipality.label: one for one in mapped.territories}
    rows = {row["municipality"]: row for row in record["municipalities"]}
    limits = drawn([one.geometry for one in municipalities])
    held = drawn([by_label[one.label].held if one.label in by_label else shapely.Polygon() for one in municipalities])
    colours = _colours(mapped)
    marks = [
        (f"{what} ({text(one.municipality.label)})", ground)
        for one in mapped.territories
        for what, ground in (
            ("only a detached part reaches here", one.detached_only),
            ("reached if the city's class is 1 to 3", one.undecided),
        )
        if ground.area > _LEAST_M2
    ]
    return {
        "centre": [plane.longitude, plane.latitude],
        "places": [
            _place(one, limits[k], held[k], rows.get(text(one.label), {}), by_label.get(one.label), colours)
            for k, one in enumerate(municipalities)
        ],
        "overlaps": drawn([one.ground for one in mapped.overlaps]),
        "lines": drawn([one.line for one in mapped.overlaps if not one.line.is_empty]),
        "marks": [
            {"text": what, "parts": parts}
            for (what, _), parts in zip(marks, drawn([ground for _, ground in marks]), strict=True)
        ],
    }


def _place(
    one: Municipality,
    limits: list[Any],
    held: list[Any],
    row: Mapping[str, Any],
    territory: Territory | None,
    colours: Mapping[str, int],
) -> dict[str, Any]:
    return {
        "label": text(one.label),
        "name": text(one.name),
        "kind": one.kind,
        "city_class": row.get("city_class", ""),
        "reach": 0 if territory is None else territory.reach_m,
        "why": row.get("reach_source", ""),
        "acres": round(acres(one.geometry.area), 1),
        "etj": None if territory is None else round(row["etj_acres"], 1),
        "shared": None if territory is None else round(row["shared_acres"], 1),
        "towns": row.get("towns_touched") or "",
        "counties": row.get("counties_touched") or "",
        "colour": colours.get(one.label, 0),
        "limits": limits,
        "held": held,
    }


def _colours(mapped: TerritoryMap) -> dict[str, int]:
    """A number for each holder that no neighbour in an overlap has."""
    beside: dict[str, set[str]] = {one.municipality.label: set() for one in mapped.territories}
    for overlap in mapped.overlaps:
        if overlap.first in beside and overlap.second in beside:
            beside[overlap.first].add(overlap.second)
            beside[overlap.second].add(overlap.first)
    colours: dict[str, int] = {}
    for label in sorted(beside, key=lambda one: (-len(beside[one]), one)):
        taken = {colours[other] for other in beside[label] if other in colours}
        colours[label] = next(k for k in range(len(beside) + 1) if k not in taken)
    return colours

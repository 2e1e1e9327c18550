"""The summary of many parcels: counts, a ranking, and the tiles of a map; parts are read one by one."""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any, Final

import shapely

from siteplan_gis.report.parcel_table import read_parts
from siteplan_gis.report.plain import number, text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

SUMMARY_SCHEMA: Final = "siteplan-gis/prescreen-summary/1"
WORST: Final = 300
TILES_DEGREES: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25)
_MOST_TILES: Final = 4000
_OF_A_TILE: Final = 5
_SUMS: Final = ("acres", "steep_acres", "wetland_acres", "floodplain_acres", "floodway_acres", "buildable_acres")
_RANKED: Final = (
    "parcel", "governed_by", "acres", "taken_acres", "taken_share", "buildable_acres", "steep_acres", "wetland_acres",
    "floodplain_acres", "nearest_water_ft", "nearest_wetland_ft", "receiving_water",
)  # fmt: skip


def summary_record(parts: Sequence[Path], about: Mapping[str, Any]) -> dict[str, Any]:
    """What many parcels come to, as plain data.

    The ranking is by ground that cannot be built on: the largest first, by acres, then by name. `tiles` counts the
    parcels and their ground in squares of `tile_degrees`; `places` are the shapes of the ranking, to draw them.
    """
    states, reasons, unknown = Counter[str](), Counter[str](), Counter[str]()
    ordinances: dict[str, Counter[str]] = defaultdict(Counter)
    sums: Counter[str] = Counter()
    cells: dict[tuple[int, int], list[float]] = defaultdict(lambda: [0.0] * _OF_A_TILE)
    worst: list[tuple[float, str, bytes, dict[str, Any]]] = []
    finest = TILES_DEGREES[0]
    for table in read_parts(parts):
        shapes = shapely.from_wkb(table.column("geometry").to_pylist())
        middles = shapely.get_coordinates(shapely.centroid(shapes)) if len(shapes) else []
        at = iter(middles)
        for row, shape in zip(table.to_pylist(), shapes, strict=True):
            place = next(at) if shape is not None and not shape.is_empty else None
            states[row["state"]] += 1
            if row["state"] != "screened":
                reasons[row["reason"]] += 1
                continue
            ordinances[row["ordinance"] or "none of those shipped"][row["ordinance_extent"] or "none"] += 1
            for name in _SUMS:
                if row[name] is None:
                    unknown[name] += 1
                else:
                    sums[name] += row[name]
            taken = None if row["buildable_acres"] is None else row["acres"] - row["buildable_acres"]
            if place is not None:
                cell = cells[int(place[0] // finest), int(place[1] // finest)]
                cell[0] += 1
                cell[1] += row["acres"]
                if taken is None:
                    cell[4] += 1
                else:
                    cell[2] += row["acres"]
                    cell[3] += taken
            if taken is not None:
                told = {**row, "taken_acres": number(taken), "taken_share": number(taken / row["acres"])}
                entry = (taken, row["parcel"], row["geometry"], told)
                if len(worst) < WORST:
                    heapq.heappush(worst, entry)
                else:
                    heapq.heappushpop(worst, entry)
    ranked = sorted(worst, key=lambda one: (-one[0], one[1]))
    side, tiles = _tiles(cells)
    return {
        "schema": SUMMARY_SCHEMA,
        **about,
        "sources": [{name: text(value) for name, value in one.items()} for one in about["sources"]],
        "left_out": {text(why): count for why, count in about["left_out"].items()},
        "states": dict(sorted(states.items())),
        "reasons": dict(reasons.most_common(50)),
        "ordinances": {name: dict(sorted(each.items())) for name, each in sorted(ordinances.items())},
        "acres": {name.removesuffix("_acres"): number(sums[name]) for name in _SUMS},
        "not_known": {name.removesuffix("_acres"): count for name, count in sorted(unknown.items())},
        "ranking": [{name: told[name] for name in _RANKED} for *_, told in ranked],
        "places": list(shapely.from_wkb([wkb for _, _, wkb, _ in ranked])),
        "tile_degrees": side,
        "tiles": tiles,
    }


def _tiles(cells: Mapping[tuple[int, int], Sequence[float]]) -> tuple[float, list[list[float]]]:
    """Squares as west, south, parcels, acres, acres known, acres taken of these, and parcels of which it is not known.

    Their side leaves few enough of them.
    """
    for side in TILES_DEGREES:
        times = round(side / TILES_DEGREES[0])
        merged: dict[tuple[int, int], list[float]] = defaultdict(lambda: [0.0] * _OF_A_TILE)
        for (column, row), values in cells.items():
            into = merged[column // times, row // times]
            for k, value in enumerate(values):
                into[k] += value
        if len(merged) <= _MOST_TILES:
            break
    return side, [
        [
            round(column * side, 4),
            round(row * side, 4),
            int(count),
            *(round(one, 2) for one in (land, known, taken)),
            int(lost),
        ]
        for (column, row), (count, land, known, taken, lost) in sorted(merged.items())
    ]

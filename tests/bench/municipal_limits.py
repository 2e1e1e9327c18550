"""A state's worth of municipal limits: real Wisconsin places and generated neighbours, with a million vertices.

    python tests/bench/municipal_limits.py OUT.gpkg [MUNICIPALITIES] [VERTICES]

Places that lie within six miles of each other stay together, as they are; copies of such groups are turned and set down
in free ground, as near to what is there already as a real neighbour may be, until there are enough of them. Edges are
then divided, and each new corner moved by up to 0.2 m (by its place, so that a common boundary stays common).
"""

from __future__ import annotations

import math
import sys
from pathlib import Path

import numpy as np
import pyogrio
import shapely
from pyproj import Transformer

PLACES = Path(__file__).resolve().parents[3] / "shared" / "data" / "vector" / "wi_places" / "wi_places_scenarios.gpkg"
STATE = (300_000.0, 230_000.0, 760_000.0, 700_000.0)
GROUP_M = 9_656.0
LAND = "EPSG:3071"


def places():
    """Names, letters (C or V) and shapes of the real places in metres."""
    meta, _, wkb, columns = pyogrio.raw.read(PLACES, columns=["NAME", "LSAD", "CLASSFP"], force_2d=True)
    told = dict(zip(meta["fields"], columns, strict=True))
    chosen = np.array([str(one).startswith("C") for one in told["CLASSFP"]])
    shapes = shapely.transform(
        shapely.from_wkb(wkb[chosen]),
        lambda xy: np.column_stack(Transformer.from_crs(4326, LAND, always_xy=True).transform(xy[:, 0], xy[:, 1])),
    )
    letters = np.array(["C" if one == "25" else "V" for one in told["LSAD"][chosen]])
    return told["NAME"][chosen], letters, shapes


def state(count, vertices, seed=7):
    """Names, letters and shapes of `count` municipalities with about so many vertices."""
    names, letters, shapes = places()
    group = np.arange(len(shapes))
    for i, j in zip(*shapely.STRtree(shapes).query(shapes, predicate="dwithin", distance=GROUP_M), strict=True):
        group[group == group[j]] = group[i]
    groups = sorted((np.flatnonzero(group == one) for one in np.unique(group)), key=lambda each: (-len(each), each[0]))
    rng = np.random.default_rng(seed)
    placed, told, kinds = list(shapes), list(names), list(letters)
    while len(placed) < count:
        which = groups[int(rng.choice(len(groups), p=_chances(groups)))]
        moved = _set_down(shapes[which], placed, rng)
        if moved is None:
            continue
        for k, shape in zip(which, moved, strict=True):
            if len(placed) < count:
                told.append(f"{names[k]} {len(placed)}")
                placed.append(shape)
                kinds.append(letters[k])
    return told, kinds, _divided(np.array(placed, dtype=object), vertices)


def _chances(groups):
    sizes = np.sqrt([len(each) for each in groups])
    return sizes / sizes.sum()


def _set_down(shapes, placed, rng):
    around = shapely.union_all(shapes)
    centre = np.array(around.centroid.coords[0])
    for _ in range(30):
        turn = rng.integers(4) * math.pi / 2
        at = np.array([rng.uniform(STATE[0], STATE[2]), rng.uniform(STATE[1], STATE[3])])
        cos, sin = round(math.cos(turn)), round(math.sin(turn))
        moved = shapely.transform(shapes, lambda xy: (xy - centre) @ np.array([[cos, sin], [-sin, cos]]) + at)  # noqa: B023
        tree = shapely.STRtree(placed)
        if not len(tree.query(shapely.box(*shapely.total_bounds(moved)).buffer(300), predicate="intersects")):
            return moved
    return None


def _divided(shapes, vertices):
    longest = 200.0
    while shapely.get_num_coordinates(shapely.segmentize(shapes, longest)).sum() < vertices:
        longest *= 0.97
    corners = {tuple(xy) for xy in np.round(shapely.get_coordinates(shapes), 3)}

    def shaken(xy):
        near = np.round(xy, 3)
        kept = np.array([tuple(one) in corners for one in near])
        shift = 0.2 * np.column_stack([np.sin(near.sum(axis=1) * 12.9), np.sin((near[:, 0] - near[:, 1]) * 7.7)])
        return xy + np.where(kept[:, None], 0.0, shift)

    return shapely.make_valid(shapely.transform(shapely.segmentize(shapes, longest), shaken))


def write(path, count=600, vertices=1_000_000):
    """Write them as a GeoPackage with the fields of Wisconsin's boundary layer."""
    names, kinds, shapes = state(count, vertices)
    classes = [
        "" if kind == "V" else ("2" if len(name) % 3 == 0 else "4") for name, kind in zip(names, kinds, strict=True)
    ]
    fields = {
        "CTV": kinds, "MCD_NAME": names, "CNTY_NAME": [f"COUNTY {k % 72}" for k in range(len(names))],
        "CITY_CLASS": classes,
    }  # fmt: skip
    polygons = [
        shapely.multipolygons([p for p in shapely.get_parts(one) if p.geom_type == "Polygon"]) for one in shapes
    ]
    pyogrio.raw.write(
        str(path), shapely.to_wkb(np.array(polygons, dtype=object)), [np.array(each, dtype=object) for each in fields.values()],
        np.array(list(fields), dtype=object), layer="limits", driver="GPKG", geometry_type="MultiPolygon", crs=LAND,
    )  # fmt: skip
    return path


if __name__ == "__main__":
    write(Path(sys.argv[1]), *map(int, sys.argv[2:4]))

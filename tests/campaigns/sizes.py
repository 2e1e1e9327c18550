"""Plans of very many vertices and rings through the commands: `python -m tests.campaigns.sizes`.

Each is the sample subdivision with its disturbed ground drawn densely or full of holes. Prints a row a run; exit 1
where one crashes, hangs, is silent or needs too much memory.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

import geopandas
import numpy as np
import pyogrio
import shapely

from tests.campaigns.running import ROOT, siteplan

SAMPLE = ROOT / "sample_plans" / "pass-saukville-subdivision"
SECONDS = 150.0


def dense(area, vertices):
    """The same area with so many vertices at least."""
    return shapely.segmentize(area, area.length / vertices)


def holed(area, rings):
    """The area with so many small holes, none of which touches another."""
    left, bottom, right, top = area.buffer(-5).bounds
    step = np.sqrt((right - left) * (top - bottom) / rings / 4)
    x, y = (values.ravel() for values in np.meshgrid(np.arange(left, right, step), np.arange(bottom, top, step)))
    inside = shapely.contains_xy(area.buffer(-step), x, y)
    x, y = x[inside][:rings], y[inside][:rings]
    holes = shapely.box(x, y, x + step / 2, y + step / 2)
    return shapely.Polygon(area.exterior, [hole.exterior for hole in holes])


def zigzag(area, vertices):
    """A square within the area with so many teeth from its lower to its upper side."""
    middle, half = _circle(area)
    x = np.linspace(-half, half, vertices)
    y = np.where(np.arange(vertices) % 2, half, -0.98 * half)
    return shapely.Polygon(middle + np.concatenate((np.column_stack((x, y)), [(half, -half), (-half, -half)])))


def star(area, vertices):
    """A star within the area with half as many spikes."""
    middle, half = _circle(area)
    turn = np.linspace(0, 2 * np.pi, vertices, endpoint=False)
    reach = np.where(np.arange(vertices) % 2, half, half / 10)
    return shapely.Polygon(middle + reach[:, None] * np.column_stack((np.cos(turn), np.sin(turn))))


def _circle(area):
    """The middle of the largest circle in the area, and what a square around it may have for half a side."""
    radius = shapely.maximum_inscribed_circle(area)
    return np.array(radius.coords[0]), 0.7 * radius.length


def written(folder, change, number):
    """A copy of the sample in which the largest polygon of the disturbed ground is changed."""
    shutil.copytree(SAMPLE, folder)
    plan = folder / "plan.gpkg"
    layers = {name: geopandas.read_file(plan, layer=name) for name, _ in pyogrio.list_layers(plan)}
    plan.unlink()
    made = 0
    for name, table in layers.items():
        if "disturb" in name.lower():
            largest = int(table.area.argmax())
            polygon = max(shapely.get_parts(table.geometry.iloc[largest]), key=lambda one: one.area)
            made = change(polygon, number)
            table.geometry = [made if i == largest else one for i, one in enumerate(table.geometry)]
        table.to_file(plan, layer=name)
    assert made, sorted(layers)
    return shapely.get_num_coordinates(made), shapely.get_num_interior_rings(made)


CASES = (
    (holed, 10**5), (holed, 4900), (zigzag, 10**5), (zigzag, 1000), (star, 10**5), (dense, 10**7), (dense, 10**5),
    (dense, 10**6),
)  # fmt: skip


def main():
    faults = 0
    with tempfile.TemporaryDirectory() as place:
        for change, number in CASES:
            folder = Path(place) / f"{change.__name__}-{number}"
            vertices, rings = written(folder, change, number)
            for command in ("inspect", "measure", "review"):
                more = () if command == "inspect" else ("--layers", ROOT / "layers" / "saukville")
                more += ("--on", "2025-06-01", "--out", Path(place) / "out") if command == "review" else ()
                done = siteplan(command, folder, *more, seconds=SECONDS)
                faults += bool(done.fault)
                said = (done.stderr if done.code else done.stdout).strip().splitlines()
                print(
                    f"{change.__name__:7} {vertices:>10,} vertices {rings:>7,} rings  {command:8} exit {done.code} {done.seconds:6.1f} s {done.computing:6.1f} CPU s"
                    f" {done.megabytes:6.0f} MB {done.fault or '-'}  {(said or [''])[-1][:150]}",
                    flush=True,
                )
            shutil.rmtree(folder)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())

"""Parcels of a generated county: each alone as in the table, with and without runoff, and beside a review's own trace.

    python -m tests.campaigns.parcels_alone [--parcels N] [--alone N] [--reviewed N] [--folder FOLDER]

Every field of a row is compared, and of N parcels spread over the county the first place of runoff with what a review
follows from there, on the finest ground and with what its way needs read around it. Exit 1 where a row differs beyond
rounding, a trace by more than both doubts (also with the runs of the parcel alone), or a trace ends at the window and
does not say so.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np

from siteplan_gis.countywide.one import ParcelsAsked, evidence_of, laws, screen_rows
from siteplan_gis.countywide.partitions import partitioned
from siteplan_gis.countywide.surroundings import TERRAIN_MARGIN_M, gather_around
from siteplan_gis.ingest.elevation.terrain import read_terrain
from siteplan_gis.ingest.reference.parcel_index import index_parcels
from siteplan_gis.measures.runoff.flow import BARRIER_M
from siteplan_gis.measuring.conduits import find_conduits
from siteplan_gis.measuring.discharges import targets
from siteplan_gis.measuring.following import follow, heights_of
from siteplan_gis.measuring.mapped_ways import mapped_lines, ways_of
from siteplan_gis.measuring.record import Taken
from siteplan_gis.measuring.waters import accuracy_m
from siteplan_gis.model.screening import Asked
from siteplan_gis.report.screening_records import ROW_COLUMNS, screening_row
from tests.bench.county import make

OF_RUNOFF = ("runoff", "receiving_water", "listed_waters", "not_known", "flags")


class County:
    """Its parcels and all that they are compared with."""

    def __init__(self, folder):
        self.given = ParcelsAsked(folder / "parcels.gpkg", folder, invented=True, asked=Asked(listed=False))
        self.evidence, path = evidence_of(self.given)
        self.index = index_parcels(path)
        self.ordinances, self.method = laws("")

    def screened(self, rows, asked=None):
        given = replace(self.given, asked=asked or self.given.asked)
        return screen_rows(self.index, rows, self.evidence, self.ordinances, self.method, given)

    def together(self, *, runoff=True):
        parts = partitioned(self.index.lonlat, np.arange(len(self.index)))
        asked = replace(self.given.asked, runoff=runoff)
        return {one.parcel.row: one for part in parts for one in self.screened(part.rows, asked)}

    def reviewed(self, parcel, start):
        """What a review follows from a place: on the finest cells, in a window of its own that grows."""
        site = gather_around([parcel], self.evidence, replace(self.given.asked, runoff=False), self.method)
        terrain = read_terrain(self.evidence.dems, site.frame, start, TERRAIN_MARGIN_M)
        site = replace(site, terrain=terrain)
        known, method = find_conduits(site, self.method), self.method
        wide = known.ready(terrain.grid, start, terrain.source)
        layers = [layer for role in ("waters", "wetlands") for layer in site.layers.get(role, ())]
        return follow(
            "outfall", start, wide, ways_of(mapped_lines(site), site, method, heights_of(wide.ground)), targets(site), method,
            accuracy_m(layers, method), max(BARRIER_M, terrain.accuracy_m or 0.0), Taken(), known.sinks, drawn=True,
            told=False,
        ).discharge  # fmt: skip


def differing(one, other, leaving=()):
    """The fields in which two rows differ: numbers by more than a millionth, a trace by more than its doubt."""
    found = []
    doubt_ft = one["runoff_plus_minus_ft"] or 0.0
    for name in ROW_COLUMNS:
        if name.startswith(leaving):
            continue
        a, b = one[name], other[name]
        if isinstance(a, float) and isinstance(b, float):
            slack = doubt_ft if name == "runoff_flow_ft" else 1e-4 if name.startswith("runoff_") else 1e-9
            if abs(a - b) > slack + 1e-6 * abs(a):
                found.append(name)
        elif a != b:
            found.append(name)
    return found


def spread(county, count):
    return np.unique(np.linspace(0, len(county.index) - 1, count).astype(int)).tolist()


def compare_rows(title, pairs, leaving=()):
    """Print in what rows differ; how many do."""
    counted, bad, done = Counter(), 0, 0
    for one, other in pairs:
        done += 1
        fields = differing(one, other, leaving)
        bad += bool(fields)
        for name in fields:
            if counted[name] < 3:
                print(f"  {one['parcel']} {name}: {one[name]} | {other[name]}")
            counted[name] += 1
    print(f"{title}: {done} compared, {bad} differ {dict(counted)}", flush=True)
    return bad


def beside_reviews(county, rows, together):
    """Traces from the first place of each parcel beside a review's; how many are wrong without saying so."""
    counted, wrong = Counter(), 0
    for row in rows:
        screening = together[row]
        if screening.facts is None or not screening.facts.runoff:
            counted["no runoff"] += 1
            continue
        ours = screening.facts.runoff[0]
        theirs = county.reviewed(screening.parcel, ours.start)
        if ours.plus_minus_m is None:
            counted["said to hang on ground that was not read"] += 1
        elif (ours.kind, ours.receiving) == (theirs.kind, theirs.receiving):
            if ours.flow_distance_m is None:
                counted["neither reaches a water"] += 1
                continue
            away = abs(ours.flow_distance_m - theirs.flow_distance_m)
            within = away <= ours.plus_minus_m + (theirs.plus_minus_m or 0.0)
            words = "the same water, within the doubts" if within else "the same water, beyond the doubts"
            if not within:
                # Coarser cells are elevations a little wrong: what that does to a way, the runs of a parcel alone tell.
                asked = replace(county.given.asked, listed=True)
                within = away <= county.screened([row], asked)[0].facts.runoff[0].plus_minus_m + (
                    theirs.plus_minus_m or 0.0
                )
                words += ", within those of the parcel alone" * within
            counted[words] += 1
            wrong += not within
            if not within:
                print(f"  {screening.parcel.id} {away:.1f} m from {theirs.flow_distance_m:.1f} m: {ours.explanation}")
        else:
            kind = f"other end: {ours.ends_because} | {theirs.ends_because}"
            counted[kind] += 1
            if ours.within_quarter_mile != theirs.within_quarter_mile:
                counted["of these another answer to the quarter mile"] += 1
            print(f"  {screening.parcel.id} {kind}: {ours.flow_distance_m} {ours.explanation} | {theirs.explanation}")
    print(f"beside a review: {sum(counted.values())} {dict(counted)}", flush=True)
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--parcels", type=int, default=1000)
    parser.add_argument("--alone", type=int, default=300)
    parser.add_argument("--reviewed", type=int, default=200)
    parser.add_argument("--folder", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        folder = options.folder or Path(made)
        if options.folder is None:
            make(folder, options.parcels)
        county = County(folder)
        together = county.together()
        rows = {row: screening_row(one) for row, one in together.items()}
        without = {row: screening_row(one) for row, one in county.together(runoff=False).items()}
        bad = compare_rows("with and without runoff", ((rows[row], without[row]) for row in rows), OF_RUNOFF)
        alone = ((screening_row(county.screened([row])[0]), rows[row]) for row in spread(county, options.alone))
        bad += compare_rows("alone and in the table", alone)
        bad += beside_reviews(county, spread(county, options.reviewed), together)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())

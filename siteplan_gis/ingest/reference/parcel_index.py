"""All parcels of a file as an index: where each lies, what it is called, and what is no parcel at all.

Geometries are not kept: they are read again by the window, so that a state's parcels need no more memory than their
boxes and names.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import shapely

from siteplan_gis.errors import InputError
from siteplan_gis.frame import FARTHEST_M, Frame, on_the_earth
from siteplan_gis.ingest.reference.codes import bare, field_names, text_of
from siteplan_gis.ingest.reference.footprints import placed
from siteplan_gis.ingest.reference.limits import placed_by
from siteplan_gis.ingest.reference.rows import find_layer, read_bounds, read_column, read_rows
from siteplan_gis.ingest.reference.selecting import chosen as rows_chosen
from siteplan_gis.ingest.reference.selecting import conditions
from siteplan_gis.model.screening import Parcel

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from siteplan_gis.crs import Georeference
    from siteplan_gis.ingest.reference.rows import VectorLayer

_IDS: Final = ("parcelid", "taxparcelid", "parcelno", "parcelnumber", "pin", "parcel", "taxkey", "stateid", "apn")
_KINDS: Final = frozenset({
    "parceltype", "parceltypecode", "type", "class", "featuretype", "landtype", "parceldescription", "descript",
    "description", "kind", "usedesc", "landuse",
})  # fmt: skip
_NO_PARCEL: Final = (
    ("right of way", re.compile(r"rights?[ _-]?of[ _-]?way|r\.?/?o\.?/?w\.?s?|roads?|streets?|alleys?|highways?|rail ?roads?|railway")),
    ("water", re.compile(r"hydro(graphy)?|waters?|lakes?|rivers?|streams?|ponds?")),
    ("gap", re.compile(r"gaps?|overlaps?|slivers?|unknown area|non[ _-]?parcels?")),
)  # fmt: skip
_EDGE_M: Final = 0.5
_NOWHERE: Final = Frame(0.0, 0.0, placed=False)


@dataclass(frozen=True, slots=True, eq=False)
class ParcelIndex:
    """Every row of a file of parcels, in its order.

    Attributes
    ----------
    crs
        What its coordinates are in, as given or as the file says.
    rows
        Which rows of the file these are, counted from 0.
    fids, boxes
        The file's own numbers of the rows, and bounds in the file's own coordinates, shape (n, 4).
    lonlat
        Middle of the bounds in degrees, shape (n, 2): which place a parcel belongs to.
    ids, given
        A name that no other has, and the one in the file ("" for none).
    left_out
        Why a row is no parcel; empty for parcels.
    repeated, unnamed
        How many names of the file stand on several rows, and how many rows have none.
    """

    found: VectorLayer
    crs: str
    rows: NDArray[np.int64]
    fids: NDArray[np.int64]
    boxes: NDArray[np.float64]
    lonlat: NDArray[np.float64]
    ids: NDArray[np.object_]
    given: NDArray[np.object_]
    left_out: NDArray[np.object_]
    repeated: int
    unnamed: int

    def __len__(self) -> int:
        return len(self.fids)

    @property
    def source(self) -> Georeference:
        """How its coordinates reach the earth."""
        return placed_by(self.found, self.crs)

    def of(self, chosen: NDArray[np.int64]) -> ParcelIndex:
        """Some of its rows, for another process."""
        return replace(
            self, rows=self.rows[chosen], fids=self.fids[chosen], boxes=self.boxes[chosen], lonlat=self.lonlat[chosen],
            ids=self.ids[chosen], given=self.given[chosen], left_out=self.left_out[chosen],
        )  # fmt: skip

    def named(self) -> list[Parcel]:
        """Its parcels by name alone, without their ground."""
        return [_parcel(self, row, None, _NOWHERE) for row in range(len(self))]


def index_parcels(
    path: Path, id_field: str = "", where: str = "", assume_crs: str = "", layer: str = ""
) -> ParcelIndex:
    """Read where all parcels lie and what they are called.

    Parameters
    ----------
    id_field
        The field with their names; by default the first that looks like one.
    where
        An expression that chooses rows (see `selecting.conditions`): others are left out.

    Raises
    ------
    InputError
        If the file cannot be used, or a named field is not there.
    """
    found = find_layer(path, layer)
    source = placed_by(found, assume_crs)
    own = {bare(name): name for name in reversed(found.fields)}

    def real(name: str) -> str:
        if bare(name) not in own:
            raise InputError(f"there is no field {name!r}", file=path.name, layer=found.layer,
                             remedy=f"it has {', '.join(found.fields[:20]) or 'no fields'}")  # fmt: skip
        return own[bare(name)]

    chosen = real(id_field) if id_field else next((own[name] for name in _IDS if name in own), "")
    chosen = chosen or field_names("parcels", found.fields).id
    kinds = [name for short, name in own.items() if short in _KINDS and name != chosen]
    asked = conditions(where)
    needed = dict.fromkeys([*filter(None, [chosen]), *kinds, *(real(one.field) for one in asked)])
    fids, boxes = read_bounds(found)
    columns = _in_step(fids, *read_column(found, tuple(needed))) if needed else {}
    given = np.array([text_of(one) for one in columns[chosen]] if chosen else [""] * len(fids), dtype=object)
    left_out = _left_out(boxes, [given, *(columns[name] for name in kinds)])
    if asked:
        kept = rows_chosen(asked, {one.field: columns[real(one.field)] for one in asked}, path.name)
        left_out[~kept & (left_out == "")] = f"not chosen by {where}"
    ids, repeated = _unique(given, fids)
    return ParcelIndex(
        found, assume_crs or found.crs, np.arange(len(fids)), fids, boxes, _middles(boxes, source), ids, given, left_out, repeated, int((given == "").sum())
    )  # fmt: skip


def read_indexed(index: ParcelIndex, rows: Sequence[int] | NDArray[np.int64], frame: Frame) -> list[Parcel]:
    """The parcels of some rows of the index, in a frame, in the order of the index."""
    wanted = np.sort(np.asarray(rows, dtype=np.int64))
    boxes, source = index.boxes[wanted], index.source
    window = (*np.nanmin(boxes[:, :2], axis=0).tolist(), *np.nanmax(boxes[:, 2:], axis=0).tolist())
    margin = _EDGE_M / (source.metres_per_unit or 111_320.0)
    grown = (window[0] - margin, window[1] - margin, window[2] + margin, window[3] + margin)
    read = read_rows(index.found, [grown], ())
    place = {int(fid): k for k, fid in enumerate(read.fids)}
    known = [row for row in wanted.tolist() if int(index.fids[row]) in place]
    shapes, _ = placed(read.geometries[[place[int(index.fids[row])] for row in known]], source, frame)
    drawn = dict(zip(known, shapes, strict=True))
    return [_parcel(index, row, drawn.get(row), frame) for row in wanted.tolist()]


def _parcel(index: ParcelIndex, row: int, shape: Any, frame: Frame) -> Parcel:
    why = index.left_out[row]
    if not why and not np.isfinite(index.lonlat[row]).all():
        why = "it has no place on the earth"
    elif not why and frame is not _NOWHERE and (shape is None or shape.is_empty):
        why = "its geometry cannot be read"
    elif not why and shape is not None and shape.area == 0:
        why = "it is no area"
    elif not why and shape is not None and max(abs(value) for value in shape.bounds) > FARTHEST_M:
        why = "it reaches too far to be one parcel"
    drawn = shape if shape is not None else shapely.Polygon()
    return Parcel(str(index.ids[row]), drawn, frame, int(index.rows[row]), str(index.given[row]), str(why))


def _in_step(
    fids: NDArray[np.int64], others: NDArray[np.int64], columns: dict[str, NDArray[Any]]
) -> dict[str, NDArray[Any]]:
    """Columns brought into the order of `fids`."""
    if np.array_equal(fids, others):
        return columns
    order = np.argsort(others)
    place = order[np.searchsorted(others[order], fids)]
    return {name: values[place] for name, values in columns.items()}


def _left_out(boxes: NDArray[np.float64], texts: Sequence[NDArray[Any]]) -> NDArray[np.object_]:
    reasons = np.full(len(boxes), "", dtype=object)
    for values in texts:
        known: dict[str, str] = {}
        for i, value in enumerate(values):
            text = text_of(value)
            if text not in known:
                plain = text.casefold().strip()
                what = next((what for what, words in _NO_PARCEL if words.fullmatch(plain)), "")
                known[text] = f"no parcel: {what} ({text})" if what else ""
            reasons[i] = reasons[i] or known[text]
    reasons[~np.isfinite(boxes).all(axis=1)] = "it has no geometry"
    return reasons


def _unique(given: NDArray[np.object_], fids: NDArray[np.int64]) -> tuple[NDArray[np.object_], int]:
    """Names that no other row has: the second "7" is "7 (2)", a row without one is "row 12"."""
    counts = Counter(given.tolist())
    repeated = sum(1 for name, count in counts.items() if name and count > 1)
    taken, seen = set(counts), Counter[str]()
    ids = given.copy()
    for i, name in enumerate(given.tolist()):
        seen[name] += 1
        if name and seen[name] == 1:
            continue
        number = seen[name]
        unique = f"{name} ({number})" if name else f"row {fids[i]}"
        while unique in taken:
            number += 1
            unique = f"{name} ({number})" if name else f"row {fids[i]} ({number})"
        taken.add(unique)
        ids[i] = unique
    return ids, repeated


def _middles(boxes: NDArray[np.float64], source: Georeference) -> NDArray[np.float64]:
    middles = np.column_stack([(boxes[:, 0] + boxes[:, 2]) / 2, (boxes[:, 1] + boxes[:, 3]) / 2])
    lonlat = np.full(middles.shape, np.nan)
    known = np.isfinite(middles).all(axis=1)
    if known.any():
        lonlat[known] = source.lonlat(middles[known])
        lonlat[~on_the_earth(lonlat)] = np.nan
    return lonlat

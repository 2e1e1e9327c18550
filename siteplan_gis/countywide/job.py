"""What a worker is given and what it gives back: a partition of parcels in, its rows of the table out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING

from siteplan_gis.countywide.one import laws, screen_rows
from siteplan_gis.crs import use_grids
from siteplan_gis.model.screening import Screening
from siteplan_gis.report.parcel_table import table_bytes

if TYPE_CHECKING:
    from siteplan_gis.countywide.one import ParcelsAsked
    from siteplan_gis.countywide.surroundings import Evidence
    from siteplan_gis.ingest.reference.parcel_index import ParcelIndex
    from siteplan_gis.model.measurement import Method
    from siteplan_gis.model.ordinance import Ordinance


@dataclass(frozen=True, slots=True, eq=False)
class Job:
    """One partition, with all that it needs; `index` holds its own rows only."""

    number: int
    index: ParcelIndex
    evidence: Evidence
    given: ParcelsAsked


def done(job: Job) -> bytes:
    """Screen a partition: its rows as Parquet.

    A parcel that cannot be screened is a row with its reason. Where the whole partition cannot (a layer's file is gone,
    the elevations are not readable), every row of it says so.
    """
    if job.evidence.proj_grids is not None:
        use_grids(job.evidence.proj_grids)
    ordinances, method = _laws(job.given.ordinance)
    rows = range(len(job.index))
    try:
        found = screen_rows(job.index, rows, job.evidence, ordinances, method, job.given)
    except Exception as problem:  # noqa: BLE001
        found = failed(job, f"{type(problem).__name__}: {problem}")
    return table_bytes(found)


def failed(job: Job, why: str) -> tuple[Screening, ...]:
    """Every parcel of a partition with the reason why it could not be screened."""
    return tuple(Screening(replace(one), None, fault="" if one.left_out else why) for one in job.index.named())


@cache
def _laws(named: str) -> tuple[tuple[Ordinance, ...], Method]:
    return laws(named)

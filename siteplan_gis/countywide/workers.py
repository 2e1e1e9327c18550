"""Who does the jobs: this process, processes of this machine, or a cluster that runs already."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from siteplan_gis.countywide.job import done, failed
from siteplan_gis.errors import InputError
from siteplan_gis.report.parcel_table import table_bytes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from distributed import Client

    from siteplan_gis.countywide.job import Job

_AHEAD: Final = 3
"""Jobs for each worker that wait at it: no more, so that memory does not grow with the county."""


def results(jobs: Iterable[Job], workers: int = 1, scheduler: str = "") -> Iterator[tuple[Job, bytes]]:
    """Each job with its rows, in the order they finish.

    With one worker and no scheduler all is done here. Else Dask schedules: a job whose worker dies is done by another;
    one that kills several workers comes back with its parcels named as failed.

    Raises
    ------
    InputError
        If Dask is not installed, or the scheduler does not answer or has no workers.
    """
    if workers == 1 and not scheduler:
        for job in jobs:
            yield job, done(job)
        return
    with _client(workers, scheduler) as client:
        yield from _scheduled(client, iter(jobs))


def _scheduled(client: Client, jobs: Iterator[Job]) -> Iterator[tuple[Job, bytes]]:
    from distributed import as_completed  # noqa: PLC0415

    waiting: dict[Any, Job] = {}
    finished = as_completed()
    ahead = _AHEAD * max(len(client.scheduler_info(n_workers=-1)["workers"]), 1)

    def submit() -> None:
        job = next(jobs, None)
        if job is not None:
            future = client.submit(done, job, pure=False)
            waiting[future.key] = job
            finished.add(future)

    for _ in range(ahead):
        submit()
    for future in finished:
        job = waiting.pop(future.key)
        problem = future.exception()
        rows = future.result() if problem is None else table_bytes(failed(job, f"{type(problem).__name__}: {problem}"))
        future.release()
        yield job, rows
        submit()


@contextmanager
def _client(workers: int, scheduler: str) -> Iterator[Client]:
    try:
        import dask  # noqa: PLC0415
        from distributed import Client, LocalCluster  # noqa: PLC0415
    except ImportError:
        raise InputError(
            "several workers need Dask, which is not installed",
            remedy="pip install 'siteplan-gis[parcels]', or --workers 1",
        ) from None
    with dask.config.set(
        {"distributed.worker.multiprocessing-method": "spawn", "distributed.scheduler.allowed-failures": 3}
    ):
        if not scheduler:
            with (
                LocalCluster(
                    n_workers=workers, threads_per_worker=1, dashboard_address=None, silence_logs=50
                ) as cluster,
                Client(cluster) as client,
            ):
                yield client
            return
        try:
            client = Client(scheduler, timeout="10s")
        except (OSError, ValueError) as problem:
            raise InputError(
                f"the scheduler {scheduler} does not answer ({problem})", remedy="start it, and workers, first"
            ) from None
        with client:
            if not client.scheduler_info(n_workers=-1)["workers"]:
                raise InputError(
                    f"the scheduler {scheduler} has no workers", remedy=f"start some: dask worker {scheduler}"
                )
            yield client

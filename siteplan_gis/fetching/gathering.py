"""`layers fetch`: whole layers from public services into a folder, or a clear refusal."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from siteplan_gis.errors import InputError
from siteplan_gis.fetching.connection import Connection, Manners, shown
from siteplan_gis.fetching.folder import put_layer, working_in
from siteplan_gis.fetching.ground import widened
from siteplan_gis.ingest.reference.credentials import secret
from siteplan_gis.ingest.reference.stamps import Stamp, file_hash

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from siteplan_gis.fetching.asking import Asked, FeatureService
    from siteplan_gis.fetching.assembling import Assembly
    from siteplan_gis.fetching.ground import Box
    from siteplan_gis.fetching.journal import Journal
    from siteplan_gis.fetching.registry import SourceLayer

Progress = Callable[[str], None]

_UNDATED: Final = "the service does not tell when its data were last edited"


@dataclass(frozen=True, slots=True)
class Order:
    """What to fetch: the ground in degrees, the layers, where to, and the time it is (UTC, 2026-11-30T14:05:00Z)."""

    name: str
    box: Box
    sources: tuple[SourceLayer, ...]
    out: Path
    when: str
    manners: Manners = field(default_factory=Manners)
    dem_units: str = ""


@dataclass(frozen=True, slots=True)
class Fetched:
    """What became of one layer: its file, or why it was refused."""

    source: SourceLayer
    path: Path | None = None
    stamp: Stamp | None = None
    problem: InputError | None = None


def fetch_layers(order: Order, tell: Progress) -> tuple[Fetched, ...]:
    """Fetch one layer after another; one that fails does not stop the others, and nothing of it is kept as a layer.

    Raises
    ------
    InputError
        If the folder cannot be worked in.
    """
    done = []
    with working_in(order.out) as passing:
        for source in order.sources:
            tell(f"fetching {source.title}")
            try:
                path, stamp = _fetch(order, source, passing / source.id, tell)
            except InputError as problem:
                done.append(Fetched(source, problem=problem))
            else:
                done.append(Fetched(source, path, stamp))
    return tuple(done)


def connected(source: SourceLayer, manners: Manners) -> Connection:
    """A connection to the service, with its token where it needs one."""
    token = secret(source.token_env) if source.token_env else None
    if source.token_env and token is None:
        raise InputError(
            "its token is not there",
            file=source.id,
            remedy=f"put it in {source.token_env}, or in the keyring under that name",
        )
    return Connection(source.url, manners, token)


def feature_service(connection: Connection, source: SourceLayer, where: str = "1=1") -> FeatureService:
    """The client of a source's kind of service."""
    if source.kind == "arcgis":
        from siteplan_gis.fetching.arcgis import ArcgisLayer  # noqa: PLC0415

        return ArcgisLayer(connection, source, where)
    if source.kind == "ogc_features":
        from siteplan_gis.fetching.ogc_features import OgcCollection  # noqa: PLC0415

        return OgcCollection(connection, source)
    if source.kind == "wfs":
        from siteplan_gis.fetching.wfs import WfsType  # noqa: PLC0415

        return WfsType(connection, source)
    raise InputError(f"a {source.kind} service holds no features", file=source.id)


def _fetch(order: Order, source: SourceLayer, passing: Path, tell: Progress) -> tuple[Path, Stamp]:
    box = widened(order.box, source.beyond_mi) if source.beyond_mi else order.box
    with connected(source, order.manners) as connection:
        if source.geometry == "raster":
            return _fetch_raster(order, source, connection, box, passing, tell)
        return _fetch_features(order, source, feature_service(connection, source), box, passing, tell)


def _fetch_features(
    order: Order, source: SourceLayer, service: FeatureService, box: Box, passing: Path, tell: Progress
) -> tuple[Path, Stamp]:
    asked = service.ask(box)
    journal = _all_pages(service, asked, passing, lambda text: tell(f"{source.title}: {text}"))
    if service.count(asked) != asked.expected:
        journal.clear()
        raise InputError("the layer changed while it was fetched", file=shown(asked.url), remedy="fetch it again")
    from siteplan_gis.fetching.assembling import Assembly  # noqa: PLC0415

    made = passing / f"{source.id}.fgb"
    assembly = Assembly(service, asked, source.geometry, shown(asked.url))
    assembly.write(journal.pages, made)
    _refuse_short(asked, assembly, made)
    notes = [*asked.notes, *((_UNDATED,) * (not asked.edited and not source.date))]
    if assembly.twice:
        notes.append(f"{assembly.twice} features came more than once and were taken once")
    if asked.extent != box:
        notes.append("the service's data do not reach all of the asked ground")
    stamp = Stamp(
        source.id, asked.url, asked.query, box, asked.expected, assembly.got, order.when, file_hash(made),
        assembly.without_geometry, asked.edited, tuple(notes),
    )  # fmt: skip
    facts = {"coverage": [round(number, 7) for number in asked.extent]}
    path = put_layer(order.out, order.name, made, source, stamp, facts)
    journal.clear()
    return path, stamp


def _fetch_raster(
    order: Order, source: SourceLayer, connection: Connection, box: Box, passing: Path, tell: Progress
) -> tuple[Path, Stamp]:
    import numpy as np  # noqa: PLC0415

    from siteplan_gis.fetching.cogs import RemoteCog  # noqa: PLC0415
    from siteplan_gis.fetching.elevation import Mosaic  # noqa: PLC0415
    from siteplan_gis.fetching.ground import box_of, common  # noqa: PLC0415
    from siteplan_gis.fetching.images import ImageService  # noqa: PLC0415
    from siteplan_gis.fetching.journal import Journal  # noqa: PLC0415

    kind = ImageService if source.kind == "image" else RemoteCog
    service: ImageService | RemoteCog = kind(connection, source, order.dem_units)
    heights = service.describe(box)
    journal = Journal(passing, heights.key(service.edge))
    if sum(1 for _ in journal.pages()) != journal.count:
        journal.clear()
        journal = Journal(passing, heights.key(service.edge))
    made = passing / f"{source.id}.tif"
    mosaic, kept = Mosaic(made, heights, heights.url), journal.pages()
    with mosaic.filling():
        for window in heights.grid.pieces(service.edge):
            page = next(kept, None)
            if page is None:
                page = service.piece(heights, window).tobytes()
                journal.add(page)
            mosaic.put(np.frombuffer(page, dtype=np.float32).reshape(window.height, window.width), window)
            tell(f"{source.title}: {mosaic.cells} of {heights.grid.cells} cells")
    notes = list(heights.notes)
    if mosaic.voids:
        notes.append(f"{100 * mosaic.voids / mosaic.cells:.2g} % of the cells have no elevation")
    if not source.date:
        notes.append(_UNDATED)
    stamp = Stamp(
        source.id, heights.url, heights.query, box, heights.grid.cells, mosaic.cells, order.when, file_hash(made),
        notes=tuple(notes),
    )  # fmt: skip
    facts: dict[str, object] = {}
    covered = common(box, box_of(heights.grid.crs, heights.grid.box))
    if covered is not None:
        facts["coverage"] = [round(number, 7) for number in covered]
    if heights.units:
        facts |= {"units": heights.units, "vertical_datum": source.vertical_datum}
    path = put_layer(order.out, order.name, made, source, stamp, facts)
    journal.clear()
    return path, stamp


def _all_pages(service: FeatureService, asked: Asked, passing: Path, tell: Progress) -> Journal:
    """Every page on disk; those of an interrupted fetch of the same question are taken up."""
    from siteplan_gis.fetching.asking import Kept  # noqa: PLC0415
    from siteplan_gis.fetching.journal import Journal  # noqa: PLC0415

    journal = Journal(passing, asked.key())
    kept = Kept()
    for page in journal.pages():
        kept.take(page, service.read(page).ids)
    for page in service.pages(asked, kept):
        journal.add(page)
        kept.take(page, service.read(page).ids)
        tell(f"{kept.rows} of {asked.expected}")
    place = shown(asked.url)
    if asked.ids is None and kept.rows != asked.expected:
        journal.clear()
        raise InputError(f"{kept.rows} features came where the service counted {asked.expected}", file=place,
                         remedy="fetch it again; if it stays so, use another source")  # fmt: skip
    if asked.ids is not None and kept.ids != asked.ids:
        lacking, more = len(asked.ids - kept.ids), len(kept.ids - asked.ids)
        if more:
            journal.clear()
            raise InputError(
                f"{more} features came that the service had not listed", file=place, remedy="fetch it again"
            )
        raise InputError(
            f"{lacking} of {asked.expected} features did not come", file=place,
            remedy="run the same command again; it goes on where it stopped",
        )  # fmt: skip
    return journal


def _refuse_short(asked: Asked, assembly: Assembly, made: Path) -> None:
    from siteplan_gis.ingest.reference.rows import find_layer  # noqa: PLC0415

    place = shown(asked.url)
    if assembly.got != asked.expected:
        raise InputError(f"{assembly.got} features came where the service counted {asked.expected}", file=place,
                         remedy="fetch it again")  # fmt: skip
    stored = find_layer(made).features
    if stored != assembly.got - assembly.without_geometry:
        raise InputError(
            f"{assembly.stored} features were written as {stored}", file=str(made), remedy="fetch it again"
        )


def refusals(done: Sequence[Fetched]) -> list[InputError]:
    """Why layers were refused, in order."""
    return [one.problem for one in done if one.problem is not None]

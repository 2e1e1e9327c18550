"""Shapefiles, GeoPackages, file geodatabases and FlatGeobuf through fiona, feature by feature.

Each file is opened with the one driver that its name declares and only if its first bytes agree, so that no other
format (a VRT above all) hides behind a harmless name. Text is taken as raw bytes and decoded here.
"""

from __future__ import annotations

import logging
import shutil
import sqlite3
import tempfile
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

import fiona

from siteplan_gis.errors import HostileInputError, InputError
from siteplan_gis.ingest.drawn.attributes import plain_value
from siteplan_gis.ingest.drawn.drawing import Drawing, DrawnFeature, DrawnLayer
from siteplan_gis.ingest.formats import DRIVERS, SHAPEFILE_PARTS
from siteplan_gis.ingest.vector_files.domains import coded_values, worded
from siteplan_gis.ingest.vector_files.textbytes import codec_named, dbf_codec, decode
from siteplan_gis.model.flag import Flag

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


_FIRST_BYTES: Final = {".shp": b"\x00\x00\x27\x0a", ".gpkg": b"SQLite format 3\x00", ".fgb": b"fgb\x03fgb"}
_ARC_STEP_DEGREES: Final = 0.2
"""Chords of true curves: 3 mm from the arc at a radius of 2 km."""
_COARSE_STEP_DEGREES: Final = 15
_MOST_VERTICES: Final = 1_500_000
_MOST_RINGS: Final = 5_000
"""In one feature: cutting a surface's triangles with more of them takes minutes."""
_MOST_FAILURES: Final = 1000

_FIONA_LOG: Final = logging.getLogger("fiona")
_FIONA_LOG.addHandler(logging.NullHandler())


def read_database(path: Path, label: str) -> list[DrawnLayer]:
    """Read every layer of one file.

    Raises
    ------
    HostileInputError
        If its bytes are not of the kind that its name declares.
    InputError
        If the file cannot be opened.
    """
    suffix = path.suffix.lower()
    _require_declared_kind(path, suffix, label)
    with _prepared(path, suffix) as (ready, missing):
        names = [ready.stem] if suffix == ".shp" else _names(ready, label)
        meanings = coded_values(ready)
        layers = []
        for name in names:
            # A shapefile is opened by its prepared name but keeps its own.
            layer_name = path.stem if suffix == ".shp" else name
            layer = _layer(ready, suffix, name, DrawnLayer(label, layer_name, len(names) == 1, "", (), []), path)
            for field, words in meanings.get(name, {}).items():
                for feature in layer.features:
                    if field in feature.attributes:
                        feature.attributes[field] = worded(feature.attributes[field], words)
            layers.append(layer)
        for part in missing:
            layers[0].flags.append(Flag("file_part_missing", f"{path.stem}{part} is missing; {_without(part)}", label))
        return layers


def _names(ready: Path, label: str) -> list[str]:
    try:
        names: list[str] = fiona.listlayers(str(ready))
    except Exception as error:  # noqa: BLE001  (fiona lets errors of GDAL through that have no public class)
        raise InputError(f"cannot be opened ({_short(error)})", file=label, remedy="export it again") from None
    if not names:
        raise InputError("holds no layer", file=label, remedy="export it again")
    return names


def _without(part: str) -> str:
    return {".shx": "the shapes were found without their index", ".dbf": "the features have no attributes"}[part]


def _require_declared_kind(path: Path, suffix: str, label: str) -> None:
    expected = _FIRST_BYTES.get(suffix)
    if expected is None:
        if not any(path.glob("*.gdbtable")):
            raise InputError("is not a file geodatabase (it holds no .gdbtable)", file=label, remedy="export it again")
        return
    with path.open("rb") as file:
        first = file.read(len(expected))
    if first == expected:
        return
    if not first:
        raise InputError("is an empty file", file=label, remedy="export it again")
    raise HostileInputError(f"is not what its name says: no {DRIVERS[suffix]}", file=label, remedy="export it again")


@contextmanager
def _prepared(path: Path, suffix: str) -> Iterator[tuple[Path, tuple[str, ...]]]:
    """The path to open and the missing parts; a shapefile's parts with odd names are brought together first."""
    if suffix != ".shp":
        yield path, ()
        return
    parts = shapefile_parts(path)
    missing = tuple(part for part in (".shx", ".dbf") if part not in parts)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="siteplan-shp-")))
        for part, source in parts.items():
            _link(source, folder / f"layer{part}")
        yield folder / "layer.shp", missing


def shapefile_parts(path: Path) -> dict[str, Path]:
    """The files of a shapefile by lower-case suffix; upper and lower case are alike."""
    found: dict[str, Path] = {}
    for sibling in sorted(path.parent.iterdir()):
        suffix = sibling.suffix.lower()
        related = suffix in SHAPEFILE_PARTS and sibling.stem.lower() == path.stem.lower() and sibling.is_file()
        # LOD.shp and lod.SHP may stand side by side: the equal stem is the closer relative.
        if related and (suffix not in found or sibling.stem == path.stem):
            found[suffix] = sibling
    found[".shp"] = path
    return found


def _link(source: Path, target: Path) -> None:
    try:
        target.symlink_to(source.resolve())
    except OSError:  # no right to make links, as on Windows
        shutil.copyfile(source, target)


def _layer(ready: Path, suffix: str, name: str, layer: DrawnLayer, original: Path) -> DrawnLayer:
    if suffix == ".shp":
        codecs: tuple[str, ...] = _shapefile_codecs(original)
        arcs: dict[int, int] = {}
    else:
        codecs = ()
        arcs = _coarse_counts(ready, suffix, name) if _may_curve(ready, suffix, name) else {}
    replaced: set[str] = set()

    def text(raw: str) -> str:
        if not codecs:  # the other formats write UTF-8, which fiona has decoded
            return raw
        decoded, lost = decode(raw.encode("latin-1", "replace"), codecs)
        if lost:
            replaced.add(decoded)
        return decoded

    try:
        with _opened(ready, suffix, name, _ARC_STEP_DEGREES) as collection:
            layer.crs = _crs_of(collection)
            layer.fields = tuple(text(field) for field in collection.schema["properties"])
            expected = _length(collection)
            undecoded = _Undecoded()
            _FIONA_LOG.addHandler(undecoded)
            try:
                curved, read = _read_features(collection, layer, text, arcs)
            finally:
                _FIONA_LOG.removeHandler(undecoded)
    except InputError:
        raise
    except Exception as error:  # noqa: BLE001  (as above)
        raise InputError(
            f"the layer cannot be opened ({_short(error)})",
            file=layer.file,
            layer=layer.layer,
            remedy="export it again",
        ) from None
    if expected is not None and read < expected:
        layer.flags.append(
            Flag(
                "layer_truncated", f"{layer.layer}: {expected} features are announced, {read} could be read", layer.file
            )
        )
    if curved:
        layer.flags.append(
            Flag("curve_linearised", f"{layer.layer}: true curves of {curved} features were replaced by chords of "
                 f"{_ARC_STEP_DEGREES} degrees", layer.file)
        )  # fmt: skip
    if undecoded.count:
        lost = f"{layer.layer}: {undecoded.count} texts are not UTF-8 and were left out"
        layer.flags.append(Flag("attribute_text_replaced", lost, layer.file))
    if replaced:
        layer.flags.append(
            Flag("attribute_text_replaced", f"{layer.layer}: text could not be decoded: {min(replaced)!r}", layer.file)
        )
    if suffix == ".shp" and not layer.crs:
        layer.no_crs = _why_no_prj(original)
    return layer


class _Undecoded(logging.Handler):
    """Counts the texts that fiona dropped because their bytes are not UTF-8: it says so only in its log."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.count = 0

    def emit(self, record: logging.LogRecord) -> None:
        """Count one record."""
        self.count += record.getMessage().startswith("Failed to decode")


@contextmanager
def _opened(ready: Path, suffix: str, name: str, step: float) -> Iterator[Any]:
    """A fiona collection within the settings that it needs; true curves are cut at every `step` degrees."""
    with (
        # Which code a .prj stands for is told by PROJ later; asking GDAL takes most of the time of opening a shapefile.
        fiona.Env(OGR_ARC_STEPSIZE=str(step), SHAPE_RESTORE_SHX="YES", SHAPE_ENCODING="", USE_OSR_FIND_MATCHES="NO"),
        fiona.open(
            str(ready),
            layer=name,
            enabled_drivers=[DRIVERS[suffix]],
            encoding="latin-1" if suffix == ".shp" else None,
        ) as collection,
    ):
        yield collection


def _read_features(
    collection: Any, layer: DrawnLayer, text: Callable[[str], str], coarse: dict[int, int]
) -> tuple[int, int]:
    """Fill the layer; the number of features with true curves, and of all that were met."""
    curved = vertices = failures = 0
    iterator = iter(collection)
    number = 0
    while True:
        try:
            record = next(iterator)
        except StopIteration:
            break
        except Exception as error:  # noqa: BLE001  (whatever one feature raises must not lose the others)
            layer.features.append(DrawnFeature(f"#{number}", None, {}, f"cannot be read ({_short(error)})"))
            failures += 1
            number += 1
            if failures >= _MOST_FAILURES:
                break
            continue
        feature = _feature(record, text)
        if feature.drawing is not None:
            count = feature.drawing.vertices()
            vertices += count
            curved += number in coarse and count != coarse[number]
        if vertices > _MOST_VERTICES:
            raise InputError(
                f"holds more than {_MOST_VERTICES:,} vertices", file=layer.file, layer=layer.layer, remedy="simplify it"
            )
        if feature.drawing is not None and sum(map(len, feature.drawing.polygons)) > _MOST_RINGS:
            raise InputError(
                f"has more than {_MOST_RINGS:,} rings in one feature",
                file=layer.file,
                layer=layer.layer,
                feature=feature.id,
                remedy="split it, or leave out holes that nobody could draw",
            )
        layer.features.append(feature)
        number += 1
    return curved, number


def _feature(record: Any, text: Callable[[str], str]) -> DrawnFeature:
    attributes = {
        text(key): text(value) if isinstance(value, str) else plain_value(value)
        for key, value in record.properties.items()
    }
    if record.geometry is None:
        return DrawnFeature(str(record.id), None, attributes)
    drawing = Drawing()
    try:
        for kind, coordinates in _geometries(record.geometry):
            drawing.add(kind, coordinates)
    except ValueError as error:
        return DrawnFeature(str(record.id), None, attributes, str(error))
    return DrawnFeature(str(record.id), None if drawing.empty else drawing, attributes)


def _geometries(geometry: Any) -> Iterator[tuple[str, Any]]:
    if geometry.type == "GeometryCollection":
        for part in geometry.geometries:
            yield from _geometries(part)
    else:
        yield geometry.type, geometry.coordinates


_STRAIGHT: Final = frozenset({"POINT", "LINESTRING", "POLYGON", "MULTIPOINT", "MULTILINESTRING", "MULTIPOLYGON"})


def _may_curve(ready: Path, suffix: str, name: str) -> bool:
    """Whether a layer may hold true curves: a GeoPackage that declares a straight kind of geometry may not."""
    if suffix != ".gpkg":
        return True
    try:
        with closing(sqlite3.connect(f"file:{quote(str(ready))}?mode=ro&immutable=1", uri=True)) as database:
            query = "SELECT geometry_type_name FROM gpkg_geometry_columns WHERE table_name = ?"
            kinds = {str(row[0]).upper() for row in database.execute(query, (name,))}
    except sqlite3.Error:
        return True
    return not kinds or not kinds <= _STRAIGHT


def _coarse_counts(ready: Path, suffix: str, name: str) -> dict[int, int]:
    """Vertices of each feature with true curves drawn coarsely; where a finer reading has more, there was a curve."""
    counts: dict[int, int] = {}
    total = 0
    try:
        with _opened(ready, suffix, name, _COARSE_STEP_DEGREES) as collection:
            iterator = iter(collection)
            for number in range(_MOST_VERTICES):
                try:
                    record = next(iterator)
                except StopIteration:
                    break
                except Exception:  # noqa: BLE001, S112  (named by the second reading)
                    continue
                drawing = _feature(record, str).drawing
                counts[number] = drawing.vertices() if drawing is not None else 0
                total += counts[number]
                if total > _MOST_VERTICES:
                    break
    except Exception:  # noqa: BLE001  (named by the second reading)
        return {}
    return counts


def _crs_of(collection: Any) -> str:
    try:
        wkt = collection.crs_wkt or ""
    except Exception:  # noqa: BLE001  (a .prj that is no WKT)
        return ""
    # GeoPackage's srs_id 0 and -1 say in words that nothing is known.
    return "" if "undefined" in wkt[:60].lower() or wkt.startswith(("LOCAL_CS", "ENGCRS")) else wkt


def _why_no_prj(path: Path) -> str:
    prj = shapefile_parts(path).get(".prj")
    if prj is None:
        return "the shapefile has no .prj file, so its coordinate system is unknown"
    return f"the coordinate system in {prj.name} cannot be read"


def _length(collection: Any) -> int | None:
    try:
        length = len(collection)
    except (TypeError, ValueError, OverflowError):
        return None
    return length if 0 <= length < 1 << 40 else None


def _shapefile_codecs(path: Path) -> tuple[str, ...]:
    parts = shapefile_parts(path)
    cpg = parts.get(".cpg")
    if cpg is not None:
        named = codec_named(cpg.read_bytes()[:64].decode("ascii", "ignore"))
        if named:
            return (named,)
    dbf = parts.get(".dbf")
    return ("utf-8", dbf_codec(dbf) if dbf is not None else "cp1252")


def _short(error: BaseException) -> str:
    return " ".join(str(error).split())[:160] or type(error).__name__

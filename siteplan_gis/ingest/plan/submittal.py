"""What was submitted: folders, archives and files, opened and listed in a fixed order, cleaned up afterwards."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from siteplan_gis.errors import InputError
from siteplan_gis.ingest.formats import CAD_SUFFIXES, DRIVERS, EXPORT_CAD, OTHER_CAD, SHEET_SUFFIXES
from siteplan_gis.ingest.plan.archives import ARCHIVE_SUFFIXES, Budget, is_clutter, unpack
from siteplan_gis.ingest.records.manifest import MANIFEST_NAME
from siteplan_gis.ingest.vector_files.geojson import GEOJSON_SUFFIXES, is_geojson
from siteplan_gis.ingest.vector_files.landxml import LANDXML_SUFFIXES, root_name
from siteplan_gis.model.flag import Flag

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

PLAN_SUFFIXES: Final = frozenset(
    {*DRIVERS, *GEOJSON_SUFFIXES, *ARCHIVE_SUFFIXES, *CAD_SUFFIXES, *LANDXML_SUFFIXES, *SHEET_SUFFIXES, ".kml"}
)

_SIDECARS: Final = (
    ".shx", ".dbf", ".prj", ".cpg", ".qpj", ".sbn", ".sbx", ".qix", ".ain", ".aih", ".ixs", ".mxs", ".atx", ".fbn", ".fbx",
    ".idm", ".ind", ".qml", ".qmd", ".sld", ".lyr", ".lyrx", ".shp.xml", ".aux.xml", ".gpkg-wal", ".gpkg-shm",
    ".gpkg-journal", ".lock", ".tfw", ".tifw", ".tfwx", ".jgw", ".jpgw", ".pgw", ".pngw", ".wld", ".ovr", ".msk",
)  # fmt: skip
_SILENT: Final = (".txt", ".toml", ".md", ".rst")
_SILENT_STEMS: Final = frozenset({"readme", "license", "licence", "copying", "expected"})
_READ: Final = ".gpkg, .shp, .geojson, .kml, .kmz, .gdb, .fgb, .dxf, LandXML, .pdf, .tif"
_CHUNK: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class PlanFile:
    """One file (or geodatabase folder) to read.

    Attributes
    ----------
    label
        Its name within what was submitted, unique.
    hashed
        The file whose bytes stand for it: itself, or the largest member of a folder.
    root
        For KML out of a KMZ: the folder that links may reach.
    """

    path: Path
    label: str
    hashed: Path
    root: Path | None = None

    def sha256(self) -> str:
        """Hash of the bytes that stand for the file, in hexadecimal."""
        digest = hashlib.sha256()
        with self.hashed.open("rb") as file:
            while chunk := file.read(_CHUNK):
                digest.update(chunk)
        return digest.hexdigest()


@dataclass(slots=True)
class Submittal:
    """Everything found under the given paths."""

    files: list[PlanFile] = field(default_factory=list)
    manifests: list[Path] = field(default_factory=list)
    flags: list[Flag] = field(default_factory=list)


@contextmanager
def opened_submittal(paths: Sequence[Path]) -> Iterator[Submittal]:
    """Open what was submitted; archives are unpacked into a temporary folder that is removed at the end.

    Raises
    ------
    InputError
        If a path does not exist, is of no kind that is read, or holds nothing to read.
    """
    if not paths:
        raise InputError("no plan was given", remedy="name a folder, an archive or a file")
    submittal = Submittal()
    budget = Budget()
    with tempfile.TemporaryDirectory(prefix="siteplan-") as work:
        for number, path in enumerate(paths):
            before = len(submittal.files)
            prefix = f"{path.name}/" if len(paths) > 1 and (path.is_dir() or path.suffix.lower() == ".zip") else ""
            _add_given(path, prefix, Path(work) / str(number), submittal, budget)
            if len(submittal.files) == before:
                ignored = ", ".join(flag.text for flag in submittal.flags[:8])
                raise InputError(
                    "holds no plan file that can be read" + f" ({ignored})" * bool(ignored),
                    file=path.name,
                    remedy=f"give {_READ}, in a folder or zip",
                )
        submittal.files = _with_unique_labels(submittal.files)
        yield submittal


def _add_given(path: Path, prefix: str, work: Path, submittal: Submittal, budget: Budget) -> None:
    if not path.exists():
        raise InputError("does not exist", file=str(path), remedy="check the path")
    suffix = path.suffix.lower()
    known = len(submittal.manifests)
    if path.is_dir() and not _is_geodatabase(path):
        _add_folder(path, prefix, work, submittal, budget)
    elif suffix == ".zip" and not path.is_dir():
        _add_archive(path, "", prefix, work, submittal, budget)
    elif suffix in PLAN_SUFFIXES or _is_geodatabase(path):
        _add_file(path, path.name, work, submittal, budget)
    elif suffix in OTHER_CAD:
        raise InputError(f"is {OTHER_CAD[suffix]}, which is not read here", file=path.name, remedy=EXPORT_CAD)
    else:
        raise InputError("is of no kind that is read here", file=path.name, remedy=f"give {_READ}, a folder or zip")
    beside = path.absolute().parent / MANIFEST_NAME
    if len(submittal.manifests) == known and beside.is_file():
        submittal.manifests.append(beside)


def _add_archive(path: Path, name: str, prefix: str, work: Path, submittal: Submittal, budget: Budget) -> None:
    target = _new_folder(work)
    submittal.flags += unpack(path, target, f"{prefix}{name or path.name}", budget)
    if _is_geodatabase(target):
        _add_file(target, f"{prefix}{name or path.name}", work, submittal, budget)
    else:
        _add_folder(target, f"{prefix}{name}/" if name else prefix, work, submittal, budget)


def _add_folder(folder: Path, prefix: str, work: Path, submittal: Submittal, budget: Budget) -> None:
    """Everything in a folder, in the order of the names."""
    found = list(_walk(folder, folder.resolve()))
    shapes = {(path.parent, path.stem.lower()) for path in found if path.suffix.lower() == ".shp"}
    manifests = [path for path in found if path.name.lower() == MANIFEST_NAME]
    if len(manifests) > 1:
        names = ", ".join(path.relative_to(folder).as_posix() for path in manifests)
        raise InputError(
            f"holds several manifests ({names})", file=prefix.rstrip("/") or folder.name, remedy="keep one"
        )
    submittal.manifests += manifests
    orphans: set[tuple[Path, str]] = set()
    for path in found:
        label = prefix + path.relative_to(folder).as_posix()
        suffix = path.suffix.lower()
        key = (path.parent, path.stem.lower())
        if suffix in (".shx", ".dbf") and key not in shapes and key not in orphans:
            orphans.add(key)
            submittal.flags.append(
                Flag("file_ignored", f"{label} has no .shp beside it: its shapes are missing", label)
            )
        elif suffix == ".zip" and not path.is_dir():
            _add_archive(path, path.relative_to(folder).as_posix(), prefix, work, submittal, budget)
        elif suffix == ".json" and not is_geojson(path):
            if path.stem.lower() not in _SILENT_STEMS:
                submittal.flags.append(Flag("file_ignored", f"{label} is JSON but holds no features", label))
        elif suffix == ".xml" and path.is_file() and (root := root_name(path)) != "LandXML":
            if not path.name.lower().endswith(_SIDECARS):
                what = f"it begins with <{root[:40]}>" if root else "it is no XML"
                submittal.flags.append(Flag("file_ignored", f"{label} is not LandXML: {what}", label))
        elif suffix in PLAN_SUFFIXES or path.is_dir():
            _add_file(path, label, work, submittal, budget)
        else:
            _ignore(path, label, submittal)


def _add_file(path: Path, label: str, work: Path, submittal: Submittal, budget: Budget) -> None:
    if path.suffix.lower() == ".kmz":
        target = _new_folder(work)
        submittal.flags += unpack(path, target, label, budget)
        documents = sorted(
            target.rglob("*.kml"), key=lambda kml: (len(kml.parts), kml.name.lower() != "doc.kml", kml.name)
        )
        if not documents:
            raise InputError("holds no KML document", file=label, remedy="save it again from the program that made it")
        submittal.files.append(PlanFile(documents[0], label, path, target))
        return
    if path.is_dir() and path.suffix.lower() != ".gdb":
        path = _named_as_geodatabase(path, _new_folder(work) / f"{path.stem or 'plan'}.gdb")
    members = sorted(member for member in path.iterdir() if member.is_file()) if path.is_dir() else []
    members = members or [path]
    submittal.files.append(PlanFile(path, label, max(members, key=lambda member: member.stat().st_size)))


def _new_folder(work: Path) -> Path:
    work.mkdir(exist_ok=True)
    return Path(tempfile.mkdtemp(dir=work))


def _named_as_geodatabase(folder: Path, alias: Path) -> Path:
    """A geodatabase whose folder has not its suffix, under a name by which it can be opened."""
    try:
        alias.symlink_to(folder.resolve(), target_is_directory=True)
    except OSError:  # no right to make links, as on Windows
        shutil.copytree(folder, alias)
    return alias


def _walk(folder: Path, root: Path) -> Iterator[Path]:
    """Files, and geodatabase folders as one, without clutter and without links that lead out of the folder."""
    for path in sorted(folder.iterdir(), key=lambda path: path.name):
        if is_clutter(path.name) or (path.is_symlink() and not path.resolve().is_relative_to(root)):
            continue
        if path.is_dir() and not _is_geodatabase(path):
            yield from () if path.is_symlink() else _walk(path, root)
        elif path.is_dir() or path.is_file():
            yield path


def _is_geodatabase(path: Path) -> bool:
    return path.is_dir() and (path.suffix.lower() == ".gdb" or any(path.glob("*.gdbtable")))


def _ignore(path: Path, label: str, submittal: Submittal) -> None:
    name, suffix = path.name.lower(), path.suffix.lower()
    if name.endswith(_SIDECARS + _SILENT) or path.stem.lower() in _SILENT_STEMS:
        return
    if suffix in OTHER_CAD:
        text = f"{label} is {OTHER_CAD[suffix]}, which is not read here: {EXPORT_CAD}"
    else:
        text = f"{label} is of no kind that is read here"
    submittal.flags.append(Flag("file_ignored", text, label))


def _with_unique_labels(files: list[PlanFile]) -> list[PlanFile]:
    taken: dict[str, int] = {}
    unique = []
    for file in files:
        taken[file.label] = count = taken.get(file.label, 0) + 1
        label = file.label if count == 1 else f"{file.label} ({count})"
        unique.append(PlanFile(file.path, label, file.hashed, file.root))
    return unique

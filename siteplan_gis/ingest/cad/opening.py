"""A DXF file opened: as it is, completed where a small program left out its header, or recovered if it is damaged."""

from __future__ import annotations

import io
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from ezdxf import recover
from ezdxf.filemanagement import read, readfile
from ezdxf.lldxf.const import DXFError

from siteplan_gis.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_LARGEST_BYTES: Final = 512 << 20
_REMEDY: Final = "save it as DXF from the program that made it"
_BINARY: Final = b"AutoCAD Binary DXF"
_VARIABLES: Final = ("$ACADVER", "$INSUNITS", "$MEASUREMENT")
_VERSION: Final = "  9\n$ACADVER\n  1\nAC1015\n"
_HEADER: Final = f"  0\nSECTION\n  2\nHEADER\n{_VERSION}  0\nENDSEC\n"
_UNREAD: Final = (
    DXFError, ValueError, LookupError, AttributeError, TypeError, OSError, EOFError, ArithmeticError, StopIteration,
    AssertionError, RecursionError,
)  # fmt: skip
"""What the library raises over a damaged drawing."""

_LEVELLED: Final = {"POLYLINE": ("30",), "LINE": ("30", "31")}
"""Entities of old files that keep their elevation in group 38, and the groups where the library looks for it."""


@dataclass(frozen=True, slots=True)
class OpenedDrawing:
    """A drawing, the header's variables that the file itself holds, and what had to be mended to read it."""

    doc: Any
    written: frozenset[str]
    damaged: str = ""


def opened_drawing(path: Path, label: str) -> OpenedDrawing:
    """Open a DXF file, text or binary.

    Raises
    ------
    InputError
        If it is no DXF file, too large, or damaged beyond recovery.
    """
    if path.stat().st_size > _LARGEST_BYTES:
        raise InputError("is larger than 512 MB", file=label, remedy="purge the drawing and save it again")
    content = path.read_bytes()
    if b"SECTION" not in content:
        raise InputError("is not a DXF drawing that can be read", file=label, remedy=_REMEDY)
    written = frozenset(name for name in _VARIABLES if name.encode() in content)
    completed = "" if content.startswith(_BINARY) else _completed(content, written)
    try:
        return OpenedDrawing(read(io.StringIO(completed)) if completed else readfile(path), written)
    except _UNREAD as first:
        try:
            doc, auditor = recover.readfile(path)
        except Exception:  # noqa: BLE001  (the library raises errors of many kinds over what is no drawing)
            reason = " ".join(str(first).replace(str(path), label).split())[:160]
            raise InputError(
                f"is not a DXF drawing that can be read ({reason})",
                file=label,
                remedy=_REMEDY,
            ) from None
    mended = len(auditor.fixes) + len(auditor.errors)
    text = f"the drawing is damaged; {mended or 'some'} faults were mended to read it: check what is missing"
    return OpenedDrawing(doc, written, text)


def _completed(content: bytes, written: frozenset[str]) -> str:
    """The text that the library reads rightly, where the file as it is would lose something; "" where it would not."""
    if b"AcDb" in content:
        if "$ACADVER" in written:
            return ""
        # Without its version the library takes a newer file for an old one and loses flags and elevations.
        text = _text(content)
        with_version, found = re.subn(r"(?m)^ *2\nHEADER\n", lambda head: head[0] + _VERSION, text, count=1)
        return with_version if found else _HEADER + text
    if re.search(rb"(?m)^ *38 *\r?$", content) is None:
        return ""
    return "".join(f"{code}\n{value}\n" for code, value in _levelled(_text(content)))


def _text(content: bytes) -> str:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = content.decode("cp1252", errors="replace")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _levelled(text: str) -> Iterator[tuple[str, str]]:
    """The groups of an old file, elevations of group 38 written as the heights of the points."""
    lines = text.split("\n")
    entity: list[tuple[str, str]] = []
    for code, value in zip(lines[::2], lines[1::2], strict=False):
        if code.strip() == "0" and entity:
            yield from _raised(entity)
            entity = []
        entity.append((code, value))
    yield from _raised(entity)


def _raised(entity: list[tuple[str, str]]) -> list[tuple[str, str]]:
    where = _LEVELLED.get(entity[0][1].strip(), ()) if entity else ()
    level = next((value for code, value in entity if code.strip() == "38"), "")
    codes = {code.strip() for code, _ in entity}
    if not level or not where or codes & set(where):
        return entity
    kept = [group for group in entity if group[0].strip() != "38"]
    if "10" not in codes:
        return [*kept, ("10", "0.0"), ("20", "0.0"), ("30", level)]
    raised: list[tuple[str, str]] = []
    for code, value in kept:
        raised.append((code, value))
        if code.strip() in ("20", "21"):
            raised.append(("30" if code.strip() == "20" else "31", level))
    return raised

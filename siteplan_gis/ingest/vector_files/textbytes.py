"""Bytes of attribute text and the code page they were written in."""

from __future__ import annotations

import codecs
import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pathlib import Path

_LANGUAGE_BYTE: Final = 29
_DBF_CODECS: Final = {
    0x01: "cp437", 0x02: "cp850", 0x03: "cp1252", 0x08: "cp865", 0x09: "cp437", 0x0B: "cp437", 0x0D: "cp437",
    0x0F: "cp437", 0x11: "cp437", 0x15: "cp437", 0x18: "cp437", 0x19: "cp437", 0x1B: "cp437", 0x0A: "cp850",
    0x0E: "cp850", 0x10: "cp850", 0x12: "cp850", 0x14: "cp850", 0x16: "cp850", 0x1A: "cp850", 0x1D: "cp850",
    0x25: "cp850", 0x37: "cp850", 0x1F: "cp852", 0x22: "cp852", 0x23: "cp852", 0x40: "cp852", 0x64: "cp852",
    0x24: "cp860", 0x26: "cp866", 0x65: "cp866", 0x57: "cp1252", 0x58: "cp1252", 0x59: "cp1252", 0xC8: "cp1250",
    0xC9: "cp1251", 0xCA: "cp1254", 0xCB: "cp1253", 0xCC: "cp1257", 0x13: "cp932", 0x7B: "cp932", 0x4D: "cp936",
    0x7A: "cp936", 0x4E: "cp949", 0x79: "cp949", 0x4F: "cp950", 0x78: "cp950",
}  # fmt: skip
"""Language driver of a .dbf: its code page. Unknown ones are taken as Windows-1252, what American offices write."""


def dbf_codec(path: Path) -> str:
    """The code page that a .dbf file declares; Windows-1252 where it declares none."""
    with path.open("rb") as file:
        header = file.read(32)
    return _DBF_CODECS.get(header[_LANGUAGE_BYTE] if len(header) > _LANGUAGE_BYTE else 0, "cp1252")


def codec_named(text: str) -> str:
    """The codec that a .cpg file names; empty where it names none that is known.

    Examples
    --------
    >>> codec_named("UTF-8"), codec_named("ANSI 1252"), codec_named("88591"), codec_named("65001"), codec_named("?")
    ('utf-8', 'cp1252', 'iso8859-1', 'utf-8', '')
    """
    name = text.strip().lower()
    digits = "".join(re.findall(r"\d+", name))
    tried = [name]
    if digits == "65001" or name.replace("-", "").replace("_", "") == "utf8":
        tried = ["utf-8"]
    elif digits.startswith("8859"):
        tried = [f"iso8859-{digits[4:]}"]
    elif digits:
        tried.append(f"cp{digits}")
    for candidate in tried:
        try:
            return codecs.lookup(candidate).name
        except (LookupError, ValueError):
            continue
    return ""


def decode(raw: bytes, named: tuple[str, ...]) -> tuple[str, bool]:
    """The text of some bytes in the first code page that fits, and whether bytes had to be replaced by a mark.

    Examples
    --------
    >>> decode("Peña, Río".encode("cp1252"), ("utf-8", "cp1252"))
    ('Peña, Río', False)
    """
    for codec in named:
        try:
            return raw.decode(codec), False
        except UnicodeDecodeError:
            continue
    return raw.decode(named[-1], "replace"), True

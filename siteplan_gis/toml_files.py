"""Read a TOML file that people write by hand: every problem of it at once, each in the words of the file.

Manifests, decisions, permit records, catalogues, ordinances: all of them come in here, so that each limit, each way in
which a file is no TOML, and each wording stands once. A file can be hostile: sizes are limited, and lists nested a
thousand deep or numbers with thousands of digits are one line, not a traceback.
"""

from __future__ import annotations

import hashlib
import stat
import tomllib
from typing import TYPE_CHECKING, Any, Final, TypeVar

from siteplan_gis.errors import InputError, SeveralInputErrors

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from pydantic import BaseModel

    Table = TypeVar("Table", bound=BaseModel)

LARGEST_BYTES: Final = 1 << 20


def text_of(path: Path, largest_bytes: int = LARGEST_BYTES) -> tuple[str, str]:
    """The text of a file, and the SHA-256 of its bytes.

    Raises
    ------
    InputError
        If the file is not there, no plain file, too large, or not UTF-8.
    """
    try:
        told = path.stat()
        if not (stat.S_ISREG(told.st_mode) or stat.S_ISDIR(told.st_mode)):
            # A pipe or a device never ends.
            raise InputError("is no file but a pipe or a device", file=path.name, remedy="give a file")
        size = told.st_size
        if size > largest_bytes:
            raise InputError(
                f"is far too large ({size:,} bytes; {largest_bytes:,} are read)", file=path.name, remedy="shorten it"
            )
        content = path.read_bytes()
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", file=path.name) from None
    except ValueError:
        raise InputError("cannot be read (no file can have this name)", file=path.name) from None
    try:
        return content.decode("utf-8-sig"), hashlib.sha256(content).hexdigest()
    except UnicodeDecodeError:
        raise InputError("is not UTF-8 text", file=path.name, remedy="save it as UTF-8") from None


def toml_table(path: Path) -> tuple[dict[str, Any], str]:
    """The tables of a TOML file as they are written, and the SHA-256 of its bytes.

    Raises
    ------
    InputError
        If the file cannot be read or is no TOML.
    """
    text, digest = text_of(path)
    try:
        return tomllib.loads(text), digest
    except RecursionError:
        raise InputError("is not a TOML file (its lists are nested too deep)", file=path.name) from None
    except ValueError as error:  # a TOMLDecodeError, or a number with thousands of digits
        raise InputError(f"is not a TOML file ({error})", file=path.name, remedy="correct the line") from None


def read_toml(path: Path, table: type[Table], unknown: Callable[[str], str] = lambda _: "") -> tuple[Table, str]:
    """A TOML file as the table that it must be, and the SHA-256 of its bytes.

    Parameters
    ----------
    table
        The model that its keys and values must fit.
    unknown
        Why the key of this name is not allowed, where there is more to say than that nobody knows it.

    Raises
    ------
    InputError
        If the file cannot be read or is no TOML.
    SeveralInputErrors
        If keys or values are wrong: every one is named.
    """
    from pydantic import ValidationError  # noqa: PLC0415 - a tenth of a second, for those only who read a file

    told, digest = toml_table(path)
    try:
        return table.model_validate(told), digest
    except (ValidationError, RecursionError) as error:
        if isinstance(error, RecursionError):
            raise InputError("its lists are nested too deep", file=path.name) from None
        problems = [_explained(dict(one), unknown) for one in error.errors(include_url=False)]
        raise SeveralInputErrors(problems, file=path.name) from None


def _explained(error: Mapping[str, Any], unknown: Callable[[str], str]) -> InputError:
    """One problem in the words of the file: the key as written, entries counted from one, then what is wrong."""
    key = ".".join(str(part + 1 if isinstance(part, int) else part) for part in error["loc"])
    kind, message = error["type"], str(error["msg"]).removeprefix("Value error, ")
    if kind == "extra_forbidden":
        why = unknown(str(error["loc"][-1]))
        return InputError(f"{key}: {why or 'unknown key'}", remedy="correct or remove it")
    if kind == "missing":
        return InputError(f"{key}: is missing")
    if kind == "value_error":
        return InputError(f"{key}: {message}" if key else message)
    return InputError(f"{key}: {message[:1].lower()}{message[1:]}, not {error['input']!r:.80}")

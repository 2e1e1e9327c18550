"""What goes wrong with inputs, said in one clear line: file, layer, feature, what is wrong, what to do."""

from __future__ import annotations

import errno
import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

UNPRINTABLE: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")
"""Letters that no text needs: control characters, what turns the direction of reading, halves of characters."""

_LONGEST_PART: Final = 2000


def one_line(text: object) -> str:
    r"""Text as it may stand in a line of a terminal: no control characters, no line ends, not endless.

    Names come from applicants' files: they must not write over the terminal or feign a second message.

    Examples
    --------
    >>> one_line("LOD\x1b[2J\n\u202eshp.exe")
    'LOD\\x1b[2J\\n\\u202eshp.exe'
    """
    whole = str(text)
    shown = re.sub(r"[\t\n]", _escaped, UNPRINTABLE.sub(_escaped, whole[:_LONGEST_PART]))
    return shown + " ..." * (len(whole) > _LONGEST_PART)


def _escaped(found: re.Match[str]) -> str:
    return found[0].encode("unicode_escape").decode("ascii")


class SiteplanError(Exception):
    """Anything this package raises on purpose."""


class InputError(SiteplanError):
    """An input that cannot be used.

    Parameters
    ----------
    problem
        What is wrong, as one sentence without a full stop.
    file, layer, feature
        Where it is wrong; empty where it does not apply.
    remedy
        What the user can do about it.

    Examples
    --------
    >>> print(InputError("the file has no coordinate system", file="LOD.shp", remedy="give --assume-crs EPSG:n"))
    LOD.shp: the file has no coordinate system; give --assume-crs EPSG:n
    """

    def __init__(self, problem: str, *, file: str = "", layer: str = "", feature: str = "", remedy: str = "") -> None:
        self.problem, self.file, self.layer, self.feature, self.remedy = map(
            one_line, (problem, file, layer, feature, remedy)
        )
        problem, file, layer, feature, remedy = self.problem, self.file, self.layer, self.feature, self.remedy
        place = " / ".join(
            part for part in (file, f"layer {layer}" if layer else "", f"feature {feature}" if feature else "") if part
        )
        super().__init__(f"{place}: " * bool(place) + problem + f"; {remedy}" * bool(remedy))


REMEDIES: Final = (
    dict.fromkeys((errno.ENOSPC, errno.EDQUOT, errno.EFBIG), "make room on the disk")
    | dict.fromkeys((errno.EMFILE, errno.ENFILE), "allow more open files (ulimit -n)")
    | {
        errno.EAGAIN: "allow more processes and threads (ulimit -u)",
        errno.ENOMEM: "allow more memory (ulimit -v), or end other programs",
    }
)
"""By the number of a system's error: what to do where the machine is short of something."""


class MachineError(SiteplanError):
    """What the machine is short of while files are read; none of them is at fault.

    Examples
    --------
    >>> print(MachineError("no memory is left", remedy="end other programs"))
    no memory is left; end other programs
    """

    def __init__(self, problem: str, *, remedy: str) -> None:
        self.problem, self.remedy = one_line(problem), one_line(remedy)
        super().__init__(f"{self.problem}; {self.remedy}")


class CrsError(InputError):
    """Coordinates whose place on the earth cannot be told."""


class UnitError(InputError):
    """A length whose unit cannot be told."""


class HostileInputError(InputError):
    """A file that tries to reach outside itself, or is not what its name says."""


class SeveralInputErrors(InputError):  # noqa: N818 - the plural says what it is
    """Every problem of one file at once.

    Examples
    --------
    >>> print(SeveralInputErrors([InputError("a is not a number"), InputError("b is unknown")], file="siteplan.toml"))
    siteplan.toml: 2 problems: a is not a number | b is unknown
    """

    def __init__(self, problems: Sequence[InputError], *, file: str = "") -> None:
        self.problems = tuple(problems)
        count = f"{len(problems)} problem{'s' * (len(problems) != 1)}: "
        super().__init__(count + " | ".join(str(problem) for problem in problems), file=file)

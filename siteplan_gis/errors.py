"""What goes wrong with inputs, said in one clear line: file, layer, feature, what is wrong, what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


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
        self.problem, self.file, self.layer, self.feature, self.remedy = problem, file, layer, feature, remedy
        place = " / ".join(
            part for part in (file, f"layer {layer}" if layer else "", f"feature {feature}" if feature else "") if part
        )
        super().__init__(f"{place}: " * bool(place) + problem + f"; {remedy}" * bool(remedy))


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

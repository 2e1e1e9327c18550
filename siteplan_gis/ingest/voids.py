"""Cells without elevation that a file does not declare, and elevations in whole units."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from siteplan_gis.units import FOOT_M, US_SURVEY_FOOT_M

if TYPE_CHECKING:
    from numpy.typing import NDArray

LOWEST_M: Final = -500.0
"""No dry ground lies lower (the Dead Sea's shore is at -430 m)."""

HIGHEST_M: Final = 9_000.0
"""No ground lies higher (Everest is at 8,849 m)."""

_NEVER_GROUND: Final = (-32768.0, -32767.0, -99999.0, -999999.0, -9999.0, -9999.9, -999.0, 32767.0, 65535.0, 99999.0)
_SOMETIMES_GROUND: Final = {9999.0: 100.0, 999.0: 100.0, -99.0: 100.0, 0.0: 50.0}
"""Sentinels that may be true elevations: void only where nothing lies within so many units of them."""

_CELLS_LOOKED_AT: Final = 500_000


def undeclared_voids(raw: NDArray[np.float64], metres_per_unit: float | None) -> dict[float, NDArray[np.bool_]]:
    """Where cells hold a sentinel instead of an elevation, by sentinel.

    Heights that no ground on earth has count as sentinels too (under the name of the extreme one): resampling mixes
    voids with their neighbours. Exact zeros are void where nothing lies between them and ground that is 50 units
    and more above them. What lies next to a void stays as it is; nothing is filled.

    Parameters
    ----------
    raw
        Elevations in the file's unit; NaN where the file declares none.
    metres_per_unit
        None where the unit is unknown; metres are then taken for the widest bounds.

    Examples
    --------
    >>> z = np.array([[-9999.0, 250.0], [251.0, 252.0]])
    >>> {value: int(where.sum()) for value, where in undeclared_voids(z, 1.0).items()}
    {-9999.0: 1}
    """
    found: dict[float, NDArray[np.bool_]] = {}
    if np.isnan(raw).all():
        return found
    left = raw

    def take(value: float, where: NDArray[np.bool_]) -> None:
        nonlocal left
        found[value] = where
        left = np.where(where, np.nan, left)

    low, high = float(np.nanmin(raw)), float(np.nanmax(raw))
    for value in _NEVER_GROUND:
        if low <= value <= high and (where := left == value).any():
            take(value, where)
    unit = metres_per_unit or FOOT_M
    if low < LOWEST_M / unit or high > HIGHEST_M / unit:
        outside = (left < LOWEST_M / unit) | (left > HIGHEST_M / unit)
        if outside.any():
            values = left[outside]
            take(float(values[np.argmax(np.abs(values))]), outside)
    for value, gap in _SOMETIMES_GROUND.items():
        if low <= value <= high and (where := left == value).any() and _stands_alone(left, where, value, gap):
            take(value, where)
    return found


def _stands_alone(raw: NDArray[np.float64], where: NDArray[np.bool_], value: float, gap: float) -> bool:
    """Whether all other elevations lie on one side of `value`, at least `gap` and half their own range away."""
    rest = raw[~where & ~np.isnan(raw)]
    if not rest.size:
        return False
    low, high = float(rest.min()), float(rest.max())
    away = max(low - value, value - high)
    return away >= gap and away >= (high - low) / 2


def in_whole_units(z_m: NDArray[np.float64]) -> str:
    """The unit in which elevations in metres are whole numbers, or "" where they are not.

    Feet written as fractions of a metre are found too. Ground of one height is not in steps.

    Examples
    --------
    >>> in_whole_units(np.array([100.0, 101.0, 103.0]))
    'metre'
    >>> in_whole_units(np.array([100.0, 101.0, 103.0]) * 0.3048)
    'foot'
    >>> in_whole_units(np.array([100.0, 101.5, 103.0]))
    ''
    """
    some = z_m.ravel()[:: max(1, z_m.size // _CELLS_LOOKED_AT)]
    valid = some[~np.isnan(some)]
    if valid.size < 2 or valid.min() == valid.max():  # noqa: PLR2004
        return ""
    units = {"metre": 1.0, "foot": FOOT_M, "US survey foot": US_SURVEY_FOOT_M}
    # A 32-bit number of this size is true to half of its last place.
    noise_m = float(np.abs(valid).max()) * 2.0**-23
    for name, size_m in units.items():
        steps = valid / size_m
        if np.mean(np.abs(steps - np.round(steps)) <= max(noise_m / size_m, 1e-6)) >= 0.999:  # noqa: PLR2004
            return name
    return ""

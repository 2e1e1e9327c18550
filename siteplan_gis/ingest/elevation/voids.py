"""Cells without elevation that a file does not declare, and the steps in which elevations are kept."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

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

_MOST_FEET: Final = 40_000.0
_CELLS_LOOKED_AT: Final = 500_000
_FEW: Final = 10_000
_STEPS: Final = (1.0, 0.5, 0.25, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001)
_MOST_STEPS: Final = 2.0**23


class Look:
    """What the numbers of a file around a site hold, gathered window by window.

    Attributes
    ----------
    lowest, highest
        Of what may be ground: not a number where there is none.
    cells, empty
        How many numbers there were, and how many cells that were never stored.

    Examples
    --------
    >>> look = Look(-500.0, 9000.0)
    >>> look.add(np.array([[-9999.0, 250.0], [251.0, 252.0]]))
    >>> look.voids()
    {-9999.0: 1}
    """

    def __init__(self, lowest: float, highest: float) -> None:
        """Ground can only lie between two heights, in the file's own numbers."""
        self.bounds = lowest, highest
        # Of heights in centimetres, or stored with a scale, 32767 may be one.
        fine = highest - lowest > _MOST_FEET
        maybe = [value for value in _NEVER_GROUND if fine and lowest <= value <= highest]
        self._never = [value for value in _NEVER_GROUND if value not in maybe]
        self._sometimes = {**dict.fromkeys(maybe, 100.0), **_SOMETIMES_GROUND}
        self.lowest, self.highest = math.nan, math.nan
        self.cells = self.empty = 0
        self._held: dict[float, int] = {}
        self._outside = 0
        self._extreme = 0.0
        self._sample: list[NDArray[Any]] = []

    def add(self, raw: NDArray[Any], empty: NDArray[np.bool_] | None = None) -> None:
        """Take in the numbers of a window, NaN where the file declares none; and which cells were never stored."""
        self.empty += 0 if empty is None else int(empty.sum())
        known = raw[~np.isnan(raw)]
        if not known.size:
            return
        self.cells += known.size
        low, high = float(known.min()), float(known.max())
        for value in (*self._never, *self._sometimes):
            if low <= value <= high and (held := known == known.dtype.type(value)).any():
                self._held[value] = self._held.get(value, 0) + int(held.sum())
                known = known[~held]
        if low < self.bounds[0] or high > self.bounds[1]:
            outside = (known < self.bounds[0]) | (known > self.bounds[1])
            if outside.any():
                values = known[outside]
                extreme = float(values[np.argmax(np.abs(values))])
                self._extreme = max(self._extreme, extreme, key=abs)
                self._outside += int(outside.sum())
                known = known[~outside]
        if known.size:
            self._widen(float(known.min()), float(known.max()))
            self._sample.append(known[:: max(1, raw.size // 50_000)].copy())

    def _widen(self, low: float, high: float) -> None:
        self.lowest = low if math.isnan(self.lowest) else min(self.lowest, low)
        self.highest = high if math.isnan(self.highest) else max(self.highest, high)

    def voids(self) -> dict[float, int]:
        """How many cells hold a sentinel instead of an elevation, by sentinel.

        Heights that no ground on earth has count as sentinels too (under the name of the extreme one): resampling
        mixes voids with their neighbours. Exact zeros are void where nothing lies between them and ground that is 50
        units and more above them. What lies next to a void stays as it is; nothing is filled.
        """
        found = {value: self._held[value] for value in self._never if value in self._held}
        if self._outside:
            found[self._extreme] = self._outside
        for value, gap in self._sometimes.items():
            if value in self._held and self._stands_alone(value, gap):
                found[value] = self._held[value]
        for value in self._held.keys() - found.keys():
            self._widen(value, value)
        return found

    def _stands_alone(self, value: float, gap: float) -> bool:
        """Whether all other elevations lie on one side of `value`, at least `gap` and half their own range away."""
        away = max(self.lowest - value, value - self.highest)
        return away >= gap and away >= (self.highest - self.lowest) / 2

    @property
    def sample(self) -> NDArray[np.float64]:
        """Some of the numbers."""
        return np.concatenate([*self._sample, np.empty(0)])


def kept_step(stored: NDArray[np.float64], digits: int, metres: float) -> float:
    """The step in which stored numbers are kept, such as 0.01: 0 where there is none.

    Numbers of a step are whole multiples of it but for the rounding of their type, which has so many binary `digits`.
    Hundredths of one unit written in another are found too.

    Examples
    --------
    >>> kept_step(np.array([250.37, 251.02, 249.9], dtype=np.float32).astype(float), 24, 1.0)
    0.01
    >>> kept_step(np.array([250.371234, 251.02, 249.9]), 53, 1.0)
    0.0
    """
    if stored.size < 2:  # noqa: PLR2004
        return 0.0
    largest = max(float(stored.max()), -float(stored.min()))
    noise = max(largest * 2.0**-digits, 1e-9)
    # Most steps fail on a few of the numbers.
    few = stored[:: max(1, stored.size // _FEW)]
    for unit in (1.0, 1.0 / metres, FOOT_M / metres, US_SURVEY_FOOT_M / metres):
        for part in _STEPS:
            step = part * unit
            if noise < 0.05 * step and largest < _MOST_STEPS * step:
                near = 1.1 * noise / step
                if _off_steps(few, step).max() <= near and _off_steps(stored, step).max() <= near:
                    return step
    return 0.0


def _off_steps(numbers: NDArray[np.float64], step: float) -> NDArray[np.float64]:
    """How far numbers are from whole multiples of a step, in steps."""
    steps = numbers / step
    off: NDArray[np.float64] = np.abs(steps - np.round(steps))
    return off


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
    few = valid[:: max(1, valid.size // _FEW)]
    most_off = 0.001 * valid.size
    for name, size_m in units.items():
        near = max(noise_m / size_m, 1e-6)
        # Where a few hold too many for all of them, the others need no look.
        if all(np.sum(_off_steps(numbers, size_m) > near) <= most_off for numbers in (few, valid)):
            return name
    return ""

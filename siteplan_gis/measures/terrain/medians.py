"""Weighted medians of many numbers without sorting them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from siteplan_gis.measures.compiling import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray


@compiled
def weighted_median(values: NDArray[np.float64], weights: NDArray[np.float64]) -> float:
    """The value with half of the weight below it, to 1e-12 of the range; NaN values do not count.

    Examples
    --------
    >>> round(weighted_median(np.array([1.0, 2.0, 9.0]), np.array([1.0, 1.0, 5.0])), 9)
    9.0
    """
    low, high, total = np.inf, -np.inf, 0.0
    for i in range(values.size):
        if weights[i] > 0.0 and not np.isnan(values[i]):
            low, high = min(low, values[i]), max(high, values[i])
            total += weights[i]
    if total == 0.0:
        return np.nan
    bins = np.zeros(1024)
    below = 0.0
    for _ in range(4):
        if high <= low:
            break
        for k in range(bins.size):
            bins[k] = 0.0
        scale = bins.size / (high - low)
        for i in range(values.size):
            if weights[i] > 0.0 and low <= values[i] <= high:
                bins[min(int((values[i] - low) * scale), bins.size - 1)] += weights[i]
        step = (high - low) / bins.size
        k = 0
        while k < bins.size - 1 and below + bins[k] < 0.5 * total:
            below += bins[k]
            k += 1
        low, high = low + k * step, low + (k + 1) * step
    return 0.5 * (low + high)


@compiled
def medians_by_label(
    labels: NDArray[np.int64], values: NDArray[np.float64], weights: NDArray[np.float64], count: int
) -> NDArray[np.float64]:
    """The weighted median of the values of each label from 1 to `count`; all arrays are flat."""
    ends = np.zeros(count + 2, dtype=np.int64)
    for i in range(labels.size):
        if labels[i] > 0:
            ends[labels[i] + 1] += 1
    for k in range(1, count + 2):
        ends[k] += ends[k - 1]
    sorted_values = np.empty(ends[count + 1])
    sorted_weights = np.empty(ends[count + 1])
    place = ends.copy()
    for i in range(labels.size):
        label = labels[i]
        if label > 0:
            sorted_values[place[label]] = values[i]
            sorted_weights[place[label]] = weights[i]
            place[label] += 1
    medians = np.empty(count)
    for k in range(count):
        a, b = ends[k + 1], ends[k + 2]
        medians[k] = weighted_median(sorted_values[a:b], sorted_weights[a:b])
    return medians

"""The plan's own coordinate system as a formula that a page can reckon without a library of projections."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from siteplan_gis.crs import georeference
from siteplan_gis.errors import CrsError
from siteplan_gis.report.plain import number
from siteplan_gis.units import FOOT_M, US_SURVEY_FOOT_M

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from siteplan_gis.frame import Frame
    from siteplan_gis.model.plan import Plan

REACH_M: Final = 3000.0
"""The formula is fitted to this far around the frame's origin."""

_POINTS: Final = 13
_LARGEST_ERROR_M: Final = 0.05


def coordinate_formula(plan: Plan, frame: Frame) -> dict[str, Any] | None:
    """The CRS of the plan's files as polynomials of the third degree in degrees from the frame's origin.

    `x` and `y` hold the factors of 1, u, v, u², uv, v², u³, u²v, uv², v³, where u and v are degrees of longitude and
    latitude from the origin. None where the plan has no projected CRS, or the fit is off by more than 5 cm.
    """
    names = dict.fromkeys(each for each in (*(layer.crs for layer in plan.layers),
                                            *(source.crs for source in plan.sources)) if each)  # fmt: skip
    for name in names:
        try:
            own = georeference(name)
        except CrsError:
            continue
        if own.metres_per_unit is None:
            continue
        side = np.linspace(-REACH_M, REACH_M, _POINTS)
        degrees = frame.to_lonlat(np.column_stack([axis.ravel() for axis in np.meshgrid(side, side)]))
        terms = _terms(degrees - (frame.longitude, frame.latitude))
        true = own.xy(degrees)
        factors, *_ = np.linalg.lstsq(terms, true, rcond=None)
        if np.abs(terms @ factors - true).max() * own.metres_per_unit > _LARGEST_ERROR_M:
            continue
        return {"name": own.name, "unit": _unit(own.metres_per_unit),
                "x": [number(each, 13) for each in factors[:, 0]], "y": [number(each, 13) for each in factors[:, 1]]}  # fmt: skip
    return None


def _terms(away: NDArray[np.float64]) -> NDArray[np.float64]:
    u, v = away.T
    return np.column_stack((np.ones_like(u), u, v, u * u, u * v, v * v, u**3, u * u * v, u * v * v, v**3))


def _unit(metres_per_unit: float) -> str:
    known = {1.0: "m", FOOT_M: "ft", US_SURVEY_FOOT_M: "US survey ft"}
    return next((name for size, name in known.items() if abs(size - metres_per_unit) < 1e-9), "units")  # noqa: PLR2004

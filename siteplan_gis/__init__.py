"""Checks a construction site's erosion-control map against a village's ordinance, and shows the answer on a map."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from siteplan_gis.api import measure, review
    from siteplan_gis.parcels_api import prescreen
    from siteplan_gis.planners_api import etj

__version__ = "0.1.0"
__all__ = ["__version__", "etj", "measure", "prescreen", "review"]

_LAZY = {
    "review": "siteplan_gis.api",
    "measure": "siteplan_gis.api",
    "etj": "siteplan_gis.planners_api",
    "prescreen": "siteplan_gis.parcels_api",
}


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(importlib.import_module(_LAZY[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_LAZY])

"""Ground as triangles describe it: triangulated irregular networks (TIN), and the surfaces that a plan submits."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

import shapely

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from shapely.geometry.base import BaseGeometry

SURFACE_ROLES: Final = ("surface_existing", "surface_proposed")
"""Roles of surfaces: the ground as it is, and as it is to be graded."""


@dataclass(frozen=True, eq=False)
class Tin:
    """Triangles between points of known height, in the site frame.

    Attributes
    ----------
    xy
        Vertices in metres, shape (n, 2).
    z_m
        Their elevations in metres, shape (n,), finite.
    triangles
        Places of the three vertices of every triangle, shape (m, 3); no triangle has an area of zero.
    """

    xy: NDArray[np.float64]
    z_m: NDArray[np.float64]
    triangles: NDArray[np.int64]

    @cached_property
    def polygons(self) -> NDArray[np.object_]:
        """The triangles as polygons, shape (m,); made once, as many questions are asked of them."""
        made: NDArray[np.object_] = shapely.polygons(self.xy[self.triangles[:, [0, 1, 2, 0]]])
        return made

    @cached_property
    def tree(self) -> shapely.STRtree:
        """The polygons by where they lie."""
        return shapely.STRtree(self.polygons)


@dataclass(frozen=True, slots=True, eq=False)
class Surface:
    """A submitted surface in the site frame.

    Attributes
    ----------
    role
        One of `SURFACE_ROLES`.
    name, layer
        Its own name, and the label of the plan's layer that it came from.
    tin
        Its visible triangles.
    outline
        The ground that it describes: its triangles without voids.
    """

    role: str
    name: str
    layer: str
    tin: Tin
    outline: BaseGeometry

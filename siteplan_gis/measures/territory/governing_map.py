"""Who governs each of many parcels: ground is divided once, and every parcel is cut with its parts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import shapely

from siteplan_gis.measures.territory.jurisdiction import territories, without_slivers
from siteplan_gis.model.measurement import JurisdictionShare

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray
    from shapely.geometry.base import BaseGeometry

    from siteplan_gis.model.layers import ReferenceFeature

_SLIVER_M = 0.3


def shares_of_parcels(
    ground: BaseGeometry, parcels: NDArray[np.object_], municipalities: Sequence[ReferenceFeature]
) -> list[tuple[JurisdictionShare, ...]]:
    """What `jurisdiction.shares` tells of each parcel (polygons in the frame); `ground` holds all of them.

    Examples
    --------
    >>> import numpy as np
    >>> from siteplan_gis.model.layers import ReferenceFeature
    >>> village = ReferenceFeature("1", "Ashford", "village", "", shapely.box(0, 0, 1000, 1000), "limits")
    >>> parcels = np.array([shapely.box(900, 0, 1100, 100), shapely.box(5000, 0, 5100, 100)], dtype=object)
    >>> for parcel in shares_of_parcels(shapely.box(-100, -100, 6000, 1000), parcels, [village]):
    ...     print([(share.kind, round(share.share, 3)) for share in parcel])
    [('inside', 0.5), ('etj', 0.5)]
    []
    """
    found: list[list[JurisdictionShare]] = [[] for _ in parcels]
    areas = shapely.area(parcels)
    tree = shapely.STRtree(parcels)
    for one in territories(ground, municipalities):
        for kind, where in (("inside", one.inside), ("etj", one.etj)):
            if where.is_empty:
                continue
            shapely.prepare(where)
            met = tree.query(where, predicate="intersects")
            whole = shapely.covers(where, parcels[met])
            parts = parcels[met]
            parts[~whole] = [without_slivers(part, _SLIVER_M) for part in shapely.intersection(parts[~whole], where)]
            for i, part, size in zip(met.tolist(), parts, shapely.area(parts).tolist(), strict=True):
                if size > 0:
                    share = min(size / float(areas[i]), 1.0)
                    found[i].append(JurisdictionShare(one.municipality, one.kind, kind, size, share, part))
    return [tuple(sorted(each, key=lambda one: (one.kind != "inside", -one.share, one.municipality))) for each in found]

"""Where plan layers lie: their coordinate system, and whether their numbers can be what they claim."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np

from siteplan_gis.crs import georeference, understood
from siteplan_gis.errors import CrsError, InputError
from siteplan_gis.frame import FARTHEST_M, Frame, frame_around
from siteplan_gis.ingest.records.manifest import DrawingSettings
from siteplan_gis.model.flag import Flag

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from siteplan_gis.crs import Georeference
    from siteplan_gis.ingest.drawn.drawing import DrawnFeature, DrawnLayer, DrawnText
    from siteplan_gis.ingest.records.manifest import LayerSettings

ANCHOR_ROLES: Final = ("disturbed_area", "site", "construction_site")
"""Roles that say where the plan is; without them every layer does."""

_EARTH_RADIUS_M: Final = 6_371_000.0
_OUTSIDE_USE_DEGREES: Final = 1.5
_FAR_DEGREES: Final = 0.5
_BACK_M: Final = 1.0
_ANY_CRS_M: Final = 1e8


@dataclass(slots=True)
class PlacedLayer:
    """A layer with its role, its settings and its place.

    `lonlat` holds the positions of each feature. A CAD layer has what the manifest says of its `drawing`, the unit of
    its heights, the texts at its contours by the `id()` of the feature, and the level that its name may hold; `matrix`
    (2, 3) brought its numbers to their place. It is `local` where nobody knows that: they are then metres of its own.
    """

    drawn: DrawnLayer
    role: str
    role_from: str
    settings: LayerSettings
    georeference: Georeference | None = None
    crs_shown: str = "none"
    trouble: InputError | None = None
    flags: list[Flag] = field(default_factory=list)
    lonlat: list[NDArray[np.float64] | None] = field(default_factory=list)
    drawing: DrawingSettings = field(default_factory=DrawingSettings)
    height_m: float | None = None
    labels: dict[int, DrawnText] = field(default_factory=dict)
    level_in_name: float | None = None
    local: bool = False
    matrix: NDArray[np.float64] | None = None

    @property
    def label(self) -> str:
        """The layer's label, as a reviewer finds it."""
        return self.drawn.label


def place(layer: PlacedLayer, assume_crs: str | None) -> None:
    """Find the layer's coordinate system; what hinders it is kept in `trouble`, nothing is raised."""
    drawn, settings = layer.drawn, layer.settings
    where = {"file": drawn.file, "layer": "" if drawn.only_layer else drawn.layer}
    own = drawn.crs
    told = settings.crs or layer.drawing.crs
    definition = told or own or assume_crs
    if definition is None or not definition:
        remedy = 'give --assume-crs EPSG:n, or crs = "EPSG:n" for it in siteplan.toml'
        layer.trouble = CrsError(drawn.no_crs, **where, remedy=remedy)
        return
    try:
        layer.georeference = georeference(definition, settings.axis_order or "xy")
    except InputError as error:
        layer.trouble = CrsError(error.problem, **where, remedy=error.remedy)
        layer.crs_shown = _name_of(definition)
        return
    name = layer.crs_shown = layer.georeference.name
    if told and own:
        layer.flags.append(
            Flag("crs_assumed", f"siteplan.toml says {name}; what the file says was not used", layer.label)
        )
    elif not own:
        by = "siteplan.toml" if told else "the user"
        # A drawing has dozens of layers and one coordinate system.
        subject = layer.label if drawn.cad is None else drawn.file
        layer.flags.append(Flag("crs_assumed", f"{name} was given by {by}; {drawn.no_crs}", subject))
    layer.flags += [Flag("crs_note", note, layer.label) for note in layer.georeference.notes]
    if settings.axis_order == "yx":
        layer.flags.append(
            Flag("crs_note", "latitude or northing stands first in this file (siteplan.toml)", layer.label)
        )


def _name_of(definition: str) -> str:
    """What a CRS that cannot be used calls itself."""
    try:
        return understood(definition).name
    except CrsError:
        return definition[:60]


def locate(layer: PlacedLayer) -> InputError | None:
    """Fill `lonlat`; the problem, if the numbers cannot be of the coordinate system that they claim."""
    reference = layer.georeference
    if reference is None:
        return layer.trouble
    chunks = [_positions(feature) for feature in layer.drawn.features]
    sizes = [len(chunk) for chunk in chunks]
    if not sum(sizes):
        layer.lonlat = [None] * len(chunks)
        return None
    xy = np.vstack(chunks)
    problem = _impossible_numbers(layer, xy)
    if problem is not None:
        return problem
    lonlat = reference.lonlat(xy)
    lonlat[~np.isfinite(lonlat).all(axis=1)] = np.nan
    if layer.role not in ANCHOR_ROLES:  # those are refused by their distance, never set aside
        lonlat[_off_the_earth(reference, xy, lonlat)] = np.nan
    pieces = np.split(lonlat, np.cumsum(sizes)[:-1])
    layer.lonlat = [piece if len(piece) and np.isfinite(piece).all() else None for piece in pieces]
    seen = np.vstack([piece for piece in layer.lonlat if piece is not None] or [np.empty((0, 2))])
    if not len(seen):
        return _problem(
            layer, f"no position lies where {reference.name} can be used", "the CRS or the numbers are wrong"
        )
    return _wrong_place(layer, np.median(seen, axis=0), np.median(xy, axis=0))


def _off_the_earth(reference: Georeference, xy: NDArray[np.float64], lonlat: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Positions that no place on the earth has: some projections put them at a pole, from where no way leads back."""
    off = np.zeros(len(xy), dtype=np.bool_)
    known = np.isfinite(lonlat).all(axis=1)
    if not known.any():
        return off
    with np.errstate(all="ignore"):
        far = np.nonzero((abs(lonlat - np.median(lonlat[known], axis=0)) > _FAR_DEGREES).any(axis=1))[0]
        if len(far) and reference.metres_per_unit is not None:
            back = reference.xy(lonlat[far]) - xy[far]
            beyond = abs(xy[far]).max(axis=1) * reference.metres_per_unit > _ANY_CRS_M
            off[far] = beyond | ~(abs(back).max(axis=1) * reference.metres_per_unit < _BACK_M)
    return off


def _positions(feature: DrawnFeature) -> NDArray[np.float64]:
    arrays = list(feature.drawing.arrays()) if feature.drawing is not None else []
    return np.vstack(arrays) if arrays else np.empty((0, 2))


def _impossible_numbers(layer: PlacedLayer, xy: NDArray[np.float64]) -> InputError | None:
    reference = layer.georeference
    if reference is None or layer.local:
        return None
    east, north = (xy[:, 0], xy[:, 1]) if reference.axis_order == "xy" else (xy[:, 1], xy[:, 0])
    if reference.metres_per_unit is None:
        bad = (abs(east) > 360) | (abs(north) > 90)  # noqa: PLR2004
        if bad.any():
            at = f"({xy[bad][0][0]:.6g}, {xy[bad][0][1]:.6g})"
            hint = "give its real CRS in siteplan.toml"
            if (abs(north) <= 360).all() and (abs(east) <= 90).all():  # noqa: PLR2004
                hint = 'latitude seems to stand first: set axis_order = "yx" for it in siteplan.toml'
            return _problem(layer, f"{at} cannot be degrees, but {reference.name} counts in degrees", hint)
    elif all(_in_us(x, y) or _in_us(y, x) for x, y in (xy.min(axis=0), xy.max(axis=0))):
        return _problem(
            layer,
            f"its numbers look like degrees, but {reference.name} counts in units of {reference.metres_per_unit:.6g} m",
            'give the real CRS, e.g. crs = "EPSG:4326" for it in siteplan.toml',
        )
    return None


def _wrong_place(layer: PlacedLayer, lonlat: NDArray[np.float64], xy: NDArray[np.float64]) -> InputError | None:
    """Axes that look swapped, or a place far outside the zone of the coordinate system."""
    reference = layer.georeference
    if reference is None or layer.local:
        return None
    lon, lat = float((lonlat[0] + 180) % 360 - 180), float(lonlat[1])
    if not _in_us(lon, lat) and layer.settings.axis_order is None:
        with np.errstate(all="ignore"):
            swapped = reference.lonlat(xy[None, ::-1])[0]
        if np.isfinite(swapped).all() and _in_us(float(swapped[0]), float(swapped[1])):
            return _problem(
                layer,
                f"the axes look swapped: as written it lies at longitude {lon:.4f}, latitude {lat:.4f}, outside the United "
                f"States; the other way round at {swapped[0]:.4f}, {swapped[1]:.4f}",
                'set axis_order = "yx" for it in siteplan.toml, or correct the export',
            )
    area = reference.crs.area_of_use
    if area is not None and reference.metres_per_unit is not None and area.west < area.east:
        east_west = max(area.west - lon, lon - area.east, 0)
        north_south = max(area.south - lat, lat - area.north, 0)
        if max(east_west, north_south) > _OUTSIDE_USE_DEGREES:
            return _problem(
                layer,
                f"it lies at longitude {lon:.3f}, latitude {lat:.3f}, far outside the area of {reference.name} "
                f"({area.name[:60]})",
                "its coordinates look truncated or its CRS wrong: give the real one",
            )
    return None


def choose_frame(layers: Sequence[PlacedLayer]) -> Frame:
    """The site frame around the disturbed area and site (else around everything), far features set aside.

    Raises
    ------
    InputError
        If a layer, or a feature of the disturbed area or site, lies too far away to belong to the same plan.
    """
    anchors = [layer for layer in layers if layer.role in ANCHOR_ROLES and _any(layer.lonlat)]
    anchors.sort(key=lambda layer: ANCHOR_ROLES.index(layer.role))
    everything = [layer for layer in layers if _any(layer.lonlat)]
    centre, middle, central = _centre(anchors or everything)
    home = middle.label
    extent = middle.lonlat[central]
    reach = float(_distance_m(extent, centre).max()) if extent is not None else 0.0
    if reach > FARTHEST_M:
        raise _feature_problem(middle, central, f"it is {2 * reach / 1000:,.0f} km wide, too large for one site")
    for layer in everything:
        distances = [None if piece is None else _distance_m(piece, centre) for piece in layer.lonlat]
        near = [float(away.min()) for away in distances if away is not None]
        if min(near) > FARTHEST_M:
            raise _problem(
                layer,
                f"it lies {min(near) / 1000:,.0f} km from {home}, so they cannot be one plan",
                "one of them has truncated or swapped coordinates or a wrong CRS",
            )
        for number, away in enumerate(distances):
            if away is None:
                continue
            anchored = layer in anchors or not anchors
            if anchored and away.max() > FARTHEST_M:
                problem = f"it reaches {away.max() / 1000:,.0f} km from the middle of {home}, too far for one site"
                raise _feature_problem(layer, number, problem)
            feature = layer.drawn.features[number].id
            if away.max() > FARTHEST_M >= away.min():
                text = f"reaches {away.max() / 1000:,.0f} km from the plan: is a vertex of it wrong?"
                layer.flags.append(Flag("feature_reaches_far", text, layer.label, feature))
            if away.min() > FARTHEST_M:
                layer.lonlat[number] = None
                layer.flags.append(
                    Flag(
                        "feature_unreadable",
                        f"lies {away.min() / 1000:,.0f} km from the plan and was set aside",
                        layer.label,
                        feature,
                    )
                )
    return frame_around(
        np.vstack([piece for layer in anchors or everything for piece in layer.lonlat if piece is not None])
    )


def _centre(layers: Iterable[PlacedLayer]) -> tuple[NDArray[np.float64], PlacedLayer, int]:
    """The centre of the feature that lies in the middle of all, its layer and its number there."""
    centres: list[tuple[float, float]] = []
    owners: list[tuple[PlacedLayer, int]] = []
    for layer in layers:
        for number, piece in enumerate(layer.lonlat):
            if piece is not None:
                lon = _turned(piece[:, 0], float(piece[0, 0]))
                centres.append(((lon.min() + lon.max()) / 2, (piece[:, 1].min() + piece[:, 1].max()) / 2))
                owners.append((layer, number))
    found = np.array(centres)
    found[:, 0] = _turned(found[:, 0], float(found[0, 0]))
    nearest = int(np.argmin(((found - np.median(found, axis=0)) ** 2).sum(axis=1)))
    return found[nearest], *owners[nearest]


def _any(pieces: Iterable[NDArray[np.float64] | None]) -> bool:
    return any(piece is not None for piece in pieces)


def _turned(lon: NDArray[np.float64], around: float) -> NDArray[np.float64]:
    return around + (lon - around + 180) % 360 - 180


def _distance_m(lonlat: NDArray[np.float64], centre: NDArray[np.float64]) -> NDArray[np.float64]:
    """Great-circle distances in metres on a sphere: good to half a percent, which a 60-km limit bears."""
    lon, lat = np.radians(lonlat).T
    lon0, lat0 = np.radians(centre)
    chord = np.sin((lat - lat0) / 2) ** 2 + np.cos(lat) * np.cos(lat0) * np.sin((lon - lon0) / 2) ** 2
    distance: NDArray[np.float64] = 2 * _EARTH_RADIUS_M * np.arcsin(np.sqrt(np.clip(chord, 0, 1)))
    return distance


def _in_us(lon: float, lat: float) -> bool:
    """Within the box of the fifty states; the last Aleutians lie beyond the 180th meridian."""
    return (-180 <= lon <= -64 or 172 <= lon <= 180) and 17 <= lat <= 72  # noqa: PLR2004


def _feature_problem(layer: PlacedLayer, number: int, problem: str) -> InputError:
    drawn = layer.drawn
    remedy = "correct its coordinates or remove it"
    return InputError(problem, file=drawn.file, layer=drawn.layer, feature=drawn.features[number].id, remedy=remedy)


def _problem(layer: PlacedLayer, problem: str, remedy: str) -> InputError:
    shown = "" if layer.drawn.only_layer else layer.drawn.layer
    return InputError(problem, file=layer.drawn.file, layer=shown, remedy=remedy)

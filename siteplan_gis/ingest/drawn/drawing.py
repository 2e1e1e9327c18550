"""What a plan file holds before anything is decided: rings, lines and points as written, in the file's own numbers.

Every reader of this room (shapefiles and databases, GeoJSON, KML, CAD) ends here, so that roles, coordinate systems,
closing and repair are decided once for all formats.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from siteplan_gis.model.flag import Flag
    from siteplan_gis.model.plan import AttributeValue

    Vertices = NDArray[np.float64]

_SENTINEL_BELOW: Final = -9000.0
_WIDTH_WITH_Z: Final = 3


@dataclass(slots=True)
class Drawing:
    """The geometry of one feature as the file writes it.

    Attributes
    ----------
    polygons
        Parts, each a list of rings (shell first), each an array of shape (n, 2). Nothing is closed or repaired yet.
    lines, points
        Arrays of shape (n, 2).
    line_z
        Heights of each line, shape (n,); None for flat lines.
    kinds
        Names of the geometry types met, in order.
    has_z, has_sentinel_z
        Whether a height other than zero was met, and whether one was NaN or a sentinel such as -9999.
    left_out
        What could not be read of the feature: one sentence each.
    is_symbol
        Whether it is a symbol of a CAD drawing: its one point is where it stands, the rest is how it looks.
    """

    polygons: list[list[Vertices]] = field(default_factory=list)
    lines: list[Vertices] = field(default_factory=list)
    points: list[Vertices] = field(default_factory=list)
    line_z: list[Vertices | None] = field(default_factory=list)
    kinds: list[str] = field(default_factory=list)
    has_z: bool = False
    has_sentinel_z: bool = False
    left_out: list[str] = field(default_factory=list)
    is_symbol: bool = False

    def arrays(self) -> Iterator[Vertices]:
        """Every array of positions, in a fixed order: rings, lines, points."""
        for part in self.polygons:
            yield from part
        yield from self.lines
        yield from self.points

    def replaced(self, arrays: Sequence[Vertices]) -> Drawing:
        """The same drawing with other positions, given in the order of `arrays()`."""
        left = iter(arrays)
        polygons = [[next(left) for _ in part] for part in self.polygons]
        lines = [next(left) for _ in self.lines]
        points = [next(left) for _ in self.points]
        return replace(self, polygons=polygons, lines=lines, points=points)

    @property
    def empty(self) -> bool:
        """Whether it holds no position at all."""
        return not any(len(array) for array in self.arrays())

    def vertices(self) -> int:
        """Number of positions."""
        return sum(len(array) for array in self.arrays())

    def add(self, kind: str, coordinates: Any) -> None:
        """Add one geometry given like GeoJSON: its type and its nested positions.

        Raises
        ------
        ValueError
            If the nesting is not that of the type, or a position is not two or more finite numbers.
        """
        if kind not in self.kinds:
            self.kinds.append(kind)
        if kind == "Point":
            self.points.append(self._positions([coordinates] if len(_sequence(coordinates)) else [])[0])
        elif kind == "MultiPoint":
            self.points.extend(self._positions([point])[0] for point in _sequence(coordinates))
        elif kind in ("LineString", "LinearRing"):
            self._line(coordinates)
        elif kind == "MultiLineString":
            for line in _sequence(coordinates):
                self._line(line)
        elif kind in ("Polygon", "Triangle"):
            self._polygon(coordinates)
        elif kind in ("MultiPolygon", "PolyhedralSurface", "TIN"):
            for part in _sequence(coordinates):
                self._polygon(part)
        else:
            raise ValueError(f"geometry type {kind!r} is not read")

    def _line(self, coordinates: Any) -> None:
        xy, z = self._positions(coordinates)
        self.lines.append(xy)
        self.line_z.append(z)

    def _polygon(self, rings: Any) -> None:
        # Without the shell a hole would become one, so an empty shell stays.
        rings = [ring for number, ring in enumerate(_sequence(rings)) if len(_sequence(ring)) or not number]
        self.polygons.append([self._positions(ring)[0] for ring in rings])

    def _positions(self, coordinates: Any) -> tuple[Vertices, Vertices | None]:
        rows = _sequence(coordinates)
        if not len(rows):
            return np.empty((0, 2)), None
        try:
            array = np.array(rows)
        except ValueError:  # some positions have heights and some have not
            array = np.array([_sequence(row)[:2] for row in rows])
        if array.dtype.kind not in "iuf" or array.ndim != 2 or array.shape[1] < 2:  # noqa: PLR2004
            raise ValueError("a position is not two or more numbers")
        array = array.astype(np.float64)
        if not np.isfinite(array[:, :2]).all():
            raise ValueError("a coordinate is not a finite number")
        if array.shape[1] < _WIDTH_WITH_Z:
            return array[:, :2], None
        z = array[:, 2]
        sentinel = ~np.isfinite(z) | (z < _SENTINEL_BELOW)
        self.has_sentinel_z |= bool(sentinel.any())
        self.has_z |= bool((z[~sentinel] != 0).any())
        return np.ascontiguousarray(array[:, :2]), np.where(sentinel, np.nan, z)


def _sequence(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return value
    raise ValueError("the coordinates are not nested as their type asks")


@dataclass(slots=True)
class DrawnFeature:
    """One feature as read. `trouble` says why its geometry is None although something was drawn."""

    id: str
    drawing: Drawing | None
    attributes: dict[str, AttributeValue]
    trouble: str = ""


@dataclass(frozen=True, slots=True)
class DrawnText:
    """A text of a CAD drawing: its words, its middle and its height in the drawing's numbers, its turn in degrees."""

    words: str
    middle: tuple[float, float]
    height: float
    turned: float = 0.0

    def moved(self, middle: Vertices, scale: float) -> DrawnText:
        """The same text elsewhere, `scale` times as large."""
        return replace(self, middle=(float(middle[0]), float(middle[1])), height=self.height * scale)


@dataclass(frozen=True, slots=True)
class DrawnViewport:
    """A window of a sheet onto the model space.

    Attributes
    ----------
    name
        Its handle, as CAD programs list it.
    middle, width, height
        On the sheet, in units of the paper space.
    view_height
        Height of the shown ground, in units of the model space.
    window
        Corners of the shown ground in the model space, shape (4, 2).
    frozen
        Layers that are frozen in this viewport alone, in small letters.
    trouble
        Why it has no one scale; empty where it has.
    """

    name: str
    middle: tuple[float, float]
    width: float
    height: float
    view_height: float
    window: NDArray[np.float64]
    frozen: frozenset[str]
    trouble: str = ""

    @property
    def scale(self) -> float:
        """Units of paper for one of the model."""
        return self.height / self.view_height


@dataclass(frozen=True, slots=True)
class DrawnLayout:
    """One sheet.

    Attributes
    ----------
    width_in, height_in
        The paper, turned as it is read; None where it is not told.
    inches_per_unit
        Inches of the plotted paper for a unit of the paper space; None where the sheet is plotted to fit.
    texts
        In units of the paper space.
    """

    name: str
    width_in: float | None
    height_in: float | None
    inches_per_unit: float | None
    viewports: tuple[DrawnViewport, ...]
    texts: tuple[DrawnText, ...]


@dataclass(frozen=True, slots=True)
class CadPlace:
    """What a CAD drawing or a survey file says of its unit and its place.

    Attributes
    ----------
    unit_m
        Metres of the drawing's unit; None where the drawing does not tell, and `unit_doubt` then says why.
    unit_said
        How the drawing tells it, e.g. "$INSUNITS = 21".
    middle
        A place in the thick of the drawing, in its own numbers.
    to_crs
        Matrix of shape (2, 3) from the drawing's numbers to the coordinate system that the drawing names itself.
    """

    unit_m: float | None
    unit_said: str = ""
    unit_doubt: str = ""
    to_crs: Vertices | None = None
    middle: tuple[float, float] = (0.0, 0.0)


@dataclass(slots=True)
class Mesh:
    """A surface of triangles as the file writes it.

    Attributes
    ----------
    xy, z
        Vertices (easting, northing), shape (n, 2), and their heights, shape (n,), in the file's own unit.
    triangles
        Places of the vertices of each visible triangle, shape (m, 3).
    """

    xy: Vertices
    z: Vertices
    triangles: NDArray[np.int64]


@dataclass(slots=True)
class DrawnLayer:
    """One layer as read.

    Attributes
    ----------
    file, layer
        The file's label within what was submitted, and the layer's own name.
    only_layer
        Whether the file has no other layer, so that the file's name speaks for the layer.
    crs
        Definition that the file gives; empty where it gives none, and `no_crs` then says why.
    guessed_role
        The role that the format itself tells, where names say nothing.
    mesh
        For a surface: its triangles; the layer's one feature is then their outline.
    cad
        Unit and place of the CAD drawing or LandXML file that the layer is of; None for other files.
    texts, hidden
        Texts on a CAD layer; how the layer is hidden ("frozen", "switched off"), empty where it shows.
    layouts
        The drawing's sheets, with the first of its layers.
    """

    file: str
    layer: str
    only_layer: bool
    crs: str
    fields: tuple[str, ...]
    features: list[DrawnFeature]
    flags: list[Flag] = field(default_factory=list)
    no_crs: str = "the file names no coordinate system"
    label: str = ""
    guessed_role: str = ""
    mesh: Mesh | None = None
    cad: CadPlace | None = None
    texts: list[DrawnText] = field(default_factory=list)
    hidden: str = ""
    layouts: list[DrawnLayout] = field(default_factory=list)

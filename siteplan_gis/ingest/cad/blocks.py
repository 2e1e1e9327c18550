"""Everything that a model space shows, blocks unfolded: each entity with the layer that it appears on and its place.

What a block holds on layer 0 appears on the layer of its insert. Blocks may be nested, turned, mirrored, scaled and
repeated in rows and columns; one that holds itself is unfolded once.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from siteplan_gis.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    Vertices = NDArray[np.float64]

_MOST_ENTITIES: Final = 2_000_000
_DEEPEST: Final = 32
_ZERO: Final = "0"


@dataclass(frozen=True, slots=True)
class Shown:
    """An entity where it appears.

    `steps` are the matrices (4, 4) of the inserts that hold it, innermost first, for rows of x, y, z, 1; `symbol` is
    the insert whose own layer it took (it lies on layer 0 of the block), as one thing with the block's others there.
    """

    entity: Any
    layer: str
    steps: tuple[Vertices, ...] = ()
    symbol: Any = None

    def moved(self, points: Vertices) -> Vertices:
        """Points of the entity, shape (n, 3), as they lie in the model space."""
        for matrix in self.steps:
            points = points @ matrix[:3, :3] + matrix[3, :3]
        return points

    @property
    def scale(self) -> float:
        """By how much the inserts enlarge the entity at most."""
        return math.prod(float(np.linalg.norm(matrix[:2, :3], axis=1).max()) for matrix in self.steps)


@dataclass(slots=True)
class Unfolding:
    """What was noticed while blocks were unfolded."""

    frozen_layers: frozenset[str] = frozenset()
    references: dict[str, str] = field(default_factory=dict)
    """Unbound external references: the block's name and the path that it names."""
    absent: Counter[str] = field(default_factory=Counter)
    recursive: set[str] = field(default_factory=set)
    invisible: int = 0
    in_frozen_insert: int = 0
    entities: int = 0

    def count(self, label: str) -> None:
        """One entity more.

        Raises
        ------
        InputError
            If they are more than any drawing has.
        """
        self.entities += 1
        if self.entities > _MOST_ENTITIES:
            raise _too_many(label)


def unfolded(entities: Iterable[Any], doc: Any, noticed: Unfolding, label: str) -> Iterator[Shown]:
    """Every entity that shows, and each insert as well (for its attributes and place).

    Raises
    ------
    InputError
        If the blocks unfold into more entities than any drawing has.
    """
    if _unfolded_count(entities, doc, {}, ()) > _MOST_ENTITIES:
        raise _too_many(label)
    yield from _walk(entities, doc, noticed, label, (), None, None, ())


def _too_many(label: str) -> InputError:
    problem = f"its blocks unfold into more than {_MOST_ENTITIES:,} entities"
    return InputError(problem, file=label, remedy="purge the drawing and save it again")


def _unfolded_count(entities: Iterable[Any], doc: Any, known: dict[str, int], names: tuple[str, ...]) -> int:
    """How many entities there are when blocks are unfolded, without unfolding them: that takes long to find out."""
    total = 0
    for entity in entities:
        total += 1
        name = str(entity.dxf.get("name", "")).lower() if entity.dxftype() == "INSERT" else ""
        block = doc.blocks.get(name) if name and name not in names and len(names) < _DEEPEST else None
        if block is not None:
            if name not in known:
                known[name] = _unfolded_count(block, doc, known, (*names, name))
            total += max(entity.mcount, 1) * (known[name] + 1)
    return total


def _walk(
    entities: Iterable[Any],
    doc: Any,
    noticed: Unfolding,
    label: str,
    steps: tuple[Vertices, ...],
    layer_of_zero: str | None,
    symbol: Any,
    names: tuple[str, ...],
) -> Iterator[Shown]:
    for entity in entities:
        noticed.count(label)
        if entity.dxf.get("invisible", 0):
            noticed.invisible += 1
            continue
        own = str(entity.dxf.get("layer", _ZERO))
        inherits = own == _ZERO and layer_of_zero is not None
        layer = layer_of_zero if inherits and layer_of_zero is not None else own
        if entity.dxftype() != "INSERT":
            yield Shown(entity, layer, steps, symbol if inherits else None)
            continue
        if layer.lower() in noticed.frozen_layers:
            noticed.in_frozen_insert += 1
            continue
        for one in entity.multi_insert() if entity.mcount > 1 else (entity,):
            yield from _insert(one, entity, layer, doc, noticed, label, steps, symbol if inherits else None, names)


def _insert(
    one: Any,
    entity: Any,
    layer: str,
    doc: Any,
    noticed: Unfolding,
    label: str,
    steps: tuple[Vertices, ...],
    symbol: Any,
    names: tuple[str, ...],
) -> Iterator[Shown]:
    noticed.count(label)
    name = str(one.dxf.get("name", ""))
    block = doc.blocks.get(name)
    yield Shown(one, layer, steps, symbol)
    if block is None:
        noticed.absent[name] += 1
        return
    if block.block.is_xref or block.block.is_xref_overlay:
        noticed.references[name] = str(block.block.dxf.get("xref_path", ""))
        return
    if name.lower() in names or len(names) >= _DEEPEST:
        noticed.recursive.add(name)
        return
    for attribute in entity.attribs:
        yield Shown(attribute, layer if attribute.dxf.layer == _ZERO else str(attribute.dxf.layer), steps)
    matrix = np.array(list(one.matrix44().rows()), dtype=np.float64)
    yield from _walk(block, doc, noticed, label, (matrix, *steps), layer, symbol or one, (*names, name.lower()))

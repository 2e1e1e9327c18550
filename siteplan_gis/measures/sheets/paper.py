"""Paper sizes as people write them, and how far one paper is a reduction of another."""

from __future__ import annotations

import re
from typing import Final

Size = tuple[float, float]
"""Short and long side in inches."""

_ISO_A0_MM: Final = (841, 1189)
_NAMED: Final[dict[str, Size]] = {
    "ARCH A": (9, 12), "ARCH B": (12, 18), "ARCH C": (18, 24), "ARCH D": (24, 36), "ARCH E": (36, 48),
    "ARCH E1": (30, 42), "ANSI A": (8.5, 11), "ANSI B": (11, 17), "ANSI C": (17, 22), "ANSI D": (22, 34),
    "ANSI E": (34, 44), "LETTER": (8.5, 11), "LEGAL": (8.5, 14), "TABLOID": (11, 17), "LEDGER": (11, 17),
}  # fmt: skip
_SIDES: Final = re.compile(
    r"(?<![\d.,/])(\d{1,4}(?:\.\d+)?) ?(\"|''|IN\b\.?|INCH(?:ES)?\b|MM\b)? ?(?:X|BY\b) ?"
    r"(\d{1,4}(?:\.\d+)?)(?![\d.,]?\d) ?(\"|''|IN\b\.?|INCH(?:ES)?\b|MM\b|'|FT\b|FEET\b)?"
)
_NAME: Final = re.compile(
    r"\b(ARCH|ANSI)(?:ITECTURAL)?[ -]?(?:FULL BLEED )?(E1|[A-E])\b|\b(?:ISO[ -]?)?A([0-4])\b(?!\.)"
)
_LETTERS: Final = re.compile(r"\b(LETTER|LEGAL|TABLOID|LEDGER)\b")
_SHORTEST_IN, _LONGEST_IN = 5.0, 200.0
_MM_PER_INCH: Final = 25.4

SAME_SIZE: Final = 0.03
"""Papers whose sides differ by less are one size: a page is trimmed, or holds its own margin."""
_SAME_SHAPE: Final = 0.08


def paper_sizes(text: str) -> tuple[Size, ...]:
    r"""Every paper size that a text names, in order, each once.

    Examples
    --------
    >>> paper_sizes('SHEET SIZE 24" x 36"'), paper_sizes("ANSI D (22x34)"), paper_sizes("40 x 60 ft pond")
    (((24.0, 36.0),), ((22, 34),), ())
    """
    plain = " ".join(text.upper().replace("\u00d7", "X").replace("\u201d", '"').replace("\u2033", '"').split())
    found: list[tuple[int, Size]] = []
    for match in _SIDES.finditer(plain):
        unit = match[4] or match[2] or ""
        if unit in {"'", "FT", "FEET"}:
            continue
        scale = _MM_PER_INCH if unit == "MM" else 1.0
        short, long = sorted((float(match[1]) / scale, float(match[3]) / scale))
        if short >= _SHORTEST_IN and long <= _LONGEST_IN:
            found.append((match.start(), (short, long)))
    found += [
        (match.start(), _iso_a(int(match[3])) if match[3] else _NAMED.get(f"{match[1]} {match[2]}", (0.0, 0.0)))
        for match in _NAME.finditer(plain)
    ]
    found += [(match.start(), _NAMED[match[1]]) for match in _LETTERS.finditer(plain)]
    return tuple(dict.fromkeys(size for _, size in sorted(found) if size[0]))


def _iso_a(number: int) -> Size:
    short, long = _ISO_A0_MM
    for _ in range(number):
        short, long = long // 2, short
    return short / _MM_PER_INCH, long / _MM_PER_INCH


def reduction(drawn: Size, printed: Size) -> float | None:
    """How many times the drawn-for paper is larger than the printed one: 2 at half size.

    1 where they differ by no more than a trim. The larger ratio of the two sides where the shapes differ a little, as
    when 24 x 36 is fitted on 11 x 17; None where they differ so much that one is no copy of the other.

    Examples
    --------
    >>> reduction((24, 36), (12, 18)), reduction((24, 36), (23.9, 35.8)), reduction((24, 36), (8.5, 20))
    (2.0, 1.0, None)
    """
    short, long = drawn[0] / printed[0], drawn[1] / printed[1]
    if abs(short - 1) <= SAME_SIZE and abs(long - 1) <= SAME_SIZE:
        return 1.0
    if max(short, long) > (1 + _SAME_SHAPE) * min(short, long):
        return None
    return max(short, long)

"""What a drawn control is, from the words that engineers write on it: one small vocabulary.

Some words are the codes of the National CAD Standard (C-EROS-SILT, -INPR, -ENTR, -DVDK). A control's `kind` is read
first, then its name, then its layer: the first of them with a word that is known decides.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from siteplan_gis.model.place_names import names_by_place

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from siteplan_gis.model.plan import Plan, PlanFeature

_WORDS: Final = (
    # The first pattern that fits decides: "inlet filter bag" is no filter fence, "rock check dam" no riprap.
    ("inlet_protection", r"inlet|ip|inpr|cipr|filter bags?|catch basin (?:insert|filter|prot)\w*"),
    (
        "tracking_pad",
        r"track\w*|vtp|cnte|eros entr|s?ce|(?:construction|stabili[sz]ed|stone|rock|gravel\w*) (?:\w+ )?(?:entrance|exit|pad|drive|road)s?",
    ),
    ("sediment_trap", r"traps?"),
    ("sediment_basin", r"(?<!catch )basins?|basn|ponds?"),
    ("ditch_check", r"checks?|chck"),
    (
        "dissipator",
        r"dissipat\w*|rip ?rap|level spreaders?|splash pads?|aprons?|ripr|stilling|plunge pools?|outlet protection|scour",
    ),
    ("turbidity_barrier", r"turbidity|silt curtains?"),
    ("silt_fence", r"(?:silt|filter|sediment|fabric) ?(?:fenc\w*|barriers?)|filter fabric|sf|eros silt|sslt"),
    ("bale", r"bales?"),
    (
        "wattle",
        r"wattles?|(?:\w+ )?socks?|(?:filter|compost|straw|silt|sediment|fib\w+|coir|erosion) (?:logs?|rolls?|tubes?)",
    ),
    ("diversion", r"diver\w*|dvdk|(?:interceptor|cutoff) swales?|berms?|dikes?|dykes?"),
    ("buffer_strip", r"buffers?|(?:filter|grass|vegetat\w*) strips?"),
    ("stabilised", r"mulch\w*|\w*seed\w*|sod\w*|mats?|matting|blankets?|polymers?|turf\w*|grass\w*"),
)

CONTROL_KINDS: Final = tuple(kind for kind, _ in _WORDS)
"""Every kind of control that is told apart; a control of no known kind has "" instead."""

BARRIERS: Final = frozenset(
    {"silt_fence", "bale", "wattle", "diversion", "buffer_strip", "sediment_basin", "sediment_trap"}
)
"""Kinds that hold back sediment where they stand along an edge: fences, bales, and what is as good as they are."""

IN_CHANNELS: Final = frozenset({"ditch_check", "sediment_basin", "sediment_trap", "dissipator", "bale", "wattle"})
"""Kinds that hold back sediment or slow the water in concentrated flow."""

FENCES: Final = frozenset({"silt_fence", "bale", "wattle"})
"""Kinds that stand along a line and must not stand in concentrated flow."""

BASINS: Final = frozenset({"sediment_basin", "sediment_trap"})

STRUCTURES: Final = frozenset(CONTROL_KINDS) - {"stabilised", "buffer_strip", "turbidity_barrier"}
"""Kinds that are built: they belong on upland soil. (A turbidity barrier is made to stand in water.)"""

_NOT_THERE: Final = re.compile(
    r"\b(?:not (?:required|needed|used|provided|installed|proposed|included)|none|omit\w*|deleted?|void|superseded|"
    r"no (?:inlet|silt|erosion|sediment|perimeter|protection|controls?|bmps?|checks?|basin|trap|fenc\w*|rip ?rap|tracking)|"
    r"remov\w*(?! (?:after|when|once|upon|on|following|as|only|at|if|until|\w+ (?:after|when|once|upon))\b))\b"
)
"""Words that take back what they stand beside; a fence "to be removed after seeding" is there until then."""

_PATTERNS: Final = tuple((kind, re.compile(rf"\b(?:{words})\b")) for kind, words in _WORDS)


def control_kind(feature: PlanFeature) -> str:
    """Which kind of control a drawn feature is; "" where its words do not say.

    Examples
    --------
    >>> from siteplan_gis.model.plan import PlanFeature
    >>> control_kind(PlanFeature("control", None, "plan/EC", "1", kind="SILT FENCE (SF)"))
    'silt_fence'
    >>> control_kind(PlanFeature("control", None, "plan/EC", "2", name="Rock check dam 4"))
    'ditch_check'
    >>> control_kind(PlanFeature("control", None, "plan/inlet protection", "3", kind="Inlet protection not required"))
    ''
    """
    for text in (feature.kind, feature.name, feature.layer.rpartition("/")[2]):
        said = re.sub(r"[_\W]+", " ", text.casefold()).strip()
        if _NOT_THERE.search(said):
            return ""
        for kind, pattern in _PATTERNS:
            if said and pattern.search(said):
                return kind
    return ""


def controls_of(plan: Plan, kinds: Iterable[str]) -> tuple[PlanFeature, ...]:
    """Drawn controls of some kinds, in reading order; a drawn pond is a basin, whatever it is called."""
    wanted = frozenset(kinds)
    return tuple(
        feature
        for feature in plan.of("control", "pond")
        if (control_kind(feature) in wanted) or (feature.role == "pond" and "sediment_basin" in wanted)
    )


def basins(plan: Plan) -> tuple[PlanFeature, ...]:
    """Drawn ponds, and controls that are basins or traps: areas only."""
    return tuple(feature for feature in controls_of(plan, BASINS) if feature.geometry.area > 0)


def labels(features: Sequence[PlanFeature], among: Sequence[PlanFeature] | None = None) -> list[str]:
    """A name for each feature, each once: its own, else what it is with a number counted `among` more of its kind."""
    counted = features if among is None else among
    names = names_by_place(
        [each.name for each in counted],
        [
            control_kind(each).replace("_", " ") * (each.role == "control") or each.role.replace("_", " ")
            for each in counted
        ],
        [each.geometry for each in counted],
    )
    of = {id(each): name for each, name in zip(counted, names, strict=True)}
    return [of[id(each)] for each in features]

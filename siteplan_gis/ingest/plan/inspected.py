"""One layer of a plan as `inspect` shows it."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from siteplan_gis.model.plan import PlanLayer

if TYPE_CHECKING:
    from siteplan_gis.ingest.drawn.drawing import DrawnFeature
    from siteplan_gis.ingest.drawn.placing import PlacedLayer

_SAMPLES: Final = 3
_SAMPLE_WIDTH: Final = 160


def layer_row(layer: PlacedLayer, set_aside: int) -> PlanLayer:
    """What was found in a layer, and how many of its features were set aside."""
    drawn = layer.drawn
    kinds = Counter(kind for feature in drawn.features if feature.drawing for kind in feature.drawing.kinds)
    sample = tuple(_sample(feature) for feature in drawn.features[:_SAMPLES])
    if drawn.cad is not None:
        # Its entities have no attributes to speak of; its texts say what the layer is for.
        kinds["TEXT"] += len(drawn.texts)
        said = dict.fromkeys(text.words for text in drawn.texts)
        sample = tuple(words[:_SAMPLE_WIDTH] for words in [*said][:_SAMPLES])
    return PlanLayer(
        label=drawn.label,
        file=drawn.file,
        layer=drawn.layer,
        role=layer.role,
        role_from=layer.role_from,
        crs=layer.crs_shown,
        geometry_types=tuple(
            kind if drawn.cad is None else f"{count} {kind}" for kind, count in kinds.items() if count
        ),
        features=len(drawn.features),
        set_aside=set_aside,
        fields=drawn.fields,
        sample=sample,
    )


def _sample(feature: DrawnFeature) -> str:
    pairs = (f"{key}={value}" for key, value in feature.attributes.items() if value not in (None, ""))
    return f"{feature.id}: {', '.join(pairs)}"[:_SAMPLE_WIDTH]

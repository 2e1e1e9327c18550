"""The map inside the page, built with folium: its layers, their switches, and the data they draw."""

from __future__ import annotations

import html
import json
from typing import TYPE_CHECKING, Any, Final

import folium
import shapely
from branca.element import Element, MacroElement
from folium.template import Template

from siteplan_gis.model.review import Status
from siteplan_gis.report.colours import STATUS_INK, context_ink
from siteplan_gis.report.drawing import coded, display_geometries
from siteplan_gis.report.map_layers import MapLayer, context_layers, finding_layers
from siteplan_gis.report.wording import STATUS_SIGNS, STATUS_WORDS, figure, humanised

if TYPE_CHECKING:
    from collections.abc import Mapping

    from siteplan_gis.frame import Frame
    from siteplan_gis.model.review import Review
    from siteplan_gis.report.plain import Plain

_CLIP_MARGIN_M: Final = 200.0
_HIDDEN_AT_FIRST: Final = {"uncovered", "municipality_shares", "plan_grid", "plan_contour_proposed"}
_QUIET: Final = {Status.PASS.value, Status.NOT_APPLICABLE.value}
"""Findings with nothing to do would cover the map: their layers are switched on by the reader."""
_LONGEST_TEXT: Final = 160
_MOST_MARKERS: Final = 300


class Drawing(MacroElement):
    """The call that fills the layers of a map, once they exist, and hands their switches to the page."""

    _template = Template(
        """
        {% macro script(this, kwargs) %}
        siteplanDraw({{ this.map_name }}, {{ this.control_name }}, {
            {%- for key, group in this.groups.items() %}
            {{ key|tojson }}: {{ group }},
            {%- endfor %}
        });
        {% endmacro %}
        """
    )

    def __init__(self, map_name: str, control_name: str, groups: Mapping[str, str]) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._name = "Drawing"
        self.map_name, self.control_name, self.groups = map_name, control_name, groups


def map_parts(review: Review, record: Mapping[str, Any]) -> tuple[str, str, dict[str, Any]]:
    """The map's HTML, its script, and the data that the script draws."""
    frame = review.site.frame
    layers = [
        *(("finding", layer) for layer in finding_layers(review, record)),
        *(("context", layer) for layer in reversed(context_layers(review))),
    ]
    window = _window(review)
    drawn = [
        part
        for group, layer in layers
        if (part := _layer_data(group, layer, frame, None if group == "finding" else window))["items"]
    ]
    data = {
        "centre": [frame.longitude, frame.latitude],
        "statuses": {
            status: {"sign": STATUS_SIGNS[status], "words": STATUS_WORDS[status], "ink": _ink(ink)}
            for status, ink in STATUS_INK.items()
        },
        "most_markers": _MOST_MARKERS,
        "layers": drawn,
    }
    figure_html, script = _folium_map(frame, drawn)
    return figure_html, script, data


def script_json(value: Any) -> str:
    r"""JSON that may stand inside a script element: no text of it can end the element or the line.

    Examples
    --------
    >>> script_json("</script>")
    '"\\u003c/script\\u003e"'
    """
    written = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for character in "<>&\u2028\u2029":
        written = written.replace(character, f"\\u{ord(character):04x}")
    return written


def _folium_map(frame: Frame, layers: list[dict[str, Any]]) -> tuple[str, str]:
    drawing_map = folium.Map(
        location=[frame.latitude, frame.longitude], tiles=None, zoom_start=15, max_zoom=22, zoom_snap=0.5,
        attribution_control=False,
    )  # fmt: skip
    _named(drawing_map, "site")
    figure: Any = drawing_map.get_root()
    groups: dict[str, str] = {}
    for position, layer in enumerate(layers):
        label = f'<span class="swatch" data-layer="{position}"></span> {html.escape(layer["title"])}'
        group = _named(folium.FeatureGroup(name=label, show=layer["show"]), f"layer_{position}")
        drawing_map.add_child(group)
        groups[layer["key"]] = group.get_name()
    control = _named(folium.LayerControl(collapsed=False), "switches")
    drawing_map.add_child(control)
    drawing_map.add_child(_named(Drawing(drawing_map.get_name(), control.get_name(), groups), "drawing"))
    figure.render()
    return figure.html.render(), figure.script.render()


def _named(element: Element, name: str) -> Any:
    """An element with a name of its own in place of folium's random one, so that pages come out alike."""
    element._id = name  # noqa: SLF001
    return element


def _window(review: Review) -> tuple[float, float, float, float] | None:
    ground = review.measured.shape.get("construction_site")
    if ground is None or ground.is_empty:
        return None
    reach = review.ordinance.method.search_m + _CLIP_MARGIN_M
    west, south, east, north = ground.bounds
    return west - reach, south - reach, east + reach, north + reach


def _layer_data(
    group: str, layer: MapLayer, frame: Frame, window: tuple[float, float, float, float] | None
) -> dict[str, Any]:
    placed = [item for item in layer.items if item.geometry is not None and not item.geometry.is_empty]
    shapes = display_geometries([item.geometry for item in placed if item.geometry is not None], window)
    signs = coded(shapely.point_on_surface(shapes), frame) if group == "finding" else [[]] * len(placed)
    items: list[list[Any]] = []
    names = [name for name in layer.columns if name != "attributes"]
    for item, parts, sign in zip(placed, coded(shapes, frame), signs, strict=True):
        if not parts:
            continue
        if group == "finding":
            items.append([parts, str(item.columns["finding"]), str(item.columns["status"]), *sign[0][1]])
        else:
            items.append([parts, [_shown(item.columns[name]) for name in names], _attributes(item.columns)])
    return {
        "key": f"{group}:{layer.key}",
        "group": group,
        "title": f"{layer.title} ({len(items)})" if len(items) > 1 else layer.title,
        "show": any(item[2] not in _QUIET for item in items)
        if group == "finding"
        else layer.key not in _HIDDEN_AT_FIRST,
        "ink": _ink(context_ink(layer.key)),
        "labels": [] if group == "finding" else [humanised(name) for name in names],
        "items": items,
    }


def _shown(value: Plain) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return figure(value, "")
    shown = str(value)
    return shown if len(shown) <= _LONGEST_TEXT else shown[: _LONGEST_TEXT - 1] + "\u2026"


def _attributes(columns: Mapping[str, Plain]) -> list[list[str]]:
    told = json.loads(str(columns.get("attributes") or "{}"))
    return [[_shown(name), _shown(value)] for name, value in list(told.items())[:30] if value is not None]


def _ink(ink: Any) -> dict[str, Any]:
    return {"color": ink.line, "fillColor": ink.fill, "fillOpacity": ink.fill_opacity, "weight": ink.width,
            "dashArray": ink.dash or None}  # fmt: skip

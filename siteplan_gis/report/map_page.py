"""The map inside the page, built with folium: its layers, their switches, and the data they draw."""

from __future__ import annotations

import html
import json
from typing import TYPE_CHECKING, Any, Final

import folium
import numpy as np
import shapely
from branca.element import Element, MacroElement
from folium.template import Template

from siteplan_gis.model.review import Status
from siteplan_gis.report.colours import REVIEWER_INK, STATUS_INK, context_ink
from siteplan_gis.report.drawing import SIMPLIFIED_M, coded, display_geometries, drawing_units
from siteplan_gis.report.lettered_grid import LetteredGrid, grid_over
from siteplan_gis.report.map_layers import (
    FOR_REVIEWER,
    MapItem,
    MapLayer,
    checklist_layer,
    context_layers,
    finding_layers,
)
from siteplan_gis.report.own_coordinates import coordinate_formula
from siteplan_gis.report.relief import relief_picture
from siteplan_gis.report.wording import STATUS_SIGNS, STATUS_WORDS, figure, humanised

if TYPE_CHECKING:
    from collections.abc import Mapping

    from siteplan_gis.frame import Frame
    from siteplan_gis.model.review import Review
    from siteplan_gis.report.plain import Plain

_CLIP_MARGIN_M: Final = 200.0
_HIDDEN_AT_FIRST: Final = {
    "uncovered", "municipality_shares", "plan_grid", "plan_contour_proposed", "lettered_grid", "downstream_network",
    "perimeter_down", "perimeter_side", "perimeter_up", "contours", "offsite_upslope", "basin_drainage",
}  # fmt: skip
LARGEST_BYTES: Final = 2_500_000
"""The map's data are simplified further until they are smaller than this."""

_TOLERANCES_M: Final = (SIMPLIFIED_M, 2.5, 5.0, 10.0, 20.0, 50.0)
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
    frame, window = review.site.frame, _window(review)
    layers = [
        *(("finding", layer) for layer in (*finding_layers(review, record), checklist_layer(review, record))),
        *(("context", layer) for layer in reversed((*context_layers(review), _grid_layer(review)))),
    ]
    for tolerance in _TOLERANCES_M:
        drawn = [
            part
            for group, layer in layers
            if (part := _layer_data(group, layer, frame, None if group == "finding" else window, tolerance))["items"]
        ]
        if sum(len(script_json(part)) for part in drawn) < LARGEST_BYTES:
            break
    statuses = {status: (STATUS_SIGNS[status], STATUS_WORDS[status], ink) for status, ink in STATUS_INK.items()}
    statuses[FOR_REVIEWER] = ("\u270e", "for the reviewer", REVIEWER_INK)
    grid = site_grid(review)
    data = {
        "centre": [frame.longitude, frame.latitude],
        "units": drawing_units(frame),
        "placed": frame.placed,
        "simplified_m": tolerance,
        "statuses": {
            status: {"sign": sign, "words": words, "ink": _ink(ink)} for status, (sign, words, ink) in statuses.items()
        },
        "most_markers": _MOST_MARKERS,
        "layers": drawn,
        "grid_labels": [] if grid is None else _labels(grid, frame),
        "relief": _relief(review),
        "own": coordinate_formula(review.site.plan, frame) if frame.placed else None,
    }
    figure_html, script = _folium_map(frame, drawn)
    return figure_html, script, data


def site_grid(review: Review) -> LetteredGrid | None:
    """The lettered grid over the site and all that is disturbed; None where nothing is drawn."""
    grounds = [review.measured.shape.get(part) for part in ("site", "construction_site")]
    drawn = [ground for ground in grounds if ground is not None and not ground.is_empty] or [
        feature.geometry for feature in review.site.plan.features
    ]
    bounds = shapely.total_bounds(np.array(drawn, dtype=object)) if drawn else np.full(4, np.nan)
    west, south, east, north = (float(side) for side in bounds)
    return grid_over((west, south, east, north)) if np.isfinite(bounds).all() else None


def _grid_layer(review: Review) -> MapLayer:
    grid = site_grid(review)
    items = (
        ()
        if grid is None
        else (MapItem(shapely.MultiLineString(list(grid.lines())), {"square": f"{grid.step_ft} ft"}),)
    )
    return MapLayer("lettered_grid", "Lettered grid", {"square": str}, items)


def _labels(grid: LetteredGrid, frame: Frame) -> list[list[Any]]:
    words, points = zip(*grid.labels(), strict=True)
    places = coded(np.array(points, dtype=object), frame)
    return [[word, *place[0][1]] for word, place in zip(words, places, strict=True)]


def _relief(review: Review) -> dict[str, Any] | None:
    terrain = review.site.terrain
    if terrain is None or terrain.grid is None or not review.site.frame.placed:
        return None
    picture = relief_picture(terrain.grid, review.site.frame)
    return None if picture is None else {"href": picture.href, "bounds": picture.bounds}


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
        location=[frame.latitude, frame.longitude], tiles=None, zoom_start=15 if frame.placed else 0, max_zoom=22,
        zoom_snap=0.5, attribution_control=False, crs="EPSG3857" if frame.placed else "Simple",
        min_zoom=0 if frame.placed else -8,
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
    group: str, layer: MapLayer, frame: Frame, window: tuple[float, float, float, float] | None, simplified_m: float
) -> dict[str, Any]:
    placed = [item for item in layer.items if item.geometry is not None and not item.geometry.is_empty]
    shapes = display_geometries([item.geometry for item in placed if item.geometry is not None], window, simplified_m)
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

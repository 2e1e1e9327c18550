"""Styles in QGIS's own language (QML), as `layer_styles` of a GeoPackage holds them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from siteplan_gis.report.colours import STATUS_INK, context_ink
from siteplan_gis.report.wording import STATUS_WORDS

if TYPE_CHECKING:
    from siteplan_gis.report.colours import Ink

_HEAD: Final = (
    "<!DOCTYPE qgis PUBLIC 'http://mrcc.com/qgis.dtd' 'SYSTEM'>\n"
    '<qgis version="3.22.0" styleCategories="Symbology">\n'
)
_SYMBOL_TYPES: Final = {"points": "marker", "lines": "line", "areas": "fill"}
_LAYER_CLASSES: Final = {"points": "SimpleMarker", "lines": "SimpleLine", "areas": "SimpleFill"}


def status_qml(kind: str) -> str:
    """A style that tells the six statuses apart; `kind` is "points", "lines" or "areas"."""
    categories = "".join(
        f'<category render="true" symbol="{position}" value="{status}" label="{STATUS_WORDS[status]}"/>\n'
        for position, status in enumerate(STATUS_INK)
    )
    symbols = "".join(_symbol(str(position), kind, ink) for position, ink in enumerate(STATUS_INK.values()))
    return (
        f'{_HEAD}<renderer-v2 type="categorizedSymbol" attr="status" forceraster="0" symbollevels="0" '
        f'enableorderby="0">\n<categories>\n{categories}</categories>\n<symbols>\n{symbols}</symbols>\n'
        "</renderer-v2>\n</qgis>\n"
    )


def context_qml(key: str, kind: str) -> str:
    """A style of one symbol for a layer of context."""
    return (
        f'{_HEAD}<renderer-v2 type="singleSymbol" forceraster="0" symbollevels="0" enableorderby="0">\n'
        f"<symbols>\n{_symbol('0', kind, context_ink(key))}</symbols>\n</renderer-v2>\n</qgis>\n"
    )


def _symbol(name: str, kind: str, ink: Ink) -> str:
    line, fill = _rgba(ink.line, 1.0), _rgba(ink.fill, ink.fill_opacity)
    width = f"{ink.width * 0.26:.2f}"
    style = "dash" if ink.dash else "solid"
    options = {
        "points": {"color": _rgba(ink.fill, 1.0), "outline_color": line, "name": "circle", "size": "3"},
        "lines": {"line_color": line, "line_width": width, "line_style": style},
        "areas": {"color": fill, "style": "solid", "outline_color": line, "outline_width": width,
                  "outline_style": style},
    }[kind]  # fmt: skip
    body = "".join(f'<Option type="QString" name="{key}" value="{value}"/>' for key, value in options.items())
    return (
        f'<symbol type="{_SYMBOL_TYPES[kind]}" name="{name}" alpha="1" clip_to_extent="1" force_rhr="0">'
        f'<layer class="{_LAYER_CLASSES[kind]}" enabled="1" locked="0" pass="0">'
        f'<Option type="Map">{body}</Option></layer></symbol>\n'
    )


def _rgba(colour: str, opacity: float) -> str:
    red, green, blue = (int(colour[start : start + 2], 16) for start in (1, 3, 5))
    return f"{red},{green},{blue},{round(255 * opacity)}"

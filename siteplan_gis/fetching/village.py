"""The ground of a village by its name: its own limits as the municipal map shows them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from siteplan_gis.errors import InputError
from siteplan_gis.fetching.arcgis import ArcgisLayer
from siteplan_gis.fetching.gathering import connected

if TYPE_CHECKING:
    from collections.abc import Sequence

    from siteplan_gis.fetching.connection import Manners
    from siteplan_gis.fetching.ground import Box
    from siteplan_gis.fetching.registry import SourceLayer
    from siteplan_gis.model.ordinance import Ordinance


def ground_of_village(ordinance: Ordinance, sources: Sequence[SourceLayer], manners: Manners) -> Box:
    """The bounds in degrees of the ordinance's municipality.

    Raises
    ------
    InputError
        If no source tells municipalities by name, or it knows none of this name.
    """
    named = [one for one in sources if "municipalities" in one.roles and one.name_field and one.kind == "arcgis"]
    if not named:
        raise InputError("no source finds a municipality by its name", remedy="give a box: west,south,east,north")
    source = next((one for one in named if one.preferred), named[0])
    name = ordinance.municipality.upper().replace("'", "''")
    where = f"UPPER({source.name_field}) = '{name}'"
    kinds = source.codes.get(source.kind_field, {})
    code = next((code for code, kind in kinds.items() if kind == ordinance.municipality_kind), "")
    if code:
        where += f" AND {source.kind_field} = '{code}'"
    with connected(source, manners) as connection:
        meant = f"{ordinance.municipality_kind} of {ordinance.municipality}"
        return ArcgisLayer(connection, source).outline(where, meant)

"""Kinds of listed waters, wells and springs, by a feature's own words or else its layer's."""

from __future__ import annotations

import pytest
from shapely import Point

from siteplan_gis.ingest.reference.kinds import kind_and_name


@pytest.mark.parametrize(
    ("role", "attributes", "layer", "kind"),
    [
        ("listed_waters", {"ORW_ERW": "ORW"}, "waters", "outstanding"),
        ("listed_waters", {"ORW_ERW": "ERW"}, "ORW_ERW waters", "exceptional"),
        ("listed_waters", {"TYPE": "Outstanding Resource Water"}, "", "outstanding"),
        ("listed_waters", {"STATUS": "303(d) Listed"}, "", "impaired"),
        ("listed_waters", {"NAME": "Teasel Creek"}, "Impaired Waters 2024", "impaired"),
        ("listed_waters", {"NAME": "Teasel Creek"}, "special waters", ""),
        ("listed_waters", {"CODE": 7}, "ERW", "exceptional"),
        ("wells", {"TYPE": "Private well"}, "springs and wells", "well"),
        ("wells", {"NAME": "Big Spring"}, "wells", "spring"),
        ("wells", {}, "wells", "well"),
        ("wells", {"NAME": "Springfield"}, "points", ""),
    ],
)
def test_kind(role, attributes, layer, kind):
    assert kind_and_name(role, attributes, "x", Point(0, 0), layer=layer) == (kind, "x")


def test_the_catalogue_s_kind_outranks_the_words():
    assert kind_and_name("listed_waters", {"TYPE": "ERW"}, "x", Point(0, 0), kind="impaired")[0] == "impaired"

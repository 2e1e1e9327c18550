from __future__ import annotations

import pytest

from siteplan_gis.errors import UnitError
from siteplan_gis.units import ACRE_M2, FOOT_M, MILE_M, QUARTER_MILE_M, US_SURVEY_FOOT_M, acres, feet, metres_per


def test_definitions_on_paper() -> None:
    assert FOOT_M == 0.3048
    assert pytest.approx(1200 / 3937, rel=1e-15) == US_SURVEY_FOOT_M
    assert pytest.approx(1609.344, rel=1e-15) == MILE_M
    assert pytest.approx(402.336, rel=1e-15) == QUARTER_MILE_M
    assert pytest.approx(4046.8564224, rel=1e-15) == ACRE_M2
    assert pytest.approx(1.000002, abs=1e-9) == US_SURVEY_FOOT_M / FOOT_M


def test_acres_and_feet() -> None:
    assert acres((208.71 * FOOT_M) ** 2) == pytest.approx(208.71**2 / 43_560)
    assert feet(30.48) == pytest.approx(100)


@pytest.mark.parametrize(
    ("name", "expected"),
    [("m", 1), ("Metres", 1), ("meter", 1), ("ft", 0.3048), (" FEET ", 0.3048), ("us-ft", 1200 / 3937),
     ("US survey foot", 1200 / 3937), ("us  survey  feet", 1200 / 3937), ("Foot_US", 1200 / 3937), ("ftUS", 1200 / 3937),
     ("cm", 0.01), ("inches", 0.0254)],
)  # fmt: skip
def test_names_of_units(name: str, expected: float) -> None:
    assert metres_per(name) == pytest.approx(expected, rel=1e-15)


@pytest.mark.parametrize("name", ["", "furlong", "feets", "m2", "unknown"])
def test_other_names_are_refused(name: str) -> None:
    with pytest.raises(UnitError, match="not a length unit"):
        metres_per(name)

"""A site, its measurements and a shipped ordinance, put together by hand."""

from datetime import date

import pytest
import shapely

from siteplan_gis.frame import Frame
from siteplan_gis.measuring.record import cannot, measured
from siteplan_gis.model.layers import ReferenceLayer
from siteplan_gis.model.measurement import Measurements
from siteplan_gis.model.plan import Plan, PlanFeature
from siteplan_gis.model.review import Case
from siteplan_gis.model.site import Site
from siteplan_gis.model.source import Source
from siteplan_gis.ordinances.reader import read_ordinance

SQUARE = shapely.box(0, 0, 100, 100)
FRAME = Frame(-87.9446, 43.3814)


def feature(role, geometry=SQUARE, **settings):
    return PlanFeature(role, geometry, "plan.gpkg/" + role, "1", **settings)


def layer(role, features=(), *, coverage=None, date="2024-01-01", flags=()):
    window = shapely.box(-3000, -3000, 3000, 3000)
    source = Source(f"invented {role}", f"{role}.fgb", date, accuracy_m=10.0)
    ground = window if coverage is None else coverage
    return ReferenceLayer(role, role, tuple(features), window, ground, True, source, flags=tuple(flags))


def make_case(ordinance, values=None, *, features=(), layers=None, missing=None, plan=None, **measurements):
    """A case whose measured values are given: a number, or a text as the reason why there is none."""
    taken = {}
    for name, value in (values or {}).items():
        number, doubt = value if isinstance(value, tuple) else (value, None)
        taken[name] = cannot(name, number) if isinstance(number, str) else measured(name, number, doubt, "by hand")
    shape = {"site": SQUARE, "construction_site": SQUARE, "disturbed": SQUARE}
    drawn = Plan("test", tuple(features), (), **(plan or {}))
    site = Site(FRAME, drawn, {name: (item,) for name, item in (layers or {}).items()}, None, missing or {})
    return Case(site, Measurements(taken, shape, **measurements), read_ordinance(ordinance), date(2026, 5, 1))


def rule_of(case, rule_id):
    return next(rule for rule in case.ordinance.rules if rule.id == rule_id)


@pytest.fixture
def judge():
    """Judge one rule of a case: rows of (subject, status)."""
    from siteplan_gis.reviewing import run

    def rows(case, rule_id):
        return [(item.subject, item.status.value) for item in run(rule_of(case, rule_id), case)]

    return rows

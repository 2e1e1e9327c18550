"""Plans dirtied in some ways at once, a short run; the long one is `python -m tests.campaigns.dirtied`."""

import pytest
from hypothesis import HealthCheck, Phase, example, given, settings
from hypothesis import strategies as st

from tests.campaigns.dirt_of_files import KINDS, WAYS
from tests.campaigns.dirtied import Reviewer, Seen, faults


@pytest.fixture(scope="module")
def reviewer():
    with Reviewer() as started:
        yield started


@pytest.fixture(scope="module")
def clean(reviewer):
    seen = reviewer.ask("faulty", [], 0)
    assert {*seen.statuses.values()} == {"pass", "fail", "needs_review", "not_applicable"}
    assert not seen.faults
    return seen


def test_there_are_many_ways():
    assert len(WAYS) > 60
    assert {*KINDS.values()} == {"same", "lossy", "other"}


@settings(
    max_examples=4, derandomize=True, deadline=None, database=None, phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)  # fmt: skip
@given(
    ways=st.lists(st.sampled_from(sorted(WAYS)), min_size=1, max_size=3, unique=True),
    seed=st.integers(0, 1 << 20),
)
@example(ways=["bow_tie"], seed=5)
@example(ways=["nan_coordinate"], seed=5)
@example(ways=["spike"], seed=5)
@example(ways=["no_elevation"], seed=1)
@example(ways=["elevation_cut_short"], seed=1)
def test_no_dirt_hurts_or_hides_a_fault(reviewer, clean, ways, seed):
    assert faults(reviewer.ask("faulty", ways, seed), clean, ways) == []


def test_what_counts_as_a_fault():
    clean = Seen(statuses={("A", "x"): "fail", ("B", "y"): "pass"}, figures={"acres": 4.0}, code=1)
    passing = Seen(statuses={("A", "x"): "pass", ("B", "y"): "pass"}, figures={"acres": 4.0}, code=0)
    assert faults(clean, clean, ["bow_tie"]) == []
    assert faults(passing, clean, ["bow_tie"]) == ["comes out clean: A", "comes out clean: A:x", "passes as a whole"]
    assert faults(passing, clean, ["tiny"]) == []  # another plan may pass
    smaller = Seen(statuses=clean.statuses, figures={"acres": 3.0}, code=1)
    assert faults(smaller, clean, ["bow_tie"]) == ["silently acres 3.0 for 4.0"]
    told = Seen(
        statuses=clean.statuses, figures={"acres": 3.0}, told=frozenset({("feature_empty", "", "", "")}), code=1
    )
    assert faults(told, clean, ["bow_tie"]) == []
    assert faults(Seen(crashed="ValueError"), clean, ["tiny"]) == ["crashed: ValueError"]
    assert faults(Seen(seconds=21, megabytes=3000, refused="no"), clean, ["tiny"]) == ["took 21 s", "took 3000 MB"]
    assert faults(Seen(statuses={("A", "x"): "error"}), clean, ["tiny"]) == ["a check crashed: ('A', 'x')"]

"""A few calls of libraries made to raise, hang or find nothing: `tests.campaigns.broken` tries all of them."""

import random
import warnings
from functools import partial

import numpy as np
import pytest

from tests.campaigns import broken
from tests.campaigns.library_calls import Broken, calls_of

RUNS = {
    "fail-east-troy-wet-pond": (partial(broken.reviewed, "fail-east-troy-wet-pond"), 2, 300),
    broken.PARCELS: (partial(broken.screened, runoff=False), 12, 100),
}
SEED = 20


@pytest.mark.parametrize("name", RUNS)
def test_no_fault_of_a_library_is_silent_or_makes_anything_pass(name):
    run, many, least = RUNS[name]
    warnings.simplefilter("ignore")  # of what the faults bring about
    run()  # what is compiled while a call of it is counted would be compiled wrong
    before, calls = calls_of(run)
    assert not before.refused
    assert not [words for key, words in before.told if key.endswith(" reason") and words]
    assert len(calls) > least
    outcomes = []
    wanted = dict.fromkeys(random.Random(SEED).sample(sorted(calls, key=str), many), broken.FAULTS)
    after = Broken(run, wanted, lambda *told: outcomes.append(told)).try_all()
    assert after == before
    assert len(outcomes) == many * len(broken.FAULTS)
    assert [(str(call), fault.__name__, seen) for call, fault, seen in outcomes if isinstance(seen, str)] == []
    assert {
        (str(call), fault.__name__): found
        for call, fault, seen in outcomes
        if (found := broken.wrongs(seen, before, fault))
    } == {}
    assert any(seen.refused or seen != before for _, _, seen in outcomes)


def test_what_is_wrong_is_seen():
    before = broken.Seen("", 1, {"A:x": "fail", "B:x": "pass"}, {"acres": 2.0})
    worse = broken.Seen("", 0, {"A:x": "pass", "B:x": "pass"}, {"acres": 1.0})
    assert broken.wrongs(worse, before, broken.finds_nothing) == [
        "comes out clean: A",
        "comes out clean: A:x",
        "passes as a whole",
    ]
    assert "silently acres: 1.0 for 2.0" in broken.wrongs(worse, before, broken.raises)
    assert broken.wrongs(before, before, broken.raises) == []
    assert broken.wrongs(broken.Seen("refused"), before, broken.raises) == []
    assert np.isnan(broken.nothing(np.array([1.0]))).all()
    assert broken.nothing((1, "a", [2])) == (1, "", [])

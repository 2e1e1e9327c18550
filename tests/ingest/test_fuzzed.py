"""Our own readers over changed files, a short seeded run; the long one is `python -m tests.campaigns.fuzz`."""

import warnings

import pytest

from tests.campaigns.fuzz import fuzz
from tests.campaigns.readers import READERS


@pytest.mark.parametrize("name", READERS)
def test_changed_files_are_read_or_refused(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # libraries warn of what they mend
        done, faults = fuzz(name, 30, 3.0, 3)
    assert done > 0
    assert [problem for problem, _ in faults] == []

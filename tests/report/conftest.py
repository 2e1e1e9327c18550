from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

sys.path.insert(0, str(Path(__file__).parent))
import synthetic

if TYPE_CHECKING:
    from siteplan_gis.model.review import Review


@pytest.fixture(scope="session")
def review() -> Review:
    return synthetic.make_review()

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1] / "report")]
import devtools  # noqa: E402
import synthetic  # noqa: E402

from siteplan_gis.report.page import write_page  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="session")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("pages with spaces & signs")


@pytest.fixture(scope="session")
def page(pages: Path) -> Path:
    path = pages / "review.html"
    write_page(synthetic.make_review(), path)
    return path


@pytest.fixture(scope="session")
def one_browser() -> Iterator[devtools.Browser]:
    if devtools.chromium() is None:
        if os.environ.get("CI"):
            pytest.fail("no Chromium on this machine: install the package chromium")
        pytest.skip("no Chromium on this machine")
    opened = devtools.Browser()
    yield opened
    opened.close()


@pytest.fixture
def browser(one_browser: devtools.Browser) -> devtools.Browser:
    one_browser.forget()
    return one_browser

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))

from database_server import INVENTED, Server, is_installed, running_server

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    if not is_installed():
        pytest.skip("PostgreSQL with PostGIS is not on this machine; .ci/run brings it")
    with running_server() as one:
        yield one


@pytest.fixture(scope="session")
def loaded(server: Server) -> Server:
    """The invented layers of Saukville in tables."""
    for file in (
        "flowlines",
        "waterbodies",
        "wetlands",
        "wetland_points",
        "floodplain",
        "roads",
        "culverts",
        "municipalities",
        "listed_waters",
        "wells",
    ):
        server.load(f"maps.{file}", INVENTED / f"{file}.fgb")
    return server

"""The command line: options in, exit code out. Results go to stdout, progress and errors to stderr."""

from __future__ import annotations

import atexit
import gc
import os
import signal
import sys
from importlib.abc import MetaPathFinder
from io import TextIOWrapper
from typing import Final

import typer

from siteplan_gis.commands import law, parcels, plans, rounds, stock, territory
from siteplan_gis.commands.running import hold_standard_places, interrupt
from siteplan_gis.ingest.offline import keep_libraries_offline

app = typer.Typer(
    add_completion=False, no_args_is_help=True, pretty_exceptions_enable=False, rich_markup_mode=None,
    help="Checks a construction site's erosion-control site map against a village's ordinance.",
)  # fmt: skip

COMMANDS: Final = (
    plans.review,
    plans.measure,
    plans.inspect,
    rounds.letter,
    rounds.compare,
    parcels.prescreen,
    territory.etj,
    law.rules,
)
"""In the order of the help."""

for command in COMMANDS:
    app.command()(command)

layers = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="Reference layers: list, check, fetch.")
layers.command("list")(stock.list_layers)
layers.command("check")(stock.check)
# A box begins with a minus sign in this part of the world, and is no option.
layers.command("fetch", context_settings={"ignore_unknown_options": True})(stock.fetch)
app.add_typer(layers, name="layers")


def _only_offered() -> bool:
    """Whether pyogrio asks for pyarrow while it is loaded, in a command that reads no layer with both together."""
    return "siteplan_gis.pipeline" in sys.modules and "pyogrio" in sys.modules and "pyogrio.raw" not in sys.modules


class _Unneeded(MetaPathFinder):
    """Says of some libraries that they are not there.

    Where they are installed, pyogrio, folium, numba and pyarrow import them only to offer them: two seconds and 60 MB
    that no command needs. The process is ours alone, so nobody else misses them.
    """

    def find_spec(self, fullname: str, path: object = None, target: object = None) -> None:  # noqa: ARG002
        """Refuse the import of one of them."""
        if fullname.partition(".")[0] in {"geopandas", "pandas", "scipy"} or (
            fullname == "pyarrow" and _only_offered()
        ):
            raise ModuleNotFoundError(f"{fullname} is not needed here", name=fullname)


def main() -> None:
    """Run the command line."""
    hold_standard_places()
    keep_libraries_offline()
    # Nothing here is worth threads of its linear algebra: a machine that grants none would interrupt the program.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    sys.meta_path.insert(0, _Unneeded())
    # Loading libraries makes hundreds of thousands of lasting objects: looking among them for waste takes a tenth of a
    # second each time and finds none.
    gc.set_threshold(500_000)
    # Nor when the program ends.
    atexit.register(gc.freeze)
    signal.signal(signal.SIGINT, interrupt)
    if isinstance(sys.stdout, TextIOWrapper):
        # The same bytes in every country, and no letter of a name that the terminal cannot show ends the program.
        encoding = sys.stdout.encoding if sys.stdout.isatty() else "utf-8"
        sys.stdout.reconfigure(encoding=encoding, errors="backslashreplace")
    app()

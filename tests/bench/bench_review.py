"""How long a review of each sample plan takes, as a whole process."""

from __future__ import annotations

import sys
import tempfile

from tests.bench.running import ROOT, Row, in_turn


def rows(runs):
    plans = sorted(path.parent for path in (ROOT / "sample_plans").glob("*/siteplan.toml"))
    with tempfile.TemporaryDirectory() as out:
        review = [sys.executable, "-m", "siteplan_gis", "review", "--on", "2026-05-01", "--fail-on", "never"]
        for plan in plans:
            # A plan that lacks something ends with 3; how long it took still counts.
            command = ["sh", "-c", '"$@" > /dev/null 2>&1; test $? -ne 2', "sh", *review, "--out", out, str(plan)]
            yield Row(f"review {plan.name}", in_turn({"ours": command}, runs)["ours"].seconds, None, "s", 3.0)

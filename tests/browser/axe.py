"""axe-core in a page: the rules of WCAG 2.1 AA that a program can judge."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from devtools import Browser

TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]


@cache
def script() -> str:
    return (files("axe_playwright_python") / "axe.min.js").read_text("utf-8")


def violations(browser: Browser) -> list[str]:
    """Each broken rule with the first element that breaks it."""
    browser.run(script() + "; 0")
    found = browser.run(
        f"axe.run(document, {{runOnly: {json.dumps(TAGS)}}}).then(r => r.violations.map(v => `${{v.id}}: ${{v.help}}: ${{v.nodes[0].html.slice(0, 200)}} ${{v.nodes[0].failureSummary}} (${{v.nodes.length}})`))"
    )
    assert browser.run("axe.version")
    told: list[str] = found
    return told

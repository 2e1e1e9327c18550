"""Secrets: from the environment or the keyring, never from a file, and never in what is shown or kept."""

from __future__ import annotations

import importlib
import os
from typing import Any, Final

KEYRING_SERVICE: Final = "siteplan-gis"


class Secret:
    """A secret that shows nothing of itself where it is printed, logged or part of a traceback.

    Examples
    --------
    >>> Secret("hunter2"), str(Secret("hunter2"))
    (Secret(***), 'Secret(***)')
    """

    __slots__ = ("_reveal",)

    def __init__(self, value: str) -> None:
        def reveal() -> str:
            return value

        self._reveal = reveal

    def __repr__(self) -> str:
        return "Secret(***)"

    def reveal(self) -> str:
        """The secret itself, for the one call that needs it."""
        return self._reveal()


def secret(variable: str, entry: str = "") -> Secret | None:
    """The secret in the environment variable, else in the keyring under `entry` (by default the variable's name).

    The keyring is asked only where its package is installed.
    """
    value = os.environ.get(variable, "")
    if not value:
        value = _from_keyring(entry or variable)
    return Secret(value) if value else None


def _from_keyring(entry: str) -> str:
    try:
        keyring: Any = importlib.import_module("keyring")
    except ImportError:
        return ""
    try:
        return keyring.get_password(KEYRING_SERVICE, entry) or ""
    except keyring.errors.KeyringError:
        return ""

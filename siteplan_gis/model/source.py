"""Where a number comes from."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Source:
    """A file behind a measurement or a finding.

    Attributes
    ----------
    title
        What the data are, in words.
    file
        The file's name as the user gave it.
    date
        Date of the data as its owner states it, empty where unknown.
    licence, crs
        As stated or read; empty where unknown.
    accuracy_m
        Stated horizontal accuracy in metres; None where unknown.
    sha256
        Hash of the file's bytes (of the largest member for a folder); empty where not computed.
    """

    title: str
    file: str = ""
    date: str = ""
    licence: str = ""
    crs: str = ""
    accuracy_m: float | None = None
    sha256: str = ""

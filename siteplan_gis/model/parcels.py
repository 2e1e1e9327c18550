"""Parcels and who has them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ParcelShare:
    """One parcel: in whose limits and in whose extraterritorial area it lies.

    Attributes
    ----------
    municipality, municipality_share
        The municipality (a town too) with the largest part of it, and that part of its area; empty and 0 where none.
    etj_of, etj_share
        The holder of the largest extraterritorial part.
    limits_m
        Distance to the limits of that holder, else to the nearest city's or village's limits within its reach; 0 in or
        on them; None where none is near.
    shares
        Every part of a thousandth or more: label and share, extraterritorial ones as "ETJ of ...".
    """

    id: str
    area_m2: float
    municipality: str
    municipality_share: float
    etj_of: str
    etj_share: float
    limits_m: float | None
    shares: tuple[tuple[str, float], ...]

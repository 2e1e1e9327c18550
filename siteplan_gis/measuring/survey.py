"""Everything that the inputs allow to be measured on one site: no law."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from siteplan_gis.measuring.agreement import measure_agreement
from siteplan_gis.measuring.banks import measure_banks
from siteplan_gis.measuring.discharges import measure_discharges
from siteplan_gis.measuring.drainage import measure_drainage
from siteplan_gis.measuring.drawing import measure_drawing
from siteplan_gis.measuring.ground import measure_ground, open_ground, shapes
from siteplan_gis.measuring.places import measure_places
from siteplan_gis.measuring.receiving import measure_receiving
from siteplan_gis.measuring.record import Taken
from siteplan_gis.measuring.slopes import measure_slopes
from siteplan_gis.measuring.submitted import Submitted, isolines, measure_submitted, or_submitted
from siteplan_gis.measuring.waters import NearbyWaters, measure_waters
from siteplan_gis.model.measurement import Measurements, Method

if TYPE_CHECKING:
    from collections.abc import Callable

    from siteplan_gis.model.flag import Flag
    from siteplan_gis.model.site import Site


def take_measurements(
    site: Site, method: Method | None = None, progress: Callable[[str], None] | None = None
) -> Measurements:
    """Measure a site.

    A step that crashes does not stop the others: it is named in `Measurements.faults`; what rests on it is an error.
    """
    method = method or Method()
    tell = progress or (lambda _: None)
    shape = shapes(site.plan)
    faults: dict[str, str] = {}

    def step(name: str, fallback: Any, measure: Callable[[], Any]) -> Any:
        tell(name)
        try:
            return measure()
        except Exception as crash:  # noqa: BLE001
            faults[name] = f"{type(crash).__name__}: {crash}"
            return fallback

    nothing = Taken()
    ground = step("ground", nothing, lambda: measure_ground(site, shape, method))
    drawing = step("drawing", nothing, lambda: measure_drawing(site, shape))
    waters, nearby = step("waters", (nothing, NearbyWaters()), lambda: measure_waters(site, shape, method))
    places, jurisdiction, airports, gaps = step("places", (nothing, (), (), {}), lambda: measure_places(site, shape))
    slopes, patches = step("slopes", (nothing, ()), lambda: measure_slopes(site, shape, method))
    own = step("submitted", Submitted(nothing), lambda: measure_submitted(site, shape, method))
    agreement = step("agreement", nothing, lambda: measure_agreement(site, own.existing, shape, method))
    patches = step("submitted", patches, lambda: or_submitted(slopes, patches, own))
    discharge, discharges = step("discharges", (nothing, ()), lambda: measure_discharges(site, shape, method))
    drainage = step("drainage", nothing, lambda: measure_drainage(site, shape, method))
    banks = step("banks", nothing, lambda: measure_banks(site, method))
    receiving = step("receiving", nothing, lambda: measure_receiving(site, discharges, method))
    taken = (ground, drawing, waters, places, slopes, own.taken, agreement, discharge, drainage, banks, receiving)
    return Measurements(
        values={name: value for part in taken for name, value in part.values.items()},
        shape=shape,
        waters=nearby.by_role.get("waters", ()),
        wetlands=nearby.by_role.get("wetlands", ()),
        floodplain=nearby.adjoining.get("floodplain", ()),
        adjoining={role: nearby.adjoining.get(role, ()) for role in ("waters", "wetlands")},
        beyond=nearby.beyond,
        airports=airports,
        discharges=discharges,
        jurisdiction=jurisdiction,
        steep_patches=patches,
        open_ground=step("open_ground", (), lambda: open_ground(site.plan)),
        isolines=step("isolines", {}, lambda: isolines(site.plan)),
        not_counted=nearby.not_counted,
        uncovered={**nearby.uncovered, **gaps},
        flags=_flags(site, taken),
        faults=faults,
    )


def _flags(site: Site, taken: tuple[Taken, ...]) -> tuple[Flag, ...]:
    listed = [*site.flags, *site.plan.flags]
    listed += [flag for layers in site.layers.values() for layer in layers for flag in layer.flags]
    listed += list(site.terrain.flags) if site.terrain is not None else []
    listed += [flag for part in taken for flag in part.flags]
    return tuple(sorted(set(listed)))

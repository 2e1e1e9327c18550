"""A pre-screening in a few lines for a terminal, from its record."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from siteplan_gis.model.comparison import show, show_share
from siteplan_gis.report.wording import figure

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

TAKEN_BY: Final = {
    "wetlands": "wetlands",
    "floodplain": "floodplain",
    "widths": "protective widths",
    "steep": "steep ground",
}
"""What is taken out of the buildable remainder, in the order in which it is told."""

_TURNS: Final = re.compile("[\u200e\u200f\u202a-\u202e\u2028\u2029\u2066-\u2069\n\t]+")


def screening_text(record: Mapping[str, Any]) -> str:
    """The record of one parcel as plain text."""
    return "".join(_TURNS.sub(" ", line) + "\n" for line in _lines(record))


def amount_words(amount: Mapping[str, Any]) -> str:
    """Acres with their doubt, or that they are not known, and why."""
    if amount["acres"] is None:
        return f"not known ({amount['reason']})"
    doubt = amount["plus_minus_acres"]
    if amount["acres"] == 0 and not doubt:
        return "none mapped or measured" + (f" ({amount['reason']})" if amount["reason"] else "")
    words = f"{show(amount['acres'], 2, 0.0)} acres" + (f" \u00b1 {show(doubt, 2, 0.0)}" if doubt else "")
    return words + (f" ({amount['reason']})" if amount["reason"] else "")


def near_words(near: Mapping[str, Any]) -> str:
    """How many lie within a mile, the nearest, and what is not known."""
    if not near["known"]:
        return f"not known ({near['reason']})"
    count = near["within_one_mile"]
    words = (
        f"{count} mapped within one mile" if count is not None else "none mapped within one mile in the part covered"
    )
    if near["nearest"]:
        words += f"; nearest: {feature_words(near['nearest'])}"
    words += f"; on the parcel: {len(near['on_parcel'])}; within 75 ft: {len(near['within_75_ft'])}"
    return words + (f" ({near['reason']})" if near["reason"] else "")


def feature_words(feature: Mapping[str, Any]) -> str:
    """A water, wetland or airport with its distance and source."""
    name = feature["name"] or f"unnamed {feature['kind'].replace('_', ' ')}"
    return f"{name}, {figure(feature['distance_ft'], 'ft')} ft ({feature['source']})"


def runoff_words(one: Mapping[str, Any]) -> str:
    """Where one way of runoff goes."""
    lon, lat = one["leaves_at"]["coordinates"][:2]
    words = f"{show_share(one['share'])} leaves around {lon:.5f}, {lat:.5f}"
    if one["reaches"]:
        words += f", reaches {one['reaches']} after {figure(one['flow_distance_ft'], 'ft')} ft"
        if one["plus_minus_ft"]:
            words += f" \u00b1 {figure(one['plus_minus_ft'], 'ft')}"
        within = {True: "within", False: "beyond", None: "too near to tell:"}[one["within_quarter_mile"]]
        runs = f"; {one['runs_agreeing']} of {one['runs']} runs agree" if one["runs"] else ""
        return f"{words} ({within} a quarter mile{runs})"
    return f"{words}: {one['explanation']}"


def exits_words(facts: Mapping[str, Any]) -> str:
    """How many places were followed and how much of the parcel's runoff they stand for."""
    return f"{len(facts['runoff'])} places followed, which stand for {show_share(min(facts['runoff_share'], 1.0))} of what runs off the parcel"


def below_words(facts: Mapping[str, Any]) -> str:
    """What lies within a quarter mile downstream, by the way that water takes."""
    if facts["downstream"] is None:
        return f"not known ({facts['downstream_reason']})" if facts["downstream_reason"] else "not asked for"
    names = "; ".join(feature_words(one) for one in facts["downstream"]) or "none mapped on the way"
    return names + (f" ({facts['downstream_reason']})" if facts["downstream_reason"] else "")


def listing_words(facts: Mapping[str, Any]) -> str:
    """The listed waters on the parcel and downstream, that the list has none of them, or that there is no list."""
    if facts["listing"] is None:
        return f"not known ({facts['listing_reason']})"
    doubt = f" ({facts['listing_reason']})" if facts["listing_reason"] else ""
    if not facts["listing"]:
        return f"not in the list given{doubt}"
    return "; ".join(dict.fromkeys(
        f"{one['kind'] or 'listed'}: {one['name'] or one['id']} ({one['source']})" for one in facts["listing"]
    )) + doubt  # fmt: skip


def sum_words(facts: Mapping[str, Any]) -> str:
    """How the acres of a parcel add up: what each takes of the ground that is left by those before it, and the rest."""
    if facts["buildable"]["acres"] is None:
        return ""
    taken = [
        f"{show(facts['removed'][name]['of_the_rest_acres'], 2, 0.0)} {TAKEN_BY[name]}"
        for name in TAKEN_BY
        if facts["removed"][name]["of_the_rest_acres"]
    ]
    return (
        " + ".join([*taken, f"{show(facts['buildable']['acres'], 2, 0.0)} left"])
        + f" = {show(facts['acres'], 2)} acres"
    )


def _lines(record: Mapping[str, Any]) -> Iterator[str]:
    parcel, facts = record["parcel"], record["facts"]
    if record["invented"]:
        yield "INVENTED GROUND: nothing here says anything about a real place."
    yield f"Parcel {parcel['id']}"
    if facts is None:
        yield f"  {parcel['left_out'] or 'could not be screened: ' + record['fault']}"
        return
    yield f"  Governed by      {record['governed_by']}"
    for one in record["ordinances"]:
        yield f"  Ordinance        {one['title']} ({one['why']})"
    yield f"  Area             {show(facts['acres'], 2)} acres by the parcel map, which is no survey"
    share = facts["steep"]["share"]
    yield f"  20 % or steeper  {amount_words(facts['steep'])}" + (f", {show_share(share)}" if share is not None else "")
    yield f"  Surface waters   {near_words(facts['waters'])}"
    yield f"  Wetlands         {near_words(facts['wetlands'])}"
    yield f"  Wetland on it    {amount_words(facts['wetlands']['on_parcel_acres'])}"
    yield f"  Floodplain       {amount_words(facts['floodplain'])}; of it floodway {amount_words(facts['floodway'])}"
    for one in facts["runoff"]:
        yield f"  Runoff           {runoff_words(one)}"
    if facts["runoff"]:
        yield f"  Runoff in all    {exits_words(facts)}"
        yield f"  Downstream       {below_words(facts)}"
    if facts["runoff_reason"]:
        yield f"  Runoff           not known ({facts['runoff_reason']})"
    yield f"  Receiving water  {facts['receiving_water'] or 'not known (' + facts['receiving_reason'] + ')'}"
    yield f"  Its listing      {listing_words(facts)}"
    airport = facts["airport"]
    yield f"  Airport          {feature_words(airport) if airport else facts['airport_reason']}"
    out = ", ".join(facts["taken_out"]) or "nothing"
    yield f"  Buildable        {amount_words(facts['buildable'])} with {out} taken out"
    if sum_words(facts):
        yield f"  Acres            {sum_words(facts)}"
    for one in record["ordinances"]:
        for each in one["thresholds"]:
            yield f"  Threshold        {each['words']} ({each['section']})"
    for name, why in facts["not_known"].items():
        yield f"  Not all known    {name}: {why}"

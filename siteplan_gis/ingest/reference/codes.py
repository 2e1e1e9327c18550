"""What the codes of public hydrography, wetland, flood and boundary maps mean, as tables.

Sources: NHD feature catalogue (FType, FCode), NHDPlus V2 and HR, 3DHP (`featuretype`; its label texts vary, its
numbers do not), WDNR 24K hydrography (HYDROTYPE), NWI and WWI codes, NFHL (FLD_ZONE, ZONE_SUBTY, SFHA_TF), LTSB
(CTV, MCD_NAME) and Census TIGER (LSAD, CLASSFP, MTFCC, NAMELSAD).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from siteplan_gis.units import FOOT_M, MILE_M

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

NO_VALUE: Final = frozenset(
    {"", "nan", "none", "null", "<null>", "nat", "n/a", "na", "unnamed", "no name", "noname", "unknown", "-9999"}
)
"""Texts that stand for "nothing" in public data, in lower case."""

_NHD_FTYPES: Final = {
    460: "stream", 336: "ditch", 558: "artificial_path", 334: "connector", 420: "underground", 428: "pipeline",
    390: "lake", 436: "reservoir", 466: "wetland", 566: "coastline", 458: "spring", 361: "lake", 312: "water",
    445: "water", 493: "water", 484: "intermittent_stream", 468: "ephemeral_stream", 537: "river", 461: "underground",
    467: "underground", 450: "sink",
}  # fmt: skip
_NHD_FCODES: Final = {46003: "intermittent_stream", 46007: "ephemeral_stream"}
_NHD_WORDS: Final = {
    "streamriver": 460, "canalditch": 336, "artificialpath": 558, "connector": 334, "undergroundconduit": 420,
    "pipeline": 428, "lakepond": 390, "reservoir": 436, "swampmarsh": 466, "coastline": 566, "springseep": 458,
    "playa": 361, "bayinlet": 312, "seaocean": 445, "estuary": 493, "wash": 484, "drainageway": 468,
    "areaofcomplexchannels": 537, "submergedstream": 461, "tunnel": 467, "inundationarea": 403, "icemass": 378,
    "foreshore": 364, "rapids": 431, "damweir": 343, "gate": 369, "lockchamber": 398, "levee": 568, "wall": 483,
    "waterfall": 487, "sinkrise": 450, "well": 488, "flume": 362, "reef": 434, "rock": 441, "bridge": 318,
    "specialusezone": 455, "hazardzone": 373, "nonearthenshore": 411, "areatobesubmerged": 307,
}  # fmt: skip
_PLAIN_WORDS: Final = {
    "stream": "stream", "river": "river", "creek": "stream", "brook": "stream", "run": "stream", "ditch": "ditch",
    "canal": "ditch", "lake": "lake", "pond": "pond", "reservoir": "reservoir", "impoundment": "reservoir",
    "flowage": "reservoir", "spring": "spring", "seep": "spring", "coast": "coastline", "shoreline": "coastline",
    "wetland": "wetland", "swamp": "wetland", "marsh": "wetland", "bog": "wetland", "fen": "wetland",
    "culvert": "underground", "pipe": "pipeline", "connector": "connector", "perennial": "stream",
    "intermittent": "intermittent_stream", "ephemeral": "ephemeral_stream",
    "sink": "sink", "sinkhole": "sink", "kettle": "sink", "depression": "sink",
}  # fmt: skip
_3DHP_FLOWLINES: Final = {
    1: "stream", 2: "ditch", 3: "ephemeral_stream", 4: "connector", 5: "artificial_path", 6: "connector", 7: "other",
}  # fmt: skip
_WDNR_24K: Final = {508: "stream", 706: "lake"}

_FLOOD_ZONE: Final = re.compile(r"(A|V)(\d{1,2}|E|H|O|R)?")
_SFHA: Final = {"T": True, "TRUE": True, "Y": True, "1": True, "F": False, "FALSE": False, "N": False, "0": False}

_CTV: Final = {"c": "city", "v": "village", "t": "town"}
_LSAD: Final = {"25": "city", "47": "village", "57": "", "55": "", "44": "town", "45": "town", "49": "town"}
_MUNICIPAL_WORDS: Final = {
    "city": "city", "village": "village", "town": "town", "township": "town", "borough": "village",
    "charter township": "town", "cdp": "", "census designated place": "", "comunidad": "",
}  # fmt: skip
_REACH_FIELDS: Final = {
    "etj_mi": MILE_M, "etj_miles": MILE_M, "etj_mile": MILE_M, "etj_ft": FOOT_M, "etj_feet": FOOT_M, "etj_m": 1.0,
}  # fmt: skip
_NAMED_FIRST: Final = re.compile(r"(city|village|town|township|borough)\s+of\s+(.+)", re.IGNORECASE)
_NAMED_LAST: Final = re.compile(r"(.+?)\s+(city|village|charter township|township|town|borough|CDP)", re.IGNORECASE)
_LABELLED: Final = re.compile(r"(.+?)\s+-\s+([CTV])")


@dataclass(frozen=True, slots=True)
class FieldNames:
    """The fields of a layer that tell name, identity and code; empty where it has none.

    `permanent` is True where the identifier is the owner's own for the thing mapped, the same in every delivery; a
    row number (OBJECTID) repeats from tile to tile.
    """

    name: str
    id: str
    code: str
    permanent: bool


_NAMES: Final = {
    "municipalities": ("mcd_name", "name", "namelsad", "ctv_name", "municipality", "muni_name", "muniname", "label"),
    "airports": ("name", "fac_name", "airport_name", "facility_name", "arpt_name"),
    "floodplain": ("name", "wtr_nm", "study_typ"),
    "wetlands": ("name", "wetland_name"),
    "": (
        "gnis_name", "gnisidlabel", "gnis_nm", "river_sys_name", "row_name", "waterbody_name", "name", "rivername",
        "lake_name", "lakename", "official_name", "stream_name", "streamname", "fullname", "wid", "label",
    ),
}  # fmt: skip
_PERMANENT: Final = (
    "permanent_identifier", "permanent_", "permanenti", "nhdplusid", "comid", "id3dhp", "hydroid", "nwi_id", "wwi_id",
    "fld_ar_id", "geoid", "globalid", "global_id", "gfid", "stateid", "parcelid",
)  # fmt: skip
_PASSING: Final = ("objectid", "objectid_1", "fid", "id", "gid", "ogc_fid", "full_hydro", "cat")
_CODES: Final = {
    "wetlands": ("attribute", "wetcode", "newcode", "wetland_code", "wetland_type", "code", "type"),
    "floodplain": ("fld_zone", "zone", "floodzone"),
    "municipalities": ("city_class", "class", "ctv", "lsad", "classfp"),
    "airports": ("lid", "ident", "locid", "loc_id", "local_code", "faa_id"),
    "": ("fcode", "featuretype", "hydrotype", "hydro_type", "ftype", "feattype", "feature_type", "type", "kind"),
}


def bare(field: str) -> str:
    """A field's own name in lower case, without the table that a joined service puts before it.

    Examples
    --------
    >>> bare("Wetlands.ATTRIBUTE")
    'attribute'
    """
    return field.rpartition(".")[2].strip().lower()


def text_of(value: Any) -> str:
    """An attribute as text; empty where it stands for nothing. Whole numbers lose their ".0".

    Examples
    --------
    >>> text_of("  Yahara River "), text_of("None"), text_of(46006.0), text_of(float("nan"))
    ('Yahara River', '', '46006', '')
    """
    if value is None:
        return ""
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, bytes):
        value = value.decode("utf-8", "replace")
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    text = " ".join(str(value).split())
    return "" if text.lower() in NO_VALUE else text


def field_names(role: str, fields: Sequence[str]) -> FieldNames:
    """Choose the telling fields of a layer of `role`, whatever their case and table name."""
    own = {bare(field): field for field in reversed(fields)}

    def first(*groups: Sequence[str]) -> str:
        return next((own[name] for group in groups for name in group if name in own), "")

    permanent = first(_PERMANENT)
    return FieldNames(
        first(_NAMES.get(role, _NAMES[""])),
        permanent or first(_PASSING),
        first(_CODES.get(role, _CODES[""])),
        bool(permanent),
    )


def water_kind(attributes: Mapping[str, Any], *, is_area: bool = False) -> str:
    """Kind of a hydrography feature from its attributes (bare field names); "water" where they do not tell.

    Examples
    --------
    >>> water_kind({"fcode": 46003}), water_kind({"ftype": "CANAL/DITCH"}), water_kind({"hydrotype": 999})
    ('intermittent_stream', 'ditch', 'water')
    """
    kind = _nhd(attributes) or _by_number(attributes, is_area=is_area) or _by_words(attributes) or "water"
    return "river" if is_area and kind == "stream" else kind


def _nhd(attributes: Mapping[str, Any]) -> str:
    fcode = _number(attributes.get("fcode"))
    if fcode is not None and fcode >= 10_000:  # noqa: PLR2004
        return _NHD_FCODES.get(fcode) or _NHD_FTYPES.get(fcode // 100, "other")
    ftype = attributes.get("ftype")
    number = _number(ftype)
    if number is None:
        number = _NHD_WORDS.get(_letters(text_of(ftype)))
    return "" if number is None else _NHD_FTYPES.get(number, "other")


def _by_number(attributes: Mapping[str, Any], *, is_area: bool) -> str:
    feature_type = _number(attributes.get("featuretype"))
    if feature_type is not None and not is_area:
        return _3DHP_FLOWLINES.get(feature_type, "water")
    hydrotype = _number(attributes.get("hydrotype"))
    return "" if hydrotype is None else _WDNR_24K.get(hydrotype, "water")


def _by_words(attributes: Mapping[str, Any]) -> str:
    for field in ("ftype", "featuretypelabel", "hydrotype", "hydro_type", "feattype", "feature_type", "type", "kind"):
        text = text_of(attributes.get(field)).lower()
        if _letters(text) in _NHD_WORDS:
            return _NHD_FTYPES.get(_NHD_WORDS[_letters(text)], "other")
        words = re.findall(r"[a-z]+", text)
        # "intermittent stream" is the narrower of its two words.
        for word in sorted(words, key=lambda word: word not in {"intermittent", "ephemeral", "culvert", "pipe"}):
            for singular in (word, word.removesuffix("s"), word.removesuffix("es")):
                if singular in _PLAIN_WORDS:
                    return _PLAIN_WORDS[singular]
    return ""


def wetland_kind(attributes: Mapping[str, Any], *, is_point: bool = False, layer: str = "") -> str:
    """Kind of a wetland feature: an inventory's "Filled" layers and values are of the past and never counted.

    Examples
    --------
    >>> wetland_kind({"attribute": "PEM1C"}), wetland_kind({}, is_point=True, layer="WWI Filled Points")
    ('wetland', 'filled_wetland')
    """
    told = [layer, *(text_of(attributes.get(field)) for field in ("wetland_type", "type", "class", "status"))]
    if any(re.search(r"(?<![a-z])filled(?![a-z])", text.lower().replace("_", " ")) for text in told):
        return "filled_wetland"
    return "wetland_point" if is_point else "wetland"


def is_deepwater(code: str) -> bool:
    """Whether an NWI code names a river or lake (systems R and L) rather than a marsh, swamp or pond.

    Examples
    --------
    >>> is_deepwater("R5UBH"), is_deepwater("L1UBH"), is_deepwater("PEM1C"), is_deepwater("Lake")
    (True, True, False, True)
    """
    return bool(re.match(r"[RL]\d?(UB|RB|AB|US|RS|SB|EM)|riverine|lake", code, re.IGNORECASE))


def flood_kind(attributes: Mapping[str, Any]) -> str:
    """Kind of a flood hazard area: the fringe is the special flood hazard area less the floodway.

    Examples
    --------
    >>> flood_kind({"fld_zone": "AE", "zone_subty": "FLOODWAY", "sfha_tf": "T"})
    'floodway'
    >>> flood_kind({"fld_zone": "AE", "zone_subty": "<Null>", "sfha_tf": " "})
    'flood_fringe'
    >>> flood_kind({"fld_zone": "X", "zone_subty": "0.2 PCT ANNUAL CHANCE FLOOD HAZARD", "sfha_tf": "F"})
    'other'
    """
    zone = text_of(attributes.get("fld_zone") or attributes.get("zone") or attributes.get("floodzone")).upper()
    if "FLOODWAY" in text_of(attributes.get("zone_subty")).upper() or "FLOODWAY" in zone:
        return "floodway"
    special = _SFHA.get(text_of(attributes.get("sfha_tf")).upper())
    if special is None:
        special = _FLOOD_ZONE.fullmatch(zone.removeprefix("ZONE ")) is not None
    return "flood_fringe" if special else "other"


def municipality(attributes: Mapping[str, Any], name: str) -> tuple[str, str] | None:
    """Name and kind of a municipality; None for a census-designated place, which governs nothing.

    Kind is "city", "village", "town" (a civil town or township: unincorporated ground), "incorporated_town" or ""
    where the data do not say. The same name may belong to a town and a village.

    Examples
    --------
    >>> municipality({"namelsad": "Plainfield village", "lsad": "47"}, "Plainfield")
    ('Plainfield', 'village')
    >>> municipality({"ctv": "T"}, "SAUKVILLE"), municipality({}, "Village of Saukville")
    (('SAUKVILLE', 'town'), ('Saukville', 'village'))
    >>> municipality({"namelsad": "Jump River CDP"}, "Jump River") is None
    True
    """
    place = text_of(attributes.get("mtfcc")).upper()
    classed = text_of(attributes.get("classfp")).upper()
    if place == "G4210" or classed[:1] in {"U", "M"}:
        return None
    own_name, kind = _split(text_of(attributes.get("namelsad")) or name)
    plain_name, plain_kind = _split(name) if name else (own_name, kind)
    kind = kind if kind is not None else plain_kind
    ctv = text_of(attributes.get("ctv") or attributes.get("ctv_code"))
    by_code = _CTV.get(ctv[:1].lower()) if ctv else _LSAD.get(text_of(attributes.get("lsad")).zfill(2))
    kind = by_code if by_code is not None else kind
    if kind == "" and by_code is None and re.search(r"CDP|census", own_name + name, re.IGNORECASE):
        return None
    if by_code == "" or kind == "":
        return None
    own_reach = stated_reach_m(attributes) is not None
    if kind == "town" and (place == "G4110" or classed[:1] == "C" or own_reach):
        kind = "incorporated_town"
    return plain_name, kind or ""


def stated_reach_m(attributes: Mapping[str, Any]) -> float | None:
    """The extraterritorial reach in metres that a boundary map itself states for a municipality; None where none.

    Examples
    --------
    >>> stated_reach_m({"etj_mi": 1.5}), stated_reach_m({"etj_ft": "5280"}), stated_reach_m({"name": "Alpha"})
    (2414.016, 1609.344, None)
    """
    for field, metres in _REACH_FIELDS.items():
        text = text_of(attributes.get(field))
        if re.fullmatch(r"\d+(\.\d+)?", text):
            return round(float(text) * metres, 6)
    return None


def _split(full: str) -> tuple[str, str | None]:
    """A municipality's bare name and its kind, None where the name does not tell, "" for none at all."""
    if match := _NAMED_FIRST.fullmatch(full):
        return match[2], _MUNICIPAL_WORDS[match[1].lower()]
    if match := _LABELLED.fullmatch(full):
        return match[1], _CTV[match[2].lower()]
    if match := _NAMED_LAST.fullmatch(full):
        # "Plainfield village" carries a description; "Kansas City" is a name.
        described = match[2] == match[2].lower() or match[2] == "CDP"
        return (match[1] if described else full), _MUNICIPAL_WORDS[match[2].lower()]
    return full, None


def _number(value: Any) -> int | None:
    text = text_of(value)
    return int(text) if text.isdecimal() else None


def _letters(text: str) -> str:
    return re.sub(r"[^a-z]", "", text.lower())

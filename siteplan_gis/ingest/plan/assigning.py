"""Labels, roles and settings for the layers of a plan: told on the command line, told in the manifest, or guessed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from siteplan_gis.errors import InputError
from siteplan_gis.ingest.drawn.attributes import field_of
from siteplan_gis.ingest.drawn.placing import PlacedLayer
from siteplan_gis.ingest.records.manifest import LayerSettings
from siteplan_gis.ingest.roles import IGNORE, guess_role, guess_surface_role, matched
from siteplan_gis.model.flag import Flag
from siteplan_gis.model.surface import SURFACE_ROLES

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Mapping, Sequence

    from siteplan_gis.ingest.drawn.drawing import DrawnLayer
    from siteplan_gis.ingest.plan.submittal import Submittal
    from siteplan_gis.ingest.records.manifest import Manifest

_DISTURBED: Final = "disturbed_area"
_GROUND_WORK: Final = frozenset({_DISTURBED, "construction_site"})


def assigned(
    drawn: DrawnLayer,
    labels: Counter[str],
    roles: Mapping[str, str],
    manifest: Manifest,
    used_keys: set[tuple[str, str]],
) -> PlacedLayer:
    """Give a layer its label, its settings and its role; the keys that spoke of it are added to `used_keys`."""
    label = drawn.file if drawn.only_layer else f"{drawn.file}/{drawn.layer}"
    labels[label] += 1
    drawn.label = label if labels[label] == 1 else f"{label} ({labels[label]})"
    drawn.flags = [Flag(flag.code, flag.text, drawn.label, flag.feature) for flag in drawn.flags]
    base = drawn.file.rsplit("/", 1)[-1]
    names = [drawn.label, drawn.layer, drawn.file, base, base.rsplit(".", 1)[0]]
    settings = matched(names, manifest.layers)
    if settings is not None:
        used_keys.add(("layer", settings[0]))
    drawing = matched([drawn.file, base, base.rsplit(".", 1)[0]], manifest.drawings) if drawn.cad is not None else None
    if drawing is not None:
        used_keys.add(("drawing", drawing[0]))
    role, role_from = "", ""
    for origin, told in (("option", roles), ("manifest", manifest.roles)):
        answer = matched(names, told)
        if answer is not None:
            used_keys.add((origin, answer[0]))
            if not role_from:
                role, role_from = answer[1], origin
    flags = []
    if (
        role_from == "manifest"
        and role not in _GROUND_WORK
        and drawn.features
        and guess_role(drawn.layer) == _DISTURBED
    ):
        count = len(drawn.features)
        text = f"its name speaks of disturbed ground, but siteplan.toml says {role}: its {count} features were not counted as disturbed"
        flags.append(Flag("role_against_name", text, drawn.label))
    if not role_from and drawn.hidden:
        count = len(drawn.features)
        text = f"the layer is {drawn.hidden}: its {count} objects were not used; give it a role if they count"
        flags += [Flag("cad_layer_hidden", text, drawn.label)] * bool(count)
    elif not role_from:
        role = _guess(drawn, base.rsplit(".", 1)[0])
        if role:
            role_from = "name"
            flags.append(Flag("role_guessed", f"taken as {role} from its name", drawn.label))
        elif drawn.features or drawn.cad is None:
            flags.append(
                Flag(
                    "no_role",
                    "its role is not known, so it was not used; set it with --role or in siteplan.toml",
                    drawn.label,
                )
            )
    layer = PlacedLayer(drawn, "" if role == IGNORE else role, role_from, settings[1] if settings else LayerSettings())
    layer.flags += flags
    if drawing is not None:
        layer.drawing = drawing[1]
    if not drawn.features and not drawn.texts:
        layer.flags.append(Flag("layer_empty", "holds no features", drawn.label))
    if layer.role in SURFACE_ROLES and drawn.mesh is None:
        raise InputError(
            f"holds no triangles, so it cannot be {layer.role}",
            file=drawn.file,
            layer=drawn.layer,
            remedy="give the surface as LandXML with its faces",
        )
    _require_fields(layer)
    return layer


def _guess(drawn: DrawnLayer, stem: str) -> str:
    if drawn.mesh is not None:
        return drawn.guessed_role or (guess_surface_role(stem) if drawn.only_layer else "")
    return drawn.guessed_role or guess_role(drawn.layer) or (guess_role(stem) if drawn.only_layer else "")


def _require_fields(layer: PlacedLayer) -> None:
    """A field that the manifest names must be there."""
    settings = layer.settings
    for key in ("elevation_field", "phase_field", "start_field", "end_field", "name_field", "kind_field"):
        wanted = getattr(settings, key)
        if wanted is not None and field_of(layer.drawn.fields, wanted, ()) is None:
            raise InputError(
                f"siteplan.toml names {key} = {wanted!r}, which the layer does not have",
                file=layer.drawn.file,
                layer=layer.drawn.layer,
                remedy=f"its fields are {', '.join(layer.drawn.fields) or 'none'}",
            )


def require_all_used(
    roles: Mapping[str, str],
    manifest: Manifest,
    used_keys: set[tuple[str, str]],
    layers: Sequence[PlacedLayer],
    submittal: Submittal,
) -> None:
    """A name that speaks of no layer: an error on the command line, a flag in the manifest."""
    for key in roles:
        if ("option", key) not in used_keys:
            seen = ", ".join(layer.label for layer in layers[:20])
            raise InputError(f"--role {key}: the plan has no such layer", remedy=f"its layers are {seen}")
    submittal.flags += [
        Flag("manifest_role_unmatched", f"[{table}] {key!r} in siteplan.toml speaks of no layer of the plan")
        for table, origin, keys in (
            ("roles", "manifest", manifest.roles),
            ("layer", "layer", manifest.layers),
            ("drawing", "drawing", manifest.drawings),
        )
        for key in keys
        if (origin, key) not in used_keys
    ]

"""Small protocols of the study, and their material."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

from stimuli.pack import Pack
from stimuli.pack.model import pack_in_memory
from stimuli.protocol import load_protocol, protocol_hash
from stimuli.studies.simulatability.compose import compose
from stimuli.studies.simulatability.material import Item, Material
from stimuli.studies.simulatability.protocol import Simulatability
from stimuli.studies.simulatability.sketch import sketch_material

SMALL = {
    "items": {"learning": 4, "per_test": 8},
    "design": {
        "methods": ["lime", "decision_boundary", "composite", "omission", "mine", "no_explanation"]
    },
}


def protocol_of(**changes: Any) -> Simulatability:
    """Return a small protocol with changes."""
    merged = {name: {**SMALL.get(name, {}), **changes.get(name, {})} for name in {*SMALL, *changes}}
    return load_protocol("simulatability", None, merged)


@cache
def small_material() -> Material:
    """Return the sketch's material of the small protocol."""
    return sketch_material(protocol_of())


def pack_of(protocol: Simulatability, material: Material) -> Pack:
    """Return a pack in memory."""
    files = compose(protocol, material)
    return pack_in_memory(protocol, protocol_hash(protocol), "solutions", files)


def with_items(material: Material, use: str, change: Callable[[Item], Item]) -> Material:
    """Return material whose first item of a use, of the first domain, is changed."""
    domain, *others = material.domains
    place = next(place for place, item in enumerate(domain.items) if item.use == use)
    items = [change(item) if nth == place else item for nth, item in enumerate(domain.items)]
    return replace(material, domains=[replace(domain, items=items), *others])


def with_domain(material: Material, **changes: Any) -> Material:
    """Return material whose first domain is changed."""
    first, *others = material.domains
    return replace(material, domains=[replace(first, **changes), *others])

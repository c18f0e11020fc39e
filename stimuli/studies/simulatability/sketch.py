"""A pack in memory, without a network: made-up items, explained by a made-up model.

What a sketch shows of a method is an assumption, never a result.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from stimuli.io.canonical import seed_of
from stimuli.maps.origin import NETWORK, Origin
from stimuli.pack import Pack
from stimuli.pack.model import pack_in_memory
from stimuli.protocol import protocol_hash
from stimuli.studies.simulatability.compose import compose
from stimuli.studies.simulatability.inputs import Edit, edited
from stimuli.studies.simulatability.material import DomainMaterial, Item, Material, Use, Words
from stimuli.studies.simulatability.outcomes import OF_TWO
from stimuli.studies.simulatability.protocol import NO_EXPLANATION, Simulatability
from stimuli.studies.simulatability.sketch_explanations import explained
from stimuli.studies.simulatability.sketch_model import COLUMNS, OPINIONS, AnyInput, SketchModel

SKETCH_MODELS: Final[Mapping[str, SketchModel]] = {
    "text": SketchModel("text", ("negative", "positive"), OPINIONS),
    "tabular": SketchModel(
        "tabular",
        ("refused", "granted"),
        {value: weight for levels in COLUMNS.values() for value, weight in levels.items()},
    ),
}
CLASS_NAMES: Final[Words] = {
    ("negative", "de"): "negativ",
    ("positive", "de"): "positiv",
    ("refused", "de"): "abgelehnt",
    ("granted", "de"): "bewilligt",
}
SPLITS: Final[Mapping[Use, str]] = {
    "learning": "validation",
    "forward": "test",
    "counterfactual": "test",
}
ACCURACY: Final = (0.82, 0.81)


def sketch(protocol: Simulatability) -> Pack:
    """Return a solution pack in memory; the same for the same protocol.

    Parameters
    ----------
    protocol
        The protocol; its ``seed`` is the root of every draw.

    Returns
    -------
    Pack
        Its id begins with ``sketch-``.
    """
    files = compose(protocol, sketch_material(protocol))
    return pack_in_memory(protocol, protocol_hash(protocol), "solutions", files)


def sketch_material(protocol: Simulatability) -> Material:
    """Return made-up items of all of a protocol's domains, explained by all of its methods."""
    methods = [method for method in protocol.design.methods if method != NO_EXPLANATION]
    return Material(
        domains=[_domain(protocol, SKETCH_MODELS[name]) for name in protocol.design.domains],
        origins={method: Origin(NETWORK, "sketch") for method in methods},
    )


def _domain(protocol: Simulatability, model: SketchModel) -> DomainMaterial:
    return DomainMaterial(
        name=model.domain,
        classes=model.classes,
        items=list(_items(protocol, model)),
        class_names={
            (term, tag): word for (term, tag), word in CLASS_NAMES.items() if term in model.classes
        },
        accuracy=ACCURACY,
    )


def _items(protocol: Simulatability, model: SketchModel) -> Iterator[Item]:
    """Yield items; no input comes twice, changed or not."""
    seen: set[AnyInput] = set()
    number = 0
    for use in ("learning", "forward", "counterfactual"):
        count = protocol.items.learning if use == "learning" else protocol.items.per_test
        for outcome in OF_TWO:
            for nth in range(count // len(OF_TWO)):
                number += 1
                flips = nth % 2 == 0 if use == "counterfactual" else None
                wanted = _Wanted(use, f"{number:03d}", outcome, flips)
                yield _item(protocol, model, wanted, seen)


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What an item is for, its id, its outcome, and whether its change flips the output."""

    use: Use
    source_id: str
    outcome: str
    flips: bool | None


def _item(
    protocol: Simulatability, model: SketchModel, wanted: _Wanted, seen: set[AnyInput]
) -> Item:
    use, source_id, outcome = wanted.use, wanted.source_id, wanted.outcome
    rng = np.random.Generator(
        np.random.PCG64(seed_of("sketch", protocol.seed, model.domain, use, source_id))
    )
    limits = protocol.items
    most = limits.most_edits if model.domain == "text" else limits.most_edits_tabular
    original, edits = _drawn(model, outcome, wanted.flips, most, rng, seen)
    output = model.output(original)
    label = output if outcome.startswith("true") else next(c for c in model.classes if c != output)
    return Item(
        use=use,
        split=SPLITS[use],
        source_id=source_id,
        original=original,
        true_label=label,
        output=output,
        explanations={}
        if use == "forward"
        else {
            method: explained(method, model, original, protocol.explained, rng)
            for method in protocol.design.methods
            if method != NO_EXPLANATION
        },
        edits=edits,
        edited_output=None if edits is None else model.output(edited(original, edits)),
    )


def _drawn(
    model: SketchModel,
    outcome: str,
    flips: bool | None,
    most: int,
    rng: np.random.Generator,
    seen: set[AnyInput],
) -> tuple[AnyInput, tuple[Edit, ...] | None]:
    """Draw until an input and its change are as wanted and new."""
    while True:
        original = model.drawn(rng)
        output = model.output(original)
        if original in seen or not outcome.endswith(
            "positive" if output == model.classes[1] else "negative"
        ):
            continue
        if flips is None:
            seen.add(original)
            return original, None
        edits = model.changed(original, most, rng)
        changed = edited(original, edits)
        if changed not in seen and (model.output(changed) != output) == flips:
            seen |= {original, changed}
            return original, edits

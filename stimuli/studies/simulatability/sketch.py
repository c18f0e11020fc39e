"""A pack in memory, without a network: made-up items, explained by a made-up model.

Each word or value has a weight for the model, and the sum of weights decides. Explanations of the
model have each method's form. What a sketch shows of a method is an assumption, never a result.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from stimuli.io.canonical import seed_of
from stimuli.maps.origin import NETWORK, Origin
from stimuli.pack import Pack
from stimuli.pack.model import pack_in_memory
from stimuli.protocol import protocol_hash
from stimuli.studies.simulatability import stimulus
from stimuli.studies.simulatability.compose import compose
from stimuli.studies.simulatability.material import (
    OF_TWO,
    DomainMaterial,
    Item,
    Material,
    Use,
    Words,
)
from stimuli.studies.simulatability.protocol import (
    ATTENTION_ROLLOUT,
    NO_EXPLANATION,
    OF_WEIGHTS,
    Explained,
    Simulatability,
)

AnyInput = stimulus.TextInput | stimulus.TableInput
SUBJECTS: Final = (
    "plot", "cast", "story", "music", "ending", "camera", "script", "pace", "humour", "dialogue",
)  # fmt: skip
OPINIONS: Final = {
    "wonderful": 2.0, "moving": 1.5, "clever": 1.2, "warm": 0.9, "funny": 0.7, "solid": 0.4,
    "slow": -0.5, "clumsy": -0.8, "flat": -1.1, "noisy": -1.3, "dull": -1.6, "awful": -2.1,
}  # fmt: skip
FRAMES: Final = (
    ("the", "*", "is", "!", ",", "the", "*", "was", "!", "and", "the", "*", "!"),
    ("with", "its", "!", "*", "and", "!", "*", ",", "the", "*", "seems", "!"),
    ("a", "!", "*", ",", "although", "the", "*", "is", "!", "and", "the", "*", "rather", "!"),
)
"""Sentences, with places for a subject (``*``) and an opinion (``!``)."""
COLUMNS: Final = {
    "Age": {"Age ≤ 28": -0.9, "28 < Age ≤ 37": -0.2, "37 < Age ≤ 48": 0.5, "Age > 48": 0.8},
    "Education": {"School": -1.2, "Vocational": -0.3, "Bachelor": 0.7, "Master": 1.4},
    "Work": {"Private": 0.1, "State": 0.3, "Own business": 0.6, "Other": -0.6},
    "Hours": {"Hours ≤ 20": -1.1, "20 < Hours ≤ 40": -0.1, "40 < Hours ≤ 50": 0.6, "Hours > 50": 1},
    "Home": {"Town": 0.0, "Village": 0.0, "Suburb": 0.0, "Coast": 0.0},
    "Savings": {"None": -0.8, "Some": 0.2, "Many": 1.3, "Unknown": -0.4},
    "Commute": {"On foot": 0.0, "By bicycle": 0.0, "By bus": 0.0, "By car": 0.0},
    "Children": {"No child": 0.1, "One": 0.2, "Two": -0.1, "Three or more": -0.3},
}


@dataclass(frozen=True, slots=True)
class SketchModel:
    """A linear model of a domain, and what its inputs can hold.

    Attributes
    ----------
    domain, classes
        As in the pack; the negative class first.
    weights
        Of every part that an input may hold.
    """

    domain: str
    classes: tuple[str, str]
    weights: Mapping[str, float]

    def weight(self, part: str) -> float:
        """Return a part's weight; 0 if it has none."""
        return self.weights.get(part, 0.0)

    def margin(self, instance: AnyInput) -> float:
        """Return the evidence for the positive class; never quite 0."""
        return round(sum(map(self.weight, instance.parts)), 6) + 0.05

    def output(self, instance: AnyInput) -> str:
        """Return the class that an input is said to be of."""
        return self.classes[self.margin(instance) > 0]

    def drawn(self, rng: np.random.Generator) -> AnyInput:
        """Draw an input."""
        if self.domain == "tabular":
            values = tuple(str(rng.choice(list(levels))) for levels in COLUMNS.values())
            return stimulus.TableInput(columns=tuple(COLUMNS), values=values)
        holes = {"*": SUBJECTS, "!": tuple(OPINIONS)}
        frame = FRAMES[int(rng.integers(len(FRAMES)))]
        return stimulus.TextInput(
            tokens=tuple(str(rng.choice(holes.get(token, (token,)))) for token in frame)
        )

    def levels(self, instance: AnyInput, place: int) -> tuple[str, ...]:
        """Return the other values possible at a place; empty if there are none."""
        part = instance.parts[place]
        if isinstance(instance, stimulus.TableInput):
            known: Sequence[str] = tuple(COLUMNS[instance.columns[place]])
        else:
            known = next(
                (choices for choices in (SUBJECTS, tuple(OPINIONS)) if part in choices), ()
            )
        return tuple(level for level in known if level != part)

    def changed(
        self, instance: AnyInput, most: int, rng: np.random.Generator
    ) -> tuple[stimulus.Edit, ...]:
        """Draw up to some number of edits; one of them changes a part without weight.

        So no path to the boundary, which changes only parts with weight, reveals the output.
        """
        places = [place for place in range(len(instance.parts)) if self.levels(instance, place)]
        idle = [place for place in places if not self._matters(instance, place)]
        count = int(rng.integers(1, most + 1))
        others = rng.choice(places, size=min(count - 1, len(places)), replace=False)
        chosen = {int(rng.choice(idle)), *map(int, others)}
        return tuple(self._edit(instance, place, rng) for place in sorted(chosen))

    def path(self, instance: AnyInput) -> tuple[tuple[stimulus.Edit, ...], ...]:
        """Return the edits so far, step by step, until the output changes: largest first."""
        sign = 1 if self.margin(instance) > 0 else -1
        best = {
            place: min(self.levels(instance, place), key=lambda level: sign * self.weight(level))
            for place in range(len(instance.parts))
            if self._matters(instance, place)
        }
        gain = {place: sign * (self.weight(instance.parts[place]) - self.weight(to))
                for place, to in best.items()}  # fmt: skip
        steps: list[tuple[stimulus.Edit, ...]] = []
        margin = sign * self.margin(instance)
        for place in sorted(gain, key=lambda place: (-gain[place], place)):
            edit = stimulus.Edit(place=place, old=instance.parts[place], new=best[place])
            steps.append((*(steps[-1] if steps else ()), edit))
            margin -= gain[place]
            if margin < 0:
                break
        return tuple(tuple(sorted(step, key=lambda edit: edit.place)) for step in steps)

    def _matters(self, instance: AnyInput, place: int) -> bool:
        return any(self.weight(level) for level in self.levels(instance, place))

    def _edit(self, instance: AnyInput, place: int, rng: np.random.Generator) -> stimulus.Edit:
        new = str(rng.choice(self.levels(instance, place)))
        return stimulus.Edit(place=place, old=instance.parts[place], new=new)


PRECISION = 0.97


def explained(
    method: str,
    model: SketchModel,
    instance: AnyInput,
    rules: Explained,
    rng: np.random.Generator,
) -> stimulus.AnyExplanation:
    """Return a method's explanation of the model's output; of an unknown method, a rationale."""
    match method:
        case "lime":
            return _lime(model, instance, rules)
        case "anchor":
            return _anchor(model, instance)
        case "prototype":
            return _prototype(model, instance, rules, rng)
        case "decision_boundary":
            return _boundary(model, instance, rules.boundary_steps)
        case "omission":
            return stimulus.Omission(
                margin=round(model.margin(instance), 3), terms=_weighted(model, instance)
            )
        case "composite":
            return stimulus.Composite(
                lime=_lime(model, instance, rules),
                anchor=_anchor(model, instance),
                boundary=_boundary(model, instance, 1),
                prototype=_prototype(model, instance, rules, rng),
            )
        case _ if method in OF_WEIGHTS:
            return _weights(model, instance, rules, signed=method != ATTENTION_ROLLOUT)
        case _:
            return _rationale(model, instance)


def _name(instance: AnyInput, place: int) -> str:
    """Return how a part is written in a list; a value that names its column stands alone."""
    part = instance.parts[place]
    if not isinstance(instance, stimulus.TableInput) or instance.columns[place] in part:
        return part
    return f"{instance.columns[place]} = {part}"


def _weighted(model: SketchModel, instance: AnyInput) -> tuple[stimulus.Weighted, ...]:
    """Return all parts that carry weight, from the most negative to the most positive."""
    places: dict[str, list[int]] = {}
    for place in range(len(instance.parts)):
        if model.weight(instance.parts[place]):
            places.setdefault(_name(instance, place), []).append(place)
    named = [
        stimulus.Weighted(
            name=name,
            places=tuple(at),
            weight=round(sum(model.weight(instance.parts[place]) for place in at), 3),
        )
        for name, at in places.items()
    ]
    return tuple(sorted(named, key=lambda term: term.weight))


def _strongest(model: SketchModel, instance: AnyInput, count: int) -> tuple[stimulus.Weighted, ...]:
    every = sorted(_weighted(model, instance), key=lambda term: -abs(term.weight))
    return tuple(every[:count])


def _lime(model: SketchModel, instance: AnyInput, rules: Explained) -> stimulus.Lime:
    features = _strongest(model, instance, rules.lime_features)
    scaled = tuple(
        feature.model_copy(update={"weight": round(feature.weight / 10, 3)}) for feature in features
    )
    weights_sum = round(sum(term.weight for term in scaled), 3)
    baseline = round(0.5 + model.margin(instance) / 10 - weights_sum, 3)
    return stimulus.Lime(
        features=scaled,
        baseline=baseline,
        weights_sum=weights_sum,
        total=round(baseline + weights_sum, 3),
    )


def _weights(
    model: SketchModel, instance: AnyInput, rules: Explained, *, signed: bool
) -> stimulus.Weights:
    strongest = _strongest(model, instance, rules.lime_features)
    terms = (
        strongest
        if signed
        else tuple(term.model_copy(update={"weight": abs(term.weight)}) for term in strongest)
    )
    ordered = tuple(sorted(terms, key=lambda term: -term.weight))
    return stimulus.Weights(target=model.classes[1] if signed else None, terms=ordered)


def _speaking(model: SketchModel, instance: AnyInput) -> list[stimulus.Weighted]:
    """Return the parts that speak for the model's output, the strongest first."""
    sign = 1 if model.margin(instance) > 0 else -1
    every = _strongest(model, instance, len(instance.parts))
    return [term for term in every if sign * term.weight > 0]


def _anchor(model: SketchModel, instance: AnyInput) -> stimulus.Anchor:
    return stimulus.Anchor(
        outcome=model.output(instance),
        conditions=tuple(
            stimulus.Condition(name=term.name, places=term.places)
            for term in _speaking(model, instance)[:3]
        ),
        precision=PRECISION,
        coverage=0.1,
    )


def _prototype(
    model: SketchModel, instance: AnyInput, rules: Explained, rng: np.random.Generator
) -> stimulus.Prototype:
    output = model.output(instance)
    other = model.drawn(rng)
    while model.output(other) != output:
        other = model.drawn(rng)
    terms = _strongest(model, instance, rules.prototype_terms)
    return stimulus.Prototype(
        prototype=other,
        label=output,
        evidence=round(10 * model.margin(instance), 2),
        terms=tuple(sorted(terms, key=lambda term: term.weight)),
    )


def _boundary(model: SketchModel, instance: AnyInput, steps: int) -> stimulus.Boundary:
    path = model.path(instance)
    return stimulus.Boundary(
        target=model.output(stimulus.edited(instance, path[-1])),
        margin=round(model.margin(instance), 3),
        steps=tuple(
            stimulus.BoundaryStep(
                edits=edits, margin=round(model.margin(stimulus.edited(instance, edits)), 3)
            )
            for edits in path[-steps:]
        ),
    )


def _rationale(model: SketchModel, instance: AnyInput) -> stimulus.Rationale:
    speaking = _speaking(model, instance)[:2]
    words = " and ".join(term.name for term in speaking) or "Nothing"
    places = sorted(place for term in speaking for place in term.places)
    return stimulus.Rationale(
        text=f"{words} speaks for {model.output(instance)}.", places=tuple(places)
    )


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
                plan = _Plan(use, f"{number:03d}", outcome, flips)
                yield _item(protocol, model, plan, seen)


@dataclass(frozen=True, slots=True)
class _Plan:
    """What an item is for, its id, its outcome, and whether its change flips the output."""

    use: Use
    source_id: str
    outcome: str
    flips: bool | None


def _item(protocol: Simulatability, model: SketchModel, plan: _Plan, seen: set[AnyInput]) -> Item:
    use, source_id, outcome = plan.use, plan.source_id, plan.outcome
    rng = np.random.Generator(
        np.random.PCG64(seed_of("sketch", protocol.seed, model.domain, use, source_id))
    )
    limits = protocol.items
    most = limits.most_edits if model.domain == "text" else limits.most_edits_tabular
    original, edits = _drawn(model, outcome, plan.flips, most, rng, seen)
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
        edited_output=None if edits is None else model.output(stimulus.edited(original, edits)),
    )


def _drawn(
    model: SketchModel,
    outcome: str,
    flips: bool | None,
    most: int,
    rng: np.random.Generator,
    seen: set[AnyInput],
) -> tuple[AnyInput, tuple[stimulus.Edit, ...] | None]:
    """Draw until an input and its change are new and as wanted."""
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
        changed = stimulus.edited(original, edits)
        if changed not in seen and (model.output(changed) != output) == flips:
            seen |= {original, changed}
            return original, edits

"""How a made-up model explains itself, in each method's form."""

import numpy as np

from stimuli.studies.simulatability.explanations import (
    Anchor,
    AnyExplanation,
    Boundary,
    BoundaryStep,
    Composite,
    Condition,
    Lime,
    Omission,
    Prototype,
    Rationale,
    Weighted,
    Weights,
)
from stimuli.studies.simulatability.inputs import TableInput, edited
from stimuli.studies.simulatability.protocol import Explained
from stimuli.studies.simulatability.sketch_model import AnyInput, SketchModel

PRECISION = 0.97


def explained(
    method: str,
    model: SketchModel,
    given: AnyInput,
    rules: Explained,
    rng: np.random.Generator,
) -> AnyExplanation:
    """Return a method's explanation of the model's output; of an unknown method, a rationale."""
    match method:
        case "lime":
            return _lime(model, given, rules)
        case "anchor":
            return _anchor(model, given)
        case "prototype":
            return _prototype(model, given, rules, rng)
        case "decision_boundary":
            return _boundary(model, given, rules.boundary_steps)
        case "omission":
            return Omission(margin=round(model.margin(given), 3), terms=_weighted(model, given))
        case "composite":
            return Composite(
                lime=_lime(model, given, rules),
                anchor=_anchor(model, given),
                boundary=_boundary(model, given, 1),
                prototype=_prototype(model, given, rules, rng),
            )
        case "integrated_gradients" | "kernel_shap" | "attention_rollout":
            return _weights(model, given, rules, signed=method != "attention_rollout")
        case _:
            return _rationale(model, given)


def _name(given: AnyInput, place: int) -> str:
    """Return how a part is written in a list; a value that names its column stands alone."""
    part = given.parts[place]
    if not isinstance(given, TableInput) or given.columns[place] in part:
        return part
    return f"{given.columns[place]} = {part}"


def _weighted(model: SketchModel, given: AnyInput) -> tuple[Weighted, ...]:
    """Return all parts that carry weight, from the most negative to the most positive."""
    places: dict[str, list[int]] = {}
    for place in range(len(given.parts)):
        if model.weight(given.parts[place]):
            places.setdefault(_name(given, place), []).append(place)
    named = [
        Weighted(
            name=name,
            places=tuple(own),
            weight=round(sum(model.weight(given.parts[place]) for place in own), 3),
        )
        for name, own in places.items()
    ]
    return tuple(sorted(named, key=lambda one: one.weight))


def _strongest(model: SketchModel, given: AnyInput, count: int) -> tuple[Weighted, ...]:
    every = sorted(_weighted(model, given), key=lambda one: -abs(one.weight))
    return tuple(every[:count])


def _lime(model: SketchModel, given: AnyInput, rules: Explained) -> Lime:
    features = _strongest(model, given, rules.lime_features)
    scaled = tuple(one.model_copy(update={"weight": round(one.weight / 10, 3)}) for one in features)
    weights_sum = round(sum(one.weight for one in scaled), 3)
    baseline = round(0.5 + model.margin(given) / 10 - weights_sum, 3)
    return Lime(
        features=scaled,
        baseline=baseline,
        weights_sum=weights_sum,
        total=round(baseline + weights_sum, 3),
    )


def _weights(model: SketchModel, given: AnyInput, rules: Explained, *, signed: bool) -> Weights:
    strongest = _strongest(model, given, rules.lime_features)
    terms = (
        strongest
        if signed
        else tuple(one.model_copy(update={"weight": abs(one.weight)}) for one in strongest)
    )
    ordered = tuple(sorted(terms, key=lambda one: -one.weight))
    return Weights(target=model.classes[1] if signed else None, terms=ordered)


def _speaking(model: SketchModel, given: AnyInput) -> list[Weighted]:
    """Return the parts that speak for the model's output, the strongest first."""
    sign = 1 if model.margin(given) > 0 else -1
    every = _strongest(model, given, len(given.parts))
    return [one for one in every if sign * one.weight > 0]


def _anchor(model: SketchModel, given: AnyInput) -> Anchor:
    return Anchor(
        outcome=model.output(given),
        conditions=tuple(
            Condition(name=one.name, places=one.places) for one in _speaking(model, given)[:3]
        ),
        precision=PRECISION,
        coverage=0.1,
    )


def _prototype(
    model: SketchModel, given: AnyInput, rules: Explained, rng: np.random.Generator
) -> Prototype:
    output = model.output(given)
    other = model.drawn(rng)
    while model.output(other) != output:
        other = model.drawn(rng)
    terms = _strongest(model, given, rules.prototype_terms)
    return Prototype(
        prototype=other,
        label=output,
        evidence=round(10 * model.margin(given), 2),
        terms=tuple(sorted(terms, key=lambda one: one.weight)),
    )


def _boundary(model: SketchModel, given: AnyInput, steps: int) -> Boundary:
    path = model.path(given)
    return Boundary(
        target=model.output(edited(given, path[-1])),
        margin=round(model.margin(given), 3),
        steps=tuple(
            BoundaryStep(edits=edits, margin=round(model.margin(edited(given, edits)), 3))
            for edits in path[-steps:]
        ),
    )


def _rationale(model: SketchModel, given: AnyInput) -> Rationale:
    speaking = _speaking(model, given)[:2]
    words = " and ".join(one.name for one in speaking) or "Nothing"
    places = sorted(place for one in speaking for place in one.places)
    return Rationale(text=f"{words} speaks for {model.output(given)}.", places=tuple(places))

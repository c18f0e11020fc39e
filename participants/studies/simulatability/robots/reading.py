"""What an explanation says to somebody who reads it: which parts speak for which class.

All weights are signed for one class and scaled so that the largest is 1: methods state theirs in
units of their own.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from statistics import mean

from stimuli.studies.simulatability import stimulus

Feature = tuple[str, str]
"""A part, whatever its place: a column (empty for texts) and a value or word."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What a robot reads from an explanation.

    Attributes
    ----------
    weights
        Weights of the input's parts, by place.
    new
        Weights of values that replace a part, by place and value.
    needed
        Places of all parts that a rule needs; empty without a rule.
    """

    weights: Mapping[int, float] = field(default_factory=dict)
    new: Mapping[tuple[int, str], float] = field(default_factory=dict)
    needed: frozenset[int] = frozenset()


def features_of(given: stimulus.TextInput | stimulus.TableInput) -> tuple[Feature, ...]:
    """Return an input's parts as features, by place."""
    columns = given.columns if isinstance(given, stimulus.TableInput) else ("",) * len(given.parts)
    return tuple((c, part.lower()) for c, part in zip(columns, given.parts, strict=True))


def read(explanation: stimulus.AnyExplanation, output: str, name: str, positive: str) -> Reading:
    """Return an explanation's reading for a class.

    Parameters
    ----------
    explanation
        The explanation.
    output
        The output that it explains.
    name
        The class.
    positive
        The class that weights without a class of their own are signed for; of two the positive one.
    """
    match explanation:
        case stimulus.Composite():
            parts = (explanation.lime, explanation.anchor, explanation.boundary)
            parts = (*parts, explanation.prototype)
            every = [read(part, output, name, positive) for part in parts]
            return _together(every)
        case stimulus.Anchor():
            sign = 1 if explanation.outcome == name else -1
            needed = _places(explanation.conditions)
            return Reading(dict.fromkeys(needed, float(sign)), needed=needed)
        case stimulus.Boundary():
            return _read_path(explanation, 1 if explanation.target == name else -1)
        case stimulus.Rationale():
            return Reading(dict.fromkeys(explanation.places, 1.0 if output == name else -1.0))
        case stimulus.Weights():
            signed_for = explanation.target or output
        case _:
            signed_for = positive
    terms = getattr(explanation, "features", None) or getattr(explanation, "terms", ())
    sign = 1 if signed_for == name else -1
    return Reading(_scaled({place: sign * weight for place, weight in _by_place(terms).items()}))


def _places(conditions: Iterable) -> frozenset[int]:
    return frozenset(place for condition in conditions for place in condition.places)


def _by_place(terms: Iterable[stimulus.Weighted]) -> dict[int, float]:
    """Return each place's share of its term's weight, since a term may stand in several places."""
    return {place: term.weight / len(term.places) for term in terms for place in term.places}


def _read_path(path: stimulus.Boundary, target: int) -> Reading:
    """Read a path: replaced parts speak for the output, their replacements for the target.

    Edits between two shown steps share the gain evenly. If margins aren't shown, each step gains 1.
    """
    weights: dict[int, float] = {}
    new: dict[tuple[int, str], float] = {}
    for edit, gain in _gains(path):
        weights[edit.place] = -target * gain
        new[edit.place, edit.new] = target * gain
    return Reading(_scaled(weights), _scaled(new))


def _gains(path: stimulus.Boundary) -> Iterator[tuple[stimulus.Edit, float]]:
    margin, seen = path.margin, frozenset[stimulus.Edit]()
    for step in path.steps:
        fresh = [edit for edit in step.edits if edit not in seen]
        known = margin is not None and step.margin is not None
        gain = abs(step.margin - margin) if known else 1.0
        for edit in fresh:
            yield edit, gain / len(fresh)
        margin, seen = step.margin, seen | set(step.edits)


def _scaled(weights: Mapping) -> dict:
    most = max((abs(weight) for weight in weights.values()), default=0.0)
    return {place: weight / most for place, weight in weights.items()} if most else dict(weights)


def _together(readings: Iterable[Reading]) -> Reading:
    """Return the mean of several readings; a reading without a place isn't counted there."""
    every = list(readings)
    weights = _means(reading.weights for reading in every)
    return Reading(weights, _means(reading.new for reading in every))


def _means(tables: Iterable[Mapping]) -> dict:
    found: dict = {}
    for table in tables:
        for place, weight in table.items():
            found.setdefault(place, []).append(weight)
    return {place: mean(weights) for place, weights in found.items()}

"""What an explanation marks in an input: weights in colour and number, rules by frames."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from experiments.studies.simulatability.said import Said
from stimuli.studies.simulatability.stimulus import (
    Anchor,
    AnyExplanation,
    Lime,
    Omission,
    Prototype,
    Rationale,
    Weighted,
    Weights,
)


@dataclass(frozen=True, slots=True)
class Mark:
    """How a place of an input is marked; see `phrases.Phrase`."""

    share: float | None = None
    number: str = ""
    framed: bool = False


Marks = Mapping[int, Mark]


def marks_of(said: Said, explanations: Sequence[AnyExplanation]) -> Marks:
    """Return the marks of explanations that are shown together, by place."""
    marks: dict[int, Mark] = {}
    for explanation in explanations:
        match explanation:
            case Lime():
                marks |= _weighted(said, explanation.features)
            case Omission() | Prototype():
                marks |= _weighted(said, explanation.terms)
            case Weights():
                signed = explanation.target is not None
                marks |= _weighted(said, explanation.terms, signed=signed)
            case Anchor():
                places = (place for one in explanation.conditions for place in one.places)
                marks |= _framed(marks, places)
            case Rationale():
                marks |= _framed(marks, explanation.places)
    return marks


def _weighted(said: Said, terms: Sequence[Weighted], *, signed: bool = True) -> dict[int, Mark]:
    largest = max((abs(term.weight) for term in terms), default=0.0) or 1.0
    # Where two terms name a place, the heavier one marks it: the list beside it has both.
    lightest_first = sorted(terms, key=lambda term: abs(term.weight))
    return {
        place: Mark(term.weight / largest, said.number(term.weight, signed=signed))
        for term in lightest_first
        for place in term.places
    }


def _framed(marks: Marks, places: Iterable[int]) -> dict[int, Mark]:
    return {place: replace(marks.get(place, Mark()), framed=True) for place in places}

"""One scale for all bars of evidence that a person sees, so that their lengths can be compared."""

from collections.abc import Iterable, Iterator

from stimuli.studies.simulatability.explanations import (
    AnyExplanation,
    Boundary,
    Composite,
    Prototype,
)
from stimuli.studies.simulatability.stimulus import CaseStimulus


def most_evidence(stimuli: Iterable[CaseStimulus]) -> dict[str, float]:
    """Return the largest evidence that is shown as a bar, without its sign, by domain."""
    most: dict[str, float] = {}
    for stimulus in stimuli:
        for evidence in _shown(stimulus.explanation):
            most[stimulus.domain] = max(most.get(stimulus.domain, 0.0), abs(evidence))
    return most


def _shown(explanation: AnyExplanation | Composite | None) -> Iterator[float]:
    match explanation:
        case Composite():
            yield from _shown(explanation.boundary)
            yield from _shown(explanation.prototype)
        case Boundary():
            margins = (explanation.margin, *(step.margin for step in explanation.steps))
            yield from (margin for margin in margins if margin is not None)
        case Prototype():
            yield explanation.evidence

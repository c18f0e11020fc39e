"""How well explanations by weights of words foretell the model's answer without these words.

The scores of `xai_backend.metrics.perturbation`, with words in place of pixels. They are those of
what people see: words that an explanation doesn't list count 0.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from stimuli.studies.simulatability.material import Item
from stimuli.studies.simulatability.stimulus import (
    AnyExplanation,
    Lime,
    Omission,
    TextInput,
    Weighted,
    Weights,
)
from xai_backend.studies.simulatability.methods.left_out import shown_words
from xai_backend.studies.simulatability.trained import Reals, Trained


def with_scores(items: Sequence[Item], trained: Trained) -> list[Item]:
    """Return items whose explanations by weights of words have scores; others as they are."""
    if trained.space is None or trained.domain != "text":
        return list(items)
    return [replace(item, scores=_scores_of(item, trained)) for item in items]


def _scores_of(item: Item, trained: Trained) -> dict[str, dict[str, float]]:
    from xai_backend.metrics import perturbation  # with torch, which outputs alone don't need

    assert isinstance(item.original, TextInput)
    asked, count = shown_words(trained, item.original, item.output), len(item.original.tokens)
    found = {}
    for method, explanation in item.explanations.items():
        values = relevance(explanation, count, item.output, trained.classes)
        if values is not None:
            found[method] = perturbation.faithfulness(asked, values)
    return found


def relevance(
    explanation: AnyExplanation, count: int, output: str, classes: Sequence[str]
) -> Reals | None:
    """Return how much each word speaks for the output, (words,); None if there are no weights.

    Parameters
    ----------
    explanation
        The explanation.
    count
        The number of words.
    output, classes
        The model's output, and all classes; of two the second is the positive one.
    """
    terms, target = _weights_in(explanation)
    if not terms:
        return None
    values = np.zeros(count)
    for term in terms:
        values[list(term.places)] = term.weight
    against = target and len(classes) == 2 and output != classes[1]
    return -values if against else values


def _weights_in(explanation: AnyExplanation) -> tuple[tuple[Weighted, ...], bool]:
    """Return an explanation's weights, and whether they speak for a class."""
    match explanation:
        case Weights():
            return explanation.terms, explanation.target is not None
        case Lime():
            return explanation.features, True
        case Omission():
            return explanation.terms, True
        case _:
            return (), False

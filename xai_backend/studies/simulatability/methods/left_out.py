"""Weights of words by taking them away: occlusion, and SHAP over a tree of words.

Words are taken away from the text that the model reads. The explained value is the probability of
the positive class of two, else of the output. Both methods explain any model.

**Occlusion** (Zeiler & Fergus 2014; of words Li et al. 2016): the value less that without the word.

**Partition SHAP** (the package ``shap``): Owen values over a balanced binary tree of neighbouring
words (Owen 1977). A group's worth is shared by its two halves as Shapley shares it between two
players; so each is added half the time with the other half there, and half the time without. The
weights sum to the value less that of no words.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import product

import numpy as np
from numpy.typing import NDArray

from stimuli.studies.simulatability.material import Item
from stimuli.studies.simulatability.protocol import WORD_OCCLUSION
from stimuli.studies.simulatability.stimulus import (
    AnyExplanation,
    Lime,
    Omission,
    TextInput,
    Weighted,
    Weights,
)
from xai_backend.studies.simulatability.methods.around import (
    CachedAnswers,
    Codes,
    explained_share,
    shown_weights,
)
from xai_backend.studies.simulatability.trained import AnyInput, Reals, Trained, outputs_of


def with_scores(items: Sequence[Item], trained: Trained) -> list[Item]:
    """Return items whose explanations by weights of words have scores; others as they are."""
    if trained.space is None or trained.domain != "text":
        return list(items)
    return [replace(item, scores=_scores_of(item, trained)) for item in items]


def _scores_of(item: Item, trained: Trained) -> dict[str, dict[str, float]]:
    from xai_backend.metrics import perturbation  # with torch, which outputs alone don't need

    assert isinstance(item.original, TextInput)
    answer, count = shown_words(trained, item.original, item.output), len(item.original.tokens)
    scores = {}
    for method, explanation in item.explanations.items():
        values = relevance(explanation, count, item.output, trained.classes)
        if values is not None:
            scores[method] = perturbation.faithfulness(answer, values)
    return scores


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


Shares = Callable[[NDArray[np.bool_]], Reals]


def weights_without_words(method: str, trained: Trained, sentence: TextInput, most: int) -> Weights:
    """Return the words that count most, by ``word_occlusion`` or ``partition_shap``."""
    target = trained.classes[1]
    if len(trained.classes) > 2:
        (target,) = outputs_of(trained.model, [sentence])
    answers = CachedAnswers(explained_share(trained.model, target), partial(_with_words, sentence))
    weigh = occlusion if method == WORD_OCCLUSION else partition_shap
    return shown_weights(sentence, weigh(answers, len(sentence.tokens)), target, most)


def shown_words(trained: Trained, sentence: TextInput, output: str) -> Shares:
    """Return a function from what is shown of a text, bool (n, words), to the output's probability.

    The model is asked once for each text.
    """
    answers = CachedAnswers(explained_share(trained.model, output), partial(_with_words, sentence))
    turned = len(trained.classes) == 2 and output != trained.classes[1]

    def share(visible: NDArray[np.bool_]) -> Reals:
        values = answers.values(visible.astype(np.int8))
        return 1 - values if turned else values

    return share


def _with_words(sentence: TextInput, codes: Codes) -> list[AnyInput]:
    rows = codes.astype(bool)
    return [sentence.replaced(np.where(row, sentence.tokens, "").tolist()) for row in rows]


def occlusion(answers: CachedAnswers, count: int) -> Reals:
    """Return what each word's absence takes away, (words,)."""
    codes = np.vstack([np.ones(count, np.int8), 1 - np.eye(count, dtype=np.int8)])
    values = answers.values(codes)
    return values[0] - values[1:]


def partition_shap(answers: CachedAnswers, count: int) -> Reals:
    """Return the Owen values of words, (words,)."""
    with_word: list[Codes] = []
    owners = []
    for word in range(count):
        siblings = list(_siblings(word, count))
        for there in product((0, 1), repeat=len(siblings)):
            row = np.zeros(count, np.int8)
            for sibling, present in zip(siblings, there, strict=True):
                row[sibling] = present
            row[word] = 1
            with_word.append(row)
            owners.append(word)
    place, rows = np.array(owners), np.array(with_word)
    without = rows.copy()
    without[np.arange(len(rows)), place] = 0
    gains = answers.values(rows) - answers.values(without)
    return np.bincount(place, gains) / np.bincount(place)


def _siblings(word: int, count: int) -> Iterator[slice]:
    """Yield the other half of each group that a word is in, from the whole sentence down."""
    begin, end = 0, count
    while end - begin > 1:
        middle = (begin + end) // 2
        if word < middle:
            yield slice(middle, end)
            end = middle
        else:
            yield slice(begin, middle)
            begin = middle

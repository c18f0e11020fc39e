"""Weights of words by taking them away: occlusion, and SHAP over a tree of words.

Words are taken away from the text that the model reads. The explained value is the probability of
the positive class of two, else of the output. Both methods explain any model.

**Occlusion** (Zeiler & Fergus 2014; of words Li et al. 2016): the value less that without the word.

**Partition SHAP** (the package ``shap``): Owen values over a balanced binary tree of neighbouring
words (Owen 1977). A group's worth is shared by its two halves as Shapley shares it between two
players; so each is added half the time with the other half there, and half the time without. The
weights sum to the value less that of no words.
"""

from collections.abc import Callable, Iterator
from functools import partial
from itertools import product

import numpy as np
from numpy.typing import NDArray

from stimuli.studies.simulatability.protocol import WORD_OCCLUSION
from stimuli.studies.simulatability.stimulus import TextInput, Weights
from xai_backend.studies.simulatability.methods.around import Asked, Codes, explained_share
from xai_backend.studies.simulatability.methods.naming import shown_weights
from xai_backend.studies.simulatability.trained import AnyInput, Reals, Trained, outputs_of

Shares = Callable[[NDArray[np.bool_]], Reals]


def weights_without_words(method: str, trained: Trained, given: TextInput, most: int) -> Weights:
    """Return the words that count most, by ``word_occlusion`` or ``partition_shap``."""
    target = trained.classes[1]
    if len(trained.classes) > 2:
        (target,) = outputs_of(trained.model, [given])
    asked = Asked(explained_share(trained.model, target), partial(_with_words, given))
    found = occlusion if method == WORD_OCCLUSION else partition_shap
    return shown_weights(given, found(asked, len(given.tokens)), target, most)


def shown_words(trained: Trained, given: TextInput, output: str) -> Shares:
    """Return a function from what is shown of a text, bool (n, words), to the output's probability.

    The model is asked once for each text.
    """
    asked = Asked(explained_share(trained.model, output), partial(_with_words, given))
    turned = len(trained.classes) == 2 and output != trained.classes[1]

    def share(shown: NDArray[np.bool_]) -> Reals:
        values = asked.values(shown.astype(np.int8))
        return 1 - values if turned else values

    return share


def _with_words(given: TextInput, codes: Codes) -> list[AnyInput]:
    rows = codes.astype(bool)
    return [given.replaced(np.where(row, given.tokens, "").tolist()) for row in rows]


def occlusion(asked: Asked, count: int) -> Reals:
    """Return what each word's absence takes away, (words,)."""
    codes = np.vstack([np.ones(count, np.int8), 1 - np.eye(count, dtype=np.int8)])
    values = asked.values(codes)
    return values[0] - values[1:]


def partition_shap(asked: Asked, count: int) -> Reals:
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
    gains = asked.values(rows) - asked.values(without)
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

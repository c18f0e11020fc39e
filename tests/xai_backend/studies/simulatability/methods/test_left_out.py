"""Weights of words by taking them away, against their definitions."""

from itertools import product
from types import SimpleNamespace
from typing import ClassVar

import numpy as np
import pytest

from stimuli.studies.simulatability.stimulus import TextInput
from xai_backend.studies.simulatability.methods.left_out import weights_without_words

GIVEN = TextInput(tokens=("a", "not", "good", "film", ",", "no", "."), glued=(4, 6))
WEIGHTS = {"good": 2.0, "film": -0.3, "no": -1.0, "a": 0.2}


class Model:
    """A model with interactions: `not` turns `good`, and `no` counts only at the end."""

    classes = ("bad", "good")
    asked: ClassVar[list[str]] = []

    def margins(self, inputs):
        return np.array([self.margin(one.text) for one in inputs])

    def margin(self, text):
        self.asked.append(text)
        words = text.replace(",", " ,").replace(".", " .").split()
        total = sum(WEIGHTS.get(word, 0) for word in words)
        if "not" in words and "good" in words:
            total -= 3
        return total * (1.5 if "." in words and "no" in words else 1)


def share(kept):
    text = GIVEN.replaced([t if k else "" for t, k in zip(GIVEN.tokens, kept, strict=True)]).text
    return 1 / (1 + np.exp(-Model().margin(text)))


def explained(method):
    trained = SimpleNamespace(model=Model(), classes=Model.classes)
    found = weights_without_words(method, trained, GIVEN, len(GIVEN.tokens))
    assert found.target == "good"
    by_place = {term.places[0]: term.weight for term in found.terms}
    return [by_place.get(place, 0.0) for place in range(len(GIVEN.tokens))]


def orders(places):
    """Yield every order in which each half of each group comes as a whole."""
    if len(places) == 1:
        yield places
        return
    middle = len(places) // 2
    for left, right in product(orders(places[:middle]), orders(places[middle:])):
        yield left + right
        yield right + left


def test_partition_shap_is_owens_mean_over_orders_that_keep_groups_together():
    count = len(GIVEN.tokens)
    every = list(orders(list(range(count))))
    slow = np.zeros(count)
    for order in every:
        kept = [False] * count
        for place in order:
            before = share(kept)
            kept[place] = True
            slow[place] += (share(kept) - before) / len(every)
    found = explained("partition_shap")
    assert found == pytest.approx(slow, abs=2e-6)
    assert sum(found) == pytest.approx(share([True] * count) - share([False] * count), abs=1e-5)


def test_occlusion_takes_one_word_away():
    count = len(GIVEN.tokens)
    slow = [share([True] * count) - share([k != place for k in range(count)])
            for place in range(count)]  # fmt: skip
    assert explained("word_occlusion") == pytest.approx(slow, abs=1e-6)
    assert "a not good film, no" in Model.asked
    assert "a good film, no." in Model.asked

"""Scores of weights of words: by hand on a model of few words, and through a pack to the report."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy.special import expit

from stimuli.studies.simulatability.material import Item
from stimuli.studies.simulatability.stimulus import (
    Anchor,
    Lime,
    TextInput,
    Weighted,
    Weights,
)
from xai_backend.metrics import perturbation
from xai_backend.studies.simulatability.methods.left_out import relevance, with_scores

WORDS = ("so", "very", "good", "and", "not", "bad", "at", "all")
WORTH = {"good": 2.0, "bad": -1.0, "not": 0.5}
CLASSES = ("neg", "pos")


def margins(inputs):
    return np.array([sum(WORTH.get(word, 0.0) for word in one.tokens) for one in inputs])


MODEL = SimpleNamespace(classes=CLASSES, margins=margins)
TRAINED = SimpleNamespace(domain="text", space=(), model=MODEL, classes=CLASSES)


def share(shown, output):
    said = expit(sum(WORTH.get(word, 0.0) for word, one in zip(WORDS, shown, strict=True) if one))
    return said if output == "pos" else 1 - said


def item_of(output, **explanations):
    return Item("counterfactual", "test", "1", TextInput(tokens=WORDS), "pos", output,
                explanations=explanations)  # fmt: skip


@pytest.mark.parametrize("output", CLASSES)
def test_scores_follow_their_definitions_word_by_word(output):
    terms = tuple(
        Weighted(name=word, places=(WORDS.index(word),), weight=worth)
        for word, worth in WORTH.items()
    )
    item = item_of(output, mine=Weights(target="pos", terms=terms))
    (scored,) = with_scores([item], TRAINED)
    values = np.array([WORTH.get(word, 0.0) for word in WORDS])
    values = values if output == "pos" else -values
    whole, order = share(np.ones(8, bool), output), np.argsort(perturbation.ranks(values))
    without, alone = [], []
    for part in perturbation.KEPT:
        top = np.isin(np.arange(8), order[: max(1, round(part * 8))])
        without.append(whole - share(~top, output))
        alone.append(whole - share(top, output))
    parts = perturbation._parts((8,))
    assert parts.sum(axis=1).tolist() == [2] * perturbation.PARTS
    falls = np.array([whole - share(~part, output) for part in parts])
    mass = parts @ values
    scale = (mass @ falls) / (mass @ mass)
    assert scored.scores["mine"] == pytest.approx(
        {
            "comprehensiveness": np.mean(without),
            "sufficiency": np.mean(alone),
            "infidelity": np.mean((scale * mass - falls) ** 2),
        },
        abs=1e-6,
    )
    assert scored.scores["mine"]["comprehensiveness"] > 0.1


def test_only_weights_have_scores_and_only_where_a_model_is_at_hand():
    rule = Anchor(outcome="pos", conditions=(), precision=None, coverage=None)
    item = item_of("pos", rule=rule)
    assert with_scores([item], TRAINED)[0].scores == {}
    outputs_alone = SimpleNamespace(domain="text", space=None)
    assert with_scores([item], outputs_alone) == [item]


def test_a_word_in_two_places_has_its_weight_in_both_and_attention_speaks_for_no_class():
    term = Weighted(name="good", places=(0, 2), weight=0.5)
    lime = Lime(features=(term,), baseline=0.4, weights_sum=0.5, total=0.9)
    assert relevance(lime, 3, "pos", CLASSES).tolist() == [0.5, 0, 0.5]
    assert relevance(lime, 3, "neg", CLASSES).tolist() == [-0.5, 0, -0.5]
    attention = Weights(target=None, terms=(term,))
    assert relevance(attention, 3, "neg", CLASSES).tolist() == [0.5, 0, 0.5]

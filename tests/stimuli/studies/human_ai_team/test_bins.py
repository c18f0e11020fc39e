"""Bins, against the published definition written out case by case."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stimuli.protocol import load_protocol
from stimuli.studies.human_ai_team.material import (
    AiAnswer,
    band_of,
    band_of_percent,
    bin_of,
    shown_percent,
    weights,
)

LIMITS = load_protocol("human_ai_team").bins


def bin_by_definition(p, correct, adversarial):
    """Nguyen et al. 2021, section 2: easy, medium, hard."""
    if 0.3 <= p < 0.4 or 0.6 <= p < 0.8:
        return None
    if adversarial:
        if correct:
            return None
        return "adversarial_" + ("easy" if p < 0.3 else "medium" if p < 0.6 else "hard")
    if correct:
        return "right_" + ("hard" if p < 0.3 else "medium" if p < 0.6 else "easy")
    return "wrong_" + ("easy" if p < 0.3 else "medium" if p < 0.6 else "hard")


EDGES = st.sampled_from([0.0, 0.29999, 0.3, 0.39999, 0.4, 0.59999, 0.6, 0.79999, 0.8, 1.0])


@given(st.floats(0, 1) | EDGES, st.booleans(), st.booleans())
def test_every_confidence_is_in_the_bin_of_the_definition(p, correct, adversarial):
    assert bin_of(p, correct, adversarial, LIMITS) == bin_by_definition(p, correct, adversarial)


@given(st.floats(0, 1) | EDGES)
def test_a_confidence_in_a_band_is_in_the_same_by_its_whole_per_cent(p):
    """Rounding takes no image of the bins out of its band; so old tables can be read."""
    if band_of(p, LIMITS) is not None:
        assert band_of_percent(shown_percent(p), LIMITS) == band_of(p, LIMITS)


@pytest.mark.parametrize(("p", "percent"), [(0.005, 1), (0.295, 30), (0.125, 13), (0.994, 99)])
def test_halves_are_rounded_upwards(p, percent):
    """Not to the even number, as Python's own `round` does."""
    assert shown_percent(p) == percent


def test_weights_are_shares_of_the_images_in_the_bins():
    """Counted by hand: six images, one of which lies between the bins."""
    answers = [(0.9, True), (1.0, True), (0.5, True), (0.7, True), (0.1, False), (0.85, False)]
    found = weights((AiAnswer(str(nth), *one) for nth, one in enumerate(answers)), LIMITS)
    assert found == {
        "right_easy": 0.4,
        "right_medium": 0.2,
        "right_hard": 0.0,
        "wrong_easy": 0.2,
        "wrong_medium": 0.0,
        "wrong_hard": 0.2,
    }
    assert weights([AiAnswer("a", 0.7, True)], LIMITS) == {}

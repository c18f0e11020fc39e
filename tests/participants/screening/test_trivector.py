"""Staircases and the trivector."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from participants.screening.trivector import GapTrial, Staircase, Trivector
from stimuli.colour.spaces import AXES
from stimuli.screening.gap_plates import GAPS
from tests.participants.screening.rules import RULES, changed


def _answered(right_share: float, seed: int) -> tuple[Trivector, list[GapTrial]]:
    """Answer a trivector, a stated share of it rightly and all catch trials."""
    state, trials, rng = Trivector.start(RULES, seed), [], np.random.default_rng(seed)
    while (trial := state.trial) is not None:
        trials.append(trial)
        wrong = GAPS[(GAPS.index(trial.gap) + 1) % 4]
        state = state.answer(
            trial.gap if trial.axis is None or rng.random() < right_share else wrong
        )
    return state, trials


def test_a_staircase_follows_the_rule_step_by_step() -> None:
    """Halved until the first wrong answer; then a step down, or three up."""
    stairs, seen = Staircase(RULES, "deutan", RULES.start_1e4), []
    for right in (True, True, True, False, True, False, False):
        stairs = stairs.answered(right)
        seen.append(stairs.excursion_1e4)
    f = RULES.factor
    by_hand = [500, 250, 125, 125 * f**3, 125 * f**2, 125 * f**5, 125 * f**8]
    assert seen == pytest.approx(by_hand)
    assert stairs.turns_1e4 == pytest.approx((125, 125 * f**3, 125 * f**2))


def test_a_staircase_stays_below_its_start_and_ends_at_the_ceiling() -> None:
    stairs = Staircase(RULES, "protan", RULES.start_1e4)
    for _ in range(RULES.ceiling_errors):
        assert not stairs.done
        stairs = stairs.answered(False)
        assert stairs.excursion_1e4 == RULES.start_1e4
    assert stairs.done
    found = stairs.threshold()
    assert (found.at_ceiling, found.threshold_1e4, found.se_1e4) == (True, RULES.start_1e4, None)


@settings(max_examples=30, deadline=None)
@given(st.floats(0, 1), st.integers(0, 2**32))
def test_whatever_is_answered_it_ends_and_keeps_its_bounds(share: float, seed: int) -> None:
    state, trials = _answered(share, seed)
    assert [trial.number for trial in trials] == list(range(len(trials)))
    assert all(0 <= trial.excursion_1e4 <= RULES.start_1e4 for trial in trials)
    result = state.result()
    assert result.trials == len(trials)
    assert result.catches == result.catches_right == sum(trial.axis is None for trial in trials)
    # Three staircases, and one catch trial in each stretch of ten.
    assert len(trials) <= 3 * RULES.most_trials / 0.9 + 10
    for axis in AXES:
        assert sum(trial.axis == axis for trial in trials) == result.thresholds[axis].trials
        assert 0 < result.thresholds[axis].threshold_1e4 <= RULES.start_1e4
    assert state.progress == 1
    with pytest.raises(ValueError, match="done"):
        state.answer("up")


def test_lines_take_turns_and_catches_come_once_a_stretch() -> None:
    _, trials = _answered(0.75, 3)
    shown = [trial.axis for trial in trials if trial.axis is not None]
    for start in range(0, 45, 3):
        assert set(shown[start : start + 3]) == set(AXES)
    full = len(trials) // 10 * 10
    for start in range(0, full, 10):
        assert sum(trial.axis is None for trial in trials[start : start + 10]) == 1
    counts = [sum(trial.gap == gap for trial in trials) for gap in GAPS]
    assert min(counts) > len(trials) / 8


def test_the_same_answers_bring_an_interrupted_one_back() -> None:
    """A journal holds answers alone: replayed they give the same trials and results."""
    state, trials = _answered(0.8, 11)
    again, rng = Trivector.start(RULES, 11), np.random.default_rng(11)
    for trial in trials:
        assert again.trial == trial
        wrong = GAPS[(GAPS.index(trial.gap) + 1) % 4]
        again = again.answer(trial.gap if trial.axis is None or rng.random() < 0.8 else wrong)
    assert again == state
    assert _answered(0.8, 12)[1] != trials


def test_no_answer_in_time_counts_as_wrong() -> None:
    state = Trivector.start(changed(catch_share=0), 1)
    trial = state.trial
    assert trial is not None
    stairs = {one.axis: one for one in state.answer(None).staircases}
    assert stairs[trial.axis].has_erred


def test_thresholds_are_those_of_the_psychometric_function() -> None:
    """The definition, walked through: answers are drawn from a known function of contrast."""
    from participants.screening.trivector import FUNCTION

    rng, found, errors = np.random.default_rng(5), [], []
    for _ in range(150):
        stairs = Staircase(RULES, "deutan", RULES.start_1e4)
        while not stairs.done:
            chance = FUNCTION.right(np.log10(stairs.excursion_1e4), np.log10(60))
            stairs = stairs.answered(bool(rng.random() < chance))
        threshold = stairs.threshold()
        assert threshold.se_1e4 is not None
        found.append(np.log(threshold.threshold_1e4 / 60))
        errors.append(threshold.se_1e4 / threshold.threshold_1e4)
    assert abs(np.mean(found)) < 0.06
    assert np.std(found) == pytest.approx(np.mean(errors), rel=0.2)

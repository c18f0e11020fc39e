"""QUEST, and a titration's course."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from participants.screening.quest import Psychometric, Quest
from participants.screening.titration import Titration, judged
from stimuli.screening.rules import Titration as Rules
from tests.stimuli.plates.contrasts import contrast_ladder

RULES = Rules(
    trials=40,
    target_share=0.35,
    verify_trials=40,
    accept_low=0.25,
    accept_high=0.45,
    long_share=0.9,
    neighbours=2,
    slope=1.5,
)
LADDER = contrast_ladder()


def _titrated(short: list[float], long: list[float], seed: int) -> tuple[Titration, list]:
    """Titrate somebody who reads known shares at each rung."""
    rng, state, trials = np.random.default_rng(seed), Titration.start(RULES, LADDER), []
    while (trial := state.trial) is not None:
        trials.append(trial)
        shares = long if trial.phase == "long" else short
        state = state.answer(bool(rng.random() < shares[trial.rung - 1]))
    return state, trials


def test_the_function_reaches_its_share_at_the_threshold() -> None:
    function = Psychometric(share=0.35, slope=1.5, guess=0.1, lapse=0.01)
    assert function.right(-1.3, -1.3) == pytest.approx(0.35)
    assert function.right(-9.0, -1.3) == pytest.approx(0.1, abs=1e-6)
    assert function.right(9.0, -1.3) == pytest.approx(0.99 + 0.01 * 0.1)
    with pytest.raises(ValueError, match="must lie"):
        Psychometric(share=0.05, slope=1.5, guess=0.1)


def test_the_posterior_is_bayes_rule_walked_through() -> None:
    """The definition: prior times the chance of every answer, at every threshold."""
    function = Psychometric(share=0.5, slope=2.0, guess=0.1)
    answers = [(-1.0, True), (-1.4, False), (-1.2, True), (-1.5, False)]
    quest = Quest.begin(function, -1.2, 0.4, -2.0, 0.0)
    for at, right in answers:
        quest = quest.answered(at, right)
    grid = np.linspace(-2, 0, 201)
    slow = np.exp(-(((grid + 1.2) / 0.4) ** 2) / 2)
    for at, right in answers:
        for index, threshold in enumerate(grid):
            chance = float(function.right(at, threshold))
            slow[index] *= chance if right else 1 - chance
    slow /= slow.sum()
    np.testing.assert_allclose(quest.posterior, slow, atol=1e-12)
    assert quest.threshold == pytest.approx((slow * grid).sum())
    assert quest.sd == pytest.approx(np.sqrt((slow * (grid - quest.threshold) ** 2).sum()))


@given(st.integers(1, 60), st.data())
def test_a_share_is_judged_as_soon_as_it_is_certain(planned: int, data: st.DataObject) -> None:
    """The slow way: try every way in which the rest could go on."""
    shown = data.draw(st.integers(0, planned))
    read = data.draw(st.integers(0, shown))
    finals = {(read + more) / planned for more in range(planned - shown + 1)}
    low, high = 0.25, 0.45
    found = judged(shown, read, planned, low, high)
    if all(share > high + 1e-12 for share in finals):
        assert found == "high"
    elif all(share < low - 1e-12 for share in finals):
        assert found == "low"
    else:
        assert found == ("ok" if shown == planned else None)


def test_a_lead_with_such_a_rung_is_given_it() -> None:
    short = [0.11, 0.12, 0.15, 0.22, 0.35, 0.60, 0.8, 0.9]
    long = [0.2, 0.4, 0.7, 0.85, 0.97, 0.99, 1.0, 1.0]
    rungs = []
    for seed in range(20):
        state, trials = _titrated(short, long, seed)
        rungs.append(state.result().rung)
        phases = [trial.phase for trial in trials]
        assert phases[:40] == ["staircase"] * 40
    assert rungs.count(5) >= 14
    assert set(rungs) <= {5, None}


def test_who_reads_too_much_at_once_or_too_little_at_last_has_no_rung() -> None:
    steep = _titrated([0.1] * 4 + [0.9] * 4, [0.1] * 4 + [1.0] * 4, 1)[0].result()
    assert (steep.rung, steep.failure) == (None, "too_many")
    slow = [0.1] * 3 + [0.35] + [0.9] * 4
    never = [_titrated(slow, [0.6] * 8, seed)[0].result() for seed in range(10)]
    assert {result.rung for result in never} == {None}
    assert "never_long" in {result.failure for result in never}
    blind = _titrated([0.1] * 8, [0.1] * 8, 3)[0].result()
    assert (blind.rung, blind.failure) == (None, "ladder_ends")
    assert blind.trials < 100


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.floats(0, 1), min_size=8, max_size=8),
    st.lists(st.floats(0, 1), min_size=8, max_size=8),
    st.integers(0, 2**32),
)
def test_whatever_is_read_it_ends_within_its_bounds(
    short: list[float], long: list[float], seed: int
) -> None:
    state, trials = _titrated(short, long, seed)
    result = state.result()
    tried = result.tried
    assert len(tried) <= 1 + RULES.neighbours
    assert all(abs(a.rung - b.rung) == 1 for a, b in pairwise(tried))
    assert len(trials) == result.trials <= 40 + 80 * (1 + RULES.neighbours)
    assert [trial.number for trial in trials] == list(range(len(trials)))
    if result.rung is not None:
        last = tried[-1]
        assert (last.rung, last.short, last.long) == (result.rung, 40, 40)
        assert 0.25 <= last.short_read / 40 <= 0.45
        assert last.long_read / 40 >= 0.9
    else:
        assert result.failure is not None
    with pytest.raises(ValueError, match="done"):
        state.answer(True)

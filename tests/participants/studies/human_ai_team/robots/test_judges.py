"""Judges answer as their model says: shares of yes against the normal distribution."""

from dataclasses import replace

import pytest
from scipy.stats import binom, norm

from participants.studies.human_ai_team.robots import (
    HELP_SENSITIVITY,
    JUDGES,
    Judge,
    JudgeParticipant,
)
from participants.studies.human_ai_team.trial import Judgement
from tests.participants.studies.human_ai_team.taken import pack_of, plan_of

DRAWS = 800


@pytest.fixture(scope="module")
def pack():
    return pack_of()


def main_trial(pack, arm, *, ai_correct):
    judge = JudgeParticipant.of("careful", pack, "P", 1)
    return next(
        step
        for step in plan_of(pack, arm).steps
        if isinstance(step, Judgement)
        and step.phase == "main"
        and judge.key[step.presentation]["ai_correct"] is ai_correct
    )


def share_of_yes(judge, task, pack, draws=DRAWS):
    one = JudgeParticipant.of("careful", pack, "P", 1)
    people = (replace(one, judge=judge, participant=f"P{k}", odds={}) for k in range(draws))
    return sum(person.answer(task).decision == "yes" for person in people)


@pytest.mark.parametrize("ai_correct", [True, False])
@pytest.mark.parametrize(("arm", "percent"), [("confidence", 70), ("nearest_neighbours", 70)])
def test_the_share_of_yes_is_the_models(pack, arm, percent, ai_correct):
    """Sums of normal looks: own d′ 1.2 and the help's, with trust 0.8, a leaning and a prior."""
    task = main_trial(pack, arm, ai_correct=ai_correct)
    task = replace(task, stimulus=replace(task.stimulus, confidence_percent=percent))
    judge = Judge(1.0, 1.2, 0.6, 0.8, 1.0, leaning=0.3)
    helps = HELP_SENSITIVITY["examples" if arm == "nearest_neighbours" else "none"]
    side = 1 if ai_correct else -1
    trusted = 0.8 * helps
    mean = 0.3 + 0.6 * 0.8472978603872034 + side * (1.2**2 / 2 + trusted * helps / 2)
    chance = norm.cdf(mean / (1.2**2 + trusted**2) ** 0.5)
    low, high = binom.interval(0.999, DRAWS, chance)
    assert low <= share_of_yes(judge, task, pack) <= high


@pytest.mark.parametrize("attention", [0.0, 0.6])
def test_who_does_not_look_tosses_a_coin(pack, attention):
    """Also at unmistakable images, which who looks never mistakes."""
    task = next(
        step
        for step in plan_of(pack).steps
        if isinstance(step, Judgement) and step.phase == "validation"
    )
    right = JudgeParticipant.of("careful", pack, "P", 1).key[task.presentation]["ai_correct"]
    chance = attention * right + (1 - attention) / 2
    low, high = binom.interval(0.999, DRAWS, chance)
    assert low <= share_of_yes(Judge(attention=attention), task, pack) <= high


def test_trust_shows_where_the_ai_is_wrong(pack):
    """Who overtrusts accepts more wrong labels, who undertrusts rejects more right ones."""
    shares = {}
    for name in ("careful", "overtrusting", "undertrusting"):
        for ai_correct in (True, False):
            task = main_trial(pack, "gradcam", ai_correct=ai_correct)
            task = replace(task, stimulus=replace(task.stimulus, confidence_percent=80))
            shares[name, ai_correct] = share_of_yes(JUDGES[name], task, pack, 400) / 400
    assert shares["overtrusting", False] > shares["careful", False] + 0.2
    assert shares["undertrusting", True] < shares["careful", True] - 0.2

"""The suite's QUEST beside PsychoPy's."""

import numpy as np
import pytest

from participants.screening.quest import Psychometric, Quest

START, SD, SHARE, SLOPE, GUESS, LAPSE = -1.4, 0.4, 0.35, 1.5, 0.1, 0.01


def test_posterior_means_are_those_of_psychopys_handler() -> None:
    data = pytest.importorskip("psychopy.data")
    handler = data.QuestHandler(
        startVal=START,
        startValSd=SD,
        pThreshold=SHARE,
        nTrials=60,
        beta=SLOPE,
        delta=LAPSE,
        gamma=GUESS,
        grain=0.01,
        range=4.0,
        method="mean",
    )
    quest = Quest.begin(Psychometric(SHARE, SLOPE, GUESS, LAPSE), START, SD, START - 2, START + 2)
    rng = np.random.default_rng(3)
    for _ in range(60):
        asked = next(handler)
        # PsychoPy rounds intensities to its grid, and so takes its mean elsewhere by a step.
        assert quest.threshold == pytest.approx(asked, abs=0.02)
        right = bool(rng.random() < quest.function.right(asked, -1.25))
        handler.addResponse(int(right))
        quest = quest.answered(asked, right)
    assert quest.threshold == pytest.approx(handler.mean(), abs=0.02)
    assert quest.sd == pytest.approx(handler.sd(), rel=0.05)

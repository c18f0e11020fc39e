from dataclasses import astuple

import numpy as np
import pandas as pd
import pytest

from analysis.questions.cells import Cells
from analysis.statistics.bootstrap import Resampling, Units
from analysis.statistics.reliance import MEASURES, SWITCHING, Advice, complementarity, reliance

PLAN = Resampling(600, 1)
ONE_BLOCK = Units(np.array([0, 0, 0, 0, 1, 1, 1, 1]), np.array([0, 1, 2, 3, 0, 1, 2, 3]))


def flags(text):
    return np.array([sign == "1" for sign in text])


def test_every_measure_by_hand():
    advice = Advice(
        ai_correct=flags("11110011"),
        followed=flags("11001010"),
        own_correct=flags("10011110"),
        own_agrees=flags("10010010"),
    )
    (own,) = reliance(advice, ONE_BLOCK, PLAN)
    found = {name: one.estimate for name, (one, _) in own.items()}
    assert [n for _, n in own.values()] == [8, 2, 6, 8, 8, 5, 3, 2]
    assert list(found) == [*MEASURES, *SWITCHING]
    assert found["reliance"] == 4 / 8
    assert found["over_reliance"] == 1 / 2
    assert found["under_reliance"] == 3 / 6
    assert found["appropriate_reliance"] == 4 / 8
    assert found["discrimination"] == pytest.approx(3 / 6 - 1 / 2)
    assert found["switch_fraction"] == 2 / 5
    assert found["relative_ai_reliance"] == 1 / 3
    assert found["relative_self_reliance"] == 1 / 2


def test_without_own_answers_or_wrong_advice_nothing_is_made_up():
    advice = Advice(np.ones(8, dtype=bool), flags("10101010"))
    (found,) = reliance(advice, ONE_BLOCK, PLAN)
    assert list(found) == list(MEASURES)
    assert not found["over_reliance"][0].known
    assert found["under_reliance"][0].estimate == 0.5


def test_groups_have_the_limits_of_cells_that_are_measured_together():
    rng = np.random.default_rng(3)
    units = Units(np.repeat(np.arange(12), 10), np.tile(np.arange(10), 12))
    group, follows = (units.participant + units.item) % 3, rng.random(120) < 0.6
    advice = Advice(units.item % 4 != 0, follows)
    plan = Resampling(0, 1)
    frame = pd.DataFrame({"participant": units.participant, "item": units.item,
                          "value": follows, "group": group.astype(str)})  # fmt: skip
    found = reliance(advice, units, plan, group, 3)
    for name, rows in (("reliance", frame), ("over_reliance", frame[units.item % 4 == 0])):
        cells = Cells.of(rows, "value", {"group": ("0", "1", "2")}, plan)
        for level, one in enumerate(found):
            slow = cells.estimate({(str(level),): 1.0})
            ours, theirs = one[name][0].at(0.95), slow.at(0.95)
            # Sums in another order may differ in the last digit.
            assert astuple(ours) == pytest.approx(astuple(theirs), rel=1e-12)
            assert one[name][1] == cells.counts[(str(level),)].n


def crowd(rate, people=30, items=40, seed=1, first=0):
    rng = np.random.default_rng(seed)
    units = Units(np.repeat(np.arange(people) + first, items), np.tile(np.arange(items), people))
    return rng.random(people * items) < rate, units


@pytest.mark.parametrize(("team", "expected"), [(0.95, True), (0.8, False), (0.6, False)])
def test_a_team_is_complementary_when_it_beats_both(team, expected):
    with_ai, team_units = crowd(team)
    ai = np.tile(np.arange(40) % 4 != 0, 30)
    alone, alone_units = crowd(0.7, seed=2, first=30)
    found = complementarity(with_ai, ai, alone, team_units, alone_units, PLAN)
    assert found.complementary == expected
    assert found.ai.estimate == 0.75
    assert found.over_alone.estimate == pytest.approx(with_ai.mean() - alone.mean())
    assert found.gain.estimate == pytest.approx(with_ai.mean() - 0.75)
    assert (found.p < 0.05) == expected

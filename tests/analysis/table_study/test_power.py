"""Power of a study from a table: the world has the effect that it says, and the test finds it."""

import numpy as np
import pytest

from analysis.power.simulation import Cell, Difference, Run
from analysis.table_study.power import ItemWorld
from analysis.table_study.simulated import (
    Plan,
    difference_of,
    measured_rows,
    plan_of,
    run_study,
    simulate_trials,
)
from stimuli.errors import UserError
from stimuli.table_study.protocol import Factor, PlannedTest, TableStudy

LEVELS = ("a", "b")


def study(vary="within", **test):
    given = {"measure": "accuracy", "factor": "f", "levels": LEVELS} | test
    return TableStudy(
        study="s", title="t", expected_minutes=1.0,
        factors={"f": Factor(levels=LEVELS, vary=vary)}, tests=(PlannedTest(**given),),
    )  # fmt: skip


def items_of(versions):
    return tuple(
        {"item": f"i{n}", "phase": "main", "answers": "x | y", "f": level}
        for n in range(8)
        for level in (LEVELS if versions else (LEVELS[n % 2],))
    )


def run_of(protocol, items, test=1):
    return Run(protocol, ItemWorld(test=test, table=items), 1, Cell(20, 8, Difference(0.2)), 3)


@pytest.mark.parametrize(
    ("protocol", "versions", "design"),
    [
        (study(), True, "versions"),
        (study(), False, "items"),
        (study("between"), True, "between"),
        (study(factor="", levels=()), True, "chance"),
    ],
)
def test_the_world_has_the_effect_that_is_asked_for(protocol, versions, design):
    plan = plan_of(run_of(protocol, items_of(versions)))
    assert plan.design == design
    cell, world = Cell(400, 200, Difference(0.15)), ItemWorld(sd_item=0.2)
    trials = simulate_trials(plan, world, cell, np.random.default_rng(1))
    estimate, p = difference_of(plan, trials)
    assert estimate == pytest.approx(0.15, abs=0.05)
    assert p < 0.001


def test_a_latin_square_gives_everybody_both_levels_of_half_the_items():
    plan = plan_of(run_of(study(), items_of(True)))
    trials = simulate_trials(
        plan, ItemWorld(), Cell(6, 4, Difference(0.0)), np.random.default_rng(1)
    )
    assert (trials.groupby(["participant", "level"]).size() == 2).all()
    assert (trials.groupby(["item", "level"]).size() == 3).all()


def test_a_run_is_the_same_again_and_its_p_is_corrected():
    protocol, items = study(), items_of(True)
    run = run_of(protocol, items)
    first, again = run_study(run), run_study(run)
    assert first.tests == again.tests
    strict = Plan(plan_of(run).value, "versions", 10**6, 0.5)
    trials = simulate_trials(strict, run.world, run.cell, run.draws())
    assert difference_of(strict, trials)[0] == first.tests["test"][0]


def test_a_test_that_is_not_there_is_one_line():
    with pytest.raises(UserError, match=r"^--test 2: study\.toml has 1 tests$"):
        plan_of(run_of(study(), items_of(True), 2))


def test_reliance_is_measured_where_the_ai_is_wrong_or_right():
    rows = [
        {"item": f"i{n}", "phase": "main", "answers": "x | y", "right": "x",
         "advice": "y" if n < 3 else "x"}
        for n in range(8)
    ]  # fmt: skip
    for measure, there in (("over_reliance", 3), ("under_reliance", 5), ("switching", 8)):
        test = PlannedTest(measure=measure, factor="f", levels=LEVELS)
        assert len(measured_rows(test, rows)) == there
    never_wrong = PlannedTest(measure="over_reliance", factor="f", levels=LEVELS)
    with pytest.raises(UserError, match="no item on which over_reliance can be measured"):
        measured_rows(never_wrong, rows[3:])

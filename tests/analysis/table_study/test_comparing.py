"""Planned comparisons: by their definition, and as statsmodels and R's lme4 define the model."""

from itertools import product
from unittest.mock import Mock

import numpy as np
import pandas as pd
import pytest

from analysis.questions.trials import PARTICIPANTS, TrialData
from analysis.report.flow import FlowPart, FlowStep
from analysis.statistics.bootstrap import Resampling
from analysis.table_study.comparing import difference, fitted, in_units, model_difference
from analysis.table_study.measures import value_of_test, values_of
from stimuli.table_study.protocol import (
    AdviceRules,
    Factor,
    PlannedTest,
    Scale,
    TableStudy,
    TrialRules,
)

PLAN = Resampling(0, 1)


def study(**changes):
    given = {
        "study": "s", "title": "t", "expected_minutes": 1.0,
        "advice": AdviceRules(when="with_item"),
        "trial": TrialRules(scale=Scale(steps=5, low="a", high="b")),
        "factors": {"help": Factor(levels=("none", "map")), "size": Factor(levels=("s", "l"))},
    }  # fmt: skip
    return TableStudy(**given | changes)


def answers(people=12, items=8, seed=1):
    """Return made-up answers of everybody to every item; levels of help alternate."""
    rng = np.random.default_rng(seed)
    rows = []
    for person, item in product(range(people), range(items)):
        level = ("none", "map")[(person + item) % 2]
        right = rng.random() < (0.55 if level == "none" else 0.8)
        rows.append(
            {
                "participant": f"P{person}", "item": f"i{item}", "help": level,
                "size": "sl"[item // 2 % 2], "correct": right, "place": int(rng.integers(1, 6)),
                "decision": "x", "stands_for": "y" if rng.random() < 0.3 else "z",
                "answers": "x | y", "rt_s": float(rng.lognormal(0.2, 0.4)),
                "agrees": rng.random() < 0.5, "ai_correct": item % 4 != 0,
            }
        )  # fmt: skip
    return pd.DataFrame(rows)


def of_help(measure, **more):
    return PlannedTest(measure=measure, factor="help", levels=("map", "none"), **more)


def mean_of_cells(frame, column, level):
    """Return the mean of the means of the other factor's levels: the definition."""
    own = frame[frame["help"] == level].groupby("size")[column].mean()
    return own.mean()


@pytest.mark.parametrize(
    ("test", "value"),
    [
        (of_help("accuracy"), lambda f: f["correct"].astype(float)),
        (of_help("rating"), lambda f: f["place"].astype(float)),
        (of_help("choice", answer="y"), lambda f: (f["stands_for"] == "y").astype(float)),
        (of_help("choice"), lambda f: (f["place"] == 1).astype(float)),
        (of_help("agreement"), lambda f: f["agrees"].astype(float)),
        (of_help("over_reliance"), lambda f: f["agrees"].astype(float).where(~f["ai_correct"])),
        (of_help("under_reliance"), lambda f: 1 - f["agrees"].astype(float).where(f["ai_correct"])),
    ],
    ids=lambda one: getattr(one, "measure", None),
)
def test_a_difference_is_that_of_the_cells_means(test, value):
    frame, protocol = answers(), study()
    own = frame.assign(v=value(frame)).dropna(subset="v")
    wanted = mean_of_cells(own, "v", "map") - mean_of_cells(own, "v", "none")
    found = difference(value_of_test(protocol, test), test, frame, protocol, PLAN)
    assert found.value.estimate == pytest.approx(wanted)
    assert found.n == len(own)


def test_times_are_compared_as_ratios_of_geometric_means():
    frame, protocol, test = answers(), study(), of_help("time")
    logs = frame.assign(v=np.log(frame["rt_s"]))
    wanted = np.exp(mean_of_cells(logs, "v", "map") - mean_of_cells(logs, "v", "none"))
    value = value_of_test(protocol, test)
    row = in_units(difference(value, test, frame, protocol, PLAN).row(), value)
    assert row.estimate == pytest.approx(wanted)
    assert row.ci_low < row.estimate < row.ci_high
    assert (row.p < 0.05) == (not row.ci_low <= 1 <= row.ci_high)


def test_switching_counts_first_answers_that_were_not_the_ais():
    frame = answers()
    frame["own_decision"] = np.resize(["x", "y", "y", "X ", None], len(frame))
    frame["own_rt_s"] = np.where(frame["own_decision"].isna(), np.nan, 1.0)
    frame["advice"] = "x"
    value = value_of_test(study(advice=AdviceRules(when="after_answer")), of_help("switching"))
    rows = value.rows(frame)
    others = frame[frame["own_decision"].isin(["y", "X "])]
    assert rows["own_decision"].value_counts().to_dict() == {"y": 38, "X ": 19}
    assert rows["value"].tolist() == others["agrees"].astype(float).tolist()
    with pytest.raises(ValueError, match="switching needs advice after an answer"):
        study(tests=(of_help("switching"),))


@pytest.mark.parametrize(("measure", "column"), [("accuracy", "correct")])
def test_without_a_factor_a_share_is_compared_with_chance(measure, column):
    frame, protocol, test = answers(), study(), PlannedTest(measure=measure)
    value = value_of_test(protocol, test)
    found = difference(value, test, frame, protocol, PLAN)
    assert found.value.estimate == pytest.approx(frame[column].mean() - 0.5)
    model = model_difference(fitted(value, test, frame, protocol), value, test, frame, protocol)
    assert model.estimate == pytest.approx(found.value.estimate, abs=0.03)


@pytest.mark.parametrize("measure", ["accuracy", "rating", "time"])
def test_the_model_agrees_with_the_means_where_everything_is_balanced(measure):
    frame, protocol, test = answers(24, 8, 3), study(), of_help(measure)
    value = value_of_test(protocol, test)
    means = in_units(difference(value, test, frame, protocol, PLAN).row(), value)
    model = model_difference(fitted(value, test, frame, protocol), value, test, frame, protocol)
    assert model.estimate == pytest.approx(means.estimate, abs=0.03)
    assert model.ci_low < model.estimate < model.ci_high


def test_each_measure_is_described_once_and_what_is_tested_comes_first():
    protocol = study(tests=(of_help("time"), of_help("accuracy")))
    assert [value.id for value in values_of(protocol)] == [
        "time", "accuracy", "rating", "agreement",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("some", "why"),
    [
        (lambda frame: frame["help"] == "map", "it needs answers of two levels of help"),
        (lambda frame: frame["participant"] == "P1", "it needs answers of two participants"),
        (lambda frame: frame["participant"] == "", "it needs answers of two levels of help"),
    ],
)
def test_few_answers_have_a_reason_in_place_of_a_model(some, why):
    frame, protocol, test = answers(), study(), of_help("accuracy")
    value, frame = value_of_test(protocol, test), frame[some(frame)]
    outcome = fitted(value, test, frame, protocol)
    assert (outcome.result, outcome.reason) == (None, why)
    assert model_difference(outcome, value, test, frame, protocol) is None


@pytest.mark.parametrize(
    ("measure", "lacks"),
    [("time", "rt_s"), ("accuracy", "correct"), ("over_reliance", "ai_correct")],
)
def test_a_measure_whose_column_is_lacking_has_no_values(measure, lacks):
    """As in another program's table."""
    value = value_of_test(study(), of_help(measure))
    assert value.rows(answers().drop(columns=lacks)).empty


def test_methods_say_who_was_left_out_and_why():
    left = [FlowPart("without an answer", 0, 0), FlowPart("of people who guess", 2, 48)]
    found = PARTICIPANTS.compute(TrialData(Mock(), Mock(), pd.DataFrame(), PLAN, tuple(left)))
    assert found.unanswered == 0
    whole = Mock()
    whole.frame.flow = [FlowStep("in the trial table", 11, 264, left, [])]
    whole.frame.data = Mock(participants=9, simulated_participants=0, trials=216, items=24)
    assert "48 trials of people who guess were left out." in PARTICIPANTS.methods(found, whole)


def test_levels_that_never_meet_have_no_difference():
    """Where one level is seen with small items only, and the other with large ones only."""
    protocol, test = study(), of_help("accuracy")
    frame = answers()
    frame = frame.assign(size=np.where(frame["help"] == "map", "s", "l"))
    row = difference(value_of_test(protocol, test), test, frame, protocol, PLAN).row()
    assert np.isnan([row.estimate, row.ci_low, row.p]).all()

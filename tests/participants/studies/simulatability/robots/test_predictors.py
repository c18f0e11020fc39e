"""Robots that predict: strategies score half by design, reading and examples help."""

from collections import defaultdict
from statistics import mean

import pytest

from participants.session import Question
from participants.studies.simulatability.asked import right_answers
from participants.studies.simulatability.robots.predictors import predictors
from participants.studies.simulatability.study import ROBOTS
from stimuli.studies.simulatability.tables import KEY
from tests.participants.studies.simulatability.taken import CODE, of, pack_of, plan_of, taken

SCORING_HALF = ("true_label", "same_as_before", "majority")
WHOLE = {"items": {"learning": 16, "per_test": 32}}


def scores(pack, arm, robot, seed=1):
    """Return the share of right predictions by section."""
    key = {row["presentation"]: row for row in pack.table(KEY)}
    right = defaultdict(list)
    for end in of(taken(plan_of(pack, arm), pack, robot, seed=seed), "trial_end"):
        if end["decision"] != "none":
            right[end["section"]].append(end["decision"] == key[end["presentation"]]["output"])
    return {section: mean(found) for section, found in right.items()}


@pytest.mark.parametrize(
    ("robot", "arm", "seconds_per_item"),
    [
        *((robot, "text_lime", 20.0) for robot in SCORING_HALF),
        *((robot, "tabular_composite", 600.0) for robot in SCORING_HALF),
    ],
)
def test_strategies_score_half_in_every_section(robot, arm, seconds_per_item):
    found = scores(pack_of(length={"seconds_per_item": seconds_per_item}), arm, robot)
    assert found == dict.fromkeys(
        ("forward_pre", "forward_post", "counterfactual_pre", "counterfactual_post"), 0.5
    )


@pytest.mark.parametrize(
    "arm",
    [
        "text_lime",
        *(
            pytest.param(arm, marks=pytest.mark.slow)
            for arm in ("text_anchor", "text_decision_boundary", "text_ours", "tabular_prototype",
                        "tabular_composite", "tabular_omission")
        ),
    ],
)  # fmt: skip
def test_reading_explanations_predicts_better_than_examples_alone(arm):
    """Over all predictions after explanations; both robots have the same noise."""
    pack = pack_of(**WHOLE)
    reads, practises = (scores(pack, arm, robot) for robot in ("reader", "practice"))
    post = ("forward_post", "counterfactual_post")
    assert mean(reads[name] for name in post) > mean(practises[name] for name in post)


def test_without_explanations_a_reader_has_nothing_to_read():
    """It predicts as well as who learns by examples alone, but for the noise."""
    pack = pack_of(**WHOLE)
    seeds = range(4)
    found = {robot: mean(mean(scores(pack, "text_no_explanation", robot, seed).values())
                         for seed in seeds)
             for robot in ("reader", "practice")}  # fmt: skip
    assert found["reader"] == pytest.approx(found["practice"], abs=0.08)


def test_no_robot_but_one_looks_into_the_key():
    """With another key nobody else predicts anything else."""
    pack = pack_of()
    plan = plan_of(pack)
    for robot in ROBOTS:
        honest = predictors(pack, "en")(robot, CODE, 1)
        blind = type(honest)(robot, honest.mind, {}, 1, CODE)
        task = next(step for step in plan.steps if step.step == "trial-0005")
        if robot == "true_label":
            with pytest.raises(KeyError):
                blind.answer(task)
        else:
            assert blind.answer(task) == honest.answer(task)


def test_who_attends_knows_the_rules_and_who_does_not_guesses():
    pack = pack_of()
    asked = [Question(name, name, ("x", right)) for name, right in right_answers().items()]
    answers = {robot: [predictors(pack, "en")(robot, CODE, 1).choose(one) for one in asked]
               for robot in ROBOTS}  # fmt: skip
    right = list(right_answers().values())
    assert all(answers[robot] == right for robot in ROBOTS if robot != "careless")
    assert answers["careless"] != right

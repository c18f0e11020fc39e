"""The mixed model: what it carries, what it says, and what its verdicts rest on."""

import numpy as np
import pytest

from analysis.questions.estimates import Estimates
from analysis.studies.human_ai_team import model
from analysis.studies.human_ai_team.model import FORMULA, effects_of, fitted_model, model_row
from analysis.studies.human_ai_team.power import Shift, TeamWorld
from analysis.studies.human_ai_team.quantities import COMPARED, DIFFERENCES, MEASURES
from analysis.studies.human_ai_team.simulated import simulate_trials
from analysis.studies.human_ai_team.strata import Base
from analysis.studies.human_ai_team.verdicts import HELP, NOTHING, OVER, UNDER, verdict
from tests.analysis.studies.human_ai_team.tables_of import answers_of, crossed, experts


def answers(people, sheets, seed=1, **shifts):
    world = TeamWorld(arms={arm: Shift(*shift) for arm, shift in shifts.items()})
    return answers_of(simulate_trials(world, people, 30, sheets, np.random.default_rng(seed)))


@pytest.fixture(scope="module")
def shared():
    """The model of people who all saw the same 30 images: answers, its fit, and what it says."""
    seen = answers(90, 1, gradcam=(0.2, 0.0))
    outcome = fitted_model(seen)
    return seen, model_row(outcome), effects(seen, outcome)


def effects(seen, outcome):
    return Estimates(effects_of(seen, outcome, Base.shown(seen), 0.1))


def test_images_that_have_answers_enough_keep_their_slopes(shared):
    seen, fit, _ = shared
    assert fit.asked == FORMULA
    assert fit.formula == FORMULA
    assert model.answers_a_cell(seen) == pytest.approx(45)


def test_slopes_by_image_are_left_out_aloud_where_answers_are_few():
    outcome = fitted_model(answers(60, 5, gradcam=(0.2, 0.0)))
    assert outcome.sound
    assert "(1 | item)" in outcome.result.formula
    assert any("6.0 answers in an arm on average" in note for note in outcome.result.notes)


def test_effects_of_images_need_images_that_were_seen_twice():
    once = fitted_model(answers_of(experts()))
    assert "item" not in once.result.groups
    assert once.result.notes[0].startswith("No image was seen twice:")
    twice = experts()
    twice.loc[200, "item"] = twice.loc[0, "item"]
    said = fitted_model(answers_of(twice)).result.notes[0]
    assert said.startswith("No image was seen twice in an arm, and only 1 of 329 in two arms")


def test_one_arm_and_an_ai_that_is_always_wrong_are_modelled_too():
    table = crossed(methods=("gradcam",))
    one = fitted_model(answers_of(table))
    assert one.sound
    assert "method" not in one.result.formula
    without = answers_of(table[~table["ai_correct"]])
    wrong = fitted_model(without)
    assert wrong.sound
    assert "ai_correct" not in wrong.result.formula
    assert effects(without, wrong).estimates == ()


def test_a_model_of_many_answers_is_fitted_to_a_sample_and_says_so(monkeypatch):
    monkeypatch.setattr(model, "MOST_ROWS", 900)
    outcome = fitted_model(answers(60, 1, gradcam=(0.2, 0.0)))
    assert outcome.result.n == 900
    assert "to the data of 30 of 60 participants" in outcome.result.notes[0]


def levels_by_arm(found):
    rows = found.rows(*(MEASURES[name] for name in COMPARED))
    return {(row.of["method"], row.quantity): row.estimate for row in rows}


def test_averages_fit_together(shared):
    seen, _, found = shared
    own = levels_by_arm(found)
    mix = seen.right_share
    for arm in ("confidence", "gradcam"):
        over, under = own[arm, "over_reliance"], own[arm, "under_reliance"]
        assert own[arm, "accuracy"] == pytest.approx(mix * (1 - under) + (1 - mix) * (1 - over))
        assert own[arm, "discrimination"] == pytest.approx(1 - over - under)
    for name in COMPARED:
        (row,) = found.rows(DIFFERENCES[name])
        first, second = (own[row.of[place], name] for place in ("method", "against"))
        assert row.estimate == pytest.approx(first - second)


def differences(told, over, under):
    rows = {}
    for name, value in (("discrimination", told), ("over_reliance", over),
                        ("under_reliance", under)):  # fmt: skip
        rows[name] = (0.1 * (value or 1), 0.01 if value else 0.06)
    return rows


@pytest.mark.parametrize(
    ("told", "over", "under", "name"),
    [
        (0, 1, -1, OVER), (0, 1, 0, OVER), (-1, 1, 0, OVER), (1, 0, -1, HELP), (1, -1, 0, HELP),
        (1, 1, -1, f"{HELP}, at the price of over-reliance"), (0, -1, 1, UNDER), (0, 0, 0, NOTHING),
        (0, -1, 0, "less over-reliance"), (-1, 0, 0, "harm"),
    ],
)  # fmt: skip
def test_accepting_more_of_both_is_over_reliance_and_never_help(told, over, under, name):
    assert verdict(differences(told, over, under)) == name


def test_planted_over_reliance_is_named(shared):
    own = {name: shared[2].row(DIFFERENCES[name]) for name in COMPARED}
    assert own["over_reliance"].ci_low > 0
    assert verdict({name: (row.estimate, row.p_adjusted) for name, row in own.items()}) == OVER

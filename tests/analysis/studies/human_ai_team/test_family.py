"""One family, named alike; its bases; what decides; few participants, and arms that are alike."""

from dataclasses import replace

import numpy as np
import pytest

from analysis.mixed.result import Outcome
from analysis.power.simulation import Ask, Grid
from analysis.questions.estimates import row_of, select
from analysis.report.deciding import words_of
from analysis.report.wording import points
from analysis.statistics.bootstrap import Resampling
from analysis.statistics.estimate import by_student, holm
from analysis.studies.human_ai_team import data, verdicts
from analysis.studies.human_ai_team.design import registered
from analysis.studies.human_ai_team.differences import (
    FAMILIES,
    FAMILY,
    Rule,
    mean_pairs,
    most_freedom,
    pair_rows,
    weighted_pairs,
)
from analysis.studies.human_ai_team.help_shown import EFFECTS, VERDICT_TABLE
from analysis.studies.human_ai_team.inquiry import TEAM
from analysis.studies.human_ai_team.model import effects_of, fitted_model
from analysis.studies.human_ai_team.power import Shift, TeamWorld
from analysis.studies.human_ai_team.quantities import (
    ACCURACY,
    COMPARED,
    DIFFERENCES,
    OVER,
    TESTED,
    TOLD_APART,
    UNDER,
    VERDICT,
)
from analysis.studies.human_ai_team.questions.trust import TRUST
from analysis.studies.human_ai_team.rates import measure
from analysis.studies.human_ai_team.simulated import decided_pairs, question_of, simulate_trials
from analysis.studies.human_ai_team.strata import BASE_LEVEL, Base, model_strata, strata
from analysis.studies.human_ai_team.verdicts import FEW, LIKE, NOTHING
from stimuli.studies.human_ai_team.protocol import HumanAiTeam
from stimuli.studies.human_ai_team.tables import NATURAL_BINS
from tests.analysis.studies.human_ai_team.tables_of import answers_of, protocol_of, results_of

PLAN = Resampling(50, 1)
OF_HYPOTHESES = ("discrimination", "over- and under-reliance", "right answers")
WEIGHTS = dict(zip(NATURAL_BINS, (0.6, 0.1, 0.05, 0.1, 0.1, 0.05), strict=True))


def table(people=36, sheets=2, seed=4, **shifts):
    world = TeamWorld(arms={arm: Shift(*shift) for arm, shift in shifts.items()}, level_step=1.0)
    return simulate_trials(world, people, 30, sheets, np.random.default_rng(seed))


@pytest.fixture(scope="module")
def answers():
    return answers_of(table(gradcam=(0.3, 0.0), text=(0.0, 0.0)))


@pytest.fixture(scope="module")
def fit(answers):
    return fitted_model(answers)


def report_of(**rules):
    return results_of(
        table(people=24, sheets=1, gradcam=(0.3, 0.0)), analysis={"replicates": 50, **rules}
    )


@pytest.fixture(scope="module")
def by_means():
    """The report of a study whose protocol names the means, as it does by default."""
    return report_of()


@pytest.fixture(scope="module")
def by_model():
    """The report of the same study, if the protocol names the model."""
    return report_of(primary_test="model")


def test_the_family_is_named_alike_in_protocol_preregistration_report_and_power(by_means):
    protocol = protocol_of()
    fields = type(protocol.analysis).model_fields
    assert FAMILY in fields["reference_arm"].description
    declared = registered(protocol)
    assert FAMILY in declared.multiplicity
    for hypothesis, named in zip(TEAM.promises(protocol).hypotheses, OF_HYPOTHESES, strict=True):
        assert hypothesis.family == f"every arm against the reference in {named}"
        measured = {test.quantity.id for test in hypothesis.tests}
        assert measured <= {DIFFERENCES[name].id for name in FAMILIES[named]}
    grid = Grid((20,), (10,), (Shift(0.0),), 1)
    assert FAMILY in question_of(Ask(protocol, grid, TeamWorld(arms={"other": Shift(0.0)}), 1)).test
    said = " ".join(by_means.frame.headline)
    assert said.index("In points of discrimination, the primary") < said.index("In points of right")


@pytest.mark.parametrize(
    ("by", "said"),
    [("means", "by the means over participants and items, limits"),
     ("model", "by the mixed model, limits and p")],
)  # fmt: skip
def test_that_analysis_decides_which_the_protocol_names(request, by, said):
    report = request.getfixturevalue(f"by_{by}")
    trust = report.of(TRUST)
    assert {(row.asked, row.used) for row in trust.primary} == {(by, by)}
    assert trust.levels("by", VERDICT) == (by,)
    over = {row.of["by"]: row.estimate for row in trust.rows(DIFFERENCES[OVER], base="all")}
    assert over["means"] != pytest.approx(over["model"], abs=1e-6)
    (table,) = VERDICT_TABLE.parts(trust)
    shown = dict(zip((one.heading for one in table.columns), table.rows[0], strict=True))
    assert shown["Over-reliance"] == points(over[by])
    assert said in " ".join(report.frame.headline)


def test_without_a_sound_model_the_means_decide_and_the_report_says_so(monkeypatch):
    monkeypatch.setattr(data, "fitted_model", lambda _: Outcome("correct ~ method", None))
    found = report_of(primary_test="model")
    trust = found.of(TRUST)
    assert {(row.asked, row.used) for row in trust.primary} == {("model", "means")}
    assert trust.levels("by", VERDICT) == ("means",)
    assert "by the means over participants and items, limits" in " ".join(found.frame.headline)
    said = " ".join(TRUST.methods(trust, found))
    assert "is the mixed model. It gives no differences here, so the means over" in said
    assert EFFECTS.parts(trust)[0].caption.endswith("by means over participants and images.")


@pytest.mark.parametrize(
    ("named", "said"),
    [
        ("means", "is the means over participants and items; the model is also"),
        ("model", "is the mixed model; the means over participants and images are also"),
    ],
)
def test_the_preregistration_says_which_analysis_decides(named, said):
    protocol = protocol_of(analysis={"primary_test": named})
    assert said in registered(protocol).primary
    for hypothesis in TEAM.promises(protocol).hypotheses:
        assert f"by {words_of(named)}," in hypothesis.decided_by


def test_verdicts_name_their_base_and_are_given_for_natural_images_too(by_means):
    assert by_means.of(TRUST).levels("base", VERDICT) == ("all", "natural")
    assert "on the images shown (33 % of the labels right)" in " ".join(by_means.frame.headline)


def test_kinds_of_images_are_fixed_effects_that_say_nothing_twice(answers, fit):
    terms = [row.term for row in fit.result.fixed]
    kinds = set(strata(answers.frame))
    assert len(kinds) == 9
    # Nine kinds: one level for the first of right labels and the first of wrong ones.
    assert sum(term.startswith("stratum[") for term in terms) == 7
    coded = model_strata(answers.frame)
    first = {"right_easy", "wrong_easy"}
    assert set(strata(answers.frame)[coded == BASE_LEVEL]) == first
    assert not any("confidence" in term for term in terms)  # the reference is the base level


def of_arm(pairs, name, arm="gradcam"):
    return row_of(pairs, DIFFERENCES[name], method=arm, against="confidence").estimate


def effects(answers, fit, base=None):
    """Return the model's differences between arms."""
    return select(effects_of(answers, fit, base or Base.shown(answers), 0.1), *TESTED)


def test_a_base_weights_kinds_as_they_occur(answers, fit):
    base = Base.occurring(answers, WEIGHTS)
    assert base.mix == pytest.approx(0.75)
    assert sum(base.right.values()) == pytest.approx(1)
    assert Base.occurring(answers_of(table(people=2, sheets=1).head(3)), WEIGHTS) is None
    rows = weighted_pairs(answers, base, PLAN, 0.1)
    frame = answers.frame
    own = frame.assign(kind=strata(frame)).groupby(["method", "kind"])["correct"].mean()
    for arm in ("gradcam", "text"):
        by_hand = sum(
            share * (own[arm, kind] - own["confidence", kind]) for kind, share in WEIGHTS.items()
        )
        assert of_arm(rows, ACCURACY, arm) == pytest.approx(by_hand)
    model = effects(answers, fit, base)
    told, over, under = (of_arm(model, name) for name in (TOLD_APART, OVER, UNDER))
    assert told == pytest.approx(-over - under)
    accuracy = -(1 - base.mix) * over - base.mix * under
    assert of_arm(model, ACCURACY) == pytest.approx(accuracy)


def test_degrees_of_freedom_are_never_more_than_participants_allow(answers, fit):
    assert most_freedom(answers, "gradcam", "confidence") == 22
    assert max(row.df for row in effects(answers, fit)) <= 22
    known = replace(fit.result.estimates, freedom=type(fit.result.estimates.freedom).unlimited())
    sure = Outcome(fit.asked, replace(fit.result, estimates=known))
    assert {row.df for row in effects(answers, sure)} == {22}


def test_power_decides_as_the_report_does(answers, fit):
    means = protocol_of(analysis={"primary_test": "means", "replicates": 50})
    assert isinstance(means, HumanAiTeam)
    expected = mean_pairs(answers, measure(answers, PLAN), "all", means.analysis.margin)
    assert decided_pairs(answers, fit, means) == expected
    model = protocol_of(analysis={"primary_test": "model", "replicates": 50})
    assert decided_pairs(answers, fit, model) == effects(answers, fit)
    unsound = decided_pairs(answers, Outcome(fit.asked, None), model)
    assert [row.estimate for row in unsound] == [row.estimate for row in expected]


def test_holm_is_not_spent_on_tests_of_the_same(answers):
    """Discrimination and right answers follow from the two errors: each family is by itself."""
    rows = mean_pairs(answers, measure(answers, PLAN), "all", 0.1)
    of_reference = [row for row in rows if row.of["against"] == "confidence"]
    for names in FAMILIES.values():
        own = [row for row in of_reference if row.quantity in {DIFFERENCES[n].id for n in names}]
        assert len(own) == len(names) * 2  # of two arms
        assert [row.p_adjusted for row in own] == pytest.approx(holm([row.p for row in own]))
    told, over, under = (
        np.array([row.estimate for row in select(of_reference, DIFFERENCES[name])])
        for name in (TOLD_APART, OVER, UNDER)
    )
    assert told == pytest.approx(-over - under)


def differences(rule, **shifts):
    """Return differences that are 0 with a standard error of .03, unless they are given."""
    tests = {(name, "gradcam", "confidence"): by_student(*shifts.get(name, (0.0, 0.03)), 20)
             for name in COMPARED}  # fmt: skip
    return pair_rows(tests, "all", "means", rule)


RULE = Rule("confidence", 0.1, {"gradcam": 20, "confidence": 20})


@pytest.mark.parametrize(
    ("changes", "people", "name"),
    [
        ({}, 20, LIKE),
        ({OVER: (0.06, 0.03)}, 20, NOTHING),  # reaches beyond the margin
        ({OVER: (0.0, 0.0)}, 20, NOTHING),  # nothing varies: nothing is ruled out
        ({OVER: (0.2, 0.03)}, 20, verdicts.OVER),
        ({OVER: (0.2, 0.03)}, 1, FEW),
    ],
)
def test_like_needs_the_margin_and_few_people_show_nothing(changes, people, name):
    rule = replace(RULE, people={"gradcam": people, "confidence": 20})
    (row,) = verdicts.verdict_rows(differences(rule, **changes), rule)
    assert row.verdict == name


@pytest.mark.parametrize(
    ("estimate", "se", "shown"),
    [
        (0.0, 0.03, "like"), (-0.08, 0.03, "not better"), (0.08, 0.03, "not worse"),
        (0.2, 0.03, "better"), (0.0, 0.2, "undecided"), (0.0, 0.0, "unknown"),
    ],
)  # fmt: skip
def test_not_more_effective_is_tested_against_the_margin(estimate, se, shown):
    rows = differences(RULE, **{ACCURACY: (estimate, se)})
    assert row_of(rows, DIFFERENCES[ACCURACY]).verdict == shown


def test_without_a_reference_every_pair_is_in_the_family():
    test = by_student(2.57583, 1.0, np.inf)  # p = .01
    tests = {(ACCURACY, *of): test for of in (("a", "b"), ("a", "c"))}
    free, bound = (pair_rows(tests, "all", "means", replace(RULE, reference=name))
                   for name in (None, "c"))  # fmt: skip
    assert [row.p_adjusted for row in free] == pytest.approx([0.02, 0.02], abs=1e-6)
    assert all(row.adjusted_low < row.ci_low for row in free)
    assert [row.p_adjusted for row in bound] == [None, pytest.approx(0.01, abs=1e-6)]

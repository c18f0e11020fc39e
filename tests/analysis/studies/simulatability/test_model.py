"""The mixed model and the contrasts that decide."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from scipy.stats import t as student

from analysis.mixed import fit_logistic
from analysis.questions.estimates import EstimateRow, Estimates, row_of, select
from analysis.report.deciding import MEANS, MODEL
from analysis.statistics.bootstrap import Resampling
from analysis.studies.simulatability import model
from analysis.studies.simulatability.contrasts import (
    FALLS,
    HARMS,
    HELPS,
    MEASURES,
    RISES,
    SAME,
    UNDECIDED,
    carried_over,
    decided_rows,
    margin_p,
    verdict,
)
from analysis.studies.simulatability.means import measured, method_means
from analysis.studies.simulatability.model import (
    FORMULA,
    ModelState,
    averaged,
    coded,
    fitted_model,
    is_narrow,
)
from analysis.studies.simulatability.quantities import (
    AFTER,
    BEFORE,
    CHANGE_POINTS,
    DIFFERENCE,
)
from analysis.studies.simulatability.questions.effects import EFFECTS
from analysis.studies.simulatability.words import TESTS
from tests.analysis.studies.simulatability.tables_of import (
    design_of,
    predictions_of,
    protocol_of,
    trials_of,
)

TWO_WAY = Resampling(200, 1)


@pytest.fixture(scope="module")
def helped():
    """36 people in three arms, of which one gains 25 points."""
    return predictions_of(trials_of(36, 12, seed=2, lime=0.25, anchor=0.0)).domain("tabular")


@pytest.fixture(scope="module")
def outcome(helped):
    return fitted_model(helped)


@pytest.fixture(scope="module")
def effects(helped, outcome):
    return averaged(helped, outcome.sound)


def decided(own, state, rows, asked, margin):
    """What is decided in the one domain of these predictions."""
    return decided_rows(own, {"tabular": state}, rows, asked, margin)


def test_the_whole_model_is_asked_for_and_said(outcome):
    assert outcome.asked == FORMULA
    assert outcome.result.formula.startswith("correct ~ phase * method * test + (1")


def test_the_arm_without_explanations_is_the_base_level(outcome, effects):
    """Today it is Anchor, the first by alphabet: a coefficient compares LIME with Anchor."""
    terms = {row.term for row in outcome.result.fixed}
    assert terms >= {"phase:method[anchor]", "phase:method[lime]"}
    assert not any("no_explanation" in term for term in terms)
    slope = {row.term: row.estimate for row in outcome.result.fixed}["phase:method[lime]"]
    assert slope > 0 < row_of(effects, DIFFERENCE, method="lime", test="forward").estimate


def test_without_random_effects_the_contrast_is_that_of_plain_shares():
    """With nothing between people and items the saturated model gives the cells' own shares."""
    alike = {"sd_participant": (0.0, 0.0), "sd_item": (0.0, 0.0), "sd_pair": 0.0}
    own = predictions_of(trials_of(16, 10, seed=4, world=alike, lime=0.1)).domain("tabular")
    frame = coded(own)
    plain = fit_logistic("correct ~ phase * method * test", frame)
    cells = frame.groupby(["method", "phase", "test"])["correct"].mean()
    rows = frame.assign(fitted=_fitted(plain, frame)).groupby(["method", "phase", "test"])["fitted"]
    np.testing.assert_allclose(rows.first(), cells, atol=1e-6)
    by_hand = sum(
        sign * two * cells[method, phase, -0.5]
        for method, sign in (("lime", 1), ("(no_explanation)", -1))
        for phase, two in ((0.5, 1), (-0.5, -1))
    )
    row = row_of(method_means(own, TWO_WAY), DIFFERENCE, test="forward")
    assert row.estimate == pytest.approx(100 * by_hand)
    after = cells["lime", 0.5, 0.5] - cells["(no_explanation)", 0.5, 0.5]
    row = row_of(method_means(own, TWO_WAY), AFTER, test="counterfactual")
    assert row.estimate == pytest.approx(100 * after)
    outcome = fitted_model(own)
    if all(row.sd < 0.2 for row in outcome.result.random):
        row = row_of(averaged(own, outcome.sound), DIFFERENCE, test="forward")
        assert row.estimate == pytest.approx(100 * by_hand, abs=1.0)


def _fitted(result, frame):
    x, _ = result.estimates.design.recipe.rows(frame)
    return 1 / (1 + np.exp(-(x @ result.estimates.coefficients)))


def test_few_people_lose_slopes_aloud():
    outcome = fitted_model(predictions_of(trials_of(6, 12)).domain("tabular"))
    assert outcome.sound
    assert "(1 + phase | item)" not in outcome.result.formula
    assert "6.0 people predicted an item" in outcome.result.notes[0]


def test_a_model_of_many_pairs_takes_a_sample_of_people_and_says_so(helped, monkeypatch):
    third = len(helped.pairs) // 3
    monkeypatch.setattr(model, "MOST_PAIRS", third)
    drawn, (note,) = model._sampled(helped)
    assert (drawn.participants, len(drawn.pairs)) == (12, third)
    assert "to the data of 12 of 36 participants" in note


def test_one_test_and_one_method_are_left_out_of_the_formula():
    trials = trials_of(20, 10).query("use == 'forward' and method == 'lime'")
    own = predictions_of(trials).domain("tabular")
    outcome = fitted_model(own)
    assert "test" not in outcome.result.formula
    assert "method" not in outcome.result.formula
    (row,) = averaged(own, outcome.sound)
    assert (row.quantity, row.of["test"]) == (CHANGE_POINTS.id, "forward")


@pytest.fixture(scope="module")
def carried():
    """Who had LIME in the forward test is better in the counterfactual test from its start."""
    world = {"carry_over": 1.0, "sd_participant": (0.3, 0.1)}
    return {
        orders: predictions_of(
            trials_of(48, 24, seed=3, world=world, orders=orders, lime=0.25), orders=orders
        ).domain("tabular")
        for orders in ((TESTS,), (TESTS[::-1],), (TESTS, TESTS[::-1]))
    }


def test_what_a_test_carries_over_isnt_taken_from_the_other(carried):
    """Change of the counterfactual test is near zero here, though explanations add 25 points."""
    own = carried[(TESTS,)]
    rows = method_means(own, TWO_WAY)
    late = {"method": "lime", "test": "counterfactual"}
    assert row_of(rows, DIFFERENCE, **late).ci_low < 0
    (row,) = select(decided(own, ModelState(), rows, MEANS, 5.0), **late)
    assert (row.verdict, row.of["measured"]) == (HELPS, AFTER.id)
    assert row.estimate == pytest.approx(row_of(rows, AFTER, **late).estimate)
    assert row_of(rows, BEFORE, **late).p_adjusted < 0.001
    assert not select(rows, BEFORE, test="forward")
    effects = Estimates((*decided(own, ModelState(), rows, MEANS, 5.0), *rows))
    assert "arms already differed before its explanations" in carried_over(
        "tabular", "counterfactual", effects
    )
    assert carried_over("tabular", "forward", effects) == ""


def test_change_decides_only_where_nothing_was_explained_before(carried):
    """Of two groups, the later one alone is asked what was carried over."""
    values = {
        orders: [measured(own.test(test)).id for test in TESTS] for orders, own in carried.items()
    }
    assert values == {
        (TESTS,): [DIFFERENCE.id, AFTER.id],
        (TESTS[::-1],): [AFTER.id, AFTER.id],
        (TESTS, TESTS[::-1]): [AFTER.id, AFTER.id],
    }
    for orders, own in carried.items():
        before = select(method_means(own, TWO_WAY), BEFORE)
        late = own.pairs[own.pairs["first_test"] != own.pairs["test"]]
        assert {row.of["test"]: row.n for row in before} == late.groupby("test").size().to_dict()
        assert len(late) == (1 / 2) * len(own.pairs), orders


@pytest.mark.parametrize("second_test", [False, True])
def test_the_preregistered_value_is_the_one_that_decides(carried, second_test):
    for orders, own in carried.items():
        design = {"second_test": second_test, **design_of(orders)}
        protocol = protocol_of(design=design)
        by = replace(own, pairs=own.pairs.assign(first_test="earlier")) if second_test else own
        promises = EFFECTS.registered(protocol).hypotheses
        named = {(one.tests[0].of["domain"], one.tests[0].of["test"]): one.text for one in promises}
        assert set(named) == set(product(protocol.design.domains, TESTS))
        for (_, test), text in named.items():
            assert MEASURES[measured(by.test(test)).id] in text


def test_holm_is_over_the_methods_of_a_test_and_the_protocol_names_who_decides(helped, effects):
    means = method_means(helped, TWO_WAY)
    for asked in (MODEL, MEANS):
        rows = decided(helped, ModelState(), (*means, *effects), asked, 10.0)
        assert {row.of["by"] for row in rows} == {asked}
        for test in TESTS:
            family = select(rows, test=test)
            p = sorted(row.p for row in family)
            assert min(row.p_adjusted for row in family) == pytest.approx(min(1.0, 2 * p[0]))
    for state, by_model in ((ModelState(), ()), (ModelState(narrow=True), effects)):
        rows = decided(helped, state, (*means, *by_model), MODEL, 10.0)
        assert {row.of["by"] for row in rows} == {MEANS}


def test_few_people_are_never_called_equivalent():
    own = predictions_of(trials_of(8, 16, seed=3))
    outcome = fitted_model(own.domain("tabular"))
    rows = method_means(own, TWO_WAY)
    assert {r.verdict for r in decided(own, ModelState(), rows, MEANS, 60.0)} == {UNDECIDED}
    assert any("smallest arm has 4 people" in note for note in outcome.result.notes)


def test_without_the_arm_change_is_compared_with_zero():
    own = predictions_of(trials_of(24, 8, lime=0.1, anchor=0.0).query("method != 'no_explanation'"))
    rows = decided(own, ModelState(), method_means(own, TWO_WAY), MEANS, 10.0)
    assert [row.of["method"] for row in rows] == ["lime", "anchor"] * 2
    assert not any("against" in row.of for row in rows)


def contrast(estimate, se, df, p):
    """A contrast whose p is that of its family."""
    reach = float(student.ppf(0.975, df)) * se
    return EstimateRow(
        quantity=DIFFERENCE.id, estimate=estimate, se=se, df=df, p=p, p_adjusted=p,
        adjusted_low=estimate - reach, adjusted_high=estimate + reach,
    )  # fmt: skip


def test_a_variance_that_vanishes_decides_nothing_and_gives_no_endless_freedom(helped, outcome):
    """Today a slope that was estimated as zero gives a between-person contrast z for t."""
    kept = tuple(row for row in outcome.result.random if row.term != "phase")
    fit = replace(outcome.result, random=kept)
    assert is_narrow(fit, 3)
    assert all(row.df <= 22 for row in select(averaged(helped, outcome.sound), DIFFERENCE))


def test_one_person_in_an_arm_or_one_item_has_no_verdict(helped):
    pairs = helped.pairs
    lime = pairs.loc[pairs["method"] == "lime", "participant"].unique()
    alone = helped.of([p for p in pairs["participant"].unique() if p not in lime[1:]])
    one_item = replace(helped, pairs=pairs[pairs["item"] == "tabular:forward:i0"])
    sure = contrast(30.0, 5.0, 20.0, 1e-6)
    for own in (alone, one_item):
        differences = select(method_means(own, TWO_WAY), DIFFERENCE)
        rows = [replace(sure, of=row.of) for row in differences]
        found = select(decided(own, ModelState(), rows, MEANS, 5.0), method="lime", test="forward")
        assert {row.verdict for row in found} == {UNDECIDED}


def test_the_margin_is_tested_with_holms_correction(helped):
    """One method alone is within 5 points; among five its p no longer is below .05."""
    row = contrast(0.0, 2.1, 60.0, 1.0)
    assert margin_p(row, 5.0) == pytest.approx(student.cdf(-5 / 2.1, 60))
    assert verdict(row, margin_p(row, 5.0), 5.0, compared=True) == SAME
    assert verdict(row, 5 * margin_p(row, 5.0), 5.0, compared=True) == UNDECIDED


def test_what_is_ruled_out_isnt_in_the_interval_beside_it():
    """The 90 % interval lies within 5 points, the printed one reaches beyond."""
    row = contrast(1.0, 2.2, 60.0, 0.65)
    p = margin_p(row, 5.0)
    assert p < 0.05
    assert verdict(row, p, 5.0, compared=True) == UNDECIDED


@pytest.mark.parametrize(
    ("estimate", "se", "p", "compared", "said"),
    [
        (8, 2, 0.001, True, HELPS),
        (-8, 2, 0.001, True, HARMS),
        (8, 2, 0.001, False, RISES),
        (-8, 2, 0.001, False, FALLS),
        (1, 2, 0.6, True, SAME),
        (6, 4, 0.2, True, UNDECIDED),
    ],
)
def test_a_verdict_needs_a_difference_or_its_absence(estimate, se, p, compared, said):
    row = contrast(estimate, se, 1e9, p)
    assert verdict(row, margin_p(row, 10.0), 10.0, compared=compared) == said

"""The mixed model and the contrasts that decide."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t as student

from analysis.mixed import fit_logistic
from analysis.questions.estimates import EstimateRow, one, select
from analysis.report.deciding import MEANS, MODEL
from analysis.statistics.bootstrap import Resampling
from analysis.studies.simulatability import model as models
from analysis.studies.simulatability.contrasts import (
    FALLS,
    HARMS,
    HELPS,
    RISES,
    SAME,
    UNDECIDED,
    decided_rows,
    margin_p,
    verdict,
)
from analysis.studies.simulatability.means import change_means
from analysis.studies.simulatability.model import (
    FORMULA,
    METHOD,
    ModelState,
    averaged,
    coded,
    fitted_model,
    is_narrow,
)
from analysis.studies.simulatability.quantities import CHANGE_POINTS, DIFFERENCE, POOLED
from tests.analysis.studies.simulatability.tables_of import predictions_of, trials_of

TWO_WAY = Resampling(200, 1)
DRAWN = Resampling(400, 1, means="bootstrap")


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
    assert slope > 0 < one(effects, DIFFERENCE, method="lime", test="all").estimate


def test_a_planted_effect_is_found_over_the_arm_without_explanations(effects):
    own = one(effects, DIFFERENCE, method="lime", test="all", against="no_explanation")
    assert own.p < 0.01
    assert own.ci_low < 25 < own.ci_high
    none = one(effects, DIFFERENCE, method="anchor", test="all")
    assert none.ci_low < 0 < none.ci_high


def test_differences_are_those_of_change_and_tests_count_alike(effects):
    rows = select(effects, CHANGE_POINTS)
    change = {(row.of["method"], row.of["test"]): row.estimate for row in rows}
    for row in select(effects, DIFFERENCE):
        test = row.of["test"]
        own = change[row.of["method"], test] - change["no_explanation", test]
        assert row.estimate == pytest.approx(own)
    for method in ("lime", "anchor", "no_explanation"):
        both = (change[method, "forward"] + change[method, "counterfactual"]) / 2
        assert change[method, "all"] == pytest.approx(both)


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
        sign * cells[method, phase, test] / 2
        for method, side in (("lime", 1), ("(no_explanation)", -1))
        for phase, two in ((0.5, 1), (-0.5, -1))
        for test in (-0.5, 0.5)
        for sign in (side * two,)
    )
    row = one(change_means(own, TWO_WAY), DIFFERENCE)
    assert row.estimate == pytest.approx(100 * by_hand)
    outcome = fitted_model(own)
    if all(row.sd < 0.2 for row in outcome.result.random):
        row = one(averaged(own, outcome.sound), DIFFERENCE, test="all")
        assert row.estimate == pytest.approx(100 * by_hand, abs=1.0)


def _fitted(result, frame):
    x, _ = result.estimates.design.recipe.rows(frame)
    return 1 / (1 + np.exp(-(x @ result.estimates.coefficients)))


def test_few_people_lose_slopes_aloud():
    outcome = fitted_model(predictions_of(trials_of(6, 12)).domain("tabular"))
    assert outcome.sound
    assert "(1 + phase | item)" not in outcome.result.formula
    assert "6.0 people predicted an item" in outcome.result.notes[0]


def test_a_model_of_many_pairs_is_fitted_to_a_sample_and_says_so(helped, monkeypatch):
    monkeypatch.setattr(models, "MOST_PAIRS", len(helped.pairs) // 3)
    outcome = fitted_model(helped)
    assert outcome.result.n == 2 * len(helped.pairs) // 3
    assert "to the data of 12 of 36 participants" in outcome.result.notes[0]


def test_one_test_and_one_method_are_left_out_of_the_formula():
    trials = trials_of(20, 10).query("use == 'forward' and method == 'lime'")
    own = predictions_of(trials).domain("tabular")
    outcome = fitted_model(own)
    assert "test" not in outcome.result.formula
    assert "method" not in outcome.result.formula
    (row,) = averaged(own, outcome.sound)
    assert (row.quantity, row.of["test"]) == (CHANGE_POINTS.id, "forward")


def test_means_take_the_same_person_in_two_domains_as_one():
    both = pd.concat(
        [trials_of(12, 6, seed=1, domain="text"), trials_of(12, 6, seed=2)], ignore_index=True
    )
    found = predictions_of(both)
    assert found.participants == 12
    of = {"domain": "all", "test": "forward", "method": "lime"}
    shared = one(change_means(found, TWO_WAY), CHANGE_POINTS, **of)
    apart = found.pairs.assign(participant=found.pairs["domain"] + found.pairs["participant"])
    own = apart[(apart["test"] == "forward") & (apart["method"] == "lime")]
    assert shared.n == len(own)
    assert shared.estimate == pytest.approx(100 * (own.post - own.pre).mean())


def test_intervals_of_means_may_be_drawn_again(helped):
    both = (change_means(helped, plan) for plan in (TWO_WAY, DRAWN))
    for row, drawn in zip(*both, strict=True):
        assert (drawn.quantity, drawn.of) == (row.quantity, row.of)
        assert drawn.estimate == pytest.approx(row.estimate)
        assert drawn.ci_low < drawn.estimate < drawn.ci_high
        assert 0.7 < drawn.se / row.se < 2.5
        assert (drawn.p < 0.01) >= (row.p < 1e-6)


def test_holm_is_over_the_methods_of_a_domain_and_the_protocol_names_who_decides(helped, effects):
    means = change_means(helped, TWO_WAY)
    for asked in (MODEL, MEANS):
        rows = decided(helped, ModelState(), (*means, *effects), asked, 10.0)
        assert {row.of["by"] for row in rows} == {asked}
        p = sorted(row.p for row in rows)
        assert min(row.p_adjusted for row in rows) == pytest.approx(min(1.0, 2 * p[0]))
    for state, by_model in ((ModelState(), ()), (ModelState(narrow=True), effects)):
        rows = decided(helped, state, (*means, *by_model), MODEL, 10.0)
        assert {row.of["by"] for row in rows} == {MEANS}


def test_few_people_are_never_called_equivalent():
    own = predictions_of(trials_of(8, 16, seed=3))
    outcome = fitted_model(own.domain("tabular"))
    rows = change_means(own, TWO_WAY)
    assert {r.verdict for r in decided(own, ModelState(), rows, MEANS, 60.0)} == {UNDECIDED}
    assert any("smallest arm has 4 people" in note for note in outcome.result.notes)


def test_without_the_arm_change_is_compared_with_zero():
    own = predictions_of(trials_of(24, 8, lime=0.1, anchor=0.0).query("method != 'no_explanation'"))
    rows = decided(own, ModelState(), change_means(own, TWO_WAY), MEANS, 10.0)
    assert [row.of["method"] for row in rows] == ["lime", "anchor"]
    assert not any("against" in row.of for row in rows)


def contrast(estimate, se, df, p):
    """A contrast whose p is that of its family."""
    reach = float(student.ppf(0.975, df)) * se
    return EstimateRow(
        quantity=DIFFERENCE.id, estimate=estimate, se=se, df=df, p=p, p_adjusted=p,
        adjusted_low=estimate - reach, adjusted_high=estimate + reach,
    )  # fmt: skip


def test_methods_that_work_on_some_items_only_widen_the_models_interval():
    """Without the term by item and method the standard error is a fifth smaller here."""
    world = {"sd_method": 2.0, "sd_participant": (0.5, 0.8)}
    own = predictions_of(trials_of(36, 12, seed=5, world=world, lime=0.0)).domain("tabular")
    outcome = fitted_model(own)
    assert ("item:method", "phase") in {(row.group, row.term) for row in outcome.result.random}
    assert not ModelState.of(own, outcome).narrow
    row = one(averaged(own, outcome.sound), DIFFERENCE, test="all")
    without = fit_logistic(FORMULA.replace(METHOD, ""), coded(own))
    less = one(averaged(own, without), DIFFERENCE, test="all")
    assert row.se > 1.2 * less.se


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
    one_item = replace(helped, pairs=pairs[pairs["item"] == pairs["item"].iloc[0]])
    sure = contrast(30.0, 5.0, 20.0, 1e-6)
    for own in (alone, one_item):
        differences = select(change_means(own, TWO_WAY), DIFFERENCE)
        rows = [replace(sure, of=row.of) for row in differences]
        (row,) = select(decided(own, ModelState(), rows, MEANS, 5.0), method="lime")
        assert row.verdict == UNDECIDED


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


def test_at_the_ceiling_nothing_is_ruled_out():
    trials = trials_of(24, 8, lime=0.0).assign(correct=True)
    own = predictions_of(trials)
    rows = decided(own, ModelState(), change_means(own, TWO_WAY), MEANS, 5.0)
    assert {row.verdict for row in rows} == {UNDECIDED}


def test_all_methods_together_are_the_mean_of_their_differences(helped):
    means = change_means(helped, TWO_WAY)
    for pooled in select(means, POOLED):
        rows = select(means, DIFFERENCE, test=pooled.of["test"])
        assert len(rows) == 2
        assert pooled.estimate == pytest.approx(np.mean([row.estimate for row in rows]))
    both = one(means, POOLED, test="all")
    assert both.se < max(row.se for row in select(means, DIFFERENCE, test="all"))


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

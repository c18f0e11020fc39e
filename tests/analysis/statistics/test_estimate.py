"""Estimates: limits, p and verdict of one test never contradict each other."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest, norm
from scipy.stats import t as student

from analysis.statistics.bootstrap import Resampling, Units
from analysis.statistics.estimate import (
    Alike,
    Estimate,
    Independent,
    Percentile,
    Score,
    adjusted,
    by_student,
    holm,
    holm_level,
)
from analysis.statistics.means import estimate_mean, estimate_shares, measure_means, measure_shares
from analysis.statistics.proportions import Count, wilson
from analysis.statistics.two_way import cell_weights

PAIR = np.array([-1.0, 1.0])
PLAN, FIXED = Resampling(10, 1), Resampling(10, 1, people="fixed")
LEVELS = (0.5, 0.9, 0.95, 0.99)
counts = st.integers(1, 40).flatmap(lambda n: st.builds(Count, st.integers(0, n), st.just(n)))


def agrees(found: Estimate, null: float = 0.0) -> None:
    """Limits hold the estimate, nest, and exclude a value exactly if its p is below 1 − level."""
    parts = [found.at(level) for level in LEVELS]
    for part in parts:
        assert part.ci_low <= part.estimate <= part.ci_high
    for inner, outer in pairwise(parts):
        assert outer.ci_low <= inner.ci_low <= inner.ci_high <= outer.ci_high
    for level, part in zip(LEVELS, parts, strict=True):
        p = found.p_of(null)
        if abs(p - (1 - level)) > 1e-9:
            assert (part.ci_low <= null <= part.ci_high) == (p >= 1 - level)


@given(st.floats(-5, 5), st.floats(0.01, 3), st.floats(1, 200), st.floats(-5, 5))
def test_students_limits_are_the_values_that_it_does_not_reject(value, se, df, null):
    found = by_student(value, se, df)
    agrees(found, null)
    assert found.p_of(null) == pytest.approx(2 * student.sf(abs(value - null) / se, df))


@given(st.floats(0.01, 0.99), st.floats(0.005, 0.4), st.floats(1, 100), st.floats(0.01, 0.99))
def test_a_share(share, se, df, null):
    agrees(Estimate(share, (Score(share, se, df),), (0.0, 1.0)), null)


@settings(max_examples=40)
@given(counts, counts, st.floats(-0.9, 0.9))
def test_a_difference_of_independent_shares(one, other, null):
    found = Independent((one, other), (-1.0, 1.0))
    agrees(Estimate(other.rate - one.rate, (found,), (-1.0, 1.0)), null)


@pytest.mark.parametrize("count", [Count(0, 10), Count(3, 10), Count(10, 10)])
def test_one_independent_share_has_the_score_tests_p(count):
    found = Independent((count,), (1.0,))
    assert found.limits(0.95) == pytest.approx((wilson(count).ci_low, wilson(count).ci_high))
    z = abs(count.rate - 0.4) / np.sqrt(0.24 / count.n)
    assert found.p(0.4) == pytest.approx(2 * norm.sf(z), abs=1e-6)


@given(st.sampled_from([-1.0, 0.0, 0.3, 1.0]), st.integers(1, 30), st.floats(-0.99, 0.99))
def test_answers_that_are_all_alike(value, n, null):
    found = Alike(value, n, (-1.0, 1.0))
    agrees(Estimate(value, (found,), (-1.0, 1.0)), null)


@pytest.mark.parametrize("n", [1, 3, 5, 6, 20])
def test_alike_answers_have_exact_limits_and_a_sign_tests_p(n):
    """Clopper and Pearson's limits for n of n; all n changes in one direction."""
    found = Alike(1.0, n, (0.0, 1.0))
    assert found.limits(0.95)[0] == pytest.approx(binomtest(n, n).proportion_ci(0.95, "exact").low)
    assert Alike(100.0, n, (-100.0, 100.0)).p(0.0) == pytest.approx(binomtest(n, n).pvalue)


@given(st.integers(0, 10_000), st.integers(3, 400), st.floats(-1.5, 1.5), st.booleans())
def test_replicates(seed, n, null, rounded):
    draws = np.random.default_rng(seed).normal(size=n)
    draws = np.round(draws, 1) if rounded else draws
    part = Percentile(draws)
    for level in LEVELS:
        low, high = part.limits(level)
        if abs((p := part.p(null)) - (1 - level)) > 1e-9 and p > 1 / n:
            assert (low <= null <= high) == (p >= 1 - level)


@given(st.lists(st.floats(1e-9, 1.0), min_size=1, max_size=12))
def test_corrected_limits_agree_with_corrected_p(p_values):
    """Limits exclude zero exactly if p after Holm is below .05, and are never narrower."""
    family = [by_student(float(student.isf(p / 2, 20)), 1.0, 20.0) for p in p_values]
    after = adjusted(family)
    assert [row.p for row in after] == pytest.approx(holm([row.p for row in family]))
    for row in after:
        assert row.wide.ci_low <= row.of.ci_low
        if abs(row.p - 0.05) > 1e-9:
            assert (row.wide.ci_low > 0 or row.wide.ci_high < 0) == (row.p < 0.05)


def test_the_level_of_an_unknown_p_is_the_plain_one():
    assert holm_level(float("nan"), float("nan")) == 0.95


def test_nothing_is_concluded_from_what_has_no_error():
    found = by_student(0.3, 0.0, 5.0)
    assert np.isnan([found.p, found.ci_low, found.ci_high]).all()
    assert found.verdict(0.1) == "undecided"


@settings(max_examples=30)
@given(
    st.integers(0, 10_000), st.integers(2, 7), st.integers(2, 9),
    st.sampled_from([0.02, 0.3, 0.5, 0.9, 1.0]), st.sampled_from(["random", "fixed"]),
)  # fmt: skip
def test_whatever_few_people_answer_limits_and_p_agree(seed, people, items, share, kind):
    """Tables of all small sizes, shares of 0 and 1 among them, people random or fixed."""
    rng = np.random.default_rng(seed)
    person, item = np.repeat(np.arange(people), items), np.tile(np.arange(items), people)
    cell = (person + item + rng.integers(2)) % 2
    right = (rng.random(len(cell)) < np.where(cell == 1, share, share / 2)).astype(float)
    units, plan = Units(person, item), PLAN if kind == "random" else FIXED
    found = measure_shares(right, cell, 2, units, plan)
    tallied = [Count(int(right[cell == k].sum()), int((cell == k).sum())) for k in range(2)]
    of_points = measure_means(100 * right, cell_weights(cell, 2), units, plan)
    for one in (
        estimate_shares(tallied, PAIR, found),
        estimate_shares(tallied, np.array([0.0, 1.0]), found),
        estimate_mean(of_points, PAIR, (-100.0, 100.0)),
    ):
        if one.tests:
            agrees(one)
            low, high = one.ends
            assert low <= one.ci_low <= one.ci_high <= high


@given(st.floats(-1, 1), st.floats(0.01, 1), st.floats(0.01, 1), st.floats(1, 30))
def test_people_in_general_never_have_narrower_limits_than_these_people(
    estimate, these, beyond, df
):
    own, other = (by_student(estimate, se, df) for se in (these, beyond))
    general = other.no_narrower(own)
    agrees(general)
    assert general.ci_low <= own.ci_low
    assert general.ci_high >= own.ci_high
    assert general.p == max(own.p, other.p)


def test_what_is_not_known_of_people_in_general_stays_unknown():
    unknown = by_student(0.2, np.nan, np.nan).no_narrower(by_student(0.2, 0.1, 5))
    assert np.isnan(unknown.ci_low)

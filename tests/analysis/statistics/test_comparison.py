from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from analysis.statistics.comparison import (
    Comparison,
    mann_whitney,
    paired_t,
    welch,
    wilcoxon,
)

TESTS = [welch, mann_whitney, paired_t, wilcoxon]
RNG = np.random.default_rng(1)
FIRST, SECOND = RNG.normal(0.7, 1, 30), RNG.normal(0, 1.5, 24)
NESTED = (0.8, 0.95, 0.99)
UNKNOWN = (float("nan"), float("nan"))


def ints(*values: float) -> np.ndarray:
    return np.array(values, dtype=float)


def steps(n: int, by: int, of: int) -> np.ndarray:
    """R's ``(1:n * by) %% of``: spread over a range, all different if n < of."""
    return np.arange(1, n + 1) * by % of


def apart(values: np.ndarray) -> Comparison:
    return wilcoxon(values, np.zeros(len(values)))


# R 4.2.2: wilcox.test(x, y, conf.int = TRUE) or, of pairs, wilcox.test(x, conf.int = TRUE): its
# statistic, p.value and conf.int. With `steps` as above.
R_GROUPS = {
    "5 against 5, p .095": (ints(3, 7, 9, 12, 14), ints(1, 2, 4, 6, 8), 21, 0.09523809524, -1, 11),
    "5 against 5": (ints(6, 9, 11, 12, 20), ints(1, 2, 3, 7, 8), 23, 0.03174603175, 1, 17),
    "4 against 4": (ints(1, 2, 4, 5), ints(7, 11, 12, 15), 0, 0.02857142857, -14, -2),
    "2 against 8": (
        ints(1, 2), ints(3, 5, 9, 14, 16, 23, 31, 40), 0, 0.04444444444, -39, -1,
    ),
    "6 against 9": (steps(6, 37, 101), steps(9, 53, 103) + 0.5, 33, 0.5286713287, -28.5, 37.5),
    "30 against 24": (
        steps(30, 37, 101) + 20, steps(24, 53, 103) + 0.5, 531, 0.002508128076, 10.5, 42.5,
    ),
    "49 against 3": (steps(49, 37, 101), steps(3, 53, 103) + 0.5, 92, 0.499638009, -30.5, 49.5),
    "60 against 20": (
        steps(60, 37, 101) + 15, steps(20, 53, 103) + 0.5, 868, 0.002956526073, 9.5, 39.5,
    ),
    "ties": (ints(2, 2, 2, 3), ints(1, 1, 1, 2), 14.5, 0.05777957112, 0, 2),
}  # fmt: skip
R_PAIRS = {
    "6": (ints(2, 5, 6, 9, 13, -1), 20, 0.0625, -1, 13),
    "10": (steps(10, 37, 101) - 30.5, 46, 0.064453125, -0.5, 43.5),
    "25": (
        steps(25, 37, 101) - 40.25 + np.arange(1, 26) / 100, 209, 0.2199863791, -5.145, 21.835,
    ),
    "55": (
        steps(55, 37, 101) - 40.25 + np.arange(1, 56) / 128, 1033, 0.02785170169, 1.38671875,
        17.96484375,
    ),
    "zeros and ties": (ints(0, 0, 3, -1, 4, 2, 6, -5, 7, 8), 30, 0.1073275578, -1, 7),
    "ties": (ints(3, 3, -1, 4, 2, 6, -2, 7, 8, 2, 5, 5), 74, 0.006674355431, 1.5, 5.5),
}  # fmt: skip


@pytest.mark.parametrize("case", R_GROUPS)
def test_mann_whitney_is_rs(case):
    first, second, *theirs = R_GROUPS[case]
    assert numbers(mann_whitney(first, second)) == pytest.approx(theirs, rel=1e-8)


@pytest.mark.parametrize("case", R_PAIRS)
def test_wilcoxon_is_rs(case):
    differences, *theirs = R_PAIRS[case]
    assert numbers(apart(differences)) == pytest.approx(theirs, rel=1e-8)


def test_a_limit_at_a_rejected_zero_is_the_next_difference():
    """R says [0.0000559, 4] of these, by a search for the root: any number above zero."""
    found = mann_whitney(steps(12, 5, 7) + 2, steps(10, 3, 7))
    assert numbers(found) == pytest.approx([92.5, 0.03327655007, 1, 4])


def numbers(found: Comparison) -> list[float]:
    return [found.statistic, found.p, found.difference.ci_low, found.difference.ci_high]


@pytest.mark.parametrize(
    ("found", "said"),
    [
        # R gives the extremes as limits, with a warning: "requested conf.level not achievable".
        (mann_whitney(ints(1, 2, 4), ints(7, 11, 12)), "with 3 and 3 values at most 90 %"),
        (mann_whitney(ints(1, 1, 1), ints(7, 7, 7)), "with 3 and 3 values at most 90 %"),
        (mann_whitney(ints(1), ints(*range(2, 62))), "with 1 and 60 values at most 90.6 %"),
        (apart(ints(2, 5, 6, 9, 13)), "with 5 pairs that differ at most 93.7 %"),
    ],
)  # fmt: skip
def test_a_level_that_cant_be_attained_is_named_in_place_of_limits(found, said):
    assert said in found.note
    assert found.p >= 0.05
    assert found.difference.known
    assert not np.isfinite([found.difference.ci_low, found.effect.ci_low]).any()


@pytest.mark.parametrize(
    ("found", "said", "p_known"),
    [
        (mann_whitney(ints(3, 3, 3, 3), ints(3, 3, 3, 3, 3)), "all values are alike", False),
        (mann_whitney(ints(2, 2, 2, 2), ints(1, 1, 1, 1, 1)), "too many values are alike", True),
        (apart(np.ones(9)), "too many values are alike", True),
        (apart(np.zeros(9)), "no pair differs", False),
        (paired_t(np.arange(9.0) + 0.1, np.arange(9.0)), "all pairs differ alike", False),
        (welch(ints(2, 2, 2, 2), ints(1, 1, 1, 1, 1)), "of each arm are all alike", False),
    ],
)
def test_limits_that_would_collapse_give_way_to_the_reason(found, said, p_known):
    assert said in found.note
    assert np.isfinite(found.p) == p_known
    assert np.isfinite(found.difference.estimate)
    assert np.isnan(found.difference.ci_low)


samples = st.one_of(
    st.lists(st.integers(0, 9).map(lambda k: k / 9), max_size=9),
    st.lists(st.floats(-4, 4).map(lambda x: round(x, 4)), max_size=9),
    st.lists(st.sampled_from([0.0, 1.0]), max_size=60),
)


@given(samples, samples, st.sampled_from([-1.0, 0.0, 0.5, 1.0]))
@pytest.mark.parametrize("test", TESTS)
def test_p_and_all_limits_agree_on_zero_and_levels_nest(test, first, second, more):
    if test in (paired_t, wilcoxon):
        first, second = first[: len(second)], second[: len(first)]
    one = test(np.array(first) + more, np.array(second))
    for level in NESTED:
        for part in (one.difference.at(level), one.effect.at(level)):
            if np.isfinite(part.ci_low):
                assert part.ci_low <= part.estimate <= part.ci_high
                assert part.ci_low < part.ci_high
                assert (part.ci_low > 0 or part.ci_high < 0) == (one.p < round(1 - level, 9))
            else:
                assert one.why_not(level)
        if np.isfinite(one.effect.ci_low) and "rank" in one.effect_name:
            assert -1 <= one.effect.ci_low < one.effect.ci_high <= 1
    for inner, outer in combinations(NESTED, 2):
        for part in (one.difference, one.effect):
            near, far = part.at(inner), part.at(outer)
            if np.isfinite([near.ci_low, far.ci_low]).all():
                assert far.ci_low <= near.ci_low
                assert near.ci_high <= far.ci_high


def test_welch_is_scipys_and_its_effect_is_hedges():
    found = welch(FIRST, SECOND)
    theirs = stats.ttest_ind(FIRST, SECOND, equal_var=False)
    assert (found.statistic, found.p) == pytest.approx((theirs.statistic, theirs.pvalue))
    pooled = np.sqrt((29 * FIRST.var(ddof=1) + 23 * SECOND.var(ddof=1)) / 52)
    g = (FIRST.mean() - SECOND.mean()) / pooled * (1 - 3 / (4 * 54 - 9))
    assert found.effect.estimate == pytest.approx(g)
    assert found.effect.ci_low < g < found.effect.ci_high


def test_limits_of_g_are_the_noncentral_ts_whose_quantiles_are_the_t_found():
    found = paired_t(FIRST[:24], SECOND)
    scale = found.effect.estimate / found.statistic
    for limit, share in ((found.effect.ci_low, 0.975), (found.effect.ci_high, 0.025)):
        assert stats.nct.cdf(found.statistic, 23, limit / scale) == pytest.approx(share, abs=1e-5)


def test_mann_whitneys_effect_counts_pairs():
    found = mann_whitney(FIRST, SECOND)
    theirs = stats.mannwhitneyu(FIRST, SECOND, method="exact")
    assert (found.statistic, found.p) == pytest.approx((theirs.statistic, theirs.pvalue))
    wins = (FIRST[:, None] > SECOND).mean() - (FIRST[:, None] < SECOND).mean()
    assert found.effect.estimate == pytest.approx(wins)


def test_paired_tests_leave_out_broken_pairs():
    first, second = FIRST[:20].copy(), SECOND[:20]
    first[3] = np.nan
    whole = np.arange(20) != 3
    t, w = paired_t(first, second), wilcoxon(first, second)
    assert t.n == (19, 19)
    assert t.p == pytest.approx(stats.ttest_rel(first[whole], second[whole]).pvalue)
    assert w.p == pytest.approx(stats.wilcoxon(first[whole], second[whole]).pvalue)
    difference = (first - second)[whole]
    ranks = stats.rankdata(np.abs(difference))
    assert w.effect.estimate == pytest.approx((ranks * np.sign(difference)).sum() / ranks.sum())
    assert w.effect.ci_low < w.effect.estimate < w.effect.ci_high


def test_rounding_makes_no_differences_unequal():
    """5/9 - 4/9 isn't 3/9 - 2/9 in floating point; both are a tie of V."""
    assert 5 / 9 - 4 / 9 != 3 / 9 - 2 / 9
    ninths = ints(5, 3, 7, 9, 8, 6), ints(4, 2, 8, 5, 2, 4)
    assert wilcoxon(ninths[0] / 9, ninths[1] / 9).p == wilcoxon(*ninths).p


@pytest.mark.parametrize("test", TESTS)
def test_too_little_to_compare_is_nan_not_a_crash(test):
    found = test(np.array([np.nan]), np.array([np.nan]))
    assert np.isnan(found.p)
    assert not found.difference.known
    assert found.note


@given(st.integers(1, 5), st.integers(1, 5), st.integers(0, 25))
def test_u_is_distributed_as_counted_over_all_allocations(m, n, seed):
    """The definition: every choice of m of the m + n values is equally likely."""
    values = np.random.default_rng(seed).permutation(m + n).astype(float)
    found = mann_whitney(values[:m], values[m:])
    away = abs(found.statistic - m * n / 2)
    counts = [
        sum(values[i] > values[j] for i in chosen for j in range(m + n) if j not in chosen)
        for chosen in combinations(range(m + n), m)
    ]
    assert found.p == pytest.approx(np.mean(np.abs(np.array(counts) - m * n / 2) >= away))


@given(st.integers(1, 8), st.integers(0, 25))
def test_v_is_distributed_as_counted_over_all_signs(n, seed):
    rng = np.random.default_rng(seed)
    sizes = rng.permutation(n) + 1.0
    found = apart(sizes * rng.choice([-1, 1], n))
    counts = np.array([size[size > 0].sum() for size in product(*((-s, s) for s in sizes))
                       for size in [np.array(size)]])  # fmt: skip
    away = abs(found.statistic - n * (n + 1) / 4)
    assert found.p == pytest.approx(np.mean(np.abs(counts - n * (n + 1) / 4) >= away))

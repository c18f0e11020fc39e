import numpy as np
import pytest
from scipy import stats

from analysis.statistics.comparison import (
    holm,
    mann_whitney,
    paired_t,
    welch,
    wilcoxon,
)

RNG = np.random.default_rng(1)
FIRST, SECOND = RNG.normal(0.7, 1, 30), RNG.normal(0, 1.5, 24)


def simulated_coverage(test, make, truth, part, runs=160):
    """Share of intervals that hold the truth."""
    held = 0
    for seed in range(runs):
        limits = getattr(test(*make(np.random.default_rng(seed))), part)
        held += limits.ci_low <= truth <= limits.ci_high
    return held / runs


def test_welch_is_scipys_and_its_effect_is_hedges():
    found = welch(FIRST, SECOND)
    theirs = stats.ttest_ind(FIRST, SECOND, equal_var=False)
    assert (found.statistic, found.p) == pytest.approx((theirs.statistic, theirs.pvalue))
    pooled = np.sqrt((29 * FIRST.var(ddof=1) + 23 * SECOND.var(ddof=1)) / 52)
    g = (FIRST.mean() - SECOND.mean()) / pooled * (1 - 3 / (4 * 54 - 9))
    assert found.effect.estimate == pytest.approx(g)
    assert found.effect.ci_low < g < found.effect.ci_high


def test_mann_whitney_is_scipys_and_its_effect_counts_pairs():
    found = mann_whitney(FIRST, SECOND)
    theirs = stats.mannwhitneyu(FIRST, SECOND)
    assert (found.statistic, found.p) == pytest.approx((theirs.statistic, theirs.pvalue))
    wins = (FIRST[:, None] > SECOND).mean() - (FIRST[:, None] < SECOND).mean()
    assert found.effect.estimate == pytest.approx(wins)


def test_rank_intervals_cover():
    def two(rng):
        return rng.normal(0.5, 1, 20), rng.normal(0, 1, 25)

    area = stats.norm.cdf(0.5 / np.sqrt(2))
    assert simulated_coverage(mann_whitney, two, 2 * area - 1, "effect") == pytest.approx(
        0.95, abs=0.04
    )
    assert simulated_coverage(mann_whitney, two, 0.5, "difference") == pytest.approx(
        0.95, abs=0.055
    )

    def pairs(rng):
        return rng.normal(0.4, 1, 25), np.zeros(25)

    assert simulated_coverage(wilcoxon, pairs, 0.4, "difference") == pytest.approx(0.95, abs=0.055)


def test_one_group_wholly_above_has_an_effect_and_no_limits():
    found = mann_whitney(np.arange(5) + 10.0, np.arange(5.0))
    assert found.effect.estimate == 1.0
    assert np.isnan(found.effect.ci_low)


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


def test_holm_by_hand():
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    adjusted = holm([0.01, float("nan"), 0.04])
    assert (adjusted[0], adjusted[2]) == pytest.approx((0.02, 0.04))
    assert np.isnan(adjusted[1])


@pytest.mark.parametrize("test", [welch, mann_whitney, paired_t, wilcoxon])
def test_too_little_to_compare_is_nan_not_a_crash(test):
    found = test(np.array([np.nan]), np.array([np.nan]))
    assert np.isnan(found.p)
    assert not found.difference.known

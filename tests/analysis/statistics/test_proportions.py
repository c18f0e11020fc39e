import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.proportion import confint_proportions_2indep

from analysis.statistics.proportions import Count, equal_rates_p, mover, wilson


def counts():
    return st.integers(1, 60).flatmap(lambda n: st.builds(Count, st.integers(0, n), st.just(n)))


@given(counts(), counts())
def test_mover_of_a_difference_is_newcombes_interval(first, second):
    """Newcombe 1998, method 10, as statsmodels computes it."""
    low, high = confint_proportions_2indep(
        first.successes, first.n, second.successes, second.n, compare="diff", method="newcomb"
    )
    found = mover([first, second], [1, -1])
    assert (found.ci_low, found.ci_high) == pytest.approx((low, high), abs=1e-9)


@given(st.lists(counts(), min_size=1, max_size=4), st.sampled_from([0.9, 0.95]))
def test_an_interval_holds_its_estimate_and_never_collapses(parts, level):
    found = mover(parts, [(-1) ** place for place in range(len(parts))], level)
    assert found.ci_low <= found.estimate <= found.ci_high
    assert found.ci_high > found.ci_low


def test_wilson_of_no_successes_in_ten():
    """Newcombe 1998, Stat. Med. 17, table I: 0 of 10 gives 0 to .2775."""
    found = wilson(Count(0, 10))
    assert (found.ci_low, round(found.ci_high, 4)) == (0, 0.2775)


def test_without_trials_nothing_is_known_unless_the_weight_is_zero():
    empty, some = Count(0, 0), Count(3, 5)
    assert math.isnan(mover([some, empty], [1, -1]).estimate)
    assert mover([some, empty], [1, 0]).estimate == pytest.approx(0.6)


@pytest.mark.parametrize("failed", [(4, 0, 1), (2, 2, 1), (0, 5), (0, 0, 0)])
def test_equal_rates_are_tested_by_all_tables_with_the_same_margins(failed):
    """By the definition: tables that are no likelier than the one that was seen."""
    groups = tuple(Count(k, 6) for k in failed)
    found = {
        table: math.prod(math.comb(6, k) for k in table)
        for table in product(range(7), repeat=len(groups))
        if sum(table) == sum(failed)
    }
    as_rare = sum(n for n in found.values() if n <= found[failed])
    assert equal_rates_p(groups) == pytest.approx(as_rare / sum(found.values()), abs=0.01)
    assert equal_rates_p(groups) == equal_rates_p(groups)


@pytest.mark.parametrize("groups", [[(3, 10), (4, 10), (2, 10)], [(9, 90), (4, 90), (7, 90)]])
def test_the_p_of_three_groups_is_scipys(groups):
    table = np.array([[hits, n - hits] for hits, n in groups])
    drawn = stats.MonteCarloMethod(rng=np.random.default_rng(1))
    theirs = stats.fisher_exact(table, method=drawn).pvalue
    assert equal_rates_p([Count(*group) for group in groups]) == pytest.approx(theirs, abs=1e-12)


def test_the_p_of_large_groups_is_that_of_chi_square():
    groups = [Count(250, 25_000), Count(280, 25_000), Count(245, 25_000), Count(262, 25_000)]
    table = [[group.successes, group.n - group.successes] for group in groups]
    theirs = stats.chi2_contingency(table).pvalue
    assert equal_rates_p(groups) == pytest.approx(theirs, abs=0.02)

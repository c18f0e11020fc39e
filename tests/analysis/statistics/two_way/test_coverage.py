"""A small form of the bench of intervals: rates near 1, and tables in which items hardly recur."""

import pytest
from scipy.stats import binom

from analysis.statistics.two_way import cell_weights, two_way_means
from bench.parts.interval_methods import Found, ours
from bench.parts.interval_worlds import odd, simulated
from bench.parts.intervals import CONTRASTS

STUDIES = 400


@pytest.mark.parametrize("name", CONTRASTS)
def test_rates_near_one_are_covered_without_waste(name):
    """If levels count in full, the interval of p_S is a quarter wider than it should be."""
    _covers_without_waste(odd()["40 × 16, rates of .82 and .97"], name)


@pytest.mark.parametrize("name", CONTRASTS)
def test_sparse_tables_are_covered_without_waste(name):
    """If levels are taken off, intervals are up to 1.7 times as wide as they should be."""
    _covers_without_waste(odd()["24 × 300, an item seen by 1.4 people"], name)


def _covers_without_waste(kind, name):
    parts = [
        ours(own, two_way_means(own.answers, cell_weights(own.cell, 4), own.units), CONTRASTS[name])
        for own in simulated(kind, STUDIES, "intervals, test")
    ]
    row = Found.joined(parts).row(float(CONTRASTS[name] @ kind.truths))
    least = binom.ppf(0.0005, STUDIES, 0.95) / STUDIES
    assert row["coverage"] >= least
    assert 0.95 <= row["width"] <= 1.2

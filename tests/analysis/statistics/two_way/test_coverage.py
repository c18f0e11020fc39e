"""A small form of the bench of intervals: rates near 1, and tables in which items hardly recur."""

import pytest
from scipy.stats import binom

from analysis.statistics.two_way import cell_weights, two_way_means
from bench.parts.interval_methods import Found, ours
from bench.parts.interval_worlds import odd, simulated
from bench.parts.intervals import CONTRASTS

STUDIES = 400
WIDE = {
    "40 × 16, rates of .82 and .97": "a quarter too wide if levels count in full",
    "24 × 300, an item seen by 1.4 people": "1.7 times too wide if levels are taken off",
}


@pytest.mark.parametrize("name", WIDE)
def test_shares_are_covered_without_waste(name):
    kind = odd()[name]
    drawn = list(simulated(kind, STUDIES, "intervals, test"))
    found = [two_way_means(own.answers, cell_weights(own.cell, 4), own.units) for own in drawn]
    least = binom.ppf(0.0005, STUDIES, 0.95) / STUDIES
    for contrast in CONTRASTS.values():
        parts = [ours(own, means, contrast) for own, means in zip(drawn, found, strict=True)]
        row = Found.joined(parts).row(float(contrast @ kind.truths))
        assert row["coverage"] >= least
        assert 0.95 <= row["width"] <= 1.2

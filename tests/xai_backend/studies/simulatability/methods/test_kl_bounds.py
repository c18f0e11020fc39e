"""Bounds of a share against a root finder on the divergence."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq
from scipy.special import rel_entr

from xai_backend.studies.simulatability.methods.anchor import exploration, lower, upper

SHARES = st.floats(0, 1)
LEVELS = st.floats(1e-4, 30)


def divergence(p, q):
    return rel_entr(p, q) + rel_entr(1 - p, 1 - q)


@given(SHARES, LEVELS)
def test_bounds_are_where_the_divergence_reaches_the_level(p, level):
    def excess(q):
        return min(float(divergence(p, q)), 1e6) - level

    high = brentq(excess, p, 1, xtol=1e-13) if p < 1 and excess(1) > 0 else 1.0
    low = brentq(excess, 0, p, xtol=1e-13) if p > 0 and excess(0) > 0 else 0.0
    assert upper(p, level) == pytest.approx(high, abs=1e-7)
    assert lower(p, level) == pytest.approx(low, abs=1e-7)


def test_bounds_hold_as_often_as_they_say():
    rng = np.random.default_rng(3)
    delta, n, p = 0.1, 60, 0.93
    shares = rng.binomial(n, p, 20_000) / n
    level = np.log(1 / delta) / n
    assert (upper(shares, level) < p).mean() < delta
    assert (lower(shares, level) > p).mean() < delta


def test_exploration_is_the_papers_rate():
    inner = np.log(405.5 * 7 * 5**1.1 / 0.05)
    assert exploration(7, 5, 0.05) == pytest.approx(inner + np.log(inner))

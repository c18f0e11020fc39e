"""Tails, quantiles and Holm's correction are those of the libraries that load slowly."""

import gc

import numpy as np
import pingouin
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.multitest import multipletests

from analysis import distributions as ours

T = np.array([-40.0, -2.1, 0.0, 1e-9, 0.7, 3.3, 25.0])
SHARES = np.array([1e-12, 0.025, 0.5, 0.9, 0.975, 1 - 1e-12])


@pytest.mark.parametrize("df", [1, 2.5, 30, 1e6, np.inf])
def test_students_tail_and_quantile_are_scipys(df):
    assert ours.t_above(T, df) == pytest.approx(stats.t.sf(T, df), rel=1e-10)
    assert ours.t_quantile(SHARES, df) == pytest.approx(stats.t.ppf(SHARES, df), rel=1e-10)


def test_the_other_tails_are_scipys():
    assert ours.normal_above(T) == pytest.approx(stats.norm.sf(T), rel=1e-12)
    assert ours.normal_quantile(SHARES) == pytest.approx(stats.norm.ppf(SHARES), rel=1e-12)
    assert ours.normal_density(T) == pytest.approx(stats.norm.pdf(T), rel=1e-12)
    for x in (0.0, 0.3, 7.9, 200.0):
        assert ours.chi2_above(x, 3) == pytest.approx(stats.chi2.sf(x, 3), rel=1e-12)
        assert ours.f_above(x, 2, 17) == pytest.approx(stats.f.sf(x, 2, 17), rel=1e-12)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_holms_correction_is_pingouins(p_values):
    theirs = pingouin.multicomp(p_values, method="holm")[1]
    assert ours.holm(p_values) == pytest.approx(theirs, abs=1e-12)


def test_holms_correction_is_that_of_statsmodels(monkeypatch):
    """Theirs collects garbage at each call, which takes longer than many tests."""
    monkeypatch.setattr(gc, "collect", lambda: 0)
    p_values = [0.011, 0.04, 0.2, 0.003, 0.04, 1.0]
    assert ours.holm(p_values) == pytest.approx(multipletests(p_values, method="holm")[1])


def test_unknown_p_values_do_not_count():
    assert ours.holm([0.01, None, 0.04, np.nan]) == pytest.approx(
        [0.02, np.nan, 0.04, np.nan], nan_ok=True
    )

import math

import numpy as np
import pytest
from scipy.stats import norm

from analysis.statistics.detection import detect
from analysis.statistics.proportions import Count


def test_log_linear_correction_by_hand():
    """Hautus 1995: 18 of 20 hits, 4 of 25 false alarms."""
    found = detect(Count(18, 20), Count(4, 25))
    hit, false = norm.ppf(18.5 / 21), norm.ppf(4.5 / 26)
    assert found.d_prime.estimate == pytest.approx(hit - false)
    assert found.criterion.estimate == pytest.approx(-(hit + false) / 2)


def test_perfect_and_empty_answers_stay_finite():
    found = detect(Count(10, 10), Count(0, 30))
    assert math.isfinite(found.d_prime.estimate)
    assert found.d_prime.ci_low > 0
    assert not detect(Count(0, 0), Count(1, 4)).d_prime.known


def test_who_accepts_everything_has_no_sensitivity_and_a_liberal_criterion():
    found = detect(Count(20, 20), Count(20, 20))
    assert found.d_prime.estimate == pytest.approx(0)
    assert found.criterion.ci_high < 0


def test_the_standard_error_is_that_of_simulated_answers():
    rng_rates = (0.8, 0.3)

    rng = np.random.default_rng(4)
    hits, false = rng.binomial(60, rng_rates[0], 4000), rng.binomial(60, rng_rates[1], 4000)
    spread = np.std(
        [
            detect(Count(h, 60), Count(f, 60)).d_prime.estimate
            for h, f in zip(hits[:600].tolist(), false[:600].tolist(), strict=True)
        ]
    )
    one = detect(Count(48, 60), Count(18, 60)).d_prime
    assert (one.ci_high - one.ci_low) / (2 * 1.96) == pytest.approx(spread, rel=0.1)

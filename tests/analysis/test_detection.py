import math

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

from analysis.mixed.result import NotEstimableError
from analysis.statistics.bootstrap import Resampling, Units
from analysis.statistics.detection import detect, detect_by_model, detect_each, detect_group
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
            for h, f in zip(hits[:1500].tolist(), false[:1500].tolist(), strict=True)
        ]
    )
    one = detect(Count(48, 60), Count(18, 60)).d_prime
    assert (one.ci_high - one.ci_low) / (2 * 1.96) == pytest.approx(spread, rel=0.1)


def test_each_participant_is_detected_by_itself():
    signal = np.array([1, 1, 0, 0, 1, 0, 1], dtype=bool)
    accepted = np.array([1, 0, 0, 1, 1, 0, 1], dtype=bool)
    found = detect_each(signal, accepted, list("bbbbaac"))
    assert list(found) == ["a", "b", "c"]
    assert found["b"] == detect(Count(1, 2), Count(1, 2))
    assert not found["c"].d_prime.known


def test_a_groups_d_prime_is_the_mean_of_its_members_own():
    rng = np.random.default_rng(6)
    participant, item = np.repeat(np.arange(8), 40), np.tile(np.arange(40), 8)
    signal = item % 2 == 0
    accepted = rng.random(320) < np.where(signal, 0.8, 0.3)
    units = Units(participant, item)
    found = detect_group(signal, accepted, units, Resampling(500, 1))
    each = detect_each(signal, accepted, participant)
    own = [one.d_prime.estimate for one in each.values()]
    assert found.participants == 8
    assert found.d_prime.estimate == pytest.approx(np.mean(own))
    assert found.criterion.estimate == pytest.approx(
        np.mean([one.criterion.estimate for one in each.values()])
    )
    assert found.d_prime.ci_low < np.mean(own) < found.d_prime.ci_high


def test_who_had_no_noise_does_not_count_in_the_group():
    signal = np.array([1, 1, 0, 0, 1, 1], dtype=bool)
    accepted = np.array([1, 1, 0, 0, 0, 0], dtype=bool)
    units = Units(np.array([0, 0, 0, 0, 1, 1]), np.array([0, 1, 2, 3, 0, 1]))
    found = detect_group(signal, accepted, units, Resampling(200, 1))
    assert found.participants == 1
    assert found.d_prime.estimate == pytest.approx(
        detect(Count(2, 2), Count(0, 2)).d_prime.estimate
    )


def trials_of(d_prime, criterion, people=24, items=40, seed=4):
    """Answers of an equal-variance observer, with people and items that differ."""
    rng = np.random.default_rng(seed)
    person, item = np.repeat(np.arange(people), items), np.tile(np.arange(items), people)
    signal = (item + person) % 2 == 0
    eta = np.where(signal, 0.5, -0.5) * (d_prime + rng.normal(0, 0.4, people))[person]
    eta += (-criterion + rng.normal(0, 0.3, people))[person] + rng.normal(0, 0.3, items)[item]
    accepted = eta + rng.normal(size=len(eta)) > 0
    return pd.DataFrame(
        {"accepted": accepted, "signal": signal, "participant": person, "item": item}
    )


def test_the_mixed_probit_model_finds_d_prime_and_criterion():
    found = detect_by_model(trials_of(1.2, 0.3))
    assert found.d_prime.ci_low < 1.2 < found.d_prime.ci_high
    assert found.criterion.ci_low < 0.3 < found.criterion.ci_high
    assert found.d_prime.estimate == pytest.approx(1.2, abs=0.25)
    assert found.model.converged


def test_gpboost_finds_the_same_mixed_probit_model():
    """An independent computation of the same approximation (Sigrist 2022)."""
    gpboost = pytest.importorskip("gpboost")
    table = trials_of(1.2, 0.3)
    found = detect_by_model(table)
    signal = table["signal"].to_numpy() - 0.5
    model = gpboost.GPModel(
        likelihood="bernoulli_probit",
        group_data=table[["participant", "item"]].to_numpy(),
        group_rand_coef_data=signal[:, None],
        ind_effect_group_rand_coef=[1],
        matrix_inversion_method="cholesky",
        num_parallel_threads=1,
    )
    model.fit(
        y=table["accepted"].to_numpy(dtype=float),
        X=np.column_stack([np.ones(len(table)), signal]),
        params={"optimizer_cov": "lbfgs", "delta_rel_conv": 1e-10, "maxit": 1000},
    )
    theirs = -model.get_current_neg_log_likelihood()
    assert found.model.log_likelihood == pytest.approx(theirs, abs=1e-4)
    level, slope = model.get_coef(format_pandas=False)
    assert found.d_prime.estimate == pytest.approx(slope, abs=2e-3)
    assert found.criterion.estimate == pytest.approx(-level, abs=2e-3)


def test_a_model_of_signals_alone_is_not_estimable():
    table = trials_of(1.0, 0.0)
    with pytest.raises(NotEstimableError, match="only signals"):
        detect_by_model(table[table["signal"]])

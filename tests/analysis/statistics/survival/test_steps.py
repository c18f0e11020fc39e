"""Life tables, restricted means and person-step rows against the definition and other programs."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import CensoredData, ecdf

from analysis.statistics.bootstrap import Resampling, Units
from analysis.statistics.survival.hazards import person_steps, pooled_steps
from analysis.statistics.survival.life_tables import (
    LIMITS,
    Rounds,
    Strata,
    hazards,
    life_table,
    mean_amounts,
    number_of_ends,
    pairs,
    restricted_means,
    round_values,
)

STEPS = 6


def drawn(n=80, seed=1):
    rng = np.random.default_rng(seed)
    step, seen = rng.integers(1, STEPS + 3, n), rng.integers(0, STEPS + 4, n).clip(max=STEPS)
    recognised = step <= seen
    return Rounds(np.where(recognised, step, seen), recognised, STEPS)


def unrecognised(ended):
    events, at_risk = life_table(np.asarray(ended))
    return np.cumprod(1 - hazards(events, at_risk), axis=-1)


def test_the_product_limit_estimate_is_scipys():
    rounds = drawn()
    ours = unrecognised(np.bincount(rounds.ends, minlength=number_of_ends(STEPS)))
    # A round that was left after step k was at risk at k: it is censored just after.
    value = rounds.step + np.where(rounds.recognised, 0.0, 0.5)
    theirs = ecdf(CensoredData(value[rounds.recognised], right=value[~rounds.recognised])).sf
    assert ours == pytest.approx([float(theirs.evaluate(k)) for k in range(1, STEPS + 1)])


def test_round_values_have_the_curves_sum_as_their_mean():
    rounds, lengths = drawn(), np.array([0.5, 1, 2, 0, 1, 3, 0.25])
    ended = np.bincount(rounds.ends, minlength=number_of_ends(STEPS))
    found = round_values(ended[None], lengths[None])[0]
    curve = np.append(1, unrecognised(ended))
    assert ended @ found / ended.sum() == pytest.approx(lengths @ curve)


def test_round_values_are_the_jackknifes_of_many_rounds():
    rounds, lengths = drawn(4000, seed=2), np.arange(1.0, STEPS + 2)
    ended = np.bincount(rounds.ends, minlength=number_of_ends(STEPS))
    found, n = round_values(ended[None], lengths[None])[0], ended.sum()

    def whole(numbers):
        return lengths @ np.append(1, unrecognised(numbers))

    for end in np.flatnonzero(ended):
        without = ended - np.eye(len(ended), dtype=int)[end]
        slow = n * whole(ended) - (n - 1) * whole(without)
        assert found[end] == pytest.approx(slow, abs=0.02)


def test_a_step_beyond_the_last_is_refused():
    with pytest.raises(ValueError, match="steps must be between"):
        Rounds(np.array([7]), np.array([True]), STEPS)


def slow_mean(step, recognised, amounts, limit, end):
    """Average min(needed, limit) round by round; no round left midway."""
    values = []
    for k, seen in zip(step, recognised, strict=True):
        low, high = ([0.0, *amounts][k - 1], amounts[k - 1]) if seen else (limit, limit)
        low, high = min(low, limit), min(high, limit)
        values.append({"lower": low, "upper": high, "middle": (low + high) / 2}[end])
    return np.mean(values)


@pytest.mark.parametrize("end", ["lower", "middle", "upper"])
def test_restricted_means_are_averages_round_by_round_where_nobody_left(end):
    rng = np.random.default_rng(4)
    amounts = np.cumsum(rng.uniform(0.01, 0.03, (5, 2, STEPS)), axis=2)
    n = 60
    item, method, person = rng.integers(5, size=n), rng.integers(2, size=n), rng.integers(4, size=n)
    recognised = rng.random(n) < 0.7
    step = np.where(recognised, rng.integers(1, STEPS + 1, n), STEPS)
    strata = Strata(Rounds(step, recognised, STEPS), item, method, amounts)
    found = restricted_means(strata, Units(person, item), Resampling(20, 1))
    means = np.full((5, 2), np.nan)
    for i in range(5):
        limit = amounts[i, :, -1].min()
        for m in range(2):
            own = (item == i) & (method == m)
            if own.any():
                means[i, m] = slow_mean(step[own], recognised[own], amounts[i, m], limit, end)
    both = np.isfinite(means).all(axis=1)
    assert mean_amounts(strata, end) == pytest.approx(np.nanmean(means, axis=0))
    if end == "middle":
        for m in range(2):
            assert found.mean(m).estimate == pytest.approx(np.nanmean(means[:, m]))
        gap = (means[both, 1] - means[both, 0]).mean()
        assert found.difference(*pairs(2)[0]).estimate == pytest.approx(gap)


def test_the_smallest_final_count_is_over_the_methods_that_showed_the_image():
    amounts = np.array([[[1, 5], [2, 4]], [[1, 7], [np.nan, np.nan]], [[np.nan] * 2] * 2])
    assert LIMITS["smallest_final_count"](amounts) == pytest.approx([4, 7, np.nan], nan_ok=True)


@pytest.mark.parametrize("means", ["two_way", "bootstrap"])
def test_a_mean_that_cannot_vary_has_no_limits(means):
    """A width of zero would rule everything else out."""
    rounds = Rounds(np.full(8, 2), np.ones(8, bool), STEPS)
    amounts = np.broadcast_to(np.linspace(0.01, 0.06, STEPS), (2, 2, STEPS))
    units = Units(np.arange(8) % 4, np.arange(8) % 2)
    strata = Strata(rounds, np.arange(8) % 2, np.arange(8) // 4, amounts)
    found = restricted_means(strata, units, Resampling(50, 1, means=means))
    for part in (found.mean(0), found.difference(0, 1)):
        assert np.isnan([part.ci_low, part.ci_high]).all()
    assert (found.mean(0).estimate, found.difference(0, 1).estimate) == (0.015, 0)


@pytest.mark.parametrize("means", ["two_way", "bootstrap"])
def test_limits_of_few_rounds_stay_within_the_image(means):
    person, item = np.repeat(np.arange(3), 4), np.tile(np.arange(4), 3)
    method = (person + item) % 2
    rounds = Rounds(np.where(method == 0, 2, 6) - (person == item), np.ones(12, bool), 6)
    amounts = np.broadcast_to(np.linspace(0.05, 0.95, 6), (4, 2, 6))
    strata = Strata(rounds, item, method, amounts)
    units = Units(person, item)
    found = restricted_means(strata, units, Resampling(50, 1, means=means))
    for part, least in ((found.mean(0), 0.0), (found.mean(1), 0.0), (found.difference(0, 1), -1.0)):
        assert least <= part.ci_low <= part.estimate <= part.ci_high <= 1.0
        assert (part.ci_low > 0) == (part.p < 0.05)


def test_person_step_rows_are_the_steps_that_were_seen():
    rounds = Rounds(np.array([2, 3, 0]), np.array([True, False, False]), 3)
    rows = person_steps(rounds, {"who": ["a", "b", "c"]})
    assert rows["who"].tolist() == ["a", "a", "b", "b", "b"]
    assert rows["step"].tolist() == [1, 2, 1, 2, 3]
    assert rows["recognised"].tolist() == [0, 1, 0, 0, 0]


def test_steps_are_pooled_until_every_method_has_enough_recognitions():
    events = {"a": {1: 0, 2: 4, 3: 6, 4: 5, 5: 1}, "b": {1: 1, 2: 5, 3: 7, 4: 9, 5: 0}}
    rows = pd.DataFrame(
        [
            {"method": method, "step": step, "recognised": 1.0}
            for method, counts in events.items()
            for step, n in counts.items()
            for _ in range(n)
        ]
        + [{"method": "a", "step": step, "recognised": 0.0} for step in range(1, 6)]
    )
    assert pooled_steps(rows, "method", 5) == {1: 1, 2: 1, 3: 1, 4: 4, 5: 4}

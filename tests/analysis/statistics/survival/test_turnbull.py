"""Turnbull's estimate: published values, another program, the definition itself."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import isotonic_regression, minimize

from analysis.statistics.survival.turnbull import Intervals, _rising, turnbull

NEVER = np.inf

# Finkelstein & Wolfe (1985), Biometrics 41: months to breast retraction, radiotherapy alone.
RADIOTHERAPY = [
    (45, NEVER), (25, 37), (37, NEVER), (6, 10), (46, NEVER), (0, 5), (0, 7), (26, 40),
    (18, NEVER), (46, NEVER), (46, NEVER), (24, NEVER), (46, NEVER), (27, 34), (36, NEVER),
    (7, 16), (36, 44), (5, 11), (17, NEVER), (46, NEVER), (19, 35), (7, 14), (36, 48), (17, 25),
    (37, 44), (37, NEVER), (24, NEVER), (0, 8), (40, NEVER), (32, NEVER), (4, 11), (17, 25),
    (33, NEVER), (15, NEVER), (46, NEVER), (19, 26), (11, 15), (11, 18), (37, NEVER),
    (22, NEVER), (38, NEVER), (34, NEVER), (46, NEVER), (5, 12), (36, NEVER), (46, NEVER),
]  # fmt: skip
# Fay & Shaw (2010), J. Stat. Softw. 36(2), section 4.1: mass by interval, as their icfit prints.
PUBLISHED = {
    (4, 5): 0.0463, (6, 7): 0.0334, (7, 8): 0.0887, (11, 12): 0.0708, (24, 25): 0.0926,
    (33, 34): 0.0818, (38, 40): 0.1209, (46, 48): 0.4656,
}  # fmt: skip


def intervals(pairs):
    return Intervals(*np.array(pairs, dtype=float).T)


def test_the_breast_cosmesis_study_gives_the_published_masses():
    found = turnbull(intervals(RADIOTHERAPY))
    ends = zip(found.lower, found.upper, strict=True)
    masses = {pair: mass for pair, mass in zip(ends, found.mass[0], strict=True) if mass > 1e-4}
    assert masses == pytest.approx(PUBLISHED, abs=6e-5)
    assert found.converged


def test_it_agrees_with_lifelines():
    """Its intervals are closed at both ends: lower ends moved up by a little are open."""
    lifelines = pytest.importorskip("lifelines")
    seen = intervals(RADIOTHERAPY)
    fitter = lifelines.KaplanMeierFitter()
    theirs = fitter.fit_interval_censoring(seen.lower + 1e-3, seen.upper).survival_function_
    for months in (5, 7, 8, 12, 25, 34, 40):
        after = theirs.loc[months + 0.5 :].iloc[0]
        ours = 1 - turnbull(seen).reached([months])[0, 0]
        assert after.min() - 5e-3 < ours < after.max() + 5e-3


def slow_value(mass, held):
    return np.log(np.maximum(held @ mass, 1e-300)).sum()


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 6), st.integers(1, 5)), min_size=2, max_size=12))
def test_no_distribution_has_a_higher_likelihood(pairs):
    """A slow reference straight from the definition: mass on every elementary piece."""
    seen = [(low, low + width if width < 5 else NEVER) for low, width in pairs]
    found = turnbull(intervals(seen))
    pieces = [(k, k + 1) for k in range(11)] + [(11, NEVER)]
    held = np.array([[low <= a and b <= high for a, b in pieces] for low, high in seen], float)

    def objective(free):
        mass = np.exp(free - free.max())
        mass /= mass.sum()
        share = held / np.maximum(held @ mass, 1e-300)[:, None]
        slope = share.sum(axis=0)
        return -slow_value(mass, held), -(mass * (slope - len(seen)))

    best = minimize(objective, np.zeros(len(pieces)), jac=True, method="BFGS")
    ours = np.log(found_probabilities(found, seen)).sum()
    assert ours >= -best.fun - 1e-3
    assert found.mass[0].sum() == pytest.approx(1)


def found_probabilities(found, seen):
    inside = [
        [low <= a and b <= high for a, b in zip(found.lower, found.upper, strict=True)]
        for low, high in seen
    ]
    return np.array(inside, float) @ found.mass[0]


def test_weights_count_as_copies_do():
    seen = intervals(RADIOTHERAPY)
    weights = np.random.default_rng(1).integers(1, 4, (3, len(seen))).astype(float)
    found = turnbull(seen, weights)
    for row, own in enumerate(weights.astype(int)):
        copied = Intervals(np.repeat(seen.lower, own), np.repeat(seen.upper, own))
        alone = turnbull(copied).reached([8, 25, 40])[0]
        assert found.reached([8, 25, 40])[row] == pytest.approx(alone, abs=2e-3)


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 30), st.integers(0, 9)), min_size=2, max_size=40),
    st.sampled_from([1, 3, 100_000]),
    st.integers(0, 99),
)
def test_it_is_found_whatever_the_weights(pairs, most, seed):
    """Some count thousands of times, and many not at all."""
    seen = [(low, low + width if width < 9 else NEVER) for low, width in pairs]
    draws = np.random.default_rng(seed)
    size = (20, len(seen))
    weights = (draws.integers(0, 2, size) * draws.integers(1, most + 1, size)).astype(float)
    found = turnbull(intervals(seen), weights)
    known = weights.sum(axis=1) > 0
    assert found.converged
    assert found.mass[known].sum(axis=1) == pytest.approx(1)
    assert (found.mass[known] >= 0).all()


def test_rows_are_fitted_as_each_alone():
    draws = np.random.default_rng(5)
    values, weights = 10 * draws.normal(size=(6, 30)), draws.random((6, 30)) + 0.01
    rows = zip(values, weights, strict=True)
    alone = [isotonic_regression(row, weights=of_row).x for row, of_row in rows]
    assert np.allclose(_rising(values, weights), alone)


def test_a_value_inside_a_mass_lies_between_its_bounds():
    found = turnbull(intervals(RADIOTHERAPY))
    low, high = found.bounds([4.5, 39.0])
    middle = found.reached([4.5, 39.0])
    assert (low < middle).all()
    assert (middle < high).all()
    assert middle[0, 0] == pytest.approx((low[0, 0] + high[0, 0]) / 2)


def test_without_a_recognition_nothing_is_ever_reached():
    found = turnbull(intervals([(3, NEVER), (5, NEVER)]))
    assert found.reached([100.0])[0, 0] == 0
    assert found.quantile(0.5)[0] == NEVER


def test_a_replicate_without_any_weight_is_unknown():
    found = turnbull(intervals([(0, 1), (1, 2)]), np.array([[0.0, 0.0], [1.0, 1.0]]))
    assert np.isnan(found.mass[0]).all()
    assert found.mass[1] == pytest.approx([0.5, 0.5])


def test_an_interval_that_ends_before_it_begins_is_refused():
    with pytest.raises(ValueError, match="lower end"):
        intervals([(2, 1)])


def test_with_exact_values_and_right_censoring_it_is_kaplan_and_meiers():
    from scipy.stats import CensoredData, ecdf

    rng = np.random.default_rng(3)
    time, censor = rng.integers(1, 9, 60).astype(float), rng.integers(1, 9, 60).astype(float)
    seen, value = time <= censor, np.minimum(time, censor)
    found = turnbull(Intervals(value, np.where(seen, value, NEVER)))
    theirs = ecdf(CensoredData(uncensored=value[seen], right=value[~seen])).sf
    for at in theirs.quantiles:
        assert 1 - found.reached([at])[0, 0] == pytest.approx(theirs.evaluate(at), abs=1e-4)

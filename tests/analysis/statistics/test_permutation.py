import itertools

import numpy as np
import pytest
from scipy import stats

from analysis.statistics import permutation
from analysis.statistics.permutation import Draws, mean_difference, permutation_test, sign_flip_test

DRAWS = Draws(9999, 1)


def study(people=3, items=4, seed=1, effect=1.0):
    """Each person answers each item once, half of the items under each condition."""
    rng = np.random.default_rng(seed)
    participant = np.repeat(np.arange(people), items)
    item = np.tile(np.arange(items), people)
    labels = np.concatenate([rng.permutation(np.arange(items) % 2) for _ in range(people)])
    values = rng.normal(size=len(labels)) + effect * labels + participant
    return values, labels, participant, item


def slow_difference(values, labels, participant):
    return np.mean(
        [
            values[(participant == p) & (labels == 1)].mean()
            - values[(participant == p) & (labels == 0)].mean()
            for p in np.unique(participant)
        ]
    )


def test_sign_flips_are_all_tried_when_few():
    differences = np.array([0.3, -0.1, 0.5, 0.2, 0.4])
    found = sign_flip_test(differences, DRAWS)
    means = [
        np.mean(np.array(signs) * differences) for signs in itertools.product((1, -1), repeat=5)
    ]
    expected = np.mean([abs(mean) >= abs(differences.mean()) - 1e-12 for mean in means])
    assert (found.p, found.exact, found.arrangements) == (expected, True, 32)


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_sign_flips_agree_with_scipy(alternative):
    differences = np.random.default_rng(4).normal(0.3, 1, size=12)
    theirs = stats.permutation_test(
        (differences,), np.mean, permutation_type="samples", n_resamples=np.inf,
        alternative=alternative,
    )  # fmt: skip
    assert sign_flip_test(differences, DRAWS, alternative).p == pytest.approx(theirs.pvalue)


def test_drawn_sign_flips_come_near_the_exact_p_and_are_never_zero(monkeypatch):
    differences = np.random.default_rng(4).normal(0.5, 1, size=14)
    exact = sign_flip_test(differences, DRAWS)
    monkeypatch.setattr(permutation, "MOST_EXACT", 1)
    drawn = sign_flip_test(differences, DRAWS)
    assert exact.exact
    assert not drawn.exact
    assert drawn.p == pytest.approx(exact.p, abs=4 * np.sqrt(exact.p / 10_000))
    assert sign_flip_test(np.ones(40), Draws(99, 1)).p == 1 / 100


def test_labels_within_participants_by_enumeration():
    """Slow reference: every permutation of rows that keeps each row in its participant."""
    values, labels, participant, _ = study(2, 4)
    observed = slow_difference(values, labels, participant)
    results = []
    for first in itertools.permutations(range(4)):
        for second in itertools.permutations(range(4, 8)):
            shuffled = labels[[*first, *second]]
            results.append(abs(slow_difference(values, shuffled, participant)))
    expected = np.mean(np.array(results) >= abs(observed) - 1e-12)
    found = permutation_test(labels, [participant], mean_difference(values, participant), DRAWS)
    assert found.exact
    assert found.arrangements == 36
    assert found.statistic == pytest.approx(observed)
    assert found.p == pytest.approx(expected)


def test_labels_within_participant_and_item_by_enumeration():
    """Each person answers each item under both conditions: labels swap within pairs only."""
    rng = np.random.default_rng(7)
    participant, item = np.repeat([0, 1], 6), np.tile(np.repeat([0, 1, 2], 2), 2)
    labels = np.tile([0, 1], 6)
    values = rng.normal(size=12) + labels
    statistic = mean_difference(values, participant)
    found = permutation_test(labels, [participant, item], statistic, DRAWS)
    results = []
    for swaps in itertools.product((False, True), repeat=6):
        shuffled = labels.reshape(6, 2).copy()
        shuffled[list(swaps)] = shuffled[list(swaps)][:, ::-1]
        results.append(slow_difference(values, shuffled.ravel(), participant))
    observed = slow_difference(values, labels, participant)
    assert found.arrangements == 64
    assert found.p == pytest.approx(np.mean(np.abs(results) >= abs(observed) - 1e-12))


def test_drawn_arrangements_respect_strata_and_come_near_the_exact_p(monkeypatch):
    values, labels, participant, _ = study(3, 6, effect=0.4)
    statistic = mean_difference(values, participant)
    exact = permutation_test(labels, [participant], statistic, DRAWS)
    monkeypatch.setattr(permutation, "MOST_EXACT", 1)
    seen = []

    def watched(arranged):
        seen.append(arranged.copy())
        return statistic(arranged)

    drawn = permutation_test(labels, [participant], watched, DRAWS)
    arranged = np.concatenate(seen)
    for person in range(3):
        own = arranged[:, participant == person]
        assert (own.sum(axis=1) == labels[participant == person].sum()).all()
    assert exact.exact
    assert drawn.p == pytest.approx(exact.p, abs=4 * np.sqrt(exact.p * (1 - exact.p) / 10_000))


def test_threads_change_nothing():
    values, labels, participant, _ = study(12, 8)
    statistic = mean_difference(values, participant)
    one = permutation_test(labels, [participant], statistic, Draws(1000, 3))
    assert permutation_test(labels, [participant], statistic, Draws(1000, 3, threads=3)) == one
    assert not one.exact
    differences = np.random.default_rng(1).normal(size=30)
    assert sign_flip_test(differences, Draws(700, 2)) == sign_flip_test(
        differences, Draws(700, 2, threads=4)
    )


def test_between_people_whole_participants_are_exchanged():
    scores, arm = np.random.default_rng(3).normal(size=9), np.array([0, 1, 0, 1, 1, 0, 1, 0, 0])

    def difference(labels):
        return np.array([scores[row == 1].mean() - scores[row == 0].mean() for row in labels])

    theirs = stats.permutation_test(
        (scores[arm == 1], scores[arm == 0]),
        lambda a, b: a.mean() - b.mean(),
        n_resamples=np.inf,
    )
    found = permutation_test(arm, [], difference, DRAWS, "greater")
    assert found.arrangements == 126
    both = permutation_test(arm, [], difference, DRAWS)
    assert found.p == pytest.approx(
        stats.permutation_test(
            (scores[arm == 1], scores[arm == 0]),
            lambda a, b: a.mean() - b.mean(),
            n_resamples=np.inf,
            alternative="greater",
        ).pvalue
    )
    # SciPy doubles the smaller tail, ours counts both; they agree in order of size.
    assert 0.5 * theirs.pvalue <= both.p <= 2 * theirs.pvalue


def test_p_is_uniform_under_the_null():
    rng = np.random.default_rng(9)
    p = []
    for _ in range(300):
        values, labels, participant, _ = study(2, 4, int(rng.integers(2**31)), effect=0.0)
        statistic = mean_difference(values, participant)
        p.append(permutation_test(labels, [participant], statistic, DRAWS).p)
    # 36 equally likely arrangements in pairs of sides: p is a multiple of 1/18.
    below = np.mean(np.array(p) <= 1 / 18 + 1e-9)
    assert stats.binomtest(round(below * 300), 300, 1 / 18).pvalue > 0.001


def test_nothing_to_test_is_nan():
    assert np.isnan(sign_flip_test(np.array([np.nan]), DRAWS).p)
    empty = np.zeros(0, dtype=int)
    assert np.isnan(permutation_test(empty, [], lambda labels: labels.sum(1), DRAWS).p)

"""Agreement between leads, against published values, a slow reference and a library."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.inter_rater import fleiss_kappa

from analysis.statistics.agreement import (
    Votes,
    alphas,
    entropy_bits,
    fleiss,
    krippendorff_alpha,
    pairwise_agreement,
)

UNITS = st.lists(st.lists(st.booleans(), min_size=1, max_size=6), min_size=1, max_size=12)


def votes_of(units):
    return Votes.of([sum(unit) for unit in units], [len(unit) for unit in units])


def slow_alpha(units):
    """Return alpha by the definition: coincidences of values, pair by pair."""
    paired = [unit for unit in units if len(unit) > 1]
    coincidence = {}
    for unit in paired:
        for a, b in itertools.permutations(range(len(unit)), 2):
            place = unit[a], unit[b]
            coincidence[place] = coincidence.get(place, 0) + 1 / (len(unit) - 1)
    n = sum(coincidence.values())
    margin = {c: sum(v for (a, _), v in coincidence.items() if a == c) for c in (False, True)}
    observed = sum(v for (a, b), v in coincidence.items() if a != b)
    expected = 2 * margin[False] * margin[True] / (n - 1) if n > 1 else 0
    return 1 - observed / expected if expected else math.nan


def test_krippendorffs_own_binary_example():
    """Krippendorff (2011), section A: two observers, ten articles, alpha = .095."""
    meg = [0, 1, 0, 0, 0, 0, 0, 0, 1, 0]
    owen = [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]
    units = list(zip(map(bool, meg), map(bool, owen), strict=True))
    assert krippendorff_alpha(votes_of(units)) == pytest.approx(0.095, abs=5e-4)


@given(UNITS)
def test_alpha_is_that_of_the_definition(units):
    expected, found = slow_alpha(units), krippendorff_alpha(votes_of(units))
    assert found == pytest.approx(expected, abs=1e-12, nan_ok=True)


@given(UNITS, st.integers(0, 99))
def test_a_weight_is_a_unit_that_comes_so_often(units, seed):
    counts = np.random.default_rng(seed).integers(0, 3, len(units))
    repeated = [unit for unit, count in zip(units, counts, strict=True) for _ in range(count)]
    expected = slow_alpha(repeated)
    found = alphas(votes_of(units), counts[None].astype(float))[0]
    assert found == pytest.approx(expected, abs=1e-9, nan_ok=True)


@given(UNITS)
def test_plain_agreement_counts_pairs(units):
    pairs = [a == b for unit in units for a, b in itertools.combinations(unit, 2)]
    expected = sum(pairs) / len(pairs) if pairs else math.nan
    assert pairwise_agreement(votes_of(units)) == pytest.approx(expected, nan_ok=True)


def test_fleiss_needs_equally_many_judgements():
    votes = Votes.of([3, 1, 0, 2], [3, 3, 3, 3])
    table = np.column_stack([votes.accepted, votes.n - votes.accepted])
    assert fleiss(votes) == pytest.approx(fleiss_kappa(table))
    assert math.isnan(fleiss(Votes.of([3, 1], [3, 2])))
    assert math.isnan(fleiss(Votes.of([3, 3], [3, 3])))


def test_entropy_is_a_bit_at_halves_and_zero_where_all_agree():
    assert entropy_bits(2, 4) == 1.0
    assert entropy_bits(0, 4) == entropy_bits(4, 4) == 0.0
    assert entropy_bits(1, 4) == pytest.approx(0.8112781)
    assert math.isnan(entropy_bits(1, 1))

"""Rank correlations against scipy's, step by step; shares against a count."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import spearmanr

from stimuli.studies.progressive_reveal.curves import correlations, ranks_by_step, shares_uncovered
from stimuli.studies.progressive_reveal.reveal import TINTED

SHAPE = (5, 6)
VALUES = arrays(np.float64, SHAPE, elements=st.sampled_from([-2.0, -1.0, 0.0, 0.5, 1.0, 3.0]))
STEPS = arrays(np.uint8, SHAPE, elements=st.sampled_from([0, 0, 1, 2, 3, TINTED + 2]))


@settings(max_examples=60, deadline=None)
@given(VALUES, STEPS, VALUES, STEPS)
def test_correlations_are_scipys_of_the_maps_where_they_are_uncovered(one, step, other, other_step):
    found = correlations(ranks_by_step(one, step, 3), ranks_by_step(other, other_step, 3))
    for k, correlation in enumerate(found, start=1):
        shown = [
            np.where((of % TINTED > 0) & (of % TINTED <= k), values, 0.0).ravel()
            for values, of in ((one, step), (other, other_step))
        ]
        if any(len(set(values)) == 1 for values in shown):
            assert correlation is None
        else:
            assert correlation == pytest.approx(spearmanr(*shown).statistic, abs=1e-12)


def test_a_map_is_wholly_like_itself_and_like_any_map_of_its_order():
    values = np.random.default_rng(1).random((40, 40))
    step_of = np.full((40, 40), 1, dtype=np.uint8)
    own, curved = (ranks_by_step(some, step_of, 1) for some in (values, values**3))
    assert correlations(own, own) == [1.0]
    assert correlations(own, curved) == [1.0]
    assert correlations(own, ranks_by_step(-values, step_of, 1)) == [-1.0]


@settings(max_examples=50, deadline=None)
@given(STEPS, arrays(np.bool_, SHAPE))
def test_shares_of_a_figure_are_counts_of_its_pixels(step_of, figure):
    found = shares_uncovered(step_of, figure.astype(float), 3)
    for k, share in enumerate(found, start=1):
        shown = sum(
            1
            for step, inside in zip(step_of.ravel().tolist(), figure.ravel(), strict=True)
            if inside and 0 < step % TINTED <= k
        )
        assert share == (shown / figure.sum() if figure.any() else None)

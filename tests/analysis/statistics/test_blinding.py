"""The blinding index: published values, and what it is by definition."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.statistics.blinding import Guesses, bang_index

# Bang, Ni & Davis (2004, Control. Clin. Trials 25), Table 7: the CRISP trial. Rows are the
# true arm; guessed treatment, placebo, don't know: 82, 25, 170; 27, 29, 83.
COUNTS = st.lists(st.integers(0, 60), min_size=6, max_size=6)


def test_bangs_index_of_the_published_trial():
    treated, placebo = bang_index(Guesses(82, 25, 170)), bang_index(Guesses(29, 27, 83))
    assert round(treated.estimate, 2) == 0.21
    assert round(placebo.estimate, 2) == 0.01
    assert treated.ci_low > 0 > placebo.ci_low


@given(COUNTS)
def test_bangs_interval_has_the_variance_of_right_less_wrong(counts):
    """Slow reference: the variance of a variable that is 1, -1 or 0."""
    right, wrong, unsure = counts[:3]
    if right + wrong + unsure == 0:
        return
    values = np.repeat([1.0, -1.0, 0.0], [right, wrong, unsure])
    found = bang_index(Guesses(right, wrong, unsure))
    assert found.estimate == pytest.approx(values.mean())
    reach = 1.959964 * np.sqrt(values.var() / len(values))
    assert found.ci_high == pytest.approx(min(1.0, values.mean() + reach), abs=1e-6)


def test_a_source_that_nobody_was_asked_about_gives_no_index():
    assert not bang_index(Guesses(0, 0, 0)).known

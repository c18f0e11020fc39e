"""One function decides, for every family, that random effects ran away."""

import numpy as np
import pandas as pd
import pytest

from analysis.mixed import fit_mixed
from analysis.mixed.families import FAR
from analysis.mixed.result import Outcome
from analysis.mixed.simplify import fit_simplified

FORMULA = "y ~ x + (1 | who)"
PEOPLE, ROWS = 16, 8


def alike(family):
    """Return people of whom all but one always give the same answer, or count nothing."""
    who = np.repeat(np.arange(PEOPLE), ROWS)
    y = {"ordinal": 2 * (who % 2), "poisson": 50_000 * (who == 0)}.get(family, who % 2)
    y[1] = 1
    return pd.DataFrame({"who": who, "x": np.tile(np.arange(1.0 * ROWS), PEOPLE), "y": y})


@pytest.mark.parametrize(
    ("family", "said"),
    [("binomial", "one answer"), ("probit", "one answer"), ("ordinal", "one answer"),
     ("poisson", "zero counts")],
)  # fmt: skip
def test_a_standard_deviation_that_no_study_has_is_refused(family, said):
    found = fit_mixed(FORMULA, alike(family), family)
    assert found.random[0].sd > FAR[family]
    assert found.fault.startswith("The model ran away: (Intercept) by who has a standard deviation")
    assert f"Of 16 whos, 15 gave {said} only" in found.fault
    assert found.notes[0] == found.fault


def test_a_studys_model_that_ran_away_is_not_rescued_by_a_penalty():
    """A penalty would decide the estimates; the reason is there instead."""
    outcome = Outcome(FORMULA, fit_simplified(FORMULA, alike("binomial"), "binomial"))
    assert outcome.sound is None
    assert outcome.why_not.startswith("The model ran away: (Intercept) by who")

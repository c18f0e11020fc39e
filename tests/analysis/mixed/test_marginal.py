from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit, ndtr

from analysis.mixed import fit_logistic, fit_probit, marginal_probabilities
from analysis.mixed.marginal import average
from tests.analysis.mixed.test_fit import CROSSED, crossed


@pytest.mark.parametrize(("fit", "inverse"), [(fit_logistic, expit), (fit_probit, ndtr)])
def test_probabilities_are_averages_over_drawn_people_and_items(fit, inverse):
    """Monte Carlo over the fitted normal distributions."""
    result = fit(CROSSED, crossed())
    setting = pd.DataFrame({"explained": [0.5], "solver": [-0.5], "run": [0.5], "order": [0.5]})
    found = marginal_probabilities(result, [setting]).probability(0)
    rng = np.random.default_rng(9)
    values = {name: setting[name][0] for name in setting}
    eta = np.zeros(400_000)
    for row in (*result.fixed, *result.random):
        x = np.prod([values[n] for n in row.term.split(":")]) if row.term != "(Intercept)" else 1.0
        size = row.estimate if hasattr(row, "estimate") else rng.normal(0, row.sd, len(eta))
        eta += x * size
    assert found.estimate == pytest.approx(inverse(eta).mean(), abs=0.002)
    assert 0 < found.ci_low < found.estimate < found.ci_high < 1


def test_a_probits_slopes_are_those_of_its_average():
    """By differences of the average over each parameter in turn."""
    result = fit_probit("y ~ explained + (1 + explained || participant)", crossed(10, 40))
    rows = pd.DataFrame({"explained": [-0.5, 0.5, 0.5]})
    found, step = average(result, rows)[1], 1e-6
    estimates, p = result.estimates, len(result.fixed)
    for place in range(len(found)):
        name, at = ("coefficients", place) if place < p else ("spread", place - p)
        values = []
        for shift in (step, -step):
            moved = getattr(estimates, name).copy()
            moved[at] += shift
            shifted = replace(result, estimates=replace(estimates, **{name: moved}))
            values.append(average(shifted, rows)[0])
        assert found[place] == pytest.approx((values[0] - values[1]) / (2 * step), abs=1e-6)

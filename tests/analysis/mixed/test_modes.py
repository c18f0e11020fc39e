"""Shrunken effects against the definition: the mode of the joint density."""

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize

from analysis.mixed import fit_logistic
from analysis.mixed.modes import conditional_modes, present_probabilities


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(8)
    who = np.repeat(np.arange(20), 25)
    x = np.tile([-0.5, 0.5], 250)
    eta = -0.3 + 0.6 * x + rng.normal(0, 1, 20)[who] + rng.normal(0, 0.7, 20)[who] * x
    y = (rng.random(500) < 1 / (1 + np.exp(-eta))).astype(float)
    return pd.DataFrame({"y": y, "x": x, "who": [f"p{n:02d}" for n in who]})


def test_they_are_the_mode_of_the_joint_density(table):
    """Each person's own problem: log-likelihood of their rows plus the normal prior's."""
    fitted = fit_logistic("y ~ x + (1 + x | who)", table)
    modes = conditional_modes(fitted)["who"]
    sd = {row.term: row.sd for row in fitted.random}
    r = fitted.correlations[0].r * sd["(Intercept)"] * sd["x"]
    prior = np.linalg.inv([[sd["(Intercept)"] ** 2, r], [r, sd["x"] ** 2]])
    fixed = np.array([row.estimate for row in fitted.fixed])
    for place in (0, 7, 19):
        own = table[table["who"] == modes.names[place]]
        z = np.column_stack([np.ones(len(own)), own["x"]])
        y = own["y"].to_numpy()

        def loss(b, z=z, y=y):
            eta = z @ (fixed + b)
            return -(y * eta - np.logaddexp(0, eta)).sum() + b @ prior @ b / 2

        found = minimize(loss, np.zeros(2), tol=1e-12)
        assert modes.effects[place] == pytest.approx(found.x, abs=2e-3)
        share = 1 / (1 + np.exp(-(z @ (fixed + found.x))))
        curved = z.T @ (z * (share * (1 - share))[:, None]) + prior
        assert modes.covariance[place] == pytest.approx(np.linalg.inv(curved), abs=2e-3)


def test_correlated_effects_are_spelled_with_one_bar_and_independent_ones_with_two(table):
    from analysis.mixed.design import build_design
    from analysis.mixed.simplify import spelled

    for bar in ("|", "||"):
        design = build_design(f"y ~ x + (1 + x {bar} who)", table, "binomial")
        assert spelled(design, "y") == f"y ~ 1 + x + (1 + x {bar} who)"


def test_an_average_over_those_present_is_the_mean_over_their_rows(table):
    """From the definition: every row with its person's shrunken effects; slopes by differences."""
    fitted = fit_logistic("y ~ x + (1 + x || who)", table)
    modes = conditional_modes(fitted)["who"]
    fixed = np.array([row.estimate for row in fitted.fixed])
    settings = [pd.DataFrame({"x": [value]}) for value in (-0.5, 0.5)]
    found = present_probabilities(fitted, settings)
    for setting, value in enumerate((-0.5, 0.5)):
        own = modes.effects[[modes.names.index(name) for name in table["who"]]]
        eta = fixed[0] + own[:, 0] + value * (fixed[1] + own[:, 1])
        share = 1 / (1 + np.exp(-eta))
        assert found.probabilities[setting] == pytest.approx(share.mean())
        slope = share * (1 - share)
        assert found.slopes[setting][:2] == pytest.approx([slope.mean(), value * slope.mean()])

"""Recognition averaged over people and items, against drawing people and items."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from analysis.mixed import fit_logistic, marginal_probabilities
from analysis.mixed.freedom import Freedom
from analysis.mixed.modes import conditional_modes
from analysis.statistics.survival.hazards import (
    person_steps,
    recognition_curves,
    recognition_there,
)
from analysis.statistics.survival.life_tables import Rounds

STEPS = 4


@pytest.fixture(scope="module")
def fitted():
    rng = np.random.default_rng(6)
    person, item = (part.ravel() for part in np.meshgrid(np.arange(24), np.arange(20)))
    method = (person + item) % 2
    eta = -1.2 + 0.5 * method + rng.normal(0, 0.8, 24)[person] + rng.normal(0, 0.8, 20)[item]
    hazard = 1 / (1 + np.exp(-(eta[:, None] + np.array([0, 0.3, 0.1, -0.4]))))
    events = rng.random(hazard.shape) < hazard
    recognised = events.any(axis=1)
    step = np.where(recognised, events.argmax(axis=1) + 1, STEPS)
    columns = {
        "participant": [f"p{n:02d}" for n in person],
        "item": [f"i{n:02d}" for n in item],
        "method": np.where(method, "new", "base"),
    }
    rows = person_steps(Rounds(step, recognised, STEPS), columns)
    formula = "recognised ~ C(step) + method + (1 + method | participant) + (1 | item)"
    return fit_logistic(formula, rows)


def settings_of(steps):
    return [pd.DataFrame({"step": steps, "method": method}) for method in ("base", "new")]


def test_of_one_step_it_is_the_averaged_probability_with_its_error(fitted):
    found = recognition_curves(fitted, settings_of([2]))
    marginal = marginal_probabilities(fitted, settings_of([2]))
    assert found.reached[:, 0] == pytest.approx(marginal.probabilities, abs=1e-6)
    assert found.slopes == pytest.approx(marginal.slopes, rel=1e-3, abs=1e-6)
    assert found.by(1, 0).ci_low == pytest.approx(marginal.probability(1).ci_low, abs=1e-4)


def test_the_product_over_steps_is_averaged_not_the_hazards(fitted):
    """Drawn people and items, each with one effect for all steps."""
    steps = [1, 2, 3, 4]
    found = recognition_curves(fitted, settings_of(steps)).reached
    rng = np.random.default_rng(2)
    sd = {(row.group, row.term): row.sd for row in fitted.random}
    slope = sd.get(("participant", "method[new]"), 0.0)
    r = fitted.correlations[0].r if fitted.correlations else 0.0
    base = sd["participant", "(Intercept)"]
    covariance = [[base**2, r * base * slope], [r * base * slope, slope**2]]
    people = rng.multivariate_normal([0, 0], covariance, 200_000)
    items = rng.normal(0, sd["item", "(Intercept)"], 200_000)
    for place, rows in enumerate(settings_of(steps)):
        x, _ = fitted.estimates.design.recipe.rows(rows)
        effect = people[:, 0] + place * people[:, 1] + items
        hazard = 1 / (1 + np.exp(-(x @ fitted.estimates.coefficients + effect[:, None])))
        drawn = 1 - np.cumprod(1 - hazard, axis=1).mean(axis=0)
        assert found[place] == pytest.approx(drawn, abs=4e-3)
        naive = 1 - np.cumprod(1 - hazard.mean(axis=0))
        assert naive[-1] > drawn[-1] + 0.02


def test_a_contrast_is_the_difference_with_a_symmetric_interval(fitted):
    found = recognition_curves(fitted, settings_of([1, 2, 3, 4]))
    part = found.contrast([[0, 0, 0, -1], [0, 0, 0, 1]])
    assert part.estimate == pytest.approx(found.reached[1, -1] - found.reached[0, -1])
    assert part.ci_high - part.estimate == pytest.approx(part.estimate - part.ci_low)


def test_averaged_over_those_who_were_there_it_is_drawn_from_their_own_effects(fitted):
    steps = [1, 2, 3, 4]
    found = recognition_there(fitted, settings_of(steps), least_df=7).reached
    modes, rng = conditional_modes(fitted), np.random.default_rng(3)
    met = fitted.estimates.design.recipe.frame[["participant", "item"]].drop_duplicates()
    for place, rows in enumerate(settings_of(steps)):
        x, (of_person, of_item) = fitted.estimates.design.recipe.rows(rows)
        reached = np.zeros(4)
        for person, item in met.itertuples(index=False):
            eta = x @ fitted.estimates.coefficients
            for kind, name, z in (("participant", person, of_person), ("item", item, of_item)):
                own, at = modes[kind], modes[kind].names.index(name)
                draws = rng.multivariate_normal(own.effects[at], own.covariance[at], 300)
                eta = eta + (draws @ z[0])[:, None]
            reached += 1 - np.cumprod(1 - 1 / (1 + np.exp(-eta)), axis=1).mean(axis=0)
        assert found[place] == pytest.approx(reached / len(met), abs=2e-3)


def test_a_variance_of_zero_gives_no_unlimited_freedom(fitted):
    found = recognition_there(fitted, settings_of([1, 2]), least_df=7)
    unlimited = replace(found.estimates, freedom=Freedom.unlimited())
    assert replace(found, estimates=unlimited).contrast([[0, -1], [0, 1]]).df == 7

import numpy as np
import pytest

from analysis.studies.accept_reject.power import PlateWorld
from analysis.studies.accept_reject.simulated_worlds import coefficients, draw_answers, lay_out


def test_probabilities_averaged_over_people_and_items_are_those_wanted():
    """Many small studies, so that people and items are many."""
    world, rng = PlateWorld(0.35), np.random.default_rng(1)
    rates = []
    for _ in range(120):
        trials = lay_out(rng, 16, 16, ("without_first", "with_first"))
        trials["accepted"] = draw_answers(world, trials, 0.2, 0.05, rng)
        rates.append(trials.groupby(["solver", "explained"])["accepted"].mean())
    found, error = np.mean(rates, axis=0), np.std(rates, axis=0) / np.sqrt(120)
    # E without, E with, S without, S with
    assert found == pytest.approx([0.35, 0.40, 0.35, 0.55], abs=4 * error.max())


def test_no_effect_is_no_fixed_effect():
    assert coefficients(PlateWorld(), 0.0, 0.0)[1:] == pytest.approx(0.0, abs=1e-9)

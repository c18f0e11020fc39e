"""What the analysis does with tables that are too large for everything."""

import numpy as np
import pytest
from scipy import stats

from analysis.studies.progressive_reveal import fits, models
from analysis.studies.progressive_reveal.trials import read_rounds
from stimuli.protocol import load_protocol
from tests.analysis.studies.progressive_reveal.large_table import WORLD, large_table


@pytest.fixture(scope="module")
def rounds():
    protocol = load_protocol("progressive_reveal")
    return read_rounds(large_table(24), protocol, WORLD.curves(), "large")


def test_models_of_many_steps_are_fitted_to_a_sample_and_say_so(rounds, monkeypatch):
    assert models.modelled(rounds) is rounds
    assert models.sample_notes(rounds) == []
    monkeypatch.setattr(models, "MOST_ROWS", 10_000)
    monkeypatch.setattr(models, "SAMPLE_ROWS", 4_000)
    sampled = models.modelled(rounds)
    assert 2_500 < sampled.frame["step"].sum() <= 4_000
    note = f"{sampled.participants} of 24 participants"
    assert note in models.sample_notes(rounds)[0]
    found = models.times_model(rounds)
    assert found.fitted
    assert found.n == sampled.frame["recognised"].sum()


def test_many_people_and_many_images_are_too_many_effects(rounds, monkeypatch):
    monkeypatch.setattr(models, "MOST_EFFECTS", 4 * 10)
    assert models.modelled(rounds).participants == 10


@pytest.mark.parametrize("law", [*fits.PUBLISHED, "weibull_min"])
def test_equal_values_taken_together_fit_as_well_as_scipys_values(law):
    rng = np.random.default_rng(3)
    values = np.ceil(8 * rng.weibull(1.5, fits.MANY)) / 2
    family = getattr(stats, law)
    *shapes, scale = fits._likeliest(law, values)
    *theirs, _, size = family.fit(values, *fits._begin(law, values)[0], floc=0)
    ours, scipys = (
        family.logpdf(values, *some, scale=own).sum()
        for some, own in ((shapes, scale), (theirs, size))
    )
    # The beta prime's likelihood has a flat ridge, on which scipy's search stops a little early.
    assert -0.01 < ours - scipys < 0.2

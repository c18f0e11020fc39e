"""Rounds drawn from the model are those that it promises."""

from dataclasses import replace

import numpy as np
import pytest

from analysis.studies.progressive_reveal.power import HazardWorld
from analysis.studies.progressive_reveal.simulated import effect_of, simulate_rounds

METHODS = ("m1", "m2", "m3")


@pytest.fixture(scope="module")
def world():
    return HazardWorld(methods=METHODS, recognised=0.7)


def study(world, ratio, people=400, items=60, rounds=60, seed=1):
    rng = np.random.default_rng(seed)
    shown = replace(world, rounds=rounds)
    return simulate_rounds(shown, rng, people, items, effect_of(world, ratio))


def test_recognition_and_steps_are_as_stated_over_many_people_and_images(world):
    effect = effect_of(world, 2.0)
    frame = study(world, 2.0, people=900, items=300, rounds=40).frame
    rate = frame.groupby("method")["recognised"].mean()
    assert rate["m1"] == pytest.approx(0.7, abs=0.03)
    assert rate["m3"] == pytest.approx(0.7, abs=0.03)
    assert rate["m2"] - rate["m1"] == pytest.approx(effect.recognised, abs=0.03)
    steps = frame.groupby("method")["step"].mean()
    assert steps["m2"] - steps["m1"] == pytest.approx(effect.steps, abs=0.3)
    assert effect.recognised > 0 > effect.steps


def test_no_effect_is_none_and_a_ratio_below_one_is_worse(world):
    none, worse = effect_of(world, 1.0), effect_of(world, 0.5)
    assert (none.recognised, none.steps) == (0.0, 0.0)
    assert worse.recognised < 0 < worse.steps


def test_everyone_sees_an_image_once_and_methods_rotate(world):
    table = study(world, 1.0, people=6, items=12, rounds=12)
    frame = table.frame
    assert not frame.duplicated(["participant", "item"]).any()
    counts = frame.groupby(["participant", "method"]).size()
    assert set(counts) == {4}
    met = frame.groupby(["item", "method"]).size()
    assert (len(met), set(met)) == (36, {2})
    short = study(world, 1.0, people=6, items=12, rounds=5).frame
    assert set(short.groupby("participant").size()) == {5}

"""What an eye can learn of a plate's colours: nothing where it's hidden, and all that leaks."""

from dataclasses import replace

import numpy as np
import pytest

from bench.eyes import viewing
from bench.eyes.evidence import Eye, learn_colours
from bench.eyes.viewing import AS_MEANT, on_display, with_gun_gains
from bench.parts.assumptions import ASSUMPTIONS
from stimuli.colour.display import SRGB, DisplayProfile, lms_to_rgb8
from stimuli.colour.spaces import CONE_INDEX
from stimuli.plates import observer as observing
from stimuli.plates.observer import Observer, own_noise
from stimuli.plates.spec import PlateSpec, base_lms
from tests.stimuli.plates.contrasts import contrast_ladder

P3 = DisplayProfile("P3", (0.68, 0.32), (0.265, 0.69), (0.15, 0.06), (0.3127, 0.329))


def _learnt(observer, axis="deutan", contrast=0.04, on=AS_MEANT):
    return learn_colours(Eye.of(observer, on), axis, contrast)


def _dichromat(axis="deutan"):
    return Observer(axis, 1.0, efficiency=1.0)


@pytest.mark.parametrize("axis", ["deutan", "protan"])
@pytest.mark.parametrize("contrast", contrast_ladder()[::7])
def test_rounding_to_8_bits_leaks_next_to_nothing_to_the_matching_dichromat(axis, contrast):
    """Bar 2's d′, also for who can tell the luminance levels apart."""
    colours = _learnt(_dichromat(axis), axis, contrast)
    assert colours.d_prime < 0.002
    assert colours.level_d_prime < 0.01


def test_a_generic_red_green_pair_leaks_to_both_dichromats():
    """Negative control: on another's confusion line the digit is plain."""
    assert _learnt(_dichromat("deutan"), axis="protan").level_d_prime > 0.3
    assert _learnt(_dichromat("protan"), axis="deutan").level_d_prime > 0.3


def test_coarser_codes_leak(monkeypatch):
    """Negative control: with 4 bits a gun rounding is no longer harmless."""
    fine = _learnt(_dichromat()).level_d_prime
    monkeypatch.setattr(viewing, "lms_to_rgb8", lambda *given: lms_to_rgb8(*given) // 16 * 16)
    assert _learnt(_dichromat()).level_d_prime > 10 * fine


@pytest.mark.parametrize("axis", ["deutan", "protan"])
@pytest.mark.parametrize("strength", [0.0, 0.5, 0.8])
def test_what_is_learnt_is_what_the_observer_knows(axis, strength):
    """The analytic evidence of the observer is the oracle: red–green difference over noise."""
    observer = Observer(axis, strength)
    known = observing._evidence(observer, axis, 0.04, PlateSpec())
    expected = abs(known.difference[1]) / np.sqrt(known.own_variance[1])
    colours = _learnt(observer, axis)
    red_green = abs(colours.difference[1]) / np.sqrt(colours.overall[1, 1])
    assert red_green == pytest.approx(expected, rel=0.05)
    assert colours.d_prime >= 0.99 * red_green


def test_the_log_ratio_is_that_of_the_mixture_of_normals():
    """Slow reference straight from the definition."""
    from scipy.stats import multivariate_normal

    colours = _learnt(Observer("deutan", 0.5))
    rng = np.random.default_rng(3)
    readings = colours.ground_means[rng.integers(6, size=20)] + rng.normal(0, 0.02, (20, 3))
    slow = [
        np.log(
            sum(multivariate_normal(m, colours.within).pdf(r) for m in colours.figure_means)
            / sum(multivariate_normal(m, colours.within).pdf(r) for m in colours.ground_means)
        )
        for r in readings
    ]
    assert np.allclose(colours.log_ratio(readings), slow, rtol=1e-6, atol=1e-8)


def test_separation_to_who_knows_the_levels_is_no_smaller():
    for on in (AS_MEANT, on_display(P3, SRGB)):
        colours = _learnt(_dichromat(), contrast=0.097, on=on)
        assert colours.level_d_prime >= colours.d_prime - 0.002


def test_noise_falls_with_the_root_of_the_time_that_one_looks():
    observer = Observer()
    whole = Eye.of(observer, at_s=observer.latency_s + observer.reference_s).noise
    quarter = Eye.of(observer, at_s=observer.latency_s + observer.reference_s / 4).noise
    assert np.allclose(whole, own_noise(observer))
    assert np.allclose(quarter, 2 * whole)
    with pytest.raises(ValueError, match="nothing is seen"):
        Eye.of(observer, at_s=observer.latency_s)


def test_a_display_that_is_as_taken_gives_back_what_was_meant():
    rng = np.random.default_rng(0)
    lms = np.array(base_lms()) * rng.uniform(0.7, 1.4, (500, 1))
    assert np.allclose(AS_MEANT.cones(lms), lms, rtol=0.02)
    calibrated = replace(SRGB, name="gamma 2.2", gamma=(2.2, 2.2, 2.2))
    assert np.allclose(on_display(calibrated).cones(lms), lms, rtol=0.02)


@pytest.mark.parametrize(
    "shown",
    [
        P3,
        with_gun_gains(SRGB, (1.1, 1, 1), "red"),
        with_gun_gains(SRGB, (1, 0.9, 1), "green"),
        replace(SRGB, name="steep", gamma=(2.4, 2.4, 2.4)),
    ],
    ids=lambda display: display.name,
)
def test_a_display_that_is_not_as_taken_leaks(shown):
    leak = _learnt(_dichromat(), contrast=0.097, on=on_display(shown, SRGB))
    assert leak.d_prime > 0.03
    right = _learnt(_dichromat(), contrast=0.05, on=on_display(shown))
    assert right.level_d_prime < 0.01


def test_gun_gains_scale_each_guns_light_relative_to_the_white():
    gained = with_gun_gains(SRGB, (1.1, 1.0, 1.0), "red up")
    mine, theirs = (on_display(d).light_to_cones for d in (gained, SRGB))
    ratio = mine / theirs
    assert np.allclose(ratio, ratio[:1])
    assert ratio[0, 0] / ratio[0, 1] == pytest.approx(1.1)
    assert ratio[0, 1] == pytest.approx(ratio[0, 2])


@pytest.mark.parametrize("axis", ["deutan", "protan"])
def test_the_eye_of_the_matching_dichromat_does_not_see_the_missing_cone(axis):
    eye = Eye.of(_dichromat(axis))
    lms = np.array([base_lms()] * 2)
    lms[1, CONE_INDEX[axis]] *= 1.3
    first, second = eye.readings(lms, np.zeros((2, 3)))
    assert np.allclose(first, second)


def test_each_parameter_of_the_observer_is_set_by_one_assumption():
    named = [field for assumption in ASSUMPTIONS for field in assumption.fields]
    assert sorted(named) == sorted(Observer.__dataclass_fields__)
    text = observing.__doc__
    assert all(f"\n{assumption.number}. " in text for assumption in ASSUMPTIONS)

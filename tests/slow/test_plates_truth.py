"""Plates and observer at full size: the matching dichromat reads nothing, the lead reads slowly."""

import numpy as np
import pytest

from analysis.statistics.proportions import Count, wilson
from stimuli.images.digits import load_digits
from stimuli.plates.masks import digit_mask
from stimuli.plates.observer import (
    DigitTemplates,
    Observer,
    ShownPlate,
    reading_rate,
)
from stimuli.plates.plate import make_plate

pytestmark = pytest.mark.slow

RUNG_3, TOP_RUNG = 0.0256, 0.097


@pytest.fixture(scope="module")
def templates():
    digits = load_digits("uci")
    train = digits.train_indices
    return DigitTemplates.from_images(digits.images[train], digits.labels[train])


def plates(count: int, seed: int):
    digits = load_digits("uci")
    held_out = digits.held_out_indices
    for number in range(count):
        index = held_out[number % len(held_out)]
        key = seed * 1_000_000 + number
        plate = make_plate(digit_mask(digits.images[index]), key, key)
        yield plate, int(digits.labels[index])


def rate(observer, templates, axis, contrast, at_s, count, seed):
    rng = np.random.Generator(np.random.PCG64(seed))
    shown = [(ShownPlate(plate, axis, contrast), digit) for plate, digit in plates(count, seed)]
    return reading_rate(observer, templates, shown, at_s, rng)


@pytest.mark.parametrize("axis", ["deutan", "protan"])
def test_a_matching_dichromat_is_at_chance_at_the_highest_rung(templates, axis):
    dichromat = Observer(axis, strength=1.0)
    rates = [rate(dichromat, templates, axis, TOP_RUNG, 30.0, 1334, seed) for seed in (1, 2, 3)]
    read = round(sum(rates) * 1334)
    assert wilson(Count(read, 3 * 1334)).ci_high <= 0.13


def test_a_slight_deficit_reads_a_third_in_3_s_and_nine_tenths_in_30_s(templates):
    lead = Observer("deutan", strength=0.65)
    assert rate(lead, templates, "deutan", RUNG_3, 3.0, 697, 1) == pytest.approx(0.35, abs=0.1)
    assert rate(lead, templates, "deutan", RUNG_3, 30.0, 697, 2) >= 0.87

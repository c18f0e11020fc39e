"""Colours of weights: read by every kind of colour vision, and dark letters stand out on them."""

import numpy as np
import pytest

from experiments.screens.look import Look
from experiments.studies.simulatability.cases import CasePainter
from experiments.studies.simulatability.pieces import Palette
from stimuli.colour.display import linear_to_lms
from tests.experiments.screens.laid_out import contrast
from tests.experiments.studies.simulatability.laid import LIGHT, screens_at
from tests.stimuli.colour.decoding import decode8

SHARES = np.linspace(-1, 1, 41)
CONTRAST_AA = 4.5
LOST = {"protan": 0, "deutan": 1, "tritan": 2}
LEAST = 0.08
"""Difference of two colours' excitations of a cone, as a share of the ground's; a hundredth is
seen under good conditions."""


@pytest.mark.parametrize("ground", [LIGHT, (255, 255, 255)])
def test_letters_stand_out_on_every_colour(ground):
    look = Look((1280, 720), ground)
    for share in SHARES:
        assert contrast(look.strong, Palette().tint(share, ground)) >= CONTRAST_AA


@pytest.mark.parametrize("vision", ["normal", *LOST])
def test_both_signs_and_the_ground_are_told_apart_by_every_colour_vision(vision):
    """Whoever lacks a cone has the other two to tell blue from orange, each from the ground."""
    kept = [cone for cone in range(3) if cone != LOST.get(vision)]
    palette = Palette()

    def seen(colour):
        lms = linear_to_lms(decode8(np.array(colour, dtype=np.uint8)))
        ground = linear_to_lms(decode8(np.array(LIGHT, dtype=np.uint8)))
        return (lms / ground)[kept]

    pairs = [
        (palette.tint(weight, LIGHT), palette.tint(-weight, LIGHT)) for weight in (0.3, 0.6, 1.0)
    ]
    pairs += [(palette.tint(sign, LIGHT), LIGHT) for sign in (0.05, -0.05, 1, -1)]
    pairs += [(palette.positive_bar, palette.negative_bar)]
    pairs += [(bar, LIGHT) for bar in (palette.positive_bar, palette.negative_bar)]
    for one, other in pairs:
        assert np.abs(seen(one) - seen(other)).max() >= LEAST, (one, other)


def test_the_heavier_a_weight_the_further_from_the_ground_is_its_colour():
    palette = Palette()
    for sign in (1, -1):
        away = [
            np.abs(np.subtract(palette.tint(sign * share, LIGHT), LIGHT)).sum()
            for share in np.linspace(0, 1, 21)
        ]
        assert (np.diff(away) > 0).all()
    assert palette.tint(0, LIGHT) == LIGHT


def test_letters_have_the_protocols_angle_within_what_can_be_read():
    painter: CasePainter = screens_at((1280, 720)).settings.painter
    assert painter.side_px(480.0, 547.2) == round(0.0255 * 720)
    assert painter.side_px(4.0, 547.2) == 18
    assert painter.side_px(22.4, 547.2) == 22
    assert painter.side_px(90.0, 547.2) == 30
    assert painter.palette() == Palette()

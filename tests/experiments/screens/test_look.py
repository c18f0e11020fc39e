"""Colours of screens on dark and on light grounds."""

import pytest

from experiments.screens.look import Look
from tests.experiments.screens.laid_out import contrast

CONTRAST_AA = 4.5


@pytest.mark.parametrize("ground", [(30, 30, 30), (0, 0, 0), (245, 244, 240), (255, 255, 255)])
def test_letters_stand_out_from_dark_and_light_grounds(ground):
    look = Look((1280, 720), ground)
    for colour in (look.text, look.strong, look.quiet):
        assert contrast(colour, ground) >= CONTRAST_AA
    for colour in (look.text, look.strong):
        assert contrast(colour, look.surface) >= CONTRAST_AA
    assert (
        contrast(look.strong, ground) > contrast(look.text, ground) > contrast(look.quiet, ground)
    )

"""The screen of a choice: a picture that nothing covers, and answers that have room."""

import numpy as np
import pytest

from experiments.screens.look import Look
from experiments.screens.parts import Option
from experiments.screens.trial import option_layers

GROUND = (64, 64, 64)
WORDS = ("tea", "a rather long answer of several words", "Donaudampfschifffahrtsgesellschaft", "no")


def composed(look, layers):
    """Return the screen that layers make, in their order."""
    width, height = look.size_px
    screen = np.full((height, width, 3), look.background, dtype=np.uint8)
    for layer in layers:
        rows, columns = layer.pixels.shape[:2]
        bottom, right = layer.top_px + rows, layer.left_px + columns
        assert min(layer.top_px, layer.left_px, height - bottom, width - right) >= 0
        screen[layer.top_px : bottom, layer.left_px : right] = layer.pixels
    return screen


@pytest.mark.parametrize("size", [(1920, 1080), (1024, 768)])
@pytest.mark.parametrize("answers", [2, 4])
def test_nothing_covers_the_picture_and_its_place_stays_when_it_is_gone(size, answers):
    look = Look(size, GROUND)
    side = round(0.667 * size[1])
    picture = np.random.default_rng(1).integers(0, 256, (side, side, 3), dtype=np.uint8)
    options = [Option("F", words) for words in WORDS[:answers]]
    text = "Which of these words fits the picture best, all things considered?"
    shown = composed(look, option_layers(look, options, picture, text))
    gone = composed(look, option_layers(look, options, picture, text, gone=True))
    changed = np.argwhere((shown != gone).any(axis=2))
    (top, left), (bottom, right) = changed.min(axis=0), changed.max(axis=0) + 1
    assert (bottom - top, right - left) == (side, side)
    assert np.array_equal(shown[top:bottom, left:right], picture)
    assert (gone[top:bottom, left:right] == GROUND).all()


@pytest.mark.parametrize("answers", [2, 3, 4])
def test_each_answer_has_a_column_of_its_own(answers):
    look = Look((1920, 1080), GROUND)
    words = [WORDS[2]] * answers
    screen = composed(look, option_layers(look, [Option("F", one) for one in words]))
    drawn = (screen != GROUND).any(axis=(0, 2))
    (edges,) = np.nonzero(np.diff(np.concatenate([[False], drawn, [False]]).astype(int)))
    gaps = edges[2::2] - edges[1:-1:2]
    assert (np.sort(gaps)[::-1][: answers - 1] >= look.px(0.02)).all()

"""What every screen of every session is held to; modules with a fixture ``screens`` collect it."""

from collections.abc import Callable, Sequence
from itertools import combinations, groupby
from typing import Any

import numpy as np
import pytest

SAFE = 0.03
CONTRAST_AA = 4.5
"""What WCAG 2.2 asks of text at least."""
LONGEST_LINE = 75
SMALLEST_TEXT = 0.025
"""Of the screen's height: on a 24-inch screen at 60 cm letters of 0.7° (and 0.4° without
ascenders)."""


def each_case(
    rehearsed: Callable[..., Any], cases: Sequence[tuple], slow_cases: Sequence[tuple] = ()
) -> tuple[Any, Any]:
    """Return a module's fixtures ``case`` and ``screens``: each rehearsal, some of them slow."""
    marked = [*cases, *(pytest.param(one, marks=pytest.mark.slow) for one in slow_cases)]

    @pytest.fixture(params=marked, ids=lambda one: "-".join(map(str, one)))
    def case(request):
        return request.param

    @pytest.fixture
    def screens(case):
        return rehearsed(*case)

    return case, screens


def box_of(layer):
    """Return where a layer lies, as it is enlarged."""
    high, wide = (layer.scale * side for side in layer.pixels.shape[:2])
    return layer.left_px, layer.top_px, layer.left_px + wide, layer.top_px + high


def assert_apart(boxes, size_px, what=""):
    """Assert that areas lie on the screen, and none on another."""
    for left, top, right, bottom in boxes:
        assert 0 <= left < right <= size_px[0], what
        assert 0 <= top < bottom <= size_px[1], what
    for one, other in combinations(boxes, 2):
        across = min(one[2], other[2]) - max(one[0], other[0])
        down = min(one[3], other[3]) - max(one[1], other[1])
        assert across <= 0 or down <= 0, (what, one, other)


def assert_stands_out(screens):
    """Assert that each text stands out from its ground."""
    for screen in screens:
        pixels = screen.pixels()
        for text in screen.texts:
            assert contrast(text.colour, ground_of(pixels, text)) >= CONTRAST_AA, (
                screen.name, text,
            )  # fmt: skip


def overlap(one, other, apart_px=0.0):
    """Return whether two boxes share more than the pixel that rounding may give both.

    Of boxes beside one another some distance may be asked for.
    """
    across = min(one[2], other[2]) - max(one[0], other[0])
    down = min(one[3], other[3]) - max(one[1], other[1])
    return across > 1 - apart_px and down > 1


def luminance(colour):
    share = np.asarray(colour, dtype=float) / 255
    linear = np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


def contrast(one, other):
    """Return the ratio of WCAG 2.2."""
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def ground_of(pixels, text):
    """Return the commonest colour in the box of a text, its own apart."""
    left, top, right, bottom = (round(side) for side in text.box)
    red, green, blue = np.moveaxis(pixels[top:bottom, left:right].astype(np.int32), 2, 0)
    # One number for each colour: numpy sorts rows of three ten times as slowly.
    found, counts = np.unique(red << 16 | green << 8 | blue, return_counts=True)
    colours = ((code >> 16, code >> 8 & 255, code & 255) for code in found[np.argsort(-counts)])
    return next(colour for colour in colours if colour != text.colour)


def test_every_text_stands_within_the_safe_area(screens):
    for screen in screens:
        width, height = screen.size_px
        margin = SAFE * height
        for text in screen.texts:
            left, top, right, bottom = text.box
            spare = min(left, top, width - right, height - bottom)
            assert spare >= margin, (screen.name, text)


def test_no_two_texts_overlap(screens):
    for screen in screens:
        for one, other in combinations(screen.texts, 2):
            apart_px = one.size_px if one.line_px is None and other.line_px is None else 0
            clear = not overlap(one.box, other.box, apart_px)
            assert clear, (screen.name, one.text, other.text)


def test_lines_are_short_enough_to_be_read(screens):
    for screen in screens:
        running = [text for text in screen.texts if text.line_px is not None]
        for _, line in groupby(running, key=lambda text: text.line_px):
            words = " ".join(text.text for text in line)
            assert len(words) <= LONGEST_LINE, (screen.name, words)


def test_every_text_is_large_enough(screens):
    for screen in screens:
        for text in screen.texts:
            assert text.size_px >= SMALLEST_TEXT * screen.size_px[1], (screen.name, text)


def test_nothing_but_plates_has_a_colour(screens):
    for screen in screens:
        if not screen.name.startswith(("trial", "example", "source_of", "plate", "expert_example")):
            for layer in screen.layers:
                red, green, blue = np.moveaxis(layer.pixels, 2, 0)
                assert np.array_equal(red, green), screen.name
                assert np.array_equal(green, blue), screen.name


def test_plates_are_large_and_in_the_middle(screens):
    for screen in screens:
        if screen.name.startswith("trial") and screen.name != "trial-plate-gone":
            width, height = screen.size_px
            plate = screen.layers[0]
            side = len(plate.pixels)
            assert side >= 0.6 * height
            assert abs(plate.left_px + side / 2 - width / 2) <= 1
            assert abs(plate.top_px + side / 2 - height / 2) <= 0.05 * height

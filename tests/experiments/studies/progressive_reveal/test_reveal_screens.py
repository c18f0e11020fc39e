"""Every screen of a session in which images are uncovered, held to what all screens are."""

from functools import cache

import numpy as np
import pytest

from experiments.screens.look import Look
from experiments.screens.trial import stimulus_top
from experiments.studies.progressive_reveal.places import (
    RoundEnd,
    RoundPlaces,
    revealed_layers,
)
from stimuli.protocol import load_protocol
from stimuli.studies.progressive_reveal.sketch import sketch
from tests.experiments.rehearsal import noted_texts
from tests.experiments.screens.laid_out import (  # noqa: F401 - collected here too
    assert_stands_out,
    box_of,
    each_case,
    overlap,
    test_every_text_is_large_enough,
    test_every_text_stands_within_the_safe_area,
    test_lines_are_short_enough_to_be_read,
    test_no_two_texts_overlap,
)
from tests.experiments.studies.progressive_reveal.reveal_rehearsal import rehearse_reveal

SIZES = [(1280, 720), (1920, 1080)]
CASE = ("de", SIZES[0], True)
SLOW_CASES = [
    ("en", SIZES[0], False),
    ("en", SIZES[0], True),
    ("de", SIZES[1], False),
    ("de", SIZES[1], True),
]
SHOWN = {
    "abort", "pause", "leave", "consent", "instructions", "answering", "picture_beside", "copying",
    "copy", "instructions_again", "call_experimenter", "practice", "before_rounds",
    "round-begins", "round-untouched", "round-letters", "round-chosen", "round-unknown",
    "round-refused", "round-wrong", "revealed-named", "revealed-missed", "break", "sitting_end",
    "welcome_back", "before_demographics", "before_questions", "survey_gender",
    "survey_machine_learning-chosen",
    "debrief", "consent_renewed", "end", "declined", "withdrawn", "sitting_start", "warm_up",
}  # fmt: skip
IN_COLOUR = ("round", "revealed")


@cache
def pack():
    changes = {
        "images": {"classes": 17, "images_per_class": 1, "size_px": 64},
        "session": {
            "sittings": 2, "rounds_per_sitting": 9, "practice_rounds": 1, "catch_rounds": 0,
            "copy_typing_words": 3,
            "break_every_rounds": 3, "comprehension_attempts": 1, "feedback_s": 0.02,
        },
        "reveal": {"methods": ["protopnet"], "reference": "none", "prototype_beside": True},
        "analysis": {"reference": "protopnet"},
    }  # fmt: skip
    return sketch(load_protocol("progressive_reveal", None, changes))


@cache
def pack_with_a_window():
    """Evidence against the class is uncovered beside the image."""
    protocol = pack().protocol.resolved()
    reveal = {
        **protocol["reveal"], "methods": ["lrp"], "prototype_beside": False,
        "polarity": "negative_beside",
    }  # fmt: skip
    changes = {name: protocol[name] for name in ("images", "session")}
    changes |= {"reveal": reveal, "analysis": {"reference": "lrp"}}
    return sketch(load_protocol("progressive_reveal", None, changes))


@cache
def shown_in(language, size_px, window):
    return rehearse_reveal(pack_with_a_window() if window else pack(), language, size_px)


case, screens = each_case(shown_in, [CASE], SLOW_CASES)


def test_a_session_shows_all_that_it_can_show(screens):
    names = {screen.name.partition("-1")[0] for screen in screens}
    assert names >= SHOWN - {"picture_beside"}
    assert {"picture_beside", "against_beside"} & names


def test_nothing_but_the_images_has_a_colour(screens):
    for screen in screens:
        if not screen.name.startswith(IN_COLOUR):
            for layer in screen.layers:
                red, green, blue = np.moveaxis(layer.pixels, 2, 0)
                assert np.array_equal(red, green), screen.name
                assert np.array_equal(green, blue), screen.name


def test_every_text_stands_out_from_its_ground():
    assert_stands_out(shown_in(*CASE))


def test_the_image_is_large_in_the_middle_and_stays_there_when_it_is_whole(screens):
    by_name = {screen.name: screen for screen in screens}
    boxes = set()
    for name in ("round-begins", "round-wrong", "revealed-named", "revealed-missed"):
        screen = by_name[name]
        (image,) = (layer for layer in screen.layers if layer.scale > 1)
        side = image.scale * len(image.pixels)
        boxes.add((image.left_px, image.top_px, side))
        width, height = screen.size_px
        assert side >= 0.6 * height
        assert abs(image.left_px + side / 2 - width / 2) <= 1
        assert abs(image.top_px + side / 2 - height / 2) <= 0.05 * height
    assert len(boxes) == 1


def test_nothing_lies_over_anything_else_in_a_round(screens):
    for screen in screens:
        if screen.name.startswith("round"):
            boxes = [box_of(layer) for layer in screen.layers]
            for number, one in enumerate(boxes):
                assert not any(overlap(one, other) for other in boxes[:number]), screen.name


def test_only_whole_factors_enlarge_an_image_and_every_pixel_is_a_square(screens):
    (begins,) = (screen for screen in screens if screen.name == "round-begins")
    (image,) = (layer for layer in begins.layers if layer.scale > 1)
    side = image.scale * len(image.pixels)
    on_screen = begins.pixels()[
        image.top_px : image.top_px + side, image.left_px : image.left_px + side
    ]
    squares = on_screen.reshape(64, image.scale, 64, image.scale, 3)
    assert (squares == squares[:, :1, :, :1]).all()
    assert np.array_equal(squares[:, 0, :, 0], image.pixels)


def test_what_speaks_against_the_class_is_uncovered_in_a_small_window_beside_the_image():
    """More of it with each step, parts of the same image, a caption above; gone with the image."""
    by_name = {screen.name: screen for screen in shown_in(*CASE)}
    assert "against_beside" in by_name
    look = Look(CASE[1], (30, 30, 30))
    lit = []
    for name in ("round-begins", "round-letters", "round-wrong"):
        screen = by_name[name]
        box = RoundPlaces.of(look, 512, ["a"], 8).prototype
        windows = [
            layer for layer in screen.layers
            if layer.pixels.shape == (box.height_px, box.width_px, 3) and layer.scale == 1
        ]  # fmt: skip
        (window,) = windows
        lit.append(int(window.pixels.any(axis=2).sum()))
        assert "Spricht dagegen" in {text.text for text in screen.texts}
    assert 0 < lit[0] < lit[1] < lit[2]


@pytest.mark.parametrize("language", ["en", "he"])
@pytest.mark.parametrize("name", ["x", "German short-haired pointer", "word " * 30])
def test_a_name_of_any_length_stands_under_the_whole_image(language, name):
    look = Look((1280, 720), (30, 30, 30), language)
    places = RoundPlaces.of(look, 512, ["a"], 8)
    texts = []
    with noted_texts(texts):
        whole = np.zeros((256, 256, 3), np.uint8)
        revealed_layers(look, places, whole, RoundEnd("✓", f"Right: {name}", 0.5, "5 of 10"))
    foot = stimulus_top(look, 512) + 512
    for text in texts:
        left, top, right, bottom = text.box
        assert foot < top < bottom < 0.97 * 720
        assert 0.03 * 720 < left < right < 1280 - 0.03 * 720

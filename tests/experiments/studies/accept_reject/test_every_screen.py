"""Every screen of a session, in both languages and at both usual sizes, judged as laid out."""

from functools import cache
from itertools import combinations, groupby

import numpy as np
import pytest
from PIL import ImageDraw

from experiments.screens.look import Look
from experiments.screens.parts import Footer, Hint, draw_footer
from stimuli.pack import open_pack
from stimuli.protocol import load_protocol
from stimuli.studies.accept_reject.sketch import sketch
from tests.experiments.conftest import CHANGES, few_digits
from tests.experiments.expert_rehearsal import rehearse_expert
from tests.experiments.rehearsal import noted_texts, rehearse

SIZES = [(1280, 720), (1920, 1080)]
SAFE = 0.03
LONGEST_LINE = 75
CONTRAST_AA = 4.5
SMALLEST_TEXT = 0.025
"""Of the screen's height: on a 24-inch screen at 60 cm letters of 0.7° (and 0.4° without
ascenders)."""
SHOWN = {
    "abort", "pause", "instructions", "guidelines", "guidelines_again", "example_accept",
    "example_reject", "call_experimenter", "practice", "fixation", "trial-with", "trial-without",
    "feedback-late", "feedback-right", "feedback-wrong", "run_without", "run_with", "break",
    "between_runs", "between_runs-wait", "before_questions", "consent_renewed", "end",
    "declined", "welcome_back", "withdrawn", "relied_on", "relied_on-chosen", "source_guess",
}  # fmt: skip


BY_MOUSE = {
    "trial": {**CHANGES["trial"], "cutoff_mode": "visible"},
    "session": {**CHANGES["session"], "device": "mouse"},
}
BY_MOUSE_CASE = ("de", SIZES[0], "visible cutoff, by mouse")
CASES = [
    *((language, size, "by key") for language in ("en", "de") for size in SIZES),
    BY_MOUSE_CASE,
    *(("de", size, "expert") for size in SIZES),
    ("en", SIZES[0], "expert"),
]
SHOWN_TO_EXPERTS = {
    "abort", "pause", "expert_instructions", "expert_tools", "expert_example", "expert_practice",
    "plate-no_answer", "plate-nothing_painted", "plate-painted_without_solution",
    "feedback-right", "feedback-wrong", "feedback-blank", "expert_start", "break",
    "expert_welcome_back", "expert_end", "consent_renewed", "withdrawn",
}  # fmt: skip


@pytest.fixture(scope="module")
def rehearsed(mini_pack, all_tasks):
    by_key, tasks = open_pack(mini_pack), open_pack(all_tasks)
    protocol = load_protocol("accept_reject", None, CHANGES | BY_MOUSE)
    by_mouse = sketch(protocol, places=[("deutan", 2)], digits=few_digits())

    @cache
    def rehearsed(language, size_px, kind="by key"):
        if kind == "expert":
            return rehearse_expert(tasks, language, size_px)
        return rehearse(by_key if kind == "by key" else by_mouse, language, size_px)

    return rehearsed


@pytest.fixture(params=CASES, ids=lambda case: f"{case[0]}-{case[1][0]}x{case[1][1]}, {case[2]}")
def screens(request, rehearsed):
    return rehearsed(*request.param)


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
    colours = pixels[top:bottom, left:right].reshape(-1, 3)
    found, counts = np.unique(colours, axis=0, return_counts=True)
    return next(colour for colour in found[np.argsort(-counts)] if tuple(colour) != text.colour)


def test_a_session_shows_all_that_it_can_show(screens):
    names = {screen.name for screen in screens}
    assert names >= (SHOWN_TO_EXPERTS if "expert_end" in names else SHOWN)


def test_a_visible_cutoff_is_told_of_and_leaves_all_but_the_plate(rehearsed):
    by_name = {screen.name: screen for screen in rehearsed(*BY_MOUSE_CASE)}
    assert "exposure" in by_name
    gone = {text.text for text in by_name["trial-plate-gone"].texts}
    assert gone >= {"Annehmen", "Ablehnen", "Lösung"}
    assert by_name["trial-plate-gone"].layers[0].pixels.shape[0] < 0.5 * SIZES[0][1]


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


def test_every_text_stands_out_from_its_ground(rehearsed):
    for screen in rehearsed("en", SIZES[0]):
        pixels = screen.pixels()
        for text in screen.texts:
            assert contrast(text.colour, ground_of(pixels, text)) >= CONTRAST_AA, text


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


@pytest.mark.parametrize("language", ["en", "he"])
def test_hints_keep_to_their_ends_of_the_line(language):
    look = Look((1280, 720), (30, 30, 30), language)
    draw = ImageDraw.Draw(look.canvas())
    texts = []
    on, back = Hint(("A", "B", "C"), "Experimenter: go on"), Hint(("D",), "Back")
    with noted_texts(texts):
        draw_footer(look, draw, Footer(on, back, "Page 2 of 3"), 200, 800)
    lefts = {text.text: text.box[0] for text in texts}
    order = ["D", "Back", "Page 2 of 3", "A", "B", "C", "Experimenter: go on"]
    assert sorted(lefts, key=lefts.get) == (order if language == "en" else order[::-1])
    for one, other in combinations(texts, 2):
        assert not overlap(one.box, other.box)
    assert min(lefts.values()) >= 200
    assert max(text.box[2] for text in texts) <= 1000

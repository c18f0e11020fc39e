"""Every screen of a session on labelled images, held to what screens with plates are held to."""

import io
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from PIL import Image

from experiments.screens.look import Look
from experiments.screens.trial import TrialScreen, surrounding_layers
from experiments.studies.accept_reject_accuracy.painter import ImagePainter
from participants.lists import Assignment
from participants.studies.accept_reject_accuracy.plan import plan_session
from stimuli.colour.display import SRGB, DisplayProfile
from stimuli.images.pictures import framed
from stimuli.pack.model import pack_in_memory
from stimuli.protocol import protocol_hash
from stimuli.studies.accept_reject_accuracy.compose import compose_solutions
from tests.experiments.rehearsal import noted_texts
from tests.experiments.screens.laid_out import (  # noqa: F401 - collected here too
    box_of,
    each_case,
    overlap,
    test_every_text_is_large_enough,
    test_every_text_stands_within_the_safe_area,
    test_lines_are_short_enough_to_be_read,
    test_no_two_texts_overlap,
    test_nothing_but_plates_has_a_colour,
    test_plates_are_large_and_in_the_middle,
)
from tests.experiments.studies.accept_reject.lead_rehearsal import rehearse
from tests.experiments.studies.accept_reject.told_early import (  # noqa: F401 - collected here too
    test_no_screen_before_the_question_of_the_source_names_one,
    test_no_screen_shows_a_files_name_or_an_id,
)
from tests.stimuli.studies.accept_reject_accuracy.labelled_sets import protocol_of, tasks_of

SHOWN = {
    "abort", "pause", "consent", "instructions", "exposure", "guidelines", "guidelines_again",
    "example_accept", "example_reject", "call_experimenter", "practice", "fixation",
    "trial-without", "trial-plate-gone", "feedback-late", "feedback-right", "before_run", "break",
    "before_questions", "known_labels", "source_guess", "debrief", "consent_renewed", "end",
    "declined", "welcome_back", "withdrawn",
}  # fmt: skip
SLOW_CASES = [("en", (1280, 720)), ("de", (1920, 1080))]
NAMES = {
    ("c0", ""): "German short-haired pointer",
    ("c0", "de"): "Deutsch Kurzhaar, ein Vorstehhund",
    ("c1", ""): "three-toed sloth, ai, Bradypus tridactylus",
    ("c2", ""): "tench",
    ("c3", ""): "Donaudampfschifffahrtsgesellschaft",
}


@cache
def images():
    """A pack of noise under long names, whose images leave at a visible cutoff."""
    rng = np.random.default_rng(1)
    tasks = tasks_of(24)
    pictures = {
        item: framed(Image.fromarray(rng.integers(0, 255, (48, 64, 3), dtype=np.uint8)), 64,
                     (30, 30, 30))
        for item in tasks.labels
    }  # fmt: skip
    changes = {
        "trial": {"cutoff_mode": "visible", "cutoff_s": 3.0},
        "session": {"break_every_trials": 4, "comprehension_attempts": 1},
        "images": {"size_px": 64},
    }
    protocol = protocol_of(**changes)
    files = compose_solutions(protocol, replace(tasks, pictures=pictures, names=NAMES))
    return pack_in_memory(protocol, protocol_hash(protocol), "solutions", files)


@cache
def shown_in(language, size_px):
    return rehearse(images(), language, size_px)


case, screens = each_case(shown_in, [("de", (1280, 720))], SLOW_CASES)


@pytest.fixture
def spoken(case):
    return case[0]


def test_a_session_on_images_shows_all_that_it_can_show(screens):
    names = {screen.name.partition("-1")[0] for screen in screens}
    assert names >= SHOWN


def test_no_text_touches_the_image_however_long_the_label(screens):
    for screen in screens:
        if screen.name == "trial-without":
            for text in screen.texts:
                assert not overlap(text.box, box_of(screen.layers[0]), apart_px=10), text


@pytest.mark.parametrize("label", [*NAMES.values(), "x" * 90, "a b", "ein " * 20 + "Ende"])
def test_every_label_is_set_whole_beside_the_image(label):
    look = Look((1280, 720), (30, 30, 30), "en")
    texts = []
    with noted_texts(texts):
        surrounding_layers(look, 480, TrialScreen(label, "Label"))
    (caption,) = (text for text in texts if text.text == "Label")
    lines = [text for text in texts if text is not caption]
    assert "".join(line.text for line in lines).replace("-", "").replace(" ", "") == (
        label.replace("-", "").replace(" ", "")
    )
    assert all(line.box[0] > (1280 + 480) / 2 for line in lines)
    assert all(line.box[2] < 1280 for line in lines)


def test_an_image_is_shown_as_it_is_on_a_display_taken_for_srgb():
    painter = ImagePainter(images(), images().protocol, SRGB)
    plan = plan_session(images(), Assignment("l1", "one_run"), "en", "AAAAA")
    stimulus = plan.trials[0].stimulus
    stored = Image.open(io.BytesIO(images().asset(stimulus.image_file)))
    assert np.array_equal(painter.plate(stimulus, 64), np.asarray(stored.convert("RGB")))
    assert painter.plate(stimulus, 100).shape == (100, 100, 3)


def test_a_measured_display_gets_codes_of_its_own():
    """A display whose guns are linear needs brighter codes for the same light."""
    linear = DisplayProfile(
        name="linear", calibrated=True, red_xy=SRGB.red_xy, green_xy=SRGB.green_xy,
        blue_xy=SRGB.blue_xy, white_xy=SRGB.white_xy, gamma=(1.0, 1.0, 1.0),
    )  # fmt: skip
    plan = plan_session(images(), Assignment("l1", "one_run"), "en", "AAAAA")
    stimulus = plan.trials[0].stimulus
    usual = ImagePainter(images(), images().protocol, SRGB).plate(stimulus, 64) / 255
    own = ImagePainter(images(), images().protocol, linear).plate(stimulus, 64) / 255
    light = np.where(usual <= 0.04045, usual / 12.92, ((usual + 0.055) / 1.055) ** 2.4)
    assert np.abs(own - light).max() < 1.5 / 255

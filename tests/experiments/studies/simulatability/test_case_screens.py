"""Whole sessions on paper: every page and every case, judged as they are drawn."""

from functools import cache

from stimuli.studies.simulatability.sketch import sketch
from tests.experiments.screens.laid_out import (  # noqa: F401 - collected here too
    assert_stands_out,
    each_case,
    test_every_text_is_large_enough,
    test_every_text_stands_within_the_safe_area,
)
from tests.experiments.screens.laid_out import (
    test_lines_are_short_enough_to_be_read as lines_are_short,
)
from tests.experiments.screens.laid_out import (
    test_no_two_texts_overlap as no_two_texts_overlap,
)
from tests.experiments.studies.simulatability.case_rehearsal import rehearse_cases
from tests.stimuli.studies.simulatability.small import protocol_of

ALL = {
    "question": {"confidence_steps": 4, "learning_at_hand": True, "exposure_limit_s": 20.0},
    "session": {"comprehension_attempts": 1, "break_every_trials": 3},
    "understanding": {"course": "asked", "then": "go_on"},
}
CASES = [("text_composite", "de", (1280, 720))]
SLOW_CASES = [
    ("tabular_decision_boundary", "en", (1280, 720)),
    ("text_lime", "en", (1280, 720)),
    ("text_composite", "de", (1920, 1080)),
    ("tabular_composite", "en", (1920, 1080)),
    ("tabular_decision_boundary", "de", (1280, 720)),
]


@cache
def pack():
    methods = ["lime", "decision_boundary", "composite", "no_explanation"]
    return sketch(protocol_of(**ALL, design={"methods": methods}))


@cache
def rehearsed(arm, language, size_px):
    return rehearse_cases(pack(), arm, language, size_px)


case, screens = each_case(rehearsed, CASES, SLOW_CASES)


def cases_of(screens):
    return [screen for screen in screens if screen.name.startswith("trial")]


def test_a_session_shows_every_kind_of_screen(case, screens):
    names = {screen.name for screen in screens}
    domain = case[0].partition("_")[0]
    kinds = {name.split("-")[2] for name in names if name.startswith(f"trial-{domain}")}
    assert kinds == {"example", "rating", "prediction"}
    assert {"consent", "confidence", "end", "pause", "trial-at-hand"} <= {
        name.partition("-1")[0] for name in names
    }


def test_no_two_texts_overlap(screens):
    no_two_texts_overlap([screen for screen in screens if not screen.name.startswith("trial")])
    for screen in cases_of(screens):
        for number, one in enumerate(screen.texts):
            for other in screen.texts[:number]:
                across = min(one.box[2], other.box[2]) - max(one.box[0], other.box[0])
                down = min(one.box[3], other.box[3]) - max(one.box[1], other.box[1])
                assert across <= 1 or down <= 1, (screen.name, one, other)


def test_lines_of_pages_are_short_enough_to_be_read(screens):
    lines_are_short([screen for screen in screens if not screen.name.startswith("trial")])


def test_every_word_stands_out_from_its_ground(screens):
    assert_stands_out(cases_of(screens))

"""Whole sessions on paper: every page and every case, judged as they are drawn."""

from functools import cache
from unittest.mock import patch

import pytest

from experiments.engine.input import Press
from experiments.engine.present import Presentation, Shown
from experiments.engine.schedule import FrameRecord
from experiments.pages import timed_choice
from participants.registry import Assignment
from participants.studies.simulatability.plan import plan_session
from stimuli.studies.simulatability.sketch import sketch
from tests.experiments.rehearsal import Participant, Rehearsal, noted_texts
from tests.experiments.screens.laid_out import (  # noqa: F401 - collected here too
    contrast,
    ground_of,
    test_every_text_is_large_enough,
    test_every_text_stands_within_the_safe_area,
)
from tests.experiments.screens.laid_out import (
    test_lines_are_short_enough_to_be_read as lines_are_short,
)
from tests.experiments.screens.laid_out import (
    test_no_two_texts_overlap as no_two_texts_overlap,
)
from tests.stimuli.studies.simulatability.small import protocol_of

ALL = {
    "question": {"confidence_steps": 4, "learning_at_hand": True, "exposure_limit_s": 20.0},
    "session": {"comprehension_attempts": 1, "break_every_trials": 3},
    "understanding": {"course": "asked", "then": "go_on"},
}
CASES = [
    ("text_lime", "en", (1280, 720)),
    ("text_composite", "de", (1920, 1080)),
    ("tabular_composite", "en", (1920, 1080)),
    ("tabular_decision_boundary", "de", (1280, 720)),
]
CONTRAST_AA = 4.5
SOME = 1
"""So many cases of each section are looked at: the layout of all is tested by itself."""


@cache
def pack():
    methods = ["lime", "decision_boundary", "composite", "no_explanation"]
    return sketch(protocol_of(**ALL, design={"methods": methods}))


def answered(stage: object, presentation: Presentation, **watchers: object) -> Shown:
    """Stand in for a presentation: the first of the keys answers at once."""
    answer = Press(min(presentation.answer_keys), 1.0)
    return Shown(0.0, 1.0, answer, None, FrameRecord(None, 60, 0, 0.017), False, (0.0,), (0,))


@cache
def rehearsed(arm, language, size_px):
    plan = plan_session(pack(), Assignment("sheet-01", arm, "left"), language, "AAAAA")
    seen: dict[tuple, int] = {}
    alike = set()
    for step in plan.trials:
        kind = step.section, type(step).__name__
        seen[kind] = seen.get(kind, 0) + 1
        if seen[kind] > SOME:
            alike.add(step.step)
    rehearsal = Rehearsal.of(pack(), plan, size_px)
    with noted_texts(rehearsal.paper.texts), patch.object(timed_choice, "present", answered):
        rehearsal.run(Participant(rehearsal.stage, plan, errs=True), frozenset(alike))
    return rehearsal.screens()


@pytest.fixture(params=CASES, ids=lambda case: f"{case[0]}-{case[1]}-{case[2][1]}")
def case(request):
    return request.param


@pytest.fixture
def screens(case):
    return rehearsed(*case)


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
    for screen in cases_of(screens):
        pixels = screen.pixels()
        for text in screen.texts:
            assert contrast(text.colour, ground_of(pixels, text)) >= CONTRAST_AA, text

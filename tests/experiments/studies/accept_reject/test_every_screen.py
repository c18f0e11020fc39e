"""Every screen of a session, judged as laid out; all languages and sizes among the slow tests."""

from functools import cache
from itertools import combinations

import numpy as np
import pytest
from PIL import ImageDraw

from experiments.screens.look import Look
from experiments.screens.parts import Footer, Hint, draw_footer
from stimuli.pack import open_pack
from stimuli.protocol import load_protocol
from stimuli.studies.accept_reject.sketch import sketch
from tests.experiments.conftest import CHANGES, few_digits
from tests.experiments.rehearsal import noted_texts
from tests.experiments.screens.laid_out import (  # noqa: F401 - collected here too
    assert_stands_out,
    overlap,
    test_every_text_is_large_enough,
    test_every_text_stands_within_the_safe_area,
    test_lines_are_short_enough_to_be_read,
    test_no_two_texts_overlap,
    test_nothing_but_plates_has_a_colour,
    test_plates_are_large_and_in_the_middle,
)
from tests.experiments.studies.accept_reject.expert_rehearsal import rehearse_expert
from tests.experiments.studies.accept_reject.lead_rehearsal import rehearse
from tests.experiments.studies.accept_reject.told_early import (  # noqa: F401 - collected here too
    test_no_screen_before_the_question_of_the_source_names_one,
    test_no_screen_shows_a_files_name_or_an_id,
)

SIZES = [(1280, 720), (1920, 1080)]
COLOURED = 30
"""How far red, green and blue of a pixel lie apart at least; only plates have such pixels."""
SHOWN = {
    "abort", "pause", "instructions", "guidelines", "guidelines_again",
    "example_accept_outlined", "example_reject", "call_experimenter", "practice", "fixation",
    "trial-with", "trial-without",
    "feedback-late", "feedback-right", "feedback-wrong", "feedback-unseen",
    "run_without", "run_with", "break",
    "between_runs", "between_runs-wait", "before_questions", "consent_renewed", "end",
    "declined", "welcome_back", "withdrawn", "relied_on", "relied_on-chosen", "source_guess",
}  # fmt: skip


PRACTISED = {"solutions": {**CHANGES["solutions"], "practice_trials": 6}}
"""Enough that practice can be answered too late, rightly, wrongly, and where either is right."""
BY_MOUSE = {
    "trial": {**CHANGES["trial"], "cutoff_mode": "visible"},
    "session": {**CHANGES["session"], "device": "mouse"},
}
BY_MOUSE_CASE = ("de", SIZES[0], "visible cutoff, by mouse")
CASES = [("en", SIZES[0], "by key"), ("de", SIZES[0], "expert")]
SLOW_CASES = [
    BY_MOUSE_CASE,
    ("de", SIZES[0], "by key"),
    *((language, SIZES[1], "by key") for language in ("en", "de")),
    ("de", SIZES[1], "expert"),
    ("en", SIZES[0], "expert"),
]
SHOWN_TO_EXPERTS = {
    "abort", "pause", "expert_instructions", "expert_tools", "expert_example", "expert_practice",
    "plate-no_answer", "plate-nothing_painted", "plate-painted_without_solution",
    "feedback-right", "feedback-wrong", "feedback-blank", "feedback-beside", "expert_start",
    "break", "expert_welcome_back", "expert_end", "consent_renewed", "withdrawn",
}  # fmt: skip


@pytest.fixture(scope="module")
def rehearsed(all_tasks):
    tasks = open_pack(all_tasks)

    @cache
    def pack(kind):
        changes = CHANGES | PRACTISED | ({} if kind == "by key" else BY_MOUSE)
        protocol = load_protocol("accept_reject", None, changes)
        return sketch(protocol, places=[("deutan", 2)], digits=few_digits())

    @cache
    def rehearsed(language, size_px, kind="by key"):
        if kind == "expert":
            return rehearse_expert(tasks, language, size_px)
        return rehearse(pack(kind), language, size_px)

    return rehearsed


@pytest.fixture(
    params=[*CASES, *(pytest.param(case, marks=pytest.mark.slow) for case in SLOW_CASES)],
    ids=lambda case: f"{case[0]}-{case[1][0]}x{case[1][1]}, {case[2]}",
)
def case(request):
    return request.param


@pytest.fixture
def screens(case, rehearsed):
    return rehearsed(*case)


@pytest.fixture
def spoken(case):
    return case[0]


def test_a_session_shows_all_that_it_can_show(screens):
    names = {screen.name for screen in screens}
    assert names >= (SHOWN_TO_EXPERTS if "expert_end" in names else SHOWN)


@pytest.mark.slow
def test_a_visible_cutoff_is_told_of_and_leaves_all_but_the_plate(rehearsed):
    by_name = {screen.name: screen for screen in rehearsed(*BY_MOUSE_CASE)}
    assert "exposure" in by_name
    gone = {text.text for text in by_name["trial-plate-gone"].texts}
    assert gone >= {"Annehmen", "Ablehnen", "Lösung"}
    assert by_name["trial-plate-gone"].layers[0].pixels.shape[0] < 0.5 * SIZES[0][1]


def test_a_worked_example_has_its_solution_beside_the_plate(screens):
    examples = [screen for screen in screens if screen.name.startswith("example")]
    for screen in examples:
        rows, columns = np.nonzero(np.ptp(screen.pixels().astype(int), axis=2) > COLOURED)
        (solution,) = (text for text in screen.texts if text.text in ("Solution:", "Lösung:"))
        left, top, _, bottom = solution.box
        assert columns.max() < left
        assert rows.min() < top < bottom < rows.max()
    assert examples or "expert_end" in {screen.name for screen in screens}


@pytest.mark.slow
def test_every_text_stands_out_from_its_ground(rehearsed):
    assert_stands_out(rehearsed("en", SIZES[0]))


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

"""Every screen of a session on labelled texts, as long as texts and labels may be."""

from dataclasses import replace
from functools import cache

import pytest

from experiments.screens.look import Look
from experiments.studies.accept_reject_accuracy.texts import text_figure
from stimuli.cases import LONGEST, LONGEST_LABEL
from stimuli.errors import UserError
from stimuli.pack.model import pack_in_memory
from stimuli.protocol import protocol_hash
from stimuli.studies.accept_reject_accuracy.compose import compose_solutions
from stimuli.studies.accept_reject_accuracy.tables import LabelledCase
from tests.experiments.screens.laid_out import (  # noqa: F401 - collected here too
    assert_apart,
    box_of,
    each_case,
    test_every_text_is_large_enough,
    test_every_text_stands_within_the_safe_area,
    test_lines_are_short_enough_to_be_read,
    test_no_two_texts_overlap,
    test_nothing_but_plates_has_a_colour,
)
from tests.experiments.studies.accept_reject.lead_rehearsal import rehearse
from tests.experiments.studies.accept_reject.told_early import (  # noqa: F401 - collected here too
    test_no_screen_before_the_question_of_the_source_names_one,
    test_no_screen_shows_a_files_name_or_an_id,
)
from tests.participants.studies.accept_reject_accuracy.test_texts import OF_IMAGES
from tests.stimuli.studies.accept_reject_accuracy.labelled_sets import protocol_of, text_tasks_of

SHOWN = {
    "abort", "pause", "consent_texts", "instructions_texts", "exposure_texts", "guidelines_texts",
    "guidelines_again_texts", "example_accept_texts", "example_reject_texts", "call_experimenter",
    "practice_texts", "fixation", "trial-without", "trial-plate-gone", "feedback-late",
    "feedback-right", "before_run_texts", "break", "before_questions_texts", "known_labels",
    "source_guess", "debrief_texts", "consent_renewed", "end", "declined", "welcome_back_texts",
    "withdrawn",
}  # fmt: skip
SLOW_CASES = [("en", (1280, 720)), ("de", (1920, 1080)), ("en", (1024, 768))]
LABEL = "Take the medicine twice a day with a meal, and come again in a week if it hurts"
WORDS = {
    "": "The patient has taken the medicine for three weeks and is dizzy every morning. ",
    "de": "Die Patientin nimmt das Medikament seit drei Wochen und klagt morgens über Schwindel. ",
}


@cache
def texts():
    """A pack whose texts and labels are as long as they may be and leave at a visible cutoff."""
    tasks = text_tasks_of(24)
    long = {tag: (words * 10)[:LONGEST].strip() for tag, words in WORDS.items()}
    names = {(f"c{k}", ""): f"{LABEL[: LONGEST_LABEL - 2]} {k}" for k in range(4)}
    protocol = protocol_of(
        cases="texts",
        trial={"cutoff_mode": "visible", "cutoff_s": 3.0, "practice_feedback_s": 0.0},
        session={"break_every_trials": 4, "comprehension_attempts": 1},
    )
    whole = replace(tasks, names=names, texts=dict.fromkeys(tasks.texts, long))
    files = compose_solutions(protocol, whole)
    return pack_in_memory(protocol, protocol_hash(protocol), "solutions", files)


@cache
def shown_in(language, size_px):
    return rehearse(texts(), language, size_px)


case, screens = each_case(shown_in, [("de", (1280, 720))], SLOW_CASES)


@pytest.fixture
def spoken(case):
    return case[0]


def test_a_session_on_texts_shows_all_that_it_can_show_and_speaks_of_no_image(screens):
    assert {screen.name.partition("-1")[0] for screen in screens} >= SHOWN
    read = {screen.name: " ".join(text.text for text in screen.texts) for screen in screens}
    assert not [name for name, words in read.items() if OF_IMAGES.search(words)]


def test_a_trial_shows_text_and_label_whole_each_at_its_own_place(screens, spoken):
    (screen,) = (screen for screen in screens if screen.name == "trial-without")
    words = " ".join(text.text for text in screen.texts)
    assert (WORDS["" if spoken == "en" else "de"] * 10)[:LONGEST].strip() in words
    assert LABEL[: LONGEST_LABEL - 2] in words
    (gone,) = (screen for screen in screens if screen.name == "trial-plate-gone")
    assert LABEL[: LONGEST_LABEL - 2] in " ".join(text.text for text in gone.texts)
    assert len(gone.texts) < len(screen.texts)
    assert_apart([box_of(layer) for layer in screen.layers], screen.size_px)


def test_the_panel_stands_in_the_middle_where_the_fixation_mark_was(screens):
    (panel,) = (s.layers[0] for s in screens if s.name == "trial-without")
    (mark,) = (s.layers[0] for s in screens if s.name == "fixation")
    for one, other in zip(middle_of(panel), middle_of(mark), strict=True):
        assert abs(one - other) <= 1


def test_a_text_without_room_is_refused_before_the_session():
    look = Look((1280, 720), (30, 30, 30), "en")
    with pytest.raises(UserError, match="has no room in its panel"):
        text_figure(look, LabelledCase("", "c0", "WWWWWWWWWWWWWWWWWWWWWWWW " * 40))


def middle_of(layer):
    left, top, right, bottom = box_of(layer)
    return (left + right) / 2, (top + bottom) / 2

"""A lead's session on labelled texts: nothing that is read speaks of images."""

import re
from functools import cache

import pytest

from participants.dataset.table_files import read_table
from participants.folder import DataFolder
from participants.lists import Assignment
from participants.planning import OF_TEXTS
from participants.session import Break, Check, Consent, Page, PracticeCheck, Question
from participants.simulate.run import simulate
from participants.studies.accept_reject.trial import Trial
from participants.studies.accept_reject_accuracy.plan import TEXTS, plan_session
from participants.texts import languages, load_question, load_text, load_words
from stimuli.pack.model import pack_in_memory
from stimuli.protocol import protocol_hash
from stimuli.studies.accept_reject_accuracy.compose import compose_solutions
from tests.stimuli.studies.accept_reject_accuracy.labelled_sets import (
    protocol_of,
    small_sketch,
    text_tasks_of,
)

LAB = {"institution": "I", "contact": "C", "terms": "T"}
OF_IMAGES = re.compile(
    r"\b(?:images?|pictures?|Bild(?:er[ns]?|es|s|ersammlung)?)\b(?!- oder Ton)", re.IGNORECASE
)
VISIBLE = {"cutoff_mode": "visible", "cutoff_s": 3.0}


@cache
def pack_of(cases, **trial):
    protocol = protocol_of(cases=cases, trial=trial, session={"break_every_trials": 4})
    files = compose_solutions(protocol, text_tasks_of(40))
    return pack_in_memory(protocol, protocol_hash(protocol), "solutions", files)


def plan_in(language, pack):
    return plan_session(pack, Assignment("l1", "one_run"), language, "CDF34HK")


def read_by(plan, language):
    """Return all that a plan lets a lead read, by the name of its text, question or word."""
    words, read = load_words(TEXTS, language), {}

    def note(step):
        if isinstance(step, Page | Consent):
            read[step.text] = load_text(TEXTS, language, step.text).filled({**LAB, **step.values})
            read[step.text] = read[step.text].markdown
        if isinstance(step, Break):
            read[step.progress] = words[step.progress]
        if isinstance(step, Question):
            asked = load_question(TEXTS, language, step.question)
            choices = [asked.choices[choice] for choice in step.choices]
            read[step.question] = " ".join([asked.text, *choices])
        if isinstance(step, Check):
            for part in (*step.questions, step.again, step.call):
                note(part)
        if isinstance(step, PracticeCheck) and step.end is not None:
            note(step.end)

    for step in plan.steps:
        note(step)
    read[plan.welcome_back] = load_text(TEXTS, language, plan.welcome_back).markdown
    read[plan.title] = words[plan.title]
    return read


@pytest.mark.parametrize("language", languages(TEXTS))
def test_who_judges_texts_reads_nothing_of_images(language):
    read = read_by(plan_in(language, pack_of("texts", **VISIBLE)), language)
    assert not [name for name, words in read.items() if OF_IMAGES.search(words)]
    of_images = read_by(plan_in(language, small_sketch()), language)
    told = [name for name, words in of_images.items() if OF_IMAGES.search(words)]
    # The expression can fail, and each of these has a variant.
    assert len(told) > 12
    assert {f"{name}{OF_TEXTS}" for name in told} <= read.keys()
    assert not [name for name in of_images if name.endswith(OF_TEXTS)]


@pytest.mark.parametrize("language", languages(TEXTS))
def test_a_trial_shows_the_text_in_the_sessions_language(language):
    plan = plan_in(language, pack_of("texts"))
    shown = [step.stimulus for step in plan.steps if isinstance(step, Trial)]
    shown += [step.figure for step in plan.steps if isinstance(step, Page) and step.figure]
    pattern = {"en": r"Text \d+: it is about c\d\.", "de": r"Text \d+ handelt von c\d\."}[language]
    assert shown
    for stimulus in shown:
        assert stimulus.image_file == ""
        assert re.fullmatch(pattern, stimulus.case_text)


def test_robots_judge_texts_as_the_key_says(tmp_path):
    data = DataFolder(tmp_path)
    simulate(data, pack_of("texts"), ["exact_labels", "lazy"], seed=2)
    rows = read_table(data, "accept_reject", "trials")
    exact = [row for row in rows if row["robot"] == "exact_labels"]
    right = [row["shown_label"] == row["true_label"] for row in exact]
    assert [row["decision"] == "accept" for row in exact] == right
    assert {row["noticed_kinds"] for row in rows} <= {"yes", "no", "unsure"}

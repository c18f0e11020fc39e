"""Texts of simulatability: whole in every language, and silent on what the debrief discloses."""

import re
import tomllib
from importlib import resources

import pytest

from participants.session import Check, Consent, Page, Question, Report
from participants.studies.simulatability.plan import STUDY
from participants.texts import (
    discloses,
    languages,
    load_question,
    load_text,
    load_words,
    named_sources,
    text_names,
)
from tests.participants.studies.simulatability.taken import ARMS, EVERYTHING, pack_of, plan_of

LANGUAGES = languages(STUDY)
LAB = {"institution": "I", "contact": "C", "terms": "T"}
PUBLISHED = "Does this explanation show me why the system thought what it did?"
DISCLOSED = re.compile(
    r"\bgroups?\b|\bGruppen?\b|by lot|Los\b|on purpose|absichtlich|LIME|Anchor"
    r"|artificial|künstlich",
    re.IGNORECASE,
)
"""What nobody may read before the debrief."""


def own_questions(language):
    """Return the names of the questions that the study's own file holds."""
    folder = resources.files("participants.studies.simulatability").joinpath("texts", language)
    table = tomllib.loads(folder.joinpath("questions.toml").read_text(encoding="utf-8"))
    return {name for name, value in table.items() if isinstance(value, dict)}


FAST_ARM = "tabular_composite"


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("arm", "changes"),
    [
        ("text_lime", {}),
        (FAST_ARM, EVERYTHING),
        *(pytest.param(arm, EVERYTHING, marks=pytest.mark.slow) for arm in ARMS if arm != FAST_ARM),
    ],
)
def test_a_plan_has_all_it_says_and_tells_nothing_too_early(arm, changes, language):
    plan, disclosed = plan_of(pack_of(**changes), arm, language), False
    for step in plan.steps:
        read = []
        if isinstance(step, Page | Consent):
            values = {**LAB, **step.values}
            read = [load_text(STUDY, language, step.text).filled(values).markdown]
            disclosed = disclosed or step.step == "debrief"
        if isinstance(step, Report):
            read = [load_text(STUDY, language, text).filled({}).markdown for text in step.texts]
        asked = [step] if isinstance(step, Question) else []
        for question in step.questions if isinstance(step, Check) else asked:
            words = load_question(STUDY, language, question.question)
            assert set(question.choices) <= set(words.choices)
            if question.question != "knows_ai":
                read += [words.text, *words.choices.values()]
        if not disclosed:
            assert [DISCLOSED.findall(text) for text in read] == [[]] * len(read)
    assert disclosed


@pytest.mark.parametrize("language", LANGUAGES)
def test_explanations_are_spoken_of_only_where_there_are_any(language):
    """Who has none reads of none before the debrief."""
    named = re.compile("explanation|explain|Erklärung|erklär", re.IGNORECASE)
    plan = plan_of(pack_of(), "text_no_explanation", language)
    steps = [step.step for step in plan.steps]
    for step in plan.steps[: steps.index("debrief")]:
        read = []
        if isinstance(step, Page):
            read = [load_text(STUDY, language, step.text).markdown]
        elif isinstance(step, Question):
            words = load_question(STUDY, language, step.question).choices
            read = [words[choice] for choice in step.choices]
        assert [named.findall(text) for text in read] == [[]] * len(read)


def test_ratings_are_asked_for_in_the_published_words():
    """Hase & Bansal (2020), section 4.4."""
    assert load_words(STUDY, "en")["rating_question"] == PUBLISHED
    advice = load_text(STUDY, "en", "rating").markdown
    assert PUBLISHED in advice
    assert "**whether or not** the system’s answer is right" in advice


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_debrief_says_what_was_hidden(language):
    texts = [load_text(STUDY, language, name).markdown
             for name in text_names(STUDY) if name.startswith("debrief")]  # fmt: skip
    assert len(texts) == 6
    assert len(DISCLOSED.findall("\n".join(texts))) > 5
    named = [name for name in text_names(STUDY)
             if named_sources(load_text(STUDY, language, name).markdown, language)]  # fmt: skip
    assert all(discloses(STUDY, name) for name in named)


@pytest.mark.parametrize("language", LANGUAGES)
def test_disclosing_lists_no_text_or_question_that_is_not_there(language):
    folder = resources.files("participants.studies.simulatability").joinpath("texts")
    names = tomllib.loads(folder.joinpath("disclosing.toml").read_text(encoding="utf-8"))["names"]
    there = [*text_names(STUDY), *own_questions(language), "words"]
    for pattern in names:
        assert any(re.fullmatch(pattern.replace("*", ".*"), name) for name in there), pattern

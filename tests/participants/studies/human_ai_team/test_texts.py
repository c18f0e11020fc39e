"""Texts of human_ai_team: whole in every language, and silent on what the debrief discloses."""

import re

import pytest

from participants.session import Check, Consent, Page, Question
from participants.studies.human_ai_team.plan import CHECKS, QUESTIONS, STUDY
from participants.texts import (
    discloses,
    languages,
    load_question,
    load_text,
    load_words,
    named_sources,
    text_names,
)
from participants.texts.load import placeholders_in
from tests.participants.studies.human_ai_team.taken import ALL_ASKED, ARMS, pack_of, plan_of

LANGUAGES = languages(STUDY)
LAB = {"institution": "I", "contact": "C", "terms": "T"}
DISCLOSED = re.compile(
    r"adversar|attack|Angriff|alter(?:ed|ation)|verändert|täusch|deceiv|on purpose|absichtlich"
    r"|Grad-?CAM|group|Gruppe|\beasy|\bleicht",
    re.IGNORECASE,
)
"""What nobody may read before the debrief."""
OPTIONS = (
    {},
    {"question": ALL_ASKED, "help": {"when": "after_delay"}},
    {"question": ALL_ASKED, "help": {"when": "on_demand"}, "validation": {"placed": "mixed"}},
)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_every_text_and_asks_for_the_same_values(language):
    assert LANGUAGES == ("de", "en")
    for name in text_names(STUDY):
        text, english = load_text(STUDY, language, name), load_text(STUDY, "en", name)
        assert text.placeholders == english.placeholders
        assert text.markdown.count("\n- ") == english.markdown.count("\n- ")
        assert text.markdown.count("**") == english.markdown.count("**")
    for name, choices, *_ in (*CHECKS, *QUESTIONS):
        question = load_question(STUDY, language, name)
        assert set(choices) == set(question.choices)
    ours, english = load_words(STUDY, language), load_words(STUDY, "en")
    assert set(ours.words) == set(english.words)
    for word in english.words:
        assert placeholders_in(ours[word]) == placeholders_in(english[word])


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("changes", OPTIONS, ids=("published", "delayed", "asked_for"))
@pytest.mark.parametrize("arm", ARMS)
def test_a_plan_has_all_it_says_and_tells_nothing_too_early(arm, changes, language):
    plan, disclosed = plan_of(pack_of(**changes), arm, language), False
    for step in plan.steps:
        read = []
        if isinstance(step, Page | Consent):
            read = [load_text(STUDY, language, step.text).filled({**LAB, **step.values}).markdown]
            disclosed = disclosed or step.step == "debrief"
        asked = [step] if isinstance(step, Question) else []
        for question in step.questions if isinstance(step, Check) else asked:
            words = load_question(STUDY, language, question.question)
            assert set(question.choices) <= set(words.choices)
            if question.question != "noticed_altered":
                read += [words.text, *words.choices.values()]
        if not disclosed:
            assert [DISCLOSED.findall(text) for text in read] == [[]] * len(read)
    assert disclosed


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_debrief_says_what_was_hidden(language):
    texts = [load_text(STUDY, language, name).markdown
             for name in text_names(STUDY) if name.startswith("debrief")]  # fmt: skip
    assert len(texts) == 15
    assert len(DISCLOSED.findall("\n".join(texts))) > 8
    named = [name for name in text_names(STUDY)
             if named_sources(load_text(STUDY, language, name).markdown, language)]  # fmt: skip
    assert all(discloses(STUDY, name) for name in named)
    assert not discloses(STUDY, "consent")

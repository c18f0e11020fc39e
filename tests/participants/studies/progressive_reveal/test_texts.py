"""What participants of progressive_reveal read: whole in every language, telling nothing early."""

import re

import pytest

from participants.lab_settings import TERMS_TEXT
from participants.registry import Assignment
from participants.session import Break, Consent, Page, SittingEnd
from participants.studies.progressive_reveal.plan import (
    CHECK_QUESTIONS,
    STUDY,
    SURVEY,
    plan_session,
)
from participants.texts import (
    all_that_is_read,
    discloses,
    languages,
    load_question,
    load_text,
    load_words,
    named_sources,
    text_names,
    written_number,
)
from tests.participants.texts.test_texts import MARKDOWN_LINE
from tests.stimuli.studies.progressive_reveal.small import small_sketch

LANGUAGES = languages(STUDY)
ASKED = {name: choices for name, choices, *_ in (*CHECK_QUESTIONS, *SURVEY)}
LAB = {"institution": "I", "contact": "C", "terms": "T"}


def test_english_and_german_ship():
    assert LANGUAGES == ("de", "en")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", text_names(STUDY))
def test_texts_are_whole(name, language):
    text, english = load_text(STUDY, language, name), load_text(STUDY, "en", name)
    assert text.placeholders == english.placeholders
    assert re.fullmatch(r"\d+\.\d+", text.version)
    assert text.markdown.startswith("**" if name == TERMS_TEXT else "# ")
    for mark in ("**", "\n- ", "\n\n"):
        assert text.markdown.count(mark) == english.markdown.count(mark)
    assert all(MARKDOWN_LINE.fullmatch(line) for line in text.markdown.splitlines())


@pytest.mark.parametrize("language", LANGUAGES)
def test_questions_and_words_are_whole(language):
    for name, choices in ASKED.items():
        question = load_question(STUDY, language, name)
        assert tuple(question.choices) == choices
        assert len(set(question.choices.values())) == len(choices) <= 9
    words, english = load_words(STUDY, language), load_words(STUDY, "en")
    assert set(words.words) == set(english.words)
    assert (set(words.keys), set(words.caps)) == (set(english.keys), set(english.caps))


@pytest.mark.parametrize("language", LANGUAGES)
def test_nothing_before_the_last_round_names_a_machine_or_method(language):
    read = [
        load_text(STUDY, language, name).markdown
        for name in text_names(STUDY)
        if not discloses(STUDY, name)
    ]
    words = load_words(STUDY, language)
    read += [*words.words.values(), *words.keys.values()]
    for name in ASKED:
        if not discloses(STUDY, name):
            question = load_question(STUDY, language, name)
            read += [question.text, *question.choices.values()]
    assert [named_sources(text, language) for text in read] == [[]] * len(read)
    assert len(named_sources(load_text(STUDY, language, "debrief_people").markdown, language)) > 3


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_plan_names_only_texts_that_exist_and_fills_them(language):
    plan = plan_session(small_sketch(), Assignment("l1", "as_listed"), language, "P")
    shown = {
        (step.step if isinstance(step, Consent) else step.text): {
            **LAB,
            **getattr(step, "values", {}),
        }
        for step in plan.steps
        if isinstance(step, Page | Consent | Break)
    }
    ends = [step for step in plan.steps if isinstance(step, SittingEnd)]
    shown["sitting_end"] = {"sitting": "1", "sittings": str(ends[0].sittings)}
    for name, values in shown.items():
        assert not load_text(STUDY, language, name).filled(values).placeholders
    assert "42\u00a0" in load_text(STUDY, language, "consent").filled(shown["consent"]).markdown
    assert not re.search(r"[ \t]\n", all_that_is_read(STUDY, language))


def test_numbers_are_written_as_the_language_has_them():
    assert [written_number(2.5, tag) for tag in ("en", "de", "de-AT")] == ["2.5", "2,5", "2,5"]
    assert written_number(60.0, "de") == "60"

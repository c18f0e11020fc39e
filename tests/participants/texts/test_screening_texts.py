"""The texts of a screening: the same in every language, and a word for each reason."""

import tomllib
from importlib import resources
from typing import get_args

import pytest

from participants.screening.verdict import Reason
from participants.texts import load_question, load_text, load_words, text_names
from participants.texts.folders import languages
from participants.texts.load import placeholders_in

SCREENING = "screening"
FOLDER = resources.files("participants.texts").joinpath(SCREENING)


def read(language, file):
    return tomllib.loads(FOLDER.joinpath(language, file).read_text(encoding="utf-8"))


def test_they_are_in_english_and_german():
    assert languages(SCREENING) == ("de", "en")


@pytest.mark.parametrize("name", text_names(SCREENING))
def test_a_text_is_the_same_in_every_language(name):
    english, german = (load_text(SCREENING, language, name) for language in ("en", "de"))
    assert english.version == german.version
    assert english.placeholders == german.placeholders
    paragraphs = [text.markdown.count("\n\n") for text in (english, german)]
    assert paragraphs[0] == paragraphs[1]


def test_words_and_questions_ask_for_the_same_values():
    for file in ("words.toml", "questions.toml"):
        english, german = (read(language, file) for language in ("en", "de"))
        assert english.keys() == german.keys()
        for name, text in english.items():
            if isinstance(text, str):
                assert placeholders_in(text) == placeholders_in(german[name])
    for language in ("en", "de"):
        edition = load_question(SCREENING, language, "ishihara_edition")
        assert list(edition.choices) == ["38", "24", "14", "none"]
        assert load_question(SCREENING, language, "told_result")


@pytest.mark.parametrize("language", ["en", "de"])
def test_every_reason_is_put_into_words(language):
    words = load_words(SCREENING, language)
    assert all(words[f"reason_{reason}"] for reason in get_args(Reason))

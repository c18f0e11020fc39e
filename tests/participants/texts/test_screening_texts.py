"""The texts of a screening: the same in every language, and a word for each reason."""

from typing import get_args

import pytest

from participants.screening.verdict import Reason
from participants.texts import load_question, load_words

SCREENING = "screening"


def test_the_questions_of_a_screening():
    for language in ("en", "de"):
        edition = load_question(SCREENING, language, "ishihara_edition")
        assert list(edition.choices) == ["38", "24", "14", "none"]
        assert load_question(SCREENING, language, "told_result")


@pytest.mark.parametrize("language", ["en", "de"])
def test_every_reason_is_put_into_words(language):
    words = load_words(SCREENING, language)
    assert all(words[f"reason_{reason}"] for reason in get_args(Reason))

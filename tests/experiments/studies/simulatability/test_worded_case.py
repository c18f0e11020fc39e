"""What a case is said with, in each language."""

import pytest

from experiments.studies.simulatability.worded_case import WordedCase
from participants.texts import load_words
from stimuli.studies.simulatability.stimulus import Weighted
from tests.experiments.studies.simulatability.made_cases import case


@pytest.mark.parametrize(
    ("language", "name", "shown"),
    [
        ("en", "if (2nd)", "if (2nd)"),
        ("de", "if (2nd)", "if (2)"),
        ("de", "wenn (13th)", "wenn (13)"),
        ("de", "(1st) wenn", "(1st) wenn"),
        ("de", "wenn", "wenn"),
    ],
)
def test_the_number_of_a_word_is_no_english_ordinal_in_other_languages(language, name, shown):
    said = WordedCase(case("text", "lime"), load_words("simulatability", language))
    assert said.named(Weighted(name=name, places=(0,), weight=0.5)) == shown

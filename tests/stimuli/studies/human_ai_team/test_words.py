"""Words by language: the session's own, else those for any."""

import pytest

from stimuli.errors import UserError
from stimuli.studies.human_ai_team.tables import LABELS
from stimuli.studies.human_ai_team.words import LabelWords, label_rows, labels_in, texts_in

NAMES = {("n1", ""): "tench", ("n1", "de"): "Schleie", ("n2", ""): "wren"}
MEANINGS = {("n1", ""): "A fish.", ("n2", "de"): "Ein kleiner Vogel."}


def read_back(rows):
    return LABELS.from_csv(LABELS.to_csv(rows), "labels.csv")


def test_each_language_has_its_own_words_and_falls_back_on_those_of_any():
    rows = read_back(label_rows({"n1", "n2", "bare_id"}, NAMES, MEANINGS))
    german, french = labels_in(rows, "de"), labels_in(rows, "fr")
    assert german["n1"] == LabelWords("Schleie", "A fish.")
    assert german["n2"] == LabelWords("wren", "Ein kleiner Vogel.")
    assert french == {
        "n1": LabelWords("tench", "A fish."),
        "n2": LabelWords("wren", None),
        "bare_id": LabelWords("bare id", None),
    }


def test_two_labels_of_one_word_are_refused():
    with pytest.raises(UserError, match="both called 'Tench'"):
        label_rows({"n1", "n2"}, {("n1", ""): "tench", ("n2", ""): "Tench"}, {})


def test_texts_are_those_of_the_language():
    rows = [
        {"presentation": "p1", "language": None, "help_text": "any"},
        {"presentation": "p1", "language": "de", "help_text": "deutsch"},
        {"presentation": "p2", "language": "de", "help_text": "nur deutsch"},
        {"presentation": "p3", "language": None, "help_text": None},
    ]
    assert texts_in(rows, "de") == {"p1": "deutsch", "p2": "nur deutsch"}
    assert texts_in(rows[::-1], "de") == {"p1": "deutsch", "p2": "nur deutsch"}
    assert texts_in(rows, "en") == {"p1": "any"}

"""In which language stimuli are, and what a session in another one is told."""

import pytest

from stimuli.names import language_of, shown_texts
from stimuli.pack.model import pack_in_memory
from stimuli.protocol import protocol_hash
from stimuli.studies.progressive_reveal.tables import CLASSES
from stimuli.studies.simulatability.sketch import sketch
from stimuli.study import foreign_text
from tests.stimuli.studies.progressive_reveal.small import small_sketch
from tests.stimuli.studies.simulatability.small import protocol_of

TEXTS = {
    "en": "The plot of the film is thin, and most of the jokes are as old as the hills.",
    "de": "Die Handlung ist dünn, und die meisten Witze sind so alt wie der Wald und das Meer, "
    "was nicht für den Film spricht, den ein anderer mit mehr Mut gedreht hätte.",
    "": "un film magnifique, dont on se souvient longtemps",
}


@pytest.mark.parametrize("tag", list(TEXTS))
def test_a_text_tells_its_language_by_its_frequent_words(tag):
    assert language_of(TEXTS[tag]) == tag
    assert language_of("dog cat house") == ""
    assert language_of(" ".join(TEXTS.values())) == ""


def test_texts_without_one_in_the_language_are_those_that_are_shown_for_want_of_it():
    rows = [
        {"label": label, "language": tag, "name": name}
        for label, tag, name in [("a", None, "dog"), ("a", "de", "Hund"), ("b", None, "cat")]
    ]
    of = {
        language: [one.texts for one in shown_texts("names", rows, ("label",), "name", language)]
        for language in ("de", "en")
    }
    assert of == {"de": [("Hund",), ("cat",)], "en": [(), ("dog", "cat")]}


def test_sentences_in_english_are_told_of_sessions_in_german():
    """Nobody was told that German instructions came with English reviews."""
    pack = sketch(protocol_of(design={"domains": ["text"]}))
    assert foreign_text(pack, "en") == ""
    assert "the sentences are in English" in foreign_text(pack, "de")


def test_class_names_without_a_translation_are_told():
    whole = small_sketch()
    files = {name: whole.asset(name) for name in whole.manifest.files}
    assert [foreign_text(whole, language) for language in ("en", "de")] == ["", ""]
    rows = [row for row in whole.table(CLASSES) if not row["language"]]
    rules = whole.protocol
    pack = pack_in_memory(
        rules, protocol_hash(rules), "solutions", {**files, "classes.csv": CLASSES.to_csv(rows)}
    )
    assert foreign_text(pack, "en") == ""
    assert foreign_text(pack, "de") == "the names of classes are in English"

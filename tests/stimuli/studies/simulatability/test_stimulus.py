"""Sentences as they are written, changed or not."""

import pytest

from stimuli.studies.simulatability.stimulus import TextInput


@pytest.mark.parametrize(
    ("edits", "text"),
    [
        ({}, "He said “well, no”."),
        ({2: ""}, "He said well, no”."),
        ({3: "hm"}, "He said “hm, no”."),
        ({5: ""}, "He said “well,”."),
        ({0: "", 1: ""}, "“well, no”."),
    ],
)
def test_a_changed_sentence_is_written_as_the_original_is(edits, text):
    sentence = TextInput(
        tokens=("He", "said", "“", "well", ",", "no", "”", "."), glued=(3, 4, 6, 7)
    )
    tokens = [edits.get(place, token) for place, token in enumerate(sentence.tokens)]
    changed = sentence.replaced(tokens)
    assert changed.text == text
    kept = [place for place, token in enumerate(tokens) if token]
    if all(sentence.tokens[place] == tokens[place] for place in kept):
        assert sentence.kept(kept).text == text

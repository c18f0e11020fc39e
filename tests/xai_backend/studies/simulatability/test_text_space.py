import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stimuli.studies.simulatability.stimulus import TextInput, edited
from xai_backend.studies.simulatability.methods import around as around_input
from xai_backend.studies.simulatability.text_words import NEIGHBOURS, WordSpace

WORDS = (
    *("film", "movie", "story", "films", "stories", "funny", "warm", "cold", "very", "quite"),
    *("really", "makes", "gives", "made", "with", "from", "the", ",", "2", "film's", "zero"),
)
SENTENCES = (
    "the film is very funny , with a warm story .",
    "Warm films make 2 stories from it",
    "it gives the story a very cold movie",
)


@pytest.fixture(scope="module")
def space():
    vectors = np.random.default_rng(3).normal(size=(len(WORDS), 4)) + 0.7
    vectors[-1] = 0
    return WordSpace(WORDS, vectors)


def test_neighbours_are_those_of_greatest_cosine():
    rng = np.random.default_rng(1)
    words = [f"word{letter}{digit}" for letter in "abcdefghij" for digit in range(9)]
    vectors = rng.normal(size=(len(words), 5))
    space = WordSpace(words, vectors)
    for row, word in enumerate(words[:20]):
        slow = sorted(
            (
                (-(vectors[row] @ other / np.linalg.norm(vectors[row]) / np.linalg.norm(other)), k)
                for k, other in enumerate(vectors)
                if k != row
            ),
        )
        near = [(words[k], pytest.approx(-less, abs=1e-6)) for less, k in slow if less < 0]
        assert list(space.neighbours(word)) == near[:NEIGHBOURS]


def test_words_without_a_letter_or_a_vector_are_no_neighbours(space):
    assert space.neighbours("unheard") == space.neighbours("zero") == space.neighbours(",") == ()
    near = {word for word, _ in space.neighbours("film")}
    assert near
    assert not near & {",", "2", "zero", "film"}
    assert space.neighbours("Film") == space.neighbours("film")


@settings(max_examples=20)
@given(st.sampled_from(SENTENCES), st.integers(1, 5), st.integers(0, 2**32))
def test_a_change_keeps_the_form_and_is_drawn_from_the_generator_alone(
    space, sentence, most_edits, seed
):
    text = TextInput(tokens=tuple(sentence.split()))
    edits = next(space.changes(text, most_edits, np.random.default_rng(seed)))
    assert edits == next(space.changes(text, most_edits, np.random.default_rng(seed)))
    assert 1 <= len(edits) <= most_edits
    places = [edit.place for edit in edits]
    assert places == sorted(set(places))
    tags = space.tags(text.tokens)
    for edit in edits:
        assert tags[edit.place] in {"NOUN", "VERB", "ADJ", "ADV", "ADP"}
        assert edit.new.lower() in {word for word, _ in space.neighbours(edit.old)}
        assert edit.new[0].isupper() == edit.old[0].isupper()
    assert edited(text, edits).tokens != text.tokens


def test_the_chance_of_a_change_falls_with_the_length_and_rises_from_try_to_try(monkeypatch, space):
    """Appendix A.2, with the numbers of the published code; words in proportion to cosines."""
    asked = []

    def none(around, n, chance, temperature, rng):
        asked.append((n, chance, temperature))
        return np.zeros((n, len(around.options)), np.int16)

    monkeypatch.setattr(around_input, "drawn_words", none)
    for times in (1, 3, 6):
        text = TextInput(tokens=tuple(SENTENCES[0].split()) * times)
        asked.clear()
        assert not list(space.changes(text, 5, np.random.default_rng(1)))
        assert [(n, temperature) for n, _, temperature in asked] == [(10_000, 1.0)] * 10
        first = max(0.25 - 0.005 * len(text.tokens), 0.1)
        assert [chance for _, chance, _ in asked] == pytest.approx(
            [first + 0.05 * number for number in range(10)]
        )


def test_changes_of_a_try_differ_and_those_with_few_words_come_first(monkeypatch, space):
    monkeypatch.setattr(around_input, "TRIES", 1)
    text = TextInput(tokens=tuple(SENTENCES[0].split()))
    found = list(space.changes(text, 2, np.random.default_rng(7)))
    assert len(set(found)) == len(found)
    counts = [len(edits) for edits in found]
    few = [count for count in counts if count <= 2]
    assert counts == few + sorted(counts[len(few) :])
    assert set(few) == {1, 2}
    assert few != sorted(few)

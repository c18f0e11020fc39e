"""Places and changes: what is written about a sentence leads back to where it stands."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stimuli.studies.simulatability.stimulus import Edit, TableInput, TextInput, edited
from tests.xai_backend.studies.simulatability.sheets.writing import written_edits, written_input
from xai_backend.studies.simulatability.sheets.methods import (
    Lines,
    everywhere,
    places_of_each,
    read_edits,
    read_row,
    read_sentence,
)

ORDINALS = ("1st", "2nd", "3rd", *(f"{number}th" for number in range(4, 9)))
sentences = st.lists(st.sampled_from(["a", "an", "the", "n't", "'s", "-"]), min_size=1, max_size=8)


@given(sentences)
def test_a_numbered_word_is_one_place_and_any_other_all(tokens):
    given_input = TextInput(tokens=tokens)
    for place, token in enumerate(tokens):
        number = tokens[: place + 1].count(token)
        assert places_of_each([f"{token} ({ORDINALS[number - 1]})"], given_input) == ((place,),)
        all_places = tuple(at for at, other in enumerate(tokens) if other == token)
        assert places_of_each([token], given_input) == (all_places,)
        assert places_of_each([token] * len(all_places), given_input) == tuple(
            (at,) for at in all_places
        )
        assert everywhere(token, given_input) == all_places


@given(sentences, st.data())
def test_marked_changes_are_read_as_they_were_made(tokens, data):
    original = TextInput(tokens=tokens)
    chosen = data.draw(st.sets(st.integers(0, len(tokens) - 1), min_size=1))
    edits = [Edit(place=place, old=tokens[place], new="new") for place in sorted(chosen)]
    (text,) = written_edits(edits, original)
    assert read_edits(Lines(text), original) == tuple(edits)
    assert read_sentence(Lines(written_input(edited(original, edits)))) == edited(original, edits)


@given(
    st.lists(st.sampled_from(["Age > 48.00", "?", "40.00 < Hours <= 45.00"]), min_size=1), st.data()
)
def test_a_row_and_its_changes_are_read_as_they_were_made(values, data):
    columns = tuple(f"Column {number}" for number in range(len(values)))
    original = TableInput(columns=columns, values=values)
    assert read_row(Lines(written_input(original))) == original
    chosen = data.draw(st.sets(st.integers(0, len(values) - 1), min_size=1))
    edits = [Edit(place=place, old=values[place], new="new") for place in sorted(chosen)]
    text = "\n".join(written_edits(edits, original))
    assert read_edits(Lines(text), original) == tuple(edits)
    assert places_of_each([f"{columns[-1]} = {values[-1]}"], original) == ((len(values) - 1,),)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a film .", "no change is marked"),
        ("a **film** .", "marked or changed"),
        ("a movie .", "marked or changed"),
        ("a **new** film .", "4 tokens, the original 3"),
    ],
)
def test_a_sentence_whose_marks_do_not_fit_is_refused(text, said):
    with pytest.raises(ValueError, match=said):
        read_edits(Lines(text), TextInput(tokens=["a", "film", "."]))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no change is marked"),
        ("Sex = Male", "no change is marked"),
        ("Sex : Female --> Male", "doesn't contain Sex = Female"),
        ("Age : 40 --> 50", "doesn't contain Age = 40"),
        ("Sex : Male --> Male", "to its old value"),
        ("Sex : Male --> Female\nSex : Male --> Other", "changed twice"),
    ],
)
def test_a_rows_changes_that_do_not_fit_are_refused(text, said):
    with pytest.raises(ValueError, match=said):
        read_edits(Lines(text), TableInput(columns=["Sex"], values=["Male"]))


def test_what_the_input_does_not_hold_has_no_place():
    film = TextInput(tokens=["a", "film"])
    with pytest.raises(ValueError, match="doesn't contain 'movie'"):
        everywhere("movie", film)
    with pytest.raises(ValueError, match="'a' as often"):
        places_of_each(["a", "a"], film)

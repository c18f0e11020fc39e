"""Texts that are fitted into their room."""

from hypothesis import strategies as st

from experiments.screens.fitting import Room, fitted
from experiments.screens.look import Look
from tests.experiments.examples import given

LOOK = Look((1280, 720), (30, 30, 30))
LARGEST, SMALLEST = 30, 18

words = st.lists(st.text("abcmW", min_size=1, max_size=12), min_size=1, max_size=20)


@given(words, st.integers(200, 900), st.integers(1, 4), st.booleans())
def test_words_stay_in_order_within_their_room(words, width, lines, balanced):
    room = Room(width, lines, LARGEST, SMALLEST)
    text = fitted(LOOK, " ".join(words), room, balanced=balanced)
    font = text.font(LOOK)
    assert "".join(text.lines).replace("-", "").replace(" ", "") == "".join(words)
    assert all(font.getlength(line) <= width + 1 for line in text.lines)
    assert len(text.lines) <= lines or text.size_px == SMALLEST
    assert SMALLEST <= text.size_px <= LARGEST


@given(words, st.integers(300, 900))
def test_balanced_lines_are_as_few_as_others(words, width):
    text, room = " ".join(words), Room.of_size(width, 24)
    plain = fitted(LOOK, text, room, balanced=False)
    assert len(fitted(LOOK, text, room).lines) == len(plain.lines)


def test_letters_are_as_large_as_the_lines_allow():
    text = "Chesapeake Bay retriever"
    width = LOOK.font(24, "bold").getlength(text)
    found = fitted(LOOK, text, Room(width, 1, LARGEST, SMALLEST), "bold")
    assert (found.lines, found.size_px) == ((text,), 24)

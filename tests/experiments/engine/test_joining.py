"""What a window tells of keys, joined with the hardware's presses, however both are delivered."""

from dataclasses import dataclass

import pytest
from hypothesis import strategies as st

from experiments.engine.input import Press
from experiments.engine.window_events import PATIENCE_POLLS, Happening, Joiner, Typed
from tests.experiments.examples import given

FRAME_S = 1 / 60
LAYOUT = {"a": "a", "semicolon": "ö", "unknown": "<", "7": "7", "equal": ""}
"""Text by key, as of a German layout; the last is a dead key."""


@dataclass(frozen=True)
class Hit:
    """A key that went down, what it brought, and how often it was repeated."""

    key: str
    t_s: float
    repeats: int

    @property
    def text(self):
        return LAYOUT[self.key]


@st.composite
def typed_hits(draw):
    """Presses in order, many within a frame; only the last one down is repeated."""
    t_s, hits = 1.0, []
    for _ in range(draw(st.integers(1, 12))):
        t_s += draw(st.sampled_from([0.0004, 0.004, 0.03, 0.3]))
        key = draw(st.sampled_from(sorted(LAYOUT)))
        repeats = draw(st.sampled_from([0, 0, 0, 2])) if LAYOUT[key] else 0
        hits.append(Hit(key, t_s, repeats))
        t_s += 0.02 * repeats
    return hits


def happenings_of(hits, *, named, stamped):
    """Return (time, happening) as a window is told."""
    told = []
    for hit in hits:
        name = hit.key if named else ""
        # The window system's clock has another zero and counts milliseconds.
        server_s = round(hit.t_s + 500, 3) if stamped else None
        told.append((hit.t_s, Happening("down", name, server_s)))
        if hit.text:
            told.append((hit.t_s, Happening("text", hit.text, server_s)))
        for turn in range(1, hit.repeats + 1):
            at_s = hit.t_s + 0.02 * turn
            later_s = round(at_s + 500, 3) if stamped else None
            told.append((at_s, Happening("text", hit.text, later_s)))
    return told


def polled(told, pressed, latest_s, lag_s):
    """Return what a joiner gives, poll by poll, the hardware's side that much later."""
    joiner, found, at_s = Joiner(), [], 1.0
    while at_s < latest_s + 6 * FRAME_S:
        before_s, at_s = at_s, at_s + FRAME_S
        happenings = [one for t_s, one in told if before_s <= t_s < at_s]
        presses = [one for one in pressed if before_s <= one.t_s + lag_s < at_s]
        found += joiner.join(happenings, presses, at_s)
    return found


@given(typed_hits(), st.sampled_from([0.0, 0.002, 0.016]))
def test_every_letter_comes_once_in_order_with_the_stamp_of_its_key(hits, lag_s):
    pressed = [Press(hit.key, hit.t_s) for hit in hits]
    told = happenings_of(hits, named=True, stamped=True)
    found = polled(told, pressed, told[-1][0], lag_s)
    expected = [
        (hit.text, hit.key, hit.t_s + 0.02 * turn)
        for hit in hits
        if hit.text
        for turn in range(hit.repeats + 1)
    ]
    assert [(one.value, one.key) for one in found] == [one[:2] for one in expected]
    firsts = {hit.t_s for hit in hits}
    for one, (_, _, t_s) in zip(found, expected, strict=True):
        assert one.t_s == t_s if t_s in firsts else abs(one.t_s - t_s) < 0.0021


@given(typed_hits())
def test_where_a_window_does_not_name_its_keys_the_order_does(hits):
    pressed = [Press(hit.key, hit.t_s) for hit in hits]
    modified = [Press("lshift", hit.t_s - 0.0001) for hit in hits]
    both = sorted([*pressed, *modified], key=lambda press: press.t_s)
    told = happenings_of(hits, named=False, stamped=False)
    found = polled(told, both, told[-1][0], 0.0)
    firsts = [one for one in found if one.t_s in {hit.t_s for hit in hits}]
    assert [(one.value, one.t_s) for one in firsts] == [
        (hit.text, hit.t_s) for hit in hits if hit.text
    ]
    assert len(found) == sum(hit.repeats + 1 for hit in hits if hit.text)


def test_a_letter_of_two_keys_bears_the_stamp_of_the_second():
    joiner = Joiner()
    happenings = [
        Happening("down", "equal"),
        Happening("down", "e"),
        Happening("text", "é"),
        Happening("text", "e"),
    ]
    presses = [Press("equal", 1.0), Press("e", 1.1)]
    assert joiner.join(happenings, presses, 1.11) == (
        Typed("text", "é", "e", 1.1),
        Typed("text", "e", "e", 1.11),
    )


def test_text_that_no_key_made_is_taken_after_some_polls_with_the_time_it_was_seen():
    joiner = Joiner()
    assert joiner.join([Happening("down", "a"), Happening("text", "a")], [], 1.0) == ()
    for _ in range(PATIENCE_POLLS - 2):
        assert joiner.join([], [], 1.1) == ()
    assert joiner.join([], [], 1.2) == (Typed("text", "a", "a", 1.0),)


@pytest.mark.parametrize("polls", [0, PATIENCE_POLLS])
def test_presses_for_another_window_are_given_to_no_letter(polls):
    """Of another key they are passed over; of the same key they are forgotten in time."""
    joiner = Joiner()
    stray = [Press("b", 0.5)] if polls == 0 else [Press("a", 0.5)]
    joiner.join([], stray, 0.6)
    for _ in range(polls):
        joiner.join([], [], 0.7)
    letter = [Happening("down", "a"), Happening("text", "a")]
    assert joiner.join(letter, [Press("a", 1.0)], 1.01) == (Typed("text", "a", "a", 1.0),)


def test_a_press_just_before_its_window_hears_of_it_is_kept_while_older_ones_go():
    joiner = Joiner()
    joiner.join([], [Press("a", 0.5)], 0.51)
    for _ in range(PATIENCE_POLLS - 1):
        joiner.join([], [], 0.6)
    joiner.join([], [Press("a", 1.0)], 1.001)
    letter = [Happening("down", "a"), Happening("text", "a")]
    assert joiner.join(letter, [], 1.01) == (Typed("text", "a", "a", 1.0),)


def test_a_click_lies_between_the_letters_as_it_was_made():
    joiner = Joiner()
    happenings = [
        Happening("down", "a"),
        Happening("text", "a"),
        Happening("down", "left", None, "mouse", (3.0, 4.0)),
        Happening("down", "b"),
        Happening("text", "b"),
    ]
    presses = [Press("a", 1.0), Press("left", 1.1, device="mouse"), Press("b", 1.2)]
    found = joiner.join(happenings, presses, 1.3)
    assert [(one.kind, one.value, one.t_s) for one in found] == [
        ("text", "a", 1.0),
        ("click", "left", 1.1),
        ("text", "b", 1.2),
    ]
    assert found[1].place_px == (3.0, 4.0)


def test_the_left_arrow_is_no_left_button():
    joiner = Joiner()
    happenings = [Happening("down", "left"), Happening("edit", "left")]
    presses = [Press("left", 1.0, device="mouse"), Press("left", 1.1)]
    assert joiner.join(happenings, presses, 1.2) == (Typed("edit", "left", "left", 1.1),)


def test_what_was_forgotten_is_not_repeated():
    joiner = Joiner()
    joiner.join([Happening("down", "a"), Happening("text", "a")], [Press("a", 1.0)], 1.1)
    joiner.clear()
    assert joiner.join([Happening("text", "a", 9.0)], [], 1.2) == ()

"""Which keys and buttons are pressed when: every kind of press at every phase of a frame."""

from collections.abc import Iterator
from itertools import count, cycle

from experiments.robot_input.input_events import Stroke

SLOT_S = 0.1
LONG_S, SHORT_S = 0.02, 0.002
BETWEEN_TWO_S = 0.005
GOLDEN = 0.6180339887498949
KEYS = "fjdksl"
BUTTONS = ("left", "middle", "right")


def planned_presses(
    start_s: float, lasting_s: float, period_s: float, slot_s: float = SLOT_S
) -> list[Stroke]:
    """Return presses over a time, one or two in each slot of it.

    Slots take turns: a key, a button, a key for less than a frame, a button for less than a
    frame, two keys within a frame. Where in its frame a press falls goes through an even grid of
    phases (multiples of the golden section).

    Parameters
    ----------
    start_s, lasting_s
        The time, monotonic.
    period_s
        Length of a frame.
    slot_s
        Length of a slot; two keys and four tenths of a frame must fit in.
    """
    keys, buttons = cycle(KEYS), cycle(BUTTONS)
    rounds = cycle((_key, _button, _short_key, _short_button, _two_keys))
    strokes: list[Stroke] = []
    for number, kind in zip(count(), rounds):
        at_s = start_s + number * slot_s + (number * GOLDEN) % 1 * period_s
        if at_s + slot_s > start_s + lasting_s:
            return strokes
        strokes += kind(at_s, keys, buttons)
    return strokes


def _key(at_s: float, keys: Iterator[str], buttons: Iterator[str]) -> list[Stroke]:
    return [Stroke(next(keys), at_s, LONG_S)]


def _short_key(at_s: float, keys: Iterator[str], buttons: Iterator[str]) -> list[Stroke]:
    return [Stroke(next(keys), at_s, SHORT_S)]


def _button(at_s: float, keys: Iterator[str], buttons: Iterator[str]) -> list[Stroke]:
    return [Stroke(next(buttons), at_s, LONG_S, device="mouse")]


def _short_button(at_s: float, keys: Iterator[str], buttons: Iterator[str]) -> list[Stroke]:
    return [Stroke(next(buttons), at_s, SHORT_S, device="mouse")]


def _two_keys(at_s: float, keys: Iterator[str], buttons: Iterator[str]) -> list[Stroke]:
    return [Stroke(next(keys), at_s, SHORT_S), Stroke(next(keys), at_s + BETWEEN_TWO_S, LONG_S)]

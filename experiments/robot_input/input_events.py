"""What a robot sends: keys and buttons to press, places to move the pointer to."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from experiments.engine.input import Device

HOLD_S = 0.07
OVERLAP: Final = 0.6
"""A typed key is held at most for this part of the time to the next."""


@dataclass(frozen=True, slots=True)
class Stroke:
    """A key or a mouse button to press and release.

    Attributes
    ----------
    key
        Its name, as PsychoPy names keys, or a character, whatever the keyboard's layout;
        ``left``, ``middle`` or ``right`` of a mouse.
    at_s
        When it is to go down, monotonic.
    hold_s
        How long it is held.
    modifiers
        Keys held around it.
    device
        What it belongs to.
    """

    key: str
    at_s: float
    hold_s: float = HOLD_S
    modifiers: tuple[str, ...] = ()
    device: Device = "keyboard"


@dataclass(frozen=True, slots=True)
class Move:
    """The pointer is to be at a place of our window at a time (monotonic), in its pixels."""

    x_px: int
    y_px: int
    at_s: float


InputEvent = Stroke | Move


def typing(text: Sequence[str], times_s: Sequence[float]) -> list[Stroke]:
    """Return the strokes that type characters (or named keys) at their times.

    Each is let go before the next goes down, so that a letter may follow itself.
    """
    gaps_s = [later - at for at, later in itertools.pairwise(times_s)]
    holds_s = [min(HOLD_S, OVERLAP * gap_s) for gap_s in gaps_s] + [HOLD_S]
    return [
        Stroke(key, at_s, hold_s) for key, at_s, hold_s in zip(text, times_s, holds_s, strict=False)
    ]

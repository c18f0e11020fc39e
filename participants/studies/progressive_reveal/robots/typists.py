"""How robots type: at a speed in words a minute, with slips of the finger, and from a list.

A model with assumptions, not fitted to people; the usual speed is that which Dawoud et al. (2023),
section III, expect (40 to 51 words a minute).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

import numpy as np

from participants.robots.choosing import ExGaussian

LETTERS_A_WORD: Final = 5
"""Letters of a word in "words per minute"."""
SECONDS_A_MINUTE: Final = 60.0
EVENNESS: Final = 4.0
"""Shape of the gamma variable between two keys: its SD is half its mean."""
SPEED_SPREAD: Final = 0.25
"""Log-SD of the speed between people."""
NEIGHBOURS: Final = "abcdefghijklmnopqrstuvwxyz"
HOMING_S: Final = 0.4
"""Time from keyboard to mouse (Card, Moran & Newell 1980: the keystroke-level model)."""
POINTING_S: Final = 0.7
NOTICE: Final = ExGaussian(0.30, 0.05, 0.10)
"""Time from a wrong key to the backspace that deletes it."""
CHECKING: Final = ExGaussian(0.25, 0.05, 0.15)
"""Time from the last letter to the choice: a look at the field."""
REACH: Final = 3
"""A suggestion is chosen if at most this many arrow presses reach it."""

Confirm = Literal["return", "click"]
Downs = Callable[[str], int | None]
"""Returns the number of arrow presses to the wanted suggestion after a text; None if it isn't in
the list."""


@dataclass(frozen=True, slots=True)
class KeyPress:
    """One key of a typing.

    Attributes
    ----------
    delay_s
        Time since the previous press; for the first key, since the start of typing.
    key
        As PsychoPy names keys: ``a``, ``space``, ``backspace``, ``down``.
    text
        The typed text; empty for keys without text.
    """

    delay_s: float
    key: str
    text: str


@dataclass(frozen=True, slots=True)
class Typed:
    """The keys that enter a name, and the way it is confirmed."""

    keys: tuple[KeyPress, ...]
    confirm: Confirm
    confirm_delay_s: float

    @property
    def opening_s(self) -> float:
        """Time from the first key to the key after which the field stays filled."""
        at_s, opening_s, signs = 0.0, 0.0, 0
        for key in self.keys:
            at_s += key.delay_s
            if key.text:
                opening_s = opening_s if signs else at_s
                signs += 1
            elif key.key == "backspace":
                signs -= 1
        return opening_s


@dataclass(frozen=True, slots=True)
class Typist:
    """A person's way of typing.

    Attributes
    ----------
    words_per_min
        Speed; a word is five letters.
    slips
        Share of letters before which a wrong one is typed, noticed and deleted.
    picks
        Share of answers that are taken from the list once the wanted one is near its top.
    clicks
        Share of these that are clicked instead of chosen with the arrow key and Return.
    """

    words_per_min: float = 45.0
    slips: float = 0.03
    picks: float = 0.7
    clicks: float = 0.3

    def individual(self, rng: np.random.Generator) -> "Typist":
        """Return a person of this kind; they differ in speed."""
        factor = float(np.exp(SPEED_SPREAD * rng.standard_normal()))
        return replace(self, words_per_min=self.words_per_min * factor)

    def answer(self, name: str, downs: Downs, rng: np.random.Generator) -> Typed:
        """Return how a name is entered into the answer field.

        Parameters
        ----------
        name
            Folded: lower-case letters without accents.
        downs
            Its distance in the list after a text.
        rng
            Random generator for the fingers and for the choices between ways of typing.
        """
        if rng.random() < self.picks:
            for letters in range(1, len(name) + 1):
                far = downs(name[:letters])
                if far is not None and far <= REACH:
                    return self._picked(name[:letters], far, rng)
        return Typed(self._letters(name, rng), "return", CHECKING.draw(rng))

    def copy(self, word: str, rng: np.random.Generator) -> Typed:
        """Return the keys that copy a word exactly; the Return key ends it."""
        return Typed(self._letters(word, rng), "return", self._stroke_s(rng))

    def _picked(self, letters: str, downs: int, rng: np.random.Generator) -> Typed:
        keys = self._letters(letters, rng)
        if rng.random() < self.clicks:
            reaching_s = HOMING_S + POINTING_S * float(rng.gamma(EVENNESS, 1 / EVENNESS))
            return Typed(keys, "click", CHECKING.draw(rng) + reaching_s)
        if not downs:
            return Typed(keys, "return", CHECKING.draw(rng))
        arrow = [KeyPress(CHECKING.draw(rng), "down", "")]
        arrow += [KeyPress(self._stroke_s(rng), "down", "") for _ in range(downs - 1)]
        return Typed((*keys, *arrow), "return", self._stroke_s(rng))

    def _letters(self, text: str, rng: np.random.Generator) -> tuple[KeyPress, ...]:
        keys: list[KeyPress] = []
        for letter in text:
            if rng.random() < self.slips:
                keys += self._slip(letter, rng, first=not keys)
            # Typing starts with its first key.
            keys.append(KeyPress(self._stroke_s(rng) if keys else 0.0, key_of(letter), letter))
        return tuple(keys)

    def _slip(self, letter: str, rng: np.random.Generator, *, first: bool) -> Sequence[KeyPress]:
        others = NEIGHBOURS.replace(letter, "")
        wrong = others[int(rng.integers(len(others)))]
        return (
            KeyPress(0.0 if first else self._stroke_s(rng), wrong, wrong),
            KeyPress(NOTICE.draw(rng), "backspace", ""),
        )

    def _stroke_s(self, rng: np.random.Generator) -> float:
        mean_s = SECONDS_A_MINUTE / (LETTERS_A_WORD * self.words_per_min)
        return mean_s * float(rng.gamma(EVENNESS, 1 / EVENNESS))


def key_of(letter: str) -> str:
    """Return the name of the key that types a letter."""
    named = {" ": "space", "-": "minus", "'": "apostrophe", ".": "period"}
    return named.get(letter, letter.lower())

"""A line of text that is typed: what keys make of it, and when it is an answer.

It is pure, so that a window and a simulation take the same keys for the same answer.
"""

import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final, Literal

from stimuli.devices import DeviceName
from stimuli.typed_text import fitting

RT_DECIMALS: Final = 6
"""Times are judged and kept to the microsecond. Below that, the difference of two stamps is
rounding error, which must not decide whether an answer was in time."""
Edit = Literal[
    "backspace", "delete", "left", "right", "home", "end", "up", "down", "return", "escape", "tab"
]
LONGEST: Final = 60
"""Largest number of characters in the field."""
CLICK: Final = "click"
RETURN: Final = "return"
"""The key that confirms an answer."""


def to_microseconds(time_s: float) -> float:
    """Return a time in seconds as it is kept."""
    return round(time_s, RT_DECIMALS)


@dataclass(frozen=True, slots=True)
class Keystroke:
    """One event of the answer field, and the field after it.

    Attributes
    ----------
    t_s
        Since the onset of the image (of the word, where words are copied), by the hardware's
        stamp.
    key
        The hardware's name of the key, or ``click``.
    text
        The text that it typed; empty for keys that type nothing.
    entry, caret
        The field's text afterwards, and the caret's place in it, in characters from 0.
    """

    t_s: float
    key: str
    text: str
    entry: str
    caret: int

    def kept(self) -> "Keystroke":
        """Return the keystroke with its time rounded as in a journal."""
        return replace(self, t_s=to_microseconds(self.t_s))


@dataclass(frozen=True, slots=True)
class Entered:
    """Something that reached the field.

    Attributes
    ----------
    t_s
        Time at which its key or button went down.
    key
        The hardware's name of the key or button.
    kind
        ``text`` came in, an ``edit`` was made, or a suggestion was ``click``-ed.
    value
        The text, one of `Edit`, or the class of the suggestion.
    device
        ``keyboard`` or ``mouse``.
    """

    t_s: float
    key: str
    kind: Literal["text", "edit", "click"]
    value: str
    device: DeviceName = "keyboard"


@dataclass(frozen=True, slots=True)
class Refused:
    """A press of Enter that confirmed nothing; it isn't an attempt.

    Attributes
    ----------
    t_s
        The press.
    reason
        Such as ``empty``: the field is empty. With suggestions ``choose``: several names begin with
        the text; ``unknown``: none does. Where a word is copied, ``differs``: it isn't the word.
    """

    t_s: float
    reason: str


@dataclass(frozen=True, slots=True)
class Line:
    """A line of text with a caret, in characters of Unicode's composed form (NFC).

    Attributes
    ----------
    text, caret
        The text, and the caret's place in it.
    longest
        Largest number of characters.
    """

    text: str = ""
    caret: int = 0
    longest: int = LONGEST

    def typed(self, text: str) -> "Line":
        """Return the line with some text inserted at the caret, as much of it as fits."""
        after = self.text[self.caret :]
        before = unicodedata.normalize("NFC", self.text[: self.caret] + text)
        before = fitting(before, self.longest - len(after))
        # A mark that doesn't fit doesn't take away the letter before it.
        return self if len(before) < self.caret else self._now(before + after, len(before))

    def edited(self, edit: str) -> "Line":
        """Return the line after an edit; other edits leave it unchanged."""
        text, at = self.text, self.caret
        match edit:
            case "backspace" if at:
                return self._now(text[: at - 1] + text[at:], at - 1)
            case "delete":
                return self._now(text[:at] + text[at + 1 :], at)
            case "left":
                return self._now(text, max(0, at - 1))
            case "right":
                return self._now(text, min(len(text), at + 1))
            case "home":
                return self._now(text, 0)
            case "end":
                return self._now(text, len(text))
            case "escape":
                return self._now("", 0)
        return self

    def _now(self, text: str, caret: int) -> "Line":
        return replace(self, text=text, caret=caret)


class LineEntry:
    """A field without suggestions: Enter confirms its text, unless something speaks against it.

    Parameters
    ----------
    why_not
        Returns why a text can't be confirmed, by the name of a message; empty if it can.
    longest
        Largest number of characters.
    """

    def __init__(self, why_not: Callable[[str], str], longest: int = LONGEST) -> None:
        self._why_not = why_not
        self.line = Line(longest=longest)

    def take(self, event: Entered) -> tuple[Keystroke, Refused | None, bool]:
        """Return the keystroke for an event, why Enter was refused, and if it confirmed."""
        refused, done = None, False
        if event.kind == "text":
            self.line = self.line.typed(event.value)
        elif event.value == RETURN:
            reason = self._why_not(self.line.text)
            refused, done = (Refused(event.t_s, reason), False) if reason else (None, True)
        elif event.kind == "edit":
            self.line = self.line.edited(event.value)
        return keystroke_of(event, self.line), refused, done


def keystroke_of(event: Entered, line: Line) -> Keystroke:
    """Return the keystroke of an event that led to a line."""
    return Keystroke(
        t_s=event.t_s,
        key=CLICK if event.kind == "click" else event.key,
        text=event.value if event.kind == "text" else "",
        entry=line.text,
        caret=line.caret,
    )

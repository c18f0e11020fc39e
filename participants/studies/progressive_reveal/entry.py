"""The answer field: what keys and clicks make of it, and when they make an answer.

It is pure, so that a window and a simulation take the same keys for the same answer. Names are
found by `stimuli.studies.progressive_reveal.classes`.
"""

import unicodedata
from dataclasses import dataclass, replace
from typing import Final, Literal

from participants.session import to_microseconds
from stimuli.devices import DeviceName
from stimuli.studies.progressive_reveal.classes import Classes, ClassName
from stimuli.typed_text import fitting

Edit = Literal[
    "backspace", "delete", "left", "right", "home", "end", "up", "down", "return", "escape", "tab"
]
LONGEST: Final = 60
"""Largest number of characters in the field."""
CLICK: Final = "click"


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
class Confirmed:
    """An answer that was confirmed.

    Attributes
    ----------
    t_s
        The confirming press.
    first_key_s
        The first key after which the field wasn't empty.
    text, class_id
        The class's name, and the class.
    device, key
        The device and the key (or click) that confirmed it.
    """

    t_s: float
    first_key_s: float
    text: str
    class_id: str
    device: DeviceName
    key: str


@dataclass(frozen=True, slots=True)
class Refused:
    """A press of Enter that confirmed nothing; it isn't an attempt.

    Attributes
    ----------
    t_s
        The press.
    reason
        ``empty``: the field is empty; ``choose``: several names begin with the text; ``unknown``:
        none does; ``differs``: it isn't the word to copy.
    """

    t_s: float
    reason: Literal["empty", "choose", "unknown", "differs"]


@dataclass(frozen=True, slots=True)
class Line:
    """A line of text with a caret, in characters of Unicode's composed form (NFC)."""

    text: str = ""
    caret: int = 0

    def typed(self, text: str) -> "Line":
        """Return the line with some text inserted at the caret, as much of it as fits."""
        after = self.text[self.caret :]
        before = unicodedata.normalize("NFC", self.text[: self.caret] + text)
        before = fitting(before, LONGEST - len(after))
        # A mark that doesn't fit doesn't take away the letter before it.
        return self if len(before) < self.caret else Line(before + after, len(before))

    def edited(self, edit: str) -> "Line":
        """Return the line after an edit; other edits leave it unchanged."""
        text, at = self.text, self.caret
        match edit:
            case "backspace" if at:
                return Line(text[: at - 1] + text[at:], at - 1)
            case "delete":
                return Line(text[:at] + text[at + 1 :], at)
            case "left":
                return Line(text, max(0, at - 1))
            case "right":
                return Line(text, min(len(text), at + 1))
            case "home":
                return Line(text, 0)
            case "end":
                return Line(text, len(text))
            case "escape":
                return Line()
        return self


@dataclass(frozen=True, slots=True)
class Entry:
    """The state of the answer field.

    Attributes
    ----------
    line
        The text and its caret.
    suggestions
        The suggested classes that are shown: those with a word that begins with the text.
    pointed
        Number of the one chosen by the arrow keys, from 0; None if none was.
    only
        The class that the text itself identifies: by its exact words, or as the only one left.
    first_key_s
        When the field stopped being empty; None while it is empty.
    """

    line: Line = Line()
    suggestions: tuple[ClassName, ...] = ()
    pointed: int | None = None
    only: ClassName | None = None
    first_key_s: float | None = None

    @property
    def choice(self) -> ClassName | None:
        """The class that Enter would confirm; it is always among the suggestions."""
        return self.only if self.pointed is None else self.suggestions[self.pointed]


class AnswerEntry:
    """An answer field with suggestions.

    The choice is the suggestion selected by the arrow keys, else the class whose exact name or
    alias was typed, else the only one left. Enter confirms the choice; if there is none, it does
    nothing, so that nobody answers by accident. Tab completes the text to the choice, or to the
    first suggestion. A confirmed answer leaves the field empty.

    Parameters
    ----------
    classes
        The possible answers.
    most
        Number of suggestions that are shown, at least 1.
    """

    def __init__(self, classes: Classes, most: int) -> None:
        self._classes = classes
        self._most = most
        self.state = Entry()

    def clear(self) -> None:
        """Empty the field."""
        self.state = Entry()

    def take(self, event: Entered) -> tuple[Keystroke, Confirmed | Refused | None]:
        """Return the keystroke for an event, and the confirmed answer or why Enter was refused."""
        outcome = self._outcome(event)
        if isinstance(outcome, Confirmed):
            self.clear()
        elif event.kind == "text":
            self._write(self.state.line.typed(event.value), event.t_s)
        elif event.value in ("up", "down"):
            self._point(1 if event.value == "down" else -1)
        elif event.value == "tab":
            self._complete(event.t_s)
        elif event.kind == "edit":
            self._write(self.state.line.edited(event.value), event.t_s)
        return _keystroke(event, self.state.line), outcome

    def _outcome(self, event: Entered) -> Confirmed | Refused | None:
        state = self.state
        if event.kind == "click":
            chosen = next((one for one in state.suggestions if one.class_id == event.value), None)
        elif event.kind == "edit" and event.value == "return":
            chosen = state.choice
            if chosen is None:
                return Refused(event.t_s, _why_not(state))
        else:
            return None
        if chosen is None or state.first_key_s is None:
            return None
        return Confirmed(
            event.t_s, state.first_key_s, chosen.name, chosen.class_id, event.device, event.key
        )

    def _write(self, line: Line, t_s: float) -> None:
        """Put a line into the field, and find the suggestions for it."""
        if line.text == self.state.line.text:
            self.state = replace(self.state, line=line)
            return
        exact = self._classes.exact(line.text)
        # Ask for at least two, since a single suggestion is the answer.
        found = self._classes.suggestions(line.text, max(2, self._most))
        if exact is not None:
            found = (exact, *(one for one in found if one.class_id != exact.class_id))
        only = found[0] if exact is not None or len(found) == 1 else None
        first_key_s = t_s if self.state.first_key_s is None else self.state.first_key_s
        self.state = Entry(
            line=line,
            suggestions=found[: self._most],
            only=only,
            first_key_s=first_key_s if line.text else None,
        )

    def _point(self, step: int) -> None:
        """Select the next or the previous suggestion, in a circle."""
        state = self.state
        if not state.suggestions:
            return
        if state.pointed is None:
            # The class that the text itself identifies comes first, and the arrow keys start from
            # it.
            first = 1 if state.only is not None and len(state.suggestions) > 1 else 0
            pointed = first if step > 0 else len(state.suggestions) - 1
        else:
            pointed = (state.pointed + step) % len(state.suggestions)
        self.state = replace(state, pointed=pointed)

    def _complete(self, t_s: float) -> None:
        state = self.state
        wanted = state.choice or next(iter(state.suggestions), None)
        if wanted is not None:
            self._write(Line(wanted.name, len(wanted.name)), t_s)


class CopyEntry:
    """A field for copying a word exactly; case doesn't matter.

    Parameters
    ----------
    word
        The word.
    """

    def __init__(self, word: str) -> None:
        self._word = _plain(word)
        self.line = Line()

    def take(self, event: Entered) -> tuple[Keystroke, Refused | None, bool]:
        """Return the keystroke for an event, why Enter was refused, and if the word is done."""
        refused, done = None, False
        if event.kind == "text":
            self.line = self.line.typed(event.value)
        elif event.value == "return":
            done = _plain(self.line.text) == self._word
            reason: Literal["differs", "empty"] = "differs" if self.line.text else "empty"
            refused = None if done else Refused(event.t_s, reason)
        elif event.kind == "edit":
            self.line = self.line.edited(event.value)
        return _keystroke(event, self.line), refused, done


def _plain(text: str) -> str:
    return unicodedata.normalize("NFC", text.strip()).casefold()


def _why_not(state: Entry) -> Literal["empty", "choose", "unknown"]:
    if not state.line.text.strip():
        return "empty"
    return "choose" if state.suggestions else "unknown"


def _keystroke(event: Entered, line: Line) -> Keystroke:
    return Keystroke(
        t_s=event.t_s,
        key=CLICK if event.kind == "click" else event.key,
        text=event.value if event.kind == "text" else "",
        entry=line.text,
        caret=line.caret,
    )

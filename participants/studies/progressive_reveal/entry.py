"""The answer field: what keys and clicks make of it, and when they make an answer.

It is pure, so that a window and a simulation take the same keys for the same answer. Names are
found by `stimuli.studies.progressive_reveal.classes`.
"""

import unicodedata
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Literal

from participants.session.typed_line import (
    Entered,
    Keystroke,
    Line,
    LineEntry,
    Refused,
    keystroke_of,
)
from stimuli.devices import DeviceName
from stimuli.studies.progressive_reveal.classes import Classes, ClassName


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

    line: Line = field(default_factory=Line)
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
        return keystroke_of(event, self.state.line), outcome

    def _outcome(self, event: Entered) -> Confirmed | Refused | None:
        state = self.state
        if event.kind == "click":
            chosen = next(
                (
                    suggestion
                    for suggestion in state.suggestions
                    if suggestion.class_id == event.value
                ),
                None,
            )
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
        suggestions = self._classes.suggestions(line.text, max(2, self._most))
        if exact is not None:
            suggestions = (
                exact,
                *(name for name in suggestions if name.class_id != exact.class_id),
            )
        only = suggestions[0] if exact is not None or len(suggestions) == 1 else None
        first_key_s = t_s if self.state.first_key_s is None else self.state.first_key_s
        self.state = Entry(
            line=line,
            suggestions=suggestions[: self._most],
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


class CopyEntry(LineEntry):
    """A field for copying a word exactly; case doesn't matter.

    Parameters
    ----------
    word
        The word.
    """

    def __init__(self, word: str) -> None:
        super().__init__(partial(_why_not_copied, _plain(word)))


def _why_not_copied(word: str, text: str) -> str:
    if _plain(text) == word:
        return ""
    return "differs" if text else "empty"


def _plain(text: str) -> str:
    return unicodedata.normalize("NFC", text.strip()).casefold()


def _why_not(state: Entry) -> Literal["empty", "choose", "unknown"]:
    if not state.line.text.strip():
        return "empty"
    return "choose" if state.suggestions else "unknown"

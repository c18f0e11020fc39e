"""The answer field at the screen: what is typed, what it suggests, what was confirmed."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from experiments.engine.picture import Layer
from experiments.engine.stage import Stage
from experiments.engine.window_events import Typed
from experiments.screens.answer_field import AnswerWords, FieldPainter, FieldSizes, Suggested
from experiments.screens.look import Look
from experiments.studies.progressive_reveal.places import Box
from participants.studies.progressive_reveal.entry import (
    AnswerEntry,
    Confirmed,
    CopyEntry,
    Entered,
    Keystroke,
    Line,
    Refused,
)
from participants.texts import Words
from stimuli.studies.progressive_reveal.classes import Classes, ClassName, matched
from stimuli.typed_text import runs_leftwards

WARM_UP = ("a", "ab", "a", "")
MIRRORED = {"left": "right", "right": "left"}

Taken = Keystroke | Confirmed | Refused


@dataclass(frozen=True, slots=True)
class FieldTexts:
    """All texts of a field.

    Attributes
    ----------
    placeholder, messages
        Text in the empty field; messages above it, by name.
    most, suggestions
        Largest number of suggestions, and all possible suggestions.
    """

    placeholder: str
    messages: Mapping[str, str]
    most: int = 0
    suggestions: tuple[str, ...] = ()


class FieldPicture:
    """A field on the graphics card: a frame draws one picture, a change uploads some rows.

    Parameters
    ----------
    stage, look
        The open stage, and the look of the screens.
    box
        The field's position.
    texts
        All texts of the field.
    """

    def __init__(self, stage: Stage, look: Look, box: Box, texts: FieldTexts) -> None:
        messages, suggestions, most = texts.messages, texts.suggestions, texts.most
        self.box = box
        self.sizes = FieldSizes.of(look, most)
        self._painter = FieldPainter(
            look, box.width_px, self.sizes, texts.placeholder, messages, suggestions
        )
        self._painter.prepare()
        layer = Layer(self._painter.whole(), box.left_px, box.top_px)
        self._picture = stage.picture([layer])
        self._line = Line()
        self._rows: list[Suggested | None] = [None] * most
        self._message: str | None = None
        # The first change of each kind takes several times as long.
        for text in WARM_UP:
            shown = [Suggested(one, 0, 1, False) for one in suggestions[:most]] if text else []
            self.show(Line(text, len(text)), shown, next(iter(messages), None) if text else None)

    def show(self, line: Line, rows: Sequence[Suggested], message: str | None) -> None:
        """Change the visible parts; unchanged parts aren't redrawn."""
        if message != self._message:
            self._picture.replace(self._painter.message(message), 0, 0)
            self._message = message
        if line != self._line:
            pixels = self._painter.line(line.text, line.caret)
            self._picture.replace(pixels, 0, self.sizes.message_px)
            self._line = line
        for number, before in enumerate(self._rows):
            row = rows[number] if number < len(rows) else None
            if row != before:
                self._picture.replace(self._painter.row(row), 0, self.sizes.row_top(number))
                self._rows[number] = row

    def draw(self) -> None:
        """Draw into the back buffer."""
        self._picture.draw()

    def row_at(self, place_px: tuple[float, float]) -> int | None:
        """Return the row at a position on the screen."""
        x, y = place_px[0] - self.box.left_px, place_px[1] - self.box.top_px
        row = int((y - self.sizes.row_top(0)) // self.sizes.row_px)
        inside = 0 <= x < self.box.width_px and 0 <= row < self.sizes.most
        return row if inside else None

    def row_px(self, row: int) -> tuple[int, int]:
        """Return the middle of a row on the screen."""
        y = self.sizes.row_top(row) + self.sizes.row_px // 2
        return self.box.left_px + self.box.width_px // 2, self.box.top_px + y

    def free(self) -> None:
        """Give the texture back."""
        self._picture.free()


class AnswerField:
    """A field for the name of a class; made once and used for all rounds.

    Parameters
    ----------
    picture
        The field, made with `answer_texts` of the classes.
    classes
        The possible answers.
    """

    def __init__(self, picture: FieldPicture, classes: Classes) -> None:
        self._picture, self._classes = picture, classes
        self._entry = AnswerEntry(classes, picture.sizes.most)
        self._message: str | None = None
        self._onset_s: float | None = None

    def begin(self) -> None:
        """Empty the field; nothing counts until the onset."""
        self._entry.clear()
        self._message = self._onset_s = None
        self._show()

    def onset(self, onset_s: float) -> None:
        """Take what is typed from now on, by its time since then."""
        self._onset_s = onset_s

    def take(self, typed: Iterable[Typed]) -> tuple[Taken, ...]:
        """Return every keystroke, followed by what it confirmed, if anything.

        Presses before the onset are left out, and so are clicks outside the suggestions.
        """
        taken: list[Taken] = []
        for one in typed:
            event = self._entered(one)
            if event is None:
                continue
            keystroke, outcome = self._entry.take(event)
            self._message = outcome.reason if isinstance(outcome, Refused) else None
            taken.append(keystroke)
            if outcome is not None:
                taken.append(outcome)
        if taken:
            self._show()
        return tuple(taken)

    def say(self, message: str) -> None:
        """Show one of the messages until the next keystroke."""
        self._message = message
        self._show()

    def draw(self) -> None:
        """Draw into the back buffer."""
        self._picture.draw()

    def line_px(self, typed: str, class_id: str) -> tuple[int, int] | None:
        """Return the middle of a class's line on the screen if this text were in the field.

        None if the class wouldn't be among the suggestions. The field doesn't change.
        """
        entry = AnswerEntry(self._classes, self._picture.sizes.most)
        entry.take(Entered(0.0, "", "text", typed))
        for row, one in enumerate(entry.state.suggestions):
            if one.class_id == class_id:
                return self._picture.row_px(row)
        return None

    def free(self) -> None:
        """Give the texture back."""
        self._picture.free()

    def _entered(self, typed: Typed) -> Entered | None:
        if self._onset_s is None or typed.t_s <= self._onset_s:
            return None
        t_s = typed.t_s - self._onset_s
        if typed.kind != "click":
            return entered(typed, t_s, self._entry.state.line)
        row = self._picture.row_at(typed.place_px) if typed.place_px is not None else None
        suggestions = self._entry.state.suggestions
        if typed.value != "left" or row is None or row >= len(suggestions):
            return None
        return Entered(t_s, typed.key, "click", suggestions[row].class_id, "mouse")

    def _show(self) -> None:
        state = self._entry.state
        choice = state.choice
        rows = [
            suggested(one, state.line.text, chosen=choice is not None and one == choice)
            for one in state.suggestions
        ]
        self._picture.show(state.line, rows, self._message)


class CopyField:
    """A field for copying words, one after another.

    Parameters
    ----------
    stage, look, box
        As in `FieldPicture`.
    words
        Messages when Enter comes too early: ``empty`` and ``differs``.
    """

    def __init__(self, stage: Stage, look: Look, box: Box, words: Mapping[str, str]) -> None:
        self._picture = FieldPicture(stage, look, box, FieldTexts("", words))
        self._entry = CopyEntry("")
        self._onset_s: float | None = None

    def begin(self, word: str) -> None:
        """Empty the field for a word; nothing counts until the onset."""
        self._entry = CopyEntry(word)
        self._onset_s = None
        self._picture.show(Line(), (), None)

    def onset(self, onset_s: float) -> None:
        """Take what is typed from now on, by its time since then."""
        self._onset_s = onset_s

    def take(self, typed: Iterable[Typed]) -> tuple[tuple[Keystroke, ...], bool]:
        """Return the keystrokes, and whether the word was confirmed by the last of them."""
        found: list[Keystroke] = []
        message = None
        for one in typed:
            early = self._onset_s is None or one.t_s <= self._onset_s
            if early or one.kind == "click":
                continue
            event = entered(one, one.t_s - (self._onset_s or 0.0), self._entry.line)
            keystroke, refused, done = self._entry.take(event)
            found.append(keystroke)
            message = refused.reason if refused is not None else None
            if done:
                return tuple(found), True
        if found:
            self._picture.show(self._entry.line, (), message)
        return tuple(found), False

    def draw(self) -> None:
        """Draw into the back buffer."""
        self._picture.draw()

    def free(self) -> None:
        """Give the texture back."""
        self._picture.free()


def answer_words(words: Words) -> AnswerWords:
    """Return the field's texts in a language."""
    return AnswerWords(
        placeholder=words["type_here"],
        empty=words["field_empty"],
        choose=words["field_choose"],
        unknown=words["field_unknown"],
        wrong=words["field_wrong"],
    )


def answer_texts(classes: Classes, words: AnswerWords, most: int) -> FieldTexts:
    """Return the texts of a field for class names, with at most `most` suggestions."""
    suggestions = [row_text(one, word) for one in classes.names for word in one.words]
    return FieldTexts(words.placeholder, words.messages, most, tuple(suggestions))


def entered(typed: Typed, t_s: float, line: Line) -> Entered:
    """Return text or an edit for a line; arrows are swapped if it runs from right to left."""
    assert typed.kind != "click"
    value = typed.value
    if typed.kind == "edit" and runs_leftwards(line.text):
        value = MIRRORED.get(value, value)
    return Entered(t_s, typed.key, typed.kind, value)


def row_text(one: ClassName, word: str) -> str:
    """Return the text of a class's row if this word of it was typed."""
    return one.name if word == one.name else f"{one.name} ({word})"


def suggested(one: ClassName, typed: str, *, chosen: bool) -> Suggested:
    """Return a class's row with the letters marked that match the typed text."""
    for word in one.words:
        span = matched(word, typed)
        if span is not None:
            text = row_text(one, word)
            before = text.rindex(word) if word != one.name else 0
            return Suggested(text, before + span[0], before + span[1], chosen)
    return Suggested(one.name, 0, 0, chosen)

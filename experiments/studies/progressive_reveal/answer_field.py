"""The answer field at the screen: what is typed, what it suggests, what was confirmed."""

from collections.abc import Iterable

from experiments.engine.window_events import Typed
from experiments.pages.line_field import FieldPicture, FieldTexts, entered
from experiments.screens.answer_field import AnswerWords, Suggested
from participants.session.typed_line import Entered, Keystroke, Refused
from participants.studies.progressive_reveal.entry import AnswerEntry, Confirmed
from participants.texts import Words
from stimuli.studies.progressive_reveal.classes import Classes, ClassName, matched

Taken = Keystroke | Confirmed | Refused


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
        for raw in typed:
            event = self._entered(raw)
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
        for row, suggestion in enumerate(entry.state.suggestions):
            if suggestion.class_id == class_id:
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
            suggested(
                suggestion, state.line.text, chosen=choice is not None and suggestion == choice
            )
            for suggestion in state.suggestions
        ]
        self._picture.show(state.line, rows, self._message)


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
    suggestions = [row_text(name, word) for name in classes.names for word in name.words]
    return FieldTexts(words.placeholder, words.messages, most, tuple(suggestions))


def row_text(name: ClassName, word: str) -> str:
    """Return the text of a class's row if this word of it was typed."""
    return name.name if word == name.name else f"{name.name} ({word})"


def suggested(name: ClassName, typed: str, *, chosen: bool) -> Suggested:
    """Return a class's row with the letters marked that match the typed text."""
    for word in name.words:
        span = matched(word, typed)
        if span is not None:
            text = row_text(name, word)
            before = text.rindex(word) if word != name.name else 0
            return Suggested(text, before + span[0], before + span[1], chosen)
    return Suggested(name.name, 0, 0, chosen)

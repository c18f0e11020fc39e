"""A field in a window into which a line of text is typed."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from experiments.engine.input import Press
from experiments.engine.picture import Layer, Picture
from experiments.engine.stage import Stage
from experiments.engine.text import TextInput
from experiments.engine.window_events import Typed
from experiments.screens.answer_field import Box, FieldPainter, FieldSizes, Suggested
from experiments.screens.look import Look
from participants.session.typed_line import RETURN, Entered, Keystroke, Line, LineEntry
from stimuli.typed_text import runs_leftwards

WARM_UP = ("a", "ab", "a", "")
MIRRORED = {"left": "right", "right": "left"}

ENTERS = (RETURN, "num_enter")
"""Keys that confirm, by the hardware's names."""


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
        self.sizes = FieldSizes.of(look, most, messages=bool(messages))
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
            suggested = (
                [Suggested(suggestion, 0, 1, False) for suggestion in suggestions[:most]]
                if text
                else []
            )
            self.show(
                Line(text, len(text)), suggested, next(iter(messages), None) if text else None
            )

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


class LineField:
    """A field without suggestions, for one text after another.

    Parameters
    ----------
    stage, look, box, texts
        As in `FieldPicture`.
    """

    def __init__(self, stage: Stage, look: Look, box: Box, texts: FieldTexts) -> None:
        self._picture = FieldPicture(stage, look, box, texts)
        self._entry = LineEntry(str)
        self._onset_s: float | None = None

    @property
    def text(self) -> str:
        """What the field has now."""
        return self._entry.line.text

    def begin(self, entry: LineEntry) -> None:
        """Empty the field for another text; nothing counts until the onset."""
        self._entry = entry
        self._onset_s = None
        self._picture.show(Line(), (), None)

    def onset(self, onset_s: float) -> None:
        """Take what is typed from now on, by its time since then."""
        self._onset_s = onset_s

    def take(self, typed: Iterable[Typed]) -> tuple[tuple[Keystroke, ...], bool]:
        """Return the keystrokes, and whether the text was confirmed by the last of them."""
        keystrokes: list[Keystroke] = []
        message = None
        for raw in typed:
            early = self._onset_s is None or raw.t_s <= self._onset_s
            if early or raw.kind == "click":
                continue
            event = entered(raw, raw.t_s - (self._onset_s or 0.0), self._entry.line)
            keystroke, refused, done = self._entry.take(event)
            keystrokes.append(keystroke)
            message = refused.reason if refused is not None else None
            if done:
                return tuple(keystrokes), True
        if keystrokes:
            self._picture.show(self._entry.line, (), message)
        return tuple(keystrokes), False

    def draw(self) -> None:
        """Draw into the back buffer."""
        self._picture.draw()

    def free(self) -> None:
        """Give the texture back."""
        self._picture.free()


@dataclass(slots=True)
class TypedAnswer:
    """A timed trial's field: it turns what is typed into the press that confirms it.

    Attributes
    ----------
    line
        The field, begun for the trial.
    typing
        Listens to the window.
    keystrokes
        What was typed since the onset.
    """

    line: LineField
    typing: TextInput
    keystrokes: list[Keystroke] = field(default_factory=list)
    _onset_s: float = 0.0

    def onset(self, onset_s: float, tell: Callable[[float], None]) -> None:
        """Take what is typed from now on, and tell the actor."""
        self._onset_s = onset_s
        self.line.onset(onset_s)
        tell(onset_s)

    def within(self, limit_s: float) -> tuple[Keystroke, ...]:
        """Return what was typed in time."""
        return tuple(keystroke for keystroke in self.keystrokes if keystroke.t_s <= limit_s)

    def presses(self) -> tuple[Press, ...]:
        """Return the presses since the last call; Enter is one only if it confirmed the text."""
        heard = self.typing.poll()
        keystrokes, done = self.line.take(heard.typed)
        self.keystrokes += keystrokes
        others = tuple(press for press in heard.presses if press.chord or press.key not in ENTERS)
        return (*others, Press(RETURN, self._onset_s + keystrokes[-1].t_s)) if done else others


@dataclass(frozen=True, slots=True)
class WithField:
    """A picture and the field before it, as one frame."""

    picture: Picture
    field: LineField

    def draw(self) -> None:
        """Draw into the back buffer."""
        self.picture.draw()
        self.field.draw()

    def free(self) -> None:
        """Free the picture's memory; the field stays for the next trial."""
        self.picture.free()


def entered(typed: Typed, t_s: float, line: Line) -> Entered:
    """Return text or an edit for a line; arrows are swapped if it runs from right to left."""
    assert typed.kind != "click"
    value = typed.value
    if typed.kind == "edit" and runs_leftwards(line.text):
        value = MIRRORED.get(value, value)
    return Entered(t_s, typed.key, typed.kind, value)

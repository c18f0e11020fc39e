"""The answer field in pixels: a line of text with its caret, suggestions, a message.

The whole is one picture on the graphics card, of which a keystroke changes some rows. What can
be drawn beforehand is: the suggestions, in the colours that they may have, and the messages.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Final

import numpy as np
from PIL import Image, ImageDraw

from experiments.engine.picture import Pixels
from experiments.engine.window import Rgb
from experiments.screens.fitting import balanced_lines
from experiments.screens.look import Look, shortened
from stimuli.typed_text import runs_leftwards

MESSAGE_LINES: Final = 3
MESSAGE_LEADING: Final = 1.4
FIELD: Final = 0.064
BELOW_FIELD: Final = 0.010
ROW: Final = 0.044
PAD: Final = 0.018
CARET: Final = 0.0028
BESIDE_CARET: Final = 0.008
"""Gap between the caret and the placeholder."""
ENTER_SIGN: Final = "↵"
BASELINE: Final = 0.72
"""Ascent as a share of the letters' size, as in all set text, so that text looks centred."""


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle of the screen, from its top left corner."""

    left_px: int
    top_px: int
    width_px: int
    height_px: int


@dataclass(frozen=True, slots=True)
class AnswerWords:
    """Texts of the field.

    Attributes
    ----------
    placeholder
        Text in the empty field.
    empty, choose, unknown
        Messages when Enter confirms nothing: the field is empty, several names begin with the
        text, or no name does.
    wrong
        Message after a wrong answer.
    """

    placeholder: str
    empty: str
    choose: str
    unknown: str
    wrong: str

    @property
    def messages(self) -> dict[str, str]:
        """The messages by name."""
        names = [message.name for message in fields(self) if message.name != "placeholder"]
        return {name: getattr(self, name) for name in names}


@dataclass(frozen=True, slots=True)
class FieldSizes:
    """Heights of a field's parts, from top to bottom, in pixels."""

    message_px: int
    line_px: int
    gap_px: int
    row_px: int
    most: int

    @classmethod
    def of(cls, look: Look, most: int, *, messages: bool = True) -> "FieldSizes":
        """Return the sizes of a field with at most `most` suggestions, perhaps with messages."""
        lines = MESSAGE_LINES * MESSAGE_LEADING + 0.5 if messages else 0
        message_px = round(lines * look.hint_px)
        gap_px = look.px(BELOW_FIELD) if most else 0
        return cls(message_px, look.px(FIELD), gap_px, look.px(ROW), most)

    @property
    def height_px(self) -> int:
        """Height of the whole field."""
        return self.row_top(self.most)

    def row_top(self, row: int) -> int:
        """Return the top of a suggestion's row."""
        return self.message_px + self.line_px + self.gap_px + row * self.row_px


@dataclass(frozen=True, slots=True)
class Suggested:
    """A suggestion in its row.

    Attributes
    ----------
    text
        The name, or the name and the alias that matched.
    start, end
        Range of the typed characters in the text.
    chosen
        Whether Enter would confirm it.
    """

    text: str
    start: int
    end: int
    chosen: bool


@dataclass(frozen=True)
class FieldPainter:
    """Draws the parts of an answer field.

    Attributes
    ----------
    look
        Look of the screens.
    width_px, sizes
        Width of the field, and heights of its parts.
    placeholder, messages
        The field's texts; messages by name.
    texts
        All possible texts of its rows.
    """

    look: Look
    width_px: int
    sizes: FieldSizes
    placeholder: str
    messages: Mapping[str, str]
    texts: Iterable[str] = field(default=())

    def prepare(self) -> None:
        """Draw in advance what can be."""
        for text in self.texts:
            for chosen in (False, True):
                self._drawn(text, chosen)
        for name in self.messages:
            self.message(name)

    def message(self, name: str | None) -> Pixels:
        """Return the part above the line: uint8 (height, width, 3)."""
        return self._messages[name]

    def line(self, text: str, caret: int) -> Pixels:
        """Return the line with its text and caret: uint8 (height, width, 3)."""
        look, pad = self.look, self.look.px(PAD)
        frame = self._frame.copy()
        room_px = self.width_px - 2 * pad
        inner = Image.new("RGB", (room_px, self.sizes.line_px - 2 * look.px(0.004)), look.surface)
        draw = ImageDraw.Draw(inner)
        font = look.font(look.body_px)
        caret_px = look.px(CARET)
        at = font.getlength(text[:caret])
        whole = font.getlength(text)
        if runs_leftwards(text):
            at = whole - at
        left = -_scrolled(whole, at, room_px - caret_px)
        if look.right_to_left:
            left = room_px - whole + _scrolled(whole, whole - at, room_px - caret_px)
        baseline = (inner.height + BASELINE * look.body_px) / 2
        if text:
            draw.text((left, baseline), text, fill=look.strong, font=font, anchor="ls")
        else:
            self._draw_placeholder(draw, room_px, baseline)
        edge = min(max(0, round(left + at)), room_px - caret_px)
        half_px = 0.66 * look.body_px
        middle = inner.height / 2
        box = (edge, middle - half_px, edge + caret_px - 1, middle + half_px)
        draw.rectangle(box, fill=look.strong)
        frame.paste(inner, (pad, look.px(0.004)))
        return np.asarray(frame)

    def row(self, suggested: Suggested | None) -> Pixels:
        """Return a suggestion's row, or an empty one: uint8 (height, width, 3)."""
        if suggested is None:
            return self._empty_row
        drawn = self._drawn(suggested.text, suggested.chosen)
        row = self._grounds[suggested.chosen].copy()
        width_px = drawn.plain.shape[1]
        pad_px = self.look.px(PAD)
        begin = self.width_px - pad_px - width_px if self.look.right_to_left else pad_px
        row[:, begin : begin + width_px] = drawn.plain
        left, right = self._columns(suggested, width_px)
        row[:, begin + left : begin + right] = drawn.marked[:, left:right]
        return row

    def whole(self) -> Pixels:
        """Return an empty field without suggestions: uint8 (height, width, 3)."""
        rows = [self.row(None)] * self.sizes.most
        gap = np.empty((self.sizes.gap_px, self.width_px, 3), dtype=np.uint8)
        gap[:] = self.look.background
        return np.concatenate([self.message(None), self.line("", 0), gap, *rows])

    @cached_property
    def _drawings(self) -> "dict[tuple[str, bool], _Drawn]":
        return {}

    def _drawn(self, text: str, chosen: bool) -> "_Drawn":
        if (text, chosen) not in self._drawings:
            look = self.look
            ground = look.text if chosen else look.background
            plain, marked = (look.background,) * 2 if chosen else (look.text, look.strong)
            self._drawings[text, chosen] = _Drawn(
                self._text(text, ground, plain, underlined=False),
                self._text(text, ground, marked, underlined=True),
            )
        return self._drawings[text, chosen]

    def _text(self, text: str, ground: Rgb, colour: Rgb, *, underlined: bool) -> Pixels:
        look = self.look
        font = look.font(look.hint_px)
        sign_px = font.getlength(ENTER_SIGN) + look.px(PAD)
        text = shortened(text, font, self.width_px - 2 * look.px(PAD) - sign_px)
        width = max(1, math.ceil(font.getlength(text)))
        image = Image.new("RGB", (width, self.sizes.row_px), ground)
        draw = ImageDraw.Draw(image)
        baseline = (self.sizes.row_px + BASELINE * look.hint_px) / 2
        draw.text((0, baseline), text, fill=colour, font=font, anchor="ls")
        if underlined:
            under = round(baseline + 0.16 * look.hint_px)
            draw.rectangle((0, under, width, under + look.px(0.0018) - 1), fill=colour)
        return np.asarray(image)

    def _columns(self, suggested: Suggested, width_px: int) -> tuple[int, int]:
        """Return the columns of the typed characters in a drawn text of that width."""
        font = self.look.font(self.look.hint_px)
        places = [font.getlength(suggested.text[:at]) for at in (suggested.start, suggested.end)]
        if runs_leftwards(suggested.text):
            places = [width_px - place for place in reversed(places)]
        left, right = (min(max(0, round(place)), width_px) for place in places)
        return left, right

    def _draw_placeholder(self, draw: ImageDraw.ImageDraw, room_px: int, baseline: float) -> None:
        look = self.look
        indent = look.px(CARET) + look.px(BESIDE_CARET)
        at = room_px - indent if look.right_to_left else indent
        anchor = "rs" if look.right_to_left else "ls"
        font = look.font(look.hint_px)
        draw.text((at, baseline), self.placeholder, fill=look.quiet, font=font, anchor=anchor)

    @cached_property
    def _frame(self) -> Image.Image:
        look = self.look
        image = Image.new("RGB", (self.width_px, self.sizes.line_px), look.background)
        ImageDraw.Draw(image).rounded_rectangle(
            (0, 0, self.width_px - 1, self.sizes.line_px - 1), radius=look.px(0.012),
            fill=look.surface, outline=look.line, width=look.px(0.002),
        )  # fmt: skip
        return image

    @cached_property
    def _grounds(self) -> tuple[Pixels, Pixels]:
        """Return rows without text: for a suggestion that isn't chosen, and for the chosen one."""
        look = self.look
        image = Image.new("RGB", (self.width_px, self.sizes.row_px), look.background)
        plain = np.asarray(image)
        draw = ImageDraw.Draw(image)
        box = (0, 0, self.width_px - 1, self.sizes.row_px - 1)
        draw.rounded_rectangle(box, radius=look.px(0.008), fill=look.text)
        at = look.px(PAD) if look.right_to_left else self.width_px - look.px(PAD)
        draw.text(
            (at, (self.sizes.row_px + BASELINE * look.hint_px) / 2), ENTER_SIGN,
            fill=look.background, font=look.font(look.hint_px),
            anchor="ls" if look.right_to_left else "rs",
        )  # fmt: skip
        return plain, np.asarray(image)

    @cached_property
    def _empty_row(self) -> Pixels:
        row = np.empty((self.sizes.row_px, self.width_px, 3), dtype=np.uint8)
        row[:] = self.look.background
        return row

    @cached_property
    def _messages(self) -> dict[str | None, Pixels]:
        return {
            None: self._message_pixels(""),
            **{name: self._message_pixels(text) for name, text in self.messages.items()},
        }

    def _message_pixels(self, text: str) -> Pixels:
        """Draw a message in as many lines as it needs, the last one right above the line."""
        look = self.look
        font = look.font(look.hint_px)
        rows = balanced_lines(" ".join(text.split()), font, self.width_px)
        image = Image.new("RGB", (self.width_px, self.sizes.message_px), look.background)
        draw = ImageDraw.Draw(image)
        baseline = self.sizes.message_px - 0.75 * look.hint_px
        for row in reversed(rows):
            at, anchor = (self.width_px, "rs") if look.right_to_left else (0, "ls")
            draw.text((at, baseline), row, fill=look.strong, font=font, anchor=anchor)
            baseline -= MESSAGE_LEADING * look.hint_px
        return np.asarray(image)


@dataclass(frozen=True, slots=True)
class _Drawn:
    """A text at its row's height: plain, and with the typed characters marked."""

    plain: Pixels
    marked: Pixels


def _scrolled(whole_px: float, caret_px: float, room_px: float) -> float:
    """Return how far to scroll a line so that its caret is visible."""
    if whole_px <= room_px:
        return 0.0
    return min(max(0.0, caret_px - 0.75 * room_px), whole_px - room_px)

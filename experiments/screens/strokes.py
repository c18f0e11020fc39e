"""The screen of a stroke task: a picture to paint or mark, brush and keys beside it."""

from collections.abc import Sequence
from dataclasses import dataclass

from PIL import Image, ImageDraw

from experiments.engine.picture import Layer
from experiments.screens.look import Look
from experiments.screens.parts import Hint, cap_size, draw_hint, hint_width
from experiments.screens.trial import (
    MouseSide,
    TrialScreen,
    draw_mouse,
    mouse_size,
    stimulus_top,
    surrounding_layers,
    text_centre,
)
from participants.strokes import SIDE

MARGIN = 0.06
GAP = 0.03
"""Gap between the picture and what is beside it, if there is little room."""
ROW = 0.072


@dataclass(frozen=True, slots=True)
class MouseHint:
    """A hint on a button or the wheel of the mouse."""

    side: MouseSide
    words: str


ToolHint = Hint | MouseHint


@dataclass(frozen=True, slots=True)
class PictureBox:
    """Position of the square around the picture.

    Attributes
    ----------
    left_px, top_px, side_px
        From the screen's top left corner.
    """

    left_px: int
    top_px: int
    side_px: int

    @classmethod
    def of(cls, look: Look, picture_px: int) -> "PictureBox":
        """Return the position of a picture with this side."""
        return cls((look.size_px[0] - picture_px) // 2, stimulus_top(look, picture_px), picture_px)

    def to_mask(self, x_px: float, y_px: float) -> tuple[int, int]:
        """Convert a position on the screen to quarter pixels of the mask."""
        scale = SIDE / self.side_px
        return round((x_px - self.left_px) * scale), round((y_px - self.top_px) * scale)

    def to_screen(self, x: float, y: float) -> tuple[int, int]:
        """Convert a position in the mask, in quarter pixels, to the screen."""
        at_x, at_y = self.place(x, y)
        return round(at_x), round(at_y)

    def place(self, x: float, y: float) -> tuple[float, float]:
        """Convert a position in the mask to one between the screen's pixels; see `to_mask`."""
        scale = self.side_px / SIDE
        return self.left_px + x * scale, self.top_px + y * scale

    def radius_px(self, radius: int) -> float:
        """Convert a radius in the mask, in quarter pixels, to the screen."""
        return radius * self.side_px / SIDE


@dataclass(frozen=True, slots=True)
class EaselWords:
    """Words beside the picture.

    Attributes
    ----------
    tools
        On the left: what brush, eraser and their keys do.
    answers
        On the right: the keys that answer, and the key that goes on.
    caption
        Caption above the answer.
    """

    tools: tuple[ToolHint, ...]
    answers: tuple[ToolHint, ...]
    caption: str


def easel_px(look: Look, wanted_px: int, words: EaselWords) -> int:
    """Return the picture's side, limited so that tools and keys fit beside it."""
    widest = max(_width(look, hint) for hint in (*words.tools, *words.answers))
    room = look.size_px[0] - 2 * (widest + look.px(MARGIN) + look.px(GAP))
    return 2 * (min(wanted_px, room) // 2)


def easel_layers(look: Look, picture_px: int, words: EaselWords) -> tuple[Layer, ...]:
    """Return the parts around the picture that never change."""
    middle = _middle(look, picture_px)
    left, right = look.px(MARGIN), _right(look, picture_px, words)
    below = middle + look.px(0.10) + look.px(ROW) * (len(words.answers) / 2)
    layers: list[Layer] = []
    for hints, side, row in ((words.tools, left, middle), (words.answers, right, below)):
        canvas = look.canvas()
        _draw_rows(look, canvas, hints, side, row)
        layers += look.layers(canvas)
    return tuple(layers)


def answer_layers(look: Look, picture_px: int, caption: str, answer: str) -> tuple[Layer, ...]:
    """Return the current answer, beside the picture."""
    raised = TrialScreen(text=answer, caption=caption)
    up = look.px(0.10)
    return tuple(
        Layer(layer.pixels, layer.left_px, layer.top_px - up)
        for layer in surrounding_layers(look, picture_px, raised)
    )


def place_layers(look: Look, picture_px: int, text: str) -> tuple[Layer, ...]:
    """Return the picture's number, above the answer, at the picture's upper edge."""
    centre = text_centre(look, picture_px)
    canvas = look.canvas()
    at = (centre, stimulus_top(look, picture_px) + look.hint_px / 2)
    font = look.font(look.hint_px)
    ImageDraw.Draw(canvas).text(at, text, fill=look.quiet, font=font, anchor="mm")
    return look.layers(canvas)


def message_layers(look: Look, picture_px: int, text: str) -> tuple[Layer, ...]:
    """Return one line below the picture."""
    canvas = look.canvas()
    bottom = stimulus_top(look, picture_px) + picture_px
    at = (look.size_px[0] / 2, (bottom + look.size_px[1]) / 2)
    font = look.font(look.body_px)
    ImageDraw.Draw(canvas).text(at, text, fill=look.strong, font=font, anchor="mm")
    return look.layers(canvas)


def _middle(look: Look, picture_px: int) -> int:
    return stimulus_top(look, picture_px) + picture_px // 2


def _right(look: Look, picture_px: int, words: EaselWords) -> int:
    """Return the left edge of the words on the right: near the picture, but fully on screen."""
    widest = max(_width(look, hint) for hint in words.answers)
    beside = (look.size_px[0] + picture_px) // 2 + look.px(MARGIN)
    return min(beside, look.size_px[0] - look.px(MARGIN) - widest)


def _width(look: Look, hint: ToolHint) -> int:
    if isinstance(hint, Hint):
        return hint_width(look, hint)
    words = round(look.font(look.hint_px).getlength(hint.words))
    return _sign_size(look)[0] + 2 * look.px(0.010) + words


def _sign_size(look: Look) -> tuple[int, int]:
    return mouse_size(cap_size(look, "", look.hint_px)[1])


def _draw_rows(
    look: Look, canvas: Image.Image, hints: Sequence[ToolHint], left_px: int, middle_px: float
) -> None:
    """Draw hints below one another, vertically centred about a position."""
    draw = ImageDraw.Draw(canvas)
    first = middle_px - look.px(ROW) * (len(hints) - 1) / 2
    for place, hint in enumerate(hints):
        row = first + place * look.px(ROW)
        if isinstance(hint, Hint):
            draw_hint(look, draw, hint, left_px, row)
            continue
        width, height = _sign_size(look)
        draw_mouse(look, canvas, hint.side, (left_px, round(row - height / 2)), height)
        at = (left_px + width + 2 * look.px(0.010), row)
        draw.text(at, hint.words, fill=look.text, font=look.font(look.hint_px), anchor="lm")

"""Parts of screens: keys, hints, answers to choose from, a bar of progress."""

from collections.abc import Sequence
from dataclasses import dataclass

from PIL import ImageDraw

from experiments.screens.look import Look
from experiments.screens.markdown import Block, Word
from experiments.screens.typeset import Line, draw_lines, height_of, set_blocks

MARGIN = 0.075
FOOTER = 0.115
CAP_PAD = 0.55


@dataclass(frozen=True, slots=True)
class Footer:
    """The hints at the foot of a page: how to go on, how to go back, where one is."""

    on: str = ""
    back: str = ""
    place: str = ""


@dataclass(frozen=True, slots=True)
class Option:
    """An answer to choose: what its key bears, and its words."""

    cap: str
    words: str


def cap_size(look: Look, text: str, size_px: int) -> tuple[int, int]:
    """Return width and height of a drawn key that bears some text."""
    height = round(1.75 * size_px)
    width = round(look.font(size_px, "bold").getlength(text) + 2 * CAP_PAD * size_px)
    return max(height, width), height


def draw_cap(
    look: Look,
    draw: ImageDraw.ImageDraw,
    text: str,
    left_px: int,
    top_px: int,
    size_px: int,
    *,
    chosen: bool = False,
) -> None:
    """Draw a key that bears some text; a chosen one is filled."""
    width, height = cap_size(look, text, size_px)
    draw.rounded_rectangle(
        (left_px, top_px, left_px + width - 1, top_px + height - 1),
        radius=round(0.2 * height),
        fill=look.text if chosen else look.surface,
        outline=look.text if chosen else look.line,
        width=look.px(0.002),
    )
    draw.text(
        (left_px + width / 2, top_px + height / 2),
        text,
        fill=look.background if chosen else look.strong,
        font=look.font(size_px, "bold"),
        anchor="mm",
    )


def draw_footer(look: Look, draw: ImageDraw.ImageDraw, footer: Footer) -> None:
    """Draw the hints at the foot of the screen."""
    width, height = look.size_px
    left = (width - look.column_px) // 2
    right = left + look.column_px
    start, end = (
        ((right, "rm"), (left, "lm")) if look.right_to_left else ((left, "lm"), (right, "rm"))
    )
    middle = height - look.px(FOOTER) / 2
    font = look.font(look.hint_px)
    # The place stands in the middle of what the two others leave.
    leaning = (font.getlength(footer.back) - font.getlength(footer.on)) / 2 if footer.back else 0
    centre = width / 2 + (-leaning if look.right_to_left else leaning)
    for (at, anchor), text, colour in (
        (start, footer.back, look.quiet),
        ((centre, "mm"), footer.place, look.quiet),
        (end, footer.on, look.text),
    ):
        draw.text((at, middle), text, fill=colour, font=font, anchor=anchor)


def options_height(look: Look, options: Sequence[Option], width_px: int) -> int:
    """Return the height of answers set below one another."""
    rows = [_option_lines(look, option, width_px) for option in options]
    return sum(_row_height(look, lines) for lines in rows) + _gap(look) * (len(rows) - 1)


def draw_options(
    look: Look,
    draw: ImageDraw.ImageDraw,
    options: Sequence[Option],
    chosen: int | None,
    left_px: int,
    top_px: int,
    width_px: int,
) -> None:
    """Draw answers to choose from; the chosen one lies on a surface, its key filled."""
    top = top_px
    pad = _pad(look)
    for number, option in enumerate(options):
        lines = _option_lines(look, option, width_px)
        height = _row_height(look, lines)
        is_chosen = number == chosen
        draw.rounded_rectangle(
            (left_px, top, left_px + width_px - 1, top + height - 1),
            radius=look.px(0.012),
            fill=look.surface if is_chosen else None,
            outline=look.text if is_chosen else look.line,
            width=look.px(0.002),
        )
        cap_width, cap_height = cap_size(look, option.cap, look.hint_px)
        cap_left = left_px + width_px - pad - cap_width if look.right_to_left else left_px + pad
        draw_cap(
            look, draw, option.cap, cap_left, top + (height - cap_height) // 2, look.hint_px,
            chosen=is_chosen,
        )  # fmt: skip
        words_left = left_px + (pad if look.right_to_left else pad + cap_width + pad)
        words_top = top + (height - height_of(lines)) // 2
        draw_lines(look, draw, lines, words_left, words_top, _words_width(look, option, width_px))
        top += height + _gap(look)


def draw_progress(
    look: Look, draw: ImageDraw.ImageDraw, share: float, caption: str, top_px: int
) -> None:
    """Draw a bar of progress with a caption below, in the middle of the screen."""
    width = min(round(0.55 * look.column_px), look.column_px)
    left = (look.size_px[0] - width) // 2
    height = look.px(0.012)
    box = (left, top_px, left + width - 1, top_px + height - 1)
    radius = height / 2
    draw.rounded_rectangle(box, radius=radius, fill=look.surface, outline=look.line)
    filled = round(width * min(1.0, max(0.0, share)))
    if filled >= height:
        edge = box[2] if look.right_to_left else left + filled - 1
        begin = box[2] - filled + 1 if look.right_to_left else left
        draw.rounded_rectangle((begin, top_px, edge, box[3]), radius=radius, fill=look.text)
    at = (look.size_px[0] / 2, top_px + height + look.px(0.03))
    draw.text(at, caption, fill=look.quiet, font=look.font(look.hint_px), anchor="mm")


def progress_height(look: Look) -> int:
    """Return the height of a bar of progress with its caption."""
    return look.px(0.012 + 0.06)


def _option_lines(look: Look, option: Option, width_px: int) -> list[Line]:
    words = tuple(Word(part) for part in option.words.split(" "))
    return set_blocks(look, [Block("paragraph", words)], _words_width(look, option, width_px))


def _words_width(look: Look, option: Option, width_px: int) -> int:
    return width_px - 3 * _pad(look) - cap_size(look, option.cap, look.hint_px)[0]


def _row_height(look: Look, lines: Sequence[Line]) -> int:
    return max(height_of(lines) + look.px(0.018), look.px(0.072))


def _gap(look: Look) -> int:
    return look.px(0.016)


def _pad(look: Look) -> int:
    return look.px(0.020)

"""Parts of screens: keys, hints, answers to choose from, a bar of progress."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from PIL import ImageDraw

from experiments.screens.look import Look
from experiments.screens.markdown import Block, Word
from experiments.screens.typeset import Line, draw_lines, height_of, set_blocks

MARGIN = 0.075
FOOTER = 0.115
CAP_PAD = 0.55


Area = tuple[int, int, int, int]
"""A rectangle of the screen: left, top, right and bottom in pixels."""
Corner = tuple[int, int]
"""Position of a top left corner, in pixels from the screen's left and top."""


@dataclass(frozen=True, slots=True)
class Hint:
    """A hint on keys: their labels (pressed together if there are several), and what they do."""

    caps: tuple[str, ...]
    words: str


@dataclass(frozen=True, slots=True)
class Footer:
    """The hints at the foot of a page.

    Attributes
    ----------
    on, back
        Hints for going on and for going back.
    place
        Number of the page, in words.
    note
        What must be done first, in place of `on`.
    """

    on: Hint | None = None
    back: Hint | None = None
    place: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Option:
    """An answer to choose: the label of its key, and its words."""

    cap: str
    words: str


def key_at(areas: Mapping[str, Area], place_px: tuple[float, float] | None) -> str | None:
    """Return the key whose area contains a position on the screen, if any."""
    x, y = place_px or (-1.0, -1.0)
    inside = (
        key
        for key, (left, top, right, bottom) in areas.items()
        if left <= x < right and top <= y < bottom
    )
    return next(inside, None)


def cap_size(look: Look, text: str, size_px: int) -> tuple[int, int]:
    """Return width and height of a drawn key with a label."""
    height = round(1.75 * size_px)
    width = round(look.font(size_px, "bold").getlength(text) + 2 * CAP_PAD * size_px)
    return max(height, width), height


def draw_cap(
    look: Look,
    draw: ImageDraw.ImageDraw,
    text: str,
    at_px: Corner,
    size_px: int,
    *,
    chosen: bool = False,
) -> None:
    """Draw a key with a label; a chosen key is filled."""
    left_px, top_px = at_px
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


def draw_hint(
    look: Look,
    draw: ImageDraw.ImageDraw,
    hint: Hint,
    left_px: int,
    middle_px: float,
    *,
    quiet: bool = False,
) -> None:
    """Draw keys and what they do, vertically centred on a line."""
    size = look.hint_px
    top = round(middle_px - cap_size(look, "", size)[1] / 2)
    width, begun = hint_width(look, hint), 0
    for cap in hint.caps:
        cap_width = cap_size(look, cap, size)[0]
        left = width - begun - cap_width if look.right_to_left else begun
        draw_cap(look, draw, cap, (left_px + left, top), size)
        begun += cap_width + _cap_gap(look)
    anchor, end = ("lm", 0) if look.right_to_left else ("rm", width)
    colour = look.quiet if quiet else look.text
    draw.text(
        (left_px + end, middle_px), hint.words, fill=colour, font=look.font(size), anchor=anchor
    )


def hint_width(look: Look, hint: Hint) -> int:
    """Return the width of a drawn hint."""
    caps = sum(cap_size(look, cap, look.hint_px)[0] + _cap_gap(look) for cap in hint.caps)
    words = round(look.font(look.hint_px).getlength(hint.words))
    return caps + look.px(0.005) + words


def _cap_gap(look: Look) -> int:
    return look.px(0.010)


def draw_footer(
    look: Look, draw: ImageDraw.ImageDraw, footer: Footer, left_px: int, width_px: int
) -> None:
    """Draw the hints at the foot of the screen, as wide as the content above them."""
    middle = look.size_px[1] - look.px(FOOTER) / 2
    font = look.font(look.hint_px)
    ends = _ends(look, left_px, width_px)
    if footer.back is not None:
        left = _hint_left(look, footer.back, left_px, width_px, first=True)
        draw_hint(look, draw, footer.back, left, middle, quiet=True)
    if footer.on is not None:
        left = _hint_left(look, footer.on, left_px, width_px, first=False)
        draw_hint(look, draw, footer.on, left, middle)
    anchor = "lm" if look.right_to_left else "rm"
    draw.text((ends[1], middle), footer.note, fill=look.text, font=font, anchor=anchor)
    centre = left_px + width_px / 2
    draw.text((centre, middle), footer.place, fill=look.quiet, font=font, anchor="mm")


def hint_area(look: Look, hint: Hint, left_px: int, width_px: int, *, first: bool) -> Area:
    """Return the area of a hint at the foot of the screen, at the start or end of its line."""
    left = _hint_left(look, hint, left_px, width_px, first=first)
    height = cap_size(look, "", look.hint_px)[1]
    top = round(look.size_px[1] - (look.px(FOOTER) + height) / 2)
    return left, top, left + hint_width(look, hint), top + height


def _hint_left(look: Look, hint: Hint, left_px: int, width_px: int, *, first: bool) -> int:
    end_px = _ends(look, left_px, width_px)[0 if first else 1]
    return end_px if first != look.right_to_left else end_px - hint_width(look, hint)


def _ends(look: Look, left_px: int, width_px: int) -> tuple[int, int]:
    """Return the start and the end of a line."""
    ends = (left_px, left_px + width_px)
    return ends[::-1] if look.right_to_left else ends


def options_height(look: Look, options: Sequence[Option], width_px: int) -> int:
    """Return the height of a list of answers."""
    return option_areas(look, options, 0, 0, width_px)[-1][3]


def option_areas(
    look: Look, options: Sequence[Option], left_px: int, top_px: int, width_px: int
) -> list[Area]:
    """Return the area of each answer."""
    areas, top = [], top_px
    for option in options:
        bottom = top + _row_height(look, _option_lines(look, option, width_px))
        areas.append((left_px, top, left_px + width_px, bottom))
        top = bottom + _gap(look)
    return areas


def draw_options(
    look: Look,
    draw: ImageDraw.ImageDraw,
    options: Sequence[Option],
    chosen: int | None,
    at_px: Corner,
    width_px: int,
) -> None:
    """Draw answers to choose from; the chosen answer has a filled background and key."""
    pad, (left_px, top_px) = _pad(look), at_px
    areas = option_areas(look, options, left_px, top_px, width_px)
    for number, (option, (_, top, right, bottom)) in enumerate(zip(options, areas, strict=True)):
        lines, height = _option_lines(look, option, width_px), bottom - top
        is_chosen = number == chosen
        draw.rounded_rectangle(
            (left_px, top, right - 1, bottom - 1),
            radius=look.px(0.012),
            fill=look.surface if is_chosen else None,
            outline=look.text if is_chosen else look.line,
            width=look.px(0.002),
        )
        cap_width, cap_height = cap_size(look, option.cap, look.hint_px)
        cap_left = left_px + width_px - pad - cap_width if look.right_to_left else left_px + pad
        cap_at = cap_left, top + (height - cap_height) // 2
        draw_cap(look, draw, option.cap, cap_at, look.hint_px, chosen=is_chosen)
        words_left = left_px + (pad if look.right_to_left else pad + cap_width + pad)
        words_top = top + (height - height_of(lines)) // 2
        draw_lines(look, draw, lines, words_left, words_top, _words_width(look, option, width_px))


def draw_progress(
    look: Look,
    draw: ImageDraw.ImageDraw,
    share: float,
    caption: str,
    at_px: Corner,
    width_px: int,
) -> None:
    """Draw a progress bar with a caption below its start."""
    left_px, top_px = at_px
    height = look.px(0.012)
    right = left_px + width_px - 1
    radius = height / 2
    box = (left_px, top_px, right, top_px + height - 1)
    draw.rounded_rectangle(box, radius=radius, fill=look.surface, outline=look.line)
    filled = round(width_px * min(1.0, max(0.0, share)))
    if filled >= height:
        begin = right - filled + 1 if look.right_to_left else left_px
        filled_box = (begin, top_px, begin + filled - 1, box[3])
        draw.rounded_rectangle(filled_box, radius=radius, fill=look.text)
    at = (right if look.right_to_left else left_px, top_px + height + look.px(0.03))
    anchor = "rm" if look.right_to_left else "lm"
    draw.text(at, caption, fill=look.quiet, font=look.font(look.hint_px), anchor=anchor)


def progress_height(look: Look) -> int:
    """Return the height of a progress bar with its caption."""
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

"""Pages of text: read on, go back, choose an answer; and the screens around a pause.

A sign confirms that a pause's keys were heard. Another screen shows the experimenter's note.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from PIL import Image, ImageDraw

from experiments.engine.picture import Layer, Pixels
from experiments.screens.look import Look
from experiments.screens.markdown import Block, Word, blocks_of
from experiments.screens.parts import (
    FOOTER,
    MARGIN,
    Area,
    Footer,
    Option,
    draw_footer,
    draw_options,
    draw_progress,
    hint_area,
    option_areas,
    options_height,
    progress_height,
)
from experiments.screens.typeset import Line, draw_lines, height_of, paginate, set_blocks

OPTICAL_CENTRE = 0.44
FIGURE_SHARE = 0.56
FIGURE_GAP = 0.07


@dataclass(frozen=True, slots=True)
class Sheet:
    """One screenful of a text.

    Attributes
    ----------
    lines
        Lines of the text.
    options
        Answers to choose from below the text; empty on most sheets.
    from_top
        Whether it begins at the top, as the sheets of a longer text do.
    """

    lines: tuple[Line, ...]
    options: tuple[Option, ...] = ()
    from_top: bool = False


def sheets_of(
    look: Look, markdown: str, options: Sequence[Option] = (), *, figure: bool = False
) -> list[Sheet]:
    """Return a text in screenfuls; answers are on the last one.

    Parameters
    ----------
    look
        Look of the screens.
    markdown
        The text.
    options
        Answers to choose from at its end.
    figure
        Whether each sheet leaves room for a figure.
    """
    width = text_width(look, figure=figure)
    lines = set_blocks(look, blocks_of(markdown), width)
    if options:
        lines.append(_room_for(look, options, width, lines[-1]))
    pages = paginate(lines, _room(look))
    if options:
        pages[-1].pop()
    several = len(pages) > 1
    sheets = [Sheet(tuple(page), from_top=several) for page in pages]
    sheets[-1] = Sheet(sheets[-1].lines, tuple(options), from_top=several)
    return sheets


def _room_for(look: Look, options: Sequence[Option], width_px: int, last: Line) -> Line:
    """Return an empty line as high as the answers, which stays with the last block."""
    return replace(
        last,
        pieces=(),
        height_px=options_height(look, options, width_px),
        before_px=_options_gap(look),
    )


def page_layers(
    look: Look,
    sheet: Sheet,
    footer: Footer,
    *,
    chosen: int | None = None,
    figure: Pixels | None = None,
) -> tuple[Layer, ...]:
    """Return a screenful of text.

    Parameters
    ----------
    look, sheet, footer
        Look of the screens, the screenful, and the hints at its foot.
    chosen
        Number of the chosen answer.
    figure
        Picture beside the text, uint8 (height, width, 3).
    """
    canvas, draw = look.drawing()
    if figure is not None:
        _paste_figure(look, canvas, figure)
    left, top, width = _text_place(look, sheet, figure)
    draw_lines(look, draw, sheet.lines, left, top, width)
    if sheet.options:
        below = _options_top(look, sheet, top)
        draw_options(look, draw, sheet.options, chosen, (left, below), width)
    draw_footer(look, draw, footer, *_foot(look, figure))
    return look.layers(canvas)


def click_areas(
    look: Look, sheet: Sheet, footer: Footer, *, figure: Pixels | None = None
) -> tuple[list[Area], Area | None, Area | None]:
    """Return the areas of a screenful for clicks: its answers, going on, going back."""
    left, top, width = _text_place(look, sheet, figure)
    below = _options_top(look, sheet, top)
    options = option_areas(look, sheet.options, left, below, width)
    on, back = (
        None if hint is None else hint_area(look, hint, *_foot(look, figure), first=first)
        for hint, first in ((footer.on, False), (footer.back, True))
    )
    return options, on, back


def rest_layers(
    look: Look, markdown: str, footer: Footer, *, share: float | None = None, caption: str = ""
) -> tuple[Layer, ...]:
    """Return a break's screen: a short text, and the session's progress."""
    canvas, draw = look.drawing()
    lines = set_blocks(look, blocks_of(markdown), look.column_px)
    bar = progress_height(look) + look.px(0.06) if share is not None else 0
    top = top_of(look, height_of(lines) + bar)
    draw_lines(look, draw, lines, column_left(look), top, look.column_px)
    if share is not None:
        below = top + height_of(lines) + look.px(0.06)
        draw_progress(look, draw, share, caption, (column_left(look), below), look.column_px)
    draw_footer(look, draw, footer, column_left(look), look.column_px)
    return look.layers(canvas)


def text_width(look: Look, *, figure: bool) -> int:
    """Return the width of the column of text, beside a figure or alone."""
    if not figure:
        return look.column_px
    room = look.size_px[0] - 2 * _wide_margin(look)
    return room - figure_px(look) - look.px(FIGURE_GAP)


def figure_px(look: Look) -> int:
    """Return the side of a figure."""
    return look.px(FIGURE_SHARE)


def column_left(look: Look) -> int:
    """Return the left edge of a column of text."""
    return (look.size_px[0] - look.column_px) // 2


def _text_place(look: Look, sheet: Sheet, figure: Pixels | None) -> tuple[int, int, int]:
    """Return the position of a screenful's text, and the width of its column."""
    width = text_width(look, figure=figure is not None)
    top = look.px(MARGIN) if sheet.from_top else top_of(look, _height(look, sheet, width))
    if figure is None:
        return column_left(look), top, width
    margin, beside = _wide_margin(look), figure.shape[1] + look.px(FIGURE_GAP)
    return margin if look.right_to_left else margin + beside, top, width


def _options_top(look: Look, sheet: Sheet, top_px: int) -> int:
    return top_px + height_of(sheet.lines) + (_options_gap(look) if sheet.lines else 0)


def _foot(look: Look, figure: Pixels | None) -> tuple[int, int]:
    """Return the left edge and the width of the hints at the foot."""
    if figure is None:
        return column_left(look), text_width(look, figure=False)
    return _wide_margin(look), look.size_px[0] - 2 * _wide_margin(look)


def _paste_figure(look: Look, canvas: Image.Image, figure: Pixels) -> None:
    """Paste a figure on the side where lines begin."""
    margin = _wide_margin(look)
    top = round((look.size_px[1] - look.px(FOOTER) - figure.shape[0]) / 2)
    left = look.size_px[0] - margin - figure.shape[1] if look.right_to_left else margin
    canvas.paste(Image.fromarray(figure), (left, top))


def _wide_margin(look: Look) -> int:
    """Return the margin of pages that are wider than a column of text."""
    return round(look.size_px[0] * MARGIN * 0.75)


def _room(look: Look) -> int:
    return look.size_px[1] - look.px(FOOTER) - look.px(MARGIN)


def top_of(look: Look, height_px: int) -> int:
    """Return the top of something of this height, so that it lies at the optical centre."""
    spare = max(0, _room(look) - height_px)
    return look.px(MARGIN) + round(OPTICAL_CENTRE * spare) - (look.px(MARGIN) // 4 if spare else 0)


def _height(look: Look, sheet: Sheet, width_px: int) -> int:
    if not sheet.options:
        return height_of(sheet.lines)
    gap = _options_gap(look) if sheet.lines else 0
    return height_of(sheet.lines) + gap + options_height(look, sheet.options, width_px)


def _options_gap(look: Look) -> int:
    return look.px(0.035)


SIGN_TOP, SIGN_HEIGHT = 0.032, 0.046
BAR = 0.006
PAD = 0.014
CARET = "|"
NOTE_LINES = 6


def heard_layers(look: Look, words: str) -> tuple[Layer, ...]:
    """Return a small sign at the top, two bars and words, to lay over a screen during a trial."""
    bar = look.px(BAR)
    canvas, box = _sign(look, words, look.px(PAD) + 3 * bar)
    draw, (left, top, _, bottom) = ImageDraw.Draw(canvas), box
    quarter = (bottom + 1 - top) // 4
    for place in (0, 2):
        bar_left = left + look.px(PAD) + place * bar
        inside = (bar_left, top + quarter, bar_left + bar - 1, bottom + 1 - quarter)
        draw.rectangle(inside, fill=look.strong)
    return look.layers(canvas)


def sign_layers(look: Look, words: str) -> tuple[Layer, ...]:
    """Return a small sign with words at the top of a page."""
    return look.layers(_sign(look, words, 0)[0])


def _sign(look: Look, words: str, before_px: int) -> tuple[Image.Image, tuple[int, int, int, int]]:
    """Return a canvas with a box of words, and the box; there is room before the words."""
    height, pad, font = look.px(SIGN_HEIGHT), look.px(PAD), look.font(look.hint_px)
    words_left = pad + before_px
    wide = words_left + round(font.getlength(words)) + pad
    left, top = (look.size_px[0] - wide) // 2, look.px(SIGN_TOP)
    canvas, draw = look.drawing()
    box = (left, top, left + wide - 1, top + height - 1)
    draw.rectangle(box, fill=look.surface, outline=look.line, width=look.px(0.002))
    at = (left + words_left, top + height / 2)
    draw.text(at, words, fill=look.strong, font=font, anchor="lm")
    return canvas, box


def note_layers(look: Look, markdown: str, typed: str, footer: Footer) -> tuple[Layer, ...]:
    """Return a text and, in a box below it, what is being typed.

    Parameters
    ----------
    look, footer
        Look of the screens, and the hints at the foot.
    markdown
        The text.
    typed
        Text typed so far; if it is too long for the box, its beginning is cut off.
    """
    canvas, draw = look.drawing()
    left, width, pad = column_left(look), look.column_px, look.px(0.02)
    lines = set_blocks(look, blocks_of(markdown), width)
    words = tuple(Word(part) for part in (typed + CARET).split(" "))
    note_lines = set_blocks(look, [Block("paragraph", words)], width - 2 * pad)[-NOTE_LINES:]
    line_px = note_lines[-1].height_px
    box_px = NOTE_LINES * line_px + 2 * pad
    top = top_of(look, height_of(lines) + box_px + 2 * pad)
    draw_lines(look, draw, lines, left, top, width)
    box_top = top + height_of(lines) + 2 * pad
    box = (left, box_top, left + width - 1, box_top + box_px - 1)
    draw.rounded_rectangle(
        box, radius=look.px(0.012), fill=look.surface, outline=look.line, width=look.px(0.002)
    )
    inside = Image.new("RGB", (width - 2 * pad, box_px - 2 * pad), look.surface)
    draw_lines(look, ImageDraw.Draw(inside), note_lines, 0, 0, inside.width)
    canvas.paste(inside, (left + pad, box_top + pad))
    draw_footer(look, draw, footer, left, width)
    return look.layers(canvas)

"""What is shown around a pause: that its keys were heard, the experimenter's note."""

from PIL import Image, ImageDraw

from experiments.engine.picture import Layer
from experiments.screens.look import Look
from experiments.screens.markdown import Block, Word, blocks_of
from experiments.screens.page import column_left, top_of
from experiments.screens.parts import Footer, draw_footer
from experiments.screens.typeset import draw_lines, height_of, set_blocks

SIGN_TOP, SIGN_HEIGHT = 0.032, 0.046
BAR = 0.006
PAD = 0.014
CARET = "|"
NOTE_LINES = 6


def heard_layers(look: Look, words: str) -> tuple[Layer, ...]:
    """Return a small sign at the top, two bars and words: it lies over a screen in mid-trial."""
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
    canvas = look.canvas()
    draw = ImageDraw.Draw(canvas)
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
        What it is made of.
    markdown
        The text.
    typed
        What was typed so far; what is too long for the box is cut off at its beginning.
    """
    canvas = look.canvas()
    draw = ImageDraw.Draw(canvas)
    left, width, pad = column_left(look), look.column_px, look.px(0.02)
    lines = set_blocks(look, blocks_of(markdown), width)
    words = tuple(Word(part) for part in (typed + CARET).split(" "))
    own = set_blocks(look, [Block("paragraph", words)], width - 2 * pad)[-NOTE_LINES:]
    line_px = own[-1].height_px
    box_px = NOTE_LINES * line_px + 2 * pad
    top = top_of(look, height_of(lines) + box_px + 2 * pad)
    draw_lines(look, draw, lines, left, top, width)
    box_top = top + height_of(lines) + 2 * pad
    box = (left, box_top, left + width - 1, box_top + box_px - 1)
    draw.rounded_rectangle(
        box, radius=look.px(0.012), fill=look.surface, outline=look.line, width=look.px(0.002)
    )
    inside = Image.new("RGB", (width - 2 * pad, box_px - 2 * pad), look.surface)
    draw_lines(look, ImageDraw.Draw(inside), own, 0, 0, inside.width)
    canvas.paste(inside, (left + pad, box_top + pad))
    draw_footer(look, draw, footer, left, width)
    return look.layers(canvas)

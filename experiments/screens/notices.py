"""Short notices: whether a decision was right, and the question before a session is ended."""

from collections.abc import Sequence

from PIL import ImageDraw

from experiments.engine.picture import Layer
from experiments.screens.look import Look
from experiments.screens.markdown import Block, Word
from experiments.screens.typeset import height_of, set_blocks

RIGHT, WRONG, LATE = "✓", "✗", "…"


def feedback_layers(look: Look, sign: str, words: str) -> tuple[Layer, ...]:
    """Return a sign and a few words in the middle; signs differ by shape, not by colour."""
    canvas = look.canvas()
    draw = ImageDraw.Draw(canvas)
    middle = round(0.465 * look.size_px[1])
    radius = look.px(0.055)
    centre = look.size_px[0] // 2
    box = (centre - radius, middle - 2 * radius, centre + radius, middle)
    draw.ellipse(box, outline=look.text, width=look.px(0.004))
    font = look.font(look.px(0.065), "bold")
    draw.text((centre, middle - radius), sign, fill=look.strong, font=font, anchor="mm")
    at = (centre, middle + look.px(0.06))
    draw.text(at, words, fill=look.text, font=look.font(look.body_px), anchor="mm")
    return look.layers(canvas)


def question_layers(look: Look, sentences: Sequence[str]) -> tuple[Layer, ...]:
    """Return a question in the middle of the screen; its first sentence stands out."""
    canvas = look.canvas()
    draw = ImageDraw.Draw(canvas)
    blocks = [_sentence(text, heading=not number) for number, text in enumerate(sentences)]
    lines = set_blocks(look, blocks, look.column_px)
    top = round(0.44 * look.size_px[1] - height_of(lines) / 2)
    for number, line in enumerate(lines):
        top += line.before_px if number else 0
        width = line.pieces[-1].left_px + line.pieces[-1].width_px
        left = (look.size_px[0] - width) / 2
        for piece in line.pieces:
            font = look.font(line.size_px, piece.weight)
            at = (left + piece.left_px, top + (line.height_px + 0.72 * line.size_px) / 2)
            draw.text(at, piece.text, fill=line.colour, font=font, anchor="ls")
        top += line.height_px
    return look.layers(canvas)


def _sentence(text: str, *, heading: bool) -> Block:
    words = tuple(Word(part) for part in text.rstrip(".").split(" "))
    return Block("heading" if heading else "paragraph", words)

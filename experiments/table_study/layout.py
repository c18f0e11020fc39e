"""Where an item's pictures, its text and the AI's advice stand: in the middle, above the foot.

The advice has its place from the beginning, so that nothing moves when it appears.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from experiments.engine.picture import Layer, Layers, Pixels
from experiments.screens.answer_field import Box, FieldSizes
from experiments.screens.foot import CONTROLS, body_area
from experiments.screens.look import Look
from experiments.screens.markdown import blocks_of
from experiments.screens.typeset import Line, draw_lines, height_of, set_blocks
from stimuli.errors import UserError
from stimuli.io.tables import Row
from stimuli.table_study.tables import CONTENT

GAP: Final = 0.03
PAD: Final = 0.022
SMALLEST_PICTURE: Final = 0.15
"""Least side of a picture, as a share of the screen's height."""
FIELD_WIDTH: Final = 0.9
"""Width of the field for a typed answer, as a share of the screen's height."""
SHOWN: Final = ("left_picture", "picture", "right_picture")

Paint = Callable[[str, int], Pixels]
"""Returns a picture by its file, with the longer side in pixels."""


@dataclass(frozen=True, slots=True)
class Content:
    """What an item shows.

    Attributes
    ----------
    name
        The item, for messages.
    question
        The line above the answers; empty for none.
    pictures
        Files of its pictures, from left to right.
    text
        Its text in Markdown; may be empty.
    advice
        The advice in Markdown; empty for none.
    advice_picture
        File of the explanation; empty for none.
    """

    name: str
    question: str
    pictures: tuple[str, ...]
    text: str
    advice: str
    advice_picture: str

    @classmethod
    def of(cls, item: Row, advice_says: Callable[[str], str], *, advised: bool) -> "Content":
        """Return what a row of ``items.csv`` shows.

        Parameters
        ----------
        item
            The row.
        advice_says
            Returns the AI's answer in a sentence.
        advised
            Whether the advice has a place on the screen.
        """
        question = str(item["question"] or "")
        # A question alone is the item: it stands in the middle.
        alone = not any(item[name] for name in CONTENT)
        advice = [f"**{advice_says(str(item['advice']))}**"] if item["advice"] else []
        advice += [str(item["advice_text"])] if item["advice_text"] else []
        return cls(
            name=str(item["presentation"]),
            question="" if alone else question,
            pictures=tuple(str(item[name]) for name in SHOWN if item[name]),
            text=question if alone else str(item["text"] or ""),
            advice="\n\n".join(advice) if advised else "",
            advice_picture=str(item["advice_picture"] or "") if advised else "",
        )


@dataclass(frozen=True, slots=True)
class Arranged:
    """The sizes of an item's parts.

    Attributes
    ----------
    side_px
        Side of the squares in which the pictures stand; 0 without pictures.
    text, advice
        Lines of the text and of the advice.
    height_px
        Height of all parts together.
    """

    side_px: int
    text: list[Line]
    advice: list[Line]
    height_px: int


def arranged(look: Look, content: Content, wanted_px: int) -> Arranged:
    """Return the sizes of an item's parts.

    Parameters
    ----------
    look, content
        Look of the screens, and what is shown.
    wanted_px
        Side of the pictures, which is made smaller if they don't fit.

    Raises
    ------
    UserError
        If the item doesn't fit on the screen.
    """
    left, top, right, bottom = body_area(look, "ask")
    text = _text_lines(look, content.text)
    advice = set_blocks(look, blocks_of(content.advice), look.column_px - 2 * look.px(PAD))
    heights = [height_of(text)] if text else []
    heights += [height_of(advice) + 2 * look.px(PAD)] if advice else []
    pictures = [*content.pictures, *([content.advice_picture] if content.advice_picture else [])]
    gap, side = look.px(GAP), 0
    if pictures:
        room = bottom - top - sum(heights) - gap * len(heights)
        across = (right - left - gap * (len(pictures) - 1)) // len(pictures)
        side = 2 * (min(wanted_px, room, across) // 2)
        heights.append(side)
    height = sum(heights) + gap * (len(heights) - 1)
    if height > bottom - top or (pictures and side < look.px(SMALLEST_PICTURE)):
        raise UserError(
            f"item {content.name}: its text doesn't fit on this screen; make it shorter, or spread "
            "it over two items"
        )
    return Arranged(side, text, advice, height)


def _text_lines(look: Look, markdown: str) -> list[Line]:
    """Return the lines of a text; one that fits on a line is as large as a heading.

    One with marked words isn't: a heading is bold as a whole.
    """
    blocks = blocks_of(markdown)
    marked = any(word is not None and word.bold for block in blocks for word in block.words)
    if markdown and not marked and not markdown.startswith(("#", "-")):
        heading = set_blocks(look, blocks_of(f"## {markdown}"), look.column_px)
        if len(heading) == 1:
            return heading
    return set_blocks(look, blocks, look.column_px)


def item_layers(
    look: Look, content: Content, sizes: Arranged, paint: Paint, *, advised: bool
) -> Layers:
    """Return an item's layers, without question and answers.

    Parameters
    ----------
    look, content, sizes
        Look of the screens, what is shown, and how large it is.
    paint
        Draws pictures.
    advised
        Whether the advice is shown now.
    """
    top = _top(look, sizes)
    layers: list[Layer] = []
    if sizes.side_px:
        files = [*content.pictures, *([content.advice_picture] if content.advice_picture else [])]
        hidden = {content.advice_picture} if not advised else set()
        layers += _pictures(look, files, hidden, sizes.side_px, top, paint)
        top += sizes.side_px + look.px(GAP)
    canvas, draw = look.drawing()
    column = look.column_px
    left = (look.size_px[0] - column) // 2
    if sizes.text:
        across = _centred(look, sizes.text, column)
        draw_lines(look, draw, sizes.text, across, top, column)
        top += height_of(sizes.text) + look.px(GAP)
    if sizes.advice and advised:
        pad = look.px(PAD)
        box = (left, top, left + column - 1, top + height_of(sizes.advice) + 2 * pad - 1)
        draw.rounded_rectangle(box, radius=look.px(0.012), fill=look.surface, outline=look.line)
        draw_lines(look, draw, sizes.advice, left + pad, top + pad, column - 2 * pad)
    return (*layers, *look.layers(canvas))


def field_box(look: Look) -> Box:
    """Return where an answer is typed: in the middle of the foot."""
    width, height = look.px(FIELD_WIDTH), FieldSizes.of(look, 0, messages=False).height_px
    middle = look.px(sum(CONTROLS) / 2)
    return Box((look.size_px[0] - width) // 2, middle - height // 2, width, height)


def _top(look: Look, sizes: Arranged) -> int:
    _, top, _, bottom = body_area(look, "ask")
    return top + (bottom - top - sizes.height_px) // 2


def _centred(look: Look, lines: Sequence[Line], column_px: int) -> int:
    """Return the left edge of a text: a single line stands in the middle, others in the column."""
    left = (look.size_px[0] - column_px) // 2
    if len(lines) > 1 or look.right_to_left:
        return left
    width = max((piece.left_px + piece.width_px for piece in lines[0].pieces), default=0)
    return round((look.size_px[0] - width) / 2)


def _pictures(
    look: Look, files: Sequence[str], hidden: set[str], side_px: int, top_px: int, paint: Paint
) -> list[Layer]:
    """Return pictures side by side, each in the middle of its square."""
    gap = look.px(GAP)
    left = (look.size_px[0] - len(files) * side_px - (len(files) - 1) * gap) // 2
    layers = []
    for number, file in enumerate(files):
        if file in hidden:
            continue
        pixels = paint(file, side_px)
        height, width = pixels.shape[:2]
        at = left + number * (side_px + gap) + (side_px - width) // 2
        layers.append(Layer(pixels, at, top_px + (side_px - height) // 2))
    return layers

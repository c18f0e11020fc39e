"""Texts as blocks: headings, paragraphs and lists with bold words; no raw HTML."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from markdown_it import MarkdownIt
from markdown_it.token import Token

from stimuli.errors import UserError

BlockKind = Literal["heading", "subheading", "paragraph", "item"]
BULLET = "•"


@dataclass(frozen=True, slots=True)
class Word:
    """A word and whether it is bold; ``glued`` if there is no space before it."""

    text: str
    bold: bool = False
    glued: bool = False


@dataclass(frozen=True, slots=True)
class Block:
    """A heading or subheading, a paragraph or a list item.

    Attributes
    ----------
    kind
        Kind of the block.
    words
        Words in order; None ends the line.
    marker
        Bullet or number before an item.
    """

    kind: BlockKind
    words: tuple[Word | None, ...]
    marker: str = ""


def blocks_of(markdown: str) -> tuple[Block, ...]:
    """Return a text's blocks.

    Raises
    ------
    UserError
        If it uses Markdown that screens can't show (tables, images, code, HTML).
    """
    parser = MarkdownIt("commonmark", {"html": False})
    return tuple(_blocks(parser.parse(markdown)))


def _blocks(tokens: Sequence[Token]) -> Iterator[Block]:
    kind: BlockKind = "paragraph"
    marker, numbers = "", []
    for token in tokens:
        match token.type:
            case "heading_open":
                kind = "heading" if token.tag == "h1" else "subheading"
            case "paragraph_open":
                kind = "item" if numbers else "paragraph"
            case "bullet_list_open":
                numbers.append(None)
            case "ordered_list_open":
                numbers.append(0)
            case "bullet_list_close" | "ordered_list_close":
                numbers.pop()
            case "list_item_open":
                marker = _marker(numbers)
            case "inline":
                yield Block(kind, tuple(_words(token.children or ())), marker)
                marker = ""
            case "heading_close" | "paragraph_close" | "list_item_close":
                pass
            case other:
                raise UserError(f"text: a screen can't show Markdown's {other!r}")


def _marker(numbers: list[int | None]) -> str:
    if numbers[-1] is None:
        return BULLET
    numbers[-1] += 1
    return f"{numbers[-1]}."


def _words(tokens: Sequence[Token]) -> Iterator[Word | None]:
    bold, after_space = False, True
    for token in tokens:
        match token.type:
            case "strong_open" | "em_open":
                bold = True
            case "strong_close" | "em_close":
                bold = False
            case "hardbreak":
                yield None
                after_space = True
            case "softbreak":
                after_space = True
            case "text":
                for number, part in enumerate(token.content.split(" ")):
                    after_space = after_space or number > 0
                    if part:
                        yield Word(part, bold, glued=not after_space)
                        after_space = False
            case other:
                raise UserError(f"text: a screen can't show Markdown's {other!r}")

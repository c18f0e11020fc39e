"""Paper: pages of A4 with the suite's typeface, made of the blocks that screens show."""

import io
from collections.abc import Iterable, Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import lru_cache
from typing import Final
from unicodedata import east_asian_width

from reportlab.lib.colors import Color, HexColor
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.lib.utils import simpleSplit
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import (
    BaseDocTemplate,
    Flowable,
    Frame,
    KeepTogether,
    PageTemplate,
    Paragraph,
    Spacer,
    Table,
    TableStyle,
)

from experiments.screens.markdown import Block, blocks_of
from experiments.sheets.fonts import in_fonts, runs_of
from participants.texts.rig import RigWords
from stimuli.typeface import font_file

PLAIN: Final = "DejaVuSans"
BOLD: Final = "DejaVuSans-Bold"
INK: Final[Color] = HexColor("#1a1a1a")
SOFT: Final[Color] = HexColor("#6a6a6a")
LINE: Final[Color] = HexColor("#b5b5b5")
MARGIN: Final = 21 * mm
FOOT: Final = 12 * mm
BODY_PT: Final = 9.5
LEADING: Final = 1.5


@dataclass(frozen=True, slots=True)
class PaperText:
    """Text around the content of a document.

    Attributes
    ----------
    title
        Title of the file.
    words
        The words for the experimenter, in the document's language.
    foot
        Text at the foot of each page, before the page number.
    """

    title: str
    words: RigWords
    foot: str = ""


def written(story: Sequence[Flowable], about: PaperText) -> bytes:
    """Return a document of A4 pages as PDF; the same story gives the same bytes."""
    use_typeface()
    counted = _Document(io.BytesIO(), about, 0)
    # Building changes the objects that it lays out.
    counted.build(deepcopy(list(story)))
    held = io.BytesIO()
    _Document(held, about, counted.page).build(list(story))
    return held.getvalue()


class _Document(BaseDocTemplate):
    def __init__(self, held: io.BytesIO, about: PaperText, pages: int) -> None:
        super().__init__(
            held, pagesize=A4, title=about.title, author="", creator="Plainsight", invariant=1,
            leftMargin=MARGIN, rightMargin=MARGIN, topMargin=MARGIN - 2 * mm, bottomMargin=MARGIN,
        )  # fmt: skip
        self._about, self._pages = about, pages
        frame = Frame(
            MARGIN, MARGIN, A4[0] - 2 * MARGIN, A4[1] - 2 * MARGIN + 2 * mm,
            leftPadding=0, rightPadding=0, topPadding=0, bottomPadding=0,
        )  # fmt: skip
        self.addPageTemplates([PageTemplate(frames=[frame], onPage=self._draw_foot)])

    def _draw_foot(self, canvas: Canvas, document: BaseDocTemplate) -> None:
        word = self._about.words.filled(
            "page", page=str(canvas.getPageNumber()), pages=str(self._pages)
        )
        canvas.saveState()
        canvas.setFillColor(SOFT)
        draw_line(canvas, MARGIN, FOOT, self._about.foot, 7)
        canvas.setFont(PLAIN, 7)
        canvas.drawRightString(A4[0] - MARGIN, FOOT, word)
        canvas.restoreState()


@lru_cache(maxsize=1)
def use_typeface() -> None:
    """Register the typeface of the screens, which has all characters of the texts."""
    pdfmetrics.registerFont(TTFont(PLAIN, str(font_file("regular"))))
    pdfmetrics.registerFont(TTFont(BOLD, str(font_file("bold"))))
    pdfmetrics.registerFontFamily(PLAIN, normal=PLAIN, bold=BOLD, italic=PLAIN, boldItalic=BOLD)


def draw_line(
    canvas: Canvas, left: float, up: float, text: str, size_pt: float, face: str = PLAIN
) -> None:
    """Draw a line from a place in points; signs that the face lacks in their own fonts."""
    line = canvas.beginText(left, up)
    for name, run in runs_of(text):
        line.setFont(name or face, size_pt)
        line.textOut(run)
    canvas.drawText(line)


def style(size_pt: float = BODY_PT, *, bold: bool = False, **more: object) -> ParagraphStyle:
    """Return the style of a paragraph."""
    use_typeface()
    settings = {"textColor": INK, "leading": LEADING * size_pt, **more}
    return ParagraphStyle("", fontName=BOLD if bold else PLAIN, fontSize=size_pt, **settings)


def text_of(markdown: str) -> list[Flowable]:
    """Return a screen's text as paragraphs; UserError if a screen can't show it either."""
    return [_paragraph(block) for block in blocks_of(markdown)]


def heading(text: str, size_pt: float = 11.5) -> Flowable:
    """Return a heading within a sheet, which stays with what follows it."""
    look = style(size_pt, bold=True, spaceBefore=5 * mm, spaceAfter=1.5 * mm, keepWithNext=True)
    return Paragraph(in_fonts(text), look)


def small(text: str) -> Flowable:
    """Return a remark in small letters."""
    return Paragraph(in_fonts(text), style(8, textColor=SOFT, spaceAfter=2 * mm))


def together(parts: Iterable[Flowable]) -> Flowable:
    """Return parts that stay on one page."""
    return KeepTogether(list(parts))


def space(height_mm: float) -> Flowable:
    """Return empty vertical space."""
    return Spacer(1, height_mm * mm)


def signing(labels: Iterable[Sequence[str]]) -> Flowable:
    """Return lines to write on, two in a row, each with its label below."""
    rows = [[_Line(label) for label in pair] for pair in labels]
    wide = (A4[0] - 2 * MARGIN) / 2
    table = Table(rows, colWidths=[wide] * 2, rowHeights=[16 * mm] * len(rows))
    look = TableStyle(
        [("LEFTPADDING", (0, 0), (-1, -1), 0), ("VALIGN", (0, 0), (-1, -1), "BOTTOM")]
    )
    table.setStyle(look)
    return table


def choices(words: Iterable[str]) -> Flowable:
    """Return answers with a box to tick before each."""
    return ticked([[word] for word in words], bold=True)


def ticked(rows: Sequence[Sequence[str]], *, bold: bool = False) -> Flowable:
    """Return lines with a box to tick before each; a row's further cells are on the right."""
    look = style(bold=bold)
    cells = [[_Box(), *(Paragraph(in_fonts(cell), look) for cell in row)] for row in rows]
    table = Table(cells, colWidths=[8 * mm, A4[0] - 2 * MARGIN - 8 * mm], hAlign="LEFT")
    table.setStyle(
        TableStyle(
            [
                ("VALIGN", (0, 0), (-1, -1), "TOP"),
                ("LEFTPADDING", (0, 0), (-1, -1), 0),
                ("TOPPADDING", (0, 0), (-1, -1), 1.2 * mm),
                ("BOTTOMPADDING", (0, 0), (-1, -1), 1.2 * mm),
            ]
        )
    )
    return table


class _Line(Flowable):
    """A line to write on, and its label."""

    def __init__(self, label: str) -> None:
        super().__init__()
        self._label = label
        self.width, self.height = 74 * mm, 5 * mm

    def draw(self) -> None:
        """Draw the line with its label below."""
        canvas = self.canv
        canvas.setStrokeColor(INK)
        canvas.setLineWidth(0.5)
        canvas.line(0, self.height, self.width, self.height)
        canvas.setFillColor(SOFT)
        draw_line(canvas, 0, self.height - 3.6 * mm, self._label, 7.5)


class _Box(Flowable):
    """A box to tick."""

    def __init__(self) -> None:
        super().__init__()
        self.width = self.height = 3.4 * mm

    def draw(self) -> None:
        """Draw the box."""
        self.canv.setStrokeColor(INK)
        self.canv.setLineWidth(0.7)
        self.canv.rect(0, -0.6 * mm, self.width, self.height)


def _paragraph(block: Block) -> Flowable:
    marked = "".join(_marked(block))
    # Lines of Chinese and Japanese end between signs, since there are no blanks.
    ends = "CJK" if any(east_asian_width(sign) == "W" for sign in marked) else None
    match block.kind:
        case "heading":
            return Paragraph(marked, style(16, bold=True, leading=20, spaceAfter=4 * mm))
        case "subheading":
            look = style(
                11.5, bold=True, spaceBefore=3 * mm, spaceAfter=1.5 * mm, keepWithNext=True
            )
            return Paragraph(marked, look)
        case "item":
            look = style(
                leftIndent=6 * mm, bulletIndent=1.5 * mm, spaceAfter=1.2 * mm, wordWrap=ends
            )
            return Paragraph(marked, look, bulletText=block.marker or None)
    return Paragraph(marked, style(spaceAfter=2.6 * mm, wordWrap=ends))


def _marked(block: Block) -> Iterable[str]:
    """Yield a block's words as reportlab markup."""
    for number, word in enumerate(block.words):
        if word is None:
            yield "<br/>"
            continue
        gap = "" if number == 0 or word.glued or block.words[number - 1] is None else " "
        text = in_fonts(word.text)
        yield f"{gap}<b>{text}</b>" if word.bold else f"{gap}{text}"


def wrapped(text: str, face: str, size_pt: float, wide: float) -> list[str]:
    """Wrap a text to a width in points; return the lines."""
    use_typeface()
    return simpleSplit(text, face, size_pt, wide)

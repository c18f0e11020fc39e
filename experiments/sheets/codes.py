"""Codes on cards and labels, each with a QR code that a scanner types."""

import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

import segno
from reportlab.lib.units import mm
from reportlab.pdfgen.canvas import Canvas

from experiments.sheets.grid import Cell, Grid, drawn
from experiments.sheets.paper import BOLD, INK, PLAIN, SOFT, wrapped
from participants.files import make_private, write_file
from participants.texts.rig import RigWords

CARDS: Final = Grid(columns=2, rows=5, width=85.6 * mm, height=54 * mm)
"""Cards of the size of a bank card."""
LABELS: Final = Grid(columns=3, rows=8, width=70 * mm, height=36 * mm)
"""Labels of 70 × 36 mm, 24 a sheet, such as Avery 3490."""
QUIET: Final = 4
"""Modules that stay empty around a QR code (ISO/IEC 18004)."""

SCALE: Final = 12
"""Pixels of a module."""

Format = Literal["png", "svg"]


@dataclass(frozen=True, slots=True)
class Issuer:
    """Who hands codes out: what a card says of the lab."""

    institution: str
    contact: str


def qr_of(code: str) -> segno.QRCode:
    """Return the QR code of a code: a scanner types only the code.

    A quarter of it may be unreadable (error correction Q), as on a card in a purse.
    """
    return segno.make_qr(code, error="q", boost_error=False)


def code_images(codes: Sequence[str], folder: Path, kind: Format) -> None:
    """Write an image of each code's QR code, ``CODE.png`` or ``CODE.svg``."""
    make_private(folder)
    for code in codes:
        held = io.BytesIO()
        qr_of(code).save(held, kind=kind, scale=SCALE, border=QUIET)
        write_file(folder / f"{code}.{kind}", held.getvalue())


def card_sheet(codes: Sequence[str], issuer: Issuer, words: RigWords) -> bytes:
    """Return cards to cut out, ten a page, as PDF."""
    return drawn(CARDS, [_card(code, issuer, words) for code in codes], title=words["code"])


def label_sheet(codes: Sequence[str]) -> bytes:
    """Return labels, 24 a page, as PDF."""
    return drawn(LABELS, [_label(code) for code in codes], title="Labels", marks=False)


def _card(code: str, issuer: Issuer, words: RigWords) -> Callable[[Canvas, Cell], None]:
    def draw(canvas: Canvas, cell: Cell) -> None:
        side = 27 * mm
        left = cell.left + 5 * mm
        _draw_qr(canvas, code, cell.right - side - 3 * mm, cell.top - side - 3 * mm, side)
        wide = cell.right - side - 5 * mm - left
        top = cell.top - 8 * mm
        for line in wrapped(issuer.institution, PLAIN, 7, wide)[:2]:
            canvas.setFont(PLAIN, 7)
            canvas.setFillColor(SOFT)
            canvas.drawString(left, top, line)
            top -= 3.2 * mm
        _draw_code(canvas, code, left, cell.top - 22 * mm, 19)
        canvas.setFillColor(INK)
        below = cell.top - 33.5 * mm
        for text in (words["card_keep"], words["card_why"]):
            for line in wrapped(text, PLAIN, 6.5, cell.right - 5 * mm - left):
                canvas.setFont(PLAIN, 6.5)
                canvas.drawString(left, below, line)
                below -= 2.9 * mm
        canvas.setFillColor(SOFT)
        canvas.drawString(left, cell.bottom + 4 * mm, issuer.contact)

    return draw


def _label(code: str) -> Callable[[Canvas, Cell], None]:
    def draw(canvas: Canvas, cell: Cell) -> None:
        side = 26 * mm
        middle = (cell.top + cell.bottom) / 2
        _draw_qr(canvas, code, cell.left + 3 * mm, middle - side / 2, side)
        _draw_code(canvas, code, cell.left + side + 5 * mm, middle - 2 * mm, 13)

    return draw


def _draw_code(canvas: Canvas, code: str, left: float, bottom: float, size_pt: float) -> None:
    canvas.setFont(BOLD, size_pt)
    canvas.setFillColor(INK)
    # Apart, so that nobody skips a sign; the text to be copied is the code itself.
    canvas.drawString(left, bottom, code, charSpace=0.06 * size_pt)


def _draw_qr(canvas: Canvas, code: str, left: float, bottom: float, side: float) -> None:
    rows = list(qr_of(code).matrix_iter(border=QUIET))
    module = side / len(rows)
    canvas.setFillColor(INK)
    for at, row in enumerate(rows):
        for across, dark in enumerate(row):
            if dark:
                place = (left + across * module, bottom + side - (at + 1) * module)
                # A hair wider than a module: viewers draw no gaps between neighbours.
                canvas.rect(*place, module * 1.02, module * 1.02, stroke=0, fill=1)

"""Cards, labels and receipts: pages of equal cells.

Cards and labels show codes, each with a QR code that a scanner types. Receipts are for payments:
the receipt has the person's name, the stub has the code.
"""

import io
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Final, Literal

import segno
from reportlab.lib.pagesizes import A4
from reportlab.lib.units import mm
from reportlab.pdfgen.canvas import Canvas

from experiments.sheets.paper import BOLD, INK, LINE, PLAIN, SOFT, draw_line, use_typeface, wrapped
from participants.files import make_private, write_file
from participants.payments.ledger import Account
from participants.texts.load import writing_of
from participants.texts.rig import RigWords

MARK: Final = 4 * mm


@dataclass(frozen=True, slots=True)
class Cell:
    """Position of a cell, in points from the page's lower left corner."""

    left: float
    bottom: float
    right: float
    top: float


@dataclass(frozen=True, slots=True)
class Grid:
    """Equal cells side by side in the middle of an A4 page; width and height in points."""

    columns: int
    rows: int
    width: float
    height: float

    @property
    def margins(self) -> tuple[float, float]:
        """Left and bottom margins."""
        free = A4[0] - self.columns * self.width, A4[1] - self.rows * self.height
        return free[0] / 2, free[1] / 2

    def cells(self) -> Iterator[Cell]:
        """Yield a page's cells, row by row from the top."""
        left, bottom = self.margins
        for row in range(self.rows):
            for column in range(self.columns):
                at = left + column * self.width, bottom + (self.rows - 1 - row) * self.height
                yield Cell(*at, at[0] + self.width, at[1] + self.height)


Draw = Callable[[Canvas, Cell], None]


def drawn(grid: Grid, drawings: Sequence[Draw], *, title: str, marks: bool = True) -> bytes:
    """Return the drawings as PDF pages; the same drawings give the same bytes.

    Parameters
    ----------
    grid
        Layout of the cells.
    drawings
        Functions that draw one cell each.
    title
        Title of the file.
    marks
        Whether to draw cutting marks at the edges.
    """
    use_typeface()
    held = io.BytesIO()
    canvas = Canvas(held, pagesize=A4, invariant=1)
    canvas.setTitle(title)
    canvas.setCreator("Plainsight")
    most = grid.columns * grid.rows
    for first in range(0, max(1, len(drawings)), most):
        if marks:
            _draw_marks(canvas, grid)
        for draw, cell in zip(drawings[first : first + most], grid.cells(), strict=False):
            draw(canvas, cell)
        canvas.showPage()
    canvas.save()
    return held.getvalue()


def _draw_marks(canvas: Canvas, grid: Grid) -> None:
    left, bottom = grid.margins
    right, top = A4[0] - left, A4[1] - bottom
    canvas.setStrokeColor(LINE)
    canvas.setLineWidth(0.4)
    for column in range(grid.columns + 1):
        across = left + column * grid.width
        canvas.line(across, bottom - 1 * mm, across, bottom - 1 * mm - MARK)
        canvas.line(across, top + 1 * mm, across, top + 1 * mm + MARK)
    for row in range(grid.rows + 1):
        up = bottom + row * grid.height
        canvas.line(left - 1 * mm, up, left - 1 * mm - MARK, up)
        canvas.line(right + 1 * mm, up, right + 1 * mm + MARK, up)


CARDS: Final = Grid(columns=2, rows=5, width=85.6 * mm, height=54 * mm)
"""Cards of the size of a bank card."""
LABELS: Final = Grid(columns=3, rows=8, width=70 * mm, height=36 * mm)
"""Labels of 70 × 36 mm, 24 per sheet, such as Avery 3490."""
QUIET: Final = 4
"""Modules that stay empty around a QR code (ISO/IEC 18004)."""

SCALE: Final = 12
"""Pixels per module."""

Format = Literal["png", "svg"]


@dataclass(frozen=True, slots=True)
class Issuer:
    """Details of the lab on a card."""

    institution: str
    contact: str


def qr_of(code: str) -> segno.QRCode:
    """Return the QR code of a code; a scanner types only the code.

    Up to a quarter of it may be unreadable (error correction Q), as on a worn card.
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
    """Return cards to cut out, ten per page, as PDF."""
    return drawn(CARDS, [_card(code, issuer, words) for code in codes], title=words["code"])


def label_sheet(codes: Sequence[str]) -> bytes:
    """Return labels, 24 per page, as PDF."""
    return drawn(LABELS, [_label(code) for code in codes], title="Labels", marks=False)


def _card(code: str, issuer: Issuer, words: RigWords) -> Callable[[Canvas, Cell], None]:
    def draw(canvas: Canvas, cell: Cell) -> None:
        side = 27 * mm
        left = cell.left + 5 * mm
        _draw_qr(canvas, code, cell.right - side - 3 * mm, cell.top - side - 3 * mm, side)
        wide = cell.right - side - 5 * mm - left
        top = cell.top - 8 * mm
        for line in wrapped(issuer.institution, PLAIN, 7, wide)[:2]:
            canvas.setFillColor(SOFT)
            draw_line(canvas, left, top, line, 7)
            top -= 3.2 * mm
        _draw_code(canvas, code, left, cell.top - 22 * mm, 19)
        canvas.setFillColor(INK)
        below = cell.top - 33.5 * mm
        for text in (words["card_keep"], words["card_why"]):
            for line in wrapped(text, PLAIN, 6.5, cell.right - 5 * mm - left):
                draw_line(canvas, left, below, line, 6.5)
                below -= 2.9 * mm
        canvas.setFillColor(SOFT)
        draw_line(canvas, left, cell.bottom + 4 * mm, issuer.contact, 6.5)

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
    # Spaced out, so that nobody skips a character; the text for copying is the code itself.
    canvas.drawString(left, bottom, code, charSpace=0.06 * size_pt)


def _draw_qr(canvas: Canvas, code: str, left: float, bottom: float, side: float) -> None:
    rows = list(qr_of(code).matrix_iter(border=QUIET))
    module = side / len(rows)
    canvas.setFillColor(INK)
    for at, row in enumerate(rows):
        for across, dark in enumerate(row):
            if dark:
                place = (left + across * module, bottom + side - (at + 1) * module)
                # Slightly wider than a module, so that viewers draw no gaps between neighbours.
                canvas.rect(*place, module * 1.02, module * 1.02, stroke=0, fill=1)


RECEIPTS: Final = Grid(columns=1, rows=3, width=A4[0] - 20 * mm, height=92 * mm)
STUB: Final = 48 * mm


def receipt_sheet(accounts: Sequence[Account], issuer: Issuer, words: RigWords) -> bytes:
    """Return a receipt for each session, of what is due or was paid, three per page, as PDF."""
    title = words["receipt"]
    return drawn(RECEIPTS, [_receipt(account, issuer, words) for account in accounts], title=title)


def _receipt(account: Account, issuer: Issuer, words: RigWords) -> Callable[[Canvas, Cell], None]:
    cents = account.due_cents or account.paid_cents
    amount = f"{_money(cents, words.language)} {account.currency}"

    def draw(canvas: Canvas, cell: Cell) -> None:
        stub = cell.left + STUB
        _draw_stub(canvas, cell, account, amount, words)
        _draw_cut(canvas, cell, stub, words)
        left, top, wide = stub + 10 * mm, cell.top - 11 * mm, cell.right - stub - 14 * mm
        _put(canvas, BOLD, 14, left, top, words["receipt"])
        canvas.setFont(BOLD, 14)
        canvas.drawRightString(left + wide, top, amount)
        canvas.setFillColor(SOFT)
        draw_line(canvas, left, top - 6 * mm, issuer.institution, 8)
        text = words.filled("receipt_text", date=_day(account.date, words.language))
        down = top - 15 * mm
        for line in wrapped(text, PLAIN, 9.5, wide):
            _put(canvas, PLAIN, 9.5, left, down, line)
            down -= 5 * mm
        _put(canvas, BOLD, 9.5, left, down - 1 * mm, amount)
        for at, label in enumerate(("receipt_name", "receipt_address", "receipt_signature")):
            up = cell.bottom + (38 - 14 * at) * mm
            canvas.setStrokeColor(INK)
            canvas.setLineWidth(0.5)
            canvas.line(left, up, left + wide, up)
            canvas.setFillColor(SOFT)
            draw_line(canvas, left, up - 3.4 * mm, words[label], 7)

    return draw


def _draw_stub(canvas: Canvas, cell: Cell, account: Account, amount: str, words: RigWords) -> None:
    left, top = cell.left + 3 * mm, cell.top - 11 * mm
    _put(canvas, BOLD, 9, left, top, words["stub"])
    _put(canvas, BOLD, 14, left, top - 10 * mm, account.code)
    lines = [account.study, _day(account.date, words.language), amount]
    if account.minutes is not None:
        lines.insert(2, words.filled("minutes", minutes=str(account.minutes)))
    for at, line in enumerate(lines):
        _put(canvas, PLAIN, 8.5, left, top - (18 + 5.5 * at) * mm, line)


def _draw_cut(canvas: Canvas, cell: Cell, across: float, words: RigWords) -> None:
    canvas.saveState()
    canvas.setStrokeColor(LINE)
    canvas.setLineWidth(0.6)
    canvas.setDash(3, 2)
    canvas.line(across, cell.bottom + 3 * mm, across, cell.top - 3 * mm)
    canvas.setFillColor(SOFT)
    canvas.translate(across + 3.2 * mm, cell.bottom + 4 * mm)
    canvas.rotate(90)
    draw_line(canvas, 0, 0, words["stub_cut"], 5.8)
    canvas.restoreState()


def _money(cents: int, language: str) -> str:
    return f"{cents / 100:.2f}".replace(".", writing_of(language).decimal)


def _day(day: date, language: str) -> str:
    return day.strftime(writing_of(language).date)


def _put(canvas: Canvas, face: str, size_pt: float, left: float, up: float, text: str) -> None:
    canvas.setFillColor(INK)
    draw_line(canvas, left, up, text, size_pt, face)

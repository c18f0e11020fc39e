"""Receipts for what people are paid: the receipt has the name, the stub the code."""

from collections.abc import Callable, Sequence
from datetime import date
from typing import Final

from reportlab.lib.pagesizes import A4
from reportlab.lib.units import mm
from reportlab.pdfgen.canvas import Canvas

from experiments.sheets.codes import Issuer
from experiments.sheets.grid import Cell, Grid, drawn
from experiments.sheets.paper import BOLD, INK, LINE, PLAIN, SOFT, wrapped
from participants.payments.ledger import Account
from participants.texts.numbers import has_decimal_comma
from participants.texts.rig import RigWords

RECEIPTS: Final = Grid(columns=1, rows=3, width=A4[0] - 20 * mm, height=92 * mm)
STUB: Final = 48 * mm


def receipt_sheet(accounts: Sequence[Account], issuer: Issuer, words: RigWords) -> bytes:
    """Return a receipt for each session of which something is due, three a page, as PDF."""
    title = words["receipt"]
    return drawn(RECEIPTS, [_receipt(one, issuer, words) for one in accounts], title=title)


def _receipt(account: Account, issuer: Issuer, words: RigWords) -> Callable[[Canvas, Cell], None]:
    amount = f"{_money(account.due_cents, words.language)} {account.currency}"

    def draw(canvas: Canvas, cell: Cell) -> None:
        stub = cell.left + STUB
        _draw_stub(canvas, cell, account, amount, words)
        _draw_cut(canvas, cell, stub, words)
        left, top, wide = stub + 10 * mm, cell.top - 11 * mm, cell.right - stub - 14 * mm
        _put(canvas, BOLD, 14, left, top, words["receipt"])
        canvas.setFont(BOLD, 14)
        canvas.drawRightString(left + wide, top, amount)
        canvas.setFillColor(SOFT)
        canvas.setFont(PLAIN, 8)
        canvas.drawString(left, top - 6 * mm, issuer.institution)
        told = words.filled("receipt_text", date=_day(account.date, words.language))
        down = top - 15 * mm
        for line in wrapped(told, PLAIN, 9.5, wide):
            _put(canvas, PLAIN, 9.5, left, down, line)
            down -= 5 * mm
        _put(canvas, BOLD, 9.5, left, down - 1 * mm, amount)
        for at, label in enumerate(("receipt_name", "receipt_address", "receipt_signature")):
            up = cell.bottom + (38 - 14 * at) * mm
            canvas.setStrokeColor(INK)
            canvas.setLineWidth(0.5)
            canvas.line(left, up, left + wide, up)
            canvas.setFillColor(SOFT)
            canvas.setFont(PLAIN, 7)
            canvas.drawString(left, up - 3.4 * mm, words[label])

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
    canvas.setFont(PLAIN, 5.8)
    canvas.translate(across + 3.2 * mm, cell.bottom + 4 * mm)
    canvas.rotate(90)
    canvas.drawString(0, 0, words["stub_cut"])
    canvas.restoreState()


def _money(cents: int, language: str) -> str:
    text = f"{cents / 100:.2f}"
    return text.replace(".", ",") if has_decimal_comma(language) else text


def _day(day: date, language: str) -> str:
    return f"{day:%d.%m.%Y}" if language.partition("-")[0] == "de" else f"{day.isoformat()}"


def _put(canvas: Canvas, face: str, size_pt: float, left: float, up: float, text: str) -> None:
    canvas.setFillColor(INK)
    canvas.setFont(face, size_pt)
    canvas.drawString(left, up, text)

"""A page of equal cells, such as cards or labels."""

import io
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from reportlab.lib.pagesizes import A4
from reportlab.lib.units import mm
from reportlab.pdfgen.canvas import Canvas

from experiments.sheets.paper import LINE, use_typeface

MARK: Final = 4 * mm


@dataclass(frozen=True, slots=True)
class Cell:
    """Where a cell lies on a page, in points from the page's lower left corner."""

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
        """What stays free at the left and at the bottom."""
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
    """Return as many pages as the drawings need, as PDF: the same drawings make the same bytes.

    Parameters
    ----------
    grid
        Where they go.
    drawings
        Each draws one cell.
    title
        Of the file.
    marks
        Whether marks at the edges show where to cut.
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

"""What was shown: what the figures of a pack's pictures share."""

import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray
from PIL import Image

from analysis.data.tables import Dataset
from analysis.report.parts import Paragraph
from analysis.report.style import figure_style, subplots
from stimuli.pack import Pack

Answer = TypeVar("Answer")
Pixels = NDArray[np.uint8]

LABEL_IN = 0.9
"""Room for the rows' names, inches."""
_GAP: Final = 0.22
"""Height of the gap between blocks of rows, in squares."""


NO_PICTURES = Paragraph(
    "The figures of what was shown are left out: the pack’s pictures aren’t in the data "
    "folder. Name the pack with --pack.",
    "quiet",
)
"""What stands in place of the figures."""


def picture_of(data: bytes, mode: str = "RGB") -> Pixels:
    """Return an image file's pixels, uint8 (height, width, 3), or (height, width) for mode L."""
    with Image.open(io.BytesIO(data)) as image:
        return np.asarray(image.convert(mode), dtype=np.uint8)


def at_most(pixels: Pixels, width_px: int) -> Pixels:
    """Return a picture, made smaller where it is wider."""
    height, width = pixels.shape[:2]
    if width <= width_px:
        return pixels
    size = (width_px, round(height * width_px / width))
    return np.asarray(Image.fromarray(pixels).resize(size, Image.Resampling.BOX))


def of_pack(
    pictures: Callable[[Pack, Answer], Mapping[Any, Pixels]],
) -> Callable[[Dataset, Answer], Mapping[Any, Pixels]]:
    """Return the pictures of a question from the pack; none if the pack isn't available."""
    return lambda dataset, answer: {} if dataset.pack is None else pictures(dataset.pack, answer)


@dataclass(frozen=True, slots=True)
class Cell:
    """A picture, and the note in its corner."""

    pixels: Pixels
    note: str = ""


@dataclass(frozen=True, slots=True)
class PictureRow:
    """Pictures side by side.

    Attributes
    ----------
    name
        Stands on their left.
    cells
        From left to right; None leaves a place blank.
    titles
        Stand above them.
    """

    name: str
    cells: Sequence[Cell | None]
    titles: Sequence[str] = ()


def picture_rows(blocks: Sequence[Sequence[PictureRow]], cell_in: float, head_in: float) -> Figure:
    """Return rows of square pictures close together, with a gap between blocks of rows.

    Parameters
    ----------
    blocks
        The rows.
    cell_in, head_in
        Side of a square, and the room above, inches.
    """
    rows = [row for block in blocks for row in (*block, None)][:-1]
    columns = max(len(row.cells) for row in rows if row is not None)
    lines = [_GAP if row is None else 1.0 for row in rows]
    width, height = LABEL_IN + columns * cell_in, head_in + sum(lines) * cell_in
    with figure_style():
        figure, panels = subplots(
            len(lines), columns, figsize=(width, height), height_ratios=lines, squeeze=False
        )
        figure.subplots_adjust(
            left=LABEL_IN / width, right=0.995, bottom=0.01, top=1 - 0.9 * head_in / height,
            wspace=0.06, hspace=0.06,
        )  # fmt: skip
        for axes in panels.flat:
            show(axes, None)
        for line, row in zip(panels, rows, strict=True):
            if row is not None:
                _draw_row(line, row)
    return figure


def _draw_row(line: Sequence[Axes], row: PictureRow) -> None:
    line[0].text(
        -0.08, 0.5, row.name, transform=line[0].transAxes, ha="right", va="center", fontsize=8
    )
    for axes, title in zip(line, row.titles, strict=False):
        axes.set_title(title, fontsize=7.5, fontweight="normal", loc="center")
    for axes, cell in zip(line, row.cells, strict=False):
        if cell is not None:
            show(axes, cell.pixels)
            if cell.note:
                _write_note(axes, cell.note)


def show(axes: Axes, pixels: Pixels | None) -> None:
    """Draw a picture into a panel without scales; without a picture the panel stays blank."""
    axes.set(xticks=[], yticks=[])
    axes.spines[:].set_visible(False)
    if pixels is not None:
        axes.imshow(pixels, interpolation="nearest")


def _write_note(axes: Axes, text: str) -> None:
    """Write a note into a panel's lower left corner."""
    box = {"facecolor": "white", "edgecolor": "none", "pad": 0.8, "alpha": 0.85}
    axes.text(
        0.03, 0.03, text, transform=axes.transAxes, fontsize=6.5, ha="left", va="bottom", bbox=box
    )

"""What was shown: what the figures of a pack's pictures share."""

import io
from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray
from PIL import Image

from analysis.report.parts import Paragraph
from analysis.report.style import subplots

Pixels = NDArray[np.uint8]

LABEL_IN = 0.9
"""Room for the rows' names, inches."""


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


def at_most(pixels: Pixels, side_px: int) -> Pixels:
    """Return a square picture, made smaller where its side is larger."""
    if len(pixels) <= side_px:
        return pixels
    small = Image.fromarray(pixels).resize((side_px, side_px), Image.Resampling.BOX)
    return np.asarray(small)


def show(axes: Axes, pixels: Pixels | None) -> None:
    """Draw a picture into a panel without scales; without a picture the panel stays blank."""
    axes.set(xticks=[], yticks=[])
    axes.spines[:].set_visible(False)
    if pixels is not None:
        axes.imshow(pixels, interpolation="nearest")


def grid(
    lines: Sequence[float], columns: int, cell_in: float, head_in: float
) -> tuple[Figure, Any]:
    """Return square panels close together, with room for names on the left and above.

    Parameters
    ----------
    lines
        Heights of the rows in squares; a row lower than one square is a blank gap between its
        neighbours.
    columns
        How many.
    cell_in, head_in
        Side of a square, and the room above, inches.
    """
    width, height = LABEL_IN + columns * cell_in, head_in + sum(lines) * cell_in
    figure, panels = subplots(
        len(lines), columns, figsize=(width, height), height_ratios=lines, squeeze=False
    )
    figure.subplots_adjust(
        left=LABEL_IN / width, right=0.995, bottom=0.01, top=1 - 0.9 * head_in / height,
        wspace=0.06, hspace=0.06,
    )  # fmt: skip
    for axes in panels.flat:
        show(axes, None)
    return figure, panels


def name_row(axes: Axes, text: str) -> None:
    """Write a row's name on the left of its first panel."""
    axes.text(-0.08, 0.5, text, transform=axes.transAxes, ha="right", va="center", fontsize=8)


def note(axes: Axes, text: str) -> None:
    """Write a note into a panel's lower left corner."""
    box = {"facecolor": "white", "edgecolor": "none", "pad": 0.8, "alpha": 0.85}
    axes.text(
        0.03, 0.03, text, transform=axes.transAxes, fontsize=6.5, ha="left", va="bottom", bbox=box
    )

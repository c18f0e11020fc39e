"""What was shown: what the figures of a pack's pictures share."""

import io
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray
from PIL import Image

from analysis.report.declared import Results
from analysis.report.parts import Paragraph

Pixels = NDArray[np.uint8]


def no_pictures(results: Results) -> Paragraph | None:
    """Return the line that stands in place of the figures; None where there are pictures."""
    if results["seen"] is not None:
        return None
    return Paragraph(
        "The figures of what was shown are left out: the pack’s pictures aren’t in the data "
        "folder. Name the pack with --pack.",
        "quiet",
    )


def drawable(results: Results) -> Any:
    """Return whether there are pictures to draw; they are no part of results.json."""
    return results.get("pictures")


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
    """Draw a picture into a panel without scales; a panel without one is left blank."""
    axes.set(xticks=[], yticks=[])
    for spine in axes.spines.values():
        spine.set_visible(False)
    if pixels is not None:
        axes.imshow(pixels, interpolation="nearest")

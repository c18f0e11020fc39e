"""Pictures of uncovering: a sheet of steps a method, and pixel counts as violins."""

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.ticker import MultipleLocator
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from analysis.report.style import FAINT, INK, SOFT, WIDTH_IN, figure_style
from stimuli.colour.spaces import srgb_decode, srgb_encode
from stimuli.names import method_name
from stimuli.pack import Pack
from stimuli.studies.progressive_reveal.reveal import image_at, uncovered

SIDE_PX, GAP_PX, FOOT_PX = 128, 3, 18
ACROSS = 8
"""Cells of a line; a page shows so many without making them smaller."""
GROUND, WORDS = (30, 30, 30), (205, 205, 205)
COLOURS = 256


@dataclass(frozen=True, slots=True, eq=False)
class Uncovered:
    """A photograph and how a method uncovers it, as a pack has it.

    Attributes
    ----------
    item, class_id, method, ran_out
        As in ``key.csv``.
    image
        uint8 (H, W, 3).
    step_of
        uint8 (H, W), the steps file.
    pixels
        Pixels uncovered at each step, counted in the steps file.
    """

    item: str
    class_id: str
    method: str
    ran_out: bool
    image: NDArray[np.uint8]
    step_of: NDArray[np.uint8]
    pixels: tuple[int, ...]

    @classmethod
    def of(
        cls, key: Mapping[str, Any], row: Mapping[str, Any], pack: Pack, steps: int
    ) -> "Uncovered":
        """Return what a row of ``items.csv``, with its row of ``key.csv``, shows."""
        step_of = _pixels(pack.asset(str(row["steps_file"])))
        counted = tuple(int(uncovered(step_of, k).sum()) for k in range(1, steps + 1))
        image = _pixels(pack.asset(str(row["image_file"])))
        return cls(
            key["item"], key["class"], key["method"], key["ran_out"], image, step_of, counted
        )


def steps_sheet(rows: Sequence[Uncovered], path: Path) -> None:
    """Write a sheet: for each photograph its steps in order, the whole photograph last."""
    lines = -(-(len(rows[0].pixels) + 1) // ACROSS)
    step_x, step_y = SIDE_PX + GAP_PX, SIDE_PX + FOOT_PX
    block_y = lines * step_y + 3 * GAP_PX
    sheet = Image.new("RGB", (GAP_PX + step_x * ACROSS, GAP_PX + block_y * len(rows)), GROUND)
    draw, font = ImageDraw.Draw(sheet), ImageFont.load_default(size=11)
    for number, row in enumerate(rows):
        steps = range(1, len(row.pixels) + 1)
        cells = [image_at(row.image, row.step_of, step) for step in steps]
        words = [_said(row, step) for step in steps]
        whole = row.class_id.replace("_", " ")
        for place, (cell, said) in enumerate([*zip(cells, words, strict=True), (row.image, whole)]):
            line, column = divmod(place, ACROSS)
            x, y = GAP_PX + column * step_x, GAP_PX + number * block_y + line * step_y
            sheet.paste(_smaller(cell), (x, y))
            draw.text((x, y + SIDE_PX + 2), said, WORDS, font)
    small = sheet.quantize(COLOURS, Image.Quantize.MAXCOVERAGE, kmeans=2, dither=0)
    small.save(path, optimize=True)


def _said(one: Uncovered, step: int) -> str:
    pixels = one.pixels[step - 1]
    return f"{step}: {pixels} px, {100 * pixels / one.step_of.size:.1f} %"


def _smaller(codes: NDArray[np.uint8]) -> Image.Image:
    """Return a picture at the sheet's size.

    Pixels are averaged as light: averaged as codes, a pixel that stands alone in black would
    all but vanish, which it doesn't on a screen.
    """
    light = srgb_decode(codes / 255).astype(np.float32)
    planes = [
        np.asarray(Image.fromarray(plane).resize((SIDE_PX, SIDE_PX), Image.Resampling.BOX))
        for plane in np.moveaxis(light, 2, 0)
    ]
    encoded = srgb_encode(np.clip(np.stack(planes, axis=2), 0, 1))
    return Image.fromarray(np.rint(255 * encoded).astype(np.uint8))


def counts_picture(
    counts: Mapping[str, Sequence[Sequence[int]]], image_pixels: int, path: Path
) -> None:
    """Write violins of the pixels uncovered at each step, a panel a method.

    Parameters
    ----------
    counts
        By method each photograph's pixels, one number a step.
    image_pixels
        Of the whole image.
    path
        The PNG.
    """
    with figure_style():
        figure, panels = plt.subplots(
            1,
            len(counts),
            figsize=(WIDTH_IN, 2.6),
            sharey=True,
            layout="constrained",
            squeeze=False,
        )
        for panel, (method, own) in zip(panels.flat, counts.items(), strict=True):
            _violins(panel, np.array(own) * 100 / image_pixels)
            name = method_name(method)
            panel.set_title(name[0].upper() + name[1:])
            panel.set_xlabel("step")
        panels.flat[0].set_ylabel("uncovered, % of the image")
        panels.flat[0].set_ylim(bottom=0)
        panels.flat[0].yaxis.set_major_locator(MultipleLocator(5))
        panels.flat[0].annotate("a tenth", (1, 10), va="bottom", color=SOFT, fontsize=7.5)
        figure.savefig(path, dpi=130)
        plt.close(figure)


def _violins(panel: Axes, percent: NDArray[np.float64]) -> None:
    """Draw a violin a step; a line where all photographs agree."""
    steps = np.arange(1, percent.shape[1] + 1)
    spread = np.ptp(percent, axis=0) > 0
    if spread.any():
        drawn = panel.violinplot(percent[:, spread], steps[spread], widths=0.9, showextrema=False)
        for body in drawn["bodies"]:
            body.set(facecolor=SOFT, edgecolor=INK, alpha=0.6, linewidth=0.5)
    panel.plot(steps, np.median(percent, axis=0), color=INK, linewidth=1, marker=".", markersize=3)
    panel.axhline(10, color=FAINT, linewidth=0.8, zorder=0)
    panel.set_xticks([1, 5, 10, 15])


def _pixels(data: bytes) -> NDArray[np.uint8]:
    with Image.open(io.BytesIO(data)) as image:
        return np.asarray(image, dtype=np.uint8)

"""Pictures in memory in place of a graphics card: pixels are copied, none is computed."""

from dataclasses import replace
from typing import Any

import numpy as np
from PIL import Image

from experiments.engine.picture import Layers, Pixels
from experiments.engine.window import Rgb, SizePx


def put(canvas: Pixels, pixels: Pixels, left_px: int, top_px: int) -> None:
    """Copy pixels to their place on a canvas, as far as they lie on it."""
    high, wide = canvas.shape[:2]
    rows = slice(max(0, top_px), min(high, top_px + pixels.shape[0]))
    columns = slice(max(0, left_px), min(wide, left_px + pixels.shape[1]))
    if rows.start < rows.stop and columns.start < columns.stop:
        canvas[rows, columns] = pixels[
            rows.start - top_px : rows.stop - top_px,
            columns.start - left_px : columns.stop - left_px,
        ]


def _enlarged(pixels: Pixels, scale: int) -> Pixels:
    """Return a copy whose pixels are squares of so many pixels."""
    return pixels.repeat(scale, axis=0).repeat(scale, axis=1)


class Canvas:
    """A frame: what is drawn, in order, and the pixels once they are needed.

    Parameters
    ----------
    size_px, background
        The window's size, and the colour of the empty screen.
    """

    def __init__(self, size_px: SizePx, background: Rgb) -> None:
        width, height = size_px
        self._empty: Pixels = np.full((height, width, 3), background, np.uint8)
        self._drawn: list[tuple[Any, ...]] = []

    def begin(self) -> None:
        """Begin an empty frame."""
        self._drawn = []

    def draw(self, part: "PaperPicture | PaperCursor", *state: float) -> None:
        """Draw a part in its present state."""
        self._drawn.append((part, *state))

    @property
    def drawn(self) -> tuple[tuple[Any, ...], ...]:
        """What is drawn: frames that have the same look the same."""
        return tuple(self._drawn)

    def pixels(self) -> Pixels:
        """Return the frame, uint8 (height, width, 3)."""
        pixels = self._empty.copy()
        for part, *state in self._drawn:
            part.put_on(pixels, *state)
        return pixels


class PaperPicture:
    """Layers on a canvas, copied as `experiments.engine.picture.Picture` copies them on a card."""

    def __init__(self, canvas: Canvas, layers: Layers) -> None:
        self._canvas = canvas
        self._layers = [
            replace(layer, pixels=_enlarged(layer.pixels, layer.scale)) for layer in layers
        ]
        self._changes = 0

    def draw(self) -> None:
        """Draw the layers."""
        self._canvas.draw(self, self._changes)

    def put_on(self, pixels: Pixels, _: float) -> None:
        """Copy the layers to a frame."""
        for layer in self._layers:
            put(pixels, layer.pixels, layer.left_px, layer.top_px)

    def replace(self, pixels: Pixels, left_px: int, top_px: int) -> None:
        """Change a rectangle of the lowest layer."""
        lowest = self._layers[0]
        self._changes += 1
        part = _enlarged(pixels, lowest.scale)
        put(lowest.pixels, part, left_px * lowest.scale, top_px * lowest.scale)

    def free(self) -> None:
        """Do nothing: no card holds it."""


class PaperCursor:
    """A picture with transparent parts that is laid on a canvas."""

    def __init__(self, canvas: Canvas, pixels: Pixels) -> None:
        self._canvas = canvas
        self._picture = Image.fromarray(pixels)

    def draw(self, x_px: float, y_px: float) -> None:
        """Draw it with its middle at a position."""
        self._canvas.draw(self, x_px, y_px)

    def put_on(self, pixels: Pixels, x_px: float, y_px: float) -> None:
        """Lay it on a frame."""
        whole = Image.fromarray(pixels)
        wide, high = self._picture.size
        whole.paste(self._picture, (round(x_px - wide / 2), round(y_px - high / 2)), self._picture)
        pixels[:] = np.asarray(whole)

"""What layers look like on a screen, without a window."""

import numpy as np

from experiments.engine.picture import Layers, Pixels
from experiments.engine.window import Rgb, SizePx


def composed(layers: Layers, size_px: SizePx, background: Rgb) -> Pixels:
    """Return what a screen with these layers looks like: uint8 (height, width, 3)."""
    width, height = size_px
    screen = np.empty((height, width, 3), dtype=np.uint8)
    screen[:] = background
    for layer in layers:
        pixels = layer.pixels.repeat(layer.scale, axis=0).repeat(layer.scale, axis=1)
        high, wide = pixels.shape[:2]
        screen[layer.top_px : layer.top_px + high, layer.left_px : layer.left_px + wide] = pixels
    return screen

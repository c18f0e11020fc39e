"""The patch that a photodiode watches: white exactly while the critical stimulus is on."""

import numpy as np

from experiments.engine.picture import Layer, Picture
from experiments.engine.window import Window

SIDE_PX = 64
WHITE, BLACK = 255, 0


class Marker:
    """A 64 × 64 pixel patch in the top left corner of the screen."""

    def __init__(self, window: Window) -> None:
        self._on, self._off = (
            Picture(window, [Layer(np.full((SIDE_PX, SIDE_PX, 3), code, np.uint8), 0, 0)])
            for code in (WHITE, BLACK)
        )

    def draw(self, critical: bool) -> None:
        """Draw the patch: white on a frame that shows the critical stimulus, else black."""
        (self._on if critical else self._off).draw()

"""Pictures: pixels made in memory, put on the graphics card before they are due."""

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from experiments.engine.window import Rgb, SizePx, Window

Pixels = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Layer:
    """A rectangle of pixels at a place of the screen.

    Attributes
    ----------
    pixels
        uint8 (height, width, 3), 8-bit codes as the display gets them, row 0 on top.
    left_px, top_px
        Where its top left pixel goes, from the screen's top left.
    scale
        Side of the square of screen pixels that each pixel fills; nothing is interpolated.
    """

    pixels: Pixels
    left_px: int
    top_px: int
    scale: int = 1


Layers = Sequence[Layer]


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


class Picture:
    """Layers on the graphics card; drawing takes no upload and no memory.

    Parameters
    ----------
    window
        Where it is shown.
    layers
        What it is made of; later ones lie on top.
    """

    def __init__(self, window: Window, layers: Layers) -> None:
        self._stimuli = [_stimulus(window, layer) for layer in layers]
        self._high_px = len(layers[0].pixels) if layers else 0

    def draw(self) -> None:
        """Draw into the back buffer."""
        for stimulus in self._stimuli:
            stimulus.draw()

    def replace(self, pixels: Pixels, left_px: int, top_px: int) -> None:
        """Change a rectangle of the lowest layer, on the card; nothing else is sent.

        Parameters
        ----------
        pixels
            uint8 (height, width, 3), row 0 on top.
        left_px, top_px
            Where its top left pixel goes, from the layer's top left.
        """
        from pyglet import gl

        high, wide = pixels.shape[:2]
        # The card's row 0 is at the bottom.
        part = np.ascontiguousarray(pixels[::-1])
        bottom = self._high_px - top_px - high
        gl.glBindTexture(gl.GL_TEXTURE_2D, self._stimuli[0]._texID)
        gl.glPixelStorei(gl.GL_UNPACK_ALIGNMENT, 1)
        gl.glTexSubImage2D(
            gl.GL_TEXTURE_2D, 0, left_px, bottom, wide, high,
            gl.GL_RGB, gl.GL_UNSIGNED_BYTE, part.ctypes.data_as(ctypes.c_void_p),
        )  # fmt: skip
        gl.glBindTexture(gl.GL_TEXTURE_2D, 0)

    def free(self) -> None:
        """Give all that lies on the card back."""
        for stimulus in self._stimuli:
            give_back(stimulus)
        self._stimuli = []


def give_back(stimulus: Any) -> None:
    """Free what a PsychoPy image holds on the card: textures, drawing commands and a buffer.

    PsychoPy itself keeps the last two for ever: a kilobyte or more for each image. It deletes no
    lists, and looks for the buffer under a name that it doesn't have (`_pixBuffID`).
    """
    from pyglet import gl

    stimulus.clearTextures()
    if hasattr(stimulus, "_listID"):
        gl.glDeleteLists(stimulus._listID, 1)
    if hasattr(stimulus, "_pixbuffID"):
        gl.glDeleteBuffers(1, stimulus._pixbuffID)


def _stimulus(window: Window, layer: Layer) -> Any:
    from PIL import Image
    from psychopy import visual

    high, wide = (side * layer.scale for side in layer.pixels.shape[:2])
    width, height = window.size_px
    return visual.ImageStim(
        window.handle,
        image=Image.fromarray(np.ascontiguousarray(layer.pixels)),
        units="pix",
        size=(wide, high),
        pos=(layer.left_px + wide / 2 - width / 2, height / 2 - layer.top_px - high / 2),
        interpolate=False,
        autoLog=False,
    )

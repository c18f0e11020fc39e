"""Pictures: pixels made in memory, put on the graphics card before they are due."""

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from experiments.engine.window import SizePx, Window

Pixels = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Layer:
    """A rectangle of pixels at a position on the screen.

    Attributes
    ----------
    pixels
        uint8 (height, width, 3), 8-bit codes as the display gets them, row 0 at the top.
    left_px, top_px
        Where its top left pixel goes, from the screen's top left.
    scale
        Side of the square of screen pixels that each pixel fills; no interpolation.
    """

    pixels: Pixels
    left_px: int
    top_px: int
    scale: int = 1


Layers = Sequence[Layer]


class Drawn(Protocol):
    """What a frame shows: a `Picture`, or several parts that change between frames."""

    def draw(self) -> None:
        """Draw into the back buffer."""


class Picture:
    """Layers on the graphics card; drawing uploads nothing and takes no memory.

    A layer's pixels are copied into the frame unchanged (a blit), without shading, blending or
    interpolation, so an 8-bit code reaches the display as that code. PsychoPy's image stimulus
    passes each pixel through a shader with a mask and a colour: this takes more time in every frame
    on a PC whose CPU draws, and far more before the trial.

    Parameters
    ----------
    window
        Where it is shown.
    layers
        The layers; later ones lie on top.
    """

    def __init__(self, window: Window, layers: Layers) -> None:
        self._textures = [_Texture(layer, window.size_px) for layer in layers]

    def draw(self) -> None:
        """Draw into the back buffer."""
        for texture in self._textures:
            texture.copy()

    def replace(self, pixels: Pixels, left_px: int, top_px: int) -> None:
        """Change a rectangle of the lowest layer on the card; nothing else is uploaded.

        Parameters
        ----------
        pixels
            uint8 (height, width, 3), row 0 at the top.
        left_px, top_px
            Where its top left pixel goes, from the layer's top left.
        """
        self._textures[0].replace(pixels, left_px, top_px)

    def free(self) -> None:
        """Free the picture's memory on the card."""
        for texture in self._textures:
            texture.free()
        self._textures = []


class Cursor:
    """A small picture with transparent parts that moves with the pointer."""

    def __init__(self, window: Window, pixels: Pixels) -> None:
        from psychopy import visual

        self._window = window
        high, wide = pixels.shape[:2]
        self._stimulus = visual.ImageStim(
            window.handle,
            image=Image.fromarray(pixels, "RGBA"),
            units="pix",
            size=(wide, high),
            interpolate=True,
            autoLog=False,
        )

    def draw(self, x_px: float, y_px: float) -> None:
        """Draw it with its middle at a position, from the screen's top left corner."""
        width, height = self._window.size_px
        self._stimulus.pos = (x_px - width / 2, height / 2 - y_px)
        self._stimulus.draw()


class _Texture:
    """One layer on the card, and the framebuffer that copies are read from."""

    def __init__(self, layer: Layer, screen_px: SizePx) -> None:
        from pyglet import gl

        self._gl = gl
        self._high_px, self._wide_px = layer.pixels.shape[:2]
        self._texture, self._framebuffer = gl.GLuint(), gl.GLuint()
        gl.glGenTextures(1, ctypes.byref(self._texture))
        gl.glBindTexture(gl.GL_TEXTURE_2D, self._texture)
        for end in (gl.GL_TEXTURE_MIN_FILTER, gl.GL_TEXTURE_MAG_FILTER):
            gl.glTexParameteri(gl.GL_TEXTURE_2D, end, gl.GL_NEAREST)
        gl.glTexImage2D(
            gl.GL_TEXTURE_2D, 0, gl.GL_RGBA8, self._wide_px, self._high_px, 0,
            gl.GL_RGB, gl.GL_UNSIGNED_BYTE, None,
        )  # fmt: skip
        gl.glGenFramebuffers(1, ctypes.byref(self._framebuffer))
        gl.glBindFramebuffer(gl.GL_READ_FRAMEBUFFER, self._framebuffer)
        gl.glFramebufferTexture2D(
            gl.GL_READ_FRAMEBUFFER, gl.GL_COLOR_ATTACHMENT0, gl.GL_TEXTURE_2D, self._texture, 0
        )
        gl.glBindFramebuffer(gl.GL_READ_FRAMEBUFFER, 0)
        left, top = layer.left_px, screen_px[1] - layer.top_px
        right, bottom = left + self._wide_px * layer.scale, top - self._high_px * layer.scale
        self._from_px = (0, 0, self._wide_px, self._high_px)
        self._to_px = (left, bottom, right, top)
        self.replace(layer.pixels, 0, 0)

    def copy(self) -> None:
        """Copy it to its place in the back buffer."""
        gl = self._gl
        gl.glBindFramebuffer(gl.GL_READ_FRAMEBUFFER, self._framebuffer)
        gl.glBlitFramebuffer(*self._from_px, *self._to_px, gl.GL_COLOR_BUFFER_BIT, gl.GL_NEAREST)
        gl.glBindFramebuffer(gl.GL_READ_FRAMEBUFFER, 0)

    def replace(self, pixels: Pixels, left_px: int, top_px: int) -> None:
        gl = self._gl
        high, wide = pixels.shape[:2]
        # The card's row 0 is at the bottom.
        part = np.ascontiguousarray(pixels[::-1])
        bottom = self._high_px - top_px - high
        gl.glBindTexture(gl.GL_TEXTURE_2D, self._texture)
        gl.glPixelStorei(gl.GL_UNPACK_ALIGNMENT, 1)
        gl.glTexSubImage2D(
            gl.GL_TEXTURE_2D, 0, left_px, bottom, wide, high,
            gl.GL_RGB, gl.GL_UNSIGNED_BYTE, part.ctypes.data_as(ctypes.c_void_p),
        )  # fmt: skip
        gl.glBindTexture(gl.GL_TEXTURE_2D, 0)

    def free(self) -> None:
        self._gl.glDeleteFramebuffers(1, ctypes.byref(self._framebuffer))
        self._gl.glDeleteTextures(1, ctypes.byref(self._texture))

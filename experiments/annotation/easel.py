"""What an expert sees, on the graphics card: the plate, the painting on it, brush and answer.

The painting is a second picture of the plate on a lighter ground, which shows through where the
mask says so. Of the mask only what a stroke touched goes to the card, from frame to frame.
"""

import ctypes
from dataclasses import dataclass

import numpy as np
from PIL import Image

from experiments.engine.picture import Layer, Picture, Pixels
from experiments.engine.stage import Stage
from experiments.engine.window import Window
from experiments.screens.look import Look
from experiments.screens.painting import (
    EaselWords,
    PlateBox,
    answer_layers,
    easel_layers,
    message_layers,
    ring,
)
from participants.painting import MASK_PX, RADII, Box, Mask, Tool

TOOLS: tuple[Tool, ...] = ("brush", "eraser")


class Easel:
    """All the pictures of an expert's screen; made once, but for the plate.

    Parameters
    ----------
    stage
        Where it is shown.
    look, words
        How it looks, and what stands beside the plate.
    box
        Where the plate lies.
    answers, messages
        The words for each answer and for each message, by their ids.
    """

    def __init__(
        self,
        stage: Stage,
        look: Look,
        words: EaselWords,
        box: PlateBox,
        answers: dict[str, str],
        messages: dict[str, str],
    ) -> None:
        self._stage = stage
        self._box = box
        self.surroundings = stage.picture(easel_layers(look, box.side_px, words))
        self.answers = {
            answer: stage.picture(answer_layers(look, box.side_px, words.caption, text))
            for answer, text in answers.items()
        }
        self.messages = {
            name: stage.picture(message_layers(look, box.side_px, text))
            for name, text in messages.items()
        }
        self.rings = {
            (tool, radius): Cursor(stage.window, ring(box.radius_px(radius), tool))
            for tool in TOOLS
            for radius in RADII
        }

    def plate(self, plain: Pixels, veiled: Pixels) -> "PaintedPlate":
        """Return a plate on the easel, with nothing painted; drawn once, out of sight."""
        plate = PaintedPlate(self._stage.window, self._box, plain, veiled)
        plate.draw()
        self._stage.window.finish()
        self._stage.window.handle.clearBuffer()
        return plate


class PaintedPlate:
    """A plate and what is painted on it.

    Parameters
    ----------
    window, box
        Where it is shown.
    plain, veiled
        uint8 (side, side, 3): the plate, and the plate on the ground of what is painted.
    """

    def __init__(self, window: Window, box: PlateBox, plain: Pixels, veiled: Pixels) -> None:
        from psychopy import visual

        self._plain = Picture(window, [Layer(plain, box.left_px, box.top_px)])
        self._veil = visual.ImageStim(
            window.handle,
            image=Image.fromarray(np.ascontiguousarray(veiled)),
            mask=np.full((MASK_PX, MASK_PX), -1.0, dtype=np.float32),
            units="pix",
            size=(box.side_px, box.side_px),
            pos=_centre(window, box),
            interpolate=True,
            autoLog=False,
        )

    def update(self, mask: Mask, box: Box) -> None:
        """Send some rows and columns of the painted mask to the card."""
        from pyglet import gl

        rows, columns = box
        height, width = rows.stop - rows.start, columns.stop - columns.start
        if height <= 0 or width <= 0:
            return
        # The card's row 0 is at the bottom.
        part = np.ascontiguousarray(mask[rows, columns][::-1]).view(np.uint8) * np.uint8(255)
        gl.glBindTexture(gl.GL_TEXTURE_2D, self._veil._maskID)
        gl.glPixelStorei(gl.GL_UNPACK_ALIGNMENT, 1)
        gl.glTexSubImage2D(
            gl.GL_TEXTURE_2D, 0, columns.start, MASK_PX - rows.stop, width, height,
            gl.GL_ALPHA, gl.GL_UNSIGNED_BYTE, part.ctypes.data_as(ctypes.c_void_p),
        )  # fmt: skip
        gl.glBindTexture(gl.GL_TEXTURE_2D, 0)

    def draw(self) -> None:
        """Draw into the back buffer."""
        self._plain.draw()
        self._veil.draw()

    def free(self) -> None:
        """Give the textures back."""
        self._plain.free()
        self._veil.clearTextures()


class Cursor:
    """A small picture with clear parts that goes where the pointer is."""

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
        """Draw it with its middle at a place, from the screen's top left corner."""
        width, height = self._window.size_px
        self._stimulus.pos = (x_px - width / 2, height / 2 - y_px)
        self._stimulus.draw()


@dataclass(slots=True)
class EaselFrame:
    """One frame of an expert's screen: what stands on it is changed between frames.

    Attributes
    ----------
    easel, plate
        The pictures.
    answer, message
        Ids of the answer and of the message that are shown; no message where it is None.
    tool, radius, at_px
        Of the brush.
    """

    easel: Easel
    plate: PaintedPlate
    answer: str
    message: str | None = None
    tool: Tool = "brush"
    radius: int = RADII[0]
    at_px: tuple[float, float] = (0.0, 0.0)

    def draw(self) -> None:
        """Draw into the back buffer."""
        self.easel.surroundings.draw()
        self.plate.draw()
        self.easel.answers[self.answer].draw()
        if self.message is not None:
            self.easel.messages[self.message].draw()
        self.easel.rings[self.tool, self.radius].draw(*self.at_px)


def _centre(window: Window, box: PlateBox) -> tuple[float, float]:
    width, height = window.size_px
    half = box.side_px / 2
    return box.left_px + half - width / 2, height / 2 - box.top_px - half

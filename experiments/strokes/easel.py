"""What a stroke task shows, on the graphics card: the picture, what is marked on it, the brush.

A study passes a `StrokeScreen` to have its pictures painted or marked.

The picture and what is marked are one texture, which shows the marked picture where the canvas is
marked. Only what a stroke touched is mixed again and sent to the card, so a frame costs no more
than a frame of an unmarked picture.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from experiments.engine.picture import Layer, Layers, Picture, Pixels
from experiments.engine.stage import Stage
from experiments.screens.look import Look
from experiments.screens.strokes import (
    EaselWords,
    PictureBox,
    answer_layers,
    easel_layers,
    message_layers,
    place_layers,
)
from participants.session import StrokeResult, StrokeTask
from participants.strokes import MASK_PX, Box, Brush, Tool, Values

Share = Callable[[Values], NDArray[np.float32]]
"""Returns the opacity of canvas values, float32 of the same shape, 0…1."""
Feedback = Callable[[StrokeTask, StrokeResult], tuple[str, Layers]]
"""Returns the name and the layers of the feedback to a result."""


@dataclass(frozen=True, slots=True)
class StrokeScreen:
    """How a study's stroke tasks look.

    Attributes
    ----------
    words
        Words beside the picture: tools, keys, and the caption of the answer.
    answers, messages
        The possible texts under that caption, and below the picture, by id.
    place
        Returns the text with a task's number and the number of tasks.
    answer
        Returns the id of the text under the caption, from the task and the last answer typed
        (None before the first).
    cursor
        Returns the brush's outline, uint8 (side, side, 4), from its radius on screen and the tool.
    share
        Returns the opacity of canvas values.
    pixels
        Returns a task's picture, and the same picture marked all over, each
        uint8 (side, side, 3), from the side on screen.
    name
        Name of the picture in names of screens.
    ended
        Returns the name of a finished task's screen, from the answer.
    feedback
        Feedback of practice; None without feedback.
    """

    words: EaselWords
    answers: Mapping[str, str]
    messages: Mapping[str, str]
    place: Callable[[StrokeTask], str]
    answer: Callable[[StrokeTask, str | None], str]
    cursor: Callable[[float, Tool], Pixels]
    share: Share
    pixels: Callable[[StrokeTask, int], tuple[Pixels, Pixels]]
    name: str
    ended: Callable[[str | None], str]
    feedback: Feedback | None = None


class Easel:
    """Everything that a stroke task shows; made once, except for the picture.

    Parameters
    ----------
    stage
        The open stage.
    look, screen
        Look of the screens, and of the study's stroke tasks.
    box
        Position of the picture.
    brush
        The brush, whose outline moves with the pointer.
    """

    def __init__(
        self, stage: Stage, look: Look, box: PictureBox, screen: StrokeScreen, brush: Brush
    ) -> None:
        self._stage, self._look, self._box, self._share = stage, look, box, screen.share
        side_px, words = box.side_px, screen.words
        self.surroundings = stage.picture(easel_layers(look, side_px, words))
        self.answers = {
            answer: stage.picture(answer_layers(look, side_px, words.caption, text))
            for answer, text in screen.answers.items()
        }
        self.messages = {
            name: stage.picture(message_layers(look, side_px, text))
            for name, text in screen.messages.items()
        }
        self.cursors = {
            (tool, radius): stage.cursor(screen.cursor(box.radius_px(radius), tool))
            for tool in brush.tools
            for radius in brush.radii
        }

    def place(self, text: str) -> Picture:
        """Return the text with the picture's number; it has been drawn once, off screen."""
        return self._stage.picture(place_layers(self._look, self._box.side_px, text))

    def picture(self, plain: Pixels, marked: Pixels) -> "PaintedPicture":
        """Return an unmarked picture on the easel; it has been drawn once, off screen."""
        return PaintedPicture(self._stage, self._box, plain, marked, self._share)


class PaintedPicture:
    """A picture and the marks on it.

    Parameters
    ----------
    stage, box
        The stage, and the picture's position.
    plain, marked
        uint8 (side, side, 3): the picture, and the same picture marked all over.
    share
        Returns the opacity of canvas values.
    """

    def __init__(
        self, stage: Stage, box: PictureBox, plain: Pixels, marked: Pixels, share: Share
    ) -> None:
        self._picture = stage.picture([Layer(plain, box.left_px, box.top_px)])
        self._plain = plain
        self._gain = marked.astype(np.float32) - plain
        self._share = share
        self._spread = spread(box.side_px)

    def update(self, values: Values, box: Box) -> None:
        """Show the current state of some rows and columns of a canvas."""
        rows, columns = box
        if rows.stop <= rows.start or columns.stop <= columns.start:
            return
        down, of_rows = reached(self._spread, rows)
        across, of_columns = reached(self._spread, columns)
        if not (down.stop and across.stop):
            return
        part = self._share(values[of_rows, of_columns])
        share = self._spread[down, of_rows] @ part @ self._spread[across, of_columns].T
        mixed = share[..., None] * self._gain[down, across]
        mixed += self._plain[down, across]
        np.rint(mixed, out=mixed)
        pixels = mixed.astype(np.uint8)
        self._picture.replace(pixels, left_px=across.start, top_px=down.start)

    def draw(self) -> None:
        """Draw into the back buffer."""
        self._picture.draw()

    def free(self) -> None:
        """Free the textures."""
        self._picture.free()


def spread(side_px: int) -> NDArray[np.float32]:
    """Return the weights for linear interpolation of a row of the mask to a row of pixels.

    Returns
    -------
    float32 (side_px, MASK_PX)
        Weights of the mask's values for each pixel, from the distances between their middles.
        Each row sums to 1; beyond the outermost middles the edge's value applies.
    """
    place = (np.arange(side_px) + 0.5) * MASK_PX / side_px - 0.5
    place = np.clip(place, 0, MASK_PX - 1)
    before = np.minimum(place.astype(int), MASK_PX - 2)
    share = (place - before).astype(np.float32)
    weights = np.zeros((side_px, MASK_PX), dtype=np.float32)
    pixels = np.arange(side_px)
    weights[pixels, before] = 1 - share
    weights[pixels, before + 1] = share
    return weights


def reached(weights: NDArray[np.float32], changed: slice) -> tuple[slice, slice]:
    """Return the pixels that depend on changed mask values, and all values that they depend on.

    If a picture has fewer pixels than the mask, some values affect no pixel.
    """
    pixels = np.flatnonzero(weights[:, changed].any(axis=1))
    values = slice(max(changed.start - 1, 0), min(changed.stop + 1, MASK_PX))
    if not len(pixels):
        return slice(0, 0), values
    return slice(int(pixels[0]), int(pixels[-1]) + 1), values


@dataclass(slots=True)
class StrokeFrame:
    """One frame of a stroke task; its content changes between frames.

    Attributes
    ----------
    easel, picture, place
        The parts to draw; the place is the text with the picture's number.
    answer, message
        Ids of the answer and the message that are shown; None for no message.
    tool, radius, at_px
        Tool, radius and position of the brush.
    """

    easel: Easel
    picture: PaintedPicture
    place: Picture
    answer: str
    radius: int
    message: str | None = None
    tool: Tool = "brush"
    at_px: tuple[float, float] = (0.0, 0.0)

    def draw(self) -> None:
        """Draw into the back buffer."""
        self.easel.surroundings.draw()
        self.place.draw()
        self.picture.draw()
        self.easel.answers[self.answer].draw()
        if self.message is not None:
            self.easel.messages[self.message].draw()
        self.easel.cursors[self.tool, self.radius].draw(*self.at_px)

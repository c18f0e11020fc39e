"""What somebody sees who marks an image by bubbles: image, name, keys, and the next bubble."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from experiments.annotation.easel import Cursor, PaintedPlate
from experiments.annotation.work import CLEAR_KEY, UNDO_KEY
from experiments.engine.picture import Pixels
from experiments.engine.stage import Stage
from experiments.screens.look import Look
from experiments.screens.painting import (
    EaselWords,
    MouseHint,
    PlateBox,
    answer_layers,
    easel_layers,
    message_layers,
)
from experiments.screens.parts import Hint
from participants.strokes.bubbling import HALF_BUBBLE, Counts
from participants.texts import Words

EDGE_PX: Final = 2
LIGHTER: Final = 0.6
"""How far a place under many bubbles goes from its own colour to white."""
EACH: Final = 0.35
"""How much of that the first bubble does, and each further one of what is left."""


class BubbleEasel:
    """All the pictures of a bubbling session's screen; made once, but for the image.

    Parameters
    ----------
    stage
        Where it is shown.
    look, words
        How it looks, and what stands beside the image.
    box
        Where the image lies.
    names, messages
        What images show, each once; the words of messages, by their ids.
    """

    def __init__(
        self,
        stage: Stage,
        look: Look,
        words: EaselWords,
        box: PlateBox,
        names: Iterable[str],
        messages: dict[str, str],
    ) -> None:
        self._stage, self._box = stage, box
        self.surroundings = stage.picture(easel_layers(look, box.side_px, words))
        self.names = {
            name: stage.picture(answer_layers(look, box.side_px, words.caption, name))
            for name in names
        }
        self.messages = {
            message: stage.picture(message_layers(look, box.side_px, text))
            for message, text in messages.items()
        }
        self.cursor = Cursor(stage.window, square(box.radius_px(HALF_BUBBLE)))

    def image(self, pixels: Pixels) -> PaintedPlate:
        """Return an image on the easel, with nothing marked; drawn once, out of sight."""
        image = PaintedPlate(self._stage.window, self._box, pixels, lighter(pixels))
        image.draw()
        self._stage.window.finish()
        self._stage.window.handle.clearBuffer()
        return image


@dataclass(slots=True)
class BubbleFrame:
    """One frame of a bubbling session: what stands on it is changed between frames.

    Attributes
    ----------
    easel, image
        The pictures.
    name, message
        What the image shows, and the id of the message that is shown, if any.
    at_px
        Where the next bubble would lie.
    """

    easel: BubbleEasel
    image: PaintedPlate
    name: str
    message: str | None = None
    at_px: tuple[float, float] = (0.0, 0.0)

    def draw(self) -> None:
        """Draw into the back buffer."""
        self.easel.surroundings.draw()
        self.image.draw()
        self.easel.names[self.name].draw()
        if self.message is not None:
            self.easel.messages[self.message].draw()
        self.easel.cursor.draw(*self.at_px)


def bubble_words(words: Words) -> EaselWords:
    """Return what stands beside an image, in words."""
    cap = words.cap
    return EaselWords(
        tools=(
            MouseHint("left", words["mark"]),
            Hint((cap(UNDO_KEY),), words["undo"]),
            Hint((cap(CLEAR_KEY),), words["clear"]),
        ),
        answers=(Hint((cap("return"),), words["done"]),),
        caption=words["it_shows"],
    )


def strength(counts: Counts) -> NDArray[np.float32]:
    """Return how strongly bubbles show, float32 of their shape, 0…1; more where there are more."""
    return (1 - (1 - EACH) ** counts).astype(np.float32)


def lighter(pixels: Pixels) -> Pixels:
    """Return an image as it looks where it is marked, uint8 (side, side, 3)."""
    return np.rint(pixels + LIGHTER * (255.0 - pixels)).astype(np.uint8)


def square(half_px: float) -> Pixels:
    """Return a bubble's outline, black round white, with straight alpha.

    Returns
    -------
    uint8 (side, side, 4)
        RGBA, the bubble's middle in the middle; the side is even.
    """
    half = round(half_px) + EDGE_PX
    picture = np.zeros((2 * half, 2 * half, 4), dtype=np.uint8)
    picture[..., 3] = 255
    white = slice(EDGE_PX, -EDGE_PX)
    picture[white, white] = 255
    clear = slice(2 * EDGE_PX, -2 * EDGE_PX)
    picture[clear, clear] = 0
    return picture

"""What a study hands over to have its pictures painted or marked."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from experiments.engine.picture import Layers, Pixels
from experiments.screens.strokes import EaselWords
from participants.session import StrokeResult, StrokeTask
from participants.strokes.acts import Tool
from participants.strokes.canvas import Values

Share = Callable[[Values], NDArray[np.float32]]
"""Returns how strongly values of the canvas show, float32 of their shape, 0…1."""
Feedback = Callable[[StrokeTask, StrokeResult], tuple[str, Layers]]
"""Returns the name and the layers of the feedback to what was done."""


@dataclass(frozen=True, slots=True)
class StrokeScreen:
    """How a study's stroke tasks look.

    Attributes
    ----------
    words
        What stands beside the picture: tools, keys, and the caption of the answer.
    answers, messages
        The texts that can stand under that caption, and below the picture, by their ids.
    place
        Returns what says which of how many a task is.
    answer
        Returns the id of the text under the caption, from the task and the answer that was
        typed last (None before one was).
    cursor
        Returns the brush's outline, uint8 (side, side, 4), from its radius on screen and the tool.
    share
        How strongly values of the canvas show.
    pixels
        Returns a task's picture, and the same where it is marked all over: each
        uint8 (side, side, 3), from the side on screen.
    name
        Of the picture in names of screens.
    ended
        Returns what the screen of a finished task is called, from the answer.
    feedback
        Of practice; None where there is none.
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

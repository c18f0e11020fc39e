"""A robot that marks images by bubbles: it goes over what stands out from the image's edge.

No model of people; it tries the machinery of bubbling sessions by real strokes.
"""

import io
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from scipy import ndimage

from participants.robots.strokes import Intent, strokes_of
from participants.session import Question, StrokeTask
from participants.strokes.acts import Act
from stimuli.io.canonical import seed_of
from stimuli.pack import Pack

LOOK_PX: Final = 64
"""Side of the image as the robot sees it."""
MARKED_SHARE: Final = 0.08
BLUR_PX: Final = 1.5
BEGINS_MS: Final = 600
TO_ENTER_MS: Final = 400
SLIP_SHARE: Final = 0.3
"""How often it first makes a stroke too many, and takes it back."""


@dataclass(frozen=True, slots=True)
class RobotBubbler:
    """One such robot in front of a task pack.

    Attributes
    ----------
    pack
        What it is shown.
    seed, participant
        Root of its draws: the same image is marked alike whenever it is shown.
    """

    pack: Pack
    seed: int
    participant: str

    def choose(self, question: Question) -> str:
        """Return the first choice."""
        return question.choices[0]

    def intend(self, task: StrokeTask) -> Intent:
        """Return what is going to be done with an image."""
        key = seed_of("robot marker", self.seed, self.participant, task.item)
        rng = np.random.Generator(np.random.PCG64(key))
        area = standing_out(self.pack.asset(task.stimulus.image_file))
        slip: tuple[Act, ...] = ()
        begins_ms = BEGINS_MS
        if rng.random() < SLIP_SHARE:
            slip = strokes_of(area, rng, begins_ms)[:1]
            undo_ms = slip[-1].points[-1][0] + 200
            slip = (*slip, Act("undo", undo_ms))
            begins_ms = undo_ms + 200
        strokes = strokes_of(area, rng, begins_ms)
        return Intent((*slip, *strokes), strokes[-1].points[-1][0] + TO_ENTER_MS)


def standing_out(image: bytes) -> NDArray[np.bool_]:
    """Return where an image differs most from what its edge mostly shows, bool (64, 64)."""
    with Image.open(io.BytesIO(image)) as file:
        small = file.convert("RGB").resize((LOOK_PX, LOOK_PX), Image.Resampling.BOX)
    colours = np.asarray(small, dtype=float)
    edge = np.concatenate([colours[0], colours[-1], colours[:, 0], colours[:, -1]])
    away = np.linalg.norm(colours - np.median(edge, axis=0), axis=2)
    blurred = ndimage.gaussian_filter(away, BLUR_PX)
    return blurred >= np.quantile(blurred, 1 - MARKED_SHARE)


def bubblers(pack: Pack, language: str) -> Callable[[str, str, int], RobotBubbler]:
    """Return what makes a bubbling robot in front of a pack; there is one kind."""
    return lambda name, code, seed: RobotBubbler(pack, seed, code)

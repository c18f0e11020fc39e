"""A bubbling session on paper: images marked, and refused where nothing is."""

import numpy as np
from PIL import Image

from experiments.engine.picture import Pixels
from experiments.strokes.presenter import StrokePresenter
from experiments.studies.progressive_reveal.bubbling import strength
from participants.session import StrokeResult, StrokeTask
from participants.strokes import Act
from participants.studies.progressive_reveal.bubbles import HALF_BUBBLE, bubble_counts
from participants.studies.progressive_reveal.bubbling import NOTHING_MARKED
from stimuli.pack import Pack
from tests.experiments.rehearsal import Screen
from tests.experiments.strokes.stroke_rehearsal import Keep, rehearse_strokes, result

ACROSS = Act("brush", 0, HALF_BUBBLE, ((0, 300, 400), (600, 700, 480), (1200, 420, 640)))


def rehearse_bubbling(pack: Pack, language: str, size_px: tuple[int, int]) -> list[Screen]:
    """Return every distinct screen of a bubbling session, in the order of their coming."""
    return rehearse_strokes(pack, language, size_px, _marked)


def _marked(tasks: StrokePresenter, task: StrokeTask, keep: Keep) -> StrokeResult:
    """Show an image marked and refused once, and have it marked."""
    plain, lighter = tasks._screen.pixels(task, tasks._box.side_px)
    name = tasks._screen.answer(task, None)
    keep(tasks, task, f"image-{task.trial}", _mixed(plain, lighter), name, NOTHING_MARKED)
    return result((ACROSS,))


def _mixed(plain: Pixels, lighter: Pixels) -> Pixels:
    """Return an image as it looks with the stroke on it."""
    counts = Image.fromarray(strength(bubble_counts((ACROSS,))))
    share = np.asarray(counts.resize(plain.shape[1::-1], Image.Resampling.BILINEAR))[..., None]
    return np.rint(plain + share * (lighter.astype(np.float32) - plain)).astype(np.uint8)

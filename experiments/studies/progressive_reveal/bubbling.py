"""Images on which people mark with bubbles what makes them recognisable: task packs and screens.

A task pack of the lab's is made from labelled images.
"""

import platform
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from experiments.engine.picture import Pixels
from experiments.pages.context import SessionContext
from experiments.pages.settings import ScreenSettings
from experiments.pages.waiting import Waiting
from experiments.screens.parts import Hint
from experiments.screens.strokes import EaselWords, MouseHint, ToolHint
from experiments.strokes.easel import StrokeScreen
from experiments.strokes.presenter import CLEAR_KEY, UNDO_KEY, StrokePresenter
from experiments.studies.progressive_reveal.painter import RevealPainter
from participants.folder import LabFolder
from participants.session import SessionPlan, StrokeTask
from participants.strokes import Tool
from participants.studies.progressive_reveal.bubbles import Counts
from participants.studies.progressive_reveal.bubbling import BUBBLING, NOTHING_MARKED
from participants.studies.progressive_reveal.plan import STUDY
from participants.texts import Words
from stimuli.names import read_names
from stimuli.pack import open_pack, write_pack
from stimuli.pack.folder import MANIFEST
from stimuli.pack.model import pack_in_memory
from stimuli.protocol import load_protocol, protocol_hash
from stimuli.studies.progressive_reveal.protocol import ProgressiveReveal
from stimuli.studies.progressive_reveal.tasks import compose_tasks, pictures_of

ID_DIGITS: Final = 12
EDGE_PX: Final = 2
LIGHTER: Final = 0.6
"""How far a pixel under many bubbles is mixed with white."""
EACH: Final = 0.35
"""Share of that for the first bubble; each further bubble adds this share of the rest."""


def task_pack_of(
    source: Path, lab: LabFolder, protocol: Path | None = None, names: Path | None = None
) -> Path:
    """Return the lab's task pack of a set of images; make it if it doesn't exist yet.

    The same images, names and protocol give the same pack, so that a session can continue.

    Parameters
    ----------
    source
        A folder with one sub-folder per class, or a CSV of images and labels.
    lab
        The lab folder for the pack.
    protocol
        Protocol file; the study's protocol if None.
    names
        File with names of classes (see ``build progressive_reveal --names``).

    Raises
    ------
    UserError
        If the images, the names or the protocol can't be read.
    """
    loaded = load_protocol(STUDY, protocol)
    assert isinstance(loaded, ProgressiveReveal)
    words = {} if names is None else read_names(names)
    files = compose_tasks(pictures_of(source, loaded), words)
    known = pack_in_memory(loaded, protocol_hash(loaded), "tasks", files).pack_id
    folder = lab.packs / f"bubbling-{known.rpartition('-')[2][:ID_DIGITS]}"
    if (folder / MANIFEST).exists():
        open_pack(folder, "tasks")
    else:
        made_with = {"made": datetime.now(UTC).isoformat(), "source": source.name}
        write_pack(
            folder, loaded, "tasks", files, {**made_with, "python": platform.python_version()}
        )
    return folder


def bubble_presenter(
    context: SessionContext,
    settings: ScreenSettings[RevealPainter],
    plan: SessionPlan,
    waiting: Waiting,
) -> StrokePresenter:
    """Return the presenter of images to mark."""
    return StrokePresenter(context, settings, waiting, BUBBLING, image_screen(settings, plan))


def image_screen(settings: ScreenSettings[RevealPainter], plan: SessionPlan) -> StrokeScreen:
    """Return the look of the screens on which images are marked by bubbles."""

    def pixels(task: StrokeTask, side_px: int) -> tuple[Pixels, Pixels]:
        plain = np.ascontiguousarray(settings.painter.image(task.stimulus.image_file, side_px))
        return plain, lighter(plain)

    names = [task.stimulus.name for task in plan.trials]
    return StrokeScreen(
        words=bubble_words(settings.words),
        answers={name: name for name in names},
        messages={NOTHING_MARKED: settings.words[NOTHING_MARKED]},
        place=lambda task: settings.words.filled(
            "place", position=str(task.position), total=str(task.total)
        ),
        answer=lambda task, label: task.stimulus.name,
        cursor=square,
        share=strength,
        pixels=pixels,
        name="image",
        ended=lambda label: "marked",
    )


def bubble_keys(plan: SessionPlan, words: Words) -> tuple[ToolHint, ...]:
    """Return what keys and buttons do while an image is marked."""
    beside = bubble_words(words)
    return (*beside.tools, *beside.answers)


def bubble_words(words: Words) -> EaselWords:
    """Return the words beside an image."""
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
    """Return the bubbles' opacity, float32 of their shape, 0…1; it grows with their number."""
    return (1 - (1 - EACH) ** counts).astype(np.float32)


def lighter(pixels: Pixels) -> Pixels:
    """Return an image as it looks where it is marked, uint8 (side, side, 3)."""
    return np.rint(pixels + LIGHTER * (255.0 - pixels)).astype(np.uint8)


def square(half_px: float, tool: Tool = "brush") -> Pixels:
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

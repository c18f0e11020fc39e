"""How experts' plates look where they are read and painted."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final, get_args

import numpy as np
from PIL import Image

from experiments.engine.picture import Layers, Pixels
from experiments.pages.context import SessionContext
from experiments.pages.settings import ScreenSettings
from experiments.pages.text_pages import PageStimuli
from experiments.pages.waiting import Waiting
from experiments.screens.page import figure_px
from experiments.screens.parts import Hint
from experiments.screens.strokes import EaselWords, MouseHint, ToolHint
from experiments.screens.trial import RIGHT, WRONG, feedback_layers
from experiments.strokes.easel import StrokeScreen
from experiments.strokes.presenter import (
    CLEAR_KEY,
    ERASER_KEY,
    LARGER_KEY,
    SMALLER_KEY,
    UNDO_KEY,
    StrokePresenter,
)
from experiments.studies.accept_reject.painter import PlatePainter
from experiments.studies.accept_reject.presenter import label_words
from participants.session import SessionPlan, StrokeResult, StrokeTask
from participants.strokes import Tool, mask_of
from participants.studies.accept_reject.annotation import (
    NO_SOLUTION_KEY,
    PAINTING,
    Refusal,
    painting_fits,
)
from participants.studies.accept_reject.robots.expert import figure_area
from participants.texts import Words
from stimuli.images.sets import NO_SOLUTION
from stimuli.maps.relevance import plate_disc
from stimuli.plates.plate import Plate, plate_from_bytes
from stimuli.plates.render import render
from stimuli.studies.accept_reject.stimulus import PlateStimulus
from stimuli.studies.accept_reject.tasks import plate_spec

NOT_YET: Final = ""
"""Id of an answer that hasn't been given yet."""
VEIL_SRGB = (90, 90, 90)
"""Colour between the dots in painted areas: lighter, without hue. The dots stay as they are, so
that the painting neither hides nor tints anything."""
DASHES: Final = 12


def expert_presenter(
    context: SessionContext,
    settings: ScreenSettings[PlatePainter],
    plan: SessionPlan,
    waiting: Waiting,
) -> StrokePresenter:
    """Return the presenter of an expert's plates."""
    return StrokePresenter(context, settings, waiting, PAINTING, plate_screen(settings))


def page_stimuli(settings: ScreenSettings[PlatePainter]) -> PageStimuli:
    """Return the functions that draw plates on an expert's pages: the worked example."""

    def words(values: Mapping[str, str]) -> dict[str, str]:
        return label_words(settings, values)

    return PageStimuli(lambda stimulus: figure(settings, stimulus), words=words)


def figure(settings: ScreenSettings[PlatePainter], stimulus: PlateStimulus) -> Pixels:
    """Return a correctly painted plate, at the size of figures."""
    side_px = figure_px(settings.look)
    plate = plate_from_bytes(settings.painter.pack.asset(stimulus.plate_file))
    plain, veiled = _rendered(settings.painter, plate, stimulus, side_px)
    area = Image.fromarray(figure_area(plate).astype(np.float32))
    cover = np.asarray(area.resize((side_px, side_px), Image.Resampling.BICUBIC))
    painted = (cover > 0.5) & plate_disc(side_px)
    return np.where(painted[..., None], veiled, plain)


def plate_screen(settings: ScreenSettings[PlatePainter]) -> StrokeScreen:
    """Return the look of the screens on which plates are read and painted."""
    words, painter = settings.words, settings.painter

    def pixels(task: StrokeTask, side_px: int) -> tuple[Pixels, Pixels]:
        plate = plate_from_bytes(painter.pack.asset(task.stimulus.plate_file))
        return _rendered(painter, plate, task.stimulus, side_px)

    answers = {NOT_YET: "?", NO_SOLUTION: words["no_solution"]}
    return StrokeScreen(
        words=easel_words(words),
        answers=answers | {str(digit): str(digit) for digit in range(10)},
        messages={name: words[name] for name in get_args(Refusal)},
        place=lambda task: _place(words, task),
        answer=lambda task, label: label or NOT_YET,
        cursor=ring,
        share=lambda mask: mask.astype(np.float32),
        pixels=pixels,
        name="plate",
        ended=lambda label: "no-solution" if label == NO_SOLUTION else "painted",
        feedback=lambda task, result: _feedback(settings, task, result),
    )


def painting_keys(plan: SessionPlan, words: Words) -> tuple[ToolHint, ...]:
    """Return what keys and buttons do while a plate is read and painted."""
    beside = easel_words(words)
    return (*beside.tools, *beside.answers)


def easel_words(words: Words) -> EaselWords:
    """Return the words beside a plate."""
    cap = words.cap
    return EaselWords(
        tools=(
            MouseHint("left", words["paint"]),
            MouseHint("right", words["erase"]),
            MouseHint("wheel", words["brush_size"]),
            Hint((cap(LARGER_KEY), cap(SMALLER_KEY)), words["brush_size"]),
            Hint((cap(ERASER_KEY),), words["eraser_on_off"]),
            Hint((cap(UNDO_KEY),), words["undo"]),
            Hint((cap(CLEAR_KEY),), words["clear"]),
        ),
        answers=(
            Hint(("0 … 9",), words["numeral"]),
            Hint((cap(NO_SOLUTION_KEY),), words["none_seen"]),
            Hint((cap("return"),), words["done"]),
        ),
        caption=words["your_answer"],
    )


def ring(radius_px: float, tool: Tool) -> Pixels:
    """Return the brush's outline, black beside white; the eraser's is dashed.

    Returns
    -------
    uint8 (side, side, 4)
        RGBA with straight alpha, the ring's centre in the middle; the side is even.
    """
    side = 2 * round(radius_px + 4)
    at = (np.arange(side) + 0.5) - side / 2
    distance = np.hypot(at[:, None], at[None, :]) - radius_px
    white = np.clip(1.25 - np.abs(distance), 0, 1)
    black = np.clip(2.5 - np.abs(distance - 0.5), 0, 1)
    picture = np.zeros((side, side, 4), dtype=np.uint8)
    cover = np.maximum(black, white)
    shade = np.divide(white, cover, out=np.zeros_like(white), where=cover > 0)
    picture[..., :3] = np.round(255 * shade)[..., None]
    if tool == "eraser":
        angle = np.arctan2(at[:, None], at[None, :]) / (2 * np.pi) * DASHES
        cover = cover * (angle % 1 < 0.62)
    picture[..., 3] = np.round(255 * cover)
    return picture


def _place(words: Words, task: StrokeTask) -> str:
    """Return the plate's number and the number of plates, in words."""
    word = "place_practice" if task.phase == "practice" else "place"
    return words.filled(word, position=str(task.position), total=str(task.total))


def _feedback(
    settings: ScreenSettings[PlatePainter], task: StrokeTask, result: StrokeResult
) -> tuple[str, Layers]:
    """Return the name and the layers of the feedback to an answer and its painting."""
    words, right = settings.words, task.right_label
    if result.label == right:
        if right != NO_SOLUTION and not _is_painted(settings, task, result):
            return "beside", feedback_layers(settings.look, WRONG, words["feedback_painting"])
        name, sign, text = "right", RIGHT, words["feedback_right"]
    elif right == NO_SOLUTION:
        name, sign, text = "blank", WRONG, words["feedback_blank"]
    else:
        name, sign = "wrong", WRONG
        text = words.filled("feedback_label", label=str(right))
    return name, feedback_layers(settings.look, sign, text)


def _is_painted(
    settings: ScreenSettings[PlatePainter], task: StrokeTask, result: StrokeResult
) -> bool:
    plate = plate_from_bytes(settings.painter.pack.asset(task.stimulus.plate_file))
    return painting_fits(mask_of(result.acts), figure_area(plate))


def _rendered(
    painter: PlatePainter, plate: Plate, stimulus: PlateStimulus, side_px: int
) -> tuple[Pixels, Pixels]:
    """Return a plate's pixels, and its pixels on the background of painted areas."""
    spec = plate_spec(painter.protocol.plates)
    plain, veiled = (
        render(plate, stimulus.axis, stimulus.contrast, side_px, painter.display, variant)
        for variant in (spec, replace(spec, ground_srgb=VEIL_SRGB))
    )
    return np.ascontiguousarray(plain), np.ascontiguousarray(veiled)

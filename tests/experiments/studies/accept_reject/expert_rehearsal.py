"""An expert's session on paper: every answer that is refused, and every feedback."""

from dataclasses import replace
from functools import partial

import numpy as np
from PIL import Image

from experiments.strokes.presenter import StrokePresenter
from experiments.studies.accept_reject.painting import NOT_YET
from participants.session import Break, StrokeResult, StrokeTask
from participants.strokes import RADII, SIDE, Act
from participants.studies.accept_reject.robots.expert import figure_area
from stimuli.images.sets import NO_SOLUTION
from stimuli.pack import Pack
from stimuli.plates.plate import plate_from_bytes
from tests.experiments.rehearsal import Screen
from tests.experiments.strokes.stroke_rehearsal import Keep, rehearse_strokes, result


def rehearse_expert(pack: Pack, language: str, size_px: tuple[int, int]) -> list[Screen]:
    """Return every distinct screen of an expert's session, in the order of their coming.

    The expert takes a pause, thinks of ending, is refused in every way, answers practice
    rightly, wrongly and where nothing is; then comes back, and withdraws.
    """

    def known(plan):
        return [step.step for step in plan.steps if isinstance(step, StrokeTask | Break)][6:]

    return rehearse_strokes(pack, language, size_px, partial(_read, pack), known)


def _read(pack: Pack, tasks: StrokePresenter, task: StrokeTask, keep: Keep) -> StrokeResult:
    """Show every state of a plate's screen once, and answer by turns."""
    plain, veiled = tasks._screen.pixels(task, tasks._box.side_px)
    painted = np.where(_area(pack, task, len(plain))[..., None], veiled, plain)
    for pixels, answer, message in (
        (painted, NOT_YET, "no_answer"),
        (plain, "4", "nothing_painted"),
        (painted, NO_SOLUTION, "painted_without_solution"),
    ):
        keep(tasks, task, f"plate-{message}", pixels, answer, message)
    if task.trial == 2:
        tasks.stroke_feedback(replace(task, right_label=NO_SOLUTION), result(label="3"))
        tasks.stroke_feedback(task, result(label=str(task.right_label)))
    if task.trial == 1:
        return result(_painted(pack, task), str(task.right_label))
    return result(label="x" if task.trial == 2 else NO_SOLUTION)


def _area(pack: Pack, task: StrokeTask, side_px: int) -> np.ndarray:
    """Return where the numeral is, True for each pixel of a plate so large."""
    figure = figure_area(plate_from_bytes(pack.asset(task.stimulus.plate_file)))
    large = Image.fromarray(figure).resize((side_px, side_px), Image.Resampling.NEAREST)
    return np.asarray(large)


def _painted(pack: Pack, task: StrokeTask) -> tuple[Act, ...]:
    """Return a dab of the brush on each place of the numeral."""
    plate = plate_from_bytes(pack.asset(task.stimulus.plate_file))
    figure = figure_area(plate)
    scale = SIDE / len(figure)
    rows, columns = np.nonzero(figure)
    middles = zip((columns + 0.5) * scale, (rows + 0.5) * scale, strict=True)
    return tuple(Act("brush", 0, RADII[0], ((0, round(x), round(y)),)) for x, y in middles)

"""An expert's session on paper: every answer that is refused, and every feedback."""

from dataclasses import replace

from experiments.strokes.presenter import StrokePresenter
from experiments.studies.accept_reject.painting import NOT_YET
from participants.session import Break, StrokeResult, StrokeTask
from stimuli.images.predictions import NO_SOLUTION
from stimuli.pack import Pack
from tests.experiments.rehearsal import Screen
from tests.experiments.strokes.stroke_rehearsal import Keep, rehearse_strokes, result


def rehearse_expert(pack: Pack, language: str, size_px: tuple[int, int]) -> list[Screen]:
    """Return every distinct screen of an expert's session, in the order of their coming.

    The expert takes a pause, thinks of ending, is refused in every way, answers practice
    rightly, wrongly and where nothing is; then comes back, and withdraws.
    """

    def known(plan):
        return [step.step for step in plan.steps if isinstance(step, StrokeTask | Break)][6:]

    return rehearse_strokes(pack, language, size_px, _read, known)


def _read(tasks: StrokePresenter, task: StrokeTask, keep: Keep) -> StrokeResult:
    """Show every state of a plate's screen once, and answer by turns."""
    _, veiled = tasks._screen.pixels(task, tasks._box.side_px)
    for answer, message in (
        (NOT_YET, "no_answer"),
        ("4", "nothing_painted"),
        (NO_SOLUTION, "painted_without_solution"),
    ):
        keep(tasks, f"plate-{message}", veiled, answer, message)
    if task.trial == 2:
        tasks.stroke_feedback(replace(task, right_label=NO_SOLUTION), "3")
    label = {1: str(task.right_label), 2: "x"}.get(task.trial, NO_SOLUTION)
    return result(label=label)

"""A plate that an expert reads and paints, as a journal keeps it."""

from typing import Final

from participants.journal import Recorder
from participants.session.presenter import Presenter
from participants.session.steps import PaintTask
from participants.strokes.painting import mask_of, mask_sha256, painted_area

RT_DECIMALS: Final = 6
"""Times are judged and kept to the microsecond: below it the difference of two stamps is
rounding error, which must not decide what was in time."""
AREA_DECIMALS: Final = 6


def record_paint_start(recorder: Recorder, task: PaintTask, plate_sha256: str) -> None:
    """Record that a plate is about to be shown to an expert; outside timed windows.

    Parameters
    ----------
    recorder
        Who keeps it.
    task
        The plate.
    plate_sha256
        Of the plate's pixels; empty where none were rendered.
    """
    recorder.append(
        "trial_start",
        trial=task.trial,
        phase=task.phase,
        position=task.position,
        item=task.item,
        axis=task.axis,
        rung=task.rung,
        plate_sha256=plate_sha256,
    )


def run_paint_task(task: PaintTask, presenter: Presenter, recorder: Recorder) -> None:
    """Have a plate read and painted, record it, and give the feedback that belongs to it."""
    result = presenter.paint(task)
    mask = mask_of(result.acts)
    recorder.append(
        "trial_end",
        durable=True,
        trial=task.trial,
        phase=task.phase,
        position=task.position,
        item=task.item,
        label=result.label,
        rt_s=to_microseconds(result.rt_s),
        done_s=to_microseconds(result.done_s),
        acts=[act.document() for act in result.acts],
        mask_sha256=mask_sha256(mask),
        area=round(painted_area(mask), AREA_DECIMALS),
        interruptions=result.interruptions,
        onset_t_monotonic_s=result.onset_t_monotonic_s,
        frames_planned=None,
        frames_shown=result.frames_shown,
        frames_dropped=result.frames_dropped,
        longest_interval_s=result.longest_interval_s,
        flagged=result.flagged,
    )
    if task.right_label is not None:
        presenter.paint_feedback(task, result.label)


def to_microseconds(time_s: float | None) -> float | None:
    """Return a time as it is kept."""
    return None if time_s is None else round(time_s, RT_DECIMALS)

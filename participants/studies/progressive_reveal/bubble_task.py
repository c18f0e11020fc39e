"""Images on which a person marks by bubbles what makes them recognisable, as a journal keeps it."""

from participants.journal import Recorder
from participants.session.presenter import Presenter
from participants.strokes.bubbling import BUBBLE_MS, BUBBLE_PX, bubble_counts, counts_sha256
from participants.studies.accept_reject.paint_task import AREA_DECIMALS, to_microseconds
from participants.studies.progressive_reveal.bubble_steps import BubbleTask


def record_bubble_start(recorder: Recorder, task: BubbleTask, image_sha256: str) -> None:
    """Record that an image is about to be shown to be marked; outside timed windows.

    Parameters
    ----------
    recorder
        Who keeps it.
    task
        The image.
    image_sha256
        Of its pixels as shown; empty where none were rendered.
    """
    recorder.append(
        "trial_start",
        trial=task.trial,
        phase=task.phase,
        position=task.position,
        item=task.item,
        image_sha256=image_sha256,
    )


def run_bubble_task(task: BubbleTask, presenter: Presenter, recorder: Recorder) -> None:
    """Have an image marked by bubbles, and record it."""
    result = presenter.bubble(task)
    counts = bubble_counts(result.acts)
    recorder.append(
        "trial_end",
        durable=True,
        trial=task.trial,
        phase=task.phase,
        position=task.position,
        item=task.item,
        done_s=to_microseconds(result.done_s),
        acts=[act.document() for act in result.acts],
        bubble_px=BUBBLE_PX,
        bubble_ms=BUBBLE_MS,
        counts_sha256=counts_sha256(counts),
        area=round(float((counts > 0).mean()), AREA_DECIMALS),
        interruptions=result.interruptions,
        onset_t_monotonic_s=result.onset_t_monotonic_s,
        frames_planned=None,
        frames_shown=result.frames_shown,
        frames_dropped=result.frames_dropped,
        longest_interval_s=result.longest_interval_s,
        flagged=result.flagged,
    )

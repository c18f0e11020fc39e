"""What a timed presentation leaves in the journal, written once its window is over."""

from collections.abc import Iterable, Sequence
from typing import Any

from experiments.engine.input import Press
from experiments.pages.context import SessionContext

Stamped = tuple[float, str, dict[str, Any]]
"""A moment (monotonic seconds), the event that it is, and the event's own fields."""


def record_shown(
    context: SessionContext,
    trial: int,
    span_s: tuple[float, float],
    frames: int,
    answers: Sequence[Press],
) -> None:
    """Record a stimulus's flips and the responses to it, in the order of their stamps.

    Parameters
    ----------
    context
        Who keeps it, and whose triggers were sent meanwhile.
    trial
        Number of the trial.
    span_s
        Stamps of the flips that brought the stimulus and took it away, in seconds.
    frames
        For how many frames it was shown.
    answers
        The presses that counted.
    """
    onset_s, offset_s = span_s
    moments: list[Stamped] = [
        (onset_s, "flip", {"what": "plate_on", "frame": 0}),
        (offset_s, "flip", {"what": "plate_off", "frame": frames}),
        *((press.t_s, "response", {"device": press.device, "key": press.key}) for press in answers),
    ]
    record_moments(context, trial, moments)


def record_moments(context: SessionContext, trial: int, moments: Iterable[Stamped]) -> None:
    """Record what happened in a trial in the order of the stamps, then the triggers sent."""
    for stamp_s, event, fields in sorted(moments, key=lambda moment: moment[0]):
        context.recorder.append(event, t_monotonic_s=stamp_s, trial=trial, **fields)
    record_triggers(context, trial)


def record_triggers(context: SessionContext, trial: int | None) -> None:
    """Record what was sent to other devices since the last time."""
    for sent in context.stage.triggers.take_sent():
        context.recorder.append(
            "trigger",
            t_monotonic_s=sent.t_s,
            what=sent.what,
            trial=trial,
            code=sent.code,
            took_s=sent.took_s,
            sent=not sent.reason,
            reason=sent.reason,
        )

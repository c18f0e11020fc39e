"""What a timed presentation leaves in the journal, written once its window is over."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from experiments.engine.input import Press
from experiments.engine.schedule import FrameRecord
from experiments.pages.context import SessionContext
from participants.session import Presented

Stamped = tuple[float, str, dict[str, Any]]
"""A moment (monotonic seconds), the event that it is, and the event's own fields."""


@dataclass(frozen=True, slots=True)
class Stay:
    """A stimulus's stay on the screen.

    Attributes
    ----------
    what
        Name of the stimulus in ``flip`` events.
    onset_s, offset_s
        Stamps of the flips that brought it and took it away.
    frames
        For how many frames it was shown.
    """

    what: str
    onset_s: float
    offset_s: float
    frames: int


def record_shown(
    context: SessionContext,
    trial: int,
    stay: Stay,
    answers: Sequence[Press],
    more: Sequence[Stamped] = (),
) -> None:
    """Record a stimulus's flips and the responses to it, in the order of their stamps.

    Parameters
    ----------
    context
        Who keeps it, and whose triggers were sent meanwhile.
    trial
        Number of the trial.
    stay
        The stimulus's stay on the screen.
    answers
        The presses that counted.
    more
        What else happened meanwhile.
    """
    moments: list[Stamped] = [
        (stay.onset_s, "flip", {"what": f"{stay.what}_on", "frame": 0}),
        (stay.offset_s, "flip", {"what": f"{stay.what}_off", "frame": stay.frames}),
        *((press.t_s, "response", {"device": press.device, "key": press.key}) for press in answers),
    ]
    record_moments(context, trial, [*moments, *more])


def presented(
    onset_s: float, frames: FrameRecord, *, clock_stepped: bool, disturbed: bool
) -> Presented:
    """Return how a stimulus stayed on the screen, from its onset and its frame record.

    Parameters
    ----------
    onset_s
        Of its first frame, monotonic seconds.
    frames
        Its frame record.
    clock_stepped
        Whether a clock was set meanwhile.
    disturbed
        Whether a pause was asked for, or the window lost the focus (see `Waiting.disturbed`).
    """
    return Presented(
        onset_t_monotonic_s=onset_s,
        frames_planned=frames.planned,
        frames_shown=frames.shown,
        frames_dropped=frames.dropped,
        longest_interval_s=frames.longest_interval_s,
        flagged=frames.dropped > 0 or clock_stepped or disturbed,
    )


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

"""What a session in a window works with, and the journal events that presentations leave.

A session works with the window, the people, the clock, and an album of its screens. The events of a
timed presentation are written once its timed window is over.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from PIL import Image

from experiments.engine.input import Press
from experiments.engine.pacing import FrameRecord
from experiments.engine.picture import Drawn
from experiments.engine.stage import Stage
from experiments.robot_input.actor import Actor
from participants.journal import Recorder
from participants.session import Presented
from stimuli.errors import UserError


class Album:
    """Saves screens as PNG, read back from the graphics card.

    Parameters
    ----------
    folder
        Where they go; None keeps nothing.
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._kept: set[str] = set()
        if folder is not None:
            try:
                folder.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise UserError(f"{folder}: can't be made ({error.strerror})") from None

    def keep(self, name: str, stage: Stage, picture: Drawn | None) -> None:
        """Save what a frame with this picture looks like, if none of that name was saved."""
        if self._folder is None or name in self._kept:
            return
        self._kept.add(name)
        path = self._folder / f"{len(self._kept):02d}-{name}.png"
        # A session waits for this: two thirds of the usual time, for files a fifth larger.
        Image.fromarray(stage.pixels_of(picture)).save(path, compress_level=1)


class Watch(Protocol):
    """Keeps the registry informed; asked where nothing is timed."""

    def idle(self) -> None:
        """Let the registry know that the session lives, if it wasn't told for a while."""

    def news(self) -> str:
        """Return the word that tells what went wrong with the registry; empty when it was told."""


class Unwatched:
    """Nobody is informed of the session."""

    def idle(self) -> None:
        """Do nothing."""

    def news(self) -> str:
        """Return that there is nothing to tell."""
        return ""


@dataclass(frozen=True, slots=True)
class SessionContext:
    """What everything that shows or asks something in a session works with.

    Attributes
    ----------
    stage
        The open window.
    actor
        Who answers; it learns what is waited for.
    album
        Keeps pictures of the screens.
    recorder
        Keeps what happened.
    watch
        Keeps the registry informed while a page stands.
    """

    stage: Stage
    actor: Actor
    album: Album
    recorder: Recorder
    watch: Watch = field(default_factory=Unwatched)


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

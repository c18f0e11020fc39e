"""What a session in a window works with, and the journal events that presentations leave.

A session works with the window, the people, the clock, and an album of its screens. The events of a
timed presentation are written once its timed window is over.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from PIL import Image

from experiments.engine.input import Press
from experiments.engine.pacing import FrameRecord
from experiments.engine.picture import Drawn
from experiments.engine.stage import Stage
from experiments.engine.text import TextInput
from experiments.robot_input.actor import Actor
from participants.journal import Recorder
from participants.session import Presented
from stimuli.errors import UserError
from stimuli.io.files import make_private_folder, owner_only


class Album:
    """Saves screens as PNG files, read back from the graphics card.

    Parameters
    ----------
    folder
        Folder for the files; None saves nothing.
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._kept: set[str] = set()
        if folder is not None:
            try:
                make_private_folder(folder)
            except OSError as error:
                raise UserError(f"{folder}: can't be made ({error.strerror})") from None

    def lacks(self, name: str) -> bool:
        """Return whether it saves screens and has none of that name."""
        return self._folder is not None and name not in self._kept

    def keep(self, name: str, stage: Stage, picture: Drawn | None) -> None:
        """Save a frame with this picture, unless one of that name has been saved."""
        if self._folder is None or not self.lacks(name):
            return
        self._kept.add(name)
        path = self._folder / f"{len(self._kept):03d}-{name}.png"
        # The session waits for this: it takes a third less time; files are a fifth larger.
        with open(path, "wb", opener=owner_only) as file:
            Image.fromarray(stage.pixels_of(picture)).save(file, "PNG", compress_level=1)


class Watch(Protocol):
    """Keeps the registry informed; called only when nothing is timed."""

    def idle(self) -> None:
        """Tell the registry that the session is alive, if the last message was a while ago."""

    def news(self) -> str:
        """Return the key of the text about a registry failure; empty if none is new."""


class Unwatched:
    """A `Watch` that informs nobody."""

    def idle(self) -> None:
        """Do nothing."""

    def news(self) -> str:
        """Return an empty string: nothing went wrong."""
        return ""


@dataclass(frozen=True, slots=True)
class SessionContext:
    """What all presenters of a session work with.

    Attributes
    ----------
    stage
        The open window.
    actor
        Answers; it is told what the screen waits for.
    album
        Saves pictures of the screens.
    recorder
        Records events.
    watch
        Keeps the registry informed while a page is shown.
    typing
        Makes what listens to typing in the window.
    """

    stage: Stage
    actor: Actor
    album: Album
    recorder: Recorder
    watch: Watch = field(default_factory=Unwatched)
    typing: Callable[[Stage], TextInput] = TextInput


Stamped = tuple[float, str, dict[str, Any]]
"""Time of an event (monotonic seconds), the event's name and its fields."""


@dataclass(frozen=True, slots=True)
class Stay:
    """A stimulus's time on the screen.

    Attributes
    ----------
    stimulus
        Name of the stimulus in ``flip`` events.
    onset_s, offset_s
        Times of the flips that brought it and took it away.
    frames
        Number of frames for which it was shown.
    """

    stimulus: str
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
    """Record a stimulus's flips and the responses to it, in the order of their times.

    Parameters
    ----------
    context
        Has the recorder, and the stage with the triggers sent meanwhile.
    trial
        Number of the trial.
    stay
        The stimulus's time on the screen.
    answers
        The presses that counted.
    more
        Other events meanwhile.
    """
    moments: list[Stamped] = [
        (stay.onset_s, "flip", {"what": f"{stay.stimulus}_on", "frame": 0}),
        (stay.offset_s, "flip", {"what": f"{stay.stimulus}_off", "frame": stay.frames}),
        *((press.t_s, "response", {"device": press.device, "key": press.key}) for press in answers),
    ]
    record_moments(context, trial, [*moments, *more])


def presented(
    onset_s: float, frames: FrameRecord, *, clock_stepped: bool, disturbed: bool
) -> Presented:
    """Return the timing of a presentation from its onset and its frame record.

    Parameters
    ----------
    onset_s
        Time of the stimulus's first frame, monotonic seconds.
    frames
        The stimulus's frame record.
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
    """Record a trial's events in the order of their times, then the triggers sent."""
    for stamp_s, event, fields in sorted(moments, key=lambda moment: moment[0]):
        context.recorder.append(event, t_monotonic_s=stamp_s, trial=trial, **fields)
    record_triggers(context, trial)


def record_triggers(context: SessionContext, trial: int | None) -> None:
    """Record the triggers sent since the last call."""
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

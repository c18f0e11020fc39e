"""What a person did in a task, from the events of its journal."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from experiments.engine.input import Press
from experiments.engine.window_events import PointerEvent, Typed
from participants.journal import Event
from participants.session import StrokeTask, TimedChoice
from stimuli.devices import is_pointing

InputEvent = Press | Typed | PointerEvent
"""A press or a click, text in a field, or what the pointer did."""
Recalled = tuple[float, InputEvent]
"""Something that the person did, and when the screen heard of it (monotonic seconds)."""
LATE_FRAMES: Final = 6
"""A press leads to the flip that takes the stimulus away within so many frames."""
BEFORE_FLIP: Final = 1.5
"""How many frames before its flip a press was heard that led to it."""


@dataclass(frozen=True, slots=True)
class Past:
    """What the journal tells of a stimulus's time on the screen.

    Attributes
    ----------
    task
        What was shown.
    stay
        Its flips and responses.
    end
        Fields of the event that ends the trial.
    onset_s, period_s
        Time of its first flip, and the length of a refresh.
    """

    task: Any
    stay: Sequence[Event]
    end: Mapping[str, Any]
    onset_s: float
    period_s: float

    @property
    def led_to_end_s(self) -> float | None:
        """When the screen heard of what took the stimulus away; None if the journal ends before.

        A picture that is painted is shown once more after its last input.
        """
        frames = BEFORE_FLIP + isinstance(self.task, StrokeTask)
        return None if self.offset_s is None else self.offset_s - frames * self.period_s

    @property
    def offset_s(self) -> float | None:
        """Time of the flip that took it away; None if the journal ends before."""
        flips = [event for event in self.stay if event.event == "flip"]
        last = flips[-1] if flips else None
        gone = last is not None and str(last["what"]).endswith("_off")
        return self.onset_s + last["frame"] * self.period_s if gone and last is not None else None

    def asked_s(self, flip: Event) -> float:
        """Return when the screen heard of what led to a flip of its own.

        Frames count the refreshes. A flip's time can be later than its refresh by more than a
        frame, where the process was stopped before it read the clock.
        """
        return self.onset_s + (flip["frame"] - BEFORE_FLIP) * self.period_s

    def heard_s(self, at_s: float) -> float:
        """Return when the screen heard of a press: in time for the last flip, if it led to it."""
        offset_s, heard_s = self.offset_s, self.led_to_end_s
        if offset_s is None or heard_s is None:
            return at_s
        return heard_s if 0 < offset_s - at_s < LATE_FRAMES * self.period_s else at_s


Recall = Callable[[Any, Any, Past], Iterator[Recalled]]
"""Yields what the person did in a task: the task, places on the screen as the study's actor gets
them, and the past."""


def recalled_choice(task: TimedChoice, where: Any, past: Past) -> Iterator[Recalled]:
    """Yield the answer to a timed choice, and the key that asked for its later part."""
    for event in past.stay:
        at_s = event.t_monotonic_s
        if event.event == "response":
            press = pressed(event["key"], at_s, event["device"], where or {})
            yield past.heard_s(at_s), press
        elif event.event != "flip" and task.later is not None and task.later.key is not None:
            heard_s = at_s - BEFORE_FLIP * past.period_s
            yield heard_s, Press(task.later.key, heard_s, device=task.device)


def recalled_keys(
    keystrokes: Sequence[Mapping[str, Any]], onset_s: float, past: Past
) -> Iterator[Recalled]:
    """Yield what was typed into a field, from the keystrokes that a journal keeps."""
    for keystroke in keystrokes:
        at_s = onset_s + keystroke["t_s"]
        kind: Any = "text" if keystroke["text"] else "edit"
        yield (
            past.heard_s(at_s),
            Typed(kind, keystroke["text"] or keystroke["key"], keystroke["key"], at_s),
        )


def pressed(key: str, at_s: float, device: Any, areas: Mapping[str, Any]) -> Press:
    """Return a press, or a click where the key has an area on the screen."""
    if is_pointing(device) and key in areas:
        left, top, right, bottom = areas[key]
        middle = (left + right) / 2, (top + bottom) / 2
        return Press("left", at_s, device=device, place_px=middle)
    return Press(key, at_s, device=device)

"""A viewer robot at the screen: it types names by real keys and clicks on suggestions."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from experiments.robot_input.actor import RobotActor
from experiments.robot_input.inject import InputInjector
from experiments.robot_input.input_events import InputEvent, Move, Stroke
from experiments.robot_input.input_events import typing as strokes
from participants.session import SessionPlan
from participants.studies.progressive_reveal.robots.typists import KeyPress
from participants.studies.progressive_reveal.robots.viewers import Typing, ViewerParticipant
from participants.studies.progressive_reveal.rounds import CopyTask, RevealRound

APPROACH_S: Final = 0.15
"""The pointer is on a suggestion that much before its click."""


LinePx = Callable[[str, str], tuple[int, int] | None]
"""``line_px(typed, class_id)``: where a class's line of the list lies on the screen once
something is typed; None if it has none."""


class ViewerActor(RobotActor):
    """A viewer whose answers are typed and clicked as real events.

    Parameters
    ----------
    viewer
        Decides.
    injector, plan
        As of a `RobotActor`.
    """

    def __init__(
        self, viewer: ViewerParticipant, injector: InputInjector, plan: SessionPlan
    ) -> None:
        super().__init__(viewer, injector, plan)
        self._viewer = viewer
        self._copied = {
            copying.meant: copying
            for task in plan.steps
            if isinstance(task, CopyTask)
            for copying in viewer.copy_words(task.words)
        }
        # Now: making a key is a change of the keyboard, of which every program is told.
        injector.learn(key.text for one in self._copied.values() for key in one.keys)

    def expect(self, task: RevealRound | str, where: LinePx | None = None) -> None:
        """Make up its mind beforehand, about a round or a word to copy."""
        super().expect(task)
        if isinstance(task, str):
            self._injector.prepare(typed(self._copied[task]))
            return
        assert where is not None
        lasts_s = task.steps * task.step_s
        script = self._viewer.script(task.presentation)
        self._injector.prepare(one for one in events_of(script, where) if one.at_s < lasts_s)

    def onset(self, onset_s: float) -> None:
        """Have everything typed and clicked at its time."""
        self._injector.begin(onset_s)


def events_of(script: Iterable[Typing], line_px: LinePx) -> Iterator[InputEvent]:
    """Yield what a script does with keyboard and mouse; times since the round's onset.

    Where a suggestion can't be clicked, since no list shows it, Return confirms.
    """
    for typing in script:
        *keys, confirm = typed(typing)
        yield from keys
        at_px = line_px(text_of(typing.keys), typing.meant)
        if typing.confirm == "click" and at_px is not None:
            yield Move(*at_px, typing.done_s - APPROACH_S)
            confirm = Stroke("left", typing.done_s, device="mouse")
        yield confirm


def typed(typing: Typing) -> list[Stroke]:
    """Return the keys of a typing, and the one that would confirm it."""
    # A space goes by its key's name; the injector finds the keys of other characters.
    keys = [key.text.strip() or key.key for key in typing.keys]
    return strokes((*keys, "return"), (*typing.times_s, typing.done_s))


def text_of(keys: Sequence[KeyPress]) -> str:
    """Return what stands in the field once keys were typed at its end."""
    text = ""
    for key in keys:
        text = text[:-1] if key.key == "backspace" else text + key.text
    return text

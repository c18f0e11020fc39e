"""A viewer robot at the screen: it types names by real keys and clicks on suggestions."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from experiments.engine.window_events import Typed
from experiments.robot_input.actor import RobotActor
from experiments.robot_input.inject import InputInjector
from experiments.robot_input.input_events import InputEvent, Move, Stroke
from experiments.robot_input.input_events import typing as strokes
from experiments.robot_input.recalling import Past, Recalled, recalled_keys
from participants.session import SessionPlan
from participants.session.typed_line import CLICK
from participants.studies.progressive_reveal.robots.typists import KeyPress
from participants.studies.progressive_reveal.robots.viewers import Typing, ViewerParticipant
from participants.studies.progressive_reveal.rounds import CopyTask, RevealRound

APPROACH_S: Final = 0.15
"""Time before a click at which the pointer is on the suggestion."""


LinePx = Callable[[str, str], tuple[int, int] | None]
"""``line_px(typed, class_id)``: position of a class's line in the list once a text has been typed;
None if the list doesn't have it."""


class ViewerActor(RobotActor):
    """A viewer that types and clicks answers with real events.

    Parameters
    ----------
    viewer
        Decides.
    injector, plan
        As in `RobotActor`.
    """

    def __init__(
        self, viewer: ViewerParticipant, injector: InputInjector, plan: SessionPlan
    ) -> None:
        super().__init__(viewer, injector, plan)
        self._viewer = viewer
        self._copied = {
            copying.target: copying
            for task in plan.steps
            if isinstance(task, CopyTask)
            for copying in viewer.copy_words(task.words)
        }
        # Done now: making a key changes the keyboard, and every program is notified.
        injector.learn(key.text for copying in self._copied.values() for key in copying.keys)

    def expect(self, task: RevealRound | str, where: LinePx | None = None) -> None:
        """Decide beforehand what to do in a round, or with a word to copy."""
        super().expect(task)
        if isinstance(task, str):
            self._injector.prepare(typed(self._copied[task]))
            return
        assert where is not None
        lasts_s = task.steps * task.step_s
        script = self._viewer.script(task.presentation)
        self._injector.prepare(event for event in events_of(script, where) if event.at_s < lasts_s)

    def onset(self, onset_s: float) -> None:
        """Schedule all typing and clicks."""
        self._injector.begin(onset_s)


def events_of(script: Iterable[Typing], line_px: LinePx) -> Iterator[InputEvent]:
    """Yield a script's keyboard and mouse events; times are from the round's onset.

    If a suggestion can't be clicked because no list shows it, Return confirms.
    """
    for typing in script:
        *keys, confirm = typed(typing)
        yield from keys
        at_px = line_px(text_of(typing.keys), typing.target)
        if typing.confirm == "click" and at_px is not None:
            yield Move(*at_px, typing.done_s - APPROACH_S)
            confirm = Stroke("left", typing.done_s, device="mouse")
        yield confirm


def recalled_typing(
    task: RevealRound | str, where: LinePx | None, past: Past
) -> Iterator[Recalled]:
    """Yield what was typed and clicked in a round, or while a word was copied.

    A click is one on the line of the answer that it confirmed.
    """
    copied = past.end.get("words", ())
    record, onset_s = past.end, past.onset_s
    if isinstance(task, str):
        record = next((copy for copy in copied if copy["word"] == task), {})
        onset_s = record.get("onset_t_monotonic_s", onset_s)
    confirmed = {attempt["t_s"]: attempt["class_id"] for attempt in record.get("attempts", ())}
    before = ""
    for keystroke in record.get("keystrokes", ()):
        if keystroke["key"] == CLICK:
            at_s = onset_s + keystroke["t_s"]
            place_px = where(before, confirmed[keystroke["t_s"]]) if where is not None else None
            yield past.heard_s(at_s), Typed("click", "left", "left", at_s, place_px)
        else:
            yield from recalled_keys([keystroke], onset_s, past)
        before = keystroke["entry"]


def typed(typing: Typing) -> list[Stroke]:
    """Return the keys that type a text, and the key that would confirm it."""
    # A space goes by its key's name; the injector finds the keys of other characters.
    keys = [key.text.strip() or key.key for key in typing.keys]
    return strokes((*keys, "return"), (*typing.times_s, typing.done_s))


def text_of(keys: Sequence[KeyPress]) -> str:
    """Return the field's text after keys were typed at its end."""
    text = ""
    for key in keys:
        text = text[:-1] if key.key == "backspace" else text + key.text
    return text

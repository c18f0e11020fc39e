"""A predictor at the screen: it looks, rates and predicts by real keys, or by real clicks."""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from experiments.robot_input.actor import RobotActor
from experiments.robot_input.input_events import InputEvent, Stroke, presses
from experiments.robot_input.recalling import Past, Recalled, pressed, recalled_choice
from experiments.screens.foot import BACK, NEXT, ON
from experiments.screens.parts import Area
from experiments.studies.simulatability.cases import CaseChoice
from participants.session import Question
from participants.studies.simulatability.trial import Learn, Rate
from stimuli.devices import is_pointing

TURN_S: Final = 0.4
"""Least time on a page before it is turned or answered."""
ATTEMPTS, AGAIN_S = 3, 5.0
"""An answer's presses, and the time between them: on a PC that hangs for a moment the last page
may come after the first press, which then doesn't count. Unneeded presses are cancelled."""
TURNED: Final = re.compile(r"case_(?P<at_hand>examples_)?page_(?P<page>\d+)")
"""A page that came, in the journal."""


class PredictorActor(RobotActor):
    """A robot whose ``look``, ``rate`` and ``answer`` decide what it does in a task, and when."""

    def turn(self, key: str, from_s: float, modifiers: tuple[str, ...] = ()) -> None:
        """Press the key after a moment; cancel presses meant for a case."""
        self._injector.forget()
        super().turn(key, from_s, modifiers)

    def choose(self, question: Question, keys: Mapping[str, str], confirm: str) -> None:
        """Press the key of the answer; cancel presses meant for a case."""
        self._injector.forget()
        super().choose(question, keys, confirm)

    def expect(self, task: CaseChoice, where: Mapping[str, Area] | None = None) -> None:
        """Decide beforehand what to press or click, and when."""
        super().expect(task)
        self._injector.forget()
        self._injector.prepare(self._events(task, where or {}))

    def onset(self, onset_s: float) -> None:
        """Schedule all presses."""
        self._injector.begin(onset_s)

    def _events(self, task: CaseChoice, areas: Mapping[str, Area]) -> Iterator[InputEvent]:
        """Yield the presses: those that turn pages come first, one after the other."""
        key, at_s = self._answer(task)
        by_mouse = is_pointing(task.about.device)
        # In a session by mouse, what has no area is answered on the keyboard.
        device = "keyboard" if by_mouse else task.device
        for page in range(1, task.unseen + 1):
            if by_mouse:
                yield from presses(NEXT, page * TURN_S, areas, device)
            else:
                yield Stroke("right", page * TURN_S)
        if key is not None:
            seen_s = (task.unseen + 1) * TURN_S
            for again in range(ATTEMPTS):
                pressed_s = max(at_s, seen_s) + again * AGAIN_S
                yield from presses(key, pressed_s, areas if by_mouse else {}, device)

    def _answer(self, task: CaseChoice) -> tuple[str | None, float]:
        """Return the key that the robot presses, and when; None for no key."""
        about = task.about
        if isinstance(about, Learn):
            return ON, self._robot.look(about)
        if isinstance(about, Rate):
            rated = self._robot.rate(about)
            return str(rated.rating), rated.rt_s
        response = self._robot.answer(about)
        if response.rt_s is None:
            return None, 0.0
        return about.key_of(response.decision), response.rt_s


def recalled_case(task: CaseChoice, where: Mapping[str, Area], past: Past) -> Iterator[Recalled]:
    """Yield the answer, and the keys that turned the pages to those that the journal names."""
    yield from recalled_choice(task, where, past)
    by_mouse = is_pointing(task.about.device)
    at_hand, page = False, 1
    for flip in past.stay:
        turned = TURNED.fullmatch(flip["what"]) if flip.event == "flip" else None
        if turned is None:
            continue
        now_at_hand, number = turned["at_hand"] is not None, int(turned["page"])
        if now_at_hand != at_hand:
            key, turns = str(getattr(task.about, "learning_key", "")), 1
        else:
            onward = number > page
            key = (NEXT if onward else BACK) if by_mouse else ("right" if onward else "left")
            # Of pages that were turned between two refreshes the journal names the last.
            turns = abs(number - page)
        at_hand, page = now_at_hand, number
        heard_s = past.asked_s(flip)
        press = pressed(key, heard_s, "mouse" if by_mouse else "keyboard", where)
        yield from [(heard_s, press)] * turns

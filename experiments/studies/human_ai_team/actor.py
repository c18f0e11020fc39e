"""A judge at the screen: it asks for help and answers by real keys."""

from typing import Any

from experiments.robot_input.actor import ChoiceActor
from experiments.robot_input.input_events import Stroke
from participants.session import TimedChoice


class JudgeActor(ChoiceActor):
    """A robot whose ``answer(task)`` returns decision, time, and when help came or is requested."""

    def expect(self, task: TimedChoice, where: Any = None) -> None:
        """Decide beforehand which keys to press, and when."""
        super().expect(task)
        self._asks = task.later.key if task.later is not None else None

    def onset(self, onset_s: float) -> None:
        """Schedule the key presses."""
        if self._asks is not None and self._response.help_s is not None:
            asked_s = onset_s + self._response.help_s
            self._injector.press(Stroke(self._asks, asked_s, device=self._task.device))
        super().onset(onset_s)

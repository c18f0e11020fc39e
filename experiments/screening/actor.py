"""A robot that is screened: it presses arrows and digits, clicks, and moves caps by a mouse."""

from typing import Any, Final

from experiments.robot_input.actor import BETWEEN_KEYS_S, READING_S, RobotActor
from experiments.robot_input.input_events import Move, Stroke
from experiments.screening.caps_screen import CapsBoard, Place, Spot
from experiments.screens.parts import Area
from participants.screening.stages import D15Task
from participants.screening.trials import Arrangement, ScreeningTrial
from participants.screening.verdict import IshiharaEdition

CLICKED_EVERY: Final = 3
"""Every third gap is answered by a click, the others by a key."""
CAP_S: Final = 0.45
"""Time from one cap to the next."""
STEPS: Final = (0.0, 0.35, 0.7, 1.0)
"""Shares of a drag's path at which the pointer is placed."""
DRAG_S: Final = 0.18
APPROACH_S: Final = 0.02
CLICK_S: Final = 0.04


class ScreeningActor(RobotActor):
    """A robot that answers with real events; see `ScreenedParticipant`."""

    def expect(self, task: Any, where: Any = None) -> None:
        """Decide beforehand what to do."""
        super().expect(task)
        self._task, self._where = task, where
        if isinstance(task, ScreeningTrial):
            self._answer, self._rt_s = self._robot.plate(task)

    def onset(self, onset_s: float) -> None:
        """Schedule all presses and moves."""
        match self._task:
            case ScreeningTrial() as trial:
                self._answer_plate(trial, onset_s)
            case D15Task():
                self._order_caps(*self._where, onset_s + READING_S)
            case IshiharaEdition() as edition:
                keys = [*str(self._robot.score(edition)), "return"]
                for place, key in enumerate(keys):
                    at_s = onset_s + READING_S + place * BETWEEN_KEYS_S
                    self._injector.press(Stroke(key, at_s))

    def _answer_plate(self, trial: ScreeningTrial, onset_s: float) -> None:
        at_s = onset_s + self._rt_s
        if self._where is None or trial.number % CLICKED_EVERY:
            self._injector.press(Stroke(trial.key_of(self._answer), at_s))
            return
        left, top, right, bottom = self._where[self._answer]
        self._click(((left + right) / 2, (top + bottom) / 2), at_s)

    def _order_caps(
        self, board: CapsBoard, button: Area, arrangement: Arrangement, from_s: float
    ) -> None:
        """Put the caps in the tray into the row, alternately by drags and clicks, and confirm."""
        caps = [cap for cap in self._robot.caps() if cap not in arrangement.row]
        first = len(arrangement.row) + 1
        for place, cap in enumerate(caps):
            at_s = from_s + place * CAP_S
            spots: tuple[Spot, Spot] = board.spot_of(cap, arrangement), ("row", first + place)
            start, end = (board.middle(spot) for spot in spots)
            if place % 2:
                self._click(start, at_s)
                self._click(end, at_s + CAP_S / 2)
            else:
                self._drag(start, end, at_s)
        left, top, right, bottom = button
        self._click(((left + right) / 2, (top + bottom) / 2), from_s + len(caps) * CAP_S)

    def _click(self, at: Place, at_s: float) -> None:
        self._injector.move([Move(round(at[0]), round(at[1]), at_s - APPROACH_S)])
        self._injector.press(Stroke("left", at_s, hold_s=CLICK_S, device="mouse"))

    def _drag(self, start: Place, end: Place, at_s: float) -> None:
        moves = [
            Move(
                round(start[0] + share * (end[0] - start[0])),
                round(start[1] + share * (end[1] - start[1])),
                at_s + share * DRAG_S,
            )
            for share in STEPS
        ]
        first = moves[0]
        self._injector.move([Move(first.x_px, first.y_px, at_s - APPROACH_S), *moves])
        hold_s = DRAG_S + APPROACH_S
        self._injector.press(Stroke("left", at_s, hold_s=hold_s, device="mouse"))

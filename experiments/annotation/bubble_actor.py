"""A robot at the screen that marks images by a real mouse."""

from typing import Final

from experiments.actor import RobotActor
from experiments.inject import Hand, Move, Stroke
from experiments.screens.painting import PlateBox
from participants.painting import Act
from participants.robots.marker import Marking, RobotMarker
from participants.session import BubbleTask, SessionPlan

APPROACH_S: Final = 0.02
"""The pointer is where a stroke begins that much before its button goes down."""
DAB_HOLD_S: Final = 0.06


class MarkerActor(RobotActor):
    """A robot whose strokes are made as real events.

    Parameters
    ----------
    marker
        Decides.
    hand, plan
        As of a `RobotActor`.
    """

    def __init__(self, marker: RobotMarker, hand: Hand, plan: SessionPlan) -> None:
        super().__init__(marker, hand, plan)
        self._marker = marker
        self._box: PlateBox | None = None
        self._marking: Marking | None = None

    def expect_plate(self, task: BubbleTask, box: PlateBox) -> None:
        """Make up its mind beforehand."""
        self._check_hand()
        self._box, self._marking = box, self._marker.intend(task)

    def onset(self, onset_s: float) -> None:
        """Have all strokes made at their times, and Enter pressed."""
        marking = self._marking
        assert marking is not None
        for act in marking.acts:
            self._perform(act, onset_s)
        self._hand.press(Stroke("return", onset_s + marking.done_ms / 1000))

    def _perform(self, act: Act, onset_s: float) -> None:
        assert self._box is not None
        at_s = onset_s + act.t_ms / 1000
        if act.act == "undo":
            self._hand.press(Stroke("backspace", at_s))
            return
        moves = [
            Move(*self._box.to_screen(x, y), onset_s + t_ms / 1000) for t_ms, x, y in act.points
        ]
        first = moves[0]
        self._hand.move([Move(first.x_px, first.y_px, at_s - APPROACH_S), *moves])
        hold_s = max(DAB_HOLD_S, (act.points[-1][0] - act.t_ms) / 1000 + APPROACH_S)
        self._hand.press(Stroke("left", at_s, hold_s=hold_s, device="mouse"))

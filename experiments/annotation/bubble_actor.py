"""A robot at the screen that marks images by a real mouse."""

from experiments.annotation.strokes import draw_stroke
from experiments.robot_input.actor import RobotActor
from experiments.robot_input.inject import InputInjector
from experiments.robot_input.input_events import Stroke
from experiments.screens.painting import PlateBox
from participants.session import BubbleTask, SessionPlan
from participants.strokes.painting import Act
from participants.studies.progressive_reveal.robots.robot_bubbler import Marking, RobotBubbler


class BubblerActor(RobotActor):
    """A robot whose strokes are made as real events.

    Parameters
    ----------
    marker
        Decides.
    injector, plan
        As of a `RobotActor`.
    """

    def __init__(self, marker: RobotBubbler, injector: InputInjector, plan: SessionPlan) -> None:
        super().__init__(marker, injector, plan)
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
        self._injector.press(Stroke("return", onset_s + marking.done_ms / 1000))

    def _perform(self, act: Act, onset_s: float) -> None:
        assert self._box is not None
        if act.act == "undo":
            at_s = onset_s + act.t_ms / 1000
            self._injector.press(Stroke("backspace", at_s))
        else:
            draw_stroke(self._injector, self._box, act, onset_s)

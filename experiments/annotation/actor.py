"""An expert robot at the screen: it types by real keys and paints by a real mouse."""

from typing import Final

from experiments.annotation.strokes import draw_stroke
from experiments.annotation.work import NO_SOLUTION_KEY
from experiments.robot_input.actor import RobotActor
from experiments.robot_input.inject import InputInjector
from experiments.robot_input.input_events import Move, Stroke
from experiments.screens.painting import PlateBox
from participants.session import PaintTask, SessionPlan
from participants.strokes.painting import RADII, Act
from participants.studies.accept_reject.robots.painter import Intent, RobotExpert
from stimuli.images.predictions import NO_SOLUTION

WHEEL_EVERY_S: Final = 0.03
WHEEL_HOLD_S: Final = 0.008


class ExpertActor(RobotActor):
    """An expert robot whose answers are typed and painted as real events.

    Parameters
    ----------
    expert
        Decides.
    injector, plan
        As of a `RobotActor`.
    """

    def __init__(self, expert: RobotExpert, injector: InputInjector, plan: SessionPlan) -> None:
        super().__init__(expert, injector, plan)
        self._expert = expert
        self._box: PlateBox | None = None
        self._intent: Intent | None = None

    def expect_plate(self, task: PaintTask, box: PlateBox) -> None:
        """Make up its mind beforehand: seeing takes the robot longer than people."""
        self._check_hand()
        self._box, self._intent = box, self._expert.intend(task)

    def onset(self, onset_s: float) -> None:
        """Have everything pressed and painted at its time."""
        intent = self._intent
        assert intent is not None
        answer = intent.annotation
        key = NO_SOLUTION_KEY if answer.label == NO_SOLUTION else answer.label
        self._injector.press(Stroke(key, onset_s + answer.rt_s))
        if intent.acts:
            self._choose_brush(intent.acts[0].radius, onset_s)
        for act in intent.acts:
            self._perform(act, onset_s)
        self._injector.press(Stroke("return", onset_s + intent.done_ms / 1000))

    def _choose_brush(self, radius: int, onset_s: float) -> None:
        """Turn the wheel all the way down, then up to the radius."""
        assert self._box is not None
        middle = self._box.to_screen(512, 512)
        self._injector.move([Move(*middle, onset_s)])
        turns = ["wheel_down"] * (len(RADII) - 1) + ["wheel_up"] * RADII.index(radius)
        for number, turn in enumerate(turns, start=1):
            at_s = onset_s + number * WHEEL_EVERY_S
            self._injector.press(Stroke(turn, at_s, hold_s=WHEEL_HOLD_S, device="mouse"))

    def _perform(self, act: Act, onset_s: float) -> None:
        assert self._box is not None
        if act.act == "undo":
            at_s = onset_s + act.t_ms / 1000
            self._injector.press(Stroke("z", at_s, modifiers=("lctrl",)))
        else:
            draw_stroke(self._injector, self._box, act, onset_s)

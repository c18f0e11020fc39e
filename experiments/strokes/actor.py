"""A robot at the screen: it types by real keys, and paints or marks by a real mouse."""

from collections.abc import Iterator
from typing import Final

from experiments.engine.input import Press
from experiments.engine.window_events import PointerEvent
from experiments.robot_input.actor import RobotActor
from experiments.robot_input.inject import InputInjector
from experiments.robot_input.input_events import Move, Stroke
from experiments.robot_input.recalling import Past, Recalled
from experiments.screens.strokes import PictureBox
from experiments.strokes.presenter import CLEAR_KEY, DONE_KEY, UNDO_KEY
from participants.session import StrokeTask
from participants.strokes import SIDE, Act, act_from

WHEEL_EVERY_S: Final = 0.03
WHEEL_HOLD_S: Final = 0.008
APPROACH_S: Final = 0.02
"""Time before the button goes down at which the pointer is at the stroke's start."""
DAB_HOLD_S: Final = 0.06
HEARD_S: Final = 0.002
"""Acts have the time of a frame, rounded: so much earlier, that frame surely hears of them."""


class StrokeActor(RobotActor):
    """A robot that answers and draws with real events.

    ``robot.intend(task)`` returns a `participants.robots.strokes.Intent`.
    """

    def expect(self, task: StrokeTask, where: PictureBox | None = None) -> None:
        """Decide beforehand: a robot takes longer to see than people do."""
        super().expect(task)
        assert where is not None
        self._task, self._box, self._intent = task, where, self._robot.intend(task)

    def onset(self, onset_s: float) -> None:
        """Schedule all presses and strokes."""
        intent, kind = self._intent, self._task.kind
        if intent.answer is not None:
            keys = (key for key, answer in kind.answer_keys.items() if answer == intent.answer)
            self._injector.press(Stroke(next(keys), onset_s + intent.answer_s))
        if intent.acts and len(kind.brush.radii) > 1:
            self._choose_brush(intent.acts[0].radius, onset_s)
        for act in intent.acts:
            self._perform(act, onset_s)
        self._injector.press(Stroke("return", onset_s + intent.done_ms / 1000))

    def _choose_brush(self, radius: int, onset_s: float) -> None:
        """Turn the wheel all the way down, then up to the radius."""
        radii = self._task.kind.brush.radii
        middle = self._box.to_screen(SIDE // 2, SIDE // 2)
        self._injector.move([Move(*middle, onset_s)])
        turns = ["wheel_down"] * (len(radii) - 1) + ["wheel_up"] * radii.index(radius)
        for number, turn in enumerate(turns, start=1):
            at_s = onset_s + number * WHEEL_EVERY_S
            self._injector.press(Stroke(turn, at_s, hold_s=WHEEL_HOLD_S, device="mouse"))

    def _perform(self, act: Act, onset_s: float) -> None:
        if act.act == "undo":
            at_s = onset_s + act.t_ms / 1000
            self._injector.press(Stroke(UNDO_KEY, at_s))
        else:
            draw_stroke(self._injector, self._box, act, onset_s)


def draw_stroke(injector: InputInjector, box: PictureBox, act: Act, onset_s: float) -> None:
    """Press the left button, move along a stroke and release, at the stroke's times.

    Parameters
    ----------
    injector, box
        The injector, and the canvas's position on the screen.
    act
        The stroke; its times are in milliseconds from the onset.
    onset_s
        Time of the onset, monotonic seconds.
    """
    at_s = onset_s + act.t_ms / 1000
    moves = [Move(*box.to_screen(x, y), onset_s + t_ms / 1000) for t_ms, x, y in act.points]
    first = moves[0]
    injector.move([Move(first.x_px, first.y_px, at_s - APPROACH_S), *moves])
    hold_s = max(DAB_HOLD_S, (act.points[-1][0] - act.t_ms) / 1000 + APPROACH_S)
    injector.press(Stroke("left", at_s, hold_s=hold_s, device="mouse"))


def recalled_strokes(task: StrokeTask, where: PictureBox, past: Past) -> Iterator[Recalled]:
    """Yield the answers, and the strokes, undos and clears during this stay of the picture."""
    for event in past.stay:
        if event.event == "response":
            at_s = event.t_monotonic_s
            yield past.heard_s(at_s), Press(event["key"], at_s)
    began_s = past.end.get("onset_t_monotonic_s", past.onset_s)
    if task.kind.answer_keys and past.end:
        done_s = began_s + past.end["done_s"]
        yield past.heard_s(done_s), Press(DONE_KEY, done_s)
    for act in map(act_from, past.end.get("acts", ())):
        at_s = began_s + act.t_ms / 1000 - HEARD_S
        if not past.onset_s - HEARD_S <= at_s <= (past.offset_s or at_s):
            continue
        if not act.points:
            yield at_s, Press(UNDO_KEY if act.act == "undo" else CLEAR_KEY, at_s)
            continue
        yield from _recalled_stroke(task, where, act, at_s)


def _recalled_stroke(
    task: StrokeTask, where: PictureBox, act: Act, at_s: float
) -> Iterator[Recalled]:
    radii = task.kind.brush.radii
    button = "left" if act.act == "brush" else "right"
    path = [(at_s + (t_ms - act.t_ms) / 1000, where.place(x, y)) for t_ms, x, y in act.points]
    start_px = path[0][1]
    steps = [-1] * len(radii) + [1] * radii.index(act.radius)
    for step in steps if len(radii) > 1 else ():
        yield at_s, PointerEvent("wheel", *start_px, steps=step)
    yield at_s, PointerEvent("down", *start_px, button)
    for t_s, place_px in path[1:]:
        yield t_s, PointerEvent("move", *place_px)
    yield path[-1][0], PointerEvent("up", *path[-1][1], button)

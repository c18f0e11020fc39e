"""A stroke of a robot as events of a real mouse."""

from typing import Final

from experiments.robot_input.inject import InputInjector
from experiments.robot_input.input_events import Move, Stroke
from experiments.screens.painting import PlateBox
from participants.strokes.painting import Act

APPROACH_S: Final = 0.02
"""The pointer is where a stroke begins that much before its button goes down."""
DAB_HOLD_S: Final = 0.06


def draw_stroke(injector: InputInjector, box: PlateBox, act: Act, onset_s: float) -> None:
    """Have the left button go down, moved along a stroke and let go, at the stroke's own times.

    Parameters
    ----------
    injector, box
        Who does it, and where on the screen the canvas lies.
    act
        A stroke; its times count from the onset, milliseconds.
    onset_s
        Monotonic seconds.
    """
    at_s = onset_s + act.t_ms / 1000
    moves = [Move(*box.to_screen(x, y), onset_s + t_ms / 1000) for t_ms, x, y in act.points]
    first = moves[0]
    injector.move([Move(first.x_px, first.y_px, at_s - APPROACH_S), *moves])
    hold_s = max(DAB_HOLD_S, (act.points[-1][0] - act.t_ms) / 1000 + APPROACH_S)
    injector.press(Stroke("left", at_s, hold_s=hold_s, device="mouse"))

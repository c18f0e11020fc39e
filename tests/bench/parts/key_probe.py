"""Presses real keys in a real window while plates are shown; prints when they arrived."""

import json
import sys
import time

import numpy as np

from experiments.engine.display import own_virtual_display
from experiments.engine.picture import Layer
from experiments.engine.present import Presentation, present
from experiments.engine.stage import open_stage
from experiments.engine.window import WindowSettings
from experiments.robot_input.inject import Sent, robot_injector
from experiments.robot_input.input_events import Stroke

SIZE = (1280, 720)
BACKGROUND = (30, 30, 30)
HOLDS_S = (0.002, 0.06)
SETTLE_S = 0.1


def main(presses: int) -> None:
    """Press a key in each of so many trials."""
    rng = np.random.Generator(np.random.PCG64(1))
    errors_s, sent = [], 0
    own_virtual_display(SIZE)
    with (
        open_stage(WindowSettings(BACKGROUND, SIZE)) as stage,
        robot_injector(stage.window.system_id) as injector,
    ):
        noise = rng.integers(0, 256, (480, 480, 3), dtype=np.uint8)
        plate = stage.picture([Layer(noise, 400, 95)])
        shown_of = Presentation(None, plate, None, 0.05, 0.6, frozenset("fj"))
        for number in range(presses):
            stroke_s, hold_s = float(rng.uniform(0.03, 0.2)), HOLDS_S[number % 2]

            def onset(onset_s: float, stroke_s: float = stroke_s, hold_s: float = hold_s) -> None:
                injector.press(Stroke("fj"[int(stroke_s * 1e6) % 2], onset_s + stroke_s, hold_s))

            shown = present(stage, shown_of, watch=onset)
            time.sleep(SETTLE_S)
            reports = [report for report in injector.reports() if isinstance(report, Sent)]
            sent += len(reports)
            if shown.answer is not None and reports:
                errors_s.append(shown.answer.t_s - reports[0].before_s)
    json.dump({"errors_s": errors_s, "sent": sent}, sys.stdout)


if __name__ == "__main__":
    main(int(sys.argv[1]))

"""Presses keys and a pad in a real window while plates are shown; prints when they arrived."""

import json
import sys
import time
from dataclasses import replace
from typing import Final

import numpy as np

from experiments.engine.picture import Layer
from experiments.engine.present import Presentation, Shown, present
from experiments.engine.stage import open_stage
from experiments.engine.virtual_display import own_virtual_display
from experiments.engine.window import WindowSettings
from experiments.robot_input.inject import Sent, robot_injector
from experiments.robot_input.input_events import Stroke
from experiments.robot_input.pad import robot_pad
from stimuli.devices import DeviceName

SIZE = (1280, 720)
BACKGROUND = (30, 30, 30)
HOLDS_S = (0.002, 0.06)
SETTLE_S = 0.1
DEVICES: Final[tuple[DeviceName, ...]] = ("keyboard", "pad")


def main(presses: int) -> None:
    """Press a key, or a button of a pad, in each of so many trials for each of the two."""
    rng = np.random.Generator(np.random.PCG64(1))
    errors_s: dict[str, list[float]] = {device: [] for device in DEVICES}
    sent = dict.fromkeys(DEVICES, 0)
    own_virtual_display(SIZE)
    with (
        robot_pad() as pad,
        open_stage(WindowSettings(BACKGROUND, SIZE), pad=pad) as stage,
        robot_injector(stage.window.system_id, pad.port) as injector,
    ):
        noise = rng.integers(0, 256, (480, 480, 3), dtype=np.uint8)
        plate = stage.picture([Layer(noise, 400, 95)])
        for number in range(presses * len(DEVICES)):
            device = DEVICES[number % len(DEVICES)]
            key, hold_s = "fj"[rng.integers(2)], HOLDS_S[number // len(DEVICES) % len(HOLDS_S)]
            stroke = Stroke(key, float(rng.uniform(0.03, 0.2)), hold_s, device=device)
            shown_of = Presentation(None, plate, None, 0.05, 0.6, frozenset("fj"), device=device)

            def onset(onset_s: float, stroke: Stroke = stroke) -> None:
                injector.press(replace(stroke, at_s=onset_s + stroke.at_s))

            shown = present(stage, shown_of, watch=onset)
            time.sleep(SETTLE_S)
            reports = [report for report in injector.reports() if isinstance(report, Sent)]
            sent[device] += len(reports)
            if isinstance(shown, Shown) and shown.answer is not None and reports:
                errors_s[device].append(shown.answer.t_s - reports[0].before_s)
    json.dump({"errors_s": errors_s, "sent": sent}, sys.stdout)


if __name__ == "__main__":
    main(int(sys.argv[1]))

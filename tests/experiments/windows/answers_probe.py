"""Presses at every awkward moment, by keys and by buttons; prints what was taken for an answer."""

import json
import sys
import time

import numpy as np

from experiments.engine.picture import Layer
from experiments.engine.present import Presentation, present
from experiments.engine.stage import open_stage
from experiments.engine.virtual_display import own_virtual_display
from experiments.engine.window import WindowSettings
from experiments.robot_input.inject import Sent, robot_injector
from experiments.robot_input.input_events import Stroke

SIZE = (640, 480)
NAMES = {"keyboard": ("f", "j"), "mouse": ("left", "right")}
SETTLE_S = 0.15
STALL_S = 0.35


class Asker:
    def __init__(self, stage, injector):
        rng = np.random.Generator(np.random.PCG64(1))
        noise = rng.integers(0, 256, (200, 200, 3), dtype=np.uint8)
        self.stage, self.injector = stage, injector
        self.typed = []
        stage.window.handle.winHandle.push_handlers(on_text=self.typed.append)
        self.plate = stage.picture([Layer(noise, 220, 140)])

    def ask(self, device, strokes, *, limit_s=0.4, stall_s=0.0, fixation_s=0.05):
        """Show a trial; strokes are (key, seconds from the onset, hold, modifiers)."""

        def onset(onset_s):
            for key, at_s, hold_s, *modifiers in strokes:
                self.injector.press(Stroke(key, onset_s + at_s, hold_s, tuple(modifiers), device))
            if stall_s:
                time.sleep(stall_s)

        first, second = NAMES[device]
        shown = present(
            self.stage,
            Presentation(
                None, self.plate, None, fixation_s, limit_s,
                frozenset({first, second}), device=device,
            ),
            watch=onset,
        )  # fmt: skip
        time.sleep(SETTLE_S)
        sent = [report for report in self.injector.reports() if isinstance(report, Sent)]
        answer = shown.answer
        return {
            "key": answer.key if answer else None,
            "rt_s": answer.t_s - shown.onset_s if answer else None,
            "error_s": answer.t_s - sent[-1].before_s if answer and sent else None,
            "sent": len(sent),
            "sent_rt_s": sent[-1].after_s - shown.onset_s if sent else None,
            "dropped": shown.frames.dropped,
            "leftover": [press.key for press in self.stage.presses()],
        }

    def of_device(self, device):
        first, second = NAMES[device]
        told = {
            "stalled": self.ask(device, [(first, 0.03, 0.002)], stall_s=STALL_S),
            "stalled_twice": self.ask(
                device, [(second, 0.03, 0.002), (first, 0.05, 0.002)], stall_s=STALL_S
            ),
            "in_one_frame": self.ask(device, [(second, 0.105, 0.002), (first, 0.1, 0.002)]),
            "shifted": self.ask(device, [(first, 0.1, 0.03, "lshift")]),
            "chorded": self.ask(device, [(first, 0.1, 0.03, "lctrl", "lshift")]),
            "at_the_limit": self.ask(device, [(first, 0.29, 0.002)], limit_s=0.3),
        }
        self.injector.press(Stroke(first, time.perf_counter(), 1.3, device=device))
        time.sleep(0.1)
        told["held_through"] = self.ask(device, [], limit_s=0.9)
        told["held_through"]["repeats"] = len(self.typed)
        time.sleep(0.5)
        told["after_release"] = self.ask(device, [(second, 0.2, 0.03)])
        return told


def main():
    own_virtual_display(SIZE)
    with (
        open_stage(WindowSettings((30, 30, 30), SIZE), mouse=True) as stage,
        robot_injector(stage.window.system_id) as injector,
    ):
        asker = Asker(stage, injector)
        asker.ask("keyboard", [])
        told = {device: asker.of_device(device) for device in NAMES}
    json.dump(told, sys.stdout)


if __name__ == "__main__":
    main()

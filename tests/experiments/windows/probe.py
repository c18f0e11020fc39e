"""Tries the engine in a real window with real key events; prints what it saw as JSON."""

import gc
import json
import os
import sys
import time
from pathlib import Path

import numpy as np
from Xlib import X, display

from experiments.engine.picture import Layer
from experiments.engine.present import Presentation, present
from experiments.engine.stage import open_stage
from experiments.engine.virtual_display import own_virtual_display
from experiments.engine.window import UNUSED, WindowSettings
from experiments.robot_input.inject import Refused, robot_injector
from experiments.robot_input.input_events import Stroke
from tests.experiments.windows.stamps import lateness_s

SIZE = (800, 600)
BACKGROUND = (30, 30, 30)
KEYS = frozenset("fj")


def lateness_of(press, sent):
    """Return by how much a press's stamp is later than the press."""
    return lateness_s(press.t_s, sent.before_s, sent.after_s)


class Probe:
    def __init__(self, stage, injector):
        rng = np.random.Generator(np.random.PCG64(1))
        self.noise = rng.integers(0, 256, (201, 300, 3), dtype=np.uint8)
        self.stage, self.injector = stage, injector
        self.plate = stage.picture([Layer(self.noise, 251, 150)])
        self.fixation = stage.picture([Layer(np.full((20, 20, 3), 220, np.uint8), 390, 290)])

    def show(self, strokes=(), *, limit_s=0.6, exposure_s=None, fixation_s=0.05):
        def onset(onset_s):
            for key, rt_s, hold_s in strokes:
                self.injector.press(Stroke(key, onset_s + rt_s, hold_s))

        shown = present(
            self.stage,
            Presentation(self.fixation, self.plate, None, fixation_s, limit_s, KEYS, exposure_s),
            is_interrupt=lambda press: press.chord and press.key == "q",
            watch=onset,
        )
        time.sleep(0.12)
        return shown, self.injector.reports()

    def told(self, shown):
        answer = shown.answer
        return {
            "key": answer.key if answer else None,
            "rt_s": answer.t_s - shown.onset_s if answer else None,
            "planned": shown.frames.planned,
            "shown": shown.frames.shown,
            "dropped": shown.frames.dropped,
            "on_s": shown.offset_s - shown.onset_s,
            "interrupted": shown.interrupt is not None,
        }

    def pixels(self):
        drawn = self.stage.pixels_of(self.plate)
        around = drawn.copy()
        around[150:351, 251:551] = BACKGROUND
        around[:64, :64] = BACKGROUND
        return {
            "exact": bool(np.array_equal(drawn[150:351, 251:551], self.noise)),
            "clear": bool((around == BACKGROUND).all()),
            "marker": [self.marker(critical=critical) for critical in (False, True)],
        }

    def enlarged(self):
        """Small pixels as squares of the screen's, at a place that is not a multiple of theirs."""
        small = self.noise[:50, :60]
        picture = self.stage.picture([Layer(small, 131, 77, scale=3)])
        drawn = self.stage.pixels_of(picture).copy()
        picture.free()
        squares = small.repeat(3, axis=0).repeat(3, axis=1)
        exact = np.array_equal(drawn[77:227, 131:311], squares)
        drawn[77:227, 131:311] = BACKGROUND
        drawn[:64, :64] = BACKGROUND
        return bool(exact and (drawn == BACKGROUND).all())

    def marker(self, *, critical):
        self.stage.draw(self.plate, critical=critical)
        drawn = self.stage.window.pixels()
        self.stage.window.handle.clearBuffer()
        patch = drawn[:64, :64]
        assert (drawn[64:70, :64] == BACKGROUND).all()
        return int(patch[0, 0, 0]) if (patch == patch[0, 0]).all() else None

    def presses(self):
        """Short and long presses at odd times: each must be there, with its own stamp."""
        rng = np.random.Generator(np.random.PCG64(2))
        errors_s, lost = [], 0
        for number in range(14):
            hold_s = (0.002, 0.06)[number % 2]
            shown, reports = self.show([("f", float(rng.uniform(0.03, 0.15)), hold_s)])
            if shown.answer is None:
                lost += 1
            else:
                errors_s.append(lateness_of(shown.answer, reports[0]))
        return {"errors_s": errors_s, "lost": lost}

    def clicks(self):
        """The same of mouse buttons; the arrow key named as a button is no answer."""
        rng = np.random.Generator(np.random.PCG64(3))
        buttons = frozenset({"left", "right"})
        shown_of = Presentation(None, self.plate, None, 0.0, 0.6, buttons, device="mouse")
        errors_s, keys = [], []
        for number in range(14):
            button, hold_s = ("left", "right")[number % 2], (0.002, 0.06)[number // 7]
            rt_s = float(rng.uniform(0.05, 0.15))

            def onset(onset_s, button=button, hold_s=hold_s, rt_s=rt_s):
                self.injector.press(Stroke(button, onset_s + rt_s - 0.03, 0.002))
                self.injector.press(Stroke(button, onset_s + rt_s, hold_s, device="mouse"))

            shown = present(self.stage, shown_of, watch=onset)
            time.sleep(0.12)
            reports = self.injector.reports()
            if shown.answer is not None:
                errors_s.append(lateness_of(shown.answer, reports[-1]))
                keys.append(f"{shown.answer.device} {shown.answer.key}")
        return {"errors_s": errors_s, "keys": keys}

    def held(self):
        self.injector.press(Stroke("f", time.perf_counter(), 0.5))
        time.sleep(0.1)
        shown, _ = self.show([("j", 0.2, 0.05)], fixation_s=0.1)
        time.sleep(0.3)
        return self.told(shown)

    def chord(self):
        def onset(onset_s):
            self.injector.press(Stroke("q", onset_s + 0.1, modifiers=("lctrl", "lshift")))

        presentation = Presentation(None, self.plate, None, 0.0, 1.0, KEYS)
        shown = present(
            self.stage,
            presentation,
            is_interrupt=lambda press: press.chord and press.key == "q",
            watch=onset,
        )
        time.sleep(0.2)
        return self.told(shown)

    def swap(self):
        """What a flip does, in order, and where its stamp lies."""
        window, order, times_s = self.stage.window, [], {}
        handle, swap = window.handle.winHandle, window._swap
        events = handle.dispatch_events

        def noted(name, action=lambda: None):
            def act():
                order.append(name)
                action()
                times_s[name] = time.perf_counter()

            return act

        handle.dispatch_events, window._swap = noted("events", events), noted("swap", swap)
        try:
            stamp_s = window.flip(noted("wait"))
        finally:
            handle.dispatch_events, window._swap = events, swap
        ended_s = time.perf_counter()
        return {"order": order, "in_swap": times_s["swap"] <= stamp_s <= ended_s}

    def unfocused(self):
        """Another window takes the focus: no key may be sent there."""
        from Xlib import X, display

        screen = display.Display()
        root = screen.screen().root
        other = root.create_window(0, 0, 50, 50, 0, screen.screen().root_depth)
        other.map()
        screen.sync()
        other.set_input_focus(X.RevertToParent, X.CurrentTime)
        screen.sync()
        self.injector.reports()
        self.injector.press(Stroke("f", time.perf_counter()))
        time.sleep(3.4)
        refused = [isinstance(report, Refused) for report in self.injector.reports()]
        other.destroy()
        screen.sync()
        self.stage.window.focus()
        # As a session does before each trial.
        self.stage.focus.is_here()
        shown, _ = self.show([("f", 0.1, 0.05)])
        return {"refused": refused, "after": self.told(shown)}


def has_icon(window):
    """Return whether the window system was given an icon of a window."""
    screen = display.Display()
    name = screen.intern_atom("_NET_WM_ICON")
    found = screen.create_resource_object("window", window).get_full_property(
        name, X.AnyPropertyType
    )
    screen.close()
    return found is not None


def main():
    own_virtual_display(SIZE)
    os.environ["LP_NUM_THREADS"] = "2"  # as if the PC had set it
    gc.disable()
    with (
        open_stage(WindowSettings(BACKGROUND, SIZE), marker=True, mouse=True) as stage,
        robot_injector(stage.window.system_id) as injector,
    ):
        probe = Probe(stage, injector)
        told = {
            "start": {
                "unused": [name for name in UNUSED if name in sys.modules],
                "icon": has_icon(stage.window.system_id),
                "collects": gc.isenabled() and gc.get_freeze_count() > 0,
            },
            "pacing": stage.pacing.name,
            "backend": stage.keyboard.backend,
            "hz": 1 / stage.period_s,
            "size": stage.window.size_px,
            "threads": [
                place.read_text().strip() for place in Path("/proc/self/task").glob("*/comm")
            ],
            "pixels": probe.pixels(),
            "enlarged": probe.enlarged(),
            "presses": probe.presses(),
            "clicks": probe.clicks(),
            "both": probe.told(probe.show([("j", 0.1005, 0.002), ("f", 0.1, 0.002)])[0]),
            "held": probe.held(),
            "limit": probe.told(probe.show(limit_s=0.3)[0]),
            "too_late": probe.told(probe.show([("f", 0.33, 0.05)], limit_s=0.3)[0]),
            "exposure": probe.told(probe.show(exposure_s=0.2, limit_s=0.4)[0]),
            "after_exposure": probe.told(
                probe.show([("j", 0.35, 0.05)], exposure_s=0.2, limit_s=0.6)[0]
            ),
            "cut_short": probe.told(
                probe.show([("j", 0.05, 0.05)], exposure_s=0.4, limit_s=0.6)[0]
            ),
            "chord": probe.chord(),
            "swap": probe.swap(),
            "unfocused": probe.unfocused(),
        }
    json.dump(told, sys.stdout)


if __name__ == "__main__":
    main()

"""Watches the frame loop in a real window: memory, textures, garbage, and several rates."""

import gc
import json
import sys
from collections import Counter
from dataclasses import replace
from unittest.mock import patch

import numpy as np

from experiments.engine.pacing import SoftwarePacing
from experiments.engine.picture import Layer
from experiments.engine.present import Presentation, present
from experiments.engine.stage import open_stage
from experiments.engine.virtual_display import own_virtual_display
from experiments.engine.window import WindowSettings

SIZE = (640, 480)
RATES_HZ = (60.0, 75.0, 100.0, 120.0, 144.0)
UPLOADS = ("glGenTextures", "glTexImage2D", "glTexSubImage2D", "glDeleteTextures")
FRAMES, SETTLED = 900, 100


class Watched:
    """A picture that notes the interpreter's memory and whether garbage is collected."""

    def __init__(self, picture):
        self.picture = picture
        self.blocks = np.zeros(FRAMES + 100, dtype=np.int64)
        self.collecting = np.zeros(FRAMES + 100, dtype=bool)
        self.count = 0

    def draw(self):
        self.picture.draw()
        self.blocks[self.count] = sys.getallocatedblocks()
        self.collecting[self.count] = gc.isenabled()
        self.count += 1


def noise(rng):
    return [Layer(rng.integers(0, 256, (200, 200, 3), dtype=np.uint8), 220, 140)]


def memory(stage, picture):
    """Blocks of memory in use at the frames of one long presentation."""
    watched = Watched(picture)
    fast = replace(stage, pacing=SoftwarePacing(1 / 360))
    before = [stats["collections"] for stats in gc.get_stats()]
    limit_s = FRAMES / 360
    present(fast, Presentation(None, watched, None, 0.1, limit_s, frozenset("f")))
    after = [stats["collections"] for stats in gc.get_stats()]
    settled = watched.blocks[SETTLED : watched.count]
    return {
        "frames": len(settled),
        "growth": int(settled[-1] - settled[0]),
        "spread": int(settled.max() - settled.min()),
        "collected_in_trial": bool(watched.collecting[: watched.count].any()),
        "collections": sum(after) - sum(before),
        "collecting_after": gc.isenabled(),
    }


def textures(stage, rng):
    """Calls that make or fill textures: while a trial is prepared, and while it is shown."""
    calls = Counter()

    def counted(name, plain):
        def call(*arguments):
            calls[name] += 1
            return plain(*arguments)

        return call

    gl = sys.modules["pyglet.gl"]
    with patch.multiple(gl, **{name: counted(name, getattr(gl, name)) for name in UPLOADS}):
        pictures = [stage.picture(noise(rng)) for _ in range(4)]
        prepared = sum(calls.values())
        calls.clear()
        shown = present(
            stage,
            Presentation(
                pictures[0], pictures[1], None, 0.1, 0.4, frozenset("f"),
                later=tuple(pictures[2:]), step_s=0.1,
            ),
        )  # fmt: skip
    return {"prepared": prepared, "shown": sum(calls.values()), "steps": len(shown.steps_s)}


def kept(stage, rng):
    """What pictures made on the card, kind by kind, and what is there after they are freed."""
    gl = sys.modules["pyglet.gl"]
    made = {"Textures": [], "Framebuffers": [], "Buffers": [], "Lists": []}

    def noted(kind, plain):
        def call(*arguments):
            name = plain(*arguments)
            made[kind].append(name if kind == "Lists" else arguments[1]._obj.value)
            return name

        return call

    makers = {f"glGen{kind}": noted(kind, getattr(gl, f"glGen{kind}")) for kind in made}
    with patch.multiple(gl, **makers):
        pictures = [stage.picture(noise(rng)) for _ in range(3)]
    for picture in pictures:
        picture.free()
    return {
        kind: [len(names), sum(bool(getattr(gl, f"glIs{kind[:-1]}")(name)) for name in names)]
        for kind, names in made.items()
    }


def rate(stage, picture, hz):
    """Frames of a presentation at a rate, counted from its own flips."""
    paced = replace(stage, pacing=SoftwarePacing(1 / hz))
    present(paced, Presentation(None, picture, None, 0.05, 0.05, frozenset("f")))
    shown = present(
        paced,
        Presentation(
            None, picture, None, 0.1, 1.0, frozenset("f"), 1.0, later=(picture,) * 9, step_s=0.1
        ),
    )
    frames = shown.frames
    return {
        "hz": hz,
        "planned": frames.planned,
        "shown": frames.shown,
        "dropped": frames.dropped,
        "on_s": shown.offset_s - shown.onset_s,
        "step_frames": shown.step_frames,
        "steps_s": [step_s - shown.onset_s for step_s in shown.steps_s],
    }


def main():
    rng = np.random.Generator(np.random.PCG64(1))
    own_virtual_display(SIZE)
    with open_stage(WindowSettings((30, 30, 30), SIZE), marker=True, mouse=True) as stage:
        picture = stage.picture(noise(rng))
        present(stage, Presentation(None, picture, None, 0.1, 0.2, frozenset("f")))
        told = {
            "priority": stage.priority,
            "pacing": stage.pacing.name,
            "memory": memory(stage, picture),
            "textures": textures(stage, rng),
            "kept": kept(stage, rng),
            "rates": [rate(stage, picture, hz) for hz in RATES_HZ],
        }
    json.dump(told, sys.stdout)


if __name__ == "__main__":
    main()

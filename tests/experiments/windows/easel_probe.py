"""Tries an expert's screen in a real window, by real keys and a real mouse; prints JSON.

Every tool is used on one plate in an order written down here; what is on screen is read back.
"""

import json
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np

from experiments.engine.stage import open_stage
from experiments.engine.virtual_display import own_virtual_display
from experiments.engine.window import WindowSettings
from experiments.pages.context import Album, SessionContext
from experiments.pages.interruptions import PauseSettings
from experiments.pages.settings import ScreenSettings
from experiments.pages.waiting import Waiting
from experiments.rig.profile import read_rig
from experiments.robot_input.actor import Person
from experiments.robot_input.inject import robot_injector
from experiments.robot_input.input_events import Move, Stroke
from experiments.screens.library import Library
from experiments.screens.look import Look
from experiments.studies.accept_reject.painter import PlatePainter
from experiments.studies.accept_reject.painting import VEIL_SRGB, expert_presenter
from experiments.study import background_of
from participants.strokes import RADII, mask_of
from participants.studies.accept_reject.annotation import plan_annotation
from stimuli.pack import open_pack

SIZE = (1280, 720)


class Scripted(Person):
    """Does what stands in `script`, from the onset on; then Enter."""

    def __init__(self, injector):
        self.injector, self.box, self.script = injector, None, None

    def expect(self, task, where=None):
        self.box = where

    def onset(self, onset_s):
        self.at_s = onset_s + 0.3
        for act in self.script(self):
            self.injector.move(act) if isinstance(act, list) else self.injector.press(act)

    def key(self, key, modifiers=()):
        stroke = Stroke(key, self.at_s, 0.03, modifiers)
        self.at_s += 0.16
        return stroke

    def wheel(self, way):
        stroke = Stroke(f"wheel_{way}", self.at_s, 0.005, device="mouse")
        self.at_s += 0.06
        return stroke

    def drag(self, button, one, other, seconds=0.25):
        """Draw a straight line between two places of the mask, 125 samples a second."""
        steps = max(2, int(seconds * 125))
        shares = (np.linspace(a, b, steps) for a, b in zip(one, other, strict=True))
        places = [self.box.to_screen(x, y) for x, y in zip(*shares, strict=True)]
        moves = [Move(*places[0], self.at_s - 0.02)]
        moves += [Move(*place, self.at_s + k * seconds / steps) for k, place in enumerate(places)]
        press = Stroke(button, self.at_s, seconds + 0.02, device="mouse")
        self.at_s += seconds + 0.15
        return moves, press


def every_tool(actor):
    """Refused three times, then a line with a hole, confirmed."""
    yield actor.key("return")
    yield actor.key("4")
    yield actor.key("return")
    for _ in range(2):
        yield actor.wheel("up")
    yield from actor.drag("left", (300, 500), (700, 500))
    yield from actor.drag("right", (480, 500), (520, 500))
    yield actor.key("n")
    yield actor.key("return")
    yield from actor.drag("left", (512, 200), (512, 210))
    yield actor.key("backspace")
    yield from actor.drag("left", (512, 800), (512, 810))
    yield actor.key("backspace")
    yield actor.key("delete")
    yield actor.key("backspace")
    yield actor.key("e")
    yield from actor.drag("left", (680, 500), (700, 500))
    yield actor.key("7")
    yield actor.key("return")


def clear_and_pass(actor):
    yield from actor.drag("left", (300, 500), (700, 500))
    yield actor.key("delete")
    yield actor.key("n")
    yield actor.key("return")


def much_paint(actor):
    """Strokes without a rest, long enough that several places fall into one frame."""
    yield actor.key("3")
    for turn in range(4):
        y = 200 + 80 * turn
        yield from actor.drag("left", (250, y), (800, y + 40), seconds=0.6)
    yield actor.key("return")


def told(result, events):
    mask, shown = mask_of(result.acts), result.presented
    return {
        "label": result.label,
        "rt_s": result.rt_s,
        "done_s": result.done_s,
        "acts": [act.act for act in result.acts],
        "radii": [RADII.index(act.radius) for act in result.acts if act.radius],
        "samples": sum(len(act.points) for act in result.acts),
        "mask": {
            "line": bool(mask[125, 85]),
            "hole": bool(mask[125, 125]),
            "end": bool(mask[125, 172]),
            "strays": bool(mask[52, 128] or mask[201, 128]),
        },
        "frames": [shown.frames_shown, shown.frames_dropped, shown.longest_interval_s],
        "responses": [event["key"] for kind, event in events if kind == "response"],
        "flips": [event["what"] for kind, event in events if kind == "flip"],
    }


def veil_of(presenter, plate_pixels, mask):
    """Return whether the screen shows the veil's ground where painted, and the plate elsewhere."""
    easel, box = presenter._easel, presenter._box
    plain, veiled = plate_pixels
    painted = easel.picture(plain, veiled)
    painted.update(mask, (slice(0, 256), slice(0, 256)))
    presenter._stage.draw(painted)
    drawn = presenter._stage.window.pixels()
    presenter._stage.window.handle.clearBuffer()
    painted.free()
    own = drawn[box.top_px : box.top_px + box.side_px, box.left_px : box.left_px + box.side_px]
    at = (np.arange(box.side_px) + 0.5) * 256 / box.side_px
    deep = np.zeros_like(mask)
    deep[2:-2, 2:-2] = np.all(
        [mask[2 + a : 254 + a, 2 + b : 254 + b] for a in (-2, 0, 2) for b in (-2, 0, 2)], axis=0
    )
    empty = ~np.any([np.roll(mask, (a, b), (0, 1)) for a in (-2, 0, 2) for b in (-2, 0, 2)], axis=0)
    rows = at.astype(int)
    inside, outside = deep[np.ix_(rows, rows)], empty[np.ix_(rows, rows)]
    return {
        "painted": bool(np.abs(own[inside].astype(int) - veiled[inside]).max() <= 1),
        "bare": bool(np.array_equal(own[outside], plain[outside])),
        "veil": [int(code) for code in np.unique(own[inside & (veiled == VEIL_SRGB).all(-1)])],
    }


def main(pack_folder, shots):
    own_virtual_display(SIZE)
    pack = open_pack(Path(pack_folder), "tasks")
    protocol = pack.protocol
    rig = read_rig(Path("no such rig"))
    background = background_of(protocol, rig.colours)
    library = Library("accept_reject", "en")
    plan = plan_annotation(pack, None, "en", "AAAAA")
    task = next(task for task in plan.trials if task.phase == "main")
    events = []
    recorder = SimpleNamespace(append=lambda kind, **fields: events.append((kind, fields)))
    with (
        open_stage(WindowSettings(background, SIZE)) as stage,
        robot_injector(stage.window.system_id) as injector,
    ):
        look = Look(stage.window.size_px, background, "en")
        lab = {"institution": "a", "contact": "b", "terms": "c"}
        painter = PlatePainter(pack, protocol, rig.colours)
        settings = ScreenSettings(painter, rig, look, library.words(), lab)
        actor = Scripted(injector)
        album = Album(Path(shots) if shots else None)
        context = SessionContext(stage, actor, album, recorder)
        waiting = Waiting(context, look, library.words(), PauseSettings("", "", ""))
        presenter = expert_presenter(context, settings, plan, waiting)
        answer = {}
        for name, script in (
            ("every_tool", every_tool), ("passed", clear_and_pass), ("painted", much_paint),
        ):  # fmt: skip
            events.clear()
            actor.script = script
            result = presenter.strokes(task)
            answer[name] = told(result, events)
        mask = mask_of(result.acts)
        pixels = presenter._screen.pixels(task, presenter._box.side_px)
        answer["veil"] = veil_of(presenter, pixels, mask)
    print(json.dumps(answer))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else None)

"""Types into the answer field of a real window by real keys, on a German keyboard; prints JSON."""

import json
import subprocess
import sys
import time
from dataclasses import replace
from unittest.mock import patch

import numpy as np
from PIL import Image

from experiments.engine.pacing import frame_record
from experiments.engine.picture import Layer
from experiments.engine.stage import held_garbage, open_stage
from experiments.engine.text import TextInput
from experiments.engine.virtual_display import own_virtual_display
from experiments.engine.window import WindowSettings
from experiments.pages.line_field import FieldPicture
from experiments.robot_input.inject import Sent, robot_injector
from experiments.robot_input.input_events import Move, Stroke, typing
from experiments.screens.answer_field import AnswerWords
from experiments.screens.look import Look
from experiments.studies.progressive_reveal.answer_field import AnswerField, answer_texts
from experiments.studies.progressive_reveal.places import RoundPlaces
from experiments.studies.progressive_reveal.presenter import class_table_layers
from participants.session.typed_line import Keystroke, Refused
from participants.studies.progressive_reveal.entry import Confirmed
from stimuli.studies.progressive_reveal.classes import Classes, ClassName
from tests.experiments.windows.stamps import EARLY_S, lateness_s

SIZE = (1280, 720)
LARGER = (1300, 740)
"""The display: the pointer may lie beside the window."""
GROUND = (58, 58, 58)
MOST = 8
WORDS = AnswerWords("Was sehen Sie?", "Leer", "Mehrere passen", "Keiner passt", "Falsch")
NAMES = (
    "Auto", "Autoschlitten", "Braunbär", "Café", "Fallschirm", "Französisches Horn", "Golfball",
    "Kettensäge", "Kirche", "Krankenwagen", "Müllwagen", "Schiff", "Schleie", "Schloss",
    "Schulbus", "Zapfsäule", "Łódź",
)  # fmt: skip
PER_MINUTE = 120
"""Words of five letters."""
STALL_S = 0.12
LEAD_S = 0.06
HEARD_S = 0.1
"""A press that was sent is heard within so much."""
LATE_S = 60.0
"""No hand is so late."""


class Desk:
    """A round's screen with an image, and a hand that types."""

    def __init__(self, stage, injector, image_px=512):
        self.stage, self.injector = stage, injector
        look = Look(stage.window.size_px, GROUND, "de")
        classes = Classes(tuple(ClassName(name, name) for name in NAMES))
        places = RoundPlaces.of(look, image_px, NAMES, MOST)
        rng = np.random.Generator(np.random.PCG64(1))
        noise = rng.integers(0, 256, (image_px, image_px, 3), dtype=np.uint8)
        image = Layer(noise, places.image.left_px, places.image.top_px)
        self.standing = stage.picture([*class_table_layers(look, places, NAMES), image])
        self.typing = TextInput(stage)
        texts = answer_texts(classes, WORDS, MOST)
        self.field = AnswerField(FieldPicture(stage, look, places.field, texts), classes)
        self.taking_s = []

    def draw(self):
        self.standing.draw()
        self.field.draw()

    def type(self, acts, lasts_s, *, stall_s=0.0, before=()):
        """Have strokes done from the onset on; return what came of them.

        Times of strokes count from the onset; `before` is pressed before it. It lasts longer where
        a busy machine presses late.
        """
        self.field.begin()
        for key in before:
            self.injector.press(Stroke(key, time.perf_counter(), 0.02))
            time.sleep(0.06)
        self.typing.forget()
        self.injector.reports()
        taken, stamps_s, reports = [], [], []
        strokes = sum(isinstance(act, Stroke) for act in acts)
        with held_garbage():
            onset_s = self.stage.frame(self)
            self.field.onset(onset_s)
            for act in acts:
                self.send(act, onset_s + LEAD_S)
            stamps_s.append(onset_s)
            if stall_s:
                time.sleep(stall_s)
            ends_s = onset_s + LEAD_S + lasts_s
            latest_s = ends_s + LATE_S
            while stamps_s[-1] < ends_s or (len(reports) < strokes and stamps_s[-1] < latest_s):
                taken += self.frame()
                stamps_s.append(self.stage.frame(self))
                if new := self.injector.reports():
                    reports += new
                    ends_s = max(ends_s, stamps_s[-1] + HEARD_S)
            taken += self.frame()
        record = frame_record(np.array(stamps_s), self.stage.period_s, None)
        sent = [one for one in reports if isinstance(one, Sent)]
        return self.told(taken, sent, onset_s, record)

    def send(self, act, from_s):
        if isinstance(act, Move):
            self.injector.move([Move(act.x_px, act.y_px, from_s + act.at_s)])
        else:
            at_s = from_s + act.at_s
            self.injector.press(Stroke(act.key, at_s, act.hold_s, act.modifiers, act.device))

    def frame(self):
        began_s = time.perf_counter()
        heard = self.typing.poll()
        taken = self.field.take(heard.typed)
        self.stage.window.finish()
        if taken:
            self.taking_s.append(time.perf_counter() - began_s)
        return taken

    def costs(self):
        """Return milliseconds of a keystroke, with its way to the card, and of drawing a frame."""
        drawing_s = []
        for _ in range(60):
            began_s = time.perf_counter()
            self.draw()
            self.stage.window.finish()
            drawing_s.append(time.perf_counter() - began_s)
        self.stage.window.handle.clearBuffer()
        spent_s = {"take": self.taking_s, "draw": drawing_s}
        return {
            name: [1000 * float(np.median(values)), 1000 * max(values)]
            for name, values in spent_s.items()
        }

    def uploads(self):
        """Return how often the card was sent something: by frames without a key, and by letters."""
        calls = []
        gl = sys.modules["pyglet.gl"]
        plain = gl.glTexSubImage2D
        counted = lambda *arguments: (calls.append(arguments[2:6]), plain(*arguments))  # noqa: E731
        with patch.object(gl, "glTexSubImage2D", counted):
            self.type([], 0.2)
            calls.clear()
            self.type([], 0.2)
            idle = len(calls)
            self.type(self.keys("s"), 0.2)
            first = list(calls)
            calls.clear()
            self.type(self.keys("sx"), 0.3)
        return {"idle": idle, "first": len(first), "both": len(calls)}

    def told(self, taken, sent, onset_s, record):
        keystrokes = [one for one in taken if isinstance(one, Keystroke)]
        errors_s = []
        for one in keystrokes:
            # Each stamp must have its own press behind it, and closely.
            stamp_s = onset_s + one.t_s
            every = [(press.before_s, press.after_s) for press in sent]
            behind = [times for times in every if times[0] <= stamp_s + EARLY_S]
            errors_s.append(lateness_s(stamp_s, *max(behind, default=(onset_s, onset_s))))
        return {
            "keys": [one.key for one in keystrokes],
            "texts": [one.text for one in keystrokes],
            "entries": [one.entry for one in keystrokes],
            "carets": [one.caret for one in keystrokes],
            "t_s": [one.t_s for one in keystrokes],
            "errors_s": errors_s,
            "sent": len(sent),
            "confirmed": [
                [one.class_id, one.device, one.key, one.first_key_s, one.t_s]
                for one in taken
                if isinstance(one, Confirmed)
            ],
            "refused": [one.reason for one in taken if isinstance(one, Refused)],
            "frames": [record.shown, record.dropped, record.longest_interval_s],
        }

    def keys(self, names, every_s=0.05, hold_s=0.02):
        return [Stroke(name, place * every_s, hold_s) for place, name in enumerate(names)]

    def click(self, typed, class_id, at_s):
        x_px, y_px = self.field.line_px(typed, class_id)
        return [
            Move(x_px, y_px, at_s - 0.03),
            Stroke("left", at_s, 0.03, device="mouse"),
        ]


def written(text, every_s):
    """Return strokes that type a text at a steady rate."""
    return typing(
        ["space" if sign == " " else sign for sign in text], every_s * np.arange(len(text))
    )


def later(strokes, by_s):
    return [replace(stroke, at_s=stroke.at_s + by_s) for stroke in strokes]


def scenes(desk):
    keys = desk.keys
    yield "umlauts", desk.type(written("äöüß", 0.05), 0.4)
    dead = [Stroke("dead_acute", 0.0, 0.02), Stroke("e", 0.06, 0.02), Stroke("e", 0.12, 0.02)]
    yield "dead", desk.type(dead, 0.35)
    at_once = [Stroke("dead_circumflex", 0.0, 0.02), Stroke("o", 0.0007, 0.02)]
    yield "dead_at_once", desk.type([*at_once, Stroke("x", 0.0014, 0.02)], 0.3)
    # With the pointer elsewhere keys come to another window.
    yield "dead_outside", desk.type([Move(1290, 730, 0.0), *later(dead, 0.1)], 0.45)
    yield "dead_inside", desk.type([Move(640, 360, 0.0), *later(dead, 0.1)], 0.45)
    third = [Stroke("q", 0.05, 0.03, ("altgr",)), Stroke("q", 0.2, 0.03)]
    yield "third_level", desk.type(third, 0.4)
    # Shift comes up before the key that it shifts, twice: "/" goes down and "7" comes up.
    slash = [Stroke("lshift", 0.0, 0.04), Stroke("7", 0.02, 0.05)]
    again = [Stroke("lshift", 0.2, 0.04), Stroke("7", 0.22, 0.05), Stroke("a", 0.3, 0.02)]
    yield "shift_first", desk.type([*slash, *again], 0.5)
    edits = ["a", "b", "left", "c", "home", "delete", "end", "backspace", "d", "escape", "e"]
    yield "edits", desk.type(keys(edits), 0.7)
    yield "no_choice", desk.type(keys(["s", "c", "h", "return"]), 0.35)
    yield "arrows", desk.type(keys(["s", "c", "h", "down", "down", "return"]), 0.45)
    yield "tab", desk.type(keys(["k", "e", "tab", "return"]), 0.35)
    held = [*written("abcdef", 0.03), Stroke("backspace", 0.25, 0.95)]
    yield "held", desk.type(held, 1.35)
    clicked = [*written("sch", 0.05), *desk.click("sch", "Schloss", 0.25)]
    yield "clicked", desk.type(clicked, 0.4)
    burst = [Stroke(sign, 0.0007 * place, 0.05) for place, sign in enumerate("schulb")]
    yield "burst", desk.type(burst, 0.3)
    stalled = [Stroke(sign, 0.01 * place, 0.005) for place, sign in enumerate("kirch")]
    yield "stalled", desk.type(stalled, 0.3, stall_s=STALL_S)
    yield "before", desk.type(keys(["b"]), 0.3, before=("a", "return"))
    yield "foreign", desk.type(written("łóŁя", 0.05), 0.4)
    text = "krankenwagen französisches horn zapf"
    yield (
        "fast",
        desk.type(written(text, 60 / PER_MINUTE / 5), 60 / PER_MINUTE / 5 * len(text) + 0.2),
    )


def main(shot):
    own_virtual_display(LARGER)
    subprocess.run(["setxkbmap", "de"], check=True)
    with (
        open_stage(WindowSettings(GROUND, SIZE), mouse=True) as stage,
        robot_injector(stage.window.system_id) as injector,
    ):
        injector.learn("łóŁя")
        desk = Desk(stage, injector)
        told = dict(scenes(desk))
        injector.stop_repeats()
        told["held_on_a_robots_display"] = desk.type([Stroke("a", 0.05, 0.9)], 1.1)
        told["uploads"] = desk.uploads()
        if shot:
            desk.type(desk.keys(["s", "c", "h", "down"]), 0.3)
            Image.fromarray(stage.pixels_of(desk)).save(shot)
    print(json.dumps(told))


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "")

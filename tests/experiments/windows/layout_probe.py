"""Presses the keys that bear a label, on a keyboard of a layout; prints which answered as JSON."""

import json
import string
import subprocess
import sys

import numpy as np
from Xlib import X, display
from Xlib.ext import xtest

from experiments.engine.picture import Layer
from experiments.engine.present import Presentation, present
from experiments.engine.stage import open_stage
from experiments.engine.virtual_display import own_virtual_display
from experiments.engine.window import WindowSettings
from participants.texts import load_words

SIZE = (640, 480)
BACKGROUND = (30, 30, 30)
LIMIT_S = 1.0
KEYS = frozenset(string.ascii_lowercase + string.digits)
BOTH_ALPHABETS = ("ru",)
"""Layouts whose keyboards show the Latin letters too, each on its key of a US keyboard."""
ON_THE_PAD = 0xFF80
"""Difference between the key symbols of a digit on the number pad and above the letters."""


def labels_of(screen):
    """Return the symbols that stand on a key without and with Shift, as text, by its code."""
    info = screen.display.info
    codes = range(info.min_keycode, info.max_keycode + 1)
    rows = screen.get_keyboard_mapping(info.min_keycode, len(codes))
    return {
        code: {text_of(symbol) for symbol in row[:2]} for code, row in zip(codes, rows, strict=True)
    }


def text_of(symbol):
    symbol = symbol - ON_THE_PAD if 0xFFB0 <= symbol <= 0xFFB9 else symbol
    return chr(symbol).upper() if 0x20 <= symbol < 0x100 else ""


def set_layout(layout):
    subprocess.run(["setxkbmap", layout], check=True)
    screen = display.Display()
    labels = labels_of(screen)
    screen.close()
    return labels


def answered(stage, plate, hands, code):
    """Return the key that answers a trial in which the key of a code is pressed."""

    def press(onset_s):
        for kind in (X.KeyPress, X.KeyRelease):
            xtest.fake_input(hands, kind, code)
        hands.sync()

    shown = present(stage, Presentation(None, plate, None, 0.0, LIMIT_S, KEYS), watch=press)
    return None if shown.answer is None else shown.answer.key


def main(*layouts):
    own_virtual_display(SIZE)
    told = {}
    with open_stage(WindowSettings(BACKGROUND, SIZE)) as stage:
        hands = display.Display()
        plate = stage.picture([Layer(np.full((20, 20, 3), 220, np.uint8), 300, 200)])
        latin = set_layout("us")
        for layout in layouts:
            labels = set_layout(layout)
            if layout in BOTH_ALPHABETS:
                labels = {code: own | latin[code] for code, own in labels.items()}
            told[layout] = {
                key: [
                    answered(stage, plate, hands, code)
                    for code, own in labels.items()
                    if cap in own
                ]
                for key in sorted(KEYS)
                for cap in [load_words("accept_reject", "en").cap(key)]
            }
    print(json.dumps(told))


if __name__ == "__main__":
    main(*sys.argv[1:])

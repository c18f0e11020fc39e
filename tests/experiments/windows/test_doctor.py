"""The doctor on a virtual display of its own, where a robot presses real keys."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from experiments.engine.virtual_display import virtual_display
from experiments.rig.checks.catalogue import CHECKS

ROOT = Path(__file__).parents[3]
NEEDS_MORE = {"pack", "language", "people", "signs", "declined", "checklist", "sitting"}
"""Checks that need a pack, or a person's session."""
DEPENDS = {"compositing", "lookup table", "torch"}
"""Checks that are left out where there is nothing to look at."""

pytestmark = [
    pytest.mark.window,
    pytest.mark.skipif(sys.platform != "linux", reason="needs a virtual display"),
]


PROBE = """
import json, sys
from experiments.rig.doctor import Examination, examine
from experiments.rig.verdict import report
from participants.folder import LabFolder
found = examine(LabFolder.make(), Examination(flips=60, **json.loads(sys.argv[1])))
report(found, as_json=True)
"""


def start(folder, **asked):
    """Start an examination in a process of its own: X ends whoever loses a display."""
    environment = {
        **os.environ,
        "HOME": str(folder),
        "PLAINSIGHT_LAB": str(folder / "lab"),
    }
    command = [sys.executable, "-c", PROBE, json.dumps(asked)]
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)


def found_by(process):
    told = process.communicate(timeout=400)[0]
    assert process.returncode == 0
    return {finding["check"]: finding for finding in json.loads(told)["checks"]}


@pytest.fixture(scope="module")
def doctor(tmp_path_factory):
    return found_by(start(tmp_path_factory.mktemp("doctor"), virtual=True))


def test_every_check_is_made_once_in_words_that_say_what_to_do(doctor):
    known = [check.name for check in CHECKS]
    assert len(set(known)) == len(known)
    assert set(doctor) <= set(known)
    assert set(known) - set(doctor) <= NEEDS_MORE | DEPENDS
    for finding in doctor.values():
        assert set(finding) == {"check", "status", "found", "remedy"}
        assert finding["found"]
        assert bool(finding["remedy"]) == (finding["status"] != "pass")


def test_a_real_key_is_pressed_held_and_released_and_a_button_pressed(doctor):
    assert "press, hold and release arrived" in doctor["keys"]["found"]
    assert doctor["keys"]["status"] in ("pass", "warn")
    assert doctor["mouse"]["status"] == "pass"


def test_a_display_without_vsync_is_told(doctor):
    assert doctor["display"]["status"] == "pass"
    assert doctor["refresh"]["status"] == "warn"
    assert "60.00 Hz by the clock" in doctor["refresh"]["found"]
    assert doctor["scaling"]["found"] == "pixel for pixel"
    assert doctor["resolution"]["found"] == "1280 × 720 pixels"
    assert "of 60 dropped" in doctor["jitter"]["found"]
    assert doctor["session type"]["found"] == "a virtual display"


def test_a_persons_key_and_button_are_waited_for(tmp_path):
    """Keys and clicks of another program stand for the person's."""
    from Xlib import XK, X, display
    from Xlib.ext.xtest import fake_input

    with virtual_display((1280, 720)) as shown:
        process = start(tmp_path, interactive=True)
        screen = display.Display(shown.name)
        key = screen.keysym_to_keycode(XK.string_to_keysym("f"))
        until_s = time.monotonic() + 100
        while process.poll() is None and time.monotonic() < until_s:
            for down, up, code in (
                (X.KeyPress, X.KeyRelease, key),
                (X.ButtonPress, X.ButtonRelease, 1),
            ):
                fake_input(screen, down, code)
                screen.sync()
                time.sleep(0.15)
                fake_input(screen, up, code)
                screen.sync()
                time.sleep(0.15)
        screen.close()
        told = found_by(process)
    assert told["keys"]["found"] == "press, hold and release arrived"
    assert told["mouse"]["status"] == "pass"

"""The doctor on a virtual display of its own, where a robot presses real keys."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from experiments.rig.checks.catalogue import CHECKS

ROOT = Path(__file__).parents[3]
NEEDS_MORE = {"pack", "checklist"}
"""Checks that need a pack, or a person's session."""
DEPENDS = {"compositing", "lookup table", "torch"}
"""Checks that are left out where there is nothing to look at."""

pytestmark = [
    pytest.mark.window,
    pytest.mark.skipif(sys.platform != "linux", reason="needs a virtual display"),
]


@pytest.fixture(scope="module")
def doctor(tmp_path_factory):
    folder = tmp_path_factory.mktemp("doctor")
    run = "import sys; from experiments.cli import main; sys.exit(main(sys.argv[1:]))"
    done = subprocess.run(
        [sys.executable, "-c", run, "doctor", "--display", "virtual", "--json"],
        env={
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "HOME": str(folder),
            "PLAINSIGHT_LAB": str(folder / "lab"),
            "DISPLAY": "",
        },
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode in (0, 2), done.stderr[-3000:]
    said = json.loads(done.stdout)
    assert said["fit"] == (done.returncode == 0)
    return {finding["check"]: finding for finding in said["checks"]}


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
    assert "of 600 dropped" in doctor["jitter"]["found"]
    assert doctor["session type"]["found"] == "a virtual display"

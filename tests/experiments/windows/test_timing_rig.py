"""The bench at a rig's own screen: a device on a pseudo-terminal watches a virtual one."""

import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from experiments.engine.virtual_display import virtual_display
from experiments.rig.profile import profile_path, read_rig
from experiments.rig.timing.instruments import button_box, photodiode
from experiments.robot_input.input_events import Stroke
from participants.folder import LabFolder

ROOT = Path(__file__).parents[3]
SIZE = (800, 600)
TRIALS = 8
REACTION_S = 0.05
LIT_LATER_S = 0.012

pytestmark = [
    pytest.mark.window,
    pytest.mark.skipif(sys.platform != "linux", reason="needs a virtual display"),
]


def _act(device, diode, box, over):
    """What a microcontroller does: tell each edge, and press a key a little after light."""
    told = pressed = 0
    while not over.wait(0.001):
        for edge in diode.edges[told:]:
            told += 1
            device.tell("L" if edge.light else "D", edge.t_s + LIT_LATER_S)
            if edge.light:
                box.press([Stroke("f", edge.t_s + LIT_LATER_S + REACTION_S, 0.02)])
        for sent in box.injected[pressed:]:
            pressed += 1
            device.tell("K", sent.t_s, sent.key)


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    """The verb's status and answer, and the rig's profile. The device says all light later."""
    from tests.experiments.rig.timing.sensor_device import Device

    folder = tmp_path_factory.mktemp("rig")
    LabFolder.make(folder / "lab")
    device, over = Device(), threading.Event()
    with (
        virtual_display(SIZE, framebuffer_dir=folder) as display,
        photodiode(display.framebuffer) as diode,
        button_box() as box,
    ):
        acting = threading.Thread(target=_act, args=(device, diode, box, over))
        acting.start()
        command = ["timing", "--sensor", f"serial:{device.port}", "--trials", str(TRIALS)]
        done = subprocess.run(
            [sys.executable, "lab.py", *command, "--lab", folder / "lab", "--json"],
            cwd=ROOT,
            env=dict(os.environ),
            capture_output=True,
            text=True,
            timeout=400,
            check=False,
        )
        over.set()
        acting.join()
    device.unplug()
    assert done.returncode in (0, 2), done.stderr[-3000:]
    return done, folder


def test_it_says_where_the_photodiode_goes_and_grades_what_it_saw(ran):
    done, _ = ran
    told = json.loads(done.stdout)
    assert "top left corner" in done.stderr
    assert told["rig"]["onsets_unseen"] == 0
    assert told["rig"]["onset_error_ms"]["n"] == TRIALS
    assert (told["rig"]["presses_sent"], told["rig"]["presses_lost"]) == (TRIALS, 0)
    assert told["facts"]["size_px"] == list(SIZE)
    assert told["passed"] == (done.returncode == 0)
    assert (told["rig"]["grade"] in ("excellent", "acceptable")) or not told["passed"]


def test_lags_are_kept_in_the_rigs_profile_and_reach_sessions(ran):
    done, folder = ran
    kept = json.loads(done.stdout)["calibration"]
    rig = read_rig(profile_path(folder / "lab" / "rigs", _rig_name(folder / "lab")))
    assert rig.timing.model_dump(mode="json") == kept
    # Light came 12 ms later than the patch changed; recorded times are too long by that much
    # (and less what the flip's stamp is late, and what a press takes to arrive).
    assert kept["onset_lag_s"] == pytest.approx(LIT_LATER_S, abs=0.008)
    assert rig.lag_s("keyboard") == pytest.approx(LIT_LATER_S, abs=0.008)
    assert rig.lag_s("mouse") == kept["onset_lag_s"]


def _rig_name(lab):
    return LabFolder.open(lab).settings.rig


def test_without_a_sensor_one_line_says_what_to_give():
    done = subprocess.run(
        [sys.executable, "lab.py", "timing"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "give either --virtual or --sensor" in done.stderr
    assert len(done.stderr.splitlines()) == 1

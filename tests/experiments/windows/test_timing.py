"""The virtual bench as a whole: facts that hold on however busy a machine, not speeds."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from experiments.rig.timing.exclusions import REASONS

ROOT = Path(__file__).parents[3]
TRIALS = 6
MEASURES = ("onset_error_ms", "duration_error_ms", "key_error_ms", "button_error_ms")

pytestmark = [
    pytest.mark.window,
    pytest.mark.skipif(sys.platform != "linux", reason="needs a virtual display"),
]


@pytest.fixture(scope="module")
def told():
    command = ["timing", "--virtual", "--trials", str(TRIALS), "--pairs", "1", "--json"]
    done = subprocess.run(
        [sys.executable, "lab.py", *command],
        cwd=ROOT,
        env={**os.environ, "DISPLAY": ""},
        capture_output=True,
        text=True,
        timeout=400,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout)


@pytest.mark.parametrize("programme", ["suite", "plain", "plain_without_wait"])
def test_every_onset_that_was_recorded_was_seen(told, programme):
    samples = told[programme]
    assert samples["onsets_unseen"] == 0
    onsets = samples["onset_error_ms"]
    apart = samples["apart"]["onset"]
    assert (onsets["n"] if onsets else 0) + sum(apart[why] for why in REASONS) == TRIALS


def test_the_suite_loses_no_press_however_short_and_makes_none_up(told):
    suite = told["suite"]
    assert suite["presses_sent"] > 3 * TRIALS
    assert suite["short_sent"] > TRIALS
    assert (suite["presses_lost"], suite["presses_extra"]) == (0, 0)


def test_the_plain_script_loses_presses_shorter_than_a_frame(told):
    assert told["plain"]["short_lost"] > 0


def test_every_drop_that_the_photodiode_saw_is_in_the_suites_record(told):
    assert told["suite"]["drops_unrecorded"] == 0


def test_spreads_counts_and_ratios_are_told_by_their_names(told):
    for programme in ("suite", "plain"):
        for measure in MEASURES:
            found, apart = told[programme][measure], told[programme]["apart"]
            # On a busy machine all samples may stand apart.
            spread = found or apart[measure.removesuffix("_error_ms")]["error_ms"]
            assert {"mean", "sd", "p95", "max"} <= spread.keys()
        counts = {"presses_sent", "presses_lost", "frames_dropped"}
        assert counts <= told[programme].keys()
    assert told["ratio"].keys() == set(MEASURES)
    assert told["pairs"] == 1
    assert told["facts"]["suite"]["pacing"] == "software"
    assert told["facts"]["suite"]["backend"] == told["facts"]["plain"]["backend"] == "ptb"

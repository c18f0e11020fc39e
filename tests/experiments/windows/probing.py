"""Runs a probe of this folder in a process of its own: X ends whoever loses a display."""

import json
import os
import signal
import subprocess
import warnings
from pathlib import Path

from tests.experiments.windows.forked import Forked

ROOT = Path(__file__).parents[3]
PATIENCE_S = 250
TRIES = 2


def told_by(probe, home, *arguments):
    """Return what a probe prints as JSON; its home is a folder of the test's.

    A probe waits for what its own hands type. Rarely one waits for ever. It is then run once more,
    and a warning says where it waited.
    """
    environment = {**os.environ, "HOME": str(home), "DISPLAY": ""}
    for _ in range(TRIES):
        child = Forked(Path(__file__).with_name(probe), *arguments, environment=environment)
        try:
            out, err = child.communicate(timeout=PATIENCE_S)
        except subprocess.TimeoutExpired:
            child.send_signal(signal.SIGABRT)  # faulthandler prints where each thread is
            waited = child.communicate()[1].partition("Extension modules")[0][-6000:]
            warnings.warn(f"{probe} waited for ever:\n{waited}", stacklevel=2)
            continue
        assert child.returncode == 0, err[-3000:]
        return json.loads(out)
    raise AssertionError(f"{probe} waited for ever, {TRIES} times:\n{waited}")

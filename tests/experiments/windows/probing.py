"""Runs a probe of this folder in a process of its own: X ends whoever loses a display."""

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]
PATIENCE_S = 400


def told_by(probe, home, *arguments):
    """Return what a probe prints as JSON; its home is a folder of the test's."""
    done = subprocess.run(
        [sys.executable, Path(__file__).with_name(probe), *arguments],
        env={**os.environ, "HOME": str(home), "DISPLAY": ""},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout)

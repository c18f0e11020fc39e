"""Three processes on a fresh account: PsychoPy makes its preferences once, none of them fails."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]
IMPORT = "from experiments.engine.first_import import import_psychopy; import_psychopy()"


def test_processes_that_begin_at_once_all_get_psychopy(tmp_path):
    environment = {
        **os.environ,
        "HOME": str(tmp_path),
        "USERPROFILE": str(tmp_path),
        "PLAINSIGHT_LAB": str(tmp_path / "lab"),
    }
    running = [
        subprocess.Popen(
            [sys.executable, "-c", IMPORT], env=environment, stderr=subprocess.PIPE, text=True
        )
        for _ in range(3)
    ]
    said = [process.communicate()[1] for process in running]
    assert [process.returncode for process in running] == [0, 0, 0], said

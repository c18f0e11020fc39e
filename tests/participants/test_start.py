"""What verbs that only read must not import: it takes longer than all they do."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from participants.folder import LabFolder

ROOT = Path(__file__).parents[2]
HEAVY = (
    "numpy", "scipy", "pandas", "PIL", "icalendar", "participants.dataset", "participants.journal",
    "participants.session", "stimuli.pack", "stimuli.protocol", "stimuli.studies",
)  # fmt: skip

READING = f"""
import sys
import lab
assert lab.main(sys.argv[1:]) == 0
print([name for name in {HEAVY} if name in sys.modules])
from pydantic.plugin._loader import get_plugins
print(list(get_plugins()))
"""


@pytest.mark.parametrize(
    "words", ["participants list", "participants due", "participants notes", "status"]
)
def test_verbs_read_without_what_only_sessions_need(tmp_path, words):
    LabFolder.make(tmp_path / "lab")
    done = subprocess.run(
        [sys.executable, "-c", READING, *words.split()],
        env={
            **os.environ,
            "PLAINSIGHT_PYTHON_ENV": "current",
            "PLAINSIGHT_LAB": str(tmp_path / "lab"),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.splitlines()[-2:] == ["[]", "[]"], done.stderr

"""What listing people must not import: it takes longer than the list."""

import os
import subprocess
import sys
from pathlib import Path

from participants.folder import LabFolder

ROOT = Path(__file__).parents[2]
HEAVY = (
    "numpy", "scipy", "pandas", "participants.journal", "participants.session",
    "participants.texts", "stimuli.pack", "stimuli.protocol", "stimuli.studies",
)  # fmt: skip

LISTING = f"""
import sys
import lab
assert lab.main(["participants", "list"]) == 0
print([name for name in {HEAVY} if name in sys.modules])
from pydantic.plugin._loader import get_plugins
print(list(get_plugins()))
"""


def test_people_are_listed_without_what_only_sessions_need(tmp_path):
    LabFolder.make(tmp_path / "lab")
    done = subprocess.run(
        [sys.executable, "-c", LISTING],
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

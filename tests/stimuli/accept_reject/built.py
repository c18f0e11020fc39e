"""A small pack as the door builds it: a trained network's maps and robots' paintings."""

import os
import subprocess
import sys
from pathlib import Path

from stimuli.pack import Pack, open_pack

DOOR = Path(__file__).parents[3] / "lab.py"
SMALL = """
schema = "protocol/1.1"
study = "accept_reject"
name = "small"
plates = { source = "uci", axes = ["deutan"], ladder_deutan = [0.03, 0.09] }
system = { training_plates = 4000, patch_px = 28, stride_px = 14 }
solutions = { trials_per_run = 60, practice_trials = 0 }
"""
SMALL_WORDS = "two rungs, 60 trials a run, two robot experts, occlusion of a network"


def build_small(folder: Path) -> Pack:
    """Return the pack, built in a folder with a lab of its own; takes a few minutes."""
    (folder / "small.toml").write_text(SMALL, encoding="utf-8")
    words = ["build", "accept_reject", "--protocol", str(folder / "small.toml"),
             "--robot-experts", "2", "--out", str(folder / "pack")]  # fmt: skip
    subprocess.run(
        [sys.executable, str(DOOR), *words],
        env={**os.environ, "PLAINSIGHT_LAB": str(folder / "lab")},
        check=True,
    )
    return open_pack(folder / "pack", "solutions")

"""Small packs as the door builds them: a trained network's maps and robots' paintings."""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from stimuli.maps.map_set import MapSet, read_map_set
from stimuli.pack import Pack, open_pack

DOOR = Path(__file__).parents[4] / "lab.py"
SMALL = """
schema = "protocol/1.0"
study = "accept_reject"
name = "small"
plates = { source = "uci", axes = ["deutan"], ladder_deutan = [0.03, 0.09] }
system = { training_plates = 4000, patch_px = 28, stride_px = 14 }
solutions = { trials_per_run = 60, practice_trials = 0 }
explanation = { outline = "free" }
"""
SMALL_WORDS = "two rungs, 60 trials a run, two robot experts, occlusion of a network"
TRAINED = SMALL.replace("4000, patch_px = 28, stride_px = 14", "12000")
"""A network that reads nearly all plates, explained as the default protocol has it."""
DISCS = TRAINED.replace("free", "discs")
"""The same, every region drawn as discs."""


@dataclass(frozen=True, slots=True)
class Built:
    """A solution pack and what it was made from."""

    pack: Pack
    tasks: Pack
    painted: tuple[MapSet, ...]


def build_small(folder: Path, protocol: str = SMALL) -> Built:
    """Return what was built in a folder with a lab of its own; takes a few minutes."""
    (folder / "small.toml").write_text(protocol, encoding="utf-8")
    words = ["build", "accept_reject", "--protocol", str(folder / "small.toml"),
             "--robot-experts", "2", "--out", str(folder / "pack")]  # fmt: skip
    subprocess.run(
        [sys.executable, str(DOOR), *words],
        env={**os.environ, "PLAINSIGHT_LAB": str(folder / "lab")},
        check=True,
    )
    experts = sorted((folder / "pack-experts").iterdir())
    return Built(
        open_pack(folder / "pack", "solutions"),
        open_pack(folder / "pack-tasks", "tasks"),
        tuple(read_map_set(expert) for expert in experts),
    )

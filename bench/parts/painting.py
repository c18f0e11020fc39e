"""Painting in a real window: frames lost, answers' times, and how true the strokes come out."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import numpy as np

from bench.book import Effort, Measured, Part, table
from bench.parts.commands import command_environment
from bench.parts.robot_sessions import ROOT, workplace
from participants.folder import DataFolder, LabFolder
from participants.journal import read_journal
from participants.session import StrokeTask
from participants.strokes import Mask, act_from, mask_of
from participants.studies.accept_reject.annotation import plan_annotation
from participants.studies.accept_reject.robots.expert import RobotExpert
from stimuli.images.digits import load_digits
from stimuli.pack import open_pack, write_pack
from stimuli.protocol import load_protocol
from stimuli.studies.accept_reject.sketch import SketchRates, sketch_tasks
from stimuli.studies.accept_reject.tables import TASKS

SIZES: Final = ("1280x720", "1920x1080")
PLATES, PLATES_QUICK = 12, 2
PATIENCE_S: Final = 540


def measure_painting(effort: Effort) -> Measured:
    """Let an expert robot type and paint at both usual sizes; compare with what it meant."""
    plates = PLATES_QUICK if effort.quick else PLATES
    sizes = SIZES[:1] if effort.quick else SIZES
    figures: dict[str, Any] = {}
    with workplace() as place:
        pack = _pack(place / "tasks", plates)
        for size in sizes:
            figures[size] = _session(place / size, pack, size)
    heads = ["screen", "plates", "frames", "lost", "longest frame", "key's error", "overlap"]
    rows = [
        [
            size,
            str(found["plates"]),
            f"{found['frames']:,}",
            f"{found['dropped']} ({found['dropped'] / found['frames']:.2%})",
            f"{found['longest_ms']:.1f} ms",
            f"{found['key_error_ms']:.1f} ms",
            f"{found['overlap_mean']:.3f} (least {found['overlap_least']:.3f})",
        ]
        for size, found in figures.items()
    ]
    text = (
        "An expert robot reads plates of the default look, types by real keys and paints by a real "
        "mouse that reports 125 times a second, on a virtual display of 60 Hz drawn by the "
        "processor.\n\n"
        f"{table(heads, rows)}\n\n"
        "Lost frames are those missed while a plate was on screen. A key's error is the time "
        "from the planned press to its stamp, averaged over plates. Overlap is intersection "
        "over union of the mask from the journal's strokes and the intended mask."
    )
    return Measured(text, figures)


def _pack(folder: Path, plates: int) -> Path:
    changes = {
        "plates": {"source": "uci", "axes": ["deutan"], "ladder_deutan": [0.04, 0.097]},
        "solutions": {"trials_per_run": 10, "practice_trials": 2, "lists": 1},
    }
    protocol = load_protocol("accept_reject", None, changes)
    made, _ = sketch_tasks(protocol, [("deutan", 2)], SketchRates(), load_digits("uci"))
    rows = made.table(TASKS)
    mains = [row for row in rows if row["use"] == "main"]
    kept = mains[:plates] + [row for row in rows if row["use"] == "practice"]
    unshown = {row["plate_file"] for row in rows if row not in kept}
    files = {path: made.asset(path) for path in made.manifest.files if path not in unshown}
    files["tasks.csv"] = TASKS.to_csv(kept)
    write_pack(folder, protocol, "tasks", files, {"made": "sketch"})
    return folder


def _session(lab: Path, folder: Path, size: str) -> dict[str, Any]:
    LabFolder.make(lab)
    command = [sys.executable, ROOT / "lab.py", "annotate", folder, "--robot", "expert"]
    command += ["--lab", lab, "--size", size, "--json"]
    done = subprocess.run(
        [str(part) for part in command],
        env=command_environment(HOME=str(lab)),
        capture_output=True, text=True, check=False, timeout=PATIENCE_S,
    )  # fmt: skip
    if done.returncode:
        raise RuntimeError(done.stderr[-800:])
    return _compared(lab, folder, json.loads(done.stdout)["participant"])


def _compared(lab: Path, folder: Path, code: str) -> dict[str, Any]:
    """Return what the journal holds beside what the robot meant to do."""
    pack = open_pack(folder)
    robot = RobotExpert.of(pack, code, 1)
    steps = plan_annotation(pack, None, "en", code).steps
    intents = {step.item: robot.intend(step) for step in steps if isinstance(step, StrokeTask)}
    (paths,) = DataFolder(lab / "data").sessions()
    ends = read_journal(paths.journal).of("trial_end")
    overlaps = [
        _overlap(mask_of(map(act_from, end["acts"])), mask_of(intents[end["item"]].acts))
        for end in ends
        if intents[end["item"]].acts
    ]
    late_s = [end["rt_s"] - intents[end["item"]].answer_s for end in ends]
    return {
        "plates": len(ends),
        "frames": sum(end["frames_shown"] for end in ends),
        "dropped": sum(end["frames_dropped"] for end in ends),
        "longest_ms": 1000 * max(end["longest_interval_s"] for end in ends),
        "key_error_ms": 1000 * float(np.mean(late_s)),
        "overlap_mean": float(np.mean(overlaps)),
        "overlap_least": float(np.min(overlaps)),
    }


def _overlap(one: Mask, other: Mask) -> float:
    return float((one & other).sum() / (one | other).sum())


PARTS = (Part("painting", "Painting by an expert robot", measure_painting),)

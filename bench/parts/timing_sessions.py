"""Whole sessions beside a process that reads the screen without pause: does any of them die?"""

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from bench.book import Effort, Measured, Part, table
from bench.parts.commands import command_environment
from bench.parts.robot_sessions import ROOT, workplace
from bench.parts.words import bar, verdicts
from experiments.engine.virtual_display import ONE_THREAD, virtual_display
from experiments.rig.checks.crashes import broken_off
from experiments.rig.timing.instruments import photodiode
from participants.folder import LabFolder
from stimuli.catalogue import studies_of
from stimuli.pack import write_pack
from stimuli.protocol import load_protocol

SIZE_PX = (1280, 720)
SERVER_LEVEL = 2
"""Real-time priority. A session's own is 1, the reader's 3: it interrupts the session anywhere."""
READER_NAP_US = 100
PATIENCE_S = 1800.0
AT_ONCE = 2
ACCEPT_REJECT: Mapping[str, Any] = {
    "plates": {"source": "uci", "axes": ["deutan"], "ladder_deutan": [0.04, 0.097]},
    "solutions": {"trials_per_run": 36, "practice_trials": 4, "lists": 4},
    "practice": {"answered_share": 0.0, "right_share": 0.0},
    "trial": {"limit_s": 6.0},
    "session": {"between_runs_s": 2.0, "break_every_trials": 36},
}
REVEAL: Mapping[str, Any] = {
    "images": {"classes": 4, "images_per_class": 2},
    "session": {
        "sittings": 1,
        "rounds_per_sitting": 8,
        "catch_rounds": 2,
        "orders_per_rotation": 2,
    },
    "practice": {"answered_share": 0.0, "right_share": 0.0},
}


@dataclass(frozen=True, slots=True)
class Plan:
    """Sessions of one study.

    Attributes
    ----------
    study
        Which.
    robot
        Who takes part.
    sessions, quick_sessions
        How many, and how many in the small form.
    changes
        To the study's protocol.
    """

    study: str
    robot: str
    sessions: int
    quick_sessions: int
    changes: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Run:
    """How a session ended: by a signal or not, whether it is named for it, trials on the disk."""

    died: bool
    is_named: bool
    trials: int


PLANS = (
    Plan("accept_reject", "lead", 20, 1, ACCEPT_REJECT),
    Plan("progressive_reveal", "viewer", 5, 1, REVEAL),
)


def measure(effort: Effort) -> Measured:
    """Run the sessions, and count those that a signal ended."""
    found = {}
    with workplace() as folder:
        for plan in PLANS:
            sessions = plan.quick_sessions if effort.quick else plan.sessions
            place = folder / plan.study
            pack = _write_pack(plan, place / "pack")
            effort.say(f"{plan.study}: sessions {sessions}, {AT_ONCE} at a time")
            run = partial(_run_once, place, pack, plan.robot)
            with ProcessPoolExecutor(AT_ONCE) as pool:
                found[plan.study] = _figures(list(pool.map(run, range(sessions))))
    died = sum(one["died"] for one in found.values())
    of = sum(one["sessions"] for one in found.values())
    bars = [bar(1, "no session is ended by a signal", f"{died} of {of}", died == 0)]
    rows = [
        [f"`{study}`", *(str(one[key]) for key in ("sessions", "died", "named", "trials"))]
        for study, one in found.items()
    ]
    heads = ["study", "sessions", "ended by a signal", "of them named", "trials recorded"]
    text = (
        f"Whole sessions of robots run, {AT_ONCE} at a time, each on a virtual display of "
        f"{SIZE_PX[0]} × {SIZE_PX[1]} pixels. Beside each, a process reads the screen every "
        f"{READER_NAP_US} µs. It has a higher real-time priority than the session, so that it "
        "interrupts the session at any point. A session that a signal ended must be named by "
        f"`doctor`.\n\n{verdicts(bars)}\n\n{table(heads, rows)}"
    )
    return Measured(text, {"bars": bars, **found})


PART = Part("sessions", "Whole sessions beside a reader of the screen", measure)


def _write_pack(plan: Plan, folder: Path) -> Path:
    robots = studies_of("participants")[plan.study].sessions["solutions"].load_robots()
    made = robots.sketch(load_protocol(plan.study, None, plan.changes))
    files = {path: made.asset(path) for path in made.manifest.files}
    write_pack(folder, made.protocol, "solutions", files, {"made": "sketch"})
    return folder


def _figures(runs: Sequence[Run]) -> dict[str, int]:
    """Return how many sessions ran, ended by a signal and were named, and what they recorded."""
    died = [run for run in runs if run.died]
    return {
        "sessions": len(runs),
        "died": len(died),
        "named": sum(run.is_named for run in died),
        "trials": sum(run.trials for run in runs),
    }


def _run_once(place: Path, pack: Path, robot: str, number: int) -> Run:
    """Run a session beside a reader of its screen."""
    screen, root = place / f"screen{number}", place / f"lab{number}"
    screen.mkdir(parents=True)
    lab = LabFolder.make(root)
    command = [sys.executable, ROOT / "lab.py", "run", pack, "--robot", robot, "--lab", root]
    command += ["--display", "existing", "--marker"]
    with virtual_display(SIZE_PX, framebuffer_dir=screen) as display:
        assert display.framebuffer is not None
        with suppress(OSError):  # a system that doesn't allow it
            os.sched_setscheduler(display.process_id, os.SCHED_RR, os.sched_param(SERVER_LEVEL))
        # The session itself must keep the renderer to one thread, not the display that it gets.
        environment = command_environment(HOME=str(root), DISPLAY=display.name)
        inherited = {name: text for name, text in environment.items() if name not in ONE_THREAD}
        with photodiode(display.framebuffer, READER_NAP_US):
            process = subprocess.Popen(
                [str(part) for part in command],
                env=inherited,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
            )
            _, said = process.communicate(timeout=PATIENCE_S)
    if process.returncode > 0:
        raise RuntimeError(said[-800:])
    trials = sum(_trials(paths.journal) for paths in lab.data.sessions())
    return Run(process.returncode < 0, bool(broken_off(lab)), trials)


def _trials(journal: Path) -> int:
    lines = journal.read_bytes().split(b"\n")[:-1]
    return sum(json.loads(line)["event"] == "trial_end" for line in lines)

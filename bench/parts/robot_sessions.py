"""Robots' sessions as processes of their own, and packs for them."""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from bench.parts.commands import command_environment
from participants.folder import DataFolder, LabFolder
from stimuli.images.digits import Digits, load_digits
from stimuli.pack import write_pack
from stimuli.protocol import load_protocol
from stimuli.studies.accept_reject.sketch import sketch

ROOT = Path(__file__).parents[2]
PATIENCE_S = 120.0
POLL_S = 0.01


@contextmanager
def workplace() -> Iterator[Path]:
    """Give a folder on the disk of the working directory: memory would take no time to sync."""
    with tempfile.TemporaryDirectory(prefix=".bench-", dir=Path.cwd()) as folder:
        yield Path(folder)


def start_session(
    lab: Path, pack: Path, code: str | None, more: dict[str, str] | None = None
) -> subprocess.Popen[bytes]:
    """Start a lazy robot's session in a process of its own; ``more`` adds to its environment."""
    if not lab.is_dir():
        LabFolder.make(lab)
    command = [sys.executable, ROOT / "lab.py", "run", pack, "--robot", "lazy", "--lab", lab]
    command += ["--participant", code] if code else []
    environment = command_environment(HOME=str(lab))
    return subprocess.Popen(
        [str(part) for part in command],
        env=environment | (more or {}),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )


def wait_for(lab: Path, process: subprocess.Popen[bytes], trials: int, begun: int) -> None:
    """Wait until a session was begun so many times, and has finished so many trials."""
    until_s = time.monotonic() + PATIENCE_S
    while _events(lab).count("session") < begun or len(finished_trials(lab)) < trials:
        if process.poll() is not None:
            return
        if time.monotonic() > until_s:
            raise RuntimeError("the session came to nothing")
        time.sleep(POLL_S)


def _lines(lab: Path) -> list[dict[str, Any]]:
    path = journal_of(lab)
    if path is None or not path.exists():
        return []
    return [json.loads(line) for line in path.read_bytes().split(b"\n")[:-1]]


def _events(lab: Path) -> list[str]:
    return [line["event"] for line in _lines(lab)]


def finished_trials(lab: Path) -> list[int]:
    """Return the trials whose end is on the disk, in order."""
    return [line["trial"] for line in _lines(lab) if line["event"] == "trial_end"]


def journal_of(lab: Path) -> Path | None:
    """Return the journal of the lab's only session, or None."""
    sessions = list(DataFolder(lab / "data").sessions())
    return sessions[0].journal if sessions else None


def sketch_pack(folder: Path, trials: int) -> Path:
    """Write a runnable pack of embedded digits; no network reads anything in it."""
    changes = {
        "plates": {"source": "uci", "axes": ["deutan"], "ladder_deutan": [0.04, 0.097]},
        "solutions": {"trials_per_run": trials, "practice_trials": 4, "lists": 1},
        "practice": {"answered_share": 0.0, "right_share": 0.0},
        "trial": {"limit_s": 4.0},
        "session": {"between_runs_s": 0.5, "break_every_trials": 12},
    }
    protocol = load_protocol("accept_reject", None, changes)
    made = sketch(protocol, places=[("deutan", 2)], digits=_few_digits())
    files = {path: made.asset(path) for path in made.manifest.files}
    write_pack(folder, protocol, "solutions", files, {"made": "sketch"})
    return folder


def _few_digits() -> Digits:
    whole = load_digits("uci")
    labels = whole.labels[whole.train_indices]
    chosen = [whole.train_indices[labels == digit][:4] for digit in range(10)]
    return replace(whole, train_indices=np.concatenate(chosen))


def run_python(*arguments: object, more: dict[str, str] | None = None) -> str:
    """Run Python on some arguments and return what it prints."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **(more or {})}
    done = subprocess.run(
        [sys.executable, *map(str, arguments)],
        env=environment, capture_output=True, text=True, check=False, timeout=600,
    )  # fmt: skip
    if done.returncode:
        raise RuntimeError(done.stderr[-800:])
    return done.stdout

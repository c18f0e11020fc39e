"""How soon a session shows its first page, and verbs that only read, in processor time too."""

import resource
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import psutil

from bench.book import Effort, Measured, Part
from bench.parts.commands import command_environment
from bench.parts.robot_sessions import ROOT, sketch_pack, workplace
from bench.parts.timing_start import SIZE_PX, await_text, session_on
from experiments.engine.pacing import TELLING_FLIPS
from experiments.engine.virtual_display import VirtualDisplay, virtual_display
from participants.folder import LabFolder
from participants.registry import Registry
from stimuli.pack import open_pack

TRIALS, QUICK_TRIALS = 60, 10
STARTS, QUICK_STARTS = 3, 1
PEOPLE = 30
WALL_AT_MOST_S, PROCESSOR_AT_MOST_S, READING_AT_MOST_S = 2.0, 2.0, 0.3
FLOOR = "from psychopy import visual; from psychopy.hardware import keyboard"
"""What every program with a window of PsychoPy and its keyboard begins with."""
LIBRARIES = "import pydantic, rich.console, sqlalchemy.dialects.sqlite, typer.main"
"""What a verb that reads the registry can't do without."""

READING = {"listing": "participants list", "due": "participants due", "status": "status"}
"""Verbs that only read, by the name of their times."""
TIMED = ("wall", "processor", "psychopy", "libraries", *READING)

Times = Mapping[str, list[float]]


def measure(effort: Effort) -> Measured:
    """Start sessions, PsychoPy alone and verbs that only read in turns."""
    starts, trials = (QUICK_STARTS, QUICK_TRIALS) if effort.quick else (STARTS, TRIALS)
    times: dict[str, list[float]] = {name: [] for name in TIMED}
    with workplace() as folder:
        pack = sketch_pack(folder / "pack", trials)
        begun_s = time.perf_counter()
        files = len(open_pack(pack, "solutions").manifest.files)
        seal_s = time.perf_counter() - begun_s
        size_mb = sum(file.stat().st_size for file in pack.rglob("*") if file.is_file()) / 1e6
        people = _lab_with_people(folder / "people")
        # The first leaves the byte code of all that is imported, and isn't counted.
        for number in range(starts + 1):
            effort.say(f"start {number} of {starts}")
            found = _turn(folder / f"turn{number}", pack, people)
            if number > 0:
                for name, time_s in found.items():
                    times[name].append(time_s)
    about = {"files": files, "size_mb": round(size_mb, 2), "seal_s": seal_s, "people": PEOPLE}
    return Measured(_text(about, times), {**about, "times_s": times})


def _lab_with_people(folder: Path) -> Path:
    registry = Registry.open(LabFolder.make(folder).registry_url)
    for _ in range(PEOPLE):
        registry.enrol("participant")
    registry.close()
    return folder


def _turn(folder: Path, pack: Path, people: Path) -> dict[str, float]:
    """Return the times, s, of one session's start, PsychoPy alone and verbs that only read."""
    folder.mkdir()
    with virtual_display(SIZE_PX, framebuffer_dir=folder) as shown:
        wall_s, processor_s = _first_page(folder / "lab", pack, shown)
        psychopy_s = _processor_s(["-c", FLOOR])
    read = {"libraries": _processor_s(["-c", LIBRARIES])} | {
        name: _processor_s([str(ROOT / "lab.py"), *verb.split(), "--lab", str(people)])
        for name, verb in READING.items()
    }
    return {"wall": wall_s, "processor": processor_s, "psychopy": psychopy_s, **read}


def _first_page(lab: Path, pack: Path, shown: VirtualDisplay) -> tuple[float, float]:
    """Return wall and processor time, s, from the command to the first page's text."""
    begun_s = time.perf_counter()
    with session_on(lab, pack, shown) as process:
        await_text(shown, process)
        wall_s = time.perf_counter() - begun_s
        whole = psutil.Process(process.pid)
        spent = [one.cpu_times() for one in (whole, *whole.children(recursive=True))]
        ended = whole.cpu_times()
    running = sum(one.user + one.system for one in spent)
    return wall_s, running + ended.children_user + ended.children_system


def _processor_s(arguments: Sequence[str]) -> float:
    """Return the processor time, s, of Python with these arguments, from start to end."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, *arguments]
    subprocess.run(command, check=True, capture_output=True, env=command_environment())
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _text(about: Mapping[str, float], times: Times) -> str:
    middle = {name: float(np.median(some)) for name, some in times.items()}
    ours = [all_s - floor_s for all_s, floor_s in zip(*_both(times), strict=True)]
    ratios = [all_s / floor_s for all_s, floor_s in zip(*_both(times), strict=True)]
    met = {
        "wall": middle["wall"] <= WALL_AT_MOST_S,
        "processor": middle["processor"] <= PROCESSOR_AT_MOST_S,
        **{name: middle[name] <= READING_AT_MOST_S for name in READING},
    }
    read = ", ".join(f"`{verb}` {middle[name]:.2f} s" for name, verb in READING.items())
    verdicts = ", ".join(f"`{verb}` {_verdict(met[name])}" for name, verb in READING.items())
    return (
        f"A pack of {about['files']} files ({about['size_mb']:.1f} MB): its seal is checked in "
        f"{about['seal_s']:.2f} s. From the command (`run`, by a robot that is enrolled on the "
        f"way) to the text of the first page in the framebuffer it takes {middle['wall']:.1f} s "
        f"(median of {len(times['wall'])}; longest {max(times['wall']):.1f} s) and "
        f"{middle['processor']:.2f} s of processor time (longest {max(times['processor']):.2f} "
        f"s), all its processes together. The refresh rate is measured meanwhile: for a second on "
        f"a display, for {TELLING_FLIPS} frames where swaps don't wait for one, as here. "
        f"Importing PsychoPy's windows and keyboard alone takes {middle['psychopy']:.2f} s of "
        f"processor time, in turns with the sessions: {np.median(ours):.2f} s are added to it "
        f"({np.median(ratios):.2f} times its time). Verbs that only read, in a lab of "
        f"{about['people']} people, in processor time: {read}. Importing the libraries "
        f"that they need alone takes {middle['libraries']:.2f} s.\n\n"
        f"Asked: the first page within {WALL_AT_MOST_S:g} s on a quiet machine "
        f"({_verdict(met['wall'])}) and {PROCESSOR_AT_MOST_S:g} s of processor time "
        f"({_verdict(met['processor'])}); verbs that only read within {READING_AT_MOST_S:g} s of "
        f"processor time ({verdicts}). The machine was shared, which lengthens all of them."
    )


def _both(times: Times) -> tuple[list[float], list[float]]:
    return times["processor"], times["psychopy"]


def _verdict(met: bool) -> str:
    return "**met**" if met else "**not met**"


PARTS = (Part("start", "From the command to the session’s start", measure),)

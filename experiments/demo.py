"""The main job in minutes: a pack from nothing, robots in real windows, a report.

The rooms don't know each other, so each step is the command that a person would type,
run as a child process; what the demo says at the end is read from ``results.json``.
"""

import json
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from math import ceil
from pathlib import Path

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn

from experiments.engine.display import missing_display, require_server
from experiments.study import DemoRecipe
from participants.folder import DataFolder, LabFolder
from stimuli.catalogue import studies_of
from stimuli.errors import UserError
from stimuli.io.files import make_private_folder
from stimuli.places import lab_root
from stimuli.protocol import load_protocol
from stimuli.rich_terminal import Console
from stimuli.workers import available_cpus

DOOR = Path(__file__).parents[1] / "lab.py"
POLL_S = 0.5
USER_MISTAKE = 2
REASON = "a demo measures nothing"
"""Why the robots' sessions continue in spite of failed checks; sessions record it."""


class StepError(Exception):
    """A step of the demo failed; the message says which one and where its output is."""


@dataclass(frozen=True, slots=True)
class Demo:
    """What a demo left behind.

    Attributes
    ----------
    report
        ``report.html``.
    headline
        What the report shows, and whether frames were lost, in plain sentences.
    minutes
        How long it took.
    """

    report: Path
    headline: tuple[str, ...]
    minutes: float


def run_demo(study: str | None, out: Path | None, protocol: Path | None, *, show: bool) -> Demo:
    """Build a small pack, take robots through real sessions, and analyse what they did.

    Parameters
    ----------
    study
        Name of the study; the first that has a demo if None.
    out
        Folder for everything; a new one in the lab folder if None.
    protocol
        A protocol file in place of the demo's own.
    show
        Show the robots' windows on this PC's display, one after the other, instead of on
        virtual displays, as many at once as the CPUs carry.

    Raises
    ------
    UserError
        If there is no demo of the study, there is no display for its sessions, the folder is
        taken, or a step reports a mistake of the user.
    StepError
        If a step fails otherwise.
    """
    recipes = {name: one.demo for name, one in studies_of("experiments").items() if one.demo}
    study = study or next(iter(recipes))
    if study not in recipes:
        raise UserError(f"--study {study}: has no demo; take one of {', '.join(recipes)}")
    recipe = recipes[study]
    began = time.monotonic()
    place = out or lab_root() / "demo" / datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
    protocol = protocol or recipe.protocol
    trials = recipe.trials(load_protocol(study, protocol))
    _require_display(show=show)
    _make_empty(place)
    console = Console(stderr=True)
    rounds = ceil(len(recipe.robots) / at_once(show=show))
    most = f" to {rounds * recipe.minutes}" if rounds > 1 else ""
    about = f"Demo of {study}, about {recipe.minutes}{most} minutes, in {place}"
    console.print(about, soft_wrap=True, highlight=False)

    console.rule(f"1 of 3: {recipe.built}")
    _step(
        ["build", study, "--protocol", str(protocol), *recipe.build, "--out", str(place / "pack")]
    )

    console.rule("2 of 3: robots in real windows, by real key presses")
    if sys.platform == "linux" and not show:
        console.print("The windows are on a virtual display; --show opens them on yours.")
    _sessions(recipe, trials, place, show=show, console=console)

    console.rule("3 of 3: analysis")
    report = place / "report"
    given = {"--data": place / "data", "--pack": place / "pack", "--out": report}
    options = [str(part) for pair in given.items() for part in pair]
    _step(["analyse", study, *options], quiet=True)
    results = json.loads((report / "results.json").read_text(encoding="utf-8"))
    minutes = (time.monotonic() - began) / 60
    said = (*results["headline"], *_lost_frames(place / "data", show=show))
    return Demo(report / "report.html", said, minutes)


def _require_display(*, show: bool) -> None:
    """Refuse a missing display before the build, which takes minutes, not after it."""
    if sys.platform == "linux" and not show:
        require_server()
    elif (missing := missing_display()) is not None:
        remedy = ", or leave out --show" if sys.platform == "linux" else ""
        raise UserError(f"demo: {missing}; start it at this PC's own screen{remedy}")


def _make_empty(place: Path) -> None:
    try:
        make_private_folder(place)
    except OSError as error:
        raise UserError(f"--out {place}: can't be made ({error.strerror})") from None
    if any(place.iterdir()):
        raise UserError(f"{place}: is not empty; name another folder with --out")


def _command(words: Sequence[str]) -> list[str]:
    return [sys.executable, str(DOOR), *words]


def _step(words: Sequence[str], *, quiet: bool = False) -> None:
    """Run one verb in the foreground and show its progress."""
    output = subprocess.PIPE if quiet else None
    ended = subprocess.run(
        _command(words), stdout=output, stderr=output, text=True, encoding="utf-8", check=False
    )
    if ended.returncode:
        said = (ended.stderr or "").strip().splitlines()
        _raise(words[0], ended.returncode, said[-1] if said else "its message stands above")


def _raise(what: str, status: int, said: str) -> None:
    if status == USER_MISTAKE:
        raise UserError(f"{what}: {said}")
    raise StepError(f"{what} ended with status {status}: {said}")


def _sessions(
    recipe: DemoRecipe, trials: int, place: Path, *, show: bool, console: Console
) -> None:
    """Run the robots' sessions, each as soon as there is room for it."""
    logs = place / "logs"
    make_private_folder(logs)
    LabFolder.make(place / "lab")
    columns = (TextColumn("{task.description:<16}"), BarColumn(), MofNCompleteColumn())
    with (
        Progress(*columns, TextColumn(recipe.trials_word), console=console) as progress,
        ExitStack() as stack,
    ):
        bars = {robot: progress.add_task(robot, total=trials) for robot in recipe.robots}
        started: dict[str, subprocess.Popen] = {}
        for seed, robot in enumerate(recipe.robots, start=1):
            _watch(started, at_once(show=show) - 1, place, progress, bars)
            started[robot] = _start(robot, seed, place, stack, show=show)
        _watch(started, 0, place, progress, bars)


def at_once(*, show: bool) -> int:
    """Return how many sessions may run at the same time.

    On a virtual display a session keeps one CPU busy with drawing: with more sessions than CPUs
    half of the trials lose frames. A real display has one session.
    """
    return available_cpus() if sys.platform == "linux" and not show else 1


def _lost_frames(data: Path, *, show: bool) -> tuple[str, ...]:
    """Return a sentence on lost frames if software drew the windows; none if no frame was lost."""
    if show or sys.platform != "linux":
        return ()
    lines = [
        line
        for session in DataFolder(data).sessions()
        for line in session.journal.read_text(encoding="utf-8").splitlines()
        if _is_main_end(line)
    ]
    lost = sum(json.loads(line)["frames_dropped"] > 0 for line in lines)
    if not lost:
        return ()
    return (
        f"{lost} of {len(lines)} trials lost frames, because the processor drew the robots’ "
        "windows; a lab PC has a graphics card for that.",
    )


def _start(robot: str, seed: int, place: Path, stack: ExitStack, *, show: bool) -> subprocess.Popen:
    """Start one robot's session in a process that ends with the demo at the latest."""
    words = ["run", str(place / "pack"), "--robot", robot, "--seed", str(seed)]
    words += ["--lab", str(place / "lab"), "--data", str(place / "data")]
    words += ["--display", "existing" if show else "auto"]
    # A busy PC may fail the check of frames; that mustn't cost a newcomer the minutes of the build.
    words += ["--override", REASON]
    log = stack.enter_context(_log(place, robot).open("w", encoding="utf-8"))
    child = subprocess.Popen(_command(words), stdout=log, stderr=subprocess.STDOUT)
    stack.callback(_end, child)
    return child


def _log(place: Path, robot: str) -> Path:
    return place / "logs" / f"{robot}.log"


def _end(child: subprocess.Popen) -> None:
    if child.poll() is None:
        child.terminate()
        child.wait()


def _watch(
    running: Mapping[str, subprocess.Popen],
    at_most: int,
    place: Path,
    progress: Progress,
    bars: Mapping[str, TaskID],
) -> None:
    """Show each session's progress, read from its journal, until at most so many still run."""
    while sum(child.poll() is None for child in running.values()) > at_most:
        for robot, finished in _finished_trials(place / "data", tuple(running)).items():
            progress.update(bars[robot], completed=finished)
        _check(running, place)
        time.sleep(POLL_S)
    _check(running, place)
    for robot, child in running.items():
        if child.poll() is not None:
            progress.update(bars[robot], completed=progress.tasks[bars[robot]].total)


def _check(running: Mapping[str, subprocess.Popen], place: Path) -> None:
    for robot, child in running.items():
        if child.poll():
            lines = _log(place, robot).read_text(encoding="utf-8").strip().splitlines()
            last = lines[-1] if lines else "nothing was said"
            _raise(f"session of {robot}", child.returncode, f"{last} ({_log(place, robot)})")


def _finished_trials(data: Path, robots: Sequence[str]) -> dict[str, int]:
    """Return how many trials each robot's journal holds."""
    counts: dict[str, int] = {}
    for session in DataFolder(data).sessions() if data.is_dir() else ():
        text = session.journal.read_text(encoding="utf-8") if session.journal.exists() else ""
        for robot in robots:
            if f'"robot":"{robot}"' in text:
                counts[robot] = sum(_is_main_end(line) for line in text.splitlines())
    return counts


def _is_main_end(line: str) -> bool:
    return '"event":"trial_end"' in line and '"phase":"main"' in line

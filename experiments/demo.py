"""The main job in minutes: a pack from nothing, robots that answer, a report.

The rooms don't know each other, so each step is the command that a person would type,
run as a child process; what the demo says at the end is read from ``results.json``.
"""

import json
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from experiments.engine.display import missing_display
from experiments.engine.virtual_display import require_server
from experiments.study import DemoRecipe
from participants.folder import DataFolder, LabFolder
from participants.simulate.run import RIG
from stimuli.catalogue import studies_of
from stimuli.errors import UserError
from stimuli.io.files import make_private_folder
from stimuli.languages import ENGLISH
from stimuli.places import lab_root
from stimuli.protocol import load_protocol
from stimuli.rich_terminal import Console

DOOR = Path(__file__).parents[1] / "lab.py"
POLL_S = 0.5
USER_MISTAKE = 2
LOG = "session.log"
SCREENS = "screens"
"""Folder of the pictures of the window's screens."""
SIMULATED = f'"rig":"{RIG}"'
"""What the first line of a journal contains if no window was open."""
REASON = "a demo measures nothing"
"""Why the robot's session continues in spite of failed checks; it records the reason."""


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
    """Build a small pack, let robots answer, one of them in a real window, and analyse it.

    Parameters
    ----------
    study
        Name of the study; the first that has a demo if None.
    out
        Folder for everything; a new one in the lab folder if None.
    protocol
        A protocol file in place of the demo's own.
    show
        Show the robot's window on this PC's display instead of on a virtual one.

    Raises
    ------
    UserError
        If there is no demo of the study, there is no display for its sessions, the folder is
        taken, or a step reports a mistake of the user.
    StepError
        If a step fails otherwise.
    """
    recipes = {
        name: declared.demo for name, declared in studies_of("experiments").items() if declared.demo
    }
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
    about = f"Demo of {study}, about {recipe.minutes} minutes, in {place}"
    console.print(about, soft_wrap=True, highlight=False)

    console.rule(f"1 of 3: {recipe.built}")
    _step(
        ["build", study, "--protocol", str(protocol), *recipe.build, "--out", str(place / "pack")]
    )

    data = place / "data"
    console.rule("2 of 3: people, all of them robots")
    simulated = ["--mix", recipe.simulated, "--pack", str(place / "pack"), "--out", str(data)]
    # It ends before the window opens, since a simulation refuses a folder with other sessions.
    _step(["simulate", study, *simulated], quiet=True)
    answered = len(list(DataFolder(data).sessions()))
    console.print(f"{answered} robots have answered without a window.", highlight=False)
    console.print("Another one takes its session in a real window, by real key presses.")
    if sys.platform == "linux" and not show:
        console.print("The window is on a virtual display; --show opens it on yours.")
    with _started(recipe.robot, place, show=show) as child:
        _watch(child, recipe, trials, place, console)

    console.rule("3 of 3: analysis")
    report = place / "report"
    paths = {"--data": data, "--pack": place / "pack", "--out": report}
    paths["--screens"] = place / SCREENS
    options = [str(part) for pair in paths.items() for part in pair]
    _step(["analyse", study, *options], quiet=True)
    results = json.loads((report / "results.json").read_text(encoding="utf-8"))
    minutes = (time.monotonic() - began) / 60
    headline = (*results["headline"], *_lost_frames(data, show=show))
    return Demo(report / "report.html", headline, minutes)


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
        lines = (ended.stderr or "").strip().splitlines()
        _raise(words[0], ended.returncode, lines[-1] if lines else "its message stands above")


def _raise(step: str, status: int, message: str) -> None:
    if status == USER_MISTAKE:
        raise UserError(f"{step}: {message}")
    raise StepError(f"{step} ended with status {status}: {message}")


def _watch(
    child: subprocess.Popen, recipe: DemoRecipe, trials: int, place: Path, console: Console
) -> None:
    """Show the progress of the session in the window, as its journal has it, to its end."""
    columns = (TextColumn("{task.description:<16}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, TextColumn(recipe.trials_word), console=console) as progress:
        bar = progress.add_task(recipe.robot, total=trials)
        while child.poll() is None:
            progress.update(bar, completed=len(_main_ends(place / "data")))
            time.sleep(POLL_S)
        if child.returncode:
            log = place / LOG
            lines = log.read_text(encoding="utf-8").strip().splitlines()
            last = lines[-1] if lines else "it printed nothing"
            _raise(f"session of {recipe.robot}", child.returncode, f"{last} ({log})")
        progress.update(bar, completed=trials)


@contextmanager
def _started(robot: str, place: Path, *, show: bool) -> Iterator[subprocess.Popen]:
    """Start the robot's session in a process that ends with the demo at the latest."""
    LabFolder.make(place / "lab")
    words = ["run", str(place / "pack"), "--robot", robot]
    words += ["--lab", str(place / "lab"), "--data", str(place / "data")]
    words += ["--display", "existing" if show else "auto"]
    words += ["--screenshots", str(place / SCREENS / ENGLISH)]
    # A busy PC may fail the check of frames; that mustn't cost a newcomer the minutes of the build.
    words += ["--override", REASON]
    with (place / LOG).open("w", encoding="utf-8") as output:
        child = subprocess.Popen(_command(words), stdout=output, stderr=subprocess.STDOUT)
        try:
            yield child
        finally:
            if child.poll() is None:
                child.terminate()
                child.wait()


def _lost_frames(data: Path, *, show: bool) -> tuple[str, ...]:
    """Return a sentence on lost frames if software drew the window; none if no frame was lost."""
    if show or sys.platform != "linux":
        return ()
    ends = _main_ends(data)
    lost = sum(json.loads(line)["frames_dropped"] > 0 for line in ends)
    if not lost:
        return ()
    return (
        f"{lost} of the {len(ends)} trials in the window lost frames, because the processor drew "
        "them; a lab PC has a graphics card for that.",
    )


def _main_ends(data: Path) -> list[str]:
    """Return the journal's lines that end a main trial of the session in the window."""
    return [
        line
        for session in DataFolder(data).sessions()
        for line in _lines(session.journal)
        if '"event":"trial_end"' in line and '"phase":"main"' in line
    ]


def _lines(journal: Path) -> list[str]:
    """Return the lines of a journal; none if its session had no window."""
    lines = journal.read_text(encoding="utf-8").splitlines()
    return [] if lines and SIMULATED in lines[0] else lines

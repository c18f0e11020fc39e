"""The tutorial's commands, read from its page and carried out."""

import os
import re
import shlex
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
PAGE: Final = ROOT / "docs" / "tutorial.md"
BY_HAND: Final = ("setup", "doctor", "participants", "run")
"""Verbs of the page that need a person, a display or the network."""
DISPLAY: Final = ("--unattended", "--display", "virtual")
ROBOT: Final = ("run", "packs/fruit", "--robot", "viewer")
"""What the page lets its reader watch instead of taking part."""
IN_READERS_PLACE: Final = {"LAB/data": "lab/data", "pilot": "robot"}


@dataclass(frozen=True, slots=True)
class Tutorial:
    """What the page tells its reader to write and to type.

    Attributes
    ----------
    protocol
        The text of ``fruit.toml``.
    commands
        Each command's words behind ``python3 lab.py``, in order.
    """

    protocol: str
    commands: tuple[tuple[str, ...], ...]

    @property
    def unattended(self) -> tuple[tuple[str, ...], ...]:
        """Return the commands that run without a person, on made-up photographs."""
        wanted = [words for words in self.commands if words[0] not in BY_HAND]
        return tuple(words for words in wanted if "LAB/data" not in words)


def read_tutorial() -> Tutorial:
    """Read the page."""
    text = PAGE.read_text(encoding="utf-8")
    (protocol,) = re.findall(r"```toml\n(.*?)```", text, flags=re.DOTALL)
    commands = re.findall(r"^python3 lab\.py (.*)$", text, flags=re.MULTILINE)
    return Tutorial(protocol, tuple(tuple(shlex.split(one)) for one in commands))


@dataclass(frozen=True, slots=True)
class CarriedOut:
    """A command of the page as it went.

    Attributes
    ----------
    words
        As printed on the page.
    seconds
        How long it took.
    status
        Its exit status.
    said
        What it wrote to both streams.
    """

    words: tuple[str, ...]
    seconds: float
    status: int
    said: str


def carry_out(folder: Path) -> Iterator[CarriedOut]:
    """Type every command of the page but ``setup``, in order; the session is a robot's.

    A robot can't take part by a person's code, so that the last report is the robot's, too.

    Parameters
    ----------
    folder
        Empty: where the reader works, and where the lab folder will be.
    """
    tutorial = read_tutorial()
    (folder / "fruit.toml").write_text(tutorial.protocol, encoding="utf-8")
    own = {"PLAINSIGHT_LAB": str(folder / "lab"), "PLAINSIGHT_PYTHON_ENV": "current"}
    for words in tutorial.commands[1:]:
        door = [sys.executable, str(ROOT / "lab.py"), *_without_reader(words)]
        begun_s = time.perf_counter()
        ran = subprocess.run(
            door, cwd=folder, env=os.environ | own, capture_output=True, text=True, check=False
        )
        seconds = time.perf_counter() - begun_s
        yield CarriedOut(words, seconds, ran.returncode, ran.stderr + ran.stdout)


def _without_reader(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return what is typed where nobody sits before a screen."""
    match words[0]:
        case "doctor":
            return *words, *DISPLAY
        case "run":
            return ROBOT
        case "participants":
            return words
    return tuple(IN_READERS_PLACE.get(word, word) for word in words)

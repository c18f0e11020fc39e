"""The tutorial's commands, read from its page and carried out."""

import os
import re
import shlex
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from participants.folder import DataFolder
from tests.pictures.taking_part import take_part

ROOT: Final = Path(__file__).parents[2]
PAGE: Final = ROOT / "docs" / "tutorial.md"
BY_HAND: Final = ("setup", "doctor", "participants", "run")
"""Verbs of the page that need a person, a display or the network."""
DISPLAY: Final = ("--unattended", "--display", "virtual")
ROBOT: Final = ("run", "packs/fruit", "--robot", "viewer")
"""What the page lets its reader watch."""


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

    @property
    def after_setup(self) -> tuple[tuple[str, ...], ...]:
        """Return all commands but the first, and after the reader's session the robot's."""
        own = next(at for at, words in enumerate(self.commands) if words[0] == "run")
        return (*self.commands[1 : own + 1], ROBOT, *self.commands[own + 1 :])


def read_tutorial() -> Tutorial:
    """Read the page, without its other way for those who have no connection."""
    text = PAGE.read_text(encoding="utf-8")
    text = re.sub(r"^### Without a connection$.*?(?=^## )", "", text, flags=re.DOTALL | re.M)
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
    """Type every command of the page but ``setup``, in order, and take part by real keys.

    After the reader's session comes the one of the robot that the page lets them watch.

    Parameters
    ----------
    folder
        Empty: where the reader works, and where the lab folder will be.
    """
    tutorial, lab = read_tutorial(), folder / "lab"
    (folder / "fruit.toml").write_text(tutorial.protocol, encoding="utf-8")
    environment = os.environ | {"PLAINSIGHT_LAB": str(lab), "PLAINSIGHT_PYTHON_ENV": "current"}
    code = ""
    for words in tutorial.after_setup:
        typed = [word.replace("CODE", code).replace("LAB", str(lab)) for word in words]
        begun_s = time.perf_counter()
        if "CODE" in words:
            status, said = take_part(typed, folder, DataFolder(lab / "data"), environment)
        else:
            status, said = _type(typed, folder, environment)
        yield CarriedOut(words, time.perf_counter() - begun_s, status, said)
        if words[0] == "participants":
            code = said.split()[-1]


def _type(words: Sequence[str], folder: Path, environment: Mapping[str, str]) -> tuple[int, str]:
    """Type a command that needs nobody before a screen; return its status and what it said."""
    door = [sys.executable, str(ROOT / "lab.py"), *words]
    door += DISPLAY if words[0] == "doctor" else ()
    ran = subprocess.run(
        door, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    return ran.returncode, ran.stderr + ran.stdout

"""How long the commands of the tutorial take, each as its page prints it."""

import shlex
import tempfile
from pathlib import Path

from bench.book import Effort, Measured, table
from stimuli.errors import UserError
from tests.pictures.tutorial import CarriedOut, carry_out


def measure(effort: Effort) -> Measured:
    """Carry the tutorial out in an empty folder."""
    ran = []
    with tempfile.TemporaryDirectory() as folder:
        for command in carry_out(Path(folder)):
            effort.say(f"{_printed(command)}: {command.seconds:.0f} s")
            if command.status and command.words[0] != "doctor":
                raise UserError(f"{_printed(command)}: {command.said.strip().splitlines()[-1]}")
            ran.append(command)
    rows = [[f"`{_printed(command)}`", f"{command.seconds:.0f}"] for command in ran]
    others_s = sum(command.seconds for command in ran if command.words[0] != "run")
    text = (
        "Every command of the [tutorial](tutorial.md) but `setup` was typed in an empty folder, in "
        "the order of the page. The reader’s own session was gone through by real key presses, "
        "without time to read: every photograph was named at the second, third or fifth step. "
        "After it comes the session of the robot that the page lets you watch. The other "
        f"commands took {others_s:.0f} seconds together.\n\n" + table(["command", "seconds"], rows)
    )
    return Measured(text, {"seconds": [round(command.seconds, 1) for command in ran]})


def _printed(command: CarriedOut) -> str:
    return shlex.join(command.words)

"""Installing with pip: how far it is, and why it failed."""

import os
import subprocess
import sys
import time
from collections.abc import Callable

from lab_environment.words import SetupError, say

NO_NETWORK = (
    "NewConnectionError",
    "NameResolutionError",
    "ConnectTimeout",
    "ReadTimeout",
    "ProxyError",
    "Max retries exceeded",
    "Connection broken",
    "Network is unreachable",
)


Installed = Callable[[], list[str]]


class Pip:
    """The pip of an environment.

    Parameters
    ----------
    python
        The environment's Python.
    constraints, log
        The file of constraints, and the file for pip's output.
    installed
        Gives the distributions that are installed by now.
    """

    def __init__(self, python: str, constraints: str, log: str, installed: Installed) -> None:
        self._python = python
        self._constraints = constraints
        self._log = log
        self._installed = installed

    def install(self, name: str, what: list[str]) -> None:
        """Install packages: pip's output goes to the log, one progress line to the screen.

        Parameters
        ----------
        name
            A word for what is installed.
        what
            pip's own arguments: pins, or ``-r`` and a file.

        Raises
        ------
        SetupError
            If it can't be installed; the message says what to do.
        """
        command = [self._python, "-m", "pip", "install", "--no-input", "--no-color"]
        command += ["--progress-bar", "off", "--retries", "2", "--disable-pip-version-check"]
        command += ["-c", self._constraints, *what]
        log = self._log
        with open(log, "ab") as story, open(log, encoding="utf-8", errors="replace") as told:
            told.seek(0, os.SEEK_END)
            meter = Meter(name, self._installed)
            process = subprocess.Popen(
                command, stdout=story, stderr=subprocess.STDOUT, close_fds=False
            )
            try:
                while process.poll() is None:
                    meter.show(told.read())
                    time.sleep(0.25)
            finally:
                if process.poll() is None:
                    process.terminate()
                    process.wait()
                meter.end(told.read())
        if process.returncode != 0:
            raise SetupError(pip_failure(name, meter.text, self._log))


class Meter:
    """One line that shows pip's progress; on a terminal it overwrites itself.

    Parameters
    ----------
    name
        What is being installed.
    installed
        Gives the distributions that are installed by now.
    """

    def __init__(self, name: str, installed: Installed) -> None:
        self.text = ""
        self._name = name
        self._installed = installed
        self._before = set(installed())
        self._clock = time.monotonic
        self._start = self._shown = time.monotonic()

    def line(self) -> str:
        """Return the state in words."""
        minutes, seconds = divmod(int(self._clock() - self._start), 60)
        head, _, names = self.text.partition("Installing collected packages: ")
        if names:
            total = names.split("\n")[0].count(",") + 1
            done = set(self._installed()) - self._before
            state = f"{len(done)} of {total} installed"
        else:
            found = head.count("\nCollecting ") + head.count("\nProcessing ")
            state = f"{found} fetched"
        return f"  {self._name}: {state}, {minutes}:{seconds:02d}"

    def show(self, more: str) -> None:
        """Take pip's new output and draw the line; in a log, draw it only twice a minute."""
        self.text += more
        if sys.stderr.isatty():
            sys.stderr.write("\r" + self.line().ljust(60))
            sys.stderr.flush()
        elif self._clock() - self._shown > 30:
            self._shown = self._clock()
            say(self.line())

    def end(self, more: str) -> None:
        """Print the last state and end the line."""
        self.text += more
        if sys.stderr.isatty():
            say("\r" + self.line().ljust(60))
        else:
            say(self.line())


def pin(requirements: str, name: str) -> str:
    """Return a package's exact pin (``name==version``) from a requirements file."""
    with open(requirements, encoding="utf-8") as lines:
        for line in lines:
            if line.startswith(name + "=="):
                return line.split()[0]
    raise SetupError(f"{requirements} pins no {name}")


def pip_failure(name: str, text: str, log: str) -> str:
    """Return the one line that says why pip failed and what to do."""
    errors = [line[7:].strip() for line in text.splitlines() if line.startswith("ERROR: ")]
    if any(sign in text for sign in NO_NETWORK):
        reason = "the package index can't be reached: check network and proxy"
    elif "No space left on device" in text:
        reason = "the disk is full: make room"
    else:
        reason = f"{errors[-1]}: mend that" if errors else "pip gave up: see its story"
    return f"{name} couldn't be installed, {reason}, then run this again (the story: {log})"

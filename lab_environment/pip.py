"""Installing with pip and uv: how far it is, and why it failed."""

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
        status, text = self._run(name, self._pip_install(what))
        if status != 0:
            raise SetupError(pip_failure(name, text, self._log))

    def _pip_install(self, what: list[str]) -> list[str]:
        options = ["--no-input", "--no-color", "--progress-bar", "off", "--retries", "2"]
        # Python compiles a module when it is first imported; compiling all takes a minute.
        options += ["--disable-pip-version-check", "--no-compile", "-c", self._constraints]
        return ["pip", "install", *options, *what]

    def install_by_uv(self, name: str, uv: str, what: list[str]) -> bool:
        """Install packages by uv, which is several times faster than pip.

        uv takes the package index and the certificate from pip's settings.

        Parameters
        ----------
        name
            A word for what is installed.
        uv
            uv's own pin.
        what
            uv's arguments, which are pip's: pins, or ``-r`` and a file.

        Returns
        -------
        bool
            Whether it could. Where not, pip can do the rest; where it can't, it says why.
        """
        if self._run("uv", self._pip_install([uv]))[0] != 0:
            return False
        options = ["--python", self._python, "--no-progress", "-c", self._constraints]
        return self._run(name, ["uv", "pip", "install", *options, *what])[0] == 0

    def _run(self, name: str, module: list[str]) -> tuple[int, str]:
        """Run a module of the environment; return its exit status and its output."""
        log = self._log
        with open(log, "ab") as story, open(log, encoding="utf-8", errors="replace") as output:
            output.seek(0, os.SEEK_END)
            meter = Meter(name, self._installed)
            process = subprocess.Popen(
                [self._python, "-m", *module],
                stdout=story,
                stderr=subprocess.STDOUT,
                close_fds=False,
                env=with_uv_settings(self._python) if module[0] == "uv" else None,
            )
            try:
                while process.poll() is None:
                    meter.show(output.read())
                    time.sleep(0.25)
            finally:
                if process.poll() is None:
                    process.terminate()
                    process.wait()
                meter.end(output.read())
        return process.returncode, meter.text


UV_SETTINGS = {
    "index-url": "UV_DEFAULT_INDEX",
    "extra-index-url": "UV_INDEX",
    "cert": "SSL_CERT_FILE",
}
"""uv's environment variables by pip's settings of the same meaning."""


def with_uv_settings(python: str) -> dict[str, str]:
    """Return the environment's variables with pip's settings as uv reads them."""
    command = [python, "-m", "pip", "config", "list"]
    listed = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    settings = {}
    for line in listed.splitlines():
        key, _, value = line.partition("=")
        if key.rpartition(".")[2] in UV_SETTINGS:
            settings[UV_SETTINGS[key.rpartition(".")[2]]] = value.strip("'\"")
    # What somebody set for uv itself comes first.
    return {**settings, **os.environ}


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
        elif fetched := head.count("\nCollecting ") + head.count("\nProcessing "):
            state = f"{fetched} fetched"
        else:
            state = f"{len(set(self._installed()) - self._before)} installed"
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


def pinned(requirements: str, name: str) -> str | None:
    """Return a package's exact pin (``name==version``) from a requirements file; None without."""
    with open(requirements, encoding="utf-8") as lines:
        return next((line.split()[0] for line in lines if line.startswith(name + "==")), None)


def pin(requirements: str, name: str) -> str:
    """Return a package's exact pin; SetupError without one."""
    exact = pinned(requirements, name)
    if exact is None:
        raise SetupError(f"{requirements} pins no {name}")
    return exact


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

"""Runs a script in a process that is forked from one which has the suite's modules already.

To import them takes half of what the start of a session takes, and window tests start a hundred.
Tests of the door (`lab.py`) start it as a person does.
"""

import multiprocessing
import os
import runpy
import subprocess
import sys
import tempfile
import weakref
from collections.abc import Mapping
from pathlib import Path

SERVER = multiprocessing.get_context("forkserver")
SERVER.set_forkserver_preload(["tests.experiments.windows.imported"])


class Forked:
    """A script's process, to be used like that of `subprocess.Popen`; it ends with the test run."""

    def __init__(self, script: Path, *words: object, environment: Mapping[str, str]) -> None:
        self.folder = tempfile.TemporaryDirectory(prefix="plainsight-forked-")
        self.streams = [Path(self.folder.name, name) for name in ("stdout", "stderr")]
        command = [str(script), *map(str, words)]
        self.process = SERVER.Process(target=run, args=(command, dict(environment), self.streams))
        self.process.start()
        self.pid = self.process.pid
        weakref.finalize(self, self.process.kill)

    @property
    def returncode(self) -> int | None:
        return self.process.exitcode

    def poll(self) -> int | None:
        return self.process.exitcode

    def communicate(self, timeout: float | None = None) -> tuple[str, str]:
        self.process.join(timeout)
        if self.process.exitcode is None:
            raise subprocess.TimeoutExpired(str(self.pid), timeout)
        out, err = (stream.read_text(encoding="utf-8") for stream in self.streams)
        return out, err

    def send_signal(self, number: int) -> None:
        os.kill(self.pid, number)

    def kill(self) -> None:
        self.process.kill()


def run(command: list[str], environment: dict[str, str], streams: list[Path]) -> None:
    """Run a script as Python would do that started with it."""
    import faulthandler

    import sitecustomize

    for number, stream in enumerate(streams, start=1):
        file = os.open(stream, os.O_WRONLY | os.O_CREAT)
        os.dup2(file, number)
        os.close(file)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = command
    sitecustomize.seed_codes(command)
    faulthandler.enable()
    runpy.run_path(command[0], run_name="__main__")

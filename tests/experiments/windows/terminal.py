"""A command of the suite at a terminal, and what is typed there."""

import os
import re
import subprocess
import sys
import time

from tests.experiments.windows.session_lab import PATIENCE_S, ROOT


class Terminal:
    """A command at a terminal of its own.

    Parameters
    ----------
    environment
        The command's.
    words
        What is typed behind ``lab.py``.
    folder
        Where it is typed.
    """

    def __init__(self, environment, *words, folder=ROOT):
        ours, theirs = os.openpty()
        self.shown, self._ours = "", ours
        self._process = subprocess.Popen(
            [sys.executable, ROOT / "lab.py", *map(str, words)], cwd=folder, env=environment,
            stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True,
        )  # fmt: skip
        os.close(theirs)
        os.set_blocking(ours, False)

    def read(self):
        """Take what was printed since; say whether the terminal is still open."""
        try:
            self.shown += re.sub(r"\x1b\[[\d;]*m", "", os.read(self._ours, 65536).decode())
        except BlockingIOError:
            time.sleep(0.05)
        except OSError:
            return False
        return True

    def poll(self):
        """Take what was printed; return the exit status, None while the command runs."""
        self.read()
        return self._process.poll()

    def await_words(self, words):
        until = time.monotonic() + PATIENCE_S
        while words not in self.shown and time.monotonic() < until and self.read():
            pass
        assert words in self.shown, self.shown

    def type(self, line):
        self.shown = ""
        os.write(self._ours, f"{line}\n".encode())

    def kill(self):
        """End it at once."""
        self._process.kill()
        self.end()

    def end(self):
        """Let it end by itself, or end it; return its exit status."""
        until = time.monotonic() + PATIENCE_S
        while self.read() and time.monotonic() < until:
            pass
        os.close(self._ours)
        return self._process.wait(timeout=PATIENCE_S)

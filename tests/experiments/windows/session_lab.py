"""A lab folder in which tests start sessions as processes of their own."""

import json
import os
import time
from collections import Counter
from pathlib import Path

import psutil
import pytest

from experiments.engine.virtual_display import virtual_display
from participants.folder import DataFolder, LabFolder
from participants.journal import read_journal
from tests.experiments.windows.forked import Forked

ROOT = Path(__file__).parents[3]
LAB, HASTY = (Path(__file__).with_name(name) for name in ("lab.py", "hasty_lab.py"))
PATIENCE_S = 300
SMALL_PX = (854, 480)
"""A session on such a display takes a fifth less processor time than on one of the usual size."""
SMALL = ("--size", f"{SMALL_PX[0]}x{SMALL_PX[1]}")


def let_go(shown):
    """Release every key and button that is down on a display."""
    from Xlib import X, display
    from Xlib.ext.xtest import fake_input

    screen = display.Display(shown)
    keys = screen.query_keymap()
    for code in range(screen.display.info.min_keycode, 256):
        if keys[code // 8] >> code % 8 & 1:
            fake_input(screen, X.KeyRelease, code)
    held = screen.screen().root.query_pointer().mask
    for button, mask in enumerate((X.Button1Mask, X.Button2Mask, X.Button3Mask), start=1):
        if held & mask:
            fake_input(screen, X.ButtonRelease, button)
    screen.sync()
    screen.close()


class Lab:
    """A lab folder, and sessions started in it."""

    def __init__(self, folder, pack):
        self.folder, self.pack = folder, pack
        self.data = DataFolder(folder / "data")
        self.environment = {
            **os.environ,
            "HOME": str(folder / "home"),
            "PLAINSIGHT_LAB": str(folder),
        }
        self._journal, self._read_bytes, self._events = None, 0, Counter()
        (folder / "home").mkdir()
        LabFolder.make(folder)

    def start(self, *arguments, verb="run", door=LAB):
        words = (verb, self.pack, "--json", *arguments)
        return Forked(door, *words, environment=self.environment)

    def finish(self, process):
        out, err = process.communicate(timeout=PATIENCE_S)
        assert process.returncode == 0, err[-3000:]
        return json.loads(out)

    def kill(self, process):
        """Kill a session, and let go of what its robot held down on the display at that moment.

        X would keep it down for the next session, whose presses of it would be none.
        """
        processes = psutil.Process(process.pid).children(recursive=True)
        process.kill()
        process.communicate()
        psutil.wait_procs(processes, timeout=10)
        if shown := self.environment.get("DISPLAY"):
            let_go(shown)

    @property
    def journal_path(self):
        (paths,) = self.data.sessions()
        return paths.journal

    def events(self):
        """Return how many events of each name the journal holds; whole lines alone count."""
        if self._journal is None and any(self.data.sessions()):
            self._journal = self.journal_path
        if self._journal is not None:
            with self._journal.open("rb") as file:
                file.seek(self._read_bytes)
                whole, end, _ = file.read().rpartition(b"\n")
            self._read_bytes += len(whole) + len(end)
            self._events.update(json.loads(line)["event"] for line in whole.splitlines())
        return self._events.copy()

    def annotate_killed_once(self, seconds):
        """Let an expert robot annotate, killed some seconds after its first trial, to the end.

        Returns the number of trials that were finished at the kill, and what the verb said at the
        end. Screens of the second part are saved in the folder ``screens``.
        """
        annotate = ("--robot", "expert", "--display", "existing")
        with virtual_display((1280, 720)) as shown:
            self.environment["DISPLAY"] = shown.name
            first = self.start(*annotate, verb="annotate", door=HASTY)
            self.wait_for("trial_end", 1, first)
            time.sleep(seconds)
            self.kill(first)
            at_kill = self.events()["trial_end"]
            code = read_journal(self.journal_path).header["participant"]
            again = ("--participant", code, "--screenshots", self.folder / "screens")
            return at_kill, self.finish(self.start(*annotate, *again, verb="annotate", door=HASTY))

    def wait_for(self, event, count, process):
        until = time.monotonic() + PATIENCE_S
        while self.events()[event] < count:
            if process.poll() is not None or time.monotonic() > until:
                pytest.fail(f"no {event} number {count}: {process.communicate()[1][-3000:]}")
            time.sleep(0.05)

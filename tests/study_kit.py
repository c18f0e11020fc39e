"""What tests of a study from outside need: a lab, and commands that take the study through it.

``python3 lab.py test FOLDER`` runs such tests.
"""

import csv
import json
import os
import signal
import subprocess
import sys
import time
from contextlib import AbstractContextManager
from functools import cached_property
from pathlib import Path
from typing import Any

from participants.folder import LabFolder
from participants.journal import Journal, read_journal
from participants.lab_settings import declare_study
from stimuli.catalogue import LAB_FILE, studies_of_the_lab
from stimuli.pack import open_pack
from stimuli.table_study.tables import LISTS

ROOT = Path(__file__).resolve().parents[1]
PATIENCE_S = 240


class StudyKit:
    """A study in a lab of its own.

    Parameters
    ----------
    study
        The study's folder.
    place
        An empty folder, such as pytest's ``tmp_path``.
    """

    def __init__(self, study: Path, place: Path) -> None:
        self.name, self.place = study.name, place
        self.lab = LabFolder.make(place / "lab").root
        declare_study(self.lab / LAB_FILE, study)

    def door(self, *words: object) -> subprocess.CompletedProcess[str]:
        """Run a command and return how it ended."""
        return subprocess.run(
            self._command(words), cwd=ROOT, env=self._environment, capture_output=True, text=True,
            timeout=600, check=False,
        )  # fmt: skip

    def done(self, *words: object) -> str:
        """Run a command that must end well, and return what it printed."""
        ended = self.door(*words)
        assert ended.returncode == 0, ended.stderr
        return ended.stdout

    @cached_property
    def pack(self) -> Path:
        """The study's pack, built when it is first needed."""
        self.done("build", self.name, "--out", self.place / "pack")
        return self.place / "pack"

    def list_rows(self, list_id: str) -> list[dict[str, Any]]:
        """Return what a list of the pack shows, in order."""
        with self.known():
            rows = open_pack(self.pack).table(LISTS)
        own = [row for row in rows if row["list"] == list_id]
        return sorted(own, key=lambda row: row["position"])

    def killed_and_resumed(self, robot: str, after: int) -> Journal:
        """Kill a robot's session in a window after some trials, resume it, return its journal."""
        # A PC that runs tests beside it may be too busy for a person's session.
        override = ("--override", "This PC runs tests.")
        words = ("run", self.pack, "--robot", robot, "--lab", self.lab, *override)
        first = subprocess.Popen(
            self._command(words), cwd=ROOT, env=self._environment, start_new_session=True,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        self._wait_for(after, first)
        os.killpg(first.pid, signal.SIGKILL)
        first.wait()
        before = self._read()
        assert not before.complete
        self.done(*words)
        journal = self._read()
        assert [page["name"] for page in journal.of("page")].count("welcome_back") == 1
        return journal

    def simulated(self, robot: str, participants: int) -> list[dict[str, str]]:
        """Simulate people, and return the rows of the trial table as they are written."""
        self.done(
            "simulate", self.name, "--participants", participants, "--robot", robot, "--pack",
            self.pack, "--out", self.place / "data",
        )  # fmt: skip
        trials = self.place / "data" / "tables" / "trials.csv"
        with trials.open(encoding="utf-8", newline="") as lines:
            return list(csv.DictReader(lines))

    def analysed(self) -> dict[str, Any]:
        """Analyse what was simulated, and return the results."""
        report = self.place / "report"
        self.done("analyse", self.name, "--data", self.place / "data", "--out", report)
        return json.loads((report / "results.json").read_text(encoding="utf-8"))

    @property
    def _environment(self) -> dict[str, str]:
        return os.environ | {"PLAINSIGHT_LAB": str(self.lab)}

    @staticmethod
    def _command(words: tuple[object, ...]) -> list[str]:
        return [sys.executable, str(ROOT / "lab.py"), *map(str, words)]

    def known(self) -> AbstractContextManager[list[Path]]:
        """Let this process know the study, too."""
        return studies_of_the_lab(["--lab", str(self.lab)])

    def _read(self) -> Journal:
        path = self._journal()
        assert path is not None
        with self.known():
            return read_journal(path)

    def _journal(self) -> Path | None:
        return next((self.lab / "data" / "sessions").glob("*/journal.jsonl"), None)

    def _wait_for(self, trials: int, session: subprocess.Popen) -> None:
        until = time.monotonic() + PATIENCE_S
        while time.monotonic() < until and session.poll() is None:
            path = self._journal()
            if path is not None and path.read_text(encoding="utf-8").count('"trial_end"') >= trials:
                return
            time.sleep(0.05)
        raise AssertionError(f"no {trials} trials came; the session ended: {session.poll()}")

"""Sessions of every study, killed at random moments with all their processes, and gone on with."""

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from threading import Timer
from typing import IO, Final

from participants.dataset.derive import derive
from participants.folder import LabFolder
from participants.journal import Journal, read_journal
from participants.registry import Registry, outbox
from stimuli.catalogue import studies_of
from stimuli.io.canonical import seed_of
from tests.bench.book import Effort, Measured, Part, table

ROOT: Final = Path(__file__).resolve().parents[3]
KILLS, QUICK_KILLS = 500, 12
A_LIFE: Final = 0.25
"""Longest life of a process that is killed, as a share of a whole session's."""


@dataclass
class Found:
    """What became of a study's sessions.

    Attributes
    ----------
    kills, sessions
        How often a tree was killed in mid-session, and how many sessions there were.
    acknowledged, lost
        Trials whose end had been recorded, and how many of them are in no journal.
    planned, twice, missing
        Trials that the sessions planned; those recorded twice; those without a row that no kill
        accounts for.
    cut
        Trials that a kill interrupted and that, by the study's rule, are not shown again.
    torn
        Journals with a line that was cut short and set aside.
    untold
        Sessions that the registry doesn't know as complete.
    """

    kills: int = 0
    sessions: int = 0
    acknowledged: int = 0
    lost: int = 0
    planned: int = 0
    twice: int = 0
    missing: int = 0
    cut: int = 0
    torn: int = 0
    untold: int = 0
    acknowledged_by: dict[str, list[int]] = field(default_factory=dict)

    def figures(self) -> dict[str, int]:
        """Return the numbers, as they are kept."""
        return {name: value for name, value in vars(self).items() if isinstance(value, int)}


class Trees:
    """Process trees with a study's sessions, in a lab folder of their own."""

    def __init__(self, study: str, lab: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.bench.parts.crash_session", study, str(lab)],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT), "HOME": str(lab)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._said("ready")

    @property
    def _out(self) -> IO[str]:
        assert self._process.stdout is not None
        return self._process.stdout

    def _said(self, word: str) -> str:
        """Return what follows a word in the next line."""
        line = self._out.readline()
        assert line.startswith(word), f"{word!r} was to come, not {line!r}"
        return line.removeprefix(word).strip()

    def live(self, code: str, after_s: float | None) -> tuple[str, list[int], bool]:
        """Let a session run, killed after some seconds; return code, trials, and if it was killed.

        ``code`` is empty for somebody new.
        """
        assert self._process.stdin is not None
        self._process.stdin.write(f"{code}\n")
        self._process.stdin.flush()
        code = code or self._said("code")
        group = int(self._said("group"))
        killed: list[int] = []
        timer = Timer(after_s or 0.0, lambda: _kill(group, killed))
        if after_s is not None:
            timer.start()
        ended = []
        while (line := self._out.readline().strip()) != "over":
            ended.append(int(line.removeprefix("trial")))
        timer.cancel()
        return code, ended, bool(killed)

    def close(self) -> None:
        """End what waits for codes."""
        self._process.communicate()


def _kill(group: int, killed: list[int]) -> None:
    try:
        os.killpg(group, signal.SIGKILL)
        killed.append(group)
    except ProcessLookupError:
        # It had come to its end.
        return


def killed_sessions(study: str, kills: int, folder: Path, draw: random.Random) -> Found:
    """Kill a study's sessions so many times in all, bring each to its end, and look at the data."""
    lab = LabFolder.make(folder)
    trees, found = Trees(study, folder), Found()
    begun = time.monotonic()
    reference, ends, _ = trees.live("", None)
    whole_s = time.monotonic() - begun
    found.acknowledged_by[reference] = ends
    while found.kills < kills:
        code, killed = "", True
        while killed:
            after_s = draw.random() * A_LIFE * whole_s if found.kills < kills else None
            code, ends, killed = trees.live(code, after_s)
            found.acknowledged_by.setdefault(code, []).extend(ends)
            found.kills += killed
    trees.close()
    _look(found, lab, study)
    return found


def _look(found: Found, lab: LabFolder, study: str) -> None:
    """Count what is in journals, tables and registry."""
    journals = {path.session: read_journal(path.journal) for path in lab.data.sessions()}
    found.sessions = len(journals)
    found.torn = sum(path.torn.exists() for path in lab.data.sessions())
    (name,) = {str(journal.header["study"]) for journal in journals.values()}
    rows = Counter((row["session"], row["trial"]) for row in derive(lab.data, name).trials)
    for session, journal in journals.items():
        _count(found, journal, {trial: n for (of, trial), n in rows.items() if of == session})
    with closing(Registry.open(lab.registry_url)) as registry:
        untold = outbox.catch_up(lab.data, registry)
        found.untold = len(untold) + sum(person.complete != 1 for person in registry.list())


def _count(found: Found, journal: Journal, rows: Mapping[int, int]) -> None:
    ended = Counter(event["trial"] for event in journal.of("trial_end"))
    begun = {event["trial"] for event in journal.of(*BEGINNINGS)}
    acknowledged = found.acknowledged_by[str(journal.header["participant"])]
    found.acknowledged += len(acknowledged)
    found.lost += sum(trial not in ended for trial in acknowledged) + (not journal.complete)
    planned = set(range(1, max(begun | set(ended)) + 1))
    cut = begun - set(ended)
    found.planned += len(planned)
    found.cut += len(cut)
    found.twice += sum(n - 1 for n in ended.values()) + sum(n - 1 for n in rows.values())
    found.missing += len(planned - set(ended) - cut) + sum(trial not in rows for trial in ended)


BEGINNINGS: Final = ("trial_start", "round_start")

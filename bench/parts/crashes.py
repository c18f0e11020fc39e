"""Sessions of every study, killed at random moments with all their processes, and gone on with."""

import os
import random
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Timer
from typing import IO, Final

from bench.book import Effort, Measured, Part, table
from participants.dataset.derive import derive
from participants.folder import LabFolder
from participants.journal import Journal, read_journal
from participants.registry import Registry, outbox
from stimuli.catalogue import studies_of
from stimuli.errors import UserError
from stimuli.io.canonical import seed_of
from stimuli.io.tables import Row

ROOT: Final = Path(__file__).resolve().parents[2]
KILLS, QUICK_KILLS = 500, 12
LONGEST_LIFE: Final = 12
"""Trials after which a tree is killed at the latest."""
START_S: Final = 1.0
TRIAL_S: Final = 0.05
"""Within which the kill comes, from the start or from a trial's end."""


@dataclass(frozen=True, slots=True)
class Moment:
    """When a tree is killed: so many trials after its start, and then so many seconds."""

    trials: int
    then_s: float


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
    plan: set[int] = field(default_factory=set)
    rows: set[int] = field(default_factory=set)

    def figures(self) -> dict[str, int]:
        """Return the numbers, as they are kept."""
        return {name: value for name, value in vars(self).items() if isinstance(value, int)}


class Trees:
    """Process trees with a study's sessions, in a lab folder of their own."""

    def __init__(self, study: str, lab: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "bench.parts.crash_session", study, str(lab)],
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

    def live(self, code: str, moment: Moment | None) -> tuple[str, list[int], bool]:
        """Let a session run until a moment or its end.

        Parameters
        ----------
        code
            Whose; empty for somebody new.
        moment
            When everything is killed; None for never.

        Returns
        -------
        tuple
            The code, the trials whose end was recorded, and whether it was killed.
        """
        assert self._process.stdin is not None
        self._process.stdin.write(f"{code}\n")
        self._process.stdin.flush()
        code = code or self._said("code")
        group = int(self._said("group"))
        timer = Timer(0.0 if moment is None else moment.then_s, _kill, (group,))
        ended: list[int] = []
        while True:
            if moment is not None and len(ended) == moment.trials and not timer.is_alive():
                timer.start()
            line = self._out.readline().strip()
            if line.startswith("over"):
                break
            ended.append(int(line.removeprefix("trial")))
        timer.cancel()
        assert line in ("over", "over killed"), f"the session of {code} broke off by itself"
        return code, ended, line == "over killed"

    def close(self) -> None:
        """End what waits for codes."""
        self._process.communicate()


def _kill(group: int) -> None:
    # It may have come to its end by itself.
    with suppress(ProcessLookupError):
        os.killpg(group, signal.SIGKILL)


def _drawn(draw: random.Random) -> Moment:
    """Return a moment anywhere: while a session starts, on its pages, within a trial."""
    trials = draw.randrange(LONGEST_LIFE + 1)
    return Moment(trials, draw.random() * (START_S if trials == 0 else TRIAL_S))


def killed_sessions(study: str, kills: int, folder: Path, draw: random.Random) -> Found:
    """Kill a study's sessions so many times in all, bring each to its end, and look at the data."""
    lab = LabFolder.make(folder)
    trees, found = Trees(study, folder), Found()
    # What an undisturbed session plans.
    code, ends, _ = trees.live("", None)
    found.acknowledged_by[code], found.plan = ends, set(ends)
    # Practice has no rows in some studies.
    found.rows = {row["trial"] for row in _rows(lab)}
    while found.kills < kills:
        code, killed = "", True
        while killed:
            moment = _drawn(draw) if found.kills < kills else None
            code, ends, killed = trees.live(code, moment)
            found.acknowledged_by.setdefault(code, []).extend(ends)
            found.kills += killed
            # The kill may have come after the last thing that a session does.
            killed = killed and not _finished(lab, code)
    trees.close()
    _look(found, lab)
    return found


def _finished(lab: LabFolder, code: str) -> bool:
    """Return whether a person's session is complete: the kill may have come before the registry
    was told, which then learns it at the next start.
    """
    with closing(Registry.open(lab.registry_url)) as registry:
        outbox.catch_up(lab.data, registry)
        return any(person.code == code and person.complete for person in registry.list())


def _look(found: Found, lab: LabFolder) -> None:
    """Count what is in journals, tables and registry."""
    journals = {path.session: read_journal(path.journal) for path in lab.data.sessions()}
    found.sessions = len(journals)
    found.torn = sum(path.torn.exists() for path in lab.data.sessions())
    rows = Counter((row["session"], row["trial"]) for row in _rows(lab))
    for session, journal in journals.items():
        _count(found, journal, {trial: n for (of, trial), n in rows.items() if of == session})
    with closing(Registry.open(lab.registry_url)) as registry:
        untold = outbox.catch_up(lab.data, registry)
        found.untold = len(untold) + sum(person.complete != 1 for person in registry.list())


def _rows(lab: LabFolder) -> tuple[Row, ...]:
    """Return the rows of the one study's trial table."""
    first = read_journal(next(lab.data.sessions()).journal)
    return derive(lab.data, str(first.header["study"])).trials


def _count(found: Found, journal: Journal, rows: Mapping[int, int]) -> None:
    ended = Counter(event["trial"] for event in journal.of("trial_end"))
    begun = {event["trial"] for event in journal.of("trial_start")}
    acknowledged = found.acknowledged_by[str(journal.header["participant"])]
    found.acknowledged += len(acknowledged)
    found.lost += sum(trial not in ended for trial in acknowledged) + (not journal.complete)
    cut = begun - set(ended)
    found.planned += len(found.plan)
    found.cut += len(cut)
    found.twice += sum(n - 1 for n in ended.values()) + sum(n - 1 for n in rows.values())
    found.missing += len(found.plan ^ (set(ended) | cut)) + len((found.rows - cut) ^ set(rows))


def measure(effort: Effort) -> Measured:
    """Measure every study."""
    studies = list(studies_of("participants"))
    each = _kills(effort) // len(studies)
    found = {}
    for study in studies:
        effort.say(f"{study}: {each} kills")
        with tempfile.TemporaryDirectory() as name:
            draw = random.Random(seed_of("crashes", study))
            found[study] = killed_sessions(study, each, Path(name), draw).figures()
    return Measured(_text(found), found)


def _kills(effort: Effort) -> int:
    """Return how many kills there are to be, over all studies."""
    asked = effort.options.get("kills", str(QUICK_KILLS if effort.quick else KILLS))
    if not asked.isdecimal() or int(asked) < 1:
        raise UserError(f"--set kills={asked}: ask for a whole number of kills")
    return int(asked)


def _text(found: Mapping[str, Mapping[str, int]]) -> str:
    total = Counter()
    for figures in found.values():
        total.update(figures)
    heads = ["", *(HEADINGS[name] for name in HEADINGS)]
    rows = [[f"`{study}`", *(str(of[name]) for name in HEADINGS)] for study, of in found.items()]
    rows.append(["all", *(str(total[name]) for name in HEADINGS)])
    return (
        f"{total['kills']} times a session was killed with all its processes (SIGKILL): while it "
        "started, on its pages, within a trial and between trials, at moments drawn at random. It "
        f"then went on with the same command, to its end. Of {total['acknowledged']} trials whose "
        f"end had been recorded, **{total['lost']} were lost**. Of {total['planned']} planned "
        f"trials {total['twice']} stand twice in journals or tables and {total['missing']} are "
        f"missing. Of {total['sessions']} sessions {total['untold']} are not known to the registry "
        f"as complete.\n\n{table(heads, rows)}\n\n"
        "An interrupted trial runs again and has one row. A study that shows no image twice "
        "doesn't repeat the trial: the journal has the interruption, and the table has no "
        "row (column *left out*)."
    )


HEADINGS: Final = {
    "kills": "kills",
    "sessions": "sessions",
    "planned": "planned trials",
    "lost": "lost",
    "twice": "twice",
    "missing": "missing",
    "cut": "left out",
    "torn": "journals with a torn line",
    "untold": "unknown to the registry",
}
PARTS: Final = (Part("kills", "Killed with all processes", measure),)

"""Sessions of this PC that broke off: each leaves a report, and is named until it goes on.

A session's process keeps a report while it runs, and deletes the report when it ends in an orderly
way. A report that no process keeps any more belongs to a process that was ended by a signal or
together with its PC. If Python's fault handler could still write, the report has the signal's name
and where each thread was.
"""

import faulthandler
import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final, TextIO

from experiments.rig.checks.finding import Check, Finding, Sentence
from participants.files import is_locked, make_private, private_lock
from participants.folder import LabFolder, SessionPaths
from participants.journal import Event, read_journal
from stimuli.errors import UserError
from stimuli.io.files import owner_only

RUNNING: Final = ".running"
CRASHED: Final = ".crashed"
LOCK: Final = ".lock"
FATAL: Final = ("Fatal Python error: ", "Windows fatal exception: ")
NAMED_FOR_S: Final = 7 * 24 * 3600.0
CRASHES: Final = Check(
    "broken off",
    "no session of this PC was ended by a signal in the last seven days and still has to go on",
    warns="one was: the program crashed, it was killed, or the PC went off",
    every_session=True,
)


@dataclass(frozen=True, slots=True)
class BrokenOff:
    """A session that crashed and hasn't been continued since.

    Attributes
    ----------
    session
        The session's id.
    signal
        What ended it, in the fault handler's words; empty if the handler couldn't write: the
        process was killed, or the PC was switched off.
    last_event
        The last event of its journal; None if there is none, or the journal can't be read.
    trials_done
        Number of trials in its journal.
    report
        The file with the details.
    """

    session: str
    signal: str
    last_event: Event | None
    trials_done: int
    report: Path


@contextmanager
def crash_report(lab: LabFolder, paths: SessionPaths) -> Iterator[None]:
    """Keep a crash report on a session while its process runs.

    The report on an earlier part that crashed is renamed, since that part continues now. If no
    report can be written, the session runs without one.
    """
    report = _folder(lab) / f"{paths.session}{RUNNING}"
    stream = _opened(report, paths)
    if stream is None:
        yield
        return
    lock = report.with_suffix(LOCK)
    try:
        with stream, private_lock(lock, fallback_to_soft=False), _faults_written_to(stream):
            yield
    finally:
        with suppress(OSError):
            report.unlink(missing_ok=True)
            lock.unlink(missing_ok=True)


def broken_off(lab: LabFolder, now_s: float | None = None) -> list[BrokenOff]:
    """Return the sessions of this PC that crashed in the last seven days, oldest first.

    Parameters
    ----------
    lab
        The lab folder.
    now_s
        Current time in seconds since 1970; the system's by default.
    """
    since_s = (time.time() if now_s is None else now_s) - NAMED_FOR_S
    reports = sorted(_folder(lab).glob(f"*{RUNNING}"))
    return [
        _read(report)
        for report in reports
        if report.stat().st_mtime >= since_s and not is_locked(report.with_suffix(LOCK))
    ]


def _folder(lab: LabFolder) -> Path:
    return lab.logs / "sessions"


def _opened(report: Path, paths: SessionPaths) -> TextIO | None:
    """Begin a report with the journal's path in its first line; None if it can't be written."""
    try:
        make_private(report.parent)
        if report.exists():
            stamp = time.strftime("%Y%m%dT%H%M%S", time.localtime(report.stat().st_mtime))
            report.replace(report.with_suffix(f".{stamp}{CRASHED}"))
        handle = owner_only(str(report), os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        stream = os.fdopen(handle, "w", encoding="utf-8")
        stream.write(json.dumps({"journal": str(paths.journal)}) + "\n")
        stream.flush()
    except (OSError, UserError):
        return None
    return stream


@contextmanager
def _faults_written_to(stream: TextIO) -> Iterator[None]:
    """Make the fault handler write to a file during the block."""
    enabled_before = faulthandler.is_enabled()
    faulthandler.enable(stream)
    try:
        yield
    finally:
        faulthandler.disable()
        if enabled_before:
            # Standard error isn't a file if another program captures it.
            with suppress(OSError, ValueError, RuntimeError):
                faulthandler.enable()


def _read(report: Path) -> BrokenOff:
    first, *lines = report.read_text(encoding="utf-8", errors="replace").splitlines() or [""]
    signal = next((line for line in lines if line.startswith(FATAL)), "")
    for prefix in FATAL:
        signal = signal.removeprefix(prefix)
    events: tuple[Event, ...] = ()
    # A session is named even if the first line was cut off or the journal is gone.
    with suppress(ValueError, KeyError, TypeError, UserError):
        events = read_journal(Path(json.loads(first)["journal"])).events
    done = sum(event.event == "trial_end" for event in events)
    return BrokenOff(report.stem, signal.strip(), events[-1] if events else None, done, report)


def crashes(lab: LabFolder) -> Finding:
    """Check that no crashed session waits to be continued; name each with its last event."""
    crashed = broken_off(lab)
    if not crashed:
        return CRASHES.passed("none")
    # What was found is recorded in the next session's journal, which must name nobody else.
    return CRASHES.warned(
        "broken",
        number=str(len(crashed)),
        sessions=[_described(session) for session in crashed],
        folder=str(crashed[-1].report.parent),
    )


def _described(off: BrokenOff) -> Sentence:
    """Say how a session ended and what its journal contains."""
    how = ("signal", {"signal": off.signal}) if off.signal else ("killed", {})
    values = {"session": off.session, "how": [how], "trials": str(off.trials_done)}
    if off.last_event is None:
        return "unbegun", values
    at = datetime.fromisoformat(off.last_event.t_utc).astimezone()
    return "begun", values | {"last": f"{off.last_event.event}, {at:%Y-%m-%d %H:%M:%S}"}

"""Sessions whose process was ended: each in a process of its own, which signals itself."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from experiments.rig.checks.crashes import CRASHES, NAMED_FOR_S, broken_off, crash_report, crashes
from participants.journal import JournalWriter
from stimuli.errors import UserError
from tests.participants.journal.workers.journals import HEADER, write_trial

ROOT = Path(__file__).parents[3]
SESSION = "20260101T090000Z-AAAA-0001"
POSIX = pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")

RUNNING = """
import os, sys, time
from pathlib import Path
from experiments.rig.checks.crashes import crash_report
from participants.folder import LabFolder

lab = LabFolder.open(Path(sys.argv[1]))
with crash_report(lab, lab.data.session(sys.argv[2])):
    print("running", flush=True)
    end = sys.argv[3]
    if end == "wait":
        time.sleep(600)
    elif end != "return":
        os.kill(os.getpid(), int(end))
"""


@pytest.fixture
def journal(lab):
    """Two trials of a session that has no end."""
    path = lab.data.session(SESSION).journal
    path.parent.mkdir(parents=True)
    with JournalWriter.create(path, {**HEADER, "session": SESSION}) as writer:
        for trial in (1, 2):
            write_trial(writer, trial)
    return path


def start(lab, end):
    return subprocess.Popen(
        [sys.executable, "-c", RUNNING, str(lab.root), SESSION, str(end)],
        env=os.environ,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )


def ended_by(lab, end):
    process = start(lab, int(end))
    process.communicate(timeout=60)
    assert process.returncode == -end


@POSIX
@pytest.mark.parametrize(
    ("end", "said"),
    [
        (signal.SIGSEGV, "ended by a signal (Segmentation fault)"),
        (signal.SIGKILL, "was killed, or the PC went off"),
    ],
)
def test_a_session_that_a_signal_ended_is_named_with_its_last_event(lab, journal, end, said):
    ended_by(lab, end)
    finding = crashes(lab)
    assert finding.status == "warn"
    assert finding.check == CRASHES.name
    assert f"session {SESSION} {said} after 2 trials; last event: trial_end" in finding.remedy
    assert "continues" in finding.remedy
    assert finding.found == "sessions that still have to go on: 1"


@POSIX
def test_a_session_that_runs_is_not_named_and_one_killed_before_its_journal_is(lab):
    process = start(lab, "wait")
    assert process.stdout.readline() == "running\n"
    assert crashes(lab).status == "pass"
    process.kill()
    process.communicate()
    assert "before its first event" in crashes(lab).remedy


def test_an_orderly_end_leaves_nothing(lab, journal):
    with pytest.raises(UserError), crash_report(lab, lab.data.session(SESSION)):
        raise UserError("the registry is away")
    with crash_report(lab, lab.data.session(SESSION)):
        assert broken_off(lab) == []
    assert list((lab.logs / "sessions").iterdir()) == []


@POSIX
def test_a_session_that_goes_on_is_no_longer_named_and_its_report_stays(lab, journal):
    ended_by(lab, signal.SIGABRT)
    with crash_report(lab, lab.data.session(SESSION)):
        pass
    assert crashes(lab).status == "pass"
    (kept,) = (lab.logs / "sessions").glob(f"{SESSION}.*.crashed")
    told = kept.read_text(encoding="utf-8")
    assert "Aborted" in told
    assert 'File "<string>"' in told, "where the program was"


@pytest.mark.parametrize("first", ["", "[]", '{"journal": "gone"}'])
def test_a_torn_report_still_names_its_session_for_a_week(lab, first):
    reports = lab.logs / "sessions"
    reports.mkdir(parents=True)
    (reports / f"{SESSION}.running").write_text(first, encoding="utf-8")
    assert [one.session for one in broken_off(lab)] == [SESSION]
    assert broken_off(lab, time.time() + 0.9 * NAMED_FOR_S)
    assert not broken_off(lab, time.time() + 1.1 * NAMED_FOR_S)


def test_where_no_report_can_be_written_the_session_runs(lab):
    lab.logs.write_bytes(b"not a folder")
    with crash_report(lab, lab.data.session(SESSION)):
        pass


@POSIX
def test_reports_name_a_session_and_are_private(lab, journal):
    before = os.umask(0o022)
    try:
        ended_by(lab, signal.SIGKILL)
        ended_by(lab, signal.SIGKILL)
    finally:
        os.umask(before)
    reports = list((lab.logs / "sessions").iterdir())
    assert {path.suffix for path in reports} == {".running", ".crashed", ".lock"}
    assert {path.stat().st_mode & 0o777 for path in reports} == {0o600}

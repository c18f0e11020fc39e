"""What a session that was cut off leaves behind."""

import json
import os
from functools import partialmethod
from types import SimpleNamespace

import pytest

from experiments.engine.display import display_taken
from experiments.session import command
from experiments.session import run as session
from experiments.session.options import PersonOptions
from experiments.session.preflight import Preflight
from experiments.session.request import RunRequest
from participants.dataset.derive import derive
from participants.folder import LabFolder
from participants.journal import JournalWriter
from participants.registry import NewSession, Registry
from participants.registry.sessions import RUNNING, session_row
from stimuli.errors import UserError
from stimuli.pack import open_pack


class Cut(BaseException):
    """The end of the process, as far as a test can have it."""


@pytest.fixture
def run(tmp_path, monkeypatch, mini_pack):
    """Run a lead's session that is cut off when its journal holds some events."""
    lab, pack = LabFolder.make(tmp_path), open_pack(mini_pack)
    registry = Registry.open(lab.registry_url)
    code = registry.enrol("lead", axis="deutan", rung=2)
    monkeypatch.setattr(session, "find_display", lambda request: None)

    def run(*events):
        monkeypatch.setattr(session.SessionRun, "_opened", partialmethod(_cut_after, events))
        request = RunRequest(str(mini_pack), person=PersonOptions(code))
        return session.SessionRun(request, lab, pack, Preflight()).run()

    run.lab, run.registry, run.code, run.pack = lab, registry, code, mini_pack
    return run


def test_a_cut_off_session_leaves_a_folder_whose_tables_can_be_derived(run):
    """Else one power cut keeps the tables of every later session from being written."""
    with pytest.raises(Cut):
        run()
    assert len(derive(run.lab.data, "accept_reject").waiting) == 1


def test_a_session_whose_end_the_registry_missed_is_entered_as_complete(run):
    """The journal is the truth: else the code could neither go on nor begin anew."""
    with pytest.raises(Cut):
        run(("session_end", {"complete": True}))
    assert run.registry.list()[0].complete == 0
    assert run().complete
    assert run.registry.list()[0].complete == 1
    with pytest.raises(UserError, match="has finished"):
        run()


def _cut_after(run, events, booking, registry, journals):
    pack = run.pack
    header = {
        "session": booking.paths.session, "participant": booking.code, "role": "lead",
        "study": "accept_reject", "purpose": booking.purpose, "pack_id": pack.pack_id,
        "protocol_hash": pack.manifest.protocol_hash, "list": booking.plan.list_id,
        "order": booking.plan.order, "language": "en", "rig": booking.rig, "robot": "",
        "refresh_hz": None, "pacing": "none", "keyboard_backend": "none", "clock": "none",
        "clock_resolution_s": 0.0, "display": {"profile_hash": "", "calibrated": False},
        "versions": {}, "accept_key": "f", "reject_key": "j", "time_zone": "UTC",
    }  # fmt: skip
    with JournalWriter.create(booking.paths.journal, header) as journal:
        for event, fields in events:
            journal.append(event, **fields)
    raise Cut


def test_who_is_refused_the_display_leaves_the_session_that_has_it_alone(run, monkeypatch):
    """Two start windows begin the same person's session; the first has no journal yet."""
    monkeypatch.setenv("DISPLAY", f":{os.getpid()}05")
    pack_id, rig = open_pack(run.pack).pack_id, run.lab.settings.rig
    first = NewSession("s-1", run.code, "lead", "accept_reject", pack_id, "main", rig)
    run.registry.start_session(first)
    with display_taken("a session"), pytest.raises(UserError, match="in use by a session"):
        run()
    assert run.registry.transact(lambda found: session_row(found, "s-1").state) == RUNNING


def test_finished_trials_in_another_data_folder_are_named_not_run_again(run, tmp_path, mini_pack):
    """Else a forgotten --data would begin the session anew under its old id."""
    with pytest.raises(Cut):
        run()
    unfinished = next(run.lab.data.sessions()).session
    run.registry.heartbeat(unfinished, 3)
    request = RunRequest(
        str(mini_pack), person=PersonOptions(run.code), data=tmp_path / "elsewhere"
    )
    with pytest.raises(UserError, match="--data"):
        session.SessionRun(request, run.lab, open_pack(mini_pack), Preflight()).run()


def test_a_damaged_journal_beside_it_keeps_no_session_from_its_tables(run):
    damaged = run.lab.data.session("20200101T000000Z-GONE-abcd").journal
    damaged.parent.mkdir(parents=True)
    damaged.write_bytes(b"\0" * 100 + b"\n")
    with pytest.raises(Cut):
        run(("session_end", {"complete": True}))
    ran = run()
    assert ran.complete
    assert list(ran.left_out) == ["20200101T000000Z-GONE-abcd"]
    assert (run.lab.data.tables / "trials.csv").is_file()
    assert damaged.read_bytes() == b"\0" * 100 + b"\n"


def test_what_was_left_out_and_what_the_registry_missed_is_said(
    run, mini_pack, monkeypatch, capsys
):
    ran = session.SessionResult(
        "s", run.code, True, False, 12, {"s0": "line 7"}, {"s1": "locked"}, 2
    )
    monkeypatch.setattr(session.SessionRun, "run", lambda self: ran)
    monkeypatch.setattr(command, "without_window", lambda *_, **__: [])
    monkeypatch.setattr(command, "admitted", lambda request, *_: request)
    monkeypatch.setattr(command, "require_display", lambda: None)
    monkeypatch.setattr(command, "read_journal", lambda path: None)
    monkeypatch.setattr(command, "withdrawn_lines", lambda *_: ())
    screens = SimpleNamespace(colours="shown")
    monkeypatch.setattr(command, "screens_of", lambda pack: screens)
    monkeypatch.setattr(RunRequest, "find_pack", lambda self, lab: open_pack(mini_pack))
    request = RunRequest("x", person=PersonOptions(run.code), lab=run.lab.root)
    settings, gone = run.lab.root / "lab.toml", run.lab.root.with_name("not") / "there"
    settings.write_text(settings.read_text().replace("backup = []", f'backup = ["{gone}"]'))
    command.run_verb(request, as_json=True)
    shown = capsys.readouterr()
    assert shown.err.count(f"No backup in {gone}: {gone.parent}: isn't there; plug in its") == 1
    assert "can't be trusted: line 7" in shown.err
    assert "The registry missed something of session s1: locked" in shown.err
    printed = json.loads(shown.out)
    assert printed["left_out"] == {"s0": "line 7"}
    assert printed["lines"] == shown.err.splitlines()

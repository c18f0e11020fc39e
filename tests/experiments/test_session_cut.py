"""What a session that was cut off leaves behind."""

from functools import partial

import pytest

from experiments import session
from experiments.request import RunRequest
from participants.dataset.derive import derive
from participants.folder import LabFolder
from participants.journal import JournalWriter
from participants.registry import Registry
from stimuli.errors import UserError
from stimuli.pack import open_pack


class Cut(BaseException):
    """The end of the process, as far as a test can have it."""


@pytest.fixture
def run(tmp_path, monkeypatch, mini_pack):
    """Run a lead's session that is cut off when its journal holds some events."""
    lab, pack = LabFolder.open(tmp_path), open_pack(mini_pack)
    registry = Registry.open(lab.registry_url)
    code = registry.enrol("lead", axis="deutan", rung=2)
    monkeypatch.setattr(session, "_find_display", lambda request: None)

    def run(*events):
        monkeypatch.setattr(session, "_run_booked", partial(_cut_after, events))
        return session.run(RunRequest(str(mini_pack), participant=code), lab, pack, {})

    run.lab, run.registry, run.code = lab, registry, code
    return run


def test_a_cut_off_session_leaves_a_folder_whose_tables_can_be_derived(run):
    """Else one power cut keeps the tables of every later session from being written."""
    with pytest.raises(Cut):
        run()
    assert len(derive(run.lab.data).unfinished) == 1


def test_a_session_whose_end_the_registry_missed_is_entered_as_complete(run):
    """The journal is the truth: else the code could neither go on nor begin anew."""
    with pytest.raises(Cut):
        run(("session_end", {"complete": True}))
    assert run.registry.list()[0].complete == 0
    assert run().complete
    assert run.registry.list()[0].complete == 1
    with pytest.raises(UserError, match="has finished"):
        run()


def _cut_after(events, request, lab, registry, pack, booking, checks):
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


def test_finished_trials_in_another_data_folder_are_named_not_run_again(run, tmp_path, mini_pack):
    """Else a forgotten --data would begin the session anew under its old id."""
    with pytest.raises(Cut):
        run()
    unfinished = next(run.lab.data.sessions()).session
    run.registry.heartbeat(unfinished, 3)
    request = RunRequest(str(mini_pack), participant=run.code, data=tmp_path / "elsewhere")
    with pytest.raises(UserError, match="--data"):
        session.run(request, run.lab, open_pack(mini_pack), {})

"""What a session that was cut off leaves behind."""

import pytest

from experiments import session
from experiments.request import RunRequest
from participants.dataset.derive import derive
from participants.folder import LabFolder
from participants.journal import JournalWriter
from participants.registry import Registry
from stimuli.pack import open_pack


class Cut(BaseException):
    """The end of the process, as far as a test can have it."""


def test_a_cut_off_session_leaves_a_folder_whose_tables_can_be_derived(
    tmp_path, monkeypatch, mini_pack
):
    """Else one power cut keeps the tables of every later session from being written."""
    lab, pack = LabFolder.open(tmp_path), open_pack(mini_pack)
    code = Registry.open(lab.registry_url).enrol("lead", axis="deutan", rung=2)
    monkeypatch.setattr(session, "_find_display", lambda request: None)
    monkeypatch.setattr(session, "_run_booked", _begin_and_be_cut)
    with pytest.raises(Cut):
        session.run(RunRequest(str(mini_pack), participant=code), lab, pack, {})
    assert len(derive(lab.data).unfinished) == 1


def _begin_and_be_cut(request, lab, registry, pack, booking, checks):
    header = {
        "session": booking.paths.session, "participant": booking.code, "role": "lead",
        "study": "accept_reject", "purpose": booking.purpose, "pack_id": pack.pack_id,
        "protocol_hash": pack.manifest.protocol_hash, "list": booking.plan.list_id,
        "order": booking.plan.order, "language": "en", "rig": booking.rig, "robot": "",
        "refresh_hz": None, "pacing": "none", "keyboard_backend": "none", "clock": "none",
        "clock_resolution_s": 0.0, "display": {"profile_hash": "", "calibrated": False},
        "versions": {}, "accept_key": "f", "reject_key": "j", "time_zone": "UTC",
    }  # fmt: skip
    JournalWriter.create(booking.paths.journal, header).close()
    raise Cut

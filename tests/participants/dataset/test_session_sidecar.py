"""A session's sidecar: from its journal alone, part by part."""

import json
from pathlib import Path

import pytest

from participants.dataset.journals import write_session_sidecar
from participants.folder import SessionPaths
from participants.journal import JournalWriter, read_journal
from participants.journal.sidecar import session_sidecar
from tests.participants.journal.fixed_clock import FixedClock
from tests.participants.journal.workers.journals import HEADER

GOLDEN = Path(__file__).parents[2] / "golden"
SKIPPED = {
    "source": "skipped", "language": "", "version": "", "sha256": "", "holds": {},
    "values": {}, "reasons": {},
}  # fmt: skip
CONSENT = {"text": "consent", "version": "1.0", "sha256": "1" * 64, "language": "de"}
FOUND = {"check": "load", "status": "fail", "found": "busy"}


@pytest.fixture
def paths(tmp_path):
    paths = SessionPaths(tmp_path / "sessions" / HEADER["session"])
    with JournalWriter.create(paths.journal, HEADER, FixedClock()) as journal:
        journal.append("checks", findings=[FOUND], overridden=["load"], reason="bench")
        journal.append("checklist", **SKIPPED)
        journal.append("consent", **CONSENT, agreed=True)
    with JournalWriter.resume(paths.journal, HEADER | {"rig": "rig-2"}, FixedClock()) as journal:
        journal.append("checks", findings=[], overridden=[], reason="")
        journal.append("session_end", complete=True)
    return paths


def test_every_part_has_its_rig_checks_and_checklist(paths):
    write_session_sidecar(paths)
    said = json.loads(paths.sidecar.read_text(encoding="utf-8"))
    assert (said["schema"], said["complete"]) == ("session/1.0", True)
    first, second = said["parts"]
    assert (first["rig"], second["rig"]) == ("rig-1", "rig-2")
    assert (first["resumed"], second["resumed"]) == (False, True)
    assert first["checks"] == {"findings": [FOUND], "overridden": ["load"], "reason": "bench"}
    assert (first["checklist"], second["checklist"]) == (SKIPPED, None)


def test_of_withdrawn_data_none_is_kept(paths):
    journal = paths.journal.read_bytes().splitlines(keepends=True)
    paths.journal.write_bytes(b"".join(journal[:-1]))
    with JournalWriter.resume(paths.journal, HEADER, FixedClock()) as writer:
        writer.append("consent", **CONSENT | {"text": "consent_renewed"}, agreed=False)
    write_session_sidecar(paths)
    assert not paths.sidecar.exists()


def test_the_sidecar_of_the_golden_journal_is_still_written_the_same():
    """Another content is another version, with a golden one of its own."""
    made = session_sidecar(read_journal(GOLDEN / "journals" / "journal.jsonl"))
    golden = GOLDEN / "journals" / "sidecar.json"
    assert made == json.loads(golden.read_text(encoding="utf-8"))

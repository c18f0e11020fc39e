"""A journal that was cut, emptied or chained anew after its sidecar was written is refused."""

import json

import pytest

from participants.dataset.journals import write_session_sidecar
from participants.folder import SessionPaths
from participants.journal import JournalWriter, read_journal
from stimuli.errors import UserError
from tests.participants.export.rewritten import with_code
from tests.participants.journal.fixed_clock import FixedClock
from tests.participants.journal.workers.journals import HEADER


@pytest.fixture
def paths(tmp_path):
    paths = SessionPaths(tmp_path / HEADER["session"])
    with JournalWriter.create(paths.journal, HEADER, FixedClock()) as journal:
        journal.append("pause", reason="phone")
        journal.append("continue")
    write_session_sidecar(paths)
    return paths


@pytest.mark.parametrize("lines", [0, 1, 2])
def test_a_journal_that_was_cut_is_refused(paths, lines):
    whole = paths.journal.read_bytes().splitlines(keepends=True)
    paths.journal.write_bytes(b"".join(whole[:lines]))
    for touch in (read_journal, lambda path: JournalWriter.resume(path, HEADER)):
        with pytest.raises(UserError, match=rf"has {lines} lines, but session\.json says 3"):
            touch(paths.journal)


def test_a_journal_that_was_chained_anew_is_refused(paths):
    paths.journal.write_bytes(with_code(paths.journal.read_text(), "phone", "noise"))
    with pytest.raises(UserError, match=r"line 3 or one before it was changed"):
        read_journal(paths.journal)


def test_a_session_that_goes_on_keeps_its_anchor(paths):
    with JournalWriter.resume(paths.journal, HEADER, FixedClock()) as journal:
        journal.append("pause", reason="")
    assert len(read_journal(paths.journal).events) == 5
    write_session_sidecar(paths)
    said = json.loads(paths.sidecar.read_text())
    assert (said["lines"], said["chain"]) == (5, read_journal(paths.journal).chain)


@pytest.mark.parametrize("text", ["", "[]", '{"lines": 3'])
def test_a_sidecar_that_cannot_be_read_is_one_clear_line(paths, text):
    paths.sidecar.write_text(text)
    with pytest.raises(UserError, match=r"session\.json beside it can't be read; copy both"):
        read_journal(paths.journal)


def test_without_a_sidecar_nothing_is_claimed(paths):
    cut = b"".join(paths.journal.read_bytes().splitlines(keepends=True)[:2])
    paths.journal.write_bytes(cut)
    paths.sidecar.unlink()
    assert len(read_journal(paths.journal).events) == 2


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"purpose": "main"}, "purpose"),
        ({"complete": True}, "complete"),
        ({"robot": None}, "robot"),
        ({"more": 1}, "more"),
        ({"parts": []}, "parts"),
        ({"parts": lambda parts: [{**parts[0], "rig": "elsewhere"}]}, "parts"),
    ],
)
def test_a_sidecar_that_was_edited_is_refused(paths, change, named):
    said = json.loads(paths.sidecar.read_text())
    new = {name: one(said[name]) if callable(one) else one for name, one in change.items()}
    paths.sidecar.write_text(json.dumps(said | new))
    for touch in (read_journal, lambda path: JournalWriter.resume(path, HEADER)):
        with pytest.raises(UserError, match=rf"session\.json beside it was edited \({named}\)"):
            touch(paths.journal)

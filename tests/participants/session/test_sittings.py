"""When a session of several sittings may go on."""

from datetime import timedelta

import pytest

from participants.due import who_is_due
from participants.folder import DataFolder
from participants.journal import read_journal
from participants.session import LEFT_FOR_GOOD, SessionAborted
from participants.session.sittings import next_sitting
from tests.participants.studies.progressive_reveal import test_dataset as reveal
from tests.participants.studies.progressive_reveal.viewing import ScriptedViewer


@pytest.fixture
def data(tmp_path):
    return DataFolder(tmp_path / "data")


def following(data, gap_h, session="s1"):
    return next_sitting(read_journal(data.session(session).journal), gap_h)


def test_the_gap_counts_from_the_end_of_a_sitting(data):
    reveal.record(data)
    sitting = following(data, 20.0)
    assert sitting.sitting == 2
    assert sitting.earliest_utc - sitting.stopped_utc == timedelta(hours=20)
    moment = timedelta(microseconds=1)
    assert sitting.is_early(sitting.earliest_utc - moment)
    assert not sitting.is_early(sitting.earliest_utc)
    assert following(data, 0.0).earliest_utc == sitting.stopped_utc
    reveal.record(data)
    assert following(data, 20.0) is None


def test_a_sitting_that_was_broken_off_may_go_on_at_once(data):
    reveal.record(data, walks_out={4: 5.0}, script=lambda one: [])
    sitting = following(data, 20.0)
    assert (sitting.sitting, sitting.earliest_utc) == (1, sitting.stopped_utc)


def test_who_is_due_comes_in_the_order_of_time_and_who_left_does_not(data, monkeypatch):
    reveal.record(data, "s1")
    reveal.record(data, "s2")
    reveal.record_all(data, "s3")
    reveal.record(data, "s4", header={"purpose": "robot", "robot": "idle"})
    page = ScriptedViewer.page

    def leaves(viewer, shown):
        if shown.step == "practice":
            raise SessionAborted(LEFT_FOR_GOOD)
        return page(viewer, shown)

    monkeypatch.setattr(ScriptedViewer, "page", leaves)
    reveal.record(data, "s5")
    due, unreadable = who_is_due(data)
    assert [one.session for one in due] == ["s1", "s2"]
    assert [(one.code, one.sitting.sitting) for one in due] == [("CDF34HK", 2)] * 2
    assert unreadable == {}
    (data.pack_copy(reveal.pack().pack_id) / "pack.json").unlink()
    due, unreadable = who_is_due(data)
    assert (due, sorted(unreadable)) == ((), ["s1", "s2", "s3", "s5"])

"""When a session of several sittings may go on."""

from datetime import timedelta

from participants.journal import read_journal
from participants.session.leaving import next_sitting
from tests.participants.studies.progressive_reveal import test_dataset as reveal


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

"""Robots that practise badly or not at all: practice comes again, and sessions wait for them."""

import pytest

from participants.folder import DataFolder
from participants.journal import read_journal
from participants.session import UNATTENDED
from participants.simulate.run import simulate
from stimuli.studies.progressive_reveal.sketch import sketch
from tests.participants.studies.progressive_reveal.viewing import patient
from tests.stimuli.studies.accept_reject_accuracy.labelled_sets import small_sketch
from tests.stimuli.studies.progressive_reveal.small import protocol_of


def rounds():
    criterion = {"answered_share": 1.0, "right_share": 0.5}
    return sketch(protocol_of(session={"break_every_rounds": 6}, practice=criterion))


def ran(folder, pack, robot):
    """Return the journal of a robot who stays, and the names of its pages."""
    data = DataFolder(folder)
    simulate(data, pack(), [robot], attendance=None if pack is small_sketch else patient)
    (paths,) = data.sessions()
    journal = read_journal(paths.journal)
    return journal, [page["name"] for page in journal.of("page")]


@pytest.mark.parametrize(
    ("pack", "robot", "passed", "waits"),
    [
        (small_sketch, "exact_labels", [True], False),
        (small_sketch, "contrary", [False, False], False),
        (small_sketch, "absent", [False, False], True),
        (rounds, "mistaken", [False, False], False),
        (rounds, "idle", [False, False], True),
    ],
)
def test_who_practises_badly_practises_again_and_who_is_not_there_is_waited_for(
    tmp_path, pack, robot, passed, waits
):
    journal, pages = ran(tmp_path, pack, robot)
    checks = [event for event in journal.of("check") if event["step"].startswith("practice")]
    assert [check["passed"] for check in checks] == passed
    assert ("practice_again" in pages, "call_experimenter" in pages) == (not all(passed),) * 2
    assert (UNATTENDED in pages) is waits
    assert journal.complete
    assert len({end["trial"] for end in journal.of("trial_end")}) == len(journal.of("trial_end"))

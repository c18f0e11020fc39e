"""A robot's session that was killed goes on with the same command, and no other one does."""

from dataclasses import replace

import pytest
from filelock import FileLock

from experiments.session.booking import booked
from experiments.session.options import PersonOptions
from experiments.session.request import RunRequest
from participants.folder import LabFolder
from participants.journal import JournalWriter
from stimuli.pack import open_pack
from tests.participants.dataset.test_derive import header_of

ROBOT = PersonOptions(robot="lead")


@pytest.fixture
def begin(lab, registry, mini_pack):
    """Give the command, and leave a robot's journal as a kill does; return code and journal."""

    def begin(asked=ROBOT, data=None, place=lab):
        request = RunRequest(str(mini_pack), person=asked, data=data)
        with booked(request, place, registry, open_pack(mini_pack)) as booking:
            header = header_of(booking.plan, booking.paths.session, purpose=booking.purpose) | {
                "participant": booking.code, "rig": booking.rig, "robot": asked.robot,
                "language": booking.plan.language,
            }  # fmt: skip
            if not booking.resumed:
                JournalWriter.create(booking.paths.journal, header).close()
        return booking.code, booking.paths.journal

    return begin


def test_the_same_command_continues_the_robots_newest_session(begin, registry, tmp_path):
    code, journal = begin()
    assert begin() == (code, journal)
    assert begin(replace(ROBOT, seed=7)) == (code, journal)
    assert [person.code for person in registry.list()] == [code]


def test_a_session_that_is_complete_or_running_or_damaged_does_not_go_on(begin, registry):
    code, journal = begin()
    with FileLock(journal.with_suffix(".lock")):
        second, other = begin()
    assert second != code
    other.write_bytes(b"{\n")
    assert begin() == (code, journal)
    registry.finish_session(journal.parent.name)
    assert begin()[0] not in (code, second)


def test_another_command_begins_a_session_of_its_own(begin, lab, tmp_path):
    code, _ = begin()
    elsewhere = LabFolder(lab.root, lab.settings.model_copy(update={"rig": "east"}))
    for asked, changes in (
        (PersonOptions(robot="careful"), {}),
        (replace(ROBOT, language="de"), {}),
        (ROBOT, {"data": tmp_path / "elsewhere"}),
        (ROBOT, {"place": elsewhere}),
    ):
        other, _ = begin(asked, **changes)
        assert other != code
    assert begin()[0] == code

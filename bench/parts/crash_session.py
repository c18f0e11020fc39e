"""Sessions of one study in process trees of their own, which somebody else kills.

Started as ``python -m bench.parts.crash_session STUDY LAB``. Each line it reads is a
person's code, or nothing for a new person. It then forks a leader of a process group, and the
leader a process that runs the session from where it is: real registry, real journal, synced to
disk, robot without a window. Lines it says: ``group PID``, ``trial N`` when `append` has returned
for trial N's end, and when the tree is gone ``over``, ``over killed`` or ``over broken``.
"""

import os
import signal
import sys
import traceback
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

from experiments.rig.checks.crashes import crash_report
from experiments.rig.doctor import without_window
from experiments.session.booking import Booking, booked
from experiments.session.options import PersonOptions
from experiments.session.preflight import Preflight
from experiments.session.recording import RegisteredJournal
from experiments.session.request import RunRequest
from participants.folder import LabFolder
from participants.journal import JournalWriter, read_journal
from participants.registry import Registry
from participants.session import Around, done_steps, run_session
from participants.simulate.presenters import Reader, VirtualClock
from participants.simulate.run import journal_header
from participants.studies.progressive_reveal.simulated import Habits, attendance
from participants.study import session_kind_of, study_of
from stimuli.catalogue import studies_of
from stimuli.pack import Pack
from stimuli.protocol import load_protocol

ROBOT_SEED = 1
# A session in one piece, so that nothing but a kill ends it early.
ONE_SITTING = {
    "progressive_reveal": {
        "images": {"classes": 4, "images_per_class": 10},
        "session": {"sittings": 1, "rounds_per_sitting": 40, "orders_per_rotation": 2},
        "practice": {"answered_share": 0.0, "right_share": 0.0},
    }
}
STAYING = {"progressive_reveal": partial(attendance, habits=Habits(0.0, 0.0, 0.0))}


def sketch(study: str) -> Pack:
    """Return a pack of a study, made in memory."""
    kind = studies_of("participants")[study].sessions["solutions"]
    return kind.load_robots().sketch(load_protocol(study, None, ONE_SITTING.get(study, {})))


class Telling:
    """A recorder that says of every trial that it is on disk."""

    def __init__(self, recorder: RegisteredJournal) -> None:
        self._recorder = recorder

    def append(self, event: str, **fields: Any) -> None:
        """Take down an event."""
        self._recorder.append(event, **fields)
        if event == "trial_end":
            _say(f"trial {fields['trial']}")


def run_one(lab: LabFolder, pack: Pack, code: str) -> None:
    """Begin a robot's session, or go on with it, to its end."""
    kind = session_kind_of(pack)
    robots = kind.load_robots()
    asked = PersonOptions(participant=code, robot=kind.robot_names[0])
    with (
        closing(Registry.open(lab.registry_url)) as registry,
        booked(RunRequest(study_of(pack).package, person=asked), lab, registry, pack) as booking,
        crash_report(lab, booking.paths),
    ):
        lab.data.copy_pack(pack)
        before = read_journal(booking.paths.journal).events if booking.resumed else ()
        done = done_steps(booking.plan, before) if booking.resumed else frozenset()
        clock = VirtualClock()
        with _journal(booking, asked.robot, clock) as journal:
            ended = sum(event.event == "trial_end" for event in before)
            recorder = RegisteredJournal(journal, registry, lab.data, booking, ended)
            Preflight(tuple(without_window(lab, "robot", colours="none"))).record(recorder)
            robot = robots.make(pack, booking.plan.language)(asked.robot, code, ROBOT_SEED)
            attends = STAYING.get(pack.protocol.catalogue_name, robots.attendance)
            habits = attends(booking.plan, ROBOT_SEED, code).habits
            tasks = robots.simulated(robot, habits, clock, Telling(recorder))
            pages = Reader(booking.plan, robot.choose, clock)
            run_session(booking.plan, done, pages, tasks, Telling(recorder), Around(before=before))


def _journal(booking: Booking, robot: str, clock: VirtualClock) -> JournalWriter:
    header = journal_header(
        booking.plan, booking.role, robot, booking.code, booking.paths.session
    ) | {"rig": booking.rig}
    begin = JournalWriter.resume if booking.resumed else JournalWriter.create
    return begin(booking.paths.journal, header, clock)


def _say(line: str) -> None:
    os.write(1, f"{line}\n".encode())


def _run_in_tree(lab: LabFolder, pack: Pack, code: str) -> None:
    """Run a session below the leader of a group, and wait until both are gone."""
    leader = os.fork()
    if leader == 0:
        os.setsid()
        worker = os.fork()
        if worker == 0:
            _say(f"group {os.getpgid(0)}")
            status = 1
            try:
                run_one(lab, pack, code)
                status = 0
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(status)
        os._exit(os.waitstatus_to_exitcode(os.waitpid(worker, 0)[1]) != 0)
    status = os.waitstatus_to_exitcode(os.waitpid(leader, 0)[1])
    _say({0: "over", -signal.SIGKILL: "over killed"}.get(status, "over broken"))


def _codes(lab: LabFolder, pack: Pack) -> Iterator[str]:
    """Yield the code of each line, enrolling who is new."""
    kind = session_kind_of(pack)
    axis, rung = kind.load_robots().place(pack)
    for line in sys.stdin:
        if line.strip():
            yield line.strip()
            continue
        with closing(Registry.open(lab.registry_url)) as registry:
            code = registry.enrol(kind.role, axis=axis, rung=rung, purpose="robot")
        _say(f"code {code}")
        yield code


if __name__ == "__main__":
    shown, folder = sketch(sys.argv[1]), LabFolder.open(Path(sys.argv[2]))
    _say("ready")
    for person in _codes(folder, shown):
        _run_in_tree(folder, shown, person)

"""Simulate a full dataset with robots: people, journals, the pack's copy, tables.

If a simulation was interrupted, what is whole in its folder is kept.
"""

import shutil
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from operator import attrgetter
from typing import Any, Final

from filelock import Timeout

from participants.dataset.derive import Tables, write_tables
from participants.dataset.journals import open_pack_copy
from participants.files import make_private, private_lock
from participants.folder import DataFolder
from participants.journal import Journal, JournalWriter, read_journal
from participants.journal.events import SKIPPED_CHECKLIST
from participants.lacking import lacking
from participants.lists import Assignment, fitting
from participants.registry.assignments import Cell, GivenPlace, next_place
from participants.registry.people import LENGTH, LETTERS, SIGNS, check_sign
from participants.session import (
    Around,
    SessionPlan,
    disqualification_in,
    done_steps,
    has_left,
    run_session,
)
from participants.session.qualification import QUALIFICATION
from participants.simulate.presenters import EPOCH, Reader, VirtualClock
from participants.study import Attendance, Robots, session_kind_of
from stimuli.errors import UserError
from stimuli.io.canonical import hash_of, seed_of
from stimuli.languages import ENGLISH
from stimuli.pack import Pack
from stimuli.places import cache_dir


@contextmanager
def alone(data: DataFolder) -> Iterator[None]:
    """Lock a data folder against other simulations.

    Raises
    ------
    UserError
        If another simulation is writing there.
    """
    place = cache_dir() / "simulate"
    make_private(place)
    # Not in the folder itself, so that a folder that is refused stays unchanged.
    lock = private_lock(place / f"{hash_of(str(data.root.resolve()))[:16]}.lock", timeout=0)
    try:
        lock.acquire()
    except Timeout:
        raise UserError(
            f"{data.root}: another simulation writes here now; wait for its end, or name another "
            "folder with --out"
        ) from None
    try:
        yield
    finally:
        lock.release()


def refuse_strangers(data: DataFolder, written: Collection[str]) -> None:
    """Raise UserError if a data folder holds sessions that the simulation doesn't write.

    Parameters
    ----------
    data
        The data folder.
    written
        Ids of the sessions that the simulation writes.
    """
    strangers = [paths.session for paths in data.sessions() if paths.session not in written]
    if strangers:
        raise UserError(
            f"{data.root}: already contains sessions that this simulation doesn't write, e.g. "
            f"{strangers[0]}; name a new folder with --out"
        )


def is_finished(
    data: DataFolder,
    header: Mapping[str, Any],
    ended: Callable[[Journal], bool] = attrgetter("complete"),
) -> bool:
    """Return whether a simulated session is complete in the folder; delete an incomplete one.

    A simulation isn't synced to disk line by line, since it can be repeated. So a journal that ends
    early or is damaged is written again from its beginning.

    Parameters
    ----------
    data
        The data folder.
    header
        The session's own ``session`` event; its id is a simulation's.
    ended
        Returns whether a journal holds all that the simulation writes; by default whether it is
        complete.

    Raises
    ------
    UserError
        If the session that is there was simulated with other arguments.
    """
    paths = data.session(header["session"])
    if not paths.folder.exists():
        return False
    try:
        journal = read_journal(paths.journal)
        there = dict(journal.header.fields) if ended(journal) and not journal.torn else None
    except UserError:
        there = None
    if there is None:
        shutil.rmtree(paths.folder)
        return False
    odd = [name for name, value in header.items() if there[name] != value]
    if odd:
        raise UserError(
            f"{paths.folder}: was simulated with another {odd[0]} ({there[odd[0]]!r}, now "
            f"{header[odd[0]]!r}); name a new folder with --out"
        )
    return True


UNTIL_BACK: Final = timedelta(days=1).total_seconds()
"""A robot that stops for the day comes back a day later."""

RIG: Final = "simulation"


def simulated_code(study: str, seed: int, number: int) -> str:
    """Return the code of a simulated participant, which depends on study, seed and number.

    Codes differ between studies, so that their data folders can be merged.

    Parameters
    ----------
    study
        As the catalogue names it.
    seed, number
        Of the simulation, and of the participant, from 0.
    """
    draw = seed_of("simulated code", study, seed, number)
    body = LETTERS[draw % len(LETTERS)]
    for _ in range(LENGTH - 2):
        draw //= len(SIGNS)
        body += SIGNS[draw % len(SIGNS)]
    return body + check_sign(body)


def session_id(participant: str, number: int) -> str:
    """Return the id of the session of the participant with a number, from 0."""
    return f"{start_of(number):%Y%m%dT%H%M%SZ}-{participant}"


def start_of(number: int) -> datetime:
    """Return the time at which the participant with a number (from 0) comes."""
    return EPOCH + timedelta(hours=2 * number)


def journal_header(
    plan: SessionPlan, role: str, robot: str, participant: str, session: str
) -> dict[str, Any]:
    """Return the fields of a simulated session's ``session`` event.

    Parameters
    ----------
    plan
        The session.
    role
        ``lead`` or ``participant``.
    robot
        Kind of robot.
    participant, session
        Its code, and the session's id.
    """
    return {
        "session": session,
        "participant": participant,
        "role": role,
        "study": plan.study,
        "purpose": "robot",
        "pack_id": plan.pack_id,
        "protocol_hash": plan.protocol_hash,
        "list": plan.list_id,
        "order": plan.order,
        "language": plan.language,
        "rig": RIG,
        "robot": robot,
        "refresh_hz": None,
        "pacing": "none",
        "keyboard_backend": "none",
        "clock": "simulated",
        "clock_resolution_s": 0.0,
        "display": {"profile_hash": "", "calibrated": False},
        "versions": {},
        "accept_key": plan.keys.get("accept", ""),
        "reject_key": plan.keys.get("reject", ""),
        "time_zone": "UTC",
    }


@dataclass(frozen=True, slots=True)
class Simulated:
    """Result of a simulation: the tables, and the lists' rung (None if lists have none)."""

    tables: Tables
    rung: int | None


@dataclass(frozen=True, slots=True)
class Guest:
    """A robot that takes part.

    Attributes
    ----------
    robots
        Its study's robots, with their presenter.
    robot
        The robot that decides.
    attends
        When it comes and leaves.
    """

    robots: Robots
    robot: Any
    attends: Attendance


def simulate(
    data: DataFolder,
    pack: Pack,
    robots: Sequence[str],
    seed: int = 1,
    on_session: Callable[[str], None] = lambda robot: None,
    attendance: Callable[[SessionPlan, int, str], Attendance] | None = None,
) -> Simulated:
    """Let robots take part, each in as many sittings as it comes to, and write the dataset.

    Lists and orders are assigned as the registry assigns them. All times come from a clock that
    starts in the year 2000. The same arguments write the same bytes, even after a simulation with
    them was interrupted in this folder: its finished sessions stay. A simulation of more robots
    that begins with the same ones only adds the further robots' sessions.

    Parameters
    ----------
    data
        Where the dataset goes; may only hold sessions of the same simulation.
    pack
        A solution pack with lists that fit robots, or a sketch.
    robots
        Kind of each participant, in order of enrolment.
    seed
        Seed of every draw.
    on_session
        Called with the kind of robot when all its sittings are there.
    attendance
        When people come and leave; the study's own rule if None.

    Raises
    ------
    UserError
        If the folder holds other sessions, a kind of robot is unknown, or the pack has no
        list for robots. All that is missing from the texts is named.
    """
    kind, protocol = session_kind_of(pack), pack.protocol
    assert kind.orders is not None
    available = kind.load_robots()
    axis, rung = available.place(pack)
    fit = fitting(kind.offers(pack), axis, rung)
    cells = [Cell(offer.list, order) for offer in fit for order in kind.orders(protocol)]
    language = protocol.language_near(ENGLISH)
    if faults := lacking(protocol.catalogue_name, language):
        raise UserError("; ".join(faults))
    robot_of = available.make(pack, language)
    codes = [simulated_code(protocol.catalogue_name, seed, nth) for nth in range(len(robots))]
    people = [
        (name, code, robot_of(name, code, seed)) for name, code in zip(robots, codes, strict=True)
    ]
    refuse_strangers(data, {session_id(code, nth) for nth, (_, code, _) in enumerate(people)})
    places: list[GivenPlace] = []
    for number, (name, code, robot) in enumerate(people):
        place = next_place(cells, places, RIG, protocol.assignment.seed, kind.sides)
        mine = Assignment(place.cell.list, place.cell.order, place.accept_side)
        plan = kind.plan(pack, mine, language, code)
        header = journal_header(plan, kind.role, name, code, session_id(code, number))
        attends = (attendance or available.attendance)(plan, seed, code)
        finished = is_finished(data, header, attends.is_over)
        if number == 0:
            # Not before, so that a folder of another simulation stays unchanged.
            data.make().copy_pack(pack)
            open_pack_copy(data, pack.pack_id)
        complete = False
        if not finished:
            clock = VirtualClock(start_of(number))
            guest = Guest(available, robot, attends)
            complete = take_part(data, plan, guest, header, clock)
        # A journal is only read again if its person may have failed or left.
        may_free = QUALIFICATION in kind.events() or not complete
        freed = may_free and _frees_place(read_journal(data.session(header["session"]).journal))
        places.append(replace(place, freed=freed))
        on_session(name)
    return Simulated(write_tables(data, pack.manifest.study), rung)


def _frees_place(journal: Journal) -> bool:
    """Return whether a session's place is free for somebody else."""
    return disqualification_in(journal) is not None or has_left(journal.events)


def take_part(
    data: DataFolder,
    plan: SessionPlan,
    guest: Guest,
    header: Mapping[str, Any],
    clock: VirtualClock,
) -> bool:
    """Run a session with a robot, sitting by sitting; return whether it is complete.

    Parameters
    ----------
    data
        Where the journal goes.
    plan, guest
        What is shown, and to whom.
    header
        Fields of the ``session`` event.
    clock
        The journal's clock, which is advanced.
    """
    robots, robot, attends = guest.robots, guest.robot, guest.attends
    assert robots.simulated is not None
    path = data.session(header["session"]).journal
    begin, done, before = JournalWriter.create, frozenset[str](), ()
    while True:
        with begin(path, header, clock, sync=False) as writer:
            writer.append("checklist", **SKIPPED_CHECKLIST)
            pages = Reader(plan, robot.choose, clock, attends.stops_at)
            tasks = robots.simulated(robot, attends.habits, clock, writer)
            if run_session(plan, done, pages, tasks, writer, Around(before=before)):
                return True
        journal = read_journal(path)
        if attends.is_over(journal):
            return False
        begin, done = JournalWriter.resume, done_steps(plan, journal.events)
        before = journal.events
        clock.advance(UNTIL_BACK)

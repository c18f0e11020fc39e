"""A full dataset of progressive_reveal from robots: journals, pack copy, tables."""

from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from typing import Any, Final

from participants.dataset.derive import Tables, write_tables
from participants.folder import DataFolder
from participants.journal import Journal, JournalWriter, read_journal
from participants.journal.events import SKIPPED_CHECKLIST
from participants.registry import offers_of
from participants.registry.cells import Cell, Held, emptiest
from participants.session import SessionPlan, done_steps, run_session
from participants.simulate.clock import VirtualClock
from participants.simulate.kept import is_finished, refuse_strangers
from participants.simulate.people import (
    RIG,
    journal_header,
    session_id,
    simulated_code,
    start_of,
)
from participants.studies.progressive_reveal import ORDER, STUDY, plan_session
from participants.studies.progressive_reveal.leaving import USUAL, Habits, Leaving
from participants.studies.progressive_reveal.robots.rounds_seen import views_of
from participants.studies.progressive_reveal.robots.viewers import ViewerParticipant
from participants.studies.progressive_reveal.simulated import RevealPresenter
from stimuli.pack import Pack
from stimuli.studies.progressive_reveal.protocol import ProgressiveReveal

ROLE: Final = "participant"
UNTIL_BACK: Final = timedelta(days=1).total_seconds()
"""Who stops for the day is back a day later."""


def simulate(
    data: DataFolder,
    pack: Pack,
    robots: Sequence[str],
    seed: int = 1,
    language: str = "en",
    habits: Habits = USUAL,
    on_session: Callable[[str], None] = lambda robot: None,
) -> Tables:
    """Let robots take part, each in as many sittings as they come for, and write the dataset.

    Lists are given out as the registry gives them. All times are of a clock that begins with the
    year 2000; the same arguments write the same bytes, also where a simulation with them was
    interrupted in this folder: its finished sessions stay, and more robots of the same mix only
    add theirs.

    Parameters
    ----------
    data
        Where the dataset goes; may hold sessions of the same simulation alone.
    pack
        A solution pack of the study, or a sketch.
    robots
        Kind of each participant, in order of enrolment.
    seed
        Root of every draw.
    language
        Of the texts and of the classes' names.
    habits
        How often people leave, and for how long.
    on_session
        Called with the kind of robot when all its sittings are there.

    Raises
    ------
    UserError
        If the folder holds other sessions, or a kind of robot is unknown.
    """
    protocol = pack.protocol
    assert isinstance(protocol, ProgressiveReveal)
    views = views_of(pack, language)
    cells = [Cell(offer.list, ORDER) for offer in offers_of(pack)]
    people = [
        ViewerParticipant.among(views, kind, simulated_code(seed, number), seed)
        for number, kind in enumerate(robots)
    ]
    refuse_strangers(data, {session_id(one.participant, n) for n, one in enumerate(people)})
    held: list[Held] = []
    for number, robot in enumerate(people):
        cell = emptiest(cells, held, RIG, protocol.assignment.seed)
        held.append(Held(cell, RIG))
        plan = plan_session(pack, cell.list, cell.order, language, robot.participant)
        session = session_id(robot.participant, number)
        header = journal_header(plan, ROLE, robot.robot.name, robot.participant, session)
        leaving = Leaving.of(habits, plan, seed, robot.participant)
        finished = is_finished(data, header, leaving.is_over)
        if number == 0:
            # Not before: a folder of another simulation stays as it is.
            data.make().copy_pack(pack)
        if not finished:
            take_part(data, plan, robot, leaving, header, VirtualClock(start_of(number)))
        on_session(robot.robot.name)
    return write_tables(data, STUDY)


def take_part(
    data: DataFolder,
    plan: SessionPlan,
    robot: ViewerParticipant,
    leaving: Leaving,
    header: Mapping[str, Any],
    clock: VirtualClock,
) -> Journal:
    """Take a robot through a session, sitting by sitting, and return its journal.

    Parameters
    ----------
    data
        Where the journal goes.
    plan, robot, leaving
        What is shown, to whom, and when they leave.
    header
        Fields of the ``session`` event.
    clock
        Of the journal; it is moved on.
    """
    path = data.session(header["session"]).journal
    begin, done = JournalWriter.create, frozenset[str]()
    while True:
        with begin(path, header, clock, sync=False) as writer:
            writer.append("checklist", **SKIPPED_CHECKLIST)
            presenter = RevealPresenter(plan, robot, leaving, clock, writer)
            run_session(plan, done, presenter, writer)
        journal = read_journal(path)
        if leaving.is_over(journal):
            return journal
        begin, done = JournalWriter.resume, done_steps(journal.events)
        clock.advance(UNTIL_BACK)

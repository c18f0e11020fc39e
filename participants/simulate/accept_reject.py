"""A full dataset of accept_reject from robots: journals, pack copy, tables."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from participants.dataset.derive import Tables, write_tables
from participants.folder import DataFolder
from participants.journal import JournalWriter
from participants.journal.events import SKIPPED_CHECKLIST
from participants.lead_sessions import orders_of, plan_session
from participants.registry import offers_of
from participants.registry.cells import Cell, Held, emptiest, rarest_side
from participants.robots import ROBOT_AXIS, AnyRobot, robot_of, robot_rung
from participants.session import SessionPlan, run_session
from participants.simulate.clock import VirtualClock
from participants.simulate.kept import is_finished, refuse_strangers
from participants.simulate.people import (
    RIG,
    journal_header,
    session_id,
    simulated_code,
    start_of,
)
from participants.simulate.presenter import SimulatedPresenter
from participants.studies.accept_reject import SIDES
from participants.studies.accept_reject.robots.titration import (
    TITRATION_PLATES,
    nearest_rung,
    reading_rates,
)
from stimuli.errors import UserError
from stimuli.images.digits import Digits, load_digits
from stimuli.pack import Pack
from stimuli.plates.observer import DigitTemplates
from stimuli.studies.accept_reject.lists import list_places
from stimuli.studies.accept_reject.protocol import AcceptReject
from stimuli.studies.accept_reject.sketch import sketch
from stimuli.studies.accept_reject.tasks import draw_tasks, plate_spec
from stimuli.studies.accept_reject_accuracy.protocol import AcceptRejectAccuracy


@dataclass(frozen=True, slots=True)
class Simulated:
    """What a simulation left: the tables, and the lists' rung on the robots' axis (of plates)."""

    tables: Tables
    rung: int | None


def simulate(
    data: DataFolder,
    pack: Pack,
    robots: Sequence[str],
    seed: int = 1,
    language: str = "en",
    on_session: Callable[[str], None] = lambda robot: None,
) -> Simulated:
    """Let robots take part, one session each, and write the dataset.

    Lists and orders are given out as the registry gives them. All times are of a clock
    that begins with the year 2000; the same arguments write the same bytes, also where a
    simulation with them was interrupted in this folder: its finished sessions stay, and more
    robots of the same mix only add theirs.

    Parameters
    ----------
    data
        Where the dataset goes; may hold sessions of the same simulation alone.
    pack
        A solution pack with lists on the robots' axis, or a sketch.
    robots
        Kind of each participant, in order of enrolment.
    seed
        Root of every draw.
    language
        Of the texts.
    on_session
        Called with the kind of robot when its session is there.

    Raises
    ------
    UserError
        If the folder holds other sessions, a kind of robot is unknown, or the pack has no
        list for robots.
    """
    protocol = pack.protocol
    assert isinstance(protocol, AcceptReject | AcceptRejectAccuracy)
    rung, lists = lists_for_robots(pack)
    cells = [Cell(name, order) for name in lists for order in orders_of(protocol)]
    people = [
        robot_of(kind, pack, simulated_code(seed, number), seed)
        for number, kind in enumerate(robots)
    ]
    own = {session_id(robot.participant, number) for number, robot in enumerate(people)}
    refuse_strangers(data, own)
    held: list[Held] = []
    for number, robot in enumerate(people):
        cell = emptiest(cells, held, RIG, protocol.assignment.seed)
        side = rarest_side(SIDES, held, cell, protocol.assignment.seed)
        held.append(Held(cell, RIG, side))
        plan = plan_session(pack, cell.list, cell.order, language, robot.participant, side)
        session = session_id(robot.participant, number)
        header = journal_header(plan, "lead", robot.robot.name, robot.participant, session)
        finished = is_finished(data, header)
        if number == 0:
            # Not before: a folder of another simulation stays as it is.
            data.make().copy_pack(pack)
        if not finished:
            _run(data, plan, robot, number, header)
        on_session(robot.robot.name)
    return Simulated(write_tables(data), rung)


def lists_for_robots(pack: Pack) -> tuple[int | None, list[str]]:
    """Return the rung that suits robots among those of a pack's lists, and its lists.

    Lists of images have no rung, and all suit.

    Raises
    ------
    UserError
        If the pack has no list on the robots' axis.
    """
    if isinstance(pack.protocol, AcceptRejectAccuracy):
        return None, [offer.list for offer in offers_of(pack)]
    places = list_places(pack)
    rungs = {rung for axis, rung in places.values() if axis == ROBOT_AXIS}
    if not rungs:
        raise UserError(f"pack {pack.pack_id}: has no {ROBOT_AXIS} list, which robots need")
    rung = robot_rung(pack, rungs)
    return rung, [name for name, place in places.items() if place == (ROBOT_AXIS, rung)]


def sketch_for_robots(protocol: AcceptReject, digits: Digits | None = None) -> Pack:
    """Return a sketch whose lists are at the rung that suits robots.

    Parameters
    ----------
    protocol
        Must have plates on the robots' axis.
    digits
        Where digits come from; UCI's if None.
    """
    if ROBOT_AXIS not in protocol.plates.axes:
        raise UserError(f"protocol: plates.axes lacks {ROBOT_AXIS}, which robots need")
    digits = load_digits("uci") if digits is None else digits
    spec = plate_spec(protocol.plates)
    tasks = [task for task in draw_tasks(protocol, digits) if task.use == "main"]
    plates = [(task.plate(spec), int(task.true_label)) for task in tasks[:TITRATION_PLATES]]
    train = digits.train_indices
    templates = DigitTemplates.from_images(digits.images[train], digits.labels[train], spec=spec)
    rung = nearest_rung(protocol, reading_rates(protocol, plates, templates))
    return sketch(protocol, places=[(ROBOT_AXIS, rung)], digits=digits)


def _run(data: DataFolder, plan: SessionPlan, robot: AnyRobot, number: int, header: dict) -> None:
    clock = VirtualClock(start_of(number))
    path = data.session(header["session"]).journal
    with JournalWriter.create(path, header, clock, sync=False) as journal:
        journal.append("checklist", **SKIPPED_CHECKLIST)
        presenter = SimulatedPresenter(plan, robot, clock, journal)
        run_session(plan, frozenset(), presenter, journal)

"""A lab with people of every study, whose experts' paintings went into a sealed pack."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import insert

from participants.dataset.derive import write_tables
from participants.dataset.journals import write_session_sidecar
from participants.dataset.map_sets import gather, write_gathered
from participants.folder import DataFolder, LabFolder
from participants.journal import read_journal
from participants.lists import Assignment, ListOffer
from participants.registry import Registry
from participants.registry.tables import (
    appointments,
    choices,
    demographics,
    exported,
    exports,
    notes,
    payments,
    screenings,
    takeovers,
)
from participants.simulate.presenters import VirtualClock
from participants.simulate.run import Guest, journal_header, session_id, start_of, take_part
from participants.study import session_kind_of
from stimuli.images.digits import load_digits
from stimuli.pack import Pack, open_pack, write_pack
from stimuli.studies.accept_reject.compose import compose_solutions
from stimuli.studies.accept_reject.sketch import SketchRates, sketch_tasks
from stimuli.studies.accept_reject.tables import KEY, LISTS
from tests.participants.studies.accept_reject.experts import annotate
from tests.participants.studies.accept_reject.packs import tiny_protocol
from tests.participants.studies.human_ai_team.taken import pack_of as team_pack
from tests.sealing import files_of
from tests.stimuli.studies.accept_reject_accuracy.labelled_sets import small_sketch as labels_pack
from tests.stimuli.studies.progressive_reveal.small import small_sketch as reveal_pack

STUDIES = ("accept_reject", "human_ai_team", "progressive_reveal")
"""Whose tables there are; those of accept_reject hold both of its assessments."""
WHEN = "2026-01-01T00:00:00.000000Z"


@dataclass(frozen=True)
class People:
    """Codes of the lab's people; each but the others is withdrawn in some test.

    The expert is one whose paintings the leads see, whatever the codes are.
    """

    expert: str
    other_expert: str
    lead: str
    other_lead: str
    participant: str
    other_participant: str


def make_lab(root: Path) -> People:
    """Fill a new lab folder, and return who is in it."""
    lab = LabFolder.make(root)
    registry = Registry.open(lab.registry_url)
    roles = ("expert", "expert", "lead", "lead", "participant", "participant")
    places = [{"axis": "deutan", "rung": 1} if role == "lead" else {} for role in roles]
    codes = [registry.enrol(r, **p) for r, p in zip(roles, places, strict=True)]
    pack = paint_and_build(lab, codes[:2])
    people = People(*sorted(codes[:2], key=shown_experts(pack).count, reverse=True), *codes[2:])
    for code in (people.lead, people.other_lead):
        take(lab.data, pack, code, "lead")
        take(lab.data, labels_pack(10), code, "exact_labels")
    for code in (people.participant, people.other_participant):
        take(lab.data, team_pack(), code, "careful")
        take(lab.data, reveal_pack(), code, "viewer")
    for paths in lab.data.sessions():
        write_session_sidecar(paths)
        registry.learn(read_journal(paths.journal), None)
    for study in STUDIES:
        write_tables(lab.data, study)
    for code in vars(people).values():
        note_all(registry, lab.data, code)
        (lab.logs).mkdir(exist_ok=True)
        (lab.logs / f"fault-{code[:2]}.log").write_text(f"code {code}: it went wrong")
    registry.close()
    return people


def shown_experts(pack: Pack) -> list[str]:
    """Return who painted each explanation that `take` shows to a lead.

    Two experts share the plates by their codes, so one of them may paint none that a lead sees.
    """
    offer = offer_of(pack)
    shown = {row["presentation"] for row in pack.table(LISTS) if row["list"] == offer.list}
    return [row["solver_id"] for row in pack.table(KEY) if row["presentation"] in shown]


def paint_and_build(lab: LabFolder, experts: Sequence[str]) -> Pack:
    """Let both experts paint a task pack, and seal a solution pack of their map set."""
    few = tiny_protocol().solutions.model_copy(update={"trials_per_run": 6, "lists": 1})
    protocol = tiny_protocol().model_copy(update={"solutions": few})
    made, _ = sketch_tasks(protocol, [("deutan", 1)], SketchRates(), load_digits("uci"))
    tasks = sealed(made, lab.packs / "first-tasks", "tasks", {})
    for code in experts:
        session = session_id(code, 0)
        annotate(lab.data, tasks, code, session=session)
        own = gather(lab.data, sessions=frozenset({session}))
        write_gathered(lab.data.map_set(session), own)
    gathered = gather(lab.data, keep_failed=True)
    write_gathered(lab.root / "maps" / "experts", gathered)
    files = compose_solutions(tasks, [gathered.map_set])
    about = {"tasks": tasks.pack_id}
    folder = lab.packs / "first"
    write_pack(folder, tasks.protocol, "solutions", files, about)
    return open_pack(folder)


def sealed(pack: Pack, folder: Path, kind: str, about: dict) -> Pack:
    write_pack(folder, pack.protocol, kind, files_of(pack), about)
    return open_pack(folder)


def offer_of(pack: Pack) -> ListOffer:
    """Return the list that `take` shows."""
    return next(one for one in session_kind_of(pack).offers(pack) if one.rung in (None, 1))


def take(data: DataFolder, pack: Pack, code: str, robot: str, number: int = 1) -> str:
    """Take a person, whose answers a robot gives, through a session; return its id."""
    kind, offer = session_kind_of(pack), offer_of(pack)
    order = kind.orders(pack.protocol)[0]
    given = Assignment(offer.list, order, kind.sides[0] if kind.sides else None)
    plan = kind.plan(pack, given, "en", code)
    number += len(list(data.sessions()))
    session = session_id(code, number)
    header = journal_header(plan, kind.role, "", code, session) | {"purpose": "main"}
    data.copy_pack(pack)
    robots = kind.load_robots()
    attends = robots.attendance(plan, 1, code)
    made = robots.make(pack, "en")(robot, code, 1)
    guest = Guest(robots, made, attends)
    take_part(data, plan, guest, header, VirtualClock(start_of(number)))
    return session


def note_all(registry: Registry, data: DataFolder, code: str) -> None:
    """Give a person a row in every table of the registry, and notes of others that name them."""
    sessions = [one.session for one in data.sessions() if code in one.session]
    rows = {
        screenings: {"procedure": "ishihara", "result": "{}", "screened_utc": WHEN},
        choices: {"name": "told_result", "value": "no", "chosen_utc": WHEN},
        notes: {"kind": "compensation", "text": "paid 20 EUR", "noted_utc": WHEN},
        payments: {
            "session": sessions[0],
            "study": "s",
            "cents": 1250,
            "currency": "EUR",
            "paid_utc": WHEN,
        },
        demographics: {"age_band": "30-39", "answered_utc": WHEN},
        appointments: {"study": "s", "rig": "a", "begins_utc": WHEN, "minutes": 60},
    }

    def work(connection):
        for table, row in rows.items():
            connection.execute(insert(table).values(code=code, **row))
        text = f"{code} came late, as {code[:3].lower()} {code[3:]}"
        row = {"code": None, "kind": "incident", "text": text, "noted_utc": WHEN}
        connection.execute(insert(notes).values(row))
        number = connection.execute(
            insert(exports).values(kind="bids", place="U:", purpose="sharing", made_utc=WHEN)
        ).inserted_primary_key[0]
        connection.execute(insert(exported).values(export_id=number, code=code))
        taken = {"from_rig": "a", "to_rig": "b", "reason": "broken", "taken_utc": WHEN}
        connection.execute(insert(takeovers).values(session=sessions[0], **taken))

    registry.transact(work)

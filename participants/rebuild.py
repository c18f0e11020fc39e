"""Rebuild the registry's rows from journals, if the registry is empty or damaged.

People, sessions, consents, choices and places of the design are entered again. A damaged registry
file is set aside, never deleted.
"""

import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, insert, select, update

from participants.dataset.journals import open_pack_copy, read_journals
from participants.folder import DataFolder
from participants.journal import Journal
from participants.journal.writer import is_being_written
from participants.lab_settings import SQLITE
from participants.lists import Assignment
from participants.registry import Registry
from participants.registry.assignments import assignment_of
from participants.registry.records import bury
from participants.registry.sync import apply_journal
from participants.registry.tables import assignments, people
from participants.session import withdrawal_in
from participants.study import ANYWHERE, Place, SessionKind, session_kind_of
from participants.tombstones import read_tombstones
from participants.withdrawal.holdings import BESIDE
from stimuli.errors import UserError
from stimuli.pack import Pack


def set_damaged_aside(url: str) -> Path | None:
    """Rename a registry's file if it is damaged; return its new path, or None if it is intact.

    Only SQLite files are checked; a server repairs its databases itself.

    Parameters
    ----------
    url
        The registry.

    Raises
    ------
    UserError
        If another program uses the file, or it can't be renamed.
    """
    path = Path(url.removeprefix(SQLITE))
    if not url.startswith(SQLITE) or not path.exists() or _is_intact(path):
        return None
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
    aside = path.with_name(f"{path.stem}.damaged-{stamp}{path.suffix}")
    try:
        for end in ("", *BESIDE):
            part = path.with_name(path.name + end)
            if part.exists():
                part.rename(aside.with_name(aside.name + end))
    except OSError as error:
        raise UserError(
            f"{path}: can't be renamed ({error.strerror}); close what uses it"
        ) from None
    return aside


def _is_intact(path: Path) -> bool:
    try:
        with closing(sqlite3.connect(path)) as database:
            return database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    except sqlite3.OperationalError as error:
        raise UserError(f"{path}: {error}; close what uses it, then rebuild again") from None
    except sqlite3.DatabaseError:
        return False


UNKNOWN = (
    "screenings, notes, appointments, demographics and exports, choices made outside of sessions, "
    "people who never began a session, and when people were enrolled"
)
"""What journals don't contain."""


@dataclass(frozen=True, slots=True)
class JournalPlace:
    """A person's place in the design, as the journal shows it.

    Attributes
    ----------
    place
        Axis and rung of the person's list.
    assignment
        List, order and side of acceptance; None where everybody is shown the same.
    """

    place: Place = ANYWHERE
    assignment: Assignment | None = None


def held_in(data: DataFolder, journal: Journal) -> JournalPlace | None:
    """Return the place held by a journal's person; None without the pack's copy.

    Parameters
    ----------
    data
        The data folder, which keeps copies of packs.
    journal
        A session's.
    """
    header = journal.header
    try:
        pack = open_pack_copy(data, str(header["pack_id"]))
        kind = session_kind_of(pack)
        if kind.orders is None:
            return JournalPlace()
        offers = {offer.list: offer for offer in kind.offers(pack)}
    except (UserError, KeyError):
        return None
    offer = offers.get(str(header["list"]))
    place = ANYWHERE if offer is None else (offer.axis, offer.rung)
    assignment = Assignment(header["list"], header["order"], _side(kind, pack, journal))
    return JournalPlace(place, assignment)


def _side(kind: SessionKind, pack: Pack, journal: Journal) -> str | None:
    """Return the side whose plan has the keys that were pressed; None if unclear."""
    pressed = _pressed(journal)
    fit = [side for side in kind.sides if _agree(kind, pack, journal, side, pressed)]
    return fit[0] if len(fit) == 1 else None


def _agree(
    kind: SessionKind, pack: Pack, journal: Journal, side: str, pressed: set[tuple[str, str]]
) -> bool:
    header = journal.header
    assignment = Assignment(header["list"], header["order"], side)
    try:
        plan = kind.plan(pack, assignment, str(header["language"]), str(header["participant"]))
    except (UserError, KeyError):
        return False
    stated = {("accept", header["accept_key"]), ("reject", header["reject_key"])}
    answer_keys = pressed | {(answer, key) for answer, key in stated if key}
    return bool(answer_keys) and all(
        plan.keys.get(answer, key) == key for answer, key in answer_keys
    )


def _pressed(journal: Journal) -> set[tuple[str, str]]:
    """Return the key of each decision, from the last press of each trial."""
    keys: dict[int, str] = {}
    pressed: set[tuple[str, str]] = set()
    for event in journal.of("response", "trial_end"):
        if event.event == "response":
            keys[event["trial"]] = str(event["key"])
        elif event["trial"] in keys and "decision" in event.fields:
            pressed.add((str(event["decision"]), keys[event["trial"]]))
    return pressed


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """The result of `rebuild`.

    Attributes
    ----------
    people
        Codes that the registry didn't know.
    sessions
        Sessions whose journals were read.
    left_out
        Why other sessions weren't read, by id.
    without_place
        Sessions whose pack's copy is missing: their people's list, axis and rung stay unknown.
    """

    people: tuple[str, ...]
    sessions: int
    left_out: Mapping[str, str]
    without_place: tuple[str, ...]


def rebuild(registry: Registry, data: Sequence[DataFolder]) -> Rebuilt:
    """Enter what the journals of data folders contain into a registry; existing rows stay.

    Doing it again changes nothing. Sessions of people who withdrew are left out.

    Parameters
    ----------
    registry
        A registry that is empty or lost rows.
    data
        Data folders, of all PCs that share the registry.

    Raises
    ------
    UserError
        If the registry can't be written.
    """
    new, entered, left_out, without = list[str](), 0, dict[str, str](), list[str]()
    withdrawn: set[str] = set()
    for folder in data:
        withdrawn |= bury(registry, read_tombstones(folder)).keys()
    for folder in data:
        journals, unreadable = read_journals(folder)
        left_out |= unreadable
        # People are enrolled in the order of their first sessions.
        for session, journal in sorted(journals.items(), key=lambda pair: pair[1].header.t_utc):
            if journal.header["participant"] in withdrawn:
                left_out[session] = "its person withdrew"
            elif is_being_written(folder.session(session).journal):
                left_out[session] = "it is running; rebuild again when it has ended"
            else:
                held = held_in(folder, journal)
                without += [session] if held is None else []
                entry = _Entry(journal, held or JournalPlace(), registry.folder_id(folder.root))
                try:
                    new += registry.transact(entry)
                except UserError as error:
                    left_out[session] = str(error)
                    continue
                entered += 1
    return Rebuilt(tuple(new), entered, left_out, tuple(without))


@dataclass(frozen=True, slots=True)
class _Entry:
    """Enters one journal in a transaction; returns the person's code if it was unknown."""

    journal: Journal
    held: JournalPlace
    data_folder: str

    def __call__(self, connection: Connection) -> list[str]:
        code = str(self.journal.header["participant"])
        wanted = select(people).where(people.c.code == code)
        row = connection.execute(wanted).first()
        if row is None:
            connection.execute(insert(people).values(self._person(code)))
        elif row.axis is None and self.held.place != ANYWHERE and row.role == "lead":
            axis, rung = self.held.place
            known = update(people).where(people.c.code == code)
            connection.execute(known.values(axis=axis, rung=rung))
        self._assign(connection, code)
        apply_journal(connection, self.journal, withdrawal_in(self.journal), self.data_folder)
        return [code] if row is None else []

    def _person(self, code: str) -> dict[str, Any]:
        header = self.journal.header
        axis, rung = self.held.place
        of_journal = {"role": header["role"], "purpose": header["purpose"]}
        return {"code": code, "axis": axis, "rung": rung, "enrolled_utc": header.t_utc} | of_journal

    def _assign(self, connection: Connection, code: str) -> None:
        header = self.journal.header
        of_place = {name: str(header[name]) for name in ("pack_id", "purpose")}
        if self.held.assignment is None or assignment_of(connection, code, **of_place) is not None:
            return
        row = {"code": code, "study": header["study"], "rig": header["rig"], **of_place}
        row |= {**asdict(self.held.assignment), "assigned_utc": header.t_utc}
        connection.execute(insert(assignments).values(row))

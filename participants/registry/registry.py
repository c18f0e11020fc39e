"""The registry's face: enrol, assign, and let sessions begin, go on and end."""

from collections.abc import Callable
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final, Self

from sqlalchemy import Connection, Engine, insert

from participants.anchor import Anchor
from participants.clock import utc_text
from participants.files import write_file
from participants.folder import LabFolder
from participants.lists import Assignment
from participants.new_person import NewPerson
from participants.registry import sessions as running
from participants.registry.assignments import Place, PlaceRules, given_place
from participants.registry.database import Result, connect, transact
from participants.registry.people import ConsentAnswer, Person, check_code, enter, everybody
from participants.registry.sessions import Here, NewSession, Unfinished, lease, this_pc
from participants.registry.tables import consents, withdrawals
from stimuli.errors import UserError
from stimuli.io.canonical import hash_of

if TYPE_CHECKING:
    from participants.journal import Event, Journal

FOLDER_DIGITS: Final = 16


class Registry:
    """All participants, by code only; opened by `open`.

    Every method is one serialisable transaction, so that several processes may use one
    registry at once. Each raises UserError if the database can't be reached, and for a
    code with a typing error in it.
    """

    def __init__(self, engine: Engine, clock: Callable[[], datetime], pc: str) -> None:
        self._engine = engine
        self._now = clock
        self._pc = pc

    @classmethod
    def open(
        cls, url: str, clock: Callable[[], datetime] | None = None, pc: str | None = None
    ) -> Self:
        """Return the registry at a database URL; its tables are made at first use.

        Parameters
        ----------
        url
            E.g. ``sqlite:////home/lab/registry.sqlite``; see `LabFolder.registry_url`.
        clock
            Returns the time of day in UTC; the machine's by default.
        pc
            The name for this PC; `this_pc` by default.
        """
        return cls(connect(url), clock or (lambda: datetime.now(UTC)), pc or this_pc())

    @classmethod
    def of(cls, lab: LabFolder, *, new: bool = False) -> Self:
        """Return a lab's registry, which is made at first use.

        Parameters
        ----------
        lab
            The lab folder.
        new
            Make another one if the lab's was lost.

        Raises
        ------
        UserError
            If the lab had a registry, or has sessions, and its registry is lost.
        """
        had = lab.data.had_registry.exists()
        engine = connect(lab.registry_url, new=new or not (had or any(lab.data.session_folders())))
        if not had:
            write_file(lab.data.make().had_registry, b"")
        return cls(engine, lambda: datetime.now(UTC), this_pc())

    def transact(self, work: Callable[[Connection], Result]) -> Result:
        """Do work with the registry's rows in one serialisable transaction; return its result.

        Parameters
        ----------
        work
            May be called several times, so it must only read and write the connection
            (`participants.registry.database.transact`).
        """
        return transact(self._engine, work)

    def now(self) -> datetime:
        """Return the time of day for new rows, in UTC."""
        return self._now()

    def close(self) -> None:
        """Close the database."""
        self._engine.dispose()

    def enrol(
        self,
        role: str,
        *,
        axis: str | None = None,
        rung: int | None = None,
        purpose: str = "main",
    ) -> str:
        """Enter a person and return the new code.

        Parameters
        ----------
        role
            lead, expert or participant.
        axis, rung
            A lead's confusion axis (deutan, protan) and rung (1 is the lowest contrast):
            both or neither.
        purpose
            main, pilot, test or robot.

        Raises
        ------
        UserError
            If these don't go together.
        """
        return self.enrol_several(1, NewPerson(role, axis, rung, purpose))[0]

    def enrol_several(self, count: int, new: NewPerson) -> tuple[str, ...]:
        """Enter several people, all or none, and return their codes; see `enrol`."""
        new.check()
        return self.transact(
            lambda connection: tuple(enter(connection, new, self._now()) for _ in range(count))
        )

    def list(self) -> tuple[Person, ...]:
        """Return everybody, in the order of enrolment."""
        return self.transact(everybody)

    def person(self, code: str) -> Person:
        """Return one person; UserError if the code is unknown."""
        code = check_code(code)
        for person in self.list():
            if person.code == code:
                return person
        raise UserError(f"code {code}: is not in this registry; see: participants list")

    def assign(self, place: Place, rules: PlaceRules) -> Assignment:
        """Return a person's list, order and side of acceptance, which never change.

        The cell is the emptiest one of list × order among the lists that fit the person's axis and
        rung; see `participants.registry.assignments.next_place`. A place whose person was
        disqualified, left or hasn't been heard of for `PlaceRules.drop_after_s` is free again, and
        is given once the round is full; should that person come back, the cell stays theirs.

        Parameters
        ----------
        place
            Whose place it is, of which pack.
        rules
            What it is chosen from, and how.

        Raises
        ------
        UserError
            If the code is unknown or withdrawn, or no list fits the person.
        """
        place = replace(place, code=check_code(place.code))
        return self.transact(lambda connection: given_place(connection, place, rules, self._now()))

    def require_free(self, new: NewSession) -> None:
        """Raise what `start_session` would raise, and enter nothing."""
        new = replace(new, code=check_code(new.code))
        self.transact(lambda connection: running.refuse_unless_free(connection, new, self._now()))

    def start_session(self, new: NewSession) -> None:
        """Enter a new session as running.

        Raises
        ------
        UserError
            If the code is unknown or withdrawn, of another role, in a session at this moment,
            has an unfinished session of the study, or has finished it: one line.
        """
        new = replace(new, code=check_code(new.code))

        def work(connection: Connection) -> None:
            now = self._now()
            running.refuse_unless_free(connection, new, now)
            running.begin(connection, new, utc_text(now), lease(self._pc, now))
            running.arrive(connection, new.code, now)

        self.transact(work)

    def abandon_session(self, session: str) -> None:
        """Delete a session that failed before its journal began.

        The person's place in the design is free again, unless another session of the person holds
        it.
        """
        self.transact(lambda connection: running.abandon(connection, session))

    def learn(
        self, journal: "Journal", withdrawal: "Event | None", data_folder: str | None = None
    ) -> None:
        """Bring a session's rows up to date with its journal, which is the truth.

        Parameters
        ----------
        journal
            Of a session that no process is writing.
        withdrawal
            The event in it that withdraws the person's data, if there is one.
        data_folder
            The data folder that it lies in (`folder_id`), if that is known.

        Raises
        ------
        UserError
            If the journal's code is not in this registry, or the journal lacks lines that the
            registry knows.
        """
        from participants.registry.sync import apply_journal

        self.transact(
            lambda connection: apply_journal(connection, journal, withdrawal, data_folder)
        )

    def unfinished(
        self, code: str, *, study: str, pack_id: str, purpose: str = "main"
    ) -> Unfinished | None:
        """Return a person's unfinished session, or None if a new one is to begin."""
        code = check_code(code)

        def work(connection: Connection) -> Unfinished | None:
            running.person_row(connection, code)
            return running.unfinished_of(connection, code, study, pack_id, purpose)

        return self.transact(work)

    def folder_id(self, root: Path) -> str:
        """Return the id of a data folder: a hash of this PC and the folder's path."""
        return hash_of(["data folder", self._pc, str(root.resolve())])[:FOLDER_DIGITS]

    def here(self, rig: str, data_folder: str | None = None) -> Here:
        """Return the place of a session on this PC."""
        return Here(rig, self._pc, data_folder)

    def resume_session(
        self, session: str, rig: str, take_over: str = "", data_folder: str | None = None
    ) -> None:
        """Enter an unfinished session as running again.

        Parameters
        ----------
        session
            Its id.
        rig
            Where it goes on.
        take_over
            Why a session of another PC goes on here; the reason is kept. If empty, only a session
            of this PC can be resumed.
        data_folder
            The data folder in which it goes on (`folder_id`).

        Raises
        ------
        UserError
            If it is unknown or complete, or is of another PC and there is no reason or that PC has
            the lease.
        """
        here = self.here(rig, data_folder)
        self.transact(
            lambda connection: running.go_on(connection, session, here, self._now(), take_over)
        )

    def heartbeat(self, session: str, trials_done: int | None = None) -> None:
        """Extend a session's lease and note how many trials are done; never in a timed window.

        Raises
        ------
        UserError
            If the session was taken over elsewhere.
        """
        self.transact(
            lambda connection: running.hear(connection, session, trials_done, self._pc, self._now())
        )

    def finish_session(self, session: str, *, complete: bool = True) -> None:
        """Enter a session as complete, or as stopped before its end (it can be resumed)."""
        self.transact(
            lambda connection: running.end(
                connection, session, complete=complete, pc=self._pc, now=self._now()
            )
        )

    def anchor_session(self, session: str, end: Anchor) -> None:
        """Note the length and the last link of a session's journal."""
        self.transact(lambda connection: running.anchor(connection, session, end))

    def disqualify_session(self, session: str) -> None:
        """Note that a session's person didn't qualify, which frees the place in the design.

        The session goes on, and the person keeps list and order.
        """
        self.transact(
            lambda connection: running.disqualify(connection, session, utc_text(self._now()))
        )

    def leave_session(self, session: str, how: str = running.FOR_GOOD) -> None:
        """Note that a session's person has left the study.

        The place in the design is free again. A person who left for good (`FOR_GOOD`) can't resume
        the session; one who declined the consent (`DECLINED`) can.
        """
        stamp = utc_text(self._now())
        self.transact(lambda connection: running.leave(connection, session, stamp, how))

    def record_consent(self, code: str, answer: ConsentAnswer, session: str | None = None) -> None:
        """Enter the answer to a consent text, and when it was given."""
        known = check_code(code)

        def work(connection: Connection) -> None:
            running.person_row(connection, known)
            row = {"code": known, "session": session, **asdict(answer)}
            connection.execute(insert(consents).values(answered_utc=utc_text(self._now()), **row))

        self.transact(work)

    def record_withdrawal(self, code: str) -> None:
        """Note that a person has withdrawn: no session may use the code from now on."""
        code = check_code(code)

        def work(connection: Connection) -> None:
            running.person_row(connection, code)
            stamp = utc_text(self._now())
            connection.execute(insert(withdrawals).values(code=code, withdrawn_utc=stamp))

        self.transact(work)

"""The registry's face: enrol, assign, and let sessions begin, go on and end."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Final, Literal, Self

from sqlalchemy import Connection, Engine, Row, and_, exists, func, insert, or_, select

from participants.journal.clock import utc_text
from participants.registry import sessions as running
from participants.registry.cells import Cell, Held, emptiest
from participants.registry.codes import check_code, new_code
from participants.registry.lists import ListOffer, fitting
from participants.registry.sessions import NewSession, Unfinished
from participants.registry.tables import (
    assignments,
    connect,
    consents,
    people,
    sessions,
    transaction,
    withdrawals,
)
from stimuli.errors import UserError

Role = Literal["lead", "expert", "participant"]
ROLES: Final = ("lead", "expert", "participant")
PURPOSES: Final = ("main", "pilot", "test", "robot")
AXES: Final = ("deutan", "protan")


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody in the registry; arm, list and order are not told.

    Attributes
    ----------
    code
        Pseudonymous code.
    role
        lead, expert or participant.
    purpose
        What the person was enrolled for.
    axis, rung
        A lead's confusion axis and rung of the ladder; None until known.
    enrolled_utc
        When, ISO 8601.
    sessions, complete
        Number of sessions begun, and of those that came to their end.
    consent
        The last answer to a consent text; None before the first.
    withdrawn
        Whether the person has withdrawn.
    """

    code: str
    role: str
    purpose: str
    axis: str | None
    rung: int | None
    enrolled_utc: str
    sessions: int
    complete: int
    consent: bool | None
    withdrawn: bool


@dataclass(frozen=True, slots=True)
class Assignment:
    """A person's cell of the design: a list of the pack, and an order."""

    list: str
    order: str


class Registry:
    """Everybody who takes part, by code alone; made by `open`.

    Every method is one serialisable transaction, so that several processes may use one
    registry at once. Each raises UserError if the database can't be reached, and for a
    code with a typing error in it.
    """

    def __init__(self, engine: Engine, clock: Callable[[], datetime]) -> None:
        self._engine = engine
        self._now = clock

    @classmethod
    def open(cls, url: str, clock: Callable[[], datetime] | None = None) -> Self:
        """Return the registry at a database URL; its tables are made at first use.

        Parameters
        ----------
        url
            E.g. ``sqlite:////home/lab/registry.sqlite``; see `LabFolder.registry_url`.
        clock
            What gives the time of day in UTC; the machine's by default.
        """
        return cls(connect(url), clock or (lambda: datetime.now(UTC)))

    def close(self) -> None:
        """Let the database go."""
        self._engine.dispose()

    def enrol(
        self,
        role: Role,
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
        _check_person(role, axis, rung, purpose)
        with self._transaction() as connection:
            code = _unused_code(connection)
            connection.execute(
                insert(people).values(
                    code=code,
                    role=role,
                    purpose=purpose,
                    axis=axis,
                    rung=rung,
                    enrolled_utc=utc_text(self._now()),
                )
            )
        return code

    def list(self) -> tuple[Person, ...]:
        """Return everybody, in the order of enrolment."""
        begun, complete, consent = _counted()
        wanted = (
            select(people, begun, complete, consent, withdrawals.c.withdrawn_utc)
            .outerjoin(withdrawals, withdrawals.c.code == people.c.code)
            .order_by(people.c.enrolled_utc, people.c.code)
        )
        with self._transaction() as connection:
            return tuple(_person(row) for row in connection.execute(wanted))

    def person(self, code: str) -> Person:
        """Return one person; UserError if the code is unknown."""
        code = check_code(code)
        for person in self.list():
            if person.code == code:
                return person
        raise UserError(f"code {code}: is not in this registry; see: participants list")

    def assign(
        self,
        code: str,
        offers: Sequence[ListOffer],
        orders: Sequence[str],
        *,
        study: str,
        pack_id: str,
        rig: str,
        seed: int,
        drop_after_s: float,
        purpose: str = "main",
    ) -> Assignment:
        """Return a person's list and order, given once and for all.

        The emptiest cell of list × order among the lists that fit the person's axis and rung,
        counted on completed and running sessions with this pack and purpose; see
        `participants.registry.cells.emptiest`. A place whose person hasn't been heard of for
        ``drop_after_s`` is free again; should that person come back, the cell stays theirs.

        Parameters
        ----------
        code
            Who.
        offers
            The pack's lists; see `offers_of`.
        orders
            The orders that the protocol allows.
        study, pack_id, purpose
            What is to be shown, and what for.
        rig
            Where the person is.
        seed
            The protocol's assignment.seed.
        drop_after_s
            The protocol's assignment.drop_after_s.

        Raises
        ------
        UserError
            If the code is unknown or withdrawn, or no list fits the person.
        """
        code = check_code(code)
        now = self._now()
        with self._transaction() as connection:
            person = running.person_row(connection, code)
            mine = _assignment_of(connection, code, pack_id, purpose)
            if mine is not None:
                return mine
            fit = fitting(offers, person.axis, person.rung)
            cells = [Cell(offer.list, order) for offer in fit for order in orders]
            heard_since = utc_text(now - timedelta(seconds=drop_after_s))
            held = _held(connection, pack_id, purpose, heard_since)
            cell = emptiest(cells, held, rig, seed)
            connection.execute(
                insert(assignments).values(
                    code=code,
                    study=study,
                    pack_id=pack_id,
                    purpose=purpose,
                    rig=rig,
                    list=cell.list,
                    order=cell.order,
                    assigned_utc=utc_text(now),
                )
            )
        return Assignment(cell.list, cell.order)

    def start_session(self, new: NewSession) -> None:
        """Enter a new session as running.

        Raises
        ------
        UserError
            If the code is unknown or withdrawn, of another role, in a session at this moment,
            has an unfinished session of the study, or has finished it: one line.
        """
        new = replace(new, code=check_code(new.code))
        with self._transaction() as connection:
            now = self._now()
            running.refuse_unless_free(connection, new, now)
            running.begin(connection, new, now)

    def unfinished(
        self, code: str, *, study: str, pack_id: str, purpose: str = "main"
    ) -> Unfinished | None:
        """Return the session with which a person goes on, or None for a new one."""
        code = check_code(code)
        with self._transaction() as connection:
            running.person_row(connection, code)
            return running.unfinished_of(connection, code, study, pack_id, purpose)

    def resume_session(self, session: str, rig: str) -> None:
        """Enter an unfinished session as running again.

        Raises
        ------
        UserError
            If it is unknown, complete, or ran on another rig.
        """
        with self._transaction() as connection:
            running.go_on(connection, session, rig, self._now())

    def heartbeat(self, session: str, trials_done: int | None = None) -> None:
        """Note that a session lives, and how many trials are done; never in a timed window."""
        with self._transaction() as connection:
            running.hear(connection, session, trials_done, self._now())

    def finish_session(self, session: str, *, complete: bool = True) -> None:
        """Enter a session as complete, or as stopped before its end (it can be resumed)."""
        with self._transaction() as connection:
            running.end(connection, session, complete=complete, now=self._now())

    def record_consent(
        self,
        code: str,
        *,
        text: str,
        version: str,
        sha256: str,
        language: str,
        agreed: bool,
        session: str | None = None,
    ) -> None:
        """Enter the answer to a consent text: which text, as shown, and when."""
        code = check_code(code)
        with self._transaction() as connection:
            running.person_row(connection, code)
            connection.execute(
                insert(consents).values(
                    code=code,
                    session=session,
                    text=text,
                    version=version,
                    sha256=sha256,
                    language=language,
                    agreed=agreed,
                    answered_utc=utc_text(self._now()),
                )
            )

    def record_withdrawal(self, code: str) -> None:
        """Note that a person has withdrawn: no session may use the code from now on."""
        code = check_code(code)
        with self._transaction() as connection:
            running.person_row(connection, code)
            stamp = utc_text(self._now())
            connection.execute(insert(withdrawals).values(code=code, withdrawn_utc=stamp))

    @contextmanager
    def _transaction(self) -> Iterator[Connection]:
        with transaction(self._engine) as connection:
            yield connection


def _check_person(role: str, axis: str | None, rung: int | None, purpose: str) -> None:
    if role not in ROLES:
        raise UserError(f"no role {role!r}; there is: {', '.join(ROLES)}")
    if purpose not in PURPOSES:
        raise UserError(f"no purpose {purpose!r}; there is: {', '.join(PURPOSES)}")
    if (axis is None) != (rung is None):
        raise UserError("axis and rung go together; give both or neither")
    if axis is not None and role != "lead":
        raise UserError(f"axis and rung belong to leads, not to a person of role {role}")
    if axis is not None and axis not in AXES:
        raise UserError(f"no axis {axis!r}; there is: {', '.join(AXES)}")
    if rung is not None and rung < 1:
        raise UserError(f"rung is {rung}; rungs count from 1, the lowest contrast")


def _unused_code(connection: Connection) -> str:
    while True:
        code = new_code()
        taken = select(people.c.code).where(people.c.code == code)
        gone = select(withdrawals.c.code).where(withdrawals.c.code == code)
        if connection.scalar(taken) is None and connection.scalar(gone) is None:
            return code


def _counted() -> tuple:
    mine = sessions.c.code == people.c.code
    begun = select(func.count()).select_from(sessions).where(mine)
    complete = begun.where(sessions.c.state == running.COMPLETE)
    last = (
        select(consents.c.agreed)
        .where(consents.c.code == people.c.code)
        .order_by(consents.c.id.desc())
        .limit(1)
    )
    return (
        begun.scalar_subquery().label("begun"),
        complete.scalar_subquery().label("complete"),
        last.scalar_subquery().label("consent"),
    )


def _person(row: Row) -> Person:
    return Person(
        code=row.code,
        role=row.role,
        purpose=row.purpose,
        axis=row.axis,
        rung=row.rung,
        enrolled_utc=row.enrolled_utc,
        sessions=row.begun,
        complete=row.complete,
        consent=row.consent,
        withdrawn=row.withdrawn_utc is not None,
    )


def _assignment_of(
    connection: Connection, code: str, pack_id: str, purpose: str
) -> Assignment | None:
    wanted = and_(
        assignments.c.code == code,
        assignments.c.pack_id == pack_id,
        assignments.c.purpose == purpose,
    )
    row = connection.execute(select(assignments).where(wanted)).first()
    return row and Assignment(row.list, row.order)


def _held(connection: Connection, pack_id: str, purpose: str, heard_since: str) -> tuple[Held, ...]:
    """Return the places held by completed sessions and by those heard of lately."""
    of_it = and_(
        sessions.c.code == assignments.c.code,
        sessions.c.pack_id == assignments.c.pack_id,
        sessions.c.purpose == assignments.c.purpose,
    )
    lives = or_(sessions.c.heard_utc > heard_since, sessions.c.state == running.COMPLETE)
    wanted = select(assignments.c.list, assignments.c.order, assignments.c.rig).where(
        assignments.c.pack_id == pack_id,
        assignments.c.purpose == purpose,
        or_(assignments.c.assigned_utc > heard_since, exists().where(of_it, lives)),
        assignments.c.code.not_in(select(withdrawals.c.code)),
    )
    rows = connection.execute(wanted)
    return tuple(Held(Cell(row.list, row.order), row.rig) for row in rows)

"""Places of the design: who holds which, and the one that is given next."""

from dataclasses import dataclass

from sqlalchemy import Connection, and_, exists, not_, or_, select

from participants.registry.cells import Cell, Held
from participants.registry.sessions import COMPLETE
from participants.registry.tables import assignments, sessions, withdrawals


@dataclass(frozen=True, slots=True)
class Assignment:
    """A person's cell of the design: a list of the pack, and an order.

    ``accept_side`` is None for who was assigned before sides were balanced.
    """

    list: str
    order: str
    accept_side: str | None = None


def assignment_of(
    connection: Connection, code: str, pack_id: str, purpose: str
) -> Assignment | None:
    """Return what a person was given for a pack, or None."""
    wanted = and_(
        assignments.c.code == code,
        assignments.c.pack_id == pack_id,
        assignments.c.purpose == purpose,
    )
    row = connection.execute(select(assignments).where(wanted)).first()
    return row and Assignment(row.list, row.order, row.accept_side)


def held_places(
    connection: Connection, pack_id: str, purpose: str, heard_since: str
) -> tuple[Held, ...]:
    """Return the places held by completed sessions and by those heard of lately.

    Who withdrew or was disqualified holds none, though a disqualified person's session goes on.
    """
    of_it = and_(
        sessions.c.code == assignments.c.code,
        sessions.c.pack_id == assignments.c.pack_id,
        sessions.c.purpose == assignments.c.purpose,
    )
    lives = or_(sessions.c.heard_utc > heard_since, sessions.c.state == COMPLETE)
    columns = (getattr(assignments.c, name) for name in ("list", "order", "rig", "accept_side"))
    wanted = select(*columns).where(
        assignments.c.pack_id == pack_id,
        assignments.c.purpose == purpose,
        or_(assignments.c.assigned_utc > heard_since, exists().where(of_it, lives)),
        assignments.c.code.not_in(select(withdrawals.c.code)),
        not_(exists().where(of_it, sessions.c.disqualified_utc.is_not(None))),
    )
    rows = connection.execute(wanted)
    return tuple(Held(Cell(row.list, row.order), row.rig, row.accept_side) for row in rows)

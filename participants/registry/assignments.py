"""Places of the design: who holds which, and the one that is given next."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta

from sqlalchemy import Connection, and_, exists, insert, not_, or_, select

from participants.clock import utc_text
from participants.lists import ListOffer, fitting, rotations_of
from participants.registry.cells import Cell, Held, next_place
from participants.registry.sessions import COMPLETE, person_row, was_left
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


@dataclass(frozen=True, slots=True)
class Place:
    """Who gets a place of the design, of which pack, where and what for."""

    code: str
    study: str
    pack_id: str
    rig: str
    purpose: str = "main"


@dataclass(frozen=True, slots=True)
class PlaceRules:
    """What a place is chosen from, and how.

    Attributes
    ----------
    offers
        The pack's lists; see `offers_of`.
    orders
        The orders that the protocol allows.
    seed
        The protocol's assignment.seed.
    drop_after_s
        The protocol's assignment.drop_after_s: a place whose person hasn't been heard of for so
        long is free again.
    sides
        Where acceptance may lie; given out evenly within list and order. None is given where
        there are none.
    """

    offers: Sequence[ListOffer]
    orders: Sequence[str]
    seed: int
    drop_after_s: float
    sides: Sequence[str] = ()


def given_place(
    connection: Connection, place: Place, rules: PlaceRules, now: datetime
) -> Assignment:
    """Return a person's place, chosen and entered if there is none yet."""
    person = person_row(connection, place.code)
    mine = assignment_of(connection, place.code, place.pack_id, place.purpose)
    if mine is not None:
        return mine
    fit = fitting(rules.offers, person.axis, person.rung)
    cells = [Cell(offer.list, order) for offer in fit for order in rules.orders]
    heard_since = utc_text(now - timedelta(seconds=rules.drop_after_s))
    before = given_places(connection, place.pack_id, place.purpose, heard_since)
    rotations = rotations_of(rules.offers)
    free = next_place(cells, before, place.rig, rules.seed, rules.sides, rotations)
    mine = Assignment(free.cell.list, free.cell.order, free.accept_side)
    row = {**asdict(place), **asdict(mine), "assigned_utc": utc_text(now)}
    connection.execute(insert(assignments).values(row))
    return mine


def given_places(
    connection: Connection, pack_id: str, purpose: str, heard_since: str
) -> tuple[Held, ...]:
    """Return all places that were given, in order.

    Held are those of completed sessions and of those heard of lately. Who declined, withdrew,
    left for good or was disqualified freed theirs, though a disqualified person's session goes on.
    """
    of_it = and_(
        sessions.c.code == assignments.c.code,
        sessions.c.pack_id == assignments.c.pack_id,
        sessions.c.purpose == assignments.c.purpose,
    )
    lives = or_(sessions.c.heard_utc > heard_since, sessions.c.state == COMPLETE)
    held = and_(
        or_(assignments.c.assigned_utc > heard_since, exists().where(of_it, lives)),
        assignments.c.code.not_in(select(withdrawals.c.code)),
        not_(exists().where(of_it, sessions.c.disqualified_utc.is_not(None))),
        not_(exists().where(of_it, was_left())),
    )
    wanted = (
        select(assignments, held.label("held"))
        .where(assignments.c.pack_id == pack_id, assignments.c.purpose == purpose)
        .order_by(assignments.c.id)
    )
    return tuple(
        Held(Cell(row.list, row.order), row.rig, row.accept_side, freed=not row.held)
        for row in connection.execute(wanted)
    )

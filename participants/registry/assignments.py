"""Places of the design: who holds which, and the one that is given next."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta

from sqlalchemy import Connection, and_, exists, insert, not_, or_, select

from participants.clock import utc_text
from participants.lists import ListOffer, fitting, rotations_of
from participants.registry.cells import Cell, Held, emptiest, rarest_side
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
    held = held_places(connection, place.pack_id, place.purpose, heard_since)
    cell = emptiest(cells, held, place.rig, rules.seed, rotations_of(rules.offers))
    side = rarest_side(rules.sides, held, cell, rules.seed) if rules.sides else None
    mine = Assignment(cell.list, cell.order, side)
    row = {**asdict(place), **asdict(mine), "assigned_utc": utc_text(now)}
    connection.execute(insert(assignments).values(row))
    return mine


def held_places(
    connection: Connection, pack_id: str, purpose: str, heard_since: str
) -> tuple[Held, ...]:
    """Return the places held by completed sessions and by those heard of lately.

    Who withdrew, left for good or was disqualified holds none, though a disqualified person's
    session goes on.
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
        not_(exists().where(of_it, was_left())),
    )
    rows = connection.execute(wanted)
    return tuple(Held(Cell(row.list, row.order), row.rig, row.accept_side) for row in rows)

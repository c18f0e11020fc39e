"""Places of the design: who holds which, and which one is given next (the emptiest, balanced).

If a place becomes free, for example because its person failed, the next person doesn't get it:
people who fail one after another would all be in one arm. The place waits until every cell of the
design has been given once more. Then the freed places of all arms are given again in random order.
If the replacement fails too, the place waits until the end of the next round.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta

from sqlalchemy import Connection, and_, exists, insert, not_, or_, select

from participants.clock import utc_text
from participants.lists import Assignment, ListOffer, fitting, rotations_of
from participants.registry.sessions import COMPLETE, person_row, was_left
from participants.registry.tables import assignments, sessions, withdrawals
from stimuli.io.canonical import hash_of


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of the design: a list in an order."""

    list: str
    order: str


@dataclass(frozen=True, slots=True)
class GivenPlace:
    """A place that was given to somebody.

    Attributes
    ----------
    cell, rig
        The place, and where it was given.
    accept_side
        On which side acceptance lies; None where that was never given out.
    freed
        Whether its person no longer counts, so that the place is given again.
    """

    cell: Cell
    rig: str
    accept_side: str | None = None
    freed: bool = False


def next_place(
    cells: Sequence[Cell],
    earlier: Sequence[GivenPlace],
    rig: str,
    seed: int,
    sides: Sequence[str] = (),
    rotations: Mapping[str, str] | None = None,
) -> GivenPlace:
    """Return the next place to give.

    It is in the emptiest cell. After each whole round of the design, freed places are given first,
    in an order drawn by the seed. A round has as many places as the person has cells to choose
    from.

    Parameters
    ----------
    cells, rig, seed, rotations
        As for `emptiest`.
    earlier
        All places that were given before, in order.
    sides
        Sides on which acceptance may lie; if empty, no side is given.
    """
    known = rotations or {}

    def trait(cell: Cell) -> tuple[str, str]:
        return known.get(cell.list, cell.list), cell.order

    open_to = {trait(cell) for cell in cells}
    within = [place for place in earlier if trait(place.cell) in open_to]
    others = [place for place in earlier if trait(place.cell) not in open_to and not place.freed]
    filled, waiting = _filled(within, trait, len(open_to))
    if waiting and len(filled) % len(open_to) == 0:
        drawn = filled.pop(min(waiting, key=lambda nth: hash_of([seed, len(earlier), nth])))
        cells = [cell for cell in cells if trait(cell) == trait(drawn.cell)]
    held = [*filled.values(), *others]
    cell = emptiest(cells, held, rig, seed, rotations)
    return GivenPlace(cell, rig, rarest_side(sides, held, cell, seed) if sides else None)


def _filled(
    earlier: Sequence[GivenPlace], trait: Callable[[Cell], Hashable], round_size: int
) -> tuple[dict[int, GivenPlace], list[int]]:
    """Return the places that count as filled, by number, and the numbers of those to give again.

    A place that was given after whole rounds replaced an earlier freed place that was like it.
    """
    filled: dict[int, GivenPlace] = {}
    waiting: list[int] = []
    failed_again: list[int] = []
    for number, place in enumerate(earlier):
        between_rounds = waiting and len(filled) % round_size == 0
        alike = (nth for nth in waiting if trait(filled[nth].cell) == trait(place.cell))
        replaced = next(alike, None) if between_rounds else None
        if replaced is None:
            waiting += failed_again
            failed_again = []
        else:
            del filled[replaced]
            waiting.remove(replaced)
        filled[number] = place
        if place.freed:
            (waiting if replaced is None else failed_again).append(number)
    return filled, waiting


def emptiest(
    cells: Sequence[Cell],
    held: Sequence[GivenPlace],
    rig: str,
    seed: int,
    rotations: Mapping[str, str] | None = None,
) -> Cell:
    """Return the cell to fill next.

    Cells are compared by how many places are held in them. The first count is the cell's on this
    rig, so that the cells of every rig are filled evenly whatever the order of its people; then the
    cell's on all rigs. Next come, each on all rigs and then on this rig, the counts of its rotation
    in its order, its order, its rotation and its list. Ties are decided by the seed and the number
    of places held, so that the sequence is the same on every PC.

    Parameters
    ----------
    cells
        The cells open to this person; at least one.
    held
        Places that count as filled, of these cells or not.
    rig
        Where the person is.
    seed
        The study's seed of assignment.
    rotations
        The rotation of each list (see `ListOffer`); a list that isn't named is its own rotation.
    """
    known = rotations or {}

    def rotation(cell: Cell) -> str:
        return known.get(cell.list, cell.list)

    traits: tuple[Callable[[Cell], Hashable], ...] = (
        lambda cell: cell,
        lambda cell: (rotation(cell), cell.order),
        lambda cell: cell.order,
        rotation,
        lambda cell: cell.list,
    )
    everywhere = [place.cell for place in held]
    here = [place.cell for place in held if place.rig == rig]
    first, *others = ((trait, group) for trait in traits for group in (everywhere, here))
    ranked = (others[0], first, *others[1:])
    counts = [(trait, Counter(map(trait, group))) for trait, group in ranked]

    def fullness(cell: Cell) -> tuple[int | str, ...]:
        taken = (count[trait(cell)] for trait, count in counts)
        return (*taken, hash_of([seed, len(held), cell.list, cell.order]))

    return min(cells, key=fullness)


def rarest_side(sides: Sequence[str], held: Sequence[GivenPlace], cell: Cell, seed: int) -> str:
    """Return the side on which acceptance lies for the next holder of a cell.

    It is the side given less often in this cell; if equal, in this order of runs; then in all
    cells. Remaining ties are decided as in `emptiest`.

    Parameters
    ----------
    sides
        The sides to choose from.
    held
        As for `emptiest`.
    cell
        The place that is given.
    seed
        The study's seed of assignment.
    """
    groups = (
        Counter(place.accept_side for place in held if place.cell == cell),
        Counter(place.accept_side for place in held if place.cell.order == cell.order),
        Counter(place.accept_side for place in held),
    )
    return min(
        sides,
        key=lambda side: (
            *(group[side] for group in groups),
            hash_of([seed, len(held), cell.list, cell.order, side]),
        ),
    )


def assignment_of(
    connection: Connection, code: str, pack_id: str, purpose: str
) -> Assignment | None:
    """Return a person's assignment for a pack, or None."""
    wanted = and_(
        assignments.c.code == code,
        assignments.c.pack_id == pack_id,
        assignments.c.purpose == purpose,
    )
    row = connection.execute(select(assignments).where(wanted)).first()
    return row and Assignment(row.list, row.order, row.accept_side)


@dataclass(frozen=True, slots=True)
class Place:
    """A request for a place in the design: person, pack, rig and purpose."""

    code: str
    study: str
    pack_id: str
    rig: str
    purpose: str = "main"


@dataclass(frozen=True, slots=True)
class PlaceRules:
    """The rules by which a place is chosen.

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
        Sides on which acceptance may lie, given evenly within list and order; if empty, no side is
        given.
    """

    offers: Sequence[ListOffer]
    orders: Sequence[str]
    seed: int
    drop_after_s: float
    sides: Sequence[str] = ()


def given_place(
    connection: Connection, place: Place, rules: PlaceRules, now: datetime
) -> Assignment:
    """Return a person's place; choose and enter one if there is none yet."""
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
) -> tuple[GivenPlace, ...]:
    """Return all places that were given, in order.

    Places of completed sessions and of sessions heard of lately are held. People who declined,
    withdrew, left for good or were disqualified free theirs, though a disqualified person's session
    goes on.
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
        GivenPlace(Cell(row.list, row.order), row.rig, row.accept_side, freed=not row.held)
        for row in connection.execute(wanted)
    )

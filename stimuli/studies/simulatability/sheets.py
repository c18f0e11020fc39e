"""In which order the sheets show the items."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Final

from stimuli.io.canonical import keyed_order
from stimuli.studies.simulatability.material import DomainMaterial, Item, Material, Section, Use
from stimuli.studies.simulatability.protocol import Simulatability, arm_of, sheet_name

LEARNING_SECTIONS: Final = ("learning", "learning_again")
SECTIONS_OF: Final[Mapping[str, tuple[Section, ...]]] = {
    "forward": ("forward_pre", "learning_again", "forward_post"),
    "counterfactual": ("counterfactual_pre", "counterfactual_post"),
}


@dataclass(frozen=True, slots=True)
class Entry:
    """A place of a sheet: list, arm, section, position from 1, and the item's key."""

    sheet: str
    arm: str
    section: Section
    position: int
    item: str


def sections_of(tests: Sequence[str]) -> tuple[Section, ...]:
    """Return the sections of a session with these tests, in order."""
    return ("learning", *(section for test in tests for section in SECTIONS_OF[test]))


def use_of(section: Section) -> Use:
    """Return what the items of a section are for."""
    if section in LEARNING_SECTIONS:
        return "learning"
    return "forward" if section.startswith("forward") else "counterfactual"


def sheets_of(protocol: Simulatability, material: Material, key: str) -> Iterator[Entry]:
    """Yield all entries, sheet by sheet and arm by arm.

    A domain's examples have one order in all sheets, methods and times. A test's items have an
    order of their own in each sheet, method and section. Given orders are kept in every sheet.

    Parameters
    ----------
    protocol
        Names arms, tests and the number of sheets.
    material
        The items, and the orders that must be kept.
    key
        Root of every keyed draw.
    """
    by_name = {domain.name: domain for domain in material.domains}
    for number in range(1, protocol.design.sheets + 1):
        for name in protocol.design.domains:
            for method in protocol.design.methods:
                orders = _orders(protocol, by_name[name], method, number, key)
                for section, items in orders.items():
                    for position, item in enumerate(items, start=1):
                        arm = arm_of(name, method)
                        yield Entry(sheet_name(number), arm, section, position, item)


def _orders(
    protocol: Simulatability, domain: DomainMaterial, method: str, sheet: int, key: str
) -> dict[Section, list[str]]:
    orders: dict[Section, list[str]] = {}
    for section in sections_of(protocol.design.tests):
        items = [item for item in domain.items if item.use == use_of(section)]
        order = given_order(domain, method, section)
        if order is not None:
            keys = {item.source_id: item.key(domain.name) for item in items}
            orders[section] = [keys[source_id] for source_id in order]
        elif section in LEARNING_SECTIONS:
            orders[section] = keyed_order(_keys(items, domain), key, domain.name, "learning")
        else:
            where = (key, domain.name, method, sheet, section)
            orders[section] = _unlike(_keys(items, domain), list(orders.values()), *where)
    return orders


def given_order(domain: DomainMaterial, method: str, section: Section) -> Sequence[str] | None:
    """Return the order that a section must have as source ids; None where it is free.

    Examples have the order of any method of theirs that has one given.
    """
    if section not in LEARNING_SECTIONS:
        return domain.orders.get((method, section))
    orders = (order for (_, other), order in domain.orders.items() if other in LEARNING_SECTIONS)
    return next(orders, None)


def _keys(items: Sequence[Item], domain: DomainMaterial) -> list[str]:
    return [item.key(domain.name) for item in items]


def _unlike(keys: Sequence[str], others: Sequence[list[str]], *where: str | int) -> list[str]:
    """Return a keyed order that none of the others is."""
    orders = (keyed_order(keys, *where, attempt) for attempt in count())
    return next(order for order in orders if order not in others)

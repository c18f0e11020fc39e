"""Which images a participant sees with which method, in which sitting and order.

A list has every image once. Images of a class take the methods in turn, and so do classes one
after another; over as many lists as there are methods each image has each of them. Sittings
are alike in classes and methods, and no class comes twice in a row where that can be.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from stimuli.io.canonical import keyed_order
from stimuli.studies.progressive_reveal.balance import apart, spread
from stimuli.studies.progressive_reveal.protocol import ProgressiveReveal
from stimuli.studies.progressive_reveal.tables import PRACTICE_SITTING

ClassOf = Mapping[str, str]
"""An image's class by item."""


@dataclass(frozen=True, slots=True)
class Entry:
    """What a list shows at a place of a sitting."""

    sitting: int
    position: int
    item: str
    method: str


def lists_of(
    protocol: ProgressiveReveal, main: ClassOf, practice: ClassOf, key: str
) -> dict[str, list[Entry]]:
    """Return each list's entries by the list's id.

    Parameters
    ----------
    protocol
        Methods, sittings and orders.
    main, practice
        The images of the main rounds, and those of practice in their order.
    key
        Root of every keyed draw.
    """
    methods = protocol.reveal.methods
    count = len(methods) * protocol.session.orders_per_rotation
    lists = {}
    for number in range(count):
        order, rotation = divmod(number, len(methods))
        name = f"l{number + 1:0{len(str(count))}d}"
        first = [
            Entry(PRACTICE_SITTING, nth + 1, item, methods[(nth + rotation) % len(methods)])
            for nth, item in enumerate(practice)
        ]
        turn = {item: nth for nth, item in enumerate(_by_class(main, key, order))}
        method_of = {item: methods[(nth + rotation) % len(methods)] for item, nth in turn.items()}
        lists[name] = first + _sittings(protocol, main, method_of, key, name)
    return lists


def _by_class(class_of: ClassOf, key: str, order: int) -> list[str]:
    """Return the images class by class, both in a keyed order."""
    classes = {
        name: nth
        for nth, name in enumerate(keyed_order(set(class_of.values()), key, "classes", order))
    }
    items = keyed_order(class_of, key, "turns", order)
    return sorted(items, key=lambda item: classes[class_of[item]])


def _sittings(
    protocol: ProgressiveReveal,
    class_of: ClassOf,
    method_of: Mapping[str, str],
    key: str,
    name: str,
) -> list[Entry]:
    items = keyed_order(class_of, key, "sittings", name)
    pairs = [(class_of[item], method_of[item]) for item in items]
    parts = spread(pairs, protocol.session.sittings)
    entries = []
    for sitting in range(1, protocol.session.sittings + 1):
        own = [item for item, part in zip(items, parts, strict=True) if part == sitting - 1]
        ordered = apart(keyed_order(own, key, "positions", name), lambda item: class_of[item])
        entries += [
            Entry(sitting, place, item, method_of[item]) for place, item in enumerate(ordered, 1)
        ]
    return entries

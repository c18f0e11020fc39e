"""Which images a participant sees with which method, in which sitting and order.

A list has every image once. Images of a class take the methods in turn, and so do classes one
after another; over as many lists as there are methods each image has each of them. Sittings
are alike in classes and methods, and no class occurs twice in a row where that can be. Catch rounds
are spread evenly over sittings and along them; none comes first, and no two come in a row.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from stimuli.io.canonical import keyed_order
from stimuli.studies.progressive_reveal.balance import apart, spread
from stimuli.studies.progressive_reveal.catch import catch_method
from stimuli.studies.progressive_reveal.protocol import ProgressiveReveal
from stimuli.studies.progressive_reveal.tables import CATCH_KINDS, PRACTICE_SITTING

ClassOf = Mapping[str, str]
"""An image's class by item."""
Shown = tuple[str, str]
"""An image, and what uncovers it."""


@dataclass(frozen=True, slots=True)
class Entry:
    """What a list shows at a place of a sitting."""

    sitting: int
    position: int
    item: str
    method: str


def lists_of(
    protocol: ProgressiveReveal,
    main: ClassOf,
    practice: ClassOf,
    key: str,
    catch: ClassOf = MappingProxyType({}),
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
    catch
        The images of the catch rounds; each is of one kind in every second list.
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
        mains = _sittings(protocol, main, method_of, key, name)
        caught = _caught(protocol, catch, number, key, name)
        rounds = (
            _with_catch(own, those, {**main, **catch}, [key, "places", name])
            for own, those in zip(mains, caught, strict=True)
        )
        lists[name] = first + [
            Entry(sitting, place, *shown)
            for sitting, own in enumerate(rounds, 1)
            for place, shown in enumerate(own, 1)
        ]
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
) -> list[list[Shown]]:
    """Return the main rounds of each sitting, in order."""
    items = keyed_order(class_of, key, "sittings", name)
    pairs = [(class_of[item], method_of[item]) for item in items]
    parts = spread(pairs, protocol.session.sittings)
    orders = []
    for sitting in range(protocol.session.sittings):
        own = [item for item, part in zip(items, parts, strict=True) if part == sitting]
        ordered = apart(keyed_order(own, key, "positions", name), lambda item: class_of[item])
        orders.append([(item, method_of[item]) for item in ordered])
    return orders


def _caught(
    protocol: ProgressiveReveal, catch: ClassOf, number: int, key: str, name: str
) -> list[list[Shown]]:
    """Return the catch rounds of each sitting of the list of that number."""
    kinds = tuple(CATCH_KINDS)
    kind_of = {
        item: kinds[(nth + number) % len(kinds)]
        for nth, item in enumerate(keyed_order(catch, key, "catch"))
    }
    items = keyed_order(catch, key, "catch", name)
    parts = spread([(kind_of[item], kind_of[item]) for item in items], protocol.session.sittings)
    return [
        [
            (item, catch_method(kind_of[item]))
            for item, part in zip(items, parts, strict=True)
            if part == sitting
        ]
        for sitting in range(protocol.session.sittings)
    ]


def _with_catch(
    order: Sequence[Shown], caught: Sequence[Shown], class_of: ClassOf, key: Sequence[str]
) -> list[Shown]:
    """Return a sitting's rounds with its catch rounds, each in a stretch of its own.

    A catch round comes after a main round, beside images of other classes where that can be.
    """
    after: dict[int, Shown] = {}
    for nth, shown in enumerate(caught):
        first, last = (len(order) * place // len(caught) for place in (nth, nth + 1))
        own = class_of[shown[0]]
        places = keyed_order(range(first, last), *key, nth)
        fits = (
            place
            for place in places
            if own not in {class_of[item] for item, _ in order[place : place + 2]}
        )
        after[next(fits, places[0])] = shown
    rounds: list[Shown] = []
    for place, shown in enumerate(order):
        rounds += [shown, after[place]] if place in after else [shown]
    return rounds

"""Which images a participant sees with which method, in which sitting and order; catch rounds.

A list has every image once. Methods take turns over the images of a class, and over classes. Over
as many lists as there are methods, each image has each of them. Sittings have the same mix of
classes and methods, and no class occurs twice in a row where that can be avoided.

In a catch round the image isn't uncovered by a method's map, so the answer tells about the person
alone. There are two kinds. A hidden image can't be recognised until the last step: a small spot
grows in a place where there is little to see, and the last step shows all the rest. Anybody who
names it earlier has guessed. A whole image is shown at once, and anybody who looks names it. Catch
rounds are spread evenly over sittings and within them. None comes first, and no two come in a row.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import pi, sqrt
from types import MappingProxyType
from typing import Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from stimuli.images.filters import smooth
from stimuli.io.canonical import keyed_order
from stimuli.studies.progressive_reveal.material import Picture
from stimuli.studies.progressive_reveal.protocol import NO_METHOD, ProgressiveReveal
from stimuli.studies.progressive_reveal.reveal import Schedule, counts
from stimuli.studies.progressive_reveal.tables import CATCH_KINDS, PRACTICE_SITTING

HIDDEN: Final = "hidden"
WHOLE: Final = "whole"
SPOT_SHARE: Final = 0.02
"""Share of the image that is uncovered before the last step of a ``hidden`` catch round."""
EDGE_SHARE: Final = 0.25
"""The spot's centre is at most this part of the image's side away from the edge."""
FIGURE_WEIGHT: Final = 255.0
"""How much a pixel of the object counts against a place, in steps of contrast."""


def catch_method(kind: str) -> str:
    """Return the value of the column ``method`` for a kind of catch round."""
    return f"{NO_METHOD}{kind}"


def catch_kind(method: str) -> str | None:
    """Return the kind of catch round from the value of ``method``; None for a real method."""
    kind = method.removeprefix(NO_METHOD)
    return kind if method.startswith(NO_METHOD) and kind in CATCH_KINDS else None


def catch_schedule(picture: Picture, kind: str, steps: int) -> Schedule:
    """Return when each pixel of a catch round's image is uncovered.

    Parameters
    ----------
    picture
        The image; its figure, where that is known, is kept covered as far as can be.
    kind
        One of `CATCH_KINDS`.
    steps
        Number of steps; 2 or more for a hidden one.
    """
    shape = picture.image.shape[:2]
    if kind == WHOLE:
        return Schedule(np.ones(shape, np.uint8), (picture.image[..., 0].size,) * steps, False)
    size = shape[0] * shape[1]
    pixels = (*counts(max(1, int(SPOT_SHARE * size)), steps - 1).tolist(), size)
    step_of = np.full(size, steps, np.uint8)
    spot = _outwards(shape, _flat_place(picture))[: pixels[-2]]
    step_of[spot] = 1 + np.searchsorted(pixels, np.arange(len(spot)), side="right")
    return Schedule(step_of.reshape(shape), pixels, False)


def _outwards(shape: tuple[int, int], centre: tuple[int, int]) -> NDArray[np.intp]:
    """Return all places of a flattened image, those near a centre first."""
    row, column = np.indices(shape)
    away = (row - centre[0]) ** 2 + (column - centre[1]) ** 2
    return np.argsort(away.ravel(), kind="stable")


def _flat_place(picture: Picture) -> tuple[int, int]:
    """Return the place near the edge with least contrast and least of the object.

    It is the row and column of the pixel around which a spot of `SPOT_SHARE` shows least.
    """
    height, width = picture.image.shape[:2]
    radius_px = sqrt(SPOT_SHARE * height * width / pi)
    down, across = np.gradient(picture.image.mean(axis=2))
    seen = np.hypot(down, across)
    if picture.figure is not None:
        seen = seen + FIGURE_WEIGHT * picture.figure
    row, column = np.indices((height, width))
    inside_px = np.minimum.reduce([row, column, height - 1 - row, width - 1 - column])
    allowed = (inside_px >= radius_px) & (inside_px <= EDGE_SHARE * min(height, width))
    place = np.where(allowed, smooth(seen, radius_px), np.inf).argmin()
    return int(place) // width, int(place) % width


ClassOf = Mapping[str, str]
"""An image's class by item."""
Presentation = tuple[str, str]
"""An image, and what uncovers it."""

T = TypeVar("T")

Pair = tuple[Hashable, Hashable]

Vertex = tuple[int, Hashable, int]


def spread(pairs: Sequence[Pair], parts: int) -> list[int]:
    """Return a part for each pair, so that both of its values are spread evenly.

    Of the pairs that share a value (the first, or the second) any two parts hold equally many
    but for one, and so do they of all pairs; earlier parts are never smaller. This is always
    possible: it is an equitable colouring of a bipartite multigraph's edges (de Werra 1971).
    Values are vertices, pairs are edges, and vertices are split until none has more edges than
    there are parts, so that König's colouring, made by swapping along alternating paths, is
    the even one.

    Parameters
    ----------
    pairs
        Pairs of values; their order decides among the even spreads.
    parts
        Number of parts.

    Returns
    -------
    list of int
        0 … parts − 1 for each pair.
    """
    colouring = _Colouring(_split(pairs, parts), parts)
    for edge in range(len(pairs)):
        colouring.colour(edge)
    colouring.level()
    size = Counter(colouring.of)
    by_size = sorted(range(parts), key=lambda part: (-size[part], part))
    return [by_size.index(part) for part in colouring.of]


def apart(values: Sequence[T], kind: Callable[[T], Hashable]) -> list[T]:
    """Return values in nearly their order, no kind twice in a row if that is possible.

    Each time, the first value comes that lets the rest still be kept apart.
    """
    left, left_of = list(values), Counter(map(kind, values))
    placed: list[T] = []
    last: Hashable = None
    while left:
        place = next(_possible(left, left_of, kind, last), None)
        if place is None:  # there are too many of one kind: it goes to the earliest possible place
            most = max(left_of.values())
            place = next(nth for nth, value in enumerate(left) if left_of[kind(value)] == most)
        last = kind(left[place])
        left_of[last] -= 1
        placed.append(left.pop(place))
    return placed


def _possible(
    values: Sequence[T], left_of: Counter[Hashable], kind: Callable[[T], Hashable], last: Hashable
) -> Iterator[int]:
    """Yield the places of values that may come next so that the rest can be kept apart."""
    rest = len(values) - 1
    for place, value in enumerate(values):
        its_kind = kind(value)
        others = max((n for other, n in left_of.items() if other != its_kind), default=0)
        if its_kind != last and left_of[its_kind] - 1 <= rest // 2 and others <= (rest + 1) // 2:
            yield place


def _split(pairs: Sequence[Pair], parts: int) -> list[tuple[Vertex, Vertex]]:
    """Return edges between vertices that have at most as many edges as there are parts."""
    seen: Counter[tuple[int, Hashable]] = Counter()
    edges = []
    for pair in pairs:
        ends = tuple((side, value, seen[side, value] // parts) for side, value in enumerate(pair))
        seen.update(enumerate(pair))
        edges.append((ends[0], ends[1]))
    return edges


class _Colouring:
    """Colours of edges, no two alike at a vertex."""

    def __init__(self, edges: Sequence[tuple[Vertex, Vertex]], colours: int) -> None:
        self.edges = edges
        self.colours = range(colours)
        self.of = [-1] * len(edges)
        self.size: Counter[int] = Counter()
        self.at: dict[Vertex, dict[int, int]] = defaultdict(dict)

    def colour(self, edge: int) -> None:
        """Give an edge a colour, the rarest that both its ends lack, or make room for one."""
        left, right = self.edges[edge]
        free = [colour for colour in self.colours if colour not in self.at[left]]
        both = [colour for colour in free if colour not in self.at[right]]
        if both:
            self._set(edge, min(both, key=lambda colour: (self.size[colour], colour)))
            return
        lacked = next(colour for colour in self.colours if colour not in self.at[right])
        self._swap(self._path(right, free[0], lacked), free[0], lacked)
        self._set(edge, free[0])

    def level(self) -> None:
        """Make all colours equally frequent but for one, by swapping whole paths."""
        while True:
            often = max(self.colours, key=lambda colour: self.size[colour])
            rare = min(self.colours, key=lambda colour: self.size[colour])
            if self.size[often] - self.size[rare] <= 1:
                return
            # A path with more edges of the one colour starts and ends with it.
            paths = (
                self._path(end, often, rare)
                for edge, colour in enumerate(self.of)
                if colour == often
                for end in self.edges[edge]
                if rare not in self.at[end]
            )
            self._swap(next(path for path in paths if len(path) % 2), often, rare)

    def _path(self, start: Vertex, first: int, second: int) -> list[int]:
        """Return the edges of alternating colours from a vertex on, the first one first."""
        path: list[int] = []
        vertex, wanted, then = start, first, second
        while wanted in self.at[vertex]:
            edge = self.at[vertex][wanted]
            path.append(edge)
            left, right = self.edges[edge]
            vertex = right if vertex == left else left
            wanted, then = then, wanted
        return path

    def _swap(self, path: Sequence[int], first: int, second: int) -> None:
        """Exchange the two colours along a path that begins with the first."""
        for edge in path:
            self._unset(edge)
        for place, edge in enumerate(path):
            self._set(edge, first if place % 2 else second)

    def _set(self, edge: int, colour: int) -> None:
        self.of[edge] = colour
        self.size[colour] += 1
        for end in self.edges[edge]:
            self.at[end][colour] = edge

    def _unset(self, edge: int) -> None:
        colour = self.of[edge]
        self.size[colour] -= 1
        for end in self.edges[edge]:
            del self.at[end][colour]


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
            _with_catch(main_rounds, catch_rounds, {**main, **catch}, [key, "places", name])
            for main_rounds, catch_rounds in zip(mains, caught, strict=True)
        )
        lists[name] = first + [
            Entry(sitting, place, *presentation)
            for sitting, shown_rounds in enumerate(rounds, 1)
            for place, presentation in enumerate(shown_rounds, 1)
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
) -> list[list[Presentation]]:
    """Return the main rounds of each sitting, in order."""
    items = keyed_order(class_of, key, "sittings", name)
    pairs = [(class_of[item], method_of[item]) for item in items]
    parts = spread(pairs, protocol.session.sittings)
    orders = []
    for sitting in range(protocol.session.sittings):
        in_sitting = [item for item, part in zip(items, parts, strict=True) if part == sitting]
        ordered = apart(
            keyed_order(in_sitting, key, "positions", name), lambda item: class_of[item]
        )
        orders.append([(item, method_of[item]) for item in ordered])
    return orders


def _caught(
    protocol: ProgressiveReveal, catch: ClassOf, number: int, key: str, name: str
) -> list[list[Presentation]]:
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
    order: Sequence[Presentation],
    caught: Sequence[Presentation],
    class_of: ClassOf,
    key: Sequence[str],
) -> list[Presentation]:
    """Return a sitting's rounds with its catch rounds, each in a stretch of its own.

    A catch round comes after a main round, beside images of other classes where that can be.
    """
    after: dict[int, Presentation] = {}
    for nth, presentation in enumerate(caught):
        first, last = (len(order) * place // len(caught) for place in (nth, nth + 1))
        its_class = class_of[presentation[0]]
        places = keyed_order(range(first, last), *key, nth)
        fits = (
            place
            for place in places
            if its_class not in {class_of[item] for item, _ in order[place : place + 2]}
        )
        after[next(fits, places[0])] = presentation
    rounds: list[Presentation] = []
    for place, presentation in enumerate(order):
        rounds += [presentation, after[place]] if place in after else [presentation]
    return rounds

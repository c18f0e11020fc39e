"""Even spreads: over sittings, and along them."""

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import TypeVar

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
    """Return values in nearly their order, no kind twice in a row where that can be.

    The first that may come does, as long as the rest can still be kept apart.
    """
    left, left_of = list(values), Counter(map(kind, values))
    placed: list[T] = []
    last: Hashable = None
    while left:
        place = next(_possible(left, left_of, kind, last), None)
        if place is None:  # one kind is too many: it goes wherever it may, soonest
            most = max(left_of.values())
            place = next(nth for nth, one in enumerate(left) if left_of[kind(one)] == most)
        last = kind(left[place])
        left_of[last] -= 1
        placed.append(left.pop(place))
    return placed


def _possible(
    left: Sequence[T], left_of: Counter[Hashable], kind: Callable[[T], Hashable], last: Hashable
) -> Iterator[int]:
    """Yield places of values that may come next and leave a rest that can be kept apart."""
    rest = len(left) - 1
    for place, one in enumerate(left):
        own = kind(one)
        others = max((n for other, n in left_of.items() if other != own), default=0)
        if own != last and left_of[own] - 1 <= rest // 2 and others <= (rest + 1) // 2:
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
        one, other = self.edges[edge]
        free = [colour for colour in self.colours if colour not in self.at[one]]
        both = [colour for colour in free if colour not in self.at[other]]
        if both:
            self._set(edge, min(both, key=lambda colour: (self.size[colour], colour)))
            return
        lacked = next(colour for colour in self.colours if colour not in self.at[other])
        self._swap(self._path(other, free[0], lacked), free[0], lacked)
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
            one, other = self.edges[edge]
            vertex = other if vertex == one else one
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

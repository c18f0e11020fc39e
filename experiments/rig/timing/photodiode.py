"""The photodiode of the virtual rig: a process that watches the framebuffer's marker patch."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from experiments.rig.timing.programs import observing, program

NAP_US = 50


@dataclass(frozen=True, slots=True)
class Edge:
    """The patch became light or dark.

    Attributes
    ----------
    seen_s
        When a look found it changed, monotonic.
    gap_s
        How long before that the last look was: the change lies in between.
    light
        Whether it became light.
    """

    seen_s: float
    gap_s: float
    light: bool

    @property
    def t_s(self) -> float:
        """The best guess of when: the middle between the two looks."""
        return self.seen_s - self.gap_s / 2


class Photodiode:
    """Edges seen so far, in the order in which they happened."""

    def __init__(self, edges: list[Edge]) -> None:
        self._edges = edges

    @property
    def edges(self) -> tuple[Edge, ...]:
        """All of them; may be asked for at any time."""
        return tuple(self._edges)


@contextmanager
def photodiode(framebuffer: Path, nap_us: int = NAP_US) -> Iterator[Photodiode]:
    """Give a photodiode over the 64 × 64 pixels in the top left corner of a framebuffer.

    Parameters
    ----------
    framebuffer
        File in which an X server mirrors its pixels (`virtual_display(framebuffer_dir=...)`).
    nap_us
        Sleep between two looks, microseconds.

    Raises
    ------
    UserError
        If the program can't be built, or the file is no framebuffer of 32 bits a pixel.
    """
    command = [str(program("photodiode")), str(framebuffer), str(nap_us)]
    with observing(command, _edge, "the photodiode can't see") as (_, edges):
        yield Photodiode(edges)


def _edge(line: str) -> Edge:
    seen_ns, gap_ns, level = map(int, line.split())
    return Edge(seen_ns / 1e9, gap_ns / 1e9, bool(level))

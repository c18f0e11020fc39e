"""The photodiode of the virtual rig: a process that watches the framebuffer's marker patch."""

import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from experiments.rig.timing.programs import program
from stimuli.errors import UserError

NAP_US = 50
GONE_WITHIN_S = 5.0


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

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self._edges: list[Edge] = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    @property
    def edges(self) -> tuple[Edge, ...]:
        """All of them; may be asked for at any time."""
        return tuple(self._edges)

    def close(self) -> None:
        """Stop watching."""
        self._process.terminate()
        self._process.wait(timeout=GONE_WITHIN_S)
        self._reader.join(timeout=GONE_WITHIN_S)

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            seen_ns, gap_ns, level = map(int, line.split())
            self._edges.append(Edge(seen_ns / 1e9, gap_ns / 1e9, bool(level)))


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
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stderr is not None
    if not process.stdout.readline().startswith("watching"):
        said = process.stderr.read().strip()
        raise UserError(f"virtual rig: the photodiode can't see: {said}")
    diode = Photodiode(process)
    try:
        yield diode
    finally:
        diode.close()

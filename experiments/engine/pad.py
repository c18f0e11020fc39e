"""A response pad: a box whose buttons send bytes over a serial line.

A thread waits for the bytes and stamps each as it arrives, so a press isn't stamped when a frame
polls it. What the line itself takes (about a byte's length, and an USB adapter's latency timer) is
the pad's lag in the rig's profile.
"""

import sys
import threading
import time
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final, Protocol

from experiments.engine.input import Press
from experiments.engine.stage import raise_priority
from stimuli.devices import PAD
from stimuli.errors import UserError

SOONEST_S: Final = 0.0001
"""How long another thread's Python code may go on after a byte has come."""
WAIT_S: Final = 0.05
"""How long a read waits for a byte, and so how long closing takes."""


@dataclass(frozen=True, slots=True)
class PadLine:
    """Where a pad is connected, and what its buttons stand for.

    Attributes
    ----------
    port, baud
        The serial port, such as ``COM3`` or ``/dev/ttyUSB0``, and its speed in bits a second.
    keys
        The key that each byte stands for, by the character that is sent.
    """

    port: str
    baud: int
    keys: Mapping[str, str]


class Line(Protocol):
    """A serial line that is read."""

    @property
    def port(self) -> str | None:
        """Its name."""
        ...

    def read(self) -> bytes:
        """Return the next byte; nothing if none came within `WAIT_S`."""
        ...

    def close(self) -> None:
        """Close the line."""
        ...


class Pad:
    """Polls a pad's presses; bytes that stand for no key aren't presses.

    Parameters
    ----------
    line
        The open line.
    keys
        Keys by character; see `PadLine`.
    """

    def __init__(self, line: Line, keys: Mapping[str, str]) -> None:
        self._line = line
        self._keys = {character.encode("latin-1"): key for character, key in keys.items()}
        self._arrived: deque[tuple[float, bytes]] = deque()
        self._over = threading.Event()
        self._lost: Exception | None = None
        self._thread = threading.Thread(target=self._listen, name="pad", daemon=True)
        self._thread.start()

    def _listen(self) -> None:
        # On Linux a thread's priority is its own: drawing would delay the stamps otherwise.
        raise_priority()
        while not self._over.is_set():
            try:
                byte = self._line.read()
            except Exception as error:  # whatever the driver raises: the pad was unplugged
                self._lost = error
                return
            if byte:
                self._arrived.append((time.perf_counter(), byte))

    @property
    def port(self) -> str:
        """The line's name."""
        return self._line.port or ""

    def poll(self) -> tuple[Press, ...]:
        """Return the presses since the last poll, in the order in which they were made.

        Raises
        ------
        UserError
            If the pad was unplugged.
        """
        if self._lost is not None:
            raise UserError(f"pad: it can't be read any more ({self._lost}); plug it in again")
        presses = []
        while self._arrived:
            t_s, byte = self._arrived.popleft()
            if byte in self._keys:
                presses.append(Press(self._keys[byte], t_s, device=PAD))
        return tuple(presses)

    def close(self) -> None:
        """Stop listening, and close the line."""
        self._over.set()
        self._thread.join(timeout=2 * WAIT_S + 1)
        self._line.close()


@contextmanager
def open_pad(place: PadLine) -> Iterator[Pad]:
    """Listen to a pad for the block.

    Raises
    ------
    UserError
        If there is no such port, or another program uses it.
    """
    import serial

    try:
        line = serial.Serial(place.port, place.baud, timeout=WAIT_S)
    except (OSError, ValueError) as error:  # pyserial's own errors are OSErrors
        raise UserError(
            f"pad: port {place.port} can't be opened ({error}); see that the pad is plugged in, "
            "and [pad] in the rig's profile"
        ) from None
    line.reset_input_buffer()
    with listening(line, place.keys) as pad:
        yield pad


@contextmanager
def listening(line: Line, keys: Mapping[str, str]) -> Iterator[Pad]:
    """Listen to a line for the block; the arguments are those of `Pad`."""
    usual_s = sys.getswitchinterval()
    # Otherwise a byte waits up to 5 ms for a frame's Python code before it is stamped.
    sys.setswitchinterval(SOONEST_S)
    pad = Pad(line, keys)
    try:
        yield pad
    finally:
        pad.close()
        sys.setswitchinterval(usual_s)

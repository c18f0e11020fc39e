"""A robot's response pad: a pseudo-terminal in place of a serial line."""

import os
import select
import string
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from experiments.engine.pad import WAIT_S, Pad, listening
from stimuli.errors import UserError

KEYS: Final = {character: character for character in string.digits + string.ascii_lowercase}
"""A robot's pad has a button for each key that a protocol may name."""


class _Terminal:
    """The end of a pseudo-terminal that is read; what is written to its port arrives here."""

    def __init__(self) -> None:
        assert sys.platform == "linux"
        import tty

        self._read, self._write = os.openpty()
        tty.setraw(self._write)
        self.port = os.ttyname(self._write)

    def read(self) -> bytes:
        ready, _, _ = select.select([self._read], [], [], WAIT_S)
        return os.read(self._read, 1) if ready else b""

    def close(self) -> None:
        os.close(self._read)
        os.close(self._write)


@contextmanager
def robot_pad() -> Iterator[Pad]:
    """Listen to a pad that only robots press, for the block.

    Raises
    ------
    UserError
        If this system has no pseudo-terminals that robots can press.
    """
    if sys.platform != "linux":
        raise UserError("robot: a response pad can be pressed on Linux only so far")
    with listening(_Terminal(), KEYS) as pad:
        yield pad

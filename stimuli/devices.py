"""Devices that participants answer with.

A pad is a response box: each button sends a byte, which stands for a key. So whatever is said of
keys holds for it, too. Only a pointing device differs: its presses have a place on the screen.
"""

from typing import Final, Literal

DeviceName = Literal["keyboard", "mouse", "pad"]
MOUSE: Final = "mouse"
PAD: Final = "pad"


def is_pointing(device: str) -> bool:
    """Return whether a device's presses have a place on the screen, and no keys."""
    return device == MOUSE

"""Names that say nothing of what they name."""

from collections.abc import Sequence
from typing import Final

from stimuli.io.canonical import hash_of

ID_DIGITS: Final = 12


def opaque(origin: Sequence[str]) -> str:
    """Return the hexadecimal digits that stand for an origin."""
    return hash_of(list(origin))[:ID_DIGITS]


def asset_file(folder: str, origin: Sequence[str]) -> str:
    """Return the path in a pack of a picture of an origin."""
    return f"assets/{folder}/{opaque(origin)}.png"

"""What the colours of an overlay mean."""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from xai_backend.explain.overlay import AGAINST, BOTH, FOR

Colour = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Entry:
    """A colour, RGB codes, and what it means."""

    colour: Colour
    words: str


def _entry(colour: NDArray[np.float64], words: str) -> Entry:
    red, green, blue = (round(part) for part in colour.tolist())
    return Entry((red, green, blue), words)


FOR_AND_AGAINST: Final = (
    _entry(FOR, "for the class"),
    _entry(AGAINST, "against it"),
    _entry(BOTH, "both close together"),
)
PEOPLE: Final = (_entry(FOR, "marked by people"),)
"""People's maps say where they looked, and nothing against a class."""


def for_pages(legend: tuple[Entry, ...]) -> list[tuple[str, str]]:
    """Return a legend's colours, as CSS writes them, and what they mean."""
    return [("#" + "".join(f"{part:02x}" for part in one.colour), one.words) for one in legend]

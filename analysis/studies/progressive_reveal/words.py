"""Names, colours and columns that the report's parts share."""

from collections.abc import Mapping, Sequence
from typing import Any

from analysis.report.parts import Column
from analysis.report.style import BLUE, INK, ORANGE

METHOD_WORDS: Mapping[str, str] = {
    "human": "human maps",
    "lrp": "LRP",
    "occlusion": "occlusion",
    "protopnet": "ProtoPNet",
}
READING_WORDS: Mapping[str, str] = {
    "recognised": "recognised\u00a0rounds",
    "all_last_step": "all\u00a0rounds",
}

# Lightness L* 10, 33, 65, 50: apart in grey; line style and marker say the same again.
_LOOKS = (
    (INK, "-", "o"),
    (BLUE, (0, (5, 2)), "s"),
    (ORANGE, (0, (4, 1.5, 1, 1.5)), "D"),
    ("#a8508a", (0, (1.5, 1.2)), "^"),
    ("#4f8f7a", (0, (7, 1.5, 1, 1.5, 1, 1.5)), "v"),
    ("#7a7a7a", (0, (3, 3)), "P"),
)


def method_name(method: str) -> str:
    """Return what a method is called."""
    return METHOD_WORDS.get(method, method)


def method_cell(method: str) -> str:
    """Return a method's name for a narrow column: it doesn't break."""
    return method_name(method).replace(" ", "\u00a0")


def look(methods: Sequence[str], method: str) -> tuple[str, Any, str]:
    """Return a method's colour, line style and marker."""
    return _LOOKS[list(methods).index(method) % len(_LOOKS)]


METHOD_COLUMN = Column("Method", lambda row: method_cell(row["method"]))

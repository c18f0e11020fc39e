"""Names, colours and columns that the report's parts share."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from analysis.report.declared import Results
from analysis.report.parts import Column
from analysis.report.style import BLUE, INK, ORANGE
from stimuli.maps.origin import RESPONSE_MODEL
from stimuli.method_names import method_name as plain_name
from stimuli.studies.progressive_reveal.protocol import HUMAN

Data = Mapping[str, Any]
"""What was analysed, as ``data`` of results.json."""

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


def method_name(method: str, data: Data | None = None) -> str:
    """Return what a method is called; simulated where robots made its maps.

    Parameters
    ----------
    method
        The method.
    data
        Of the results; None where the maps' origin doesn't matter.
    """
    name = plain_name(method)
    return f"simulated {name}" if data is not None and _is_simulated(method, data) else name


def panel_name(method: str, data: Data) -> str:
    """Return a method's name as a narrow panel's title or a row's label: broken if it's long."""
    return method_name(method, data).replace(" ", "\n", 1)


def human_map(data: Data) -> str:
    """Return what a map of the method ``human`` is called."""
    return "simulated human map" if _is_simulated(HUMAN, data) else "human map"


def _is_simulated(method: str, data: Data) -> bool:
    return RESPONSE_MODEL in data["map_origins"].get(method, ())


def look(methods: Sequence[str], method: str) -> tuple[str, Any, str]:
    """Return a method's colour, line style and marker."""
    return _LOOKS[list(methods).index(method) % len(_LOOKS)]


METHOD_COLUMN = Column("Method", "method")
"""Stands for the column of methods' names; `named` puts it in."""


def named(*columns: Column, breaks: bool = False) -> Callable[[Results], tuple[Column, ...]]:
    """Return a table's columns, `METHOD_COLUMN` with the names that the results give methods.

    A name breaks over lines where `breaks`, in a table that would be too wide.
    """

    def of(results: Results) -> tuple[Column, ...]:
        def name(row: Mapping[str, Any]) -> str:
            name = method_name(row["method"], results["data"])
            return name if breaks else name.replace(" ", "\u00a0")

        return tuple(Column("Method", name) if one is METHOD_COLUMN else one for one in columns)

    return of

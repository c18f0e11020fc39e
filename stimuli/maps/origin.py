"""Who made an answer or a map: one vocabulary for map sets, packs, tables, texts and reports."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from stimuli.io.tables import Column, levels

NETWORK: Final = "network"
PEOPLE: Final = "people"
RESPONSE_MODEL: Final = "response_model"
IMPORTED: Final = "imported"
ORIGINS: Final = levels(
    network="a network and its explanation",
    people="people",
    response_model="robots instead of people",
    imported="a file; the note says where from",
)
ROBOT: Final = "robot-"
# Of what several made the first of these is said: nothing simulated hides behind people.
_SAID_FIRST: Final = (RESPONSE_MODEL, IMPORTED, PEOPLE, NETWORK)


@dataclass(frozen=True, slots=True)
class Origin:
    """Who made something.

    Attributes
    ----------
    kind
        One of `ORIGINS`; empty where nobody noted it.
    note
        Who or from where, in a few words; may be empty.
    """

    kind: str = ""
    note: str = ""

    @property
    def simulated(self) -> bool:
        """Whether robots stand for people."""
        return self.kind == RESPONSE_MODEL


UNKNOWN: Final = Origin()


def robot_id(name: str) -> str:
    """Return the solver_id of a robot in place of an expert, which no person's code looks like."""
    return f"{ROBOT}{name}"


def certain_kind(solver_id: object) -> str:
    """Return the origin that a solver_id alone makes certain: a robot's; else an empty text."""
    return RESPONSE_MODEL if str(solver_id).startswith(ROBOT) else ""


def together(origins: Iterable[Origin]) -> Origin:
    """Return the origin of what several made; simulated if any of it is."""
    found = set(origins)
    kinds = {origin.kind for origin in found}
    kind = next((kind for kind in _SAID_FIRST if kind in kinds), "")
    notes = sorted({origin.note for origin in found if origin.kind == kind and origin.note})
    return Origin(kind, ", ".join(notes))


def origin_column(name: str, whose: str) -> Column:
    """Return a table's column for an origin; empty where nobody noted it.

    Parameters
    ----------
    name
        The column's.
    whose
        What was made, such as ``the map``.
    """
    return Column(name, "text", f"Who made {whose}.", levels=ORIGINS, optional=True)


def note_column(name: str, whose: str) -> Column:
    """Return a table's column for an origin's note."""
    return Column(name, "text", f"Who made {whose}, or where it came from.", optional=True)

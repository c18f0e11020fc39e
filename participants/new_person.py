"""Somebody who is to be enrolled: role, axis, rung and purpose."""

from dataclasses import dataclass
from typing import Annotated, Final, Literal

import typer

from stimuli.errors import UserError

Role = Literal["lead", "expert", "participant"]
ROLES: Final = ("lead", "expert", "participant")
PURPOSES: Final = ("main", "pilot", "test", "robot")
REHEARSAL: Final = "rehearsal"
"""The purpose of rehearsals, which have a registry of their own; nobody is enrolled for it."""
AXES: Final = ("deutan", "protan")
HIGHEST_RUNG: Final = 1000


@dataclass(frozen=True, slots=True)
class NewPerson:
    """What somebody is enrolled as.

    Attributes
    ----------
    role
        lead, expert or participant.
    axis, rung
        A lead's confusion axis and rung of the ladder, 1 is the lowest contrast: both or neither.
    purpose
        main, pilot, test or robot.
    """

    role: Annotated[str, typer.Option(help="lead, expert or participant.")]
    axis: Annotated[str | None, typer.Option(help="A lead's confusion axis: deutan or protan.")] = (
        None
    )
    rung: Annotated[
        int | None, typer.Option(help="A lead's contrast: a rung of the ladder, 1 is the lowest.")
    ] = None
    purpose: Annotated[str, typer.Option(help="main, pilot, test or robot.")] = "main"

    def check(self) -> None:
        """Raise UserError if role, axis, rung and purpose don't go together."""
        if self.role not in ROLES:
            raise UserError(f"no role {self.role!r}; take one of {', '.join(ROLES)}")
        if self.purpose not in PURPOSES:
            raise UserError(f"no purpose {self.purpose!r}; take one of {', '.join(PURPOSES)}")
        if (self.axis is None) != (self.rung is None):
            raise UserError("axis and rung go together; give both or neither")
        if self.axis is not None and self.role != "lead":
            raise UserError(f"axis and rung belong to leads, not to a person of role {self.role}")
        if self.axis is not None and self.axis not in AXES:
            raise UserError(f"no axis {self.axis!r}; take one of {', '.join(AXES)}")
        if self.rung is not None and not 1 <= self.rung <= HIGHEST_RUNG:
            raise UserError(
                f"rung is {self.rung}; rungs count from 1, the lowest contrast, to {HIGHEST_RUNG} "
                "at most"
            )

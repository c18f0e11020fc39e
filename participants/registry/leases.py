"""Leases: until when a session is taken for running, and on which PC.

A session that runs extends its lease again and again. While it holds, the session goes on nowhere
else. When it has run out, another PC may take the session over, with a reason.
"""

import platform
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from participants.clock import utc_text
from stimuli.errors import UserError
from stimuli.io.canonical import hash_of

# Longer than a heartbeat may fail to come: a task without an event, a network that is away.
LEASE_S: Final = 900.0
PC_DIGITS: Final = 12


class TakenOverError(UserError):
    """A session goes on at another PC, which took it over."""


@dataclass(frozen=True, slots=True)
class Here:
    """Where a session runs or is to run: the rig's name, and the PC (`this_pc`)."""

    rig: str
    pc: str


@dataclass(frozen=True, slots=True)
class Unfinished:
    """A session that didn't come to its end.

    Attributes
    ----------
    session
        Its id.
    rig
        Where it ran and goes on, unless it is taken over.
    pack_id
        What it shows.
    trials_done
        Trials that it finished.
    lease_until_utc, lease_pc
        Until when it is taken for running, and on which PC; None if it was ended there.
    """

    session: str
    rig: str
    pack_id: str
    trials_done: int
    lease_until_utc: str | None = None
    lease_pc: str | None = None

    def is_elsewhere(self, here: Here) -> bool:
        """Return whether it was begun on another rig, or runs on another PC of the same name."""
        return self.rig != here.rig or self.lease_pc not in (None, here.pc)

    def require_here(self, code: str, here: Here, now: datetime, reason: str = "") -> None:
        """Raise UserError if it can't go on at a place.

        On the PC that has its lease it always can: whether a process still runs it there is the
        journal's lock to say, which knows at once.

        Parameters
        ----------
        code
            Whose it is.
        here
            Where it is to go on.
        now
            The time of day in UTC.
        reason
            Why it is taken over; empty if nobody asked for that.
        """
        if not self.is_elsewhere(here):
            return
        until = self.lease_until_utc
        if until is not None and until > utc_text(now):
            raise UserError(
                f"code {code}: is in a session on rig {self.rig} at this moment, on another PC; go "
                f"on there; if that PC is dead, take the session over after {until[11:16]} UTC: "
                'docs/several_pcs.md, "Take-over"'
            )
        if not reason:
            raise UserError(
                f"code {code}: has an unfinished session on rig {self.rig}; go on there, or take "
                'it over with its journal: docs/several_pcs.md, "Take-over"'
            )


def this_pc() -> str:
    """Return what this PC is known by: a hash of its name in the network, 12 hexadecimal digits."""
    return hash_of(["pc", platform.node()])[:PC_DIGITS]


def lease(pc: str, now: datetime) -> dict[str, str]:
    """Return the columns of a lease that is given to a PC now."""
    return {"lease_until_utc": utc_text(now + timedelta(seconds=LEASE_S)), "lease_pc": pc}

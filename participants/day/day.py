"""What is counted of a day in the lab; `participants.day.figures` reads it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Final

from participants.overview.counts import Counts
from participants.overview.due import Due
from participants.registry.sessions import MAIN, PILOT

PEOPLE: Final = (MAIN, PILOT)
"""Purposes of sessions of people; robots and tests are left out."""


@dataclass(frozen=True, slots=True)
class Came:
    """A session that was heard of today: the registry's columns, its state as in `Counts`."""

    code: str
    study: str
    purpose: str
    rig: str
    state: str
    started_utc: str
    heard_utc: str


@dataclass(frozen=True, slots=True)
class DayCount:
    """How many sessions began on a day (of this PC's time zone), by rig."""

    day: date
    rigs: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class RigFrames:
    """Frames of the trials that were recorded on one rig, as far as its journals are here.

    Attributes
    ----------
    rig
        Its name.
    trials, with_dropped
        Finished trials, and those of them that dropped a frame.
    frames, dropped
        Frames that were shown, and that were dropped.
    """

    rig: str
    trials: int
    with_dropped: int
    frames: int
    dropped: int


@dataclass(frozen=True, slots=True)
class Sample:
    """How far a pack's sample is.

    Attributes
    ----------
    study, pack_id
        Which.
    complete
        People of purpose main who completed it and neither withdrew nor were disqualified.
    planned
        How many the preregistration plans; None without one in the lab folder.
    registered
        Whether that preregistration has this pack's protocol; None without one.
    cells
        How many hold each place of the design (list × order), fewest first: nothing says which.
    named
        The same by place; empty while the arms are hidden.
    """

    study: str
    pack_id: str
    complete: int
    planned: int | None
    registered: bool | None
    cells: tuple[int, ...]
    named: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Incident:
    """An incident that was noted; code and session are None where it concerns the lab."""

    noted_utc: str
    code: str | None
    text: str


@dataclass(frozen=True, slots=True)
class Unpaid:
    """What is still to be paid: the sum in hundredths, its currency, and to how many people."""

    cents: int
    currency: str
    people: int


@dataclass(frozen=True, slots=True)
class Upkeep:
    """The lab's things.

    Attributes
    ----------
    free_gib
        Free space on the data's disk, GiB; None where it can't be asked.
    backup_utc
        When the last backup was made; None without one.
    backup_failed
        Why the last attempt failed; empty if it didn't.
    """

    free_gib: float | None
    backup_utc: str | None
    backup_failed: str


@dataclass(frozen=True, slots=True)
class Day:
    """All numbers of the day.

    Attributes
    ----------
    now
        The time of day, in UTC.
    rig
        This PC's rig.
    due
        Unfinished sessions of purposes main and pilot: now, later and overdue.
    came
        Sessions of today.
    counts
        People, sessions and screenings.
    withdrew
        People who took their data back; robots and tests aren't among them.
    days
        Sessions by day and rig, the last 28 days with some.
    frames
        Frames by rig.
    samples
        How far each pack's sample is.
    incidents
        All incidents, newest first.
    unpaid
        What is still to be paid; None where nothing is.
    upkeep
        Disk and backup.
    """

    now: datetime
    rig: str
    due: tuple[Due, ...]
    came: tuple[Came, ...]
    counts: Counts
    withdrew: int
    days: tuple[DayCount, ...]
    frames: tuple[RigFrames, ...]
    samples: tuple[Sample, ...]
    incidents: tuple[Incident, ...]
    unpaid: Unpaid | None
    upkeep: Upkeep

    @property
    def overdue(self) -> int:
        """How many sittings are overdue."""
        return sum(one.when == "overdue" for one in self.due)

    def sessions(self, *states: str) -> int:
        """Return how many people's sessions are in some states of `counts`."""
        rows = self.counts.sessions
        return sum(
            row["sessions"] for row in rows if row["purpose"] in PEOPLE and row["state"] in states
        )

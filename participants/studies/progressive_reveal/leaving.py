"""When simulated people stop for the day, and whether they come back.

Of those who took part in the published experiment the average finished about half of the rounds
(Dawoud et al. 2023, section IV); here far fewer give up, so that small datasets serve.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from participants.journal import Journal
from participants.session import Break, SessionPlan, has_left
from participants.study import Attendance
from stimuli.io.canonical import seed_of


@dataclass(frozen=True, slots=True)
class Habits:
    """How often people leave.

    Attributes
    ----------
    break_off
        Share of people who leave once in the middle of a round and come back another day.
    give_up
        Share of people who leave the study in the middle of a round, and let their data be used.
    stop_at_break
        Chance to stop for the day at each break that offers it.
    """

    break_off: float = 0.15
    give_up: float = 0.10
    stop_at_break: float = 0.10


EARLY: Final = 0.4
"""People leave within that share of a round's time, when most haven't named its image yet."""
USUAL: Final = Habits()


@dataclass(frozen=True, slots=True)
class Leaving:
    """When one person leaves.

    Attributes
    ----------
    trial
        Number of the round in which they leave; None if in none.
    after
        How far into that round, as a share of all its steps' time; who has named the image by
        then stays.
    for_good
        Whether they leave the study with it.
    stops_at
        The breaks at which they stop for the day, by the ids of their steps.
    """

    trial: int | None
    after: float
    for_good: bool
    stops_at: frozenset[str]

    @classmethod
    def of(cls, habits: Habits, plan: SessionPlan, seed: int, participant: str) -> "Leaving":
        """Return when a person leaves a session."""
        rng = np.random.Generator(np.random.PCG64(seed_of("leaving", seed, participant)))
        lot, after = rng.random(), rng.random()
        rounds = [one.trial for one in plan.trials if one.phase == "main"]
        chosen = rounds[int(rng.integers(len(rounds)))] if rounds else None
        leaves = lot < habits.give_up + habits.break_off
        breaks = [one.step for one in plan.steps if isinstance(one, Break) and one.may_leave]
        stops = rng.random(len(breaks)) < habits.stop_at_break
        return cls(
            trial=chosen if leaves else None,
            after=EARLY * float(after),
            for_good=leaves and lot < habits.give_up,
            stops_at=frozenset(name for name, stop in zip(breaks, stops, strict=True) if stop),
        )

    def is_over(self, journal: Journal) -> bool:
        """Return whether a journal holds all that this person ever does."""
        return journal.complete or has_left(journal.events)


def attendance(
    plan: SessionPlan, seed: int, participant: str, habits: Habits = USUAL
) -> Attendance:
    """Return when a person with some habits comes and leaves."""
    leaving = Leaving.of(habits, plan, seed, participant)
    return Attendance(leaving.is_over, leaving.stops_at, leaving)

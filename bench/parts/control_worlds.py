"""Simulated leads whose answers to controls are drawn directly: what the rules make of them.

No robot looks at a plate. Each kind of control has a probability of acceptance in time in each
run, and leads and plates vary around it on the probit scale. So hundreds of studies with the
default protocol's controls take minutes.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import ndtri

from analysis.studies.accept_reject.trials import ScoredTrials, judge_trials
from stimuli.protocol import load_protocol
from stimuli.studies.accept_reject.protocol import AcceptReject
from stimuli.studies.accept_reject.shares import RUNS, WITH, run_slots
from stimuli.workers import Workers, ordered_map

Chances = Mapping[str, tuple[float, float]]
"""Probability of acceptance in time by kind of control, in the run without and the run with."""

STUDIES, QUICK_STUDIES = 500, 10
FEW = 24
PERSON_SD, SLOPE_SD, ITEM_SD = 0.4, 0.2, 0.4
IN_TIME_S, OTHERWISE_S = 1.5, 2.0


@lru_cache(maxsize=1)
def protocol() -> AcceptReject:
    """Return the default protocol."""
    found = load_protocol("accept_reject")
    assert isinstance(found, AcceptReject)
    return found


@lru_cache(maxsize=1)
def lists() -> tuple[pd.DataFrame, ...]:
    """Return each list's controls: kind, run and plate; plates rotate from list to list."""
    found = []
    for number in range(protocol().solutions.lists):
        slots = [
            (run, slot.control_kind)
            for run in RUNS
            for slot in run_slots(protocol(), run, number)
            if slot.solver == "control"
        ]
        own = pd.DataFrame(slots, columns=["run", "control_kind"])
        step = number * len(own) // protocol().solutions.lists
        own["item"] = (np.arange(len(own)) + step) % len(own)
        found.append(own)
    return tuple(found)


def controls_of(
    leads: Sequence[Chances], rng: np.random.Generator, spread: float = 1.0
) -> ScoredTrials:
    """Return the judged controls of one study.

    Parameters
    ----------
    leads
        Of each lead the chances of acceptance; kinds that aren't named are decided rightly.
    rng
        Draws the answers.
    spread
        How much leads and plates vary, 1 for `PERSON_SD`, `SLOPE_SD` and `ITEM_SD`.
    """
    plates = ITEM_SD * spread * rng.standard_normal(len(lists()[0]))
    total = np.sqrt(1 + spread**2 * (PERSON_SD**2 + SLOPE_SD**2 / 4 + ITEM_SD**2))
    frames = []
    for number, chances in enumerate(leads):
        own = lists()[number % len(lists())]
        explained = (own["run"] == WITH).to_numpy()
        wanted = np.array(
            [
                chances.get(kind, (_right(kind),) * 2)[int(with_)]
                for kind, with_ in zip(own["control_kind"], explained, strict=True)
            ]
        )
        person, slope = spread * rng.standard_normal(2) * (PERSON_SD, SLOPE_SD)
        shift = person + slope * (explained - 0.5) + plates[own["item"]]
        accepts = ndtri(wanted) * total + shift + rng.standard_normal(len(own)) > 0
        with_first = bool((number // len(lists())) % 2)
        frames.append(
            own.assign(
                participant=f"P{number:03d}",
                item=own["item"].astype(str),
                order="with_first" if with_first else "without_first",
                explained=explained,
                run=np.where(explained == with_first, 1, 2),
                decision=np.where(accepts, "accept", "reject"),
                rt_s=np.where(accepts, IN_TIME_S, OTHERWISE_S),
            )
        )
    frame = pd.concat(frames, ignore_index=True)
    frame = frame.assign(solver="control", cutoff_s=3.0, cutoff_mode="internal")
    return judge_trials(frame, protocol())


def _right(kind: str) -> float:
    return float(kind.startswith("right_digit") or kind == "high_contrast")


@dataclass(frozen=True, slots=True)
class Rates:
    """How a lead decides on controls where the right decision needs no colour vision.

    Attributes
    ----------
    sees
        Acceptance of what anyone sees.
    blank
        Acceptance of plates without a numeral.
    contour
        The same with a digit-shaped contour.
    word
        Acceptance of no-solution.
    digits
        Acceptance of right digits in time, without and with explanations.
    """

    sees: float
    blank: float
    contour: float
    word: float = 0.02
    digits: tuple[float, float] = (0.35, 0.75)

    def chances(self) -> Chances:
        """Return every kind's."""
        shaped = (self.contour, self.contour)
        return {
            "high_contrast": (self.sees, self.sees),
            "no_solution": (self.word, self.word),
            "no_numeral": (self.blank, self.blank),
            "no_numeral_s_like": shaped,
            "no_numeral_e_like": shaped,
            "right_digit": self.digits,
            "wrong_digit": (0.1, 0.2),
        }


def honest(error: float, digits: tuple[float, float] = (0.35, 0.75)) -> Rates:
    """Return a lead who sees what anyone sees, and accepts some plates without a numeral."""
    return Rates(0.95, error, error, digits=digits)


def many(task: Callable[[int], Any], studies: int) -> list[Any]:
    """Return what a task finds in so many studies, each seeded by its number."""
    tasks = ((str(seed), seed) for seed in range(studies))
    return [found for _, found in ordered_map(task, tasks, Workers())]


def generator(seed: int) -> np.random.Generator:
    """Return the source of one study's draws."""
    return np.random.Generator(np.random.PCG64(seed))

"""Answers of the real robots to the plates of a pack or of a sketch.

Whatever comes after the decision time counts as a rejection, so that the observer looks no
longer than that: the acceptances in time are those of `simulate`, at a fraction of the time.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import numpy as np
import pandas as pd

from analysis.studies.accept_reject.trials import CELLS
from participants.session import TimedChoice
from participants.studies.accept_reject.robots.leads import ROBOTS, Robot
from participants.studies.accept_reject.robots.participant import RobotParticipant
from participants.studies.accept_reject.robots.percept import Sight
from participants.studies.accept_reject.robots.titration import robots_place, sketch_for_robots
from participants.studies.accept_reject.shown import stimulus_of
from stimuli.errors import UserError
from stimuli.io.canonical import canonical_json, seed_of
from stimuli.pack import Pack, open_pack
from stimuli.protocol import protocol_from_resolved
from stimuli.studies.accept_reject.protocol import AcceptReject
from stimuli.studies.accept_reject.protocol import Trial as TrialRules
from stimuli.studies.accept_reject.stimulus import PlateStimulus
from stimuli.studies.accept_reject.tables import ITEMS, KEY

Cell = tuple[str, bool]

PLATES_PER_ITEM = 4
FEWEST_PLATES, MOST_PLATES = 96, 640
"""A sketch holds four times as many plates as a study shows, within these bounds."""


@dataclass(frozen=True, slots=True)
class Source:
    """Where plates come from; the same source gives the same plates everywhere.

    Attributes
    ----------
    protocol
        The study's, as canonical JSON.
    plates
        How many solved plates a sketch holds; 0 with a pack.
    pack
        Folder of a solution pack; None for a sketch.
    robot
        Kind of robot.
    """

    protocol: str
    plates: int
    pack: str | None
    robot: str

    @classmethod
    def of(cls, protocol: AcceptReject, most_items: int, pack: Path | None, robot: str) -> "Source":
        """Return the source for studies of up to so many items."""
        wanted = min(max(PLATES_PER_ITEM * most_items, FEWEST_PLATES), MOST_PLATES)
        text = canonical_json(protocol.resolved()).decode("utf-8")
        return cls(text, 0 if pack else wanted, str(pack) if pack else None, robot)


@dataclass(frozen=True, slots=True)
class RobotWorld:
    """Plates with their solutions, and robots who judge them.

    Attributes
    ----------
    sight
        How the plates are seen; every robot has its own observer in its place.
    robot
        Kind of robot.
    rules
        Times of a trial.
    items
        For each plate what S and E show of it, without and with explanation.
    """

    sight: Sight
    robot: Robot
    rules: TrialRules
    items: tuple[Mapping[Cell, PlateStimulus], ...]

    def answer(
        self, trials: pd.DataFrame, uses: Mapping[str, float], seed: int
    ) -> list[tuple[str, float | None]]:
        """Return every trial's decision and time in seconds.

        Parameters
        ----------
        trials
            From `lay_out`; its items are drawn from the plates by the seed, and its
            participants are robots that the seed draws.
        uses
            For each solver the share of explained trials in which the robot makes use of
            the explanation as it always does in sessions; in the others it judges as if
            none were shown.
        seed
            Root of every draw.
        """
        rng = _rng("items", seed)
        count = int(trials["item"].max()) + 1
        plates = rng.choice(len(self.items), size=count, replace=False)
        used = rng.random(len(trials)) < trials["solver"].map(uses).to_numpy()
        shown = trials["explained"].to_numpy() & used
        robots = [
            self._participant(number, seed)
            for number in range(int(trials["participant"].max()) + 1)
        ]
        answers = []
        for row, (person, item, solver, with_) in enumerate(
            zip(trials["participant"], trials["item"], trials["solver"], shown, strict=True)
        ):
            stimulus = self.items[plates[item]][solver, bool(with_)]
            response = robots[person].answer(self._trial(row + 1, stimulus))
            answers.append((response.decision, response.rt_s))
        return answers

    def _participant(self, number: int, seed: int) -> RobotParticipant:
        own = self.robot.individual(_rng("individual", seed, number))
        sight = replace(self.sight, observer=own.observer)
        return RobotParticipant(own, sight, seed, f"P{number}")

    def _trial(self, number: int, stimulus: PlateStimulus) -> TimedChoice:
        rules = self.rules
        return TimedChoice(
            step=f"trial-{number}",
            trial=number,
            phase="main",
            position=number,
            presentation="",
            stimulus=stimulus,
            options={},
            device="keyboard",
            fixation_s=rules.fixation_s,
            limit_s=rules.limit_s,
            exposure_s=rules.cutoff_s,
        )


@lru_cache(maxsize=1)
def robot_world(source: Source) -> RobotWorld:
    """Return a source's world; a worker makes it once.

    Raises
    ------
    UserError
        If the pack can't be opened or shows no plate in all four ways.
    """
    protocol = protocol_from_resolved(json.loads(source.protocol), "protocol")
    assert isinstance(protocol, AcceptReject)
    if source.pack is None:
        pack = sketch_for_robots(_solved_only(protocol, source.plates))
    else:
        pack = open_pack(Path(source.pack), "solutions")
    items = _items(pack)
    if not items:
        raise UserError(f"pack {pack.pack_id}: shows no plate by S and E in both runs")
    robot = ROBOTS[source.robot]
    return RobotWorld(Sight.of(pack, robot.observer), robot, protocol.trial, items)


def plates_of(pack: Path | None) -> int:
    """Return how many plates studies can draw from, at most.

    Raises
    ------
    UserError
        If the pack can't be opened or has none for robots.
    """
    return MOST_PLATES if pack is None else len(_items(open_pack(pack, "solutions")))


def _items(pack: Pack) -> tuple[Mapping[Cell, PlateStimulus], ...]:
    """Return the plates, by id, that the robots' lists show in all four ways."""
    protocol = pack.protocol
    assert isinstance(protocol, AcceptReject)
    axis, rung = robots_place(pack)
    key = {row["presentation"]: row for row in pack.table(KEY)}
    found: dict[str, dict[Cell, PlateStimulus]] = {}
    for row in pack.table(ITEMS):
        what = key[row["presentation"]]
        cell = (str(what["solver"]), bool(what["explained"]))
        if (row["axis"], row["rung"]) == (axis, rung) and cell in CELLS:
            found.setdefault(str(what["item"]), {})[cell] = stimulus_of(row, protocol)
    return tuple(found[item] for item in sorted(found) if len(found[item]) == len(CELLS))


def _solved_only(protocol: AcceptReject, plates: int) -> AcceptReject:
    """Return the protocol of a sketch that holds only S's and E's plates."""
    document = protocol.resolved()
    document["solutions"] |= {
        "trials_per_run": plates // 2,
        "practice_trials": 0,
        "lists": 4,
        "shares": dict.fromkeys(document["solutions"]["shares"], 0.0) | {"S": 0.5, "E": 0.5},
    }
    document["experts"] |= {"no_numeral_share": 0.0, "high_contrast_share": 0.0}
    found = protocol_from_resolved(document, "the sketch's protocol")
    assert isinstance(found, AcceptReject)
    return found


def _rng(*key: str | int) -> np.random.Generator:
    return np.random.Generator(np.random.PCG64(seed_of("power", *key)))

"""Simulated trials for power, answered by the mixed model itself or by the robots.

Matched controls are always answered by the probit model of harm itself. Robots judge the plates of
a pack or of a sketch. Answers after the decision time count as rejections, so the observer stops
looking then. Acceptances in time are therefore those of `simulate`, and take a fraction of the
time.
"""

import itertools
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.special import expit, ndtr, ndtri

from analysis.power.arms import averaging_logit
from analysis.studies.accept_reject.power import ControlWorld, MixedWorld
from analysis.studies.accept_reject.trials import CELLS, NOISE, SIGNAL
from participants.session import TimedChoice
from participants.studies.accept_reject.robots.leads import ROBOTS, Robot, RobotParticipant
from participants.studies.accept_reject.robots.percept import Sight
from participants.studies.accept_reject.robots.titration import robots_place, sketch_for_robots
from participants.studies.accept_reject.shown import stimulus_of
from stimuli.errors import UserError
from stimuli.io.canonical import canonical_json, seed_of
from stimuli.pack import Pack, open_pack
from stimuli.protocol import protocol_from_resolved
from stimuli.studies.accept_reject.protocol import AcceptReject
from stimuli.studies.accept_reject.protocol import Trial as TrialRules
from stimuli.studies.accept_reject.shares import RUNS, WITH, run_slots
from stimuli.studies.accept_reject.stimulus import PlateStimulus
from stimuli.studies.accept_reject.tables import ITEMS, KEY

SOLVERS = ("S", "E")
LISTS = 4

Array = np.ndarray

# intercept, explained, solver, explained × solver; factors ±½
_CODES = {
    (solver, explained): np.array([1.0, e, s, e * s])
    for solver, s in (("S", 0.5), ("E", -0.5))
    for explained, e in ((False, -0.5), (True, 0.5))
}

Cell = tuple[str, bool]

PLATES_PER_ITEM = 4
FEWEST_PLATES, MOST_PLATES = 96, 640
"""A sketch holds four times as many plates as a study shows, within these bounds."""


def lay_out(
    rng: np.random.Generator, participants: int, items: int, orders: Sequence[str]
) -> pd.DataFrame:
    """Return the solved trials of a study, without answers.

    As the builder balances packs: everyone sees every item once; the four combinations of
    solver and run rotate over the items from list to list, so that four lists show each
    item once in each. Lists and orders are given out in blocks that hold each pair of them once.

    Parameters
    ----------
    rng
        Which items go together, and who gets which list.
    participants, items
        How many.
    orders
        Which run comes first: ``without_first``, ``with_first`` or both.

    Returns
    -------
    DataFrame
        ``participant`` and ``item`` (codes from 0), ``solver``, ``explained``, ``list``,
        ``order``, ``run``; one row for each trial.
    """
    place = rng.permutation(items)
    cells = list(itertools.product(range(LISTS), orders))
    blocks = -(-participants // len(cells))
    given = np.concatenate([rng.permutation(len(cells)) for _ in range(blocks)])[:participants]
    person, item = (
        np.repeat(np.arange(participants), items),
        np.tile(np.arange(items), participants),
    )
    lists = np.array([cells[cell][0] for cell in given])[person]
    with_first = np.array([cells[cell][1] == "with_first" for cell in given])[person]
    combination = (place[item] + lists) % LISTS
    explained = combination >= 2
    return pd.DataFrame(
        {
            "participant": person,
            "item": item,
            "solver": np.where(combination % 2 == 0, *SOLVERS),
            "explained": explained,
            "list": lists,
            "order": np.where(with_first, "with_first", "without_first"),
            "run": np.where(explained == with_first, 1, 2),
        }
    )


def coefficients(world: MixedWorld, effect: float, effect_expert: float) -> Array:
    """Return the fixed effects (4,) that give the wanted averaged probabilities.

    Random effects are integrated out by Gauss-Hermite quadrature.
    """
    wanted = {
        ("S", False): world.baseline,
        ("S", True): world.baseline + effect,
        ("E", False): world.baseline,
        ("E", True): world.baseline + effect_expert,
    }
    cells = list(wanted)
    logits = np.array([averaging_logit(wanted[cell], spread(world, cell)) for cell in cells])
    return np.linalg.solve(np.array([_CODES[cell] for cell in cells]), logits)


def spread(world: MixedWorld, cell: tuple[str, bool]) -> float:
    """Return the standard deviation of the log odds in a cell."""
    variances = np.square(world.sd_participant) + np.square(world.sd_item)
    return float(np.sqrt(_CODES[cell] ** 2 @ variances))


def draw_answers(
    world: MixedWorld,
    trials: pd.DataFrame,
    effect: float,
    effect_expert: float,
    rng: np.random.Generator,
) -> Array:
    """Return whether each trial was accepted in time, (n,) bool."""
    codes = np.column_stack([np.ones(len(trials)), *np.zeros((3, len(trials)))])
    codes[:, 1] = np.where(trials["explained"], 0.5, -0.5)
    codes[:, 2] = np.where(trials["solver"] == "S", 0.5, -0.5)
    codes[:, 3] = codes[:, 1] * codes[:, 2]
    people, items = trials["participant"].to_numpy(), trials["item"].to_numpy()
    own = rng.standard_normal((people.max() + 1, 4)) * world.sd_participant
    of_item = rng.standard_normal((items.max() + 1, 4)) * world.sd_item
    effects = coefficients(world, effect, effect_expert) + own[people] + of_item[items]
    return rng.random(len(trials)) < expit((codes * effects).sum(axis=1))


def wrong_digits(world: ControlWorld, harm: float) -> float:
    """Return by how much wrong digits are accepted more often if d′ falls by `harm`.

    The criterion stays in the middle, so that right digits are accepted less often.
    """
    return float(ndtr(_mean(world, -0.5, 0.5, harm) / _total(world, -0.5, 0.5)) - world.accepted[1])


def draw_control_answers(
    world: ControlWorld, trials: pd.DataFrame, harm: float, rng: np.random.Generator
) -> Array:
    """Return whether each control was accepted in time, (n,) bool.

    Parameters
    ----------
    trials
        From `lay_out_controls`.
    harm
        By how much explanations lower d′.
    rng
        Draws leads, plates and answers.
    """
    signal = np.where(trials["control_kind"] == SIGNAL, 0.5, -0.5)
    explained = np.where(trials["explained"], 0.5, -0.5)
    people, items = (pd.factorize(trials[name])[0] for name in ("participant", "item"))
    codes = np.column_stack([np.ones(len(trials)), explained, signal, signal * explained])
    own = rng.standard_normal((people.max() + 1, 4)) * world.sd_participant
    of_item = rng.standard_normal((items.max() + 1, 4)) * world.sd_item
    level = _mean(world, signal, explained, harm) + (codes * (own[people] + of_item[items])).sum(1)
    return rng.random(len(trials)) < ndtr(level)


def _mean(
    world: ControlWorld, signal: Array | float, explained: Array | float, harm: float
) -> Array:
    """Return the mean on the probit scale of trials with these codes."""
    right, wrong = (
        ndtri(np.array(share)) * _total(world, code, -0.5)
        for share, code in zip(world.accepted, (0.5, -0.5), strict=True)
    )
    d_prime = right - wrong - harm * (np.asarray(explained) + 0.5)
    return (right + wrong) / 2 + signal * d_prime


def _total(world: ControlWorld, signal: float, explained: float) -> float:
    """Return the standard deviation over leads, plates and the observer's noise."""
    codes = np.array([1.0, explained, signal, signal * explained])
    return float(
        np.sqrt(1 + codes**2 @ (np.square(world.sd_participant) + np.square(world.sd_item)))
    )


def lay_out_controls(trials: pd.DataFrame, protocol: AcceptReject) -> pd.DataFrame:
    """Return the matched controls that the people of a study see, without answers.

    Each run has as many as the protocol's lists, and plates rotate from list to list.

    Parameters
    ----------
    trials
        From `lay_out`: who has which list and order.
    protocol
        The study's.

    Returns
    -------
    DataFrame
        ``participant`` (as there), ``item`` (codes from 0), ``solver``, ``control_kind``,
        ``explained``, ``list``, ``order``, ``run``; one row a trial.
    """
    people = trials.drop_duplicates("participant")[["participant", "list", "order"]]
    slots = [_slots(protocol, number).assign(list=number) for number in people["list"].unique()]
    found = people.merge(pd.concat(slots), on="list", how="inner")
    first = (found["order"] == "with_first") == found["explained"]
    return found.assign(solver="control", run=np.where(first, 1, 2))


def _slots(protocol: AcceptReject, number: int) -> pd.DataFrame:
    slots = [
        (slot.control_kind, run == WITH)
        for run in RUNS
        for slot in run_slots(protocol, run, number)
        if slot.control_kind in (SIGNAL, NOISE)
    ]
    own = pd.DataFrame(slots, columns=["control_kind", "explained"])
    step = number * len(own) // protocol.solutions.lists
    return own.assign(item=(np.arange(len(own)) + step) % max(1, len(own)))


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
        """Return the source for studies of up to `most_items` items."""
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

"""A robot in the place of one participant, and the list that suits it."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from participants.robots.leads import ROBOTS, SLIGHT_DEFICIT, Response, Robot
from participants.robots.percept import Sight
from participants.session import Trial
from stimuli.canonical import keyed_order, seed_of
from stimuli.errors import UserError
from stimuli.pack import Pack
from stimuli.plates.observer import Observer, reading_rate
from stimuli.plates.plate import plate_from_bytes
from stimuli.protocol.accept_reject import AcceptReject
from stimuli.studies.accept_reject.tables import ITEMS, KEY, NO_NUMERAL

ROBOT_AXIS = "deutan"
TITRATION_PLATES = 80


@dataclass(frozen=True, slots=True)
class RobotParticipant:
    """One individual of a kind of robot, in front of a pack.

    Attributes
    ----------
    robot
        The individual.
    sight
        What it sees of the pack.
    seed, participant
        Root of its draws: the same trial is answered alike whenever it is shown.
    """

    robot: Robot
    sight: Sight
    seed: int
    participant: str

    @classmethod
    def of(cls, name: str, pack: Pack, participant: str, seed: int) -> "RobotParticipant":
        """Return a robot of that name; UserError if there is none."""
        if name not in ROBOTS:
            raise UserError(f"robot {name!r}: there is none; there is: {', '.join(ROBOTS)}")
        rng = _rng("individual", seed, participant, name)
        robot = ROBOTS[name].individual(rng)
        return cls(robot, Sight.of(pack, robot.observer, robot.cued_latency_s), seed, participant)

    def answer(self, trial: Trial) -> Response:
        """Return the response to a trial."""
        rng = _rng("answer", self.seed, self.participant, trial.trial, trial.presentation)
        percept = self.sight.percept(trial.stimulus, trial.limit_s, rng)
        return self.robot.respond(trial, percept, rng)


def reading_rates(
    pack: Pack, observer: Observer = SLIGHT_DEFICIT, axis: str = ROBOT_AXIS
) -> Mapping[int, float]:
    """Return the share of a pack's digits that an observer names in time, by rung.

    Time is the protocol's ``titration.exposure_s``; the plates and the looks' noise are
    the same at each rung of the ladder. Reads the key: this titrates robots, before a
    session.
    """
    protocol = pack.protocol
    assert isinstance(protocol, AcceptReject)
    sight = Sight.of(pack, observer, observer.latency_s)
    label_of = {row["presentation"]: str(row["true_label"]) for row in pack.table(KEY)}
    digits = {
        str(row["plate_file"]): int(label_of[row["presentation"]])
        for row in pack.table(ITEMS)
        if label_of[row["presentation"]] != NO_NUMERAL
    }
    chosen = keyed_order(digits, "titration", pack.pack_id)[:TITRATION_PLATES]
    plates = [(plate_from_bytes(pack.asset(path)), digits[path]) for path in chosen]
    return {
        rung: reading_rate(
            observer,
            sight.templates,
            plates,
            axis,
            contrast,
            protocol.titration.exposure_s,
            _rng("titration", pack.pack_id),
            sight.spec,
        )
        for rung, contrast in enumerate(protocol.plates.ladder(axis), start=1)
    }


def robot_rung(pack: Pack, rungs: frozenset[int] | None = None) -> int:
    """Return the rung where the ``lead`` robot reads nearest the protocol's target share.

    Parameters
    ----------
    pack
        A solution pack or a sketch.
    rungs
        Rungs to choose from, e.g. those for which the pack has lists; the whole
        ladder if None.
    """
    protocol = pack.protocol
    assert isinstance(protocol, AcceptReject)
    target = protocol.titration.target_share
    rates = reading_rates(pack)
    wanted = {rung: rate for rung, rate in rates.items() if rungs is None or rung in rungs}
    return min(wanted, key=lambda rung: (abs(wanted[rung] - target), rung))


def _rng(*key: str | int) -> np.random.Generator:
    return np.random.Generator(np.random.PCG64(seed_of("robot", *key)))

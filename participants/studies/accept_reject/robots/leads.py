"""Response models of leads: how each decides on a plate with a solution, with or without a window.

All are models with assumptions (see `stimuli.plates.observer`), and none is fitted to people. They
test the software and the analysis.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from participants.robots.choosing import MOTOR, WHOLE, Response
from participants.session import Choice, Question, TimedChoice
from participants.simulate.presenters import SimulatedChoices
from participants.studies.accept_reject.robots.percept import PlatePercept, Sight
from participants.studies.accept_reject.trial import Decision, Trial
from stimuli.errors import UserError
from stimuli.images.sets import NO_SOLUTION
from stimuli.io.canonical import seed_of
from stimuli.pack import Pack
from stimuli.plates.observer import Observer

PATIENCE_SPREAD = 0.3
"""Log-SD of the time after which a lead who keeps the guidelines gives up and rejects."""
LAPSE = 0.015
"""Share of trials that are answered without looking, by either key alike."""
OUTLINE_CERTAIN = 0.5
"""Share of its likeness to all digits at which an outline is taken for a digit."""
OUTLINE_S = 0.4
"""Time to recognise an outline, seconds."""
GUESS_ACCEPT = 0.1
"""How often the contour reader accepts if there is no contour to read."""
GUESS_PATIENCE_S = 4.0
INDIVIDUAL_SPREAD = 0.1
"""Log-SD of the observer's efficiency between individuals."""

SLIGHT_DEFICIT = Observer("deutan", strength=0.7, guidance=5.0)
DICHROMAT = Observer("deutan", strength=1.0)
UNGUIDED = Observer("deutan", strength=0.7, focus=0.0, guidance=1.0)
"""A slight deficit whose attention no explanation draws."""


Respond = Callable[[TimedChoice, PlatePercept, np.random.Generator], Response]


@dataclass(frozen=True, slots=True)
class Caution:
    """When a person who looks at the plate stops looking.

    Attributes
    ----------
    accept_at, reject_at
        Levels of belief in the shown digit at which it is accepted or rejected.
    patience
        Median, as a share of the trial's limit, of the time after which to give up and reject.
    expect_right
        Belief in the shown digit before looking; the rest goes evenly to everything else.
    expect_explained
        The same if there is an explanation.
    """

    accept_at: float = 0.73
    reject_at: float = 0.02
    patience: float = 0.5
    expect_right: float = 0.5
    expect_explained: float = 0.5


USUAL = Caution()
CAREFUL = Caution(accept_at=0.95, reject_at=0.005, patience=0.9)
CREDULOUS = Caution(expect_explained=0.7)
"""Takes any explanation for an argument, and so starts nearer to accepting."""


@dataclass(frozen=True, slots=True)
class Robot:
    """A response model: who looks, and how they decide.

    Attributes
    ----------
    name
        As in the journal.
    relies_on
        Its answer to the question what it relied on (a choice of ``relied_on``).
    observer
        The eyes.
    respond
        ``respond(trial, percept, rng)``, pure.
    """

    name: str
    relies_on: str
    observer: Observer
    respond: Respond

    def individual(self, rng: np.random.Generator) -> "Robot":
        """Return an individual of this kind; individuals differ in the observer's efficiency."""
        factor = float(np.exp(INDIVIDUAL_SPREAD * rng.standard_normal()))
        observer = replace(self.observer, efficiency=self.observer.efficiency * factor)
        return replace(self, observer=observer)


def keep_guidelines(
    trial: TimedChoice, percept: PlatePercept, rng: np.random.Generator, caution: Caution = USUAL
) -> Response:
    """Accept what is seen to be the shown digit; reject what is seen to be something else.

    A sequential test (Wald 1945) of the shown digit against everything else: the robot looks until
    its belief reaches one of the caution's limits, and gives up and rejects when its patience ends
    or the plate is gone. A solution without a digit is rejected as soon as it is read. A robot that
    expects more of explained solutions keeps the guidelines in name only: it accepts right and
    wrong digits alike on less evidence.
    """
    if trial.stimulus.shown_label == NO_SOLUTION:
        return _in_limit(trial, "reject", WHOLE.draw(rng))
    lapses, patience_s = rng.random() < LAPSE, _patience_s(caution.patience * trial.limit_s, rng)
    if lapses:
        return decide_at_random(trial, percept, rng)
    patience_s = min(patience_s, trial.longest_look_s)
    explained = trial.stimulus.region_file is not None
    expected = caution.expect_explained if explained else caution.expect_right
    belief = belief_in(int(trial.stimulus.shown_label), percept, expected)
    sure = np.flatnonzero((belief >= caution.accept_at) | (belief <= caution.reject_at))
    if not len(sure) or percept.times_s[sure[0]] > patience_s:
        return _in_limit(trial, "reject", patience_s + MOTOR.draw(rng))
    decision: Decision = "accept" if belief[sure[0]] >= caution.accept_at else "reject"
    return _in_limit(trial, decision, float(percept.times_s[sure[0]]) + MOTOR.draw(rng))


def belief_in(
    label: int, percept: PlatePercept, expected: float = USUAL.expect_right
) -> NDArray[np.float64]:
    """Return the belief that the plate shows a digit at each look (T,), given the prior belief."""
    others = percept.belief.sum(axis=1) - percept.belief[:, label]
    for_it = expected * percept.belief[:, label]
    alternatives = percept.belief.shape[1] - 1
    return for_it / (for_it + (1 - expected) * others / alternatives)


def read_contour(trial: TimedChoice, percept: PlatePercept, rng: np.random.Generator) -> Response:
    """Accept when the explanation's outline looks like the shown digit, against the guidelines.

    Without an explanation, guess now and then, but mostly give up and reject.
    """
    if trial.stimulus.shown_label == NO_SOLUTION:
        return _in_limit(trial, "reject", WHOLE.draw(rng))
    if percept.shape is None:
        decision: Decision = "accept" if rng.random() < GUESS_ACCEPT else "reject"
        patience_s = _patience_s(GUESS_PATIENCE_S, rng)
        return _in_limit(trial, decision, patience_s + MOTOR.draw(rng))
    alike = percept.shape[int(trial.stimulus.shown_label)] >= OUTLINE_CERTAIN
    return _in_limit(trial, "accept" if alike else "reject", OUTLINE_S + WHOLE.draw(rng))


def accept_all(trial: TimedChoice, percept: PlatePercept, rng: np.random.Generator) -> Response:
    """Accept whatever is shown, without looking."""
    return _in_limit(trial, "accept", WHOLE.draw(rng))


def reject_all(trial: TimedChoice, percept: PlatePercept, rng: np.random.Generator) -> Response:
    """Reject whatever is shown, without looking."""
    return _in_limit(trial, "reject", WHOLE.draw(rng))


def decide_at_random(
    trial: TimedChoice, percept: PlatePercept, rng: np.random.Generator
) -> Response:
    """Accept or reject by the toss of a coin, without looking."""
    decision: Decision = "accept" if rng.random() < 0.5 else "reject"
    return _in_limit(trial, decision, WHOLE.draw(rng))


def decide_contrarily(
    trial: TimedChoice, percept: PlatePercept, rng: np.random.Generator
) -> Response:
    """Mix up the two keys: decide the opposite of what the guidelines say."""
    kept = keep_guidelines(trial, percept, rng)
    opposite: Mapping[Decision, Decision] = {"accept": "reject", "reject": "accept"}
    return replace(kept, decision=opposite.get(kept.decision, kept.decision))


def answer_nothing(trial: TimedChoice, percept: PlatePercept, rng: np.random.Generator) -> Response:
    """Let every trial pass, as if nobody were there."""
    return Response("none", None)


ROBOTS: Mapping[str, Robot] = MappingProxyType(
    {
        "lead": Robot("lead", "numeral", SLIGHT_DEFICIT, keep_guidelines),
        "careful": Robot(
            "careful", "numeral", SLIGHT_DEFICIT, partial(keep_guidelines, caution=CAREFUL)
        ),
        "unaffected": Robot("unaffected", "numeral", UNGUIDED, keep_guidelines),
        "credulous": Robot(
            "credulous", "both", UNGUIDED, partial(keep_guidelines, caution=CREDULOUS)
        ),
        "dichromat": Robot("dichromat", "numeral", DICHROMAT, keep_guidelines),
        "contour_reader": Robot("contour_reader", "line", DICHROMAT, read_contour),
        "lazy": Robot("lazy", "other", SLIGHT_DEFICIT, accept_all),
        "rejecting": Robot("rejecting", "other", SLIGHT_DEFICIT, reject_all),
        "random": Robot("random", "guess", SLIGHT_DEFICIT, decide_at_random),
        "contrary": Robot("contrary", "numeral", SLIGHT_DEFICIT, decide_contrarily),
        "absent": Robot("absent", "other", SLIGHT_DEFICIT, answer_nothing),
    }
)


def _patience_s(median_s: float, rng: np.random.Generator) -> float:
    return float(median_s * np.exp(PATIENCE_SPREAD * rng.standard_normal()))


def _in_limit(trial: TimedChoice, decision: Decision, rt_s: float) -> Response:
    return Response(decision, rt_s) if rt_s <= trial.limit_s else Response("none", None)


@dataclass(frozen=True, slots=True)
class RobotParticipant:
    """One individual of a kind of robot, in front of a pack.

    Attributes
    ----------
    robot
        The individual.
    sight
        How it sees the pack.
    seed, participant
        Root of its draws: the same trial always gets the same answer.
    """

    robot: Robot
    sight: Sight
    seed: int
    participant: str

    @classmethod
    def of(cls, name: str, pack: Pack, participant: str, seed: int) -> "RobotParticipant":
        """Return a robot of that name; UserError if there is none."""
        if name not in ROBOTS:
            raise UserError(f"robot {name!r}: unknown; take one of {', '.join(ROBOTS)}")
        rng = _rng("individual", seed, participant, name)
        robot = ROBOTS[name].individual(rng)
        return cls(robot, Sight.of(pack, robot.observer), seed, participant)

    def answer(self, trial: TimedChoice) -> Response:
        """Return the response to a trial."""
        rng = _rng("answer", self.seed, self.participant, trial.trial, trial.presentation)
        percept = self.sight.percept(trial.stimulus, trial.longest_look_s, rng)
        return self.robot.respond(trial, percept, rng)

    def choose(self, question: Question) -> str:
        """Return the choice of a question of the questionnaire."""
        if self.robot.relies_on in question.choices:
            return self.robot.relies_on
        rng = _rng("question", self.seed, self.participant, question.question)
        return question.choices[int(rng.integers(len(question.choices)))]


def _rng(*key: str | int) -> np.random.Generator:
    return np.random.Generator(np.random.PCG64(seed_of("robot", *key)))


def leads(pack: Pack, language: str) -> Callable[[str, str, int], RobotParticipant]:
    """Return a function that makes a robot for a pack from its kind, its code and a seed."""
    return lambda name, code, seed: RobotParticipant.of(name, pack, code, seed)


class SimulatedLead(SimulatedChoices):
    """A `LeadPresenter` whose lead is a robot."""

    def trial(self, trial: Trial) -> Choice:
        """Answer a trial."""
        trial.record_start(self.recorder, plate_sha256="")
        return self.answer(trial, "plate")

"""Response models of leads: how each decides on a plate with a solution, with or without a window.

All are models with assumptions (see `stimuli.plates.observer`), and none is fitted to people. They
test the software and the analysis.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from types import MappingProxyType
from typing import Final

import numpy as np
from numpy.typing import NDArray

from participants.robots.choosing import MOTOR, WHOLE, Response
from participants.session import Choice, Question, TimedChoice
from participants.simulate.presenters import SimulatedChoices
from participants.studies.accept_reject.robots.percept import PlatePercept, Sight, templates_of
from participants.studies.accept_reject.trial import Decision, Trial
from participants.study import Robots
from stimuli.colour.spaces import Axis
from stimuli.errors import UserError
from stimuli.images.digits import Digits, load_digits
from stimuli.images.sets import NO_SOLUTION
from stimuli.io.canonical import keyed_order, seed_of
from stimuli.pack import Pack
from stimuli.plates.observer import DigitTemplates, Observer, ShownPlate, reading_rate
from stimuli.plates.plate import Plate, plate_from_bytes
from stimuli.plates.templates import digits_in_mind
from stimuli.studies.accept_reject.lists import list_places
from stimuli.studies.accept_reject.protocol import AcceptReject
from stimuli.studies.accept_reject.sketch import sketch
from stimuli.studies.accept_reject.tables import ITEMS, KEY, NO_NUMERAL
from stimuli.studies.accept_reject.tasks import draw_tasks, plate_spec

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


ROBOT_AXIS: Final = "deutan"
TITRATION_PLATES = 160
FOR_ANYONE = "high_contrast"


def robot_rung(pack: Pack, rungs: Collection[int] | None = None) -> int:
    """Return the rung where the ``lead`` robot reads nearest the protocol's target share.

    Deterministic; takes up to a second if there are several to choose from.

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
    ladder = range(1, len(protocol.plates.ladder(ROBOT_AXIS)) + 1)
    wanted = [rung for rung in ladder if rungs is None or rung in rungs]
    if len(wanted) == 1:
        return wanted[0]
    rates = reading_rates(protocol, plates_of(pack), templates_of(pack))
    return nearest_rung(protocol, rates, wanted)


def nearest_rung(
    protocol: AcceptReject, rates: Mapping[int, float], rungs: Collection[int] | None = None
) -> int:
    """Return the rung whose rate is nearest ``titration.target_share``."""
    target = protocol.titration.target_share
    wanted = [rung for rung in rates if rungs is None or rung in rungs]
    return min(wanted, key=lambda rung: (abs(rates[rung] - target), rung))


def reading_rates(
    protocol: AcceptReject,
    plates: Sequence[tuple[Plate, int]],
    templates: DigitTemplates,
    observer: Observer = SLIGHT_DEFICIT,
    axis: Axis = ROBOT_AXIS,
) -> Mapping[int, float]:
    """Return the share of plates whose digit an observer names in time, by rung.

    Time is ``trial.cutoff_s``; plates and noise of the looks are the same at each
    rung of the ladder.
    """
    spec = plate_spec(protocol.plates)
    return {
        rung: reading_rate(
            observer,
            templates,
            [(ShownPlate(plate, axis, contrast, spec), digit) for plate, digit in plates],
            protocol.trial.cutoff_s,
            np.random.Generator(np.random.PCG64(seed_of("titration", protocol.seed))),
        )
        for rung, contrast in enumerate(protocol.plates.ladder(axis), start=1)
    }


def plates_of(pack: Pack) -> list[tuple[Plate, int]]:
    """Return up to `TITRATION_PLATES` plates of a pack with their digits, in keyed order.

    It reads the key, since a robot is titrated before its session, as a person is. Plates that
    anyone can read say nothing about a rung.
    """
    label_of = {
        row["presentation"]: str(row["true_label"])
        for row in pack.table(KEY)
        if row["true_label"] != NO_NUMERAL and row["control_kind"] != FOR_ANYONE
    }
    digits = {
        str(row["plate_file"]): int(label_of[row["presentation"]])
        for row in pack.table(ITEMS)
        if row["presentation"] in label_of
    }
    chosen = keyed_order(digits, "titration")[:TITRATION_PLATES]
    return [(plate_from_bytes(pack.asset(path)), digits[path]) for path in chosen]


def robots_place(pack: Pack) -> tuple[str, int]:
    """Return the robots' axis, and the rung of a pack's lists that suits them.

    Raises
    ------
    UserError
        If the pack has no list on the robots' axis.
    """
    rungs = {rung for axis, rung in list_places(pack).values() if axis == ROBOT_AXIS}
    if not rungs:
        raise UserError(f"pack {pack.pack_id}: has no {ROBOT_AXIS} list, which robots need")
    return ROBOT_AXIS, robot_rung(pack, rungs)


def sketch_for_robots(protocol: AcceptReject, digits: Digits | None = None) -> Pack:
    """Return a sketch whose lists are at the rung that suits robots.

    Parameters
    ----------
    protocol
        Must have plates on the robots' axis.
    digits
        Source of the digits; UCI's if None.
    """
    if ROBOT_AXIS not in protocol.plates.axes:
        raise UserError(f"protocol: plates.axes lacks {ROBOT_AXIS}, which robots need")
    digits = load_digits("uci") if digits is None else digits
    spec = plate_spec(protocol.plates)
    tasks = [task for task in draw_tasks(protocol, digits) if task.use == "main"]
    plates = [(task.plate(spec), int(task.true_label)) for task in tasks[:TITRATION_PLATES]]
    templates = digits_in_mind(digits, spec)
    rung = nearest_rung(protocol, reading_rates(protocol, plates, templates))
    return sketch(protocol, places=[(ROBOT_AXIS, rung)], digits=digits)


SESSION_ROBOTS: Final = Robots(
    make=leads, place=robots_place, simulated=SimulatedLead, sketch=sketch_for_robots
)

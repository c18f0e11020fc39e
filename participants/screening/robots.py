"""Robots in place of people who are screened: what they answer to gaps, caps and digits.

The observer is that of `stimuli.plates.observer`, with its assumptions. Two more are made here. For
a gap the noise on a dot is that at the limit of a look, without the factor ``efficiency``: the
noise is anchored by thresholds of the Cambridge Colour Test, which are measured on people, with
everything that they fail to use. Caps are put in a row one by one, always the one that looks
nearest to the last. The noise on a comparison is as large as on a gap of that test.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from types import MappingProxyType
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from participants.robots.choosing import WHOLE
from participants.screening.stages import EDITION
from participants.screening.trials import ScreeningPlate, ScreeningTrial
from participants.screening.trivector import GapTrial
from participants.screening.verdict import IshiharaEdition
from participants.session import Question
from participants.session.kept_answers import NO, TOLD_RESULT, YES
from participants.study import Robots
from stimuli.colour.spaces import Axis, Floats
from stimuli.errors import UserError
from stimuli.images.digits import load_digits
from stimuli.io.canonical import seed_of
from stimuli.pack import Pack
from stimuli.plates.observer import (
    DOTS_IN_A_THRESHOLD,
    Observer,
    ShownPlate,
    channels,
    forced_choice,
    log_ratio,
    own_noise,
    read_over_time,
)
from stimuli.plates.packing import Packing
from stimuli.plates.plate import Plate
from stimuli.plates.spec import PlateSpec
from stimuli.plates.templates import NO_NUMERAL, DigitTemplates, digits_in_mind
from stimuli.screening.d15 import CAPS, caps_lms
from stimuli.screening.gap_plates import (
    GAPS,
    SCREENING_SPEC,
    UNIT,
    Gap,
    gap_dots,
    neutral_gap_plate,
)


@dataclass(frozen=True, slots=True)
class ScreenedRobot:
    """A kind of robot that is screened.

    Attributes
    ----------
    observer
        Their eyes.
    lapse
        Share of plates that are answered without looking.
    """

    observer: Observer
    lapse: float = 0.0

    def gap(self, trial: GapTrial, rng: np.random.Generator) -> Gap:
        """Return the direction in which the robot sees a trial's gap."""
        if rng.random() < self.lapse:
            return GAPS[int(rng.integers(len(GAPS)))]
        if trial.axis is None:
            # Lightness far beyond any threshold.
            return trial.gap
        dots = _ring_of(trial.gap, trial.plate_seed)
        evidence = gap_evidence(self.observer, dots, trial.axis, trial.excursion_1e4 * UNIT, rng)
        return GAPS[_largest(evidence[0], rng)]

    def caps(self, rng: np.random.Generator) -> tuple[int, ...]:
        """Return the order in which the D-15's caps are put after the pilot."""
        seen = _cap_channels(self.observer)
        row, left = [0], list(range(1, CAPS + 1))
        while left:
            noise = rng.standard_normal((len(left), seen.shape[1]))
            away = np.hypot(*(seen[left] - seen[row[-1]] + noise).T)
            row.append(left.pop(int(away.argmin())))
        return tuple(row[1:])

    def digit(
        self,
        plate: ShownPlate,
        exposure_s: float,
        templates: DigitTemplates,
        rng: np.random.Generator,
    ) -> int:
        """Return the digit that the robot names after an exposure; a guess if it sees none."""
        if rng.random() < self.lapse:
            return int(rng.integers(NO_NUMERAL))
        looks = np.array([exposure_s])
        belief = read_over_time(self.observer, templates, plate, looks, rng)
        return forced_choice(belief[-1], rng)


ROBOTS: Final[Mapping[str, ScreenedRobot]] = MappingProxyType(
    {
        "normal": ScreenedRobot(Observer()),
        "deutan_slight": ScreenedRobot(Observer("deutan", strength=0.7)),
        "protan_slight": ScreenedRobot(Observer("protan", strength=0.7)),
        "between": ScreenedRobot(Observer("deutan", strength=0.5)),
        "dichromat": ScreenedRobot(Observer("deutan", strength=1.0)),
        "protan_dichromat": ScreenedRobot(Observer("protan", strength=1.0)),
        "tritan": ScreenedRobot(Observer("tritan", strength=1.0)),
        "inattentive": ScreenedRobot(Observer(), lapse=0.8),
    }
)
"""Robots by name, the usual one first."""


@dataclass(frozen=True, slots=True, eq=False)
class RingDots:
    """The dots that could show the gaps of one or several plates.

    Attributes
    ----------
    plate
        These dots alone, of all plates.
    gaps
        bool (N, 4): whether a dot would be ground under each gap.
    of
        int (N,): the plate of each.
    plates
        How many plates.
    """

    plate: Plate
    gaps: NDArray[np.bool_]
    of: NDArray[np.int64]
    plates: int


def in_the_ring(*plates: Plate) -> RingDots:
    """Return the dots of plates that lie where a gap could be."""
    all_gaps = [gap_dots(plate.packing) for plate in plates]
    kept = [gaps.any(axis=1) for gaps in all_gaps]

    def joined(values: list[NDArray]) -> NDArray:
        return np.concatenate([value[keep] for value, keep in zip(values, kept, strict=True)])

    packing = Packing(
        joined([plate.packing.x for plate in plates]),
        joined([plate.packing.y for plate in plates]),
        joined([plate.packing.radius for plate in plates]),
    )
    figure, lms = joined([p.figure for p in plates]), joined([p.lms for p in plates])
    of = np.repeat(np.arange(len(plates)), [int(keep.sum()) for keep in kept])
    return RingDots(Plate(packing, figure, lms), joined(all_gaps), of, len(plates))


@lru_cache(maxsize=4096)
def _ring_of(gap: Gap, seed: int) -> RingDots:
    return in_the_ring(neutral_gap_plate(gap, seed))


def gap_evidence(
    observer: Observer, dots: RingDots, axis: Axis, excursion: float, rng: np.random.Generator
) -> Floats:
    """Return the evidence for each gap of plates after one look.

    Parameters
    ----------
    observer
        Who looks.
    dots
        The dots, of plates without contrast.
    axis, excursion
        Confusion line, and distance between C and ground, Δu′v′.
    rng
        Gives the noise of the looks.

    Returns
    -------
    float64 (plates, 4)
        Log likelihoods up to a constant, in the order of `GAPS`.
    """
    looks = replace(observer, efficiency=1.0, latency_s=0.0)
    times = np.array([looks.reference_s])
    plate = ShownPlate(dots.plate, axis, excursion, SCREENING_SPEC)
    ratio = log_ratio(looks, plate, times, rng)[:, 0]
    # Dots of the true gap are ground, those of the other three are figure.
    summed = [np.bincount(dots.of, -ratio * gap, minlength=dots.plates) for gap in dots.gaps.T]
    return np.stack(summed, axis=1).astype(np.float64, copy=False)


def _largest(evidence: Floats, rng: np.random.Generator) -> int:
    best = np.flatnonzero(evidence >= evidence.max() - 1e-9)
    return int(best[rng.integers(len(best))])


@lru_cache(maxsize=1024)
def _cap_channels(observer: Observer) -> Floats:
    """Return the caps' chromatic channels in units of the noise on a comparison, (16, 2)."""
    lms = caps_lms()
    seen = channels(lms, observer, SCREENING_SPEC, base=lms.mean(axis=0))[:, 1:]
    noise = own_noise(replace(observer, efficiency=1.0), SCREENING_SPEC)[1:]
    scaled: Floats = seen / (noise / np.sqrt(DOTS_IN_A_THRESHOLD))
    return scaled


UNTOLD: Final = frozenset({"between"})
"""Robots that choose not to be told the result."""
BOOK_FAILED_FROM: Final = 0.3
"""Least strength of a red-green deficit with which a robot fails the book's plates."""
SLOWEST_S: Final = 2.0
"""Robots answer within this time, as if after the whole exposure, so that nobody waits for them."""


@dataclass(frozen=True, slots=True)
class ScreenedParticipant:
    """One individual of a kind of robot.

    Attributes
    ----------
    name, robot
        Which kind, and its eyes.
    templates, spec
        Digits that the robot knows, and the look of the plates that show them.
    code, seed
        Roots of its random draws: the same trial always gets the same answer.
    """

    name: str
    robot: ScreenedRobot
    templates: Callable[[], DigitTemplates]
    spec: PlateSpec
    code: str
    seed: int

    def plate(self, trial: ScreeningTrial) -> tuple[str, float]:
        """Return the answer to a plate, and its time (seconds from the plate's onset)."""
        rng = self._rng(trial.procedure, trial.number)
        rt_s = min(WHOLE.draw(rng), SLOWEST_S, trial.longest_look_s / 2)
        if trial.gap_trial is not None:
            return self.robot.gap(trial.gap_trial, rng), rt_s
        stimulus: ScreeningPlate = trial.stimulus
        assert stimulus.axis, "a plate with a digit has a confusion line"
        plate = ShownPlate(stimulus.plate, stimulus.axis, stimulus.excursion_1e4 * UNIT, self.spec)
        digit = self.robot.digit(plate, trial.longest_look_s, self.templates(), rng)
        return str(digit), rt_s

    def caps(self) -> tuple[int, ...]:
        """Return the order in which the caps are put after the fixed one."""
        return self.robot.caps(self._rng("caps", 0))

    def score(self, edition: IshiharaEdition) -> int:
        """Return how many plates of the book the robot reads."""
        eyes = self.robot.observer
        fails = eyes.axis != "tritan" and eyes.strength >= BOOK_FAILED_FROM
        return edition.deficient_to if fails else edition.normal_from

    def choose(self, question: Question) -> str:
        """Return the choice of a question."""
        if question.question == TOLD_RESULT:
            return NO if self.name in UNTOLD else YES
        return question.choices[0] if question.question == EDITION else question.choices[-1]

    def _rng(self, *key: str | int) -> np.random.Generator:
        seed = seed_of("screened robot", self.seed, self.code, self.name, *key)
        return np.random.Generator(np.random.PCG64(seed))


def robots(pack: Pack, language: str) -> Callable[[str, str, int], ScreenedParticipant]:
    """Return a function that makes a robot for a screening from its kind, its code and a seed."""
    protocol: Any = pack.protocol  # of any study that offers screening
    plates = protocol.plates
    spec = PlateSpec(**{name: getattr(plates, name) for name in PlateSpec.__dataclass_fields__})

    @cache
    def templates() -> DigitTemplates:
        return digits_in_mind(load_digits(plates.source), spec)

    def robot(name: str, code: str, seed: int) -> ScreenedParticipant:
        if name not in ROBOTS:
            raise UserError(f"robot {name!r}: unknown; take one of {', '.join(ROBOTS)}")
        return ScreenedParticipant(name, ROBOTS[name], templates, spec, code, seed)

    return robot


SESSION_ROBOTS: Final = Robots(make=robots)

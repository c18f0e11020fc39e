"""Robots that are screened: what an observer answers to gaps, caps and digits.

The observer is that of `stimuli.plates.observer`, with its assumptions; two more are made here.
For a gap the noise on a dot is that at the limit of a look and without the factor
``efficiency``: thresholds of the Cambridge Colour Test, which anchor the noise, are measured on
people, with all that they fail to use. Caps are put in a row one after the other, each time the
one that looks nearest to the last; noise on a comparison is as large as on a gap of that test.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from types import MappingProxyType
from typing import Final

import numpy as np
from numpy.typing import NDArray

from participants.screening.trivector import GapTrial
from stimuli.colour.spaces import Axis, Floats
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
from stimuli.plates.templates import NO_NUMERAL, DigitTemplates
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
    """Somebody who is screened.

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
        """Return where the gap of a trial seems to point."""
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
        shown: ShownPlate,
        exposure_s: float,
        templates: DigitTemplates,
        rng: np.random.Generator,
    ) -> int:
        """Return the digit that is named after an exposure; a guess if none is seen."""
        if rng.random() < self.lapse:
            return int(rng.integers(NO_NUMERAL))
        looks = np.array([exposure_s])
        belief = read_over_time(self.observer, templates, shown, looks, rng)
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
"""By name, the usual one first."""


@dataclass(frozen=True, slots=True, eq=False)
class RingDots:
    """The dots that could tell one or several plates' gaps.

    Attributes
    ----------
    plate
        These dots alone, of all plates.
    gaps
        bool (N, 4): which would be ground by each gap.
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
        return np.concatenate([one[keep] for one, keep in zip(values, kept, strict=True)])

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
    """Return how much speaks for each gap of plates that are looked at once.

    Parameters
    ----------
    observer
        Who looks.
    dots
        Of plates without contrast.
    axis, excursion
        Line, and distance of C and ground, Δu′v′.
    rng
        Gives the noise of the looks.

    Returns
    -------
    float64 (plates, 4)
        Log likelihoods but for a constant, in the order of `GAPS`.
    """
    looks = replace(observer, efficiency=1.0, latency_s=0.0)
    times = np.array([looks.reference_s])
    shown = ShownPlate(dots.plate, axis, excursion, SCREENING_SPEC)
    ratio = log_ratio(looks, shown, times, rng)[:, 0]
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

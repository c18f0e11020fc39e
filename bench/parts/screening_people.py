"""Simulated people to be screened, and what is true of them by brute force."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from participants.screening.quest import Psychometric
from participants.screening.robots import RingDots, ScreenedRobot, gap_evidence, in_the_ring
from stimuli.colour.spaces import Axis, Floats
from stimuli.io.canonical import seed_of
from stimuli.plates.observer import Observer
from stimuli.screening.gap_plates import GAPS, UNIT, neutral_gap_plate

RED_GREEN_NORM: Final = (42.2e-4, 0.24)
TRITAN_NORM: Final = (54.9e-4, 0.28)
"""Mean and spread (SD of the logarithm) of normal thresholds, ages 20 to 29 (Paramei 2012)."""
STRENGTHS: Final = (0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
LEVELS_1E4: Final = tuple(np.geomspace(12, 1000, 12).round(1).tolist())
BANK_PLATES: Final = 200
LINES: Final[tuple[Axis, ...]] = ("protan", "deutan", "tritan")


@dataclass(frozen=True, slots=True)
class Simulated:
    """One simulated person.

    Attributes
    ----------
    axis, strength
        Of the deficit; strength 0 is normal.
    number
        Sets the individual's thresholds.
    lapse
        Share of plates answered blindly.
    """

    axis: Axis
    strength: float
    number: int
    lapse: float = 0.0

    @property
    def robot(self) -> ScreenedRobot:
        """Who is screened."""
        rng = self.rng("individual")
        (red_green, rg_spread), (tritan, t_spread) = RED_GREEN_NORM, TRITAN_NORM
        observer = Observer(
            self.axis,
            strength=self.strength,
            red_green_threshold=red_green * float(np.exp(rg_spread * rng.standard_normal())),
            tritan_threshold=tritan * float(np.exp(t_spread * rng.standard_normal())),
        )
        return ScreenedRobot(observer, self.lapse)

    def rng(self, what: str, lapse: float = 0.0) -> np.random.Generator:
        """Return the source of one thing that this person does."""
        key = (what, self.axis, str(self.strength), self.number, str(lapse))
        return np.random.Generator(np.random.PCG64(seed_of("screened", *key)))


def own_thresholds(
    person: Simulated, plates: int, looks: int, axes: Sequence[Axis] = LINES
) -> dict[Axis, float]:
    """Return where 75 % of a person's answers are right without lapses, 10⁻⁴ of u′v′, by line.

    Many plates are answered at each of `LEVELS_1E4`, and a Weibull function is fitted.
    """
    rng, (dots, truth) = person.rng("brute force"), _bank(plates)
    observer, found = person.robot.observer, {}
    for axis in axes:
        right = np.zeros(len(LEVELS_1E4))
        for index, level in enumerate(LEVELS_1E4):
            for _ in range(looks):
                evidence = gap_evidence(observer, dots, axis, level * UNIT, rng)
                lot = evidence + 1e-9 * rng.random(evidence.shape)
                right[index] += (lot.argmax(axis=1) == truth).sum()
        found[axis] = 10 ** fitted(np.log10(LEVELS_1E4), right, plates * looks, 0.75, 0.25)[0]
    return found


@lru_cache(maxsize=2)
def _bank(count: int) -> tuple[RingDots, NDArray[np.int64]]:
    truth = np.arange(count) % len(GAPS)
    plates = [
        neutral_gap_plate(GAPS[gap], seed_of("bank", number)) for number, gap in enumerate(truth)
    ]
    return in_the_ring(*plates), truth


def fitted(
    log_levels: Sequence[float] | Floats, right: Floats, shown: int, share: float, guess: float
) -> tuple[float, float, float]:
    """Return threshold (log₁₀), slope and lapse of the likeliest Weibull function, by brute force.

    Parameters
    ----------
    log_levels
        Log₁₀ intensities, (K,).
    right
        Right answers at each, (K,), of `shown`.
    share
        At the threshold.
    guess
        Right without seeing.
    """
    best, found = -np.inf, (0.0, 0.0, 0.0)
    thresholds = np.arange(min(log_levels) - 0.5, max(log_levels) + 0.7, 0.005)
    for lapse in (0.0, 0.03, 0.06, 0.1):
        for slope in np.arange(0.6, 4.01, 0.1):
            function = Psychometric(share, float(slope), guess, lapse)
            chance = np.clip(
                function.right(np.asarray(log_levels)[:, None], thresholds), 1e-9, 1 - 1e-9
            )
            likely = right @ np.log(chance) + (shown - right) @ np.log(1 - chance)
            if likely.max() > best:
                best, found = (
                    likely.max(),
                    (float(thresholds[likely.argmax()]), float(slope), lapse),
                )
    return found

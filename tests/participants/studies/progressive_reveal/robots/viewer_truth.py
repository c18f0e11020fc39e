"""What is expected of viewers: recognition by step, pixels and tries, without running any.

Recognition itself is known in closed form (`Psychometric`). What a session records comes later by a
reaction time, whose distribution is known too, and by the time of typing, over which is integrated
numerically: over `PEOPLE` people drawn once, each with a speed of their own. Rounds that are left
midway are no part of it, and any number of tries is taken.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from scipy.stats import binom, exponnorm

from participants.robots.choosing import ExGaussian
from participants.studies.progressive_reveal.robots.viewers import (
    PLAUSIBLE,
    REACTION,
    Psychometric,
    RoundView,
    Viewer,
    alike_first,
    typed_answer,
)
from stimuli.io.canonical import seed_of

PEOPLE: Final = 800
NODES: Final = 60
"""Of the Gauss-Hermite rule over people; its error is far below any that a study could see."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Expected:
    """What is expected of a round over all people of a kind.

    Attributes
    ----------
    seen_by
        float64, one a step: chance that the object has been recognised by the step, in the head.
    first_key_by
        The same of the first key of the right answer, where that is confirmed in time.
    confirmed_by
        The same of the press that confirms the right answer.
    attempts
        Expected number of confirmed answers, right and wrong.
    """

    seen_by: Floats
    first_key_by: Floats
    confirmed_by: Floats
    attempts: float

    @property
    def rate(self) -> float:
        """The share of rounds that are recognised."""
        return float(self.confirmed_by[-1])

    def pixels_if_recognised(self, pixels: Sequence[int]) -> float:
        """Return the expected pixels at the confirming press, 0 for rounds that aren't recognised.

        The mean over recognised rounds is the sum of these over the sum of the rates.

        Parameters
        ----------
        pixels
            Uncovered at each step.
        """
        return float(np.diff(self.confirmed_by, prepend=0.0) @ np.asarray(pixels, dtype=float))

    def pixels_of_all(self, pixels: Sequence[int]) -> float:
        """Return the same with the last step's pixels for rounds that aren't recognised."""
        return self.pixels_if_recognised(pixels) + (1 - self.rate) * pixels[-1]


@dataclass(frozen=True, slots=True)
class ViewerTruth:
    """What is expected of a kind of viewer who types the names of some classes.

    Attributes
    ----------
    kind
        The kind, no individual.
    opened_s, entered_s
        float64 (`PEOPLE`,), by class: each person's times from the first press to the key from
        which on the field isn't empty any more (a slip may come before), and to the confirming
        press.
    in_step
        The same: the chance, with other draws of the same people, that all this and the reaction
        before it fit into one step.
    """

    kind: Viewer
    opened_s: Mapping[str, Floats]
    entered_s: Mapping[str, Floats]
    in_step: Mapping[str, Floats]

    @classmethod
    def of(cls, kind: Viewer, view: RoundView) -> "ViewerTruth":
        """Return the truth for rounds that share a round's classes and pace."""
        opened_s, entered_s, in_step = {}, {}, {}
        for name in view.classes.names:
            people = [_entering_s(kind, view, name.class_id, person) for person in range(PEOPLE)]
            opened_s[name.class_id], entered_s[name.class_id], again_s = np.array(people).T
            in_step[name.class_id] = done_by(REACTION, view.step_s - again_s)
        return cls(kind, opened_s, entered_s, in_step)

    def expected(self, view: RoundView, seed: int | None = None) -> Expected:
        """Return what is expected of a round.

        Parameters
        ----------
        view
            The round.
        seed
            Of a simulation, whose items have effects of their own; over all items where it is
            None.
        """
        sight = self.kind.sight
        effect = None if seed is None else sight.item_effect(seed, view.item)
        seen_by = expected_by(sight, view.object_shares, effect)
        seen_at, unseen = np.diff(seen_by, prepend=0.0), 1 - seen_by
        first, confirmed = np.zeros(view.steps), np.zeros(view.steps)
        wrong = 0.0
        for at in range(view.steps):
            begun, done = self._answered(view, at)
            first[at:] += seen_at[at] * begun
            confirmed[at:] += seen_at[at] * done
            guessed, missed = self._tried(view, at, seed)
            first[at:] += unseen[at] * guessed
            confirmed[at:] += unseen[at] * guessed
            wrong += unseen[at] * missed
        return Expected(seen_by, first, confirmed, float(wrong + confirmed[-1]))

    def _answered(self, view: RoundView, at: int) -> tuple[Floats, Floats]:
        """Return the chance to have begun and confirmed the answer by each step from ``at`` on.

        That is of somebody who recognises the object at that step; whoever guessed it before has
        no answer to give.
        """
        left_s = view.step_s * np.arange(1, view.steps - at + 1)
        entering_s = self.entered_s[view.right_class][:, None]
        opening_s = self.opened_s[view.right_class][:, None]
        begun = done_by(REACTION, np.minimum(left_s - opening_s, left_s[-1] - entering_s))
        done = done_by(REACTION, left_s - entering_s)
        still = np.ones(PEOPLE)
        if self.kind.guesses:
            classes = len(self.in_step)
            drawn = sum(chance * min(n, classes) for n, chance in self._in_mind(view, at))
            still = 1 - drawn / classes * self.in_step[view.right_class]
        return (still[:, None] * begun).mean(axis=0), (still[:, None] * done).mean(axis=0)

    def _tried(self, view: RoundView, at: int, seed: int | None) -> tuple[float, float]:
        """Return the chance of a right and of a wrong try at a step.

        Given that the object isn't recognised by then. The class that comes to mind has been
        preceded by a binomial number of others, in random order.
        """
        tempted = self.kind.tempted_by(view.object_shares[at])
        right = wrong = 0.0
        for before, chance in self._in_mind(view, at):
            if before >= len(self.in_step) - (not self.kind.guesses):
                break
            if self.kind.guesses:
                hit, miss = self._guess(view.right_class, before)
                right += tempted * chance * hit
            else:
                miss = self._mistake(view, before, seed)
            wrong += tempted * chance * miss
        return right, wrong

    def _guess(self, right_class: str, before: int) -> tuple[float, float]:
        """Return the chances that a blind guess after some others is confirmed, right or wrong.

        A wrong one needs that the right class wasn't confirmed among those before it.
        """
        hit = self.in_step[right_class]
        others = [chance for name, chance in self.in_step.items() if name != right_class]
        still = 1 - before / len(others) * hit
        wrong = sum(float((chance * still).mean()) for chance in others)
        return float(hit.mean()) / len(self.in_step), wrong / len(self.in_step)

    def _mistake(self, view: RoundView, before: int, seed: int | None) -> float:
        """Return the chance that a wrong class after some others is confirmed."""
        others = [name for name in self.in_step if name != view.right_class]
        if seed is not None:
            alike = alike_first(others, view.item, seed)
            others = alike[:PLAUSIBLE] if before < PLAUSIBLE else alike[PLAUSIBLE:]
        return float(np.mean([self.in_step[name].mean() for name in others]))

    def _in_mind(self, view: RoundView, at: int) -> Iterator[tuple[int, float]]:
        """Yield how many classes may have come to mind before a step, with their chances."""
        steps = sum(self.kind.tempted_by(share) > 0 for share in view.object_shares[:at])
        chances = binom.pmf(np.arange(steps + 1), steps, self.kind.try_rate)
        yield from enumerate(chances.tolist())


def recognised_by(sight: Psychometric, shares: Sequence[float], effect: float = 0.0) -> Floats:
    """Return the chance of having recognised an object by each step, given all effects.

    Parameters
    ----------
    sight
        The person's.
    shares
        Share of the object uncovered at each step, 0…1, never falling.
    effect
        Sum of the effects on the threshold's logarithm.

    Returns
    -------
    float64, one a step
        Never falling; at most 1 less the lapses.
    """
    with np.errstate(divide="ignore"):
        seen = np.log(np.asarray(shares, dtype=float))
    return (1 - sight.lapse) * expit((seen - np.log(sight.threshold) - effect) / sight.spread)


def expected_by(
    sight: Psychometric, shares: Sequence[float], item_effect: float | None = None
) -> Floats:
    """Return the chance of having recognised an object by each step, over all people.

    Parameters
    ----------
    sight, shares
        As of `recognised_by`.
    item_effect
        The item's own effect; over all items too where it is None.

    Returns
    -------
    float64, one a step
        The integral over the effects' normal variable, by a Gauss-Hermite rule.
    """
    variance = sight.person_sd**2 + sight.method_person_sd**2
    if item_effect is None:
        variance += sight.item_sd**2
    at, weights = np.polynomial.hermite_e.hermegauss(NODES)
    effects = (item_effect or 0.0) + np.sqrt(variance) * at
    by = [recognised_by(sight, shares, float(effect)) for effect in effects]
    return np.average(by, axis=0, weights=weights)


def done_by(drawn: ExGaussian, times_s: Floats) -> Floats:
    """Return the chance that a draw is less than each of some times, of their shape."""
    shape = drawn.tail_s / drawn.sd_s
    chance = exponnorm.cdf(times_s, shape, loc=drawn.mean_s, scale=drawn.sd_s)
    return np.where(times_s <= drawn.least_s, 0.0, chance)


def _entering_s(
    kind: Viewer, view: RoundView, class_id: str, person: int
) -> tuple[float, float, float]:
    """Return a person's times from the first press to the opening and the confirming one.

    The third is another time to the confirming one, of a second try.
    """
    rng = np.random.Generator(np.random.PCG64(seed_of("truth", kind.name, person)))
    typist = kind.typist.individual(rng)
    rng = np.random.Generator(np.random.PCG64(seed_of("truth", kind.name, person, class_id)))
    typed, again = (typed_answer(typist, view, class_id, rng) for _ in range(2))
    entering_s, again_s = (
        sum(key.delay_s for key in one.keys) + one.confirm_delay_s for one in (typed, again)
    )
    return typed.opening_s, entering_s, again_s

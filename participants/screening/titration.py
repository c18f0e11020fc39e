"""Titration: a lead's rung by QUEST, then its verification on fresh plates."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil, floor, log10
from typing import Final, Literal

from participants.screening.quest import Psychometric, Quest
from stimuli.errors import UserError
from stimuli.screening.rules import Titration as Rules

GUESS: Final = 0.1
"""Chance of guessing one digit of ten."""
PRIOR_SD: Final = 0.4
"""SD of the threshold before the first answer, log₁₀ of contrast: wider than the ladder."""
BEYOND: Final = 1.0
"""How far beyond the ladder thresholds are considered, log₁₀ of contrast."""
ROUNDING: Final = 1e-9
HIGHEST_TARGET: Final = 0.95

Phase = Literal["staircase", "short", "long"]
Outcome = Literal["ok", "low", "high"]
Failure = Literal["ladder_ends", "never_long", "too_many"]


@dataclass(frozen=True, slots=True)
class DigitTrial:
    """One plate of a titration.

    Attributes
    ----------
    number
        Number from 0; each trial has its own plate.
    phase
        staircase, or short or long exposure of the verification.
    rung
        Of the ladder, from 1.
    """

    number: int
    phase: Phase
    rung: int


@dataclass(frozen=True, slots=True)
class TriedRung:
    """A rung whose verification was begun.

    Attributes
    ----------
    rung
        Which.
    short, short_read
        Plates shown for the short exposure, and those read.
    long, long_read
        The same for the long exposure.
    """

    rung: int
    short: int = 0
    short_read: int = 0
    long: int = 0
    long_read: int = 0


@dataclass(frozen=True, slots=True)
class TitrationResult:
    """The result of a titration.

    Attributes
    ----------
    rung
        The verified rung; None if there is none.
    failure
        Why there is none: the ladder ends, the rung is read too seldom with the long exposure
        and the one above too often with the short one, or too many verifications failed.
    tried
        Rungs in the order in which they were verified; one may come again, on other plates.
    expected_share
        Share of plates expected to be read within the exposure at the last rung, by all answers.
    trials
        All of them.
    """

    rung: int | None
    failure: Failure | None
    tried: tuple[TriedRung, ...]
    expected_share: float
    trials: int


@dataclass(frozen=True, slots=True)
class Titration:
    """The state of a titration after some answers; made by `start`.

    Pure: the same answers give the same trials.
    """

    rules: Rules
    ladder: tuple[float, ...]
    quest: Quest
    number: int = 0
    tried: tuple[TriedRung, ...] = ()
    rung: int | None = None
    failure: Failure | None = None

    @classmethod
    def start(cls, rules: Rules, ladder: Sequence[float]) -> "Titration":
        """Return a titration before its first trial.

        Parameters
        ----------
        rules
            The protocol's.
        ladder
            Contrast (Δu′v′) of each rung of the lead's axis, lowest first.

        Raises
        ------
        UserError
            If no rung could meet the rules.
        """
        _check(rules)
        low, high = log10(ladder[0]), log10(ladder[-1])
        function = Psychometric(rules.target_share, rules.slope, GUESS)
        quest = Quest.begin(function, (low + high) / 2, PRIOR_SD, low - BEYOND, high + BEYOND)
        return cls(rules, tuple(ladder), quest)

    @property
    def done(self) -> bool:
        """Whether the titration is over."""
        return self.rung is not None or self.failure is not None

    @property
    def trial(self) -> DigitTrial | None:
        """The trial that comes next; None at the end."""
        if self.done:
            return None
        if not self.tried:
            return DigitTrial(self.number, "staircase", self._nearest)
        last = self.tried[-1]
        if self._short(last) is None:
            return DigitTrial(self.number, "short", last.rung)
        return DigitTrial(self.number, "long", last.rung)

    def answer(self, right: bool) -> "Titration":
        """Return the titration after an answer to its trial.

        Raises
        ------
        ValueError
            If no trial is left.
        """
        trial = self.trial
        if trial is None:
            raise ValueError("the titration is done")
        following = replace(self, number=self.number + 1)
        if trial.phase != "long":
            quest = self.quest.answered(log10(self.ladder[trial.rung - 1]), right)
            following = replace(following, quest=quest)
        if trial.phase == "staircase":
            begins = following.number >= self.rules.trials
            return following._verifying(following._best) if begins else following
        last = self.tried[-1]
        if trial.phase == "short":
            last = replace(last, short=last.short + 1, short_read=last.short_read + right)
        else:
            last = replace(last, long=last.long + 1, long_read=last.long_read + right)
        return replace(following, tried=(*self.tried[:-1], last))._judged()

    def result(self) -> TitrationResult:
        """Return what has been found so far."""
        at = self.tried[-1].rung if self.tried else self._best
        expected = self.quest.expected(log10(self.ladder[at - 1]))
        return TitrationResult(self.rung, self.failure, self.tried, expected, self.number)

    @property
    def _nearest(self) -> int:
        """The rung nearest the threshold."""
        at = self.quest.threshold
        return 1 + min(
            range(len(self.ladder)), key=lambda index: abs(log10(self.ladder[index]) - at)
        )

    @property
    def _best(self) -> int:
        """The rung at which the expected share is nearest the target."""
        shares = [self.quest.expected(log10(contrast)) for contrast in self.ladder]
        return 1 + min(
            range(len(shares)), key=lambda index: abs(shares[index] - self.rules.target_share)
        )

    def _verifying(self, rung: int) -> "Titration":
        return replace(self, tried=(*self.tried, TriedRung(rung)))

    def _short(self, tried: TriedRung) -> Outcome | None:
        rules = self.rules
        return judged(
            tried.short, tried.short_read, rules.verify_trials, rules.accept_low, rules.accept_high
        )

    def _judged(self) -> "Titration":
        """Return the titration with what follows from the rung under verification."""
        last, rules = self.tried[-1], self.rules
        short = self._short(last)
        if short in ("low", "high"):
            return self._moved(+1 if short == "low" else -1)
        long = judged(last.long, last.long_read, rules.verify_trials, rules.long_share, 1.0)
        if long != "low":
            return replace(self, rung=last.rung) if long == "ok" else self
        if any(tried.rung == last.rung + 1 for tried in self.tried):
            return replace(self, failure="never_long")
        return self._moved(+1)

    def _moved(self, by: int) -> "Titration":
        """Return the titration at a neighbouring rung, or its end without a rung."""
        rung = self.tried[-1].rung + by
        if not 1 <= rung <= len(self.ladder):
            return replace(self, failure="ladder_ends")
        if len(self.tried) > self.rules.neighbours:
            return replace(self, failure="too_many")
        return self._verifying(rung)


def _check(rules: Rules) -> None:
    if not GUESS < rules.target_share < HIGHEST_TARGET:
        raise UserError(
            f"titration.target_share is {rules.target_share:g}, must be between {GUESS:g} "
            f"(guessing) and {HIGHEST_TARGET:g}; change the protocol"
        )
    if not rules.accept_low <= rules.target_share <= rules.accept_high:
        raise UserError(
            f"titration.target_share is {rules.target_share:g}, must be between accept_low "
            f"({rules.accept_low:g}) and accept_high ({rules.accept_high:g}); change the protocol"
        )


def judged(shown: int, read: int, planned: int, low: float, high: float) -> Outcome | None:
    """Return whether a share lies within limits, as soon as no further answer can change it.

    Parameters
    ----------
    shown, read
        Plates so far, and those read.
    planned
        Plates in all.
    low, high
        Limits of the share that is read, both allowed.
    """
    least, most = ceil(low * planned - ROUNDING), floor(high * planned + ROUNDING)
    if read > most:
        return "high"
    if read + planned - shown < least:
        return "low"
    return "ok" if shown == planned else None

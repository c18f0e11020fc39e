"""Who accepts from the explanation: plates without a numeral, with and without a contour.

Few plates a lead make chance alone look like reading the contour: an honest lead who guesses now
and then is hit once in twenty to eighty times, and one of 24 in every second study. So a model of
all leads says how much they differ, and draws each of them towards the others accordingly.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np
import pandas as pd
from scipy.special import ndtr
from scipy.stats import fisher_exact, norm

from analysis.mixed import MixedResult, fit_probit
from analysis.mixed.modes import Modes, conditional_modes
from analysis.mixed.result import Outcome, fit_or_reason
from analysis.mixed.simplify import rule
from analysis.report.about import about
from analysis.report.model import ModelFit, model_fit
from analysis.statistics.proportions import Count, Interval
from analysis.studies.accept_reject.model import few_leads

Array = np.ndarray

FORMULA = "cbind(accepted, rejected) ~ contour + (1 + contour || participant)"
CODING = (
    "contour is 1 for plates without a numeral that carry a digit-shaped contour and 0 for those "
    "without one; a row is a lead's plates of one kind, accepted within the decision time."
)
ALPHA = 0.05
_Z = float(norm.ppf(0.95))  # limits of a 90 % interval


@dataclass(frozen=True, slots=True)
class Plates:
    """A lead's accepted plates without a numeral, with a digit-shaped contour and without one."""

    participant: str
    with_contour: Count
    without_contour: Count

    @property
    def both(self) -> bool:
        """Whether the lead saw plates of both kinds."""
        return bool(self.with_contour.n and self.without_contour.n)

    @property
    def difference(self) -> float:
        """How much more of those with a contour were accepted."""
        return self.with_contour.rate - self.without_contour.rate


@dataclass(frozen=True, slots=True)
class ContourFit(ModelFit):
    """The mixed probit of plates without a numeral, or why it wasn't fitted; in probits."""

    alpha: Annotated[float, about("Level of Fisher's test, divided by the number of leads.")] = (
        ALPHA
    )
    row: Annotated[tuple[str, ...], about("What a row of the model is.")] = ("row",)


@dataclass(frozen=True, slots=True)
class ContourReading:
    """Who accepts from the explanation, and by which model.

    Attributes
    ----------
    model
        The model; where it isn't sound Fisher's test alone decides.
    shrunken
        By participant the rise that a contour brings, drawn towards all leads', with its 90 %
        interval; empty without a model.
    flagged
        Participants who accept from the explanation.
    """

    model: ContourFit
    shrunken: dict[str, Interval]
    flagged: frozenset[str]


def contour_reading(plates: Sequence[Plates], limit: float) -> ContourReading:
    """Return who accepts from the explanation.

    A lead is flagged whose shrunken rise is at least the limit and whose own effect lies above
    zero with its 90 % interval; or whose raw rise is at least the limit and whose own counts are
    beyond chance by Fisher's exact test at 5 % divided by the number of leads. The test serves
    where no model can be fitted (few leads, or nobody accepts a plate without a contour), or where
    leads who answer one way only, such as those who accept everything, leave it undetermined.

    Parameters
    ----------
    plates
        One a lead.
    limit
        The protocol's ``contour_reading_limit``.
    """
    plates = [own for own in plates if own.both]
    outcome = _fitted(plates)
    model = model_fit(ContourFit, outcome, {"coding": CODING, "rule": rule("probit scale")})
    certain = {own.participant for own in plates if _beyond_chance(own, limit, len(plates))}
    if outcome.sound is None:
        return ContourReading(model, {}, frozenset(certain))
    effects = _effects(outcome.sound, [own.participant for own in plates])
    shrunken = {name: part.rise() for name, part in effects.items()}
    likely = {
        name
        for name, part in effects.items()
        if shrunken[name].estimate >= limit and part.effect - _Z * part.sd > 0
    }
    return ContourReading(model, shrunken, frozenset(certain | likely))


def _fitted(plates: Sequence[Plates]) -> Outcome:
    rows = [
        {
            "participant": own.participant,
            "contour": contour,
            "accepted": count.successes,
            "rejected": count.n - count.successes,
        }
        for own in plates
        for contour, count in ((0.0, own.without_contour), (1.0, own.with_contour))
    ]
    return fit_or_reason(fit_probit, FORMULA, pd.DataFrame(rows), few_leads(len(plates)))


@dataclass(frozen=True, slots=True)
class _Effect:
    """One lead on the probit scale: without a contour, and what one brings."""

    base: float
    effect: float
    sd: float

    def rise(self) -> Interval:
        """Return the rise as a difference of probabilities, with its 90 % interval."""
        at = np.array([self.effect, self.effect - _Z * self.sd, self.effect + _Z * self.sd])
        return Interval(*(ndtr(self.base + at) - ndtr(np.array(self.base))).tolist())


def _effects(result: MixedResult, names: Sequence[str]) -> dict[str, _Effect]:
    fixed = {row.term: row for row in result.fixed}
    base, contour = fixed["(Intercept)"], fixed.get("contour")
    if contour is None:
        return {}
    modes = conditional_modes(result).get("participant")
    place = {} if modes is None else {name: k for k, name in enumerate(modes.names)}
    found = {}
    for name in names:
        own, spread = _term(modes, "contour", place.get(name))
        start, _ = _term(modes, "(Intercept)", place.get(name))
        sd = float(np.hypot(spread, contour.se))
        found[name] = _Effect(base.estimate + start, contour.estimate + own, sd)
    return found


def _term(modes: Modes | None, term: str, place: int | None) -> tuple[float, float]:
    """Return a lead's deviation and its conditional SD; zeros where leads don't differ."""
    if modes is None or place is None or term not in modes.terms:
        return 0.0, 0.0
    k = modes.terms.index(term)
    return float(modes.effects[place, k]), float(np.sqrt(modes.covariance[place, k, k]))


def _beyond_chance(own: Plates, limit: float, leads: int) -> bool:
    with_, without = own.with_contour, own.without_contour
    counts = np.array([[c.successes, c.n - c.successes] for c in (with_, without)])
    p = fisher_exact(counts, alternative="greater").pvalue
    return bool(own.difference >= limit and p < ALPHA / leads)

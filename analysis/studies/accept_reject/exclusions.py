"""The rules that leave leads out of the second analysis: compliance, and contour reading.

Compliance with the guidelines is judged where the right decision needs no colour vision. Right
digits that a lead may not see don't count: a lead who rejects them complies. Controls whose
explanation may mislead don't count either: leads who are misled are a result, not a reason for
exclusion.

Contour reading is accepting because of the explanation. It is judged by plates without a numeral,
with and without a contour. With few plates per lead, chance alone can look like contour reading. An
honest lead who guesses now and then would be flagged one time in twenty to eighty, and one of 24
leads in every second study. So a model of all leads estimates how much they differ, and shrinks
each lead towards the others accordingly.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated

import numpy as np
import pandas as pd
from scipy.special import ndtr

from analysis.distributions import normal_quantile
from analysis.mixed import MixedResult, fit_probit
from analysis.mixed.estimation import Method
from analysis.mixed.modes import Modes, conditional_modes
from analysis.mixed.result import Outcome, fit_or_reason
from analysis.mixed.simplify import rule
from analysis.report.about import about
from analysis.report.model import ModelFit, model_fit
from analysis.report.wording import NOTHING, percent
from analysis.statistics.proportions import Count, Interval
from analysis.studies.accept_reject.model import few_leads
from analysis.studies.accept_reject.trials import (
    ANYONE_SEES,
    MUST_REJECT,
    ScoredTrials,
)
from stimuli.studies.accept_reject.protocol import Analysis

Array = np.ndarray

CONTOUR_FORMULA = "cbind(accepted, rejected) ~ contour + (1 + contour || participant)"
CONTOUR_CODING = (
    "contour is 1 for plates without a numeral that carry a digit-shaped contour and 0 for those "
    "without one; a row is a lead's plates of one kind, accepted within the decision time."
)
RAN_AWAY = (
    "Without a penalty no estimate is sound, as where nearly every lead gave one answer only; "
    "standard deviations bear a weakly informative penalty."
)
ALPHA = 0.05
_Z = float(normal_quantile(0.95))  # limits of a 90 % interval
_fit_penalised = partial(fit_probit, method=Method(penalised=True))


@dataclass(frozen=True, slots=True)
class GroupCompliance:
    """How a lead decided on one group of controls, and whether that is enough.

    The groups are ``anyone`` (controls that anyone sees), ``must_reject`` (plates without a numeral
    and no-solution, in the run without explanations), or ``all`` (the one group of protocols with
    one threshold). An unanswered trial is not an acceptance.
    """

    name: Annotated[str, about("The group: anyone or must_reject.")]
    right: Annotated[int, about("Right decisions.")]
    n: Annotated[int, about("Controls of the group.")]
    minimum: Annotated[float, about("The least share of right decisions.")]
    judged: Annotated[bool, about("Whether there were enough controls to judge by.")]
    enough: Annotated[bool, about("Whether the share reaches the minimum; true if not judged.")]

    @classmethod
    def of(cls, name: str, right: Count, minimum: float, least: int) -> "GroupCompliance":
        """Return whether right decisions are enough, if there are enough controls to judge by.

        Parameters
        ----------
        name
            The group.
        right
            Right decisions, and all.
        minimum, least
            From the protocol.
        """
        judged = right.n >= max(1, least)
        enough = not judged or right.rate >= minimum
        return cls(name, right.successes, right.n, minimum, judged, enough)

    @property
    def count(self) -> Count:
        """Right decisions, and all."""
        return Count(self.right, self.n)


def compliance(
    judged: ScoredTrials, lead: Array, leads: int, rules: Analysis
) -> list[tuple[GroupCompliance, ...]]:
    """Return each lead's compliance, by the protocol's two thresholds.

    Parameters
    ----------
    judged
        All trials.
    lead, leads
        (n,) place of each trial's lead, and their number.
    rules
        The protocol's minimums.
    """
    groups = [
        (name, minimum, _counts(right, asked, lead, leads))
        for name, minimum, right, asked in _groups(judged.frame, rules)
    ]
    return [
        tuple(
            GroupCompliance.of(name, counts[place], minimum, rules.least_controls)
            for name, minimum, counts in groups
        )
        for place in range(leads)
    ]


def minimums(rules: Analysis) -> dict[str, float]:
    """Return the least share of right decisions by group of controls."""
    return {"anyone": rules.anyone_minimum, "must_reject": rules.must_reject_minimum}


def _groups(frame: pd.DataFrame, rules: Analysis) -> list[tuple[str, float, Array, Array]]:
    """Return each group's name and minimum, which trials were right and which are in the group."""
    accepts = (frame["decision"] == "accept").to_numpy()
    kind = frame["control_kind"].where(frame["solver"] == "control")
    seen = kind.isin(ANYONE_SEES).to_numpy()
    never = (kind.isin(MUST_REJECT) & ~frame["explained"]).to_numpy(dtype=bool)
    return [
        ("anyone", rules.anyone_minimum, seen & accepts, seen),
        ("must_reject", rules.must_reject_minimum, never & ~accepts, never),
    ]


def _counts(right: Array, group: Array, lead: Array, leads: int) -> list[Count]:
    hits, n = (np.bincount(lead[rows], minlength=leads).tolist() for rows in (right, group))
    return [Count(*pair) for pair in zip(hits, n, strict=True)]


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
        """By how much the share accepted is higher for those with a contour."""
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
        The model; if it isn't sound, Fisher's test alone decides.
    shrunken
        By participant the rise that a contour brings, shrunken towards all leads', with its 90 %
        interval; empty without a model.
    flagged
        Participants who accept from the explanation.
    """

    model: ContourFit
    shrunken: dict[str, Interval]
    flagged: frozenset[str]


def contour_reading(plates: Sequence[Plates], limit: float) -> ContourReading:
    """Return who accepts from the explanation.

    A lead is flagged whose shrunken rise is at least the limit and whose own effect lies above zero
    with its 90 % interval; or whose raw rise is at least the limit and whose own counts are beyond
    chance by Fisher's exact test at 5 % divided by the number of leads. The test is needed if no
    model can be fitted (few leads, or nobody accepts a plate without a contour), or if leads who
    always answer the same, such as those who accept everything, leave the model undetermined. If
    its spread runs away, the model is fitted with a penalty.

    Parameters
    ----------
    plates
        One for each lead.
    limit
        The protocol's ``contour_reading_limit``.
    """
    plates = [plate for plate in plates if plate.both]
    outcome = _fitted(plates)
    model = model_fit(ContourFit, outcome, {"coding": CONTOUR_CODING, "rule": rule("probit")})
    certain = {plate.participant for plate in plates if _beyond_chance(plate, limit, len(plates))}
    if outcome.sound is None:
        return ContourReading(model, {}, frozenset(certain))
    effects = _effects(outcome.sound, [plate.participant for plate in plates])
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
            "participant": plate.participant,
            "contour": contour,
            "accepted": count.successes,
            "rejected": count.n - count.successes,
        }
        for plate in plates
        for contour, count in ((0.0, plate.without_contour), (1.0, plate.with_contour))
    ]
    frame = pd.DataFrame(rows)
    outcome = fit_or_reason(fit_probit, CONTOUR_FORMULA, frame, few_leads(len(plates)))
    if outcome.result is None or outcome.sound:
        return outcome
    # One lead who reads contours among leads who accept nothing makes the spread run away. Who
    # differs hardly depends on how large it is then, so that a penalty may decide that.
    again = fit_or_reason(_fit_penalised, CONTOUR_FORMULA, frame).sound
    if again is None:
        return outcome
    return Outcome(CONTOUR_FORMULA, replace(again, notes=(RAN_AWAY, *again.notes)))


@dataclass(frozen=True, slots=True)
class _Effect:
    """One lead on the probit scale: without a contour, and what a contour adds."""

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
    effects = {}
    for name in names:
        slope, spread = _term(modes, "contour", place.get(name))
        start, _ = _term(modes, "(Intercept)", place.get(name))
        sd = float(np.hypot(spread, contour.se))
        effects[name] = _Effect(base.estimate + start, contour.estimate + slope, sd)
    return effects


def _term(modes: Modes | None, term: str, place: int | None) -> tuple[float, float]:
    """Return a lead's deviation and its conditional SD; zeros if leads don't differ."""
    if modes is None or place is None or term not in modes.terms:
        return 0.0, 0.0
    k = modes.terms.index(term)
    return float(modes.effects[place, k]), float(np.sqrt(modes.covariance[place, k, k]))


def _beyond_chance(plates: Plates, limit: float, leads: int) -> bool:
    with_, without = plates.with_contour, plates.without_contour
    # Imported late, since it takes two seconds.
    from scipy.stats import fisher_exact

    counts = np.array([[c.successes, c.n - c.successes] for c in (with_, without)])
    p = fisher_exact(counts, alternative="greater").pvalue
    return bool(plates.difference >= limit and p < ALPHA / leads)


def contour_rule(model: ContourFit) -> str:
    """Return the rule by which a lead was found to accept from the explanation."""
    test = f"by Fisher’s exact test at {percent(model.alpha)} divided by the number of leads"
    if model.fitted and model.converged:
        return f"by a mixed probit of all leads, with a 90 % interval above zero, or {test}"
    return test


def kept_words(group: GroupCompliance) -> str:
    """Return how many of a group of controls a lead decided rightly."""
    few = "" if group.judged else ", too few to judge"
    return f"{group.right} of {group.n}{few}" if group.n else NOTHING


def too_few_words(least: int) -> str:
    """Return the sentence on groups with too few controls to judge; empty without such a rule."""
    return f" A lead isn’t judged by a group of fewer than {least} controls." if least else ""

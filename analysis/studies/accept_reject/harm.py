"""Harm: do leads tell right from wrong digits less well where there are explanations?

A mixed probit of acceptance within the decision time, on matched right digits against wrong ones.
On the probit scale the coefficient of ``signal`` is d′ (DeCarlo 1998, Psychol. Methods 3(2)), and
that of ``signal:explained`` is d′ with explanations minus d′ without. Controls whose contour
misleads on purpose are no part of it: they turn the sign.
"""

from dataclasses import asdict, dataclass
from typing import Annotated

import numpy as np

from analysis.mixed import MixedResult, fit_probit
from analysis.mixed.result import Outcome, fit_or_reason
from analysis.mixed.simplify import rule
from analysis.report.about import about
from analysis.report.model import ModelFit, model_fit
from analysis.studies.accept_reject.controls import Controls, SensitivityChange, WrongDigits
from analysis.studies.accept_reject.model import factors, few_leads
from analysis.studies.accept_reject.trials import NOISE, SIGNAL, ScoredTrials

_RANDOM = "(1 + signal*explained || participant) + (1 + signal*explained || item)"
FORMULA = f"accepted ~ signal * explained + run + order + {_RANDOM}"
FORMULA_WITHOUT_ORDER = f"accepted ~ signal * explained + {_RANDOM}"
CODING = (
    "Accepted within the decision time. Two-level factors are coded ±½: signal (right digit +½, "
    "wrong digit −½), explained (with +½), run (the lead's second run +½), order (run with "
    "explanations first +½). signal:explained is d′ with explanations minus d′ without."
)
TERM = "signal:explained"
MOST_SE = 5.0
"""Standard error of a change of d′ from which on the estimate is taken to run off to infinity."""
MIXED, POOLED = "mixed probit", "pooled counts"


@dataclass(frozen=True, slots=True)
class Sensitivity(SensitivityChange):
    """The change of d′ with explanations, by the mixed probit or from pooled counts."""

    method: Annotated[str, about("Where it comes from: mixed probit or pooled counts.")] = POOLED
    reason: Annotated[
        str, about("Why it doesn't come from the mixed probit; empty if it does.")
    ] = ""


@dataclass(frozen=True, slots=True)
class Harm:
    """Whether explanations do harm, from controls."""

    sensitivity: Annotated[Sensitivity, about("The change of d′.")]
    pooled: Annotated[SensitivityChange, about("The same from pooled counts.")]
    wrong_digits: Annotated[WrongDigits, about("The rise in accepting wrong digits.")]
    model: Annotated[ModelFit, about("The mixed probit, or why it wasn't fitted.")]


def find_harm(judged: ScoredTrials, controls: Controls, margin: float) -> Harm:
    """Return whether explanations do harm, from controls.

    Parameters
    ----------
    judged
        All trials.
    controls
        Their rates, from which d′ is taken where no model can be fitted.
    margin
        A rise of wrong digits up to this much is not called harm: a lead who sees more in the
        same time decides more often, and so errs a little more often too.
    """
    outcome = _fitted(judged)
    pooled = controls.sensitivity_change()
    unfit = _why_not(outcome)
    sensitivity = Sensitivity(**asdict(pooled), method=POOLED, reason=unfit)
    if not unfit and outcome.sound is not None:
        sensitivity = _of_model(outcome.sound)
    head = {"coding": CODING, "rule": rule("probit scale")}
    return Harm(
        sensitivity, pooled, controls.wrong_digits(margin), model_fit(ModelFit, outcome, head)
    )


def _fitted(judged: ScoredTrials) -> Outcome:
    frame = judged.frame[~judged.aside & (judged.frame["solver"] == "control").to_numpy()]
    frame = frame[frame["control_kind"].isin([SIGNAL, NOISE])]
    signal = np.where(frame["control_kind"] == SIGNAL, 0.5, -0.5)
    rows = factors(frame).assign(signal=signal).reset_index(drop=True)
    ordered = bool(len(rows)) and bool(rows["run"].notna().all())
    formula = FORMULA if ordered else FORMULA_WITHOUT_ORDER
    reason = few_leads(rows["participant"].nunique())
    return fit_or_reason(fit_probit, formula, rows, reason)


def _why_not(outcome: Outcome) -> str:
    """Return why d′ isn't taken from the model; empty if it is."""
    if outcome.result is None:
        return outcome.reason
    if outcome.sound is None:
        return "its fit isn't sound"
    errors = {row.term: row.se for row in outcome.result.fixed}
    if not {"signal", TERM} <= set(errors):
        return "a kind of control is missing in one of the runs"
    if errors[TERM] > MOST_SE:
        return "it has no finite estimate, since nearly all controls of a kind were judged alike"
    return ""


def _of_model(result: MixedResult) -> Sensitivity:
    rows = {row.term: row for row in result.fixed}
    change, mean = rows[TERM], rows["signal"].estimate
    return Sensitivity(
        difference=change.estimate,
        ci_low=change.ci_low,
        ci_high=change.ci_high,
        d_prime_without=mean - change.estimate / 2,
        d_prime_with=mean + change.estimate / 2,
        n=result.n,
        harm=bool(change.ci_high < 0),
        method=MIXED,
    )

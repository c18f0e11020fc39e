"""A fitted model, or the reason why there is none, and its row in results.json."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from analysis.mixed.result import FixedEffect, MixedResult, NotEstimableError

_FARTHEST_LOG = 50.0


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a model.

    Attributes
    ----------
    asked
        The model as written.
    result
        Its fit; None where there is none.
    reason
        Why there is none.
    """

    asked: str
    result: MixedResult | None
    reason: str = ""

    @property
    def sound(self) -> MixedResult | None:
        """The fit, if it converged."""
        return self.result if self.result is not None and self.result.converged else None


def sound_fits(outcomes: Mapping[str, Outcome | None]) -> dict[str, MixedResult]:
    """Return the fits that are sound, by the keys of their outcomes."""
    kept = {key: outcome.sound for key, outcome in outcomes.items() if outcome is not None}
    return {key: fit for key, fit in kept.items() if fit is not None}


def fit_or_reason(
    fit: Callable[[str, pd.DataFrame], MixedResult],
    formula: str,
    frame: pd.DataFrame,
    too_large: str = "",
) -> Outcome:
    """Fit a model, or say why it can't be fitted.

    Parameters
    ----------
    fit
        `fit_linear`, `fit_logistic`, `fit_probit` or `fit_counts`.
    formula, frame
        The model and its rows.
    too_large
        Why there are too many rows to try; empty if there aren't.
    """
    if too_large:
        return Outcome(formula, None, too_large)
    try:
        return Outcome(formula, fit(formula, frame))
    except NotEstimableError as reason:
        return Outcome(formula, None, str(reason))
    except MemoryError:
        return Outcome(formula, None, f"{len(frame)} rows need more memory than there is")


def first_sound(
    fit: Callable[[str, pd.DataFrame], MixedResult],
    formula: str,
    frame: pd.DataFrame,
    simpler: Sequence[tuple[str, str]],
    too_large: str = "",
) -> Outcome:
    """Fit a model, and simpler ones in turn while no fit is sound.

    Parameters
    ----------
    fit, formula, frame, too_large
        As of `fit_or_reason`.
    simpler
        Formulas to fall back on, each with a sentence on what it says less of.

    Returns
    -------
    Outcome
        Of the first sound fit, with its sentence as its first note and `formula` as what was
        asked; of `formula` itself where none is sound, or where it can't be fitted at all.
    """
    outcome = fit_or_reason(fit, formula, frame, too_large)
    if outcome.result is None or outcome.sound:
        return outcome
    for smaller, note in simpler:
        again = fit_or_reason(fit, smaller, frame).sound
        if again is not None:
            return Outcome(formula, replace(again, asked=formula, notes=(note, *again.notes)))
    return outcome


def model_row(
    outcome: Outcome, head: Mapping[str, Any], ratio: str = "", more: Collection[str] = ()
) -> dict[str, Any]:
    """Return a model's outcome as a row of results.json.

    Parameters
    ----------
    outcome
        The fit or the reason.
    head
        What is said of the model either way, e.g. how its factors are coded.
    ratio
        Name of the exponential of a coefficient, e.g. ``odds_ratio``. Each row of ``fixed`` has
        it with its limits (``odds_ratio_low``, ``odds_ratio_high``). Empty for a link whose
        coefficients have no such meaning.
    more
        Which of ``correlations`` and ``residual_sd`` the row has too.
    """
    result, said = outcome.result, {"asked": outcome.asked, **head}
    if result is None:
        return said | {"fitted": False, "reason": f"No model was fitted: {outcome.reason}."}
    further = {
        "correlations": [asdict(row) for row in result.correlations],
        "residual_sd": result.residual_sd,
    }
    return said | {
        "fitted": True,
        "formula": result.formula,
        "family": result.family,
        "engine": result.engine,
        "n": result.n,
        "groups": result.groups,
        "log_likelihood": result.log_likelihood,
        "converged": result.converged,
        "fixed": [asdict(row) | (_ratios(row, ratio) if ratio else {}) for row in result.fixed],
        "random": [asdict(row) for row in result.random],
        **{name: value for name, value in further.items() if name in more},
        "notes": list(result.notes),
    }


def _ratios(row: FixedEffect, name: str) -> dict[str, float]:
    return {
        name: _exp(row.estimate),
        f"{name}_low": _exp(row.ci_low),
        f"{name}_high": _exp(row.ci_high),
    }


def _exp(value: float) -> float:
    return float(np.exp(value)) if abs(value) < _FARTHEST_LOG else float("nan")

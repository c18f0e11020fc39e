"""Mixed models: formula, design, likelihood, fit, averages, tests between models."""

from analysis.mixed.fit import fit_mixed
from analysis.mixed.marginal import marginal_probabilities
from analysis.mixed.result import (
    MixedResult,
    NotEstimableError,
)
from analysis.mixed.simplify import (
    fit_counts,
    fit_linear,
    fit_logistic,
    fit_ordinal,
    fit_probit,
)

__all__ = [
    "MixedResult",
    "NotEstimableError",
    "fit_counts",
    "fit_linear",
    "fit_logistic",
    "fit_mixed",
    "fit_ordinal",
    "fit_probit",
    "marginal_probabilities",
]

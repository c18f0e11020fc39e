"""Mixed models: formula, design, likelihood, fit, averages, tests between models."""

from analysis.mixed.fit import fit_mixed
from analysis.mixed.logistic import fit_counts, fit_linear, fit_logistic
from analysis.mixed.marginal import marginal_probabilities
from analysis.mixed.result import (
    Correlation,
    FixedEffect,
    MixedResult,
    NotEstimableError,
    RandomEffect,
)

__all__ = [
    "Correlation",
    "FixedEffect",
    "MixedResult",
    "NotEstimableError",
    "RandomEffect",
    "fit_counts",
    "fit_linear",
    "fit_logistic",
    "fit_mixed",
    "marginal_probabilities",
]

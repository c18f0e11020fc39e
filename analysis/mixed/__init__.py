"""Mixed models: formula, design, likelihood, fit, averaged probabilities."""

from analysis.mixed.fit import fit_logistic
from analysis.mixed.marginal import marginal_probabilities
from analysis.mixed.result import FixedEffect, MixedResult, NotEstimableError, RandomEffect

__all__ = [
    "FixedEffect",
    "MixedResult",
    "NotEstimableError",
    "RandomEffect",
    "fit_logistic",
    "marginal_probabilities",
]

"""What a mixed model's fit hands on."""

from dataclasses import dataclass, field

import numpy as np

LEVEL_Z = 1.959963984540054  # 95 % intervals


@dataclass(frozen=True, slots=True)
class FixedEffect:
    """One coefficient on the link's scale, with a Wald test and 95 % interval."""

    term: str
    estimate: float
    se: float
    z: float
    p: float
    ci_low: float
    ci_high: float


@dataclass(frozen=True, slots=True)
class RandomEffect:
    """Standard deviation of one random effect on the link's scale."""

    group: str
    term: str
    sd: float


@dataclass(frozen=True, slots=True)
class MixedResult:
    """A fitted model.

    Attributes
    ----------
    formula
        The model as fitted, after terms that couldn't be estimated were left out.
    asked
        The model as written.
    family, engine
        ``binomial``; what maximised the likelihood, with its version.
    n, groups
        Rows; number of levels by grouping factor.
    fixed, random
        The estimates.
    log_likelihood
        Laplace approximation for models with random effects.
    converged
        Whether the gradient vanished and every estimate is finite and determined.
    notes
        What was left out and what is odd, one sentence each.
    covariance
        (p + terms, p + terms) covariance of coefficients and standard deviations.
    """

    formula: str
    asked: str
    family: str
    engine: str
    n: int
    groups: dict[str, int]
    fixed: tuple[FixedEffect, ...]
    random: tuple[RandomEffect, ...]
    log_likelihood: float
    converged: bool
    notes: tuple[str, ...]
    covariance: np.ndarray = field(repr=False, compare=False)

    @property
    def parameters(self) -> np.ndarray:
        """Coefficients, then standard deviations, in the covariance's order."""
        return np.array([row.estimate for row in self.fixed] + [row.sd for row in self.random])


class NotEstimableError(Exception):
    """The model can't be fitted to these data; the message says why, in words."""

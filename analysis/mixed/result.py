"""What a mixed model's fit hands on."""

from dataclasses import dataclass, field

import numpy as np

from analysis.mixed.design import Design
from analysis.mixed.freedom import Freedom
from analysis.mixed.parameters import Scaling, Triangles

Array = np.ndarray


@dataclass(frozen=True, slots=True)
class FixedEffect:
    """One coefficient on the link's scale, with a Wald test and 95 % interval.

    Attributes
    ----------
    z
        Estimate over standard error, whatever distribution it is referred to.
    df
        Degrees of freedom of test and interval; infinite for the normal distribution.
    statistic
        ``t`` (Satterthwaite's degrees of freedom) or ``z``.
    """

    term: str
    estimate: float
    se: float
    z: float
    p: float
    ci_low: float
    ci_high: float
    df: float = float("inf")
    statistic: str = "z"


@dataclass(frozen=True, slots=True)
class RandomEffect:
    """Standard deviation of one random effect on the link's scale."""

    group: str
    term: str
    sd: float


@dataclass(frozen=True, slots=True)
class Correlation:
    """Correlation of two random effects of one group; NaN where one doesn't vary."""

    group: str
    term1: str
    term2: str
    r: float


@dataclass(frozen=True, slots=True)
class OwnParameter:
    """A parameter of the family itself, with a 95 % interval.

    Attributes
    ----------
    term
        ``theta`` of a negative binomial model (variance mu + mu² / theta), ``shape`` of a gamma
        model (variance mu² / shape), thresholds of an ordinal one (``low|middle``).
    se
        From the full Hessian, by the delta method.
    ci_low, ci_high
        Symmetric on the log scale for theta and shape.
    """

    term: str
    estimate: float
    se: float
    ci_low: float
    ci_high: float


@dataclass(frozen=True, slots=True)
class Estimates:
    """The numbers behind a result, for averages and tests.

    Attributes
    ----------
    design, scaling, triangles
        The model.
    coefficients
        (p,) on the columns' own scale.
    spread
        (q,) free elements of the relative covariance factors, scaled columns.
    covariance
        (p + q + m, ...) of all; without the part of `spread` in a gaussian model, whose
        coefficients and covariances are estimated independently of each other. With t
        tests the coefficients' part of a generalised model is that after a step of REML.
    freedom
        How well the coefficients' part is known.
    shape
        (m,) the family's own parameters, as `analysis.mixed.shaped.Shaped` takes them.
    """

    design: Design
    scaling: Scaling
    triangles: Triangles
    coefficients: Array
    spread: Array
    covariance: Array
    freedom: Freedom
    shape: Array = field(default_factory=lambda: np.zeros(0))

    @property
    def parameters(self) -> Array:
        """The parameters as the likelihood takes them, (p + q + m,), on scaled columns."""
        scaled = np.linalg.solve(self.scaling.fixed, self.coefficients)
        return np.concatenate([scaled, self.spread, self.shape])

    def se(self, slopes: Array) -> float:
        """Return the standard error of what has these slopes by the parameters."""
        used = self.covariance[: len(slopes), : len(slopes)]
        return float(np.sqrt(max(float(slopes @ used @ slopes), 0.0)))


@dataclass(frozen=True, slots=True)
class MixedResult:
    """A fitted model.

    Attributes
    ----------
    formula
        The model as fitted.
    asked
        The model as written; differs where terms that couldn't be estimated were left
        out by a stated rule.
    family
        One of `analysis.mixed.families.FAMILIES`.
    criterion
        What was made largest: ``REML``, ``ML`` or ``Laplace`` (approximation of the
        likelihood); ``ML`` without random effects.
    engine
        What made it largest.
    n, groups
        Rows; number of levels by grouping factor.
    fixed, random, correlations
        The estimates.
    residual_sd
        Of a gaussian model; else None.
    statistic
        What tests and intervals go by: ``t``, with Satterthwaite's degrees of freedom, or
        ``z``.
    log_likelihood
        Of all the data; for ``REML`` minus half the restricted criterion.
    own
        The family's own parameters.
    parameters
        How many parameters were estimated.
    converged
        Whether the gradient vanished and every estimate is finite and determined.
    notes
        What was left out and what is odd, one sentence each.
    estimates
        The numbers behind it.
    """

    formula: str
    asked: str
    family: str
    criterion: str
    engine: str
    n: int
    groups: dict[str, int]
    fixed: tuple[FixedEffect, ...]
    random: tuple[RandomEffect, ...]
    correlations: tuple[Correlation, ...]
    residual_sd: float | None
    statistic: str
    log_likelihood: float
    parameters: int
    converged: bool
    notes: tuple[str, ...]
    estimates: Estimates = field(repr=False, compare=False)
    own: tuple[OwnParameter, ...] = ()

    @property
    def aic(self) -> float:
        """Akaike's criterion; for ``REML`` comparable between equal fixed effects only."""
        return -2 * self.log_likelihood + 2 * self.parameters

    @property
    def bic(self) -> float:
        """Schwarz's criterion with the number of rows, as lme4 has it."""
        return -2 * self.log_likelihood + float(np.log(self.n)) * self.parameters


class NotEstimableError(Exception):
    """The model can't be fitted to these data; the message says why, in words."""

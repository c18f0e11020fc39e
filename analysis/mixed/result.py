"""The result of fitting a mixed model, or the reason why there is none.

An `Outcome` is one or the other; `model_row` makes it a row of results.json.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from math import pi
from typing import Any

import numpy as np
import pandas as pd

from analysis.mixed.design import Design
from analysis.mixed.freedom import Freedom
from analysis.mixed.parameters import Scaling, Triangles

Array = np.ndarray

_FARTHEST_LOG = 50.0
_LATENT: Mapping[str, float] = {"binomial": pi**2 / 3, "ordinal": pi**2 / 3, "probit": 1.0}
"""Variance of the residual on the scale of the link, by family."""


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
class FamilyParameter:
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
        (m,) the family's own parameters, as `analysis.mixed.families.Shaped` takes them.
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

    def covariances(self, scale: float = 1.0) -> list[Array]:
        """Return every factor's covariance matrix on its effects' own scale, (k, k)."""
        return [root @ root.T for root in self._roots(self.scaling.random, scale)]

    def reached(self) -> list[Array]:
        """Return the covariance matrices of effects over their columns' reach; see `Scaling`."""
        return [root @ root.T for root in self._roots(self.scaling.reached)]

    def deviations(self) -> dict[tuple[str, str], float]:
        """Return standard deviations over the columns' reach, by factor and effect.

        In units of the link, or of a gaussian model's residual.
        """
        return {
            (factor.group, term): float(np.sqrt(covariance[place, place]))
            for factor, covariance in zip(self.design.random, self.reached(), strict=True)
            for place, term in enumerate(factor.terms)
        }

    def _roots(self, matrices: Sequence[Array], scale: float = 1.0) -> list[Array]:
        triangles = self.triangles.matrices(self.spread)
        return [matrix @ root * scale for matrix, root in zip(matrices, triangles, strict=True)]

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
        The model as written; differs if terms that couldn't be estimated were left
        out by a stated rule.
    family
        One of `analysis.mixed.families.FAMILIES`.
    criterion
        What was maximised: ``REML``, ``ML`` or ``Laplace`` (approximation of the likelihood);
        ``ML`` without random effects.
    engine
        How it was maximised, in words.
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
    family_parameters
        The family's own parameters.
    parameters
        How many parameters were estimated.
    fault
        Why the estimates can't be relied on: they aren't finite or determined, or ran away; empty
        if they can.
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
    fault: str
    notes: tuple[str, ...]
    estimates: Estimates = field(repr=False, compare=False)
    family_parameters: tuple[FamilyParameter, ...] = ()

    @property
    def converged(self) -> bool:
        """Whether the fit is sound."""
        return not self.fault

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


@dataclass(frozen=True, slots=True)
class Outcome:
    """A model's fit, or why there is none.

    Attributes
    ----------
    asked
        The model as written.
    result
        Its fit; None if there is none.
    reason
        Why there is none.
    """

    asked: str
    result: MixedResult | None
    reason: str = ""

    @property
    def sound(self) -> MixedResult | None:
        """The fit, if it can be relied on."""
        return self.result if self.result is not None and self.result.converged else None

    @property
    def why_not(self) -> str:
        """Why there is no sound fit, as a sentence; empty if there is one."""
        if self.result is None:
            return f"No model was fitted: {self.reason}."
        return self.result.fault


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
        As in `fit_or_reason`.
    simpler
        Formulas to fall back on, each with a sentence on what it leaves out.

    Returns
    -------
    Outcome
        Of the first sound fit, with its sentence as its first note and `formula` as what was asked;
        of `formula` itself if none is sound, or if it can't be fitted at all.
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
    result, document = outcome.result, {"asked": outcome.asked, **head}
    if result is None:
        return document | {"fitted": False, "reason": outcome.why_not}
    further = {
        "correlations": [asdict(row) for row in result.correlations],
        "residual_sd": result.residual_sd,
    }
    return document | {
        "fitted": True,
        "reason": outcome.why_not,
        "formula": result.formula,
        "family": result.family,
        "engine": result.engine,
        "n": result.n,
        "groups": result.groups,
        "log_likelihood": result.log_likelihood,
        "converged": result.converged,
        "intraclass": intraclass(result),
        "fixed": [asdict(row) | (_ratios(row, ratio) if ratio else {}) for row in result.fixed],
        "random": [asdict(row) for row in result.random],
        **{name: value for name, value in further.items() if name in more},
        "notes": list(result.notes),
    }


def intraclass(result: MixedResult) -> dict[str, float]:
    """Return the share of an answer's variance that each group has (ICC), 0 to 1.

    Of the random intercepts and the residual, at the average of the coded factors, on the scale of
    the link (Nakagawa & Schielzeth 2010, Biol. Rev. 85). Empty if the residual isn't known.
    """
    by_group = {row.group: row.sd**2 for row in result.random if row.term == "(Intercept)"}
    residual = result.residual_sd
    rest = _LATENT.get(result.family) if residual is None else residual**2
    if rest is None:
        return {}
    total = rest + sum(by_group.values())
    return {group: variance / total for group, variance in by_group.items()}


def _ratios(row: FixedEffect, name: str) -> dict[str, float]:
    return {
        name: _exp(row.estimate),
        f"{name}_low": _exp(row.ci_low),
        f"{name}_high": _exp(row.ci_high),
    }


def _exp(value: float) -> float:
    return float(np.exp(value)) if abs(value) < _FARTHEST_LOG else float("nan")

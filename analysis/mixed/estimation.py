"""Where a model's likelihood is largest, how well its parameters are known there, and checks."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from analysis.mixed.design import Design
from analysis.mixed.diagnostics import overdispersion
from analysis.mixed.families import GENERALISED, LARGEST_SHAPE, SHAPED, Family, Shaped
from analysis.mixed.freedom import INFERENCES, Freedom
from analysis.mixed.gaussian import LinearMixed
from analysis.mixed.laplace import Laplace
from analysis.mixed.maximise import Maximum, inverse_curvature, maximise
from analysis.mixed.parameters import Scaling, Triangles
from analysis.mixed.quadrature import Quadrature
from analysis.mixed.result import NotEstimableError
from stimuli.errors import UserError

Array = np.ndarray

MOST_NODES = 100
_SHAPE_STEP = 1e-3
_ROUNDING = 1e-7  # of the response's standard deviation
_PERFECT = "it explains the response without a residual, but for rounding"
_NO_SCATTER = np.log(1000)  # of log theta over the mean: a thousandth more variance
_LEAST_CURVATURE = 1e-4  # a standard error of 100 on the link's scale: as good as flat
MANY_ROWS = 100_000
"""Number of rows above which the Hessian is taken from one-sided differences."""


Likelihood = Callable[[Array], tuple[float, Array]]

RATES = {
    "gaussian": 0.0,
    "binomial": 0.5,
    "probit": 0.85,
    "poisson": 0.5,
    "nbinom2": 0.5,
    "gamma": 0.5,
    "ordinal": 0.5,
}
"""How fast the penalty grows with a standard deviation over its column's reach, by family.

The most likely standard deviation is 1 / rate, 2 log odds or log counts. A gaussian model's
standard deviations are relative to the residual's, and are only kept away from zero."""


def penalised(likelihood: Likelihood, scaling: Scaling, family: str, p: int) -> Likelihood:
    """Return a log-likelihood plus the log of a gamma density for every standard deviation.

    Shape 2 keeps a standard deviation from zero, and so a correlation from one, and hardly changes
    what the data say (Chung, Rabe-Hesketh, Dorie, Gelman & Liu 2013, Psychometrika 78(4), section
    3). The rate keeps it from running away if nearly every group gave only one answer. For effects
    that correlate the first part is that of a Wishart density with k + 2 degrees of freedom (Chung
    et al. 2015, J. Educ. Behav. Stat. 40(2)).

    Parameters
    ----------
    likelihood
        Of (p + q,) parameters, with its gradient.
    scaling
        The model's columns.
    family
        One of `RATES`.
    p
        Number of coefficients, which come before the covariance factors.
    """
    triangles, rate = Triangles.of(scaling.factors), RATES[family]

    def with_penalty(parameters: Array) -> tuple[float, Array]:
        value, gradient = likelihood(parameters)
        spread = slice(p, p + len(triangles))
        more, slopes = penalty(scaling, triangles, rate, parameters[spread])
        gradient = gradient.copy()
        gradient[spread] += slopes
        return value + more, gradient

    return with_penalty


def penalty(
    scaling: Scaling, triangles: Triangles, rate: float, spread: Array
) -> tuple[float, Array]:
    """Return what is added to the log-likelihood, and its gradient by the factors, (q,)."""
    value, slopes = 0.0, []
    for reached, triangle in zip(scaling.reached, triangles.matrices(spread), strict=True):
        roots = np.diag(triangle)
        if not roots.all():
            return -np.inf, np.zeros(len(spread))
        rows = reached @ triangle
        deviations = np.sqrt((rows**2).sum(axis=1))
        value += float(np.log(np.abs(roots)).sum() - rate * deviations.sum())
        slopes.append(np.diag(1 / roots) - rate * reached.T @ (rows / deviations[:, None]))
    return value, triangles.gradient(slopes)


@dataclass(frozen=True, slots=True)
class Method:
    """How a model is estimated and tested.

    Attributes
    ----------
    restricted
        REML rather than ML; gaussian only.
    inference
        ``t``: Satterthwaite's degrees of freedom, for other families after one step of REML;
        ``z``: the normal distribution, as if the variances were known.
    quadrature
        Nodes of adaptive Gauss-Hermite quadrature; 1 for the Laplace approximation. More than one
        node needs a model with one grouping factor that has one effect.
    penalised
        Whether standard deviations have a weakly informative penalty (`penalised`).
    """

    restricted: bool = True
    inference: str = "t"
    quadrature: int = 1
    penalised: bool = False

    def check(self, design: Design, family: str) -> None:
        """Refuse a method that doesn't suit a model.

        Raises
        ------
        UserError
            If it doesn't; the message is one line.
        """
        if self.inference not in INFERENCES:
            raise UserError(f"--inference {self.inference}: there are {', '.join(INFERENCES)}")
        if not 1 <= self.quadrature <= MOST_NODES:
            raise UserError(f"--quadrature {self.quadrature}: from 1 to {MOST_NODES} nodes")
        single = [len(factor.terms) for factor in design.random] == [1]
        if self.quadrature > 1 and (family not in GENERALISED or not single):
            raise UserError(
                "--quadrature goes with binomial, probit and poisson models of one grouping "
                "factor with one effect, as in (1 | g); for others there is --penalty"
            )


@dataclass(frozen=True, slots=True)
class Peak:
    """The estimates of a model.

    Attributes
    ----------
    criterion
        ``REML``, ``ML``, ``Laplace`` or ``quadrature``.
    coefficients
        (p,) on the columns' own scale.
    spread
        (q,) free elements of the relative covariance factors, scaled columns.
    covariance, freedom
        As in `analysis.mixed.result.Estimates`.
    residual_sd
        Of a gaussian model; else None.
    log_likelihood
        With constants, without penalty.
    summit
        What the optimiser found.
    remarks
        What a reader should know, one sentence each.
    shape
        (m,) the family's own parameters.
    """

    criterion: str
    coefficients: Array
    spread: Array
    covariance: Array
    freedom: Freedom
    residual_sd: float | None
    log_likelihood: float
    summit: Maximum
    remarks: tuple[str, ...] = ()
    shape: Array = field(default_factory=lambda: np.zeros(0))


def scaling_of(design: Design, family: str) -> Scaling:
    """Return a design's scaling; a gaussian model's columns are weighted."""
    return Scaling.of(design, design.trials if family == "gaussian" else None)


def peak_of_linear(
    design: Design, scaling: Scaling, method: Method, near: Array | None = None
) -> Peak:
    """Maximise the profiled likelihood of a gaussian model; `near` as in `LinearMixed.start`.

    Raises
    ------
    NotEstimableError
        If there is no residual.
    """
    response = (design.response - design.offset) * np.sqrt(design.trials)
    model = LinearMixed(scaling, response, method.restricted)
    likelihood = model.value_and_gradient
    if method.penalised:
        likelihood = penalised(likelihood, scaling, "gaussian", 0)
    summit = maximise(likelihood, *model.start(near), one_sided=design.rows > MANY_ROWS)
    if not np.isfinite(summit.value):
        raise NotEstimableError(_PERFECT)
    fit = model.fit(summit.point)
    if fit.residual_sd < _ROUNDING * float(np.std(response)):
        raise NotEstimableError(_PERFECT)
    known = method.inference == "z"
    freedom = Freedom.unlimited() if known else model.freedom(summit.point, summit.hessian)
    value = model.value_and_gradient(summit.point)[0] if method.penalised else summit.value
    return Peak(
        criterion="REML" if method.restricted else "ML",
        coefficients=scaling.fixed @ fit.coefficients,
        spread=summit.point,
        covariance=scaling.fixed @ fit.covariance @ scaling.fixed.T,
        freedom=freedom.rescaled(scaling.fixed),
        residual_sd=fit.residual_sd,
        log_likelihood=value + float(np.log(design.trials).sum()) / 2,
        summit=summit,
    )


def peak_of_generalised(
    design: Design, scaling: Scaling, family: str, method: Method, near: Array | None = None
) -> Peak:
    """Maximise the approximate likelihood of another family; `near` as in `Laplace.start`."""
    part, p = family_of(design, family), design.fixed.shape[1]
    data = design.response, design.trials, design.offset
    laplace = Laplace(scaling, part, *data)
    likelihood = laplace.value_and_gradient
    if method.quadrature > 1 and isinstance(part, Family):
        likelihood = Quadrature(scaling, part, data, method.quadrature, laplace).value_and_gradient
    if method.penalised:
        likelihood = penalised(likelihood, scaling, family, p)
    start, inverse = laplace.start(near)
    if not isinstance(part, Family):
        inverse = inverse_curvature(likelihood, start)
    summit = maximise(likelihood, start, inverse, one_sided=design.rows > MANY_ROWS)
    ends = p, p + len(laplace.triangles)
    spread, shape = summit.point[slice(*ends)], summit.point[ends[1] :]
    if family == "gamma" and shape[-1] > np.log(LARGEST_SHAPE / 2):
        raise NotEstimableError(_PERFECT)
    covariance, freedom = joint_covariance(summit.hessian, p), Freedom.unlimited()
    if method.inference == "t":
        covariance, freedom = restricted_step(laplace, summit.point, covariance)
    transform = np.eye(len(summit.point))
    transform[:p, :p] = scaling.fixed
    exact = part if isinstance(part, Family) else part.family(shape)
    value = summit.value + exact.constant(*data[:2])
    if method.penalised:
        value -= penalty(scaling, laplace.triangles, RATES[family], spread)[0]
    return Peak(
        criterion="quadrature" if method.quadrature > 1 else "Laplace",
        coefficients=scaling.fixed @ summit.point[:p],
        spread=spread,
        covariance=transform @ covariance @ transform.T,
        freedom=freedom.rescaled(scaling.fixed),
        residual_sd=None,
        log_likelihood=value,
        summit=summit,
        remarks=_scatter(laplace, family, design, summit),
        shape=shape,
    )


def family_of(design: Design, family: str) -> Family | Shaped:
    """Return a family that isn't gaussian; an ordinal one has the response's levels."""
    if family in SHAPED:
        return SHAPED[family](len(design.levels))
    return GENERALISED[family]


def _scatter(laplace: Laplace, family: str, design: Design, summit: Maximum) -> tuple[str, ...]:
    """Return a note if Poisson counts scatter too much, or negative binomial ones too little."""
    if family == "nbinom2" and summit.point[-1] > _NO_SCATTER + np.log(design.response.mean()):
        return ("The counts scatter no more than Poisson counts: --family poisson fits as well.",)
    if family != "poisson" or not (design.trials == 1).all() or not summit.sound:
        return ()
    note = overdispersion(laplace, summit.point, design.response).note
    return (note,) if note else ()


def joint_covariance(hessian: Array, p: int) -> Array:
    """Return the inverse of a Hessian over p coefficients and the covariance factors.

    In a singular model some directions of the factors change nothing; they are left out
    of the inverse. NaN where the coefficients themselves aren't determined.
    """
    # Large counts say a million times as much of rows as of people: curvatures are compared
    # once each is 1.
    spread, scale = _with_unit_diagonal(hessian[p:, p:])
    inner = np.linalg.pinv(spread, rcond=1e-6, hermitian=True) / scale if len(spread) else spread
    across = hessian[:p, p:] @ inner
    schur = hessian[:p, :p] - across @ hessian[p:, :p]
    values = np.linalg.eigvalsh(_with_unit_diagonal(schur)[0]) if p else np.ones(1)
    if not values.min() > 1e-10 * values.max():
        return np.full_like(hessian, np.nan)
    covariance = np.empty_like(hessian)
    covariance[:p, :p] = np.linalg.inv(schur)
    covariance[:p, p:] = -covariance[:p, :p] @ across
    covariance[p:, :p] = covariance[:p, p:].T
    covariance[p:, p:] = inner + across.T @ covariance[:p, :p] @ across
    return covariance


def _with_unit_diagonal(hessian: Array) -> tuple[Array, Array]:
    """Return a Hessian of parameters in units of their own errors, and what it was divided by."""
    root = np.sqrt(np.maximum(np.abs(np.diag(hessian)), _LEAST_CURVATURE))
    scale = np.outer(root, root)
    return hessian / scale, scale


def restricted_step(model: Laplace, point: Array, covariance: Array) -> tuple[Array, Freedom]:
    """Return the coefficients' covariance after one step of REML, and its freedom.

    Maximum likelihood takes the coefficients as known, and so finds variances that are too small.
    At the maximum of the Laplace approximation the model is, to second order, a linear one with
    known weights W (its working model). The restricted likelihood adds -log det(X' V^-1 X) / 2 to
    it (Harville 1974, Biometrika 61(2); Breslow & Clayton 1993, J. Am. Stat. Assoc. 88, section
    2.4). One Newton step on that, in the covariances rather than in their roots, raises them; the
    coefficients' covariance grows by what (X' V^-1 X)^-1 grows. Estimates stay where they are.

    Parameters
    ----------
    model
        The likelihood.
    point
        (p + q + m,) its maximum.
    covariance
        (p + q + m, ...) inverse of its Hessian there.

    Returns
    -------
    tuple
        (p + q + m, ...) the covariance with its first block enlarged; Satterthwaite's freedom.
    """
    p = model.ends[0]
    if not (p and len(model.triangles) and np.isfinite(covariance).all()):
        return covariance, Freedom.unlimited()
    try:
        return _step(model, point, covariance, p)
    except (np.linalg.LinAlgError, FloatingPointError):
        # If answers are separated, some coefficient can't be estimated; the notes say so.
        return covariance, Freedom.unlimited()


def _step(model: Laplace, point: Array, covariance: Array, p: int) -> tuple[Array, Freedom]:
    end = model.ends[1]
    here, spread = model.information(point), covariance[p:end, p:end]
    step = spread @ (-np.einsum("ij,kji->k", here.covariance, here.slopes) / 2)
    raised = point.copy()
    raised[p:end] = model.triangles.raised(point[p:end], step)
    enlarged = covariance.copy()
    more = model.information(raised, at=point).covariance - here.covariance
    fixed = [*range(p), *range(end, end + len(more) - p)]
    enlarged[np.ix_(fixed, fixed)] += more
    slopes = here.covariance_slopes()[:, :p, :p]
    if len(more) > p or end == len(point):
        return enlarged, Freedom(slopes, spread)
    slopes = np.concatenate([slopes, _slopes_by_shape(model, point)])
    return enlarged, Freedom(slopes, covariance[p:, p:])


def _slopes_by_shape(model: Laplace, point: Array) -> Array:
    """Return how the coefficients' covariance changes with the family's parameters, (m, p, p)."""
    slopes = []
    for place in range(model.ends[1], len(point)):
        step = np.zeros(len(point))
        step[place] = _SHAPE_STEP
        above, below = (model.information(point + sign * step).covariance for sign in (1, -1))
        slopes.append((above - below) / (2 * _SHAPE_STEP))
    return np.array(slopes)

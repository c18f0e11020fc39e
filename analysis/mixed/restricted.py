"""From maximum to restricted maximum likelihood in one step, for generalised models."""

import numpy as np

from analysis.mixed.freedom import Freedom
from analysis.mixed.laplace import Laplace

Array = np.ndarray

_STEP = 1e-3


def restricted_step(model: Laplace, point: Array, covariance: Array) -> tuple[Array, Freedom]:
    """Return the coefficients' covariance after one step of REML, and its freedom.

    Maximum likelihood takes the coefficients for known, and so finds variances that are too
    small. At the maximum of the Laplace approximation the model is, to second order, a linear
    one with known weights W (its working model). The restricted likelihood adds
    -log det(X' V^-1 X) / 2 to it (Harville 1974, Biometrika 61(2); Breslow & Clayton 1993,
    J. Am. Stat. Assoc. 88, section 2.4). One Newton step on that, in the covariances rather
    than in their roots, raises them; the coefficients' covariance grows by what
    (X' V^-1 X)^-1 grows. Estimates stay where they are.

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
        # Where answers are separated nothing is known of some coefficient; the notes say so.
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
    found = []
    for place in range(model.ends[1], len(point)):
        step = np.zeros(len(point))
        step[place] = _STEP
        above, below = (model.information(point + sign * step).covariance for sign in (1, -1))
        found.append((above - below) / (2 * _STEP))
    return np.array(found)

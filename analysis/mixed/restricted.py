"""From maximum to restricted maximum likelihood in one step, for generalised models."""

import numpy as np

from analysis.mixed.freedom import Freedom
from analysis.mixed.laplace import Laplace

Array = np.ndarray


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
    enlarged[:p, :p] += model.information(raised, at=point).covariance - here.covariance
    return enlarged, Freedom(here.covariance_slopes(), spread)

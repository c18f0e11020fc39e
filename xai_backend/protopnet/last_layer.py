"""The last layer's convex optimisation (section 2.3, stage 3)."""

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from xai_backend.protopnet.costs import wrong_class

Doubles = NDArray[np.float64]

TOLERANCE = 1e-9
GRADIENT = 1e-6


def fitted_weights(
    scores: Tensor,
    labels: Tensor,
    start: Tensor,
    prototype_classes: Tensor,
    l1: float,
    iterations: int,
) -> Tensor:
    """Return the last layer's weights that suit fixed similarities best.

    They minimise the mean cross entropy + λ Σ |w(k, j)| over prototypes j of other classes
    than k: a convex problem, as the layers below and the prototypes stay. Where |w| has a
    kink the weight is split in a positive and a negative part, both at least 0, so that
    L-BFGS-B reaches exact zeros. Pictures that can be told apart without an error have no
    finite optimum: ``iterations`` bounds how far weights go.

    Parameters
    ----------
    scores
        (n, m): each prototype's highest similarity in each training picture.
    labels
        int64 (n,).
    start
        (K, m): where weights begin.
    prototype_classes
        int64 (m,).
    l1
        λ.
    iterations
        At most so many; 0 leaves the weights as they are.

    Returns
    -------
    (K, m)
        In the type of ``start``; never worse than the start.
    """
    from scipy.optimize import minimize

    if iterations == 0:
        return start.clone()
    wrong = wrong_class(len(start), prototype_classes).numpy()
    exact, first = scores.double(), start.double().numpy()

    def weights_of(parts: Doubles) -> Doubles:
        found = np.empty_like(first)
        free, above, below = np.split(parts, [first.size - wrong.sum(), first.size])
        found[~wrong], found[wrong] = free, above - below
        return found

    def objective(parts: Doubles) -> tuple[float, Doubles]:
        weights = torch.from_numpy(weights_of(parts)).requires_grad_()
        with torch.enable_grad():
            loss = functional.cross_entropy(exact @ weights.T, labels)
            (gradient,) = torch.autograd.grad(loss, weights)
        slope = gradient.numpy()
        penalty = l1 * parts[first.size - wrong.sum() :].sum()
        all_slopes = np.concatenate([slope[~wrong], slope[wrong] + l1, l1 - slope[wrong]])
        return loss.item() + penalty, all_slopes

    kinked = first[wrong]
    begin = np.concatenate([first[~wrong], kinked.clip(min=0), (-kinked).clip(min=0)])
    bounds: list[tuple[float | None, None]] = [(None, None)] * int((~wrong).sum())
    bounds += [(0.0, None)] * (2 * int(wrong.sum()))
    found = minimize(
        objective,
        begin,
        jac=True,
        method="L-BFGS-B",
        bounds=bounds,
        options={"maxiter": iterations, "ftol": TOLERANCE, "gtol": GRADIENT},
    )
    return torch.from_numpy(weights_of(found.x)).to(start.dtype)

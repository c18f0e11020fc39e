"""Climb a log-likelihood to a point where its gradient is zero and it curves downwards."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import minimize

from analysis.mixed.laplace import positive_inverse

Array = np.ndarray
Likelihood = Callable[[Array], tuple[float, Array]]

HESSIAN_STEP = 1e-4
ONE_SIDED_STEP = 1e-6
GAIN_TOLERANCE = 1e-5
"""Largest rise of the log-likelihood that Newton's next step may promise at a maximum.

Every estimate is then within 0.5 % of its standard error of where the gradient vanishes."""
_POLISHES = 6
_SMALL_GAIN = 1e-5  # after a Newton step that promised less, the gain left is about its square
_BEYOND = 1e100


@dataclass(frozen=True, slots=True)
class Maximum:
    """Where a log-likelihood is largest.

    Attributes
    ----------
    point, value
        Parameters (m,), log-likelihood.
    hessian
        (m, m) of minus the log-likelihood.
    gain
        What Newton's next step promises to add to the log-likelihood; nearly 0 at a
        maximum.
    evaluations
        How often the likelihood was computed.
    """

    point: Array
    value: float
    hessian: Array
    gain: float
    evaluations: int

    @property
    def sound(self) -> bool:
        """Whether the gradient vanished."""
        return self.gain <= GAIN_TOLERANCE


def inverse_curvature(likelihood: Likelihood, point: Array) -> Array:
    """Return an approximate inverse of minus the log-likelihood's Hessian, made positive."""
    objective = _Objective(likelihood)
    return positive_inverse(_hessian(objective, point, objective(point)[1]))


class _Objective:
    """Minus the log-likelihood with its gradient; remembers the last point."""

    def __init__(self, likelihood: Likelihood) -> None:
        self._likelihood = likelihood
        self._last: tuple[Array, tuple[float, Array]] | None = None
        self.evaluations = 0

    def __call__(self, parameters: Array) -> tuple[float, Array]:
        if self._last is not None and np.array_equal(parameters, self._last[0]):
            return self._last[1]
        self.evaluations += 1
        value, gradient = self._likelihood(parameters)
        negated = (-value, -gradient) if np.isfinite(value) else (_BEYOND, 0 * gradient)
        self._last = parameters.copy(), negated
        return negated


def maximise(
    likelihood: Likelihood, start: Array, inverse: Array, one_sided: bool = False
) -> Maximum:
    """Return the maximum next to a starting point.

    Quasi-Newton steps (BFGS) on the exact gradient, then Newton's with a Hessian by differences of
    the gradient. If the curvature is upwards (a saddle, as when a step took a variance to zero),
    the search continues from both sides.

    Parameters
    ----------
    likelihood
        Parameters to log-likelihood and gradient.
    start
        (m,) where to begin.
    inverse
        (m, m) approximate inverse Hessian of minus the log-likelihood there.
    one_sided
        Whether the Hessian is taken from one-sided differences. That takes half the time; its
        relative error is about 1e-6 with many rows, and larger with few.
    """
    objective = _Objective(likelihood)
    if not len(start):
        value = likelihood(start)[0]
        return Maximum(start, value, np.zeros((0, 0)), 0.0, 1)
    point = _quasi_newton(objective, start, inverse)
    for _ in range(_POLISHES):
        value, gradient = objective(point)
        hessian = _hessian(objective, point, gradient if one_sided else None)
        curvatures, directions = np.linalg.eigh(hessian)
        if curvatures[0] < -1e-3 * max(float(curvatures[-1]), 1e-3):
            better = _along(objective, point, value, directions[:, 0])
            if better is not None:
                point = _quasi_newton(objective, better, positive_inverse(hessian))
                continue
        gain, last, point = _newton(objective, point, value, gradient, hessian)
        if last:
            break
    value, gradient = objective(point)
    gain = float(gradient @ positive_inverse(hessian) @ gradient) / 2
    return Maximum(point, -value, hessian, gain, objective.evaluations)


def _quasi_newton(objective: Likelihood, start: Array, inverse: Array) -> Array:
    options = {"gtol": 1e-3, "maxiter": 300, "hess_inv0": inverse}
    # The objective returns the gradient, too, and options differ by method: no stub says so.
    find: Any = minimize
    return find(objective, start, jac=True, method="BFGS", options=options).x


def _newton(
    objective: Likelihood, point: Array, value: float, gradient: Array, hessian: Array
) -> tuple[float, bool, Array]:
    """Return the step's promised gain, whether it is the last that matters, and where it leads."""
    step = -positive_inverse(hessian) @ gradient
    gain = float(-gradient @ step) / 2
    length = 1.0
    while objective(point + length * step)[0] > value + 1e-9 * abs(value) and length > 1e-3:
        length /= 2
    if length <= 1e-3:
        return gain, True, point
    return gain, gain < _SMALL_GAIN, point + length * step


def _along(objective: Likelihood, point: Array, value: float, direction: Array) -> Array | None:
    trials = [point + length * direction for length in (0.3, -0.3, 0.05, -0.05)]
    values = [objective(trial)[0] for trial in trials]
    best = int(np.argmin(values))
    return trials[best] if values[best] < value else None


def _hessian(objective: Likelihood, parameters: Array, gradient: Array | None) -> Array:
    """Return the Hessian by differences of the exact gradient; to one side if it is given."""
    size = len(parameters)
    hessian = np.empty((size, size))
    for place in range(size):
        step = np.zeros(size)
        step[place] = HESSIAN_STEP if gradient is None else ONE_SIDED_STEP
        step[place] *= max(1.0, abs(parameters[place]))
        above = objective(parameters + step)[1]
        if gradient is None:
            hessian[place] = (above - objective(parameters - step)[1]) / (2 * step[place])
        else:
            hessian[place] = (above - gradient) / step[place]
    return (hessian + hessian.T) / 2

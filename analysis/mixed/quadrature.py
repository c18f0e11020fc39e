"""Adaptive Gauss-Hermite quadrature for one random effect of one grouping factor."""

from typing import NamedTuple

import numpy as np

from analysis.mixed.families import Family
from analysis.mixed.laplace import Laplace
from analysis.mixed.parameters import Scaling

Array = np.ndarray


class _Nodes(NamedTuple):
    """Where the nodes of each of m levels lie, and each node's share of the level's likelihood."""

    mode: Array  # (m,)
    width: Array  # (m,)
    reached: Array  # (nodes, m)
    shares: Array  # (nodes, m)


class Quadrature:
    """Log-likelihood by adaptive quadrature, with its exact gradient.

    Each level's integral over its effect u ~ N(0, 1) is a sum over nodes that lie around the
    mode, as far apart as the curvature there says (Pinheiro & Bates 1995, J. Comput. Graph.
    Stat. 4(1), section 2.4). With one node it is the Laplace approximation.

    Parameters
    ----------
    scaling
        The model's columns; one grouping factor with one effect.
    family
        One of `analysis.mixed.families.GENERALISED`.
    observed
        Response, trials and offset, (n,) each.
    nodes
        How many nodes.
    laplace
        The Laplace approximation of the same model, which finds the modes.
    """

    def __init__(
        self,
        scaling: Scaling,
        family: Family,
        observed: tuple[Array, Array, Array],
        nodes: int,
        laplace: Laplace,
    ) -> None:
        (factor,) = scaling.factors
        self._x, self._z = scaling.x, factor.regressors[:, 0]
        self._codes, self._levels = factor.codes, factor.levels
        self._family, self._laplace = family, laplace
        self._y, self._trials, self._offset = observed
        self._nodes, self._weights = np.polynomial.hermite.hermgauss(nodes)

    def value_and_gradient(self, parameters: Array) -> tuple[float, Array]:
        """Return the log-likelihood without constant and its gradient, (p + 1,)."""
        try:
            ((modes, variances),) = self._laplace.modes(parameters)
        except FloatingPointError:
            return -np.inf, np.zeros(len(parameters))
        mode, width = modes[:, 0], np.sqrt(variances[:, 0, 0])
        fixed, sd = self._offset + self._x @ parameters[:-1], parameters[-1]
        reached = mode + np.sqrt(2) * np.multiply.outer(self._nodes, width)
        logs = np.array([self._joint(fixed, sd, u) for u in reached])
        logs += (np.log(self._weights) + self._nodes**2)[:, None]
        top = logs.max(axis=0)
        shares = np.exp(logs - top)
        total = shares.sum(axis=0)
        value = float((top + np.log(total * width)).sum()) - self._levels * np.log(np.pi) / 2
        nodes = _Nodes(mode, width, reached, shares / total)
        return value, self._gradient(fixed, sd, nodes)

    def _joint(self, fixed: Array, sd: float, effects: Array) -> Array:
        """Return log p(y, u) of every level, without the normal's constant."""
        eta = fixed + sd * self._z * effects[self._codes]
        with np.errstate(over="ignore"):
            logs = self._family.log_density(self._y, self._trials, eta)
        return self._sums(logs) - effects**2 / 2

    def _gradient(self, fixed: Array, sd: float, nodes: "_Nodes") -> Array:
        """Return the gradient; nodes move with the parameters, by way of mode and curvature."""
        z, codes = self._z, self._codes
        mode, width = nodes.mode, nodes.width
        effective, by_sd = np.zeros(len(z)), 0.0
        by_mode, by_width = np.zeros(self._levels), 1 / width
        for node, u, share in zip(self._nodes, nodes.reached, nodes.shares, strict=True):
            residual = self._derivatives(fixed + sd * z * u[codes])[0]
            effective += share[codes] * residual
            sums = self._sums(z * residual)
            by_sd += float((share * u) @ sums)
            slope = share * (sd * sums - u)
            by_mode += slope
            by_width += np.sqrt(2) * node * slope
        residual, weight, bend = self._derivatives(fixed + sd * z * mode[codes])
        # The width is the curvature's inverse root; both move with the mode.
        by_curvature = -(width**3) * by_width / 2
        by_mode += by_curvature * sd**3 * self._sums(bend * z**3)
        by_mode *= width**2
        effective += (by_curvature * sd**2)[codes] * bend * z**2
        effective -= (by_mode * sd)[codes] * weight * z
        squares = self._sums(weight * z**2)
        by_sd += float(by_curvature @ (2 * sd * squares + sd**2 * mode * self._sums(bend * z**3)))
        by_sd += float(by_mode @ (self._sums(residual * z) - sd * squares * mode))
        return np.append(self._x.T @ effective, by_sd)

    def _derivatives(self, eta: Array) -> tuple[Array, Array, Array]:
        return self._family.derivatives(self._y, self._trials, eta)

    def _sums(self, values: Array) -> Array:
        return np.bincount(self._codes, values, self._levels)

"""Profiled likelihood of a linear mixed model, maximum or restricted, with exact gradient."""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_factor, cho_solve, solve_triangular

from analysis.mixed.freedom import Freedom, spread_covariance
from analysis.mixed.parameters import Scaling, Triangles
from analysis.mixed.system import Columns, Factorised, PenalisedSystem, information

Array = np.ndarray

_LARGEST_START = 1e8


@dataclass(frozen=True, slots=True)
class LinearFit:
    """A linear mixed model's other parameters at given covariance factors.

    Attributes
    ----------
    coefficients
        (p,) scaled.
    covariance
        (p, p) of the scaled coefficients.
    residual_sd
        On the response's scale.
    """

    coefficients: Array
    covariance: Array
    residual_sd: float


@dataclass(frozen=True, slots=True)
class _Solved:
    factorised: Factorised
    precision: tuple[Array, bool]
    coefficients: Array
    effects: Array
    residual: Array
    penalised: float


class LinearMixed:
    """Log-likelihood profiled over coefficients and residual variance.

    Bates et al. (2015), J. Stat. Softw. 67(1), eq. 34 (maximum likelihood) and
    eq. 41 (restricted), as functions of the relative covariance factors alone.

    Parameters
    ----------
    scaling
        The model's columns.
    response
        (n,), offset taken off.
    restricted
        Restricted (REML) or maximum likelihood.
    """

    def __init__(self, scaling: Scaling, response: Array, restricted: bool) -> None:
        self._x = scaling.x
        self._shift = scaling.x.T @ response / len(response)
        self._y = response - scaling.x @ self._shift
        self._restricted = restricted
        self._log_det_x = scaling.log_det
        self._system = PenalisedSystem(scaling.factors, len(response))
        self.triangles = Triangles.of(scaling.factors)
        self._products = self._system.z.cross_products(np.ones(len(response)))
        self._zx = [self._system.z.level_sums(column) for column in self._x.T]
        self._zy = self._system.z.level_sums(self._y)

    @property
    def rows_left(self) -> int:
        """Rows, less the fixed effects for the restricted likelihood."""
        rows, p = self._x.shape
        return rows - p if self._restricted else rows

    def value_and_gradient(self, parameters: Array) -> tuple[float, Array]:
        """Return the log-likelihood and its gradient by the triangles' free elements, (q,)."""
        try:
            solved = self._solve(parameters)
        except np.linalg.LinAlgError:
            return -np.inf, np.zeros(len(parameters))
        if not solved.penalised > 0:
            return -np.inf, np.zeros(len(parameters))
        free = self.rows_left
        value = solved.factorised.log_det + free * (1 + np.log(2 * np.pi * solved.penalised / free))
        if self._restricted:
            value += 2 * float(np.log(np.diag(solved.precision[0])).sum() + self._log_det_x)
        return -value / 2, self.triangles.gradient(self._slopes(solved))

    def start(self, near: Array | None = None) -> tuple[Array, Array]:
        """Return parameters near the maximum, and a rough inverse of the curvature.

        All random effects are as large as the residual, or ten times, a hundred times,
        as long as that makes the likelihood larger.

        Parameters
        ----------
        near
            (q,) parameters that are near the maximum already, and are returned; None if there are
            none.
        """
        levels = np.array([self._system.factors[f].levels for f, _, _ in self.triangles.places])
        if near is not None:
            return near, np.diag(np.maximum(near**2, 1e-4) / (1.0 + levels))
        size = 1.0
        best = self.value_and_gradient(self.triangles.start(size))[0]
        while len(self.triangles) and size < _LARGEST_START:
            value = self.value_and_gradient(self.triangles.start(10 * size))[0]
            if not value > best:
                break
            size, best = 10 * size, value
        return self.triangles.start(size), np.diag(size**2 / (1.0 + levels))

    def fit(self, parameters: Array) -> LinearFit:
        """Return coefficients and residual standard deviation at given covariance factors."""
        solved = self._solve(parameters)
        variance = solved.penalised / self.rows_left
        p = self._x.shape[1]
        inverse = cho_solve(solved.precision, np.eye(p)) if p else np.zeros((0, 0))
        return LinearFit(
            solved.coefficients + self._shift, variance * inverse, float(np.sqrt(variance))
        )

    def freedom(self, parameters: Array, hessian: Array) -> Freedom:
        """Return how well the scaled coefficients' covariance is known at the maximum.

        With the residual variance profiled out, it and the covariance factors are estimated
        independently of each other: its logarithm has the variance 2 / `rows_left`.

        Parameters
        ----------
        parameters
            (q,) where the likelihood is largest.
        hessian
            (q, q) of minus the profiled log-likelihood there.
        """
        solved = self._solve(parameters)
        weight = np.ones(len(self._y))
        columns = Columns.of(self._x, weight)
        here = information(self._system, solved.factorised, self.triangles, columns, weight)
        variance = solved.penalised / self.rows_left
        shrinking = self.triangles.gradient(
            [
                -2 * sums.T @ u / solved.penalised
                for sums, u in zip(
                    self._system.z.level_sums(solved.residual),
                    self._system.parts(solved.effects),
                    strict=True,
                )
            ]
        )
        slopes = here.covariance_slopes() + np.multiply.outer(shrinking, here.covariance)
        return Freedom(variance * slopes, spread_covariance(hessian), 2 / self.rows_left)

    def _solve(self, parameters: Array) -> _Solved:
        system, x = self._system, self._x
        factorised = system.factorise(self.triangles.matrices(parameters), self._products)
        zy = factorised.scores(self._zy)
        p = x.shape[1]
        if p:
            zx = np.stack([factorised.scores(sums) for sums in self._zx], axis=1)
            through = factorised.solve(zx)
            precision = cho_factor(x.T @ x - zx.T @ through, lower=True)
            coefficients = cho_solve(precision, x.T @ self._y - through.T @ zy)
            effects = factorised.solve(zy - zx @ coefficients)
        else:
            precision, coefficients = (np.zeros((0, 0)), True), np.zeros(0)
            effects = factorised.solve(zy)
        fitted = x @ coefficients + system.z.predict(factorised.effects(effects))
        residual = self._y - fitted
        penalised = float(residual @ residual + effects @ effects)
        return _Solved(factorised, precision, coefficients, effects, residual, penalised)

    def _slopes(self, solved: _Solved) -> list[Array]:
        system, factorised = self._system, solved.factorised
        meetings = self._products.meetings(factorised.inverse_blocks(), factorised.triangles)
        scale = self.rows_left / solved.penalised
        slopes = [
            scale * sums.T @ u - meeting
            for sums, u, meeting in zip(
                system.z.level_sums(solved.residual),
                system.parts(solved.effects),
                meetings,
                strict=True,
            )
        ]
        if self._restricted and self._x.shape[1]:
            for slope, sums, triangle in zip(
                slopes, self._whitened(solved), factorised.triangles, strict=True
            ):
                scaled = np.einsum("lkp,km->lmp", sums, triangle)
                slope += np.einsum("ljp,lmp->jm", sums, scaled)
        return slopes

    def _whitened(self, solved: _Solved) -> list[Array]:
        """Return Z' V^-1 X C^-T for every factor, (levels, k, p), with X' V^-1 X = C C'."""
        system, factorised = self._system, solved.factorised
        zx = np.stack([factorised.scores(sums) for sums in self._zx], axis=1)
        through = factorised.solve(zx)
        left = [np.stack(columns, axis=2) for columns in zip(*self._zx, strict=True)]
        corrected = []
        for column in range(through.shape[1]):
            predicted = system.z.predict(factorised.effects(through[:, column]))
            corrected.append(system.z.level_sums(predicted))
        triangle = solved.precision[0]
        whitened = []
        for f, sums in enumerate(left):
            rest = sums - np.stack([columns[f] for columns in corrected], axis=2)
            levels, k, p = rest.shape
            flat = rest.reshape(-1, p)
            whitened.append(solve_triangular(triangle, flat.T, lower=True).T.reshape(levels, k, p))
        return whitened

"""Laplace approximation of a generalised mixed model's log-likelihood, with exact gradient."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from analysis.mixed.families import Family, Shaped, ShapeSlopes
from analysis.mixed.parameters import Scaling, Triangles
from analysis.mixed.system import (
    Columns,
    Factorised,
    Information,
    PenalisedSystem,
    flat,
    information,
)

Array = np.ndarray

_MODE_STEPS = 100
_MODE_DECREMENT = 1e-8  # Newton's step squares the error: after it 1e-16 are left
_MODE_REACHED = 1e-18
_MODE_CHORDS = 8
_HALVINGS = 40
_START = 0.7
_EM_STEPS = 3
_LONGEST_STEP = 3.0  # of the linear predictor; longer ones overshoot where counts are large


@dataclass(frozen=True, slots=True)
class _Mode:
    effects: Array
    eta: Array
    system: Factorised
    value: float


class _Point(NamedTuple):
    """A point on the way to the mode."""

    effects: Array
    eta: Array
    objective: float


class Laplace:
    """Log-likelihood of a generalised linear model with normal random effects.

    With coefficients c and relative covariance factors L, eta = o + X c + Z L u and
    u ~ N(0, I), the value is

        l = log p(y | u*) - |u*|^2 / 2 - log det(L' Z' W Z L + I) / 2

    at the mode u* of the integrand (Tierney & Kadane 1986; Bates et al. 2015; Demidenko
    2013, ch. 7), up to the family's constant. The gradient includes the mode's
    dependence on the parameters. Without random effects it is the plain likelihood.

    Parameters
    ----------
    scaling
        The model's columns.
    family
        One of `analysis.mixed.families.GENERALISED`, or one with m parameters of its own, which
        then follow the model's.
    response, trials, offset
        (n,) each.
    """

    def __init__(
        self,
        scaling: Scaling,
        family: Family | Shaped,
        response: Array,
        trials: Array,
        offset: Array,
    ) -> None:
        self._x = scaling.x
        self._shaped = None if isinstance(family, Family) else family
        self._y, self._trials, self._offset = response, trials, offset
        self._system = PenalisedSystem(scaling.factors, len(response))
        self.triangles = Triangles.of(scaling.factors)
        self.ends = scaling.x.shape[1], scaling.x.shape[1] + len(self.triangles)
        self._family = (
            family if isinstance(family, Family) else family.family(family.start(response, trials))
        )
        self._mode = np.zeros(self._system.size)
        self._before: Factorised | None = None

    def value_and_gradient(self, parameters: Array) -> tuple[float, Array]:
        """Return the log-likelihood and its gradient.

        Parameters
        ----------
        parameters
            (p + q + m,): scaled coefficients, then the triangles' free elements, then the
            family's own.

        Returns
        -------
        tuple
            The log-likelihood (natural log, without constant) and its gradient,
            (p + q + m,); minus infinity where it can't be computed.
        """
        p = self._x.shape[1]
        mode = self._find_mode(parameters)
        if mode is None:
            return -np.inf, np.zeros(len(parameters))
        residual, weight, slope = self._derivatives(mode.eta)
        system, z = mode.system, self._system.z
        blocks = system.inverse_blocks()
        # Half the derivative of log det by eta, and its effect by way of the mode.
        leverage = z.leverages(blocks, system.triangles)
        slope = slope * leverage / 2
        echo = system.solve(system.scores(z.level_sums(slope)))
        effective = residual - slope + weight * z.predict(system.effects(echo))
        slopes = [
            direct.T @ u - meeting - through.T @ e
            for direct, through, u, e, meeting in zip(
                z.level_sums(effective),
                z.level_sums(residual),
                self._system.parts(mode.effects),
                self._system.parts(echo),
                system.products.meetings(blocks, system.triangles),
                strict=True,
            )
        ]
        gradient = np.empty(len(parameters))
        gradient[:p] = self._x.T @ effective
        gradient[p : self.ends[1]] = self.triangles.gradient(slopes)
        if self._shaped is not None:
            by_shape = self._slopes(mode.eta, parameters)
            moved = z.predict(system.effects(echo))
            gradient[self.ends[1] :] = (
                by_shape.density.sum(axis=1)
                - by_shape.weight @ leverage / 2
                - by_shape.residual @ moved
            )
        return mode.value, gradient

    def _slopes(self, eta: Array, parameters: Array) -> ShapeSlopes:
        assert self._shaped is not None
        return self._shaped.slopes(self._y, self._trials, eta, parameters[self.ends[1] :])

    def modes(self, parameters: Array) -> list[tuple[Array, Array]]:
        """Return every factor's spherical effects (levels, k) and their covariances (levels, k, k).

        At the mode for given parameters; the covariances are those of the normal
        approximation there.
        """
        mode = self._find_mode(parameters)
        if mode is None:
            raise FloatingPointError("the mode of the random effects can't be found")
        return list(zip(self._system.parts(mode.effects), mode.system.own_blocks(), strict=True))

    def information(self, parameters: Array, at: Array | None = None) -> Information:
        """Return the information on coefficients and thresholds in the working linear model.

        Its weights are the likelihood's curvature at the mode.

        Parameters
        ----------
        parameters
            (p + q,) covariance factors and coefficients.
        at
            (p + q,) whose mode the weights are taken at; None for that of `parameters`.
        """
        mode = self._find_mode(parameters if at is None else at)
        if mode is None:
            raise FloatingPointError("the mode of the random effects can't be found")
        weight = self._derivatives(mode.eta)[1]
        system, triangles = self._system, self._matrices(parameters)
        factorised = system.factorise(triangles, system.z.cross_products(weight))
        columns = self._columns(mode.eta, weight, parameters)
        return information(system, factorised, self.triangles, columns, weight)

    def _columns(self, eta: Array, weight: Array, parameters: Array) -> Columns:
        """Return the coefficients, and the family's parameters, too, if they are locations."""
        columns, shape = Columns.of(self._x, weight), parameters[self.ends[1] :]
        if self._shaped is None or not self._shaped.locations:
            return columns
        by_shape = -self._slopes(eta, parameters).residual.T
        curved = np.empty((len(shape), len(shape)))
        for place, step in enumerate(1e-5 * np.eye(len(shape))):
            near = [
                self._shaped.slopes(self._y, self._trials, eta, shape + sign * step).density
                for sign in (1, -1)
            ]
            curved[place] = -(near[0] - near[1]).sum(axis=1) / 2e-5
        across = self._x.T @ by_shape
        plain = np.block([[columns.plain, across], [across.T, (curved + curved.T) / 2]])
        return Columns(np.hstack([columns.weighted, by_shape]), plain)

    def predictor(self, parameters: Array) -> tuple[Array, Array, Array]:
        """Return (n,) linear predictors at the mode, their variances, and the rows' weights.

        The variances are those of the working model at known covariances: coefficients,
        thresholds and random effects together. Times the weights they are the leverages, whose
        sum is the effective number of parameters.
        """
        mode = self._find_mode(parameters)
        if mode is None:
            raise FloatingPointError("the mode of the random effects can't be found")
        weight = self._derivatives(mode.eta)[1]
        system, at_mode = self._system, mode.system
        variance = system.z.leverages(at_mode.inverse_blocks(), at_mode.triangles)
        columns = self._columns(mode.eta, weight, parameters)
        size = len(columns.plain)
        left, matrix = np.zeros((len(weight), size)), columns.plain.copy()
        left[:, : self.ends[0]] = self._x
        for place, column in enumerate(columns.weighted.T):
            through = at_mode.solve(at_mode.scores(system.z.level_sums(column)))
            shrunk = system.z.predict(at_mode.effects(through))
            left[:, place] -= shrunk
            matrix[place] -= columns.weighted.T @ shrunk
        inverse = np.linalg.pinv(matrix, hermitian=True) if size else matrix
        return mode.eta, variance + np.einsum("ij,jk,ik->i", left, inverse, left), weight

    def start(self, near: Array | None = None) -> tuple[Array, Array]:
        """Return parameters near the maximum, and an approximate inverse of the curvature.

        Coefficients come from a least-squares fit on the link's scale and Newton's
        method; covariances from a few steps of an EM algorithm.

        Parameters
        ----------
        near
            (p + q,) parameters that are near the maximum already, and are returned; None if there
            are none.
        """
        x, p = self._x, self._x.shape[1]
        steps = _EM_STEPS if near is None else 0
        shape = self._first_shape(near)
        if near is None:
            coefficients = self._first_coefficients()
            triangles = self.triangles.matrices(self.triangles.start(_START))
        else:
            coefficients, triangles = near[:p], self._matrices(near)
        for step in range(steps + 1):
            parameters = np.concatenate([coefficients, self._packed(triangles), shape])
            mode = self._find_mode(parameters)
            if mode is None:
                break
            residual, weight, _ = self._derivatives(mode.eta)
            information = self._information(mode.system, weight)
            score = x.T @ residual
            change = np.linalg.lstsq(information, score, rcond=1e-10)[0]
            longest = float(np.abs(x @ change).max(initial=0))
            if near is None:
                shorter = min(1.0, _LONGEST_STEP / max(longest, 1e-300))
                coefficients = coefficients + change * shorter
            if step < steps:
                triangles = self._em_step(mode, triangles)
        curvature = np.eye(len(parameters))
        if mode is not None:
            curvature[:p, :p] = information
            spread = slice(p, self.ends[1])
            curvature[spread, spread] = np.diag(self._spread_information(mode, triangles))
        parameters[:p] = coefficients
        return parameters, positive_inverse(curvature)

    def _first_coefficients(self) -> Array:
        """Return the first step of iteratively reweighted least squares from the response."""
        near = self._family.start(self._y, self._trials)
        root = np.sqrt(self._derivatives(near)[1])
        left = self._x * root[:, None]
        return np.linalg.lstsq(left, (near - self._offset) * root, rcond=1e-10)[0]

    def _find_mode(self, parameters: Array) -> _Mode | None:
        p, system = self._x.shape[1], self._system
        triangles = self._matrices(parameters)
        if self._shaped is not None:
            self._family = self._shaped.family(parameters[self.ends[1] :])
        fixed = self._offset + self._x @ parameters[:p]
        effects = self._mode
        eta = fixed + self._random_part(triangles, effects)
        if not system.factors:
            value = self._density(eta)
            plain = system.factorise([], system.z.cross_products(eta))
            return _Mode(effects, eta, plain, value) if value > -1e300 else None
        at = _Point(effects, eta, float(self._density(eta) - effects @ effects / 2))
        try:
            at = self._nearer(triangles, fixed, at)
            for _ in range(_MODE_STEPS):
                residual, weight, _ = self._derivatives(at.eta)
                factorised = system.factorise(triangles, system.z.cross_products(weight))
                score = factorised.scores(system.z.level_sums(residual)) - at.effects
                step = factorised.solve(score)
                decrement = float(score @ step)
                if decrement < _MODE_REACHED:
                    break
                at = self._advance(triangles, fixed, at, step)
                if decrement < _MODE_DECREMENT:
                    _, weight, _ = self._derivatives(at.eta)
                    factorised = system.factorise(triangles, system.z.cross_products(weight))
                    break
        except np.linalg.LinAlgError:
            return None
        value = at.objective - factorised.log_det / 2
        if not np.isfinite(value):
            return None
        self._mode, self._before = at.effects, factorised
        return _Mode(at.effects, at.eta, factorised, value)

    def _nearer(self, triangles: list[Array], fixed: Array, at: _Point) -> _Point:
        """Step towards the mode by the last mode's curvature, which costs no factorisation.

        After a small change of the parameters, as for a Hessian's differences, this is enough.
        """
        if self._before is None or not np.isfinite(at.objective):
            return at
        last = np.inf
        for _ in range(_MODE_CHORDS):
            sums = self._system.z.level_sums(self._derivatives(at.eta)[0])
            score = flat(sums, triangles) - at.effects
            step = self._before.solve(score)
            decrement = float(score @ step)
            if not decrement < last / 4:
                break
            at = self._advance(triangles, fixed, at, step)
            if decrement < _MODE_REACHED:
                break
            last = decrement
        return at

    def _advance(self, triangles: list[Array], fixed: Array, at: _Point, step: Array) -> _Point:
        length, before = 1.0, at.objective
        for _ in range(_HALVINGS):
            new = at.effects + length * step
            eta = fixed + self._random_part(triangles, new)
            value = self._density(eta) - new @ new / 2
            if value >= before - 1e-12 * abs(before) or not np.isfinite(before):
                return _Point(new, eta, value)
            length /= 2
        return at

    def _random_part(self, triangles: list[Array], effects: Array) -> Array:
        parts = self._system.parts(effects)
        return self._system.z.predict([u @ t.T for u, t in zip(parts, triangles, strict=True)])

    def _derivatives(self, eta: Array) -> tuple[Array, Array, Array]:
        return self._family.derivatives(self._y, self._trials, eta)

    def _density(self, eta: Array) -> float:
        with np.errstate(over="ignore"):  # minus infinity is a value like any other
            return float(self._family.log_density(self._y, self._trials, eta).sum())

    def _information(self, factorised: Factorised, weight: Array) -> Array:
        """Return X' V^-1 X of the working linear model, (p, p)."""
        system, x = self._system, self._x
        plain = x.T @ (x * weight[:, None])
        if not system.factors or not x.shape[1]:
            return plain
        scores = [factorised.scores(system.z.level_sums(weight * column)) for column in x.T]
        between = np.stack(scores, axis=1)
        return plain - between.T @ factorised.solve(between)

    def _em_step(self, mode: _Mode, triangles: list[Array]) -> list[Array]:
        updated = []
        for factor, u, conditional, triangle in zip(
            self._system.factors,
            self._system.parts(mode.effects),
            mode.system.own_blocks(),
            triangles,
            strict=True,
        ):
            moment = (u.T @ u + conditional.sum(axis=0)) / factor.levels
            covariance = triangle @ moment @ triangle.T
            allowed = np.zeros_like(covariance)
            for block in factor.blocks:
                allowed[np.ix_(block, block)] = covariance[np.ix_(block, block)]
            floor = 1e-4 * np.eye(len(allowed))
            updated.append(np.linalg.cholesky(allowed + floor))
        return updated

    def _packed(self, triangles: list[Array]) -> Array:
        return np.array([triangles[f][i, j] for f, i, j in self.triangles.places])

    def _matrices(self, parameters: Array) -> list[Array]:
        return self.triangles.matrices(parameters[slice(*self.ends)])

    def _first_shape(self, near: Array | None) -> Array:
        if near is not None:
            return near[self.ends[1] :]
        return np.zeros(0) if self._shaped is None else self._shaped.start(self._y, self._trials)

    def _spread_information(self, mode: _Mode, triangles: list[Array]) -> Array:
        """Return roughly the information on each element, by what is learnt of each level."""
        learnt = [1 - np.einsum("lii->li", blocks) for blocks in mode.system.own_blocks()]
        by_element = []
        for f, i, j in self.triangles.places:
            size = max(abs(triangles[f][i, i]), 1e-2)
            both = float((learnt[f][:, i] * learnt[f][:, j]).sum())
            by_element.append((2 if i == j else 1) * both / size**2 + 1e-3)
        return np.array(by_element)


def positive_inverse(hessian: Array) -> Array:
    """Return the inverse of a symmetric matrix with its eigenvalues made positive."""
    if not len(hessian):
        return hessian
    values, vectors = np.linalg.eigh(hessian)
    size = np.abs(values)
    inverse = (vectors / np.maximum(size, max(1e-6 * float(size.max()), 1e-12))) @ vectors.T
    return (inverse + inverse.T) / 2  # BFGS asks for exact symmetry

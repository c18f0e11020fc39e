"""Laplace approximation of a logistic mixed model's log-likelihood, with its exact gradient."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.special import expit

from analysis.mixed.design import Design, RandomTerm

Array = np.ndarray

_MODE_STEPS = 100
_MODE_DECREMENT = 1e-10
_HALVINGS = 30


@dataclass(frozen=True, slots=True)
class _Factors:
    """Random terms by grouping factor: the largest one in blocks, the others dense.

    The largest factor's part of the penalised normal matrix is block diagonal (one
    block a level), so it is eliminated first and only the others' Schur complement
    is factorised densely.
    """

    block_terms: Array  # (k0,) places of the block factor's terms among all terms
    block_z: Array  # (n, k0) regressors
    block_code: Array  # (n,) level of the block factor
    block_levels: int
    rest_terms: Array  # (kr,)
    rest_z: Array  # (n, kr)
    rest_index: Array  # (n, kr) column of the dense part
    rest_size: int
    block_position: Array = field(repr=False)  # (n, k0) column of the block part


class Laplace:
    """Log-likelihood of a Bernoulli-logit model with independent normal random effects.

    With coefficients b and standard deviations s (one a random term; their sign is
    immaterial), eta = X b + Z diag(s) u and u ~ N(0, I), the value is

        l(b, s) = log p(y | u*) - |u*|^2 / 2 - log det(S Z' W Z S + I) / 2

    at the mode u* of the integrand (Tierney & Kadane 1986; in this form Bates et al.
    2015, J. Stat. Softw. 67(1), and Demidenko 2013, ch. 7). The gradient includes the
    mode's dependence on the parameters.

    Parameters
    ----------
    design
        Response (0/1), fixed-effects matrix (n, p) and the random terms.
    """

    def __init__(self, design: Design) -> None:
        self._y = design.response
        self._x = design.fixed
        self._factors = _arrange(design.random)
        self._terms = len(design.random)
        size = self._factors.block_levels * self._factors.block_z.shape[1]
        self._block_mode = np.zeros(size)
        self._rest_mode = np.zeros(self._factors.rest_size)

    @staticmethod
    def entries(design: Design) -> int:
        """Return how many numbers the coupling of block and dense part holds."""
        factors = _arrange(design.random)
        block = factors.block_levels * factors.block_z.shape[1]
        return factors.rest_size * (block + factors.rest_size)

    def value_and_gradient(self, parameters: Array) -> tuple[float, Array]:
        """Return the log-likelihood and its gradient.

        Parameters
        ----------
        parameters
            (p + terms,): coefficients, then standard deviations in the terms' order.

        Returns
        -------
        tuple
            The log-likelihood (natural log) and its gradient, (p + terms,).
        """
        p = self._x.shape[1]
        coefficients, deviations = parameters[:p], parameters[p:]
        state = self._find_mode(self._x @ coefficients, deviations)
        return state.value, self._gradient(state)

    def _find_mode(self, offset: Array, deviations: Array) -> "_State":
        block, rest = self._block_mode.copy(), self._rest_mode.copy()
        system = _System(self._factors, deviations)
        objective = self._objective(system, offset, block, rest)
        for _ in range(_MODE_STEPS):
            eta = offset + system.predict(block, rest)
            mean = expit(eta)
            system.factorise(mean * (1 - mean))
            block_score, rest_score = system.project(self._y - mean)
            block_score, rest_score = block_score - block, rest_score - rest
            block_step, rest_step = system.solve(block_score, rest_score)
            decrement = float(block_score @ block_step + rest_score @ rest_step)
            length = 1.0
            for _ in range(_HALVINGS):
                new_block, new_rest = block + length * block_step, rest + length * rest_step
                new = self._objective(system, offset, new_block, new_rest)
                if new >= objective - 1e-12 * abs(objective):
                    break
                length /= 2
            block, rest, objective = new_block, new_rest, new
            if decrement < _MODE_DECREMENT:
                break
        eta = offset + system.predict(block, rest)
        mean = expit(eta)
        log_determinant = system.factorise(mean * (1 - mean))
        self._block_mode, self._rest_mode = block, rest
        return _State(system, mean, block, rest, objective - log_determinant / 2)

    def _objective(self, system: "_System", offset: Array, block: Array, rest: Array) -> float:
        eta = offset + system.predict(block, rest)
        fit = float(self._y @ eta - np.logaddexp(0, eta).sum())
        return fit - float(block @ block + rest @ rest) / 2

    def _gradient(self, state: "_State") -> Array:
        system, mean = state.system, state.mean
        weight = mean * (1 - mean)
        residual = self._y - mean
        inverse_row, leverage = system.leverage()
        # Half the derivative of log det along eta, and its answer through the mode.
        slope = weight * (1 - 2 * mean) * leverage / 2
        block_echo, rest_echo = system.solve(*system.project(slope))
        effective = residual - slope + weight * system.predict(block_echo, rest_echo)
        by_deviation = (
            system.unscaled(state.block, state.rest) * effective[:, None]
            - inverse_row * system.z * weight[:, None]
            - system.unscaled(block_echo, rest_echo) * residual[:, None]
        ).sum(axis=0)
        gradient = np.empty(self._x.shape[1] + self._terms)
        gradient[: self._x.shape[1]] = self._x.T @ effective
        gradient[self._x.shape[1] + system.order] = by_deviation
        return gradient


@dataclass(frozen=True, slots=True)
class _State:
    system: "_System"
    mean: Array
    block: Array
    rest: Array
    value: float


class _System:
    """H = S Z' W Z S + I for one set of standard deviations, solved by Schur complement."""

    def __init__(self, factors: _Factors, deviations: Array) -> None:
        self._f = factors
        self.order = np.concatenate([factors.block_terms, factors.rest_terms])
        self.z = np.hstack([factors.block_z, factors.rest_z])
        self._block_a = factors.block_z * deviations[factors.block_terms]
        self._rest_a = factors.rest_z * deviations[factors.rest_terms]

    def predict(self, block: Array, rest: Array) -> Array:
        """Return Z S u for every row."""
        eta = (self._block_a * block[self._f.block_position]).sum(axis=1)
        return eta + (self._rest_a * rest[self._f.rest_index]).sum(axis=1)

    def unscaled(self, block: Array, rest: Array) -> Array:
        """Return z_ik u_k for every row and term, without the standard deviations."""
        f = self._f
        return np.hstack([f.block_z * block[f.block_position], f.rest_z * rest[f.rest_index]])

    def project(self, values: Array) -> tuple[Array, Array]:
        """Return S Z' v, block part and dense part."""
        f = self._f
        size = f.block_levels * f.block_z.shape[1]
        block = _sums(f.block_position, self._block_a * values[:, None], size)
        return block, _sums(f.rest_index, self._rest_a * values[:, None], f.rest_size)

    def factorise(self, weight: Array) -> float:
        """Factorise H at these weights and return log det H."""
        f, k, levels, size = (
            self._f,
            self._f.block_z.shape[1],
            self._f.block_levels,
            self._f.rest_size,
        )
        block_wa = self._block_a * weight[:, None]
        pairs = f.block_code[:, None, None] * k * k + np.arange(k * k).reshape(k, k)
        blocks = _sums(pairs, block_wa[:, :, None] * self._block_a[:, None, :], levels * k * k)
        blocks = blocks.reshape(levels, k, k) + np.eye(k)
        self._block_inverse = np.linalg.inv(blocks)
        log_determinant = float(np.linalg.slogdet(blocks)[1].sum())
        if size == 0:
            return log_determinant
        places = f.rest_index[:, :, None] * (levels * k) + f.block_position[:, None, :]
        coupling = _sums(places, self._rest_a[:, :, None] * block_wa[:, None, :], size * levels * k)
        coupling = coupling.reshape(size, levels * k)
        places = f.rest_index[:, :, None] * size + f.rest_index[:, None, :]
        rest_wa = self._rest_a * weight[:, None]
        dense = _sums(places, self._rest_a[:, :, None] * rest_wa[:, None, :], size * size)
        dense = dense.reshape(size, size) + np.eye(size)
        by_level = coupling.reshape(size, levels, k).transpose(1, 0, 2)
        reduced = (by_level @ self._block_inverse).transpose(1, 0, 2).reshape(size, levels * k)
        self._coupling, self._reduced = coupling, reduced
        self._schur = cho_factor(dense - reduced @ coupling.T, lower=True)
        return log_determinant + 2 * float(np.log(np.diag(self._schur[0])).sum())

    def solve(self, block: Array, rest: Array) -> tuple[Array, Array]:
        """Return the solution of H x = r."""
        levels, k = self._f.block_levels, self._f.block_z.shape[1]
        by_level = block.reshape(levels, k, 1)
        first = (self._block_inverse @ by_level).ravel()
        if self._f.rest_size == 0:
            return first, rest
        dense = cho_solve(self._schur, rest - self._coupling @ first)
        return first - self._reduced.T @ dense, dense

    def leverage(self) -> tuple[Array, Array]:
        """Return for every row i the own elements of H^-1 a_i, (n, k), and a_i' H^-1 a_i, (n,)."""
        f, k = self._f, self._f.block_z.shape[1]
        inverse = self._block_inverse
        if f.rest_size == 0:
            own = np.einsum("nij,nj->ni", inverse[f.block_code], self._block_a)
            return own, (own * self._block_a).sum(axis=1)
        schur_inverse = cho_solve(self._schur, np.eye(f.rest_size))
        cross = schur_inverse @ self._reduced  # minus the off-diagonal part of H^-1
        reduced = self._reduced.reshape(f.rest_size, f.block_levels, k).transpose(1, 2, 0)
        crossed = cross.reshape(f.rest_size, f.block_levels, k).transpose(1, 0, 2)
        inverse = inverse + reduced @ crossed
        cross_rows = cross[f.rest_index[:, :, None], f.block_position[:, None, :]]
        dense_rows = schur_inverse[f.rest_index[:, :, None], f.rest_index[:, None, :]]
        block_own = np.einsum("nij,nj->ni", inverse[f.block_code], self._block_a)
        block_own -= np.einsum("nri,nr->ni", cross_rows, self._rest_a)
        rest_own = np.einsum("nij,nj->ni", dense_rows, self._rest_a)
        rest_own -= np.einsum("nri,ni->nr", cross_rows, self._block_a)
        own = np.hstack([block_own, rest_own])
        return own, (own * np.hstack([self._block_a, self._rest_a])).sum(axis=1)


def _arrange(terms: Sequence[RandomTerm]) -> _Factors:
    groups = list(dict.fromkeys(term.group for term in terms))
    levels = {term.group: len(term.levels) for term in terms}
    groups.sort(key=lambda group: -levels[group])
    members = {g: [i for i, term in enumerate(terms) if term.group == g] for g in groups}
    n = len(terms[0].codes)
    first = members[groups[0]]
    code = terms[first[0]].codes
    k = len(first)
    offset, places, rest_index = 0, [], []
    for group in groups[1:]:
        width = len(members[group])
        for position, place in enumerate(members[group]):
            places.append(place)
            rest_index.append(offset + terms[place].codes * width + position)
        offset += levels[group] * width
    return _Factors(
        block_terms=np.array(first),
        block_z=np.column_stack([terms[i].regressor for i in first]),
        block_code=code,
        block_levels=levels[groups[0]],
        rest_terms=np.array(places, dtype=int),
        rest_z=_columns([terms[i].regressor for i in places], n),
        rest_index=_columns(rest_index, n).astype(int),
        rest_size=offset,
        block_position=code[:, None] * k + np.arange(k),
    )


def _columns(columns: list[Array], rows: int) -> Array:
    return np.column_stack(columns) if columns else np.zeros((rows, 0))


def _sums(index: Array, values: Array, size: int) -> Array:
    return np.bincount(index.ravel(), weights=values.ravel(), minlength=size)

"""From a vector of parameters to coefficients and covariances, on well-scaled columns."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import cast

import numpy as np

from analysis.mixed.design import Design, RandomFactor
from analysis.mixed.freedom import INTERCEPT

Array = np.ndarray


@dataclass(frozen=True, slots=True)
class Scaling:
    """A model's columns rotated and scaled so that every optimiser meets the same scales.

    The fixed columns are made orthogonal with mean square 1, and so are the regressors
    of effects that may correlate; others are divided by their root mean square. The
    model stays the same: x'b = q'c with b = `fixed` c, and the covariance of a factor's
    effects is S L L' S' with S = `random`.

    Attributes
    ----------
    x
        (n, p) scaled fixed columns.
    fixed
        (p, p) from scaled to own coefficients.
    log_det
        log det of the upper triangle R in X = QR, for the restricted likelihood.
    factors
        The grouping factors with scaled regressors.
    random
        For every factor (k, k).
    reached
        For every factor (k, k): the same for what effects do over their columns' reach.
    """

    x: Array
    fixed: Array
    log_det: float
    factors: tuple[RandomFactor, ...]
    random: tuple[Array, ...]
    reached: tuple[Array, ...]

    @classmethod
    def of(cls, design: Design, weights: Array | None = None) -> "Scaling":
        """Return a design's scaling; its fixed columns must be independent.

        `weights` (n,) multiply squares of rows, as in a weighted gaussian model; None for 1.
        """
        root = np.sqrt(design.rows)
        heavy = np.ones((design.rows, 1)) if weights is None else np.sqrt(weights)[:, None]
        q, r = np.linalg.qr(design.fixed * heavy)
        factors, matrices, reached = [], [], []
        for factor in design.random:
            weighted = replace(factor, regressors=factor.regressors * heavy)
            matrix = _random_scale(weighted)
            matrices.append(matrix)
            reached.append(reach_of(factor) @ matrix)
            factors.append(replace(factor, regressors=weighted.regressors @ matrix))
        return cls(
            q * root,
            np.linalg.solve(r, np.eye(len(r))) * root,
            float(np.log(np.abs(np.diag(r)) / root).sum()) if len(r) else 0.0,
            tuple(factors),
            tuple(matrices),
            tuple(reached),
        )


def _random_scale(factor: RandomFactor) -> Array:
    k = len(factor.terms)
    scale = np.zeros((k, k))
    for block in factor.blocks:
        z = factor.regressors[:, block]
        size = np.sqrt((z**2).mean(axis=0))
        size[size == 0] = 1.0
        inner = np.diag(1 / size)
        if len(block) > 1:
            _, r = np.linalg.qr(z / size)
            strength = np.abs(np.diag(r))
            if strength.min() > 1e-7 * strength.max():
                inner = inner @ np.linalg.solve(r, np.eye(len(r))) * np.sqrt(len(z))
        scale[np.ix_(block, block)] = inner
    return scale


def reach_of(factor: RandomFactor) -> Array:
    """Return what turns a factor's effects into what they do over their columns' reach, (k, k).

    A column reaches over two standard deviations, as from one level of a two-level factor to the
    other (Gelman 2008, Stat. Med. 27(15)). If effects correlate with an intercept, columns count
    from their means, and the intercept is that at the means; other columns count from zero. So
    whether an effect is large or vanishes depends neither on a predictor's unit nor, where the
    model doesn't, on where its zero is.
    """
    matrix = np.eye(len(factor.terms))
    for block in factor.blocks:
        columns = factor.regressors[:, block]
        level = [place for place in block if factor.terms[place] == INTERCEPT]
        middle = columns.mean(axis=0) if level else np.zeros(len(block))
        reach = 2 * np.sqrt(((columns - middle) ** 2).mean(axis=0))
        matrix[block, block] = np.where(reach > 0, reach, 1.0)
        matrix[np.ix_(level, block)] = middle
    return matrix


@dataclass(frozen=True, slots=True)
class Triangles:
    """Which elements of the factors' lower triangles are parameters.

    Attributes
    ----------
    sizes
        k of every factor.
    places
        (factor, row, column) of every parameter.
    """

    sizes: tuple[int, ...]
    places: tuple[tuple[int, int, int], ...]

    @classmethod
    def of(cls, factors: Sequence[RandomFactor]) -> "Triangles":
        """Return the free elements: rows and columns of one block."""
        places = [
            (number, row, column)
            for number, factor in enumerate(factors)
            for block in factor.blocks
            for row in block
            for column in block
            if row >= column
        ]
        return cls(tuple(len(factor.terms) for factor in factors), tuple(places))

    def __len__(self) -> int:
        return len(self.places)

    def start(self, value: float) -> Array:
        """Return parameters with one value on the diagonals."""
        return np.array([value if row == column else 0.0 for _, row, column in self.places])

    def matrices(self, parameters: Array) -> list[Array]:
        """Return every factor's lower triangle."""
        triangles = [np.zeros((k, k)) for k in self.sizes]
        for (factor, row, column), value in zip(self.places, parameters, strict=True):
            triangles[factor][row, column] = value
        return triangles

    def gradient(self, slopes: Sequence[Array]) -> Array:
        """Return the slopes by the parameters from those by every element, (k, k) a factor."""
        return np.array([slopes[factor][row, column] for factor, row, column in self.places])

    def raised(self, parameters: Array, step: Array) -> Array:
        """Return the parameters of every L L' + L D' + D L', for a step D of the triangles L.

        That is a step of L to first order, taken in the covariances. Where the sum isn't a
        covariance, its negative part is left out.
        """
        roots = []
        for lower, change in zip(self.matrices(parameters), self.matrices(step), strict=True):
            both = lower @ change.T
            roots.append(lower_root(lower @ lower.T + both + both.T))
        return self.gradient(roots)


def lower_root(covariance: Array) -> Array:
    """Return a lower triangle L with L L' = C; a negative part of C is left out."""
    values, vectors = np.linalg.eigh(covariance)
    root = vectors * np.sqrt(np.maximum(values, 0))
    return upper_triangle(root.T).T


def upper_triangle(matrix: Array) -> Array:
    """Return the upper triangle R with R' R = M' M, by a QR factorisation."""
    return cast(Array, np.linalg.qr(matrix, mode="r"))

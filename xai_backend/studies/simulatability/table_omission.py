"""What a model says of a row without one of its values (appendix A.1).

The score without a value is the expected score over the column's values, whose chances a
multinomial logistic regression states from the other columns.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.special import softmax
from sklearn.linear_model import LogisticRegression
from threadpoolctl import threadpool_limits

from xai_backend.progress import Reporter, Silent
from xai_backend.studies.simulatability.table_codes import Codes, one_hot
from xai_backend.studies.simulatability.trained import Reals

MOST_STEPS: Final = 1000
NEVER: Final = -1e9
"""Log odds of a value that never stands in the training split."""


@dataclass(frozen=True, slots=True)
class Chances:
    """How likely each value of each column is, given the values of the others.

    Attributes
    ----------
    sizes
        How many levels each column has.
    weights, baselines
        Of each column's regression, (levels, one-hot inputs) and (levels,); the inputs of the
        column itself have weight 0.
    """

    sizes: tuple[int, ...]
    weights: tuple[Reals, ...]
    baselines: tuple[Reals, ...]

    def of_column(self, codes: Codes, place: int) -> Reals:
        """Return chances of a column's values, (n, levels), of codes, (n, columns)."""
        scores = one_hot(codes, self.sizes) @ self.weights[place].T + self.baselines[place]
        return softmax(scores, axis=1)


def fitted_chances(codes: Codes, sizes: Sequence[int], reporter: Reporter = Silent()) -> Chances:
    """Fit a multinomial logistic regression of each column on the others.

    Parameters
    ----------
    codes
        Of the training split, int64 (n, columns).
    sizes
        How many levels each column has.
    """
    inputs = one_hot(codes, sizes)
    owner = np.repeat(np.arange(len(sizes)), sizes)
    weights, baselines = [], []
    with reporter.stage("what values follow from", len(sizes)) as advance, threadpool_limits(1):
        for place, size in enumerate(sizes):
            others = owner != place
            weight, baseline = np.zeros((size, len(owner))), np.full(size, NEVER)
            present, found = _regression(inputs[:, others], codes[:, place])
            weight[np.ix_(present, others)], baseline[present] = found
            weights.append(weight)
            baselines.append(baseline)
            advance(1)
    return Chances(tuple(sizes), tuple(weights), tuple(baselines))


def expected_scores(chances: Chances, scores: Callable[[Codes], Reals], row: Codes) -> Reals:
    """Return the classes' expected scores without each value in turn, (columns, 2).

    Parameters
    ----------
    scores
        Scores of the classes, (n, 2), of codes, (n, columns).
    row
        Codes of one row, (columns,).
    """
    owner = np.repeat(np.arange(len(chances.sizes)), chances.sizes)
    variants = np.tile(row, (len(owner), 1))
    variants[np.arange(len(owner)), owner] = np.concatenate([np.arange(k) for k in chances.sizes])
    weights = [chances.of_column(row[None], place)[0] for place in range(len(row))]
    weighted = np.concatenate(weights)[:, None] * scores(variants)
    return np.add.reduceat(weighted, np.flatnonzero(np.diff(owner, prepend=-1)))


def _regression(inputs: Reals, values: Codes) -> tuple[Codes, tuple[Reals, Reals]]:
    """Return the values that are there, and their weights and baselines."""
    present = np.unique(values)
    if len(present) == 1:
        return present, (np.zeros((1, inputs.shape[1])), np.zeros(1))
    fit = LogisticRegression(max_iter=MOST_STEPS).fit(inputs, values)
    if len(present) == 2:  # sklearn states the second value's log odds alone
        nothing = np.zeros_like(fit.coef_)
        return present, (np.concatenate([nothing, fit.coef_]), np.array([0.0, fit.intercept_[0]]))
    return present, (fit.coef_, fit.intercept_)

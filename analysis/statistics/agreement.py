"""How far people agree who judge the same things yes or no."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

Array = np.ndarray


@dataclass(frozen=True, slots=True)
class Votes:
    """How often each unit was accepted, of how many judgements.

    Attributes
    ----------
    accepted, n
        (units,) whole numbers.
    """

    accepted: Array
    n: Array

    @classmethod
    def of(cls, accepted: Sequence[int], n: Sequence[int]) -> "Votes":
        """Return the votes of units given one after the other."""
        return cls(np.asarray(accepted, dtype=float), np.asarray(n, dtype=float))


def entropy_bits(accepted: int, n: int) -> float:
    """Return the entropy of a share of n judgements, in bits; NaN below two judgements.

    0 if all agree, 1 if they are split in halves (plug-in estimate, which is too low for few
    judgements).
    """
    if n < 2:
        return float("nan")
    shares = np.array([accepted, n - accepted]) / n
    shares = shares[shares > 0]
    return float(max(0.0, -(shares * np.log2(shares)).sum()))


def pairwise_agreement(votes: Votes) -> float:
    """Return the share of pairs of judgements of the same unit that are alike; NaN without one."""
    accepted, n = _paired(votes)
    pairs = (n * (n - 1)).sum()
    alike = (accepted * (accepted - 1) + (n - accepted) * (n - accepted - 1)).sum()
    return float(alike / pairs) if pairs else float("nan")


def krippendorff_alpha(votes: Votes) -> float:
    """Return Krippendorff's alpha for two categories.

    1 − D_o/D_e with nominal differences; units need not have equally many judgements, and one with
    fewer than two is left out (Krippendorff 2011, "Computing Krippendorff's alpha-reliability",
    section C). 1 is agreement, 0 what chance gives at these shares; NaN if all judgements are the
    same, or nothing was judged twice.
    """
    return float(alphas(votes, np.ones((1, len(votes.n))))[0])


def alphas(votes: Votes, weights: Array) -> Array:
    """Return alpha for weighted units.

    Parameters
    ----------
    votes
        The units.
    weights
        (r, units) how often each comes, e.g. bootstrap draws.

    Returns
    -------
    ndarray
        (r,) NaN where alpha has no value.
    """
    usable = votes.n >= 2
    accepted, n, weights = votes.accepted[usable], votes.n[usable], weights[:, usable]
    mixed = 2 * accepted * (n - accepted) / np.maximum(n - 1, 1)
    total, ones = weights @ n, weights @ accepted
    with np.errstate(divide="ignore", invalid="ignore"):
        observed = (weights @ mixed) / total
        expected = 2 * ones * (total - ones) / (total * (total - 1))
        return 1 - observed / expected


def fleiss(votes: Votes) -> float:
    """Return Fleiss' kappa (statsmodels'); NaN unless all units have equally many judgements."""
    if not len(votes.n) or votes.n[0] < 2 or (votes.n != votes.n[0]).any():
        return float("nan")
    if votes.accepted.sum() in (0, votes.n.sum()):
        return float("nan")
    # Imported late, since it takes two seconds.
    from statsmodels.stats.inter_rater import fleiss_kappa

    return float(fleiss_kappa(np.column_stack([votes.accepted, votes.n - votes.accepted])))


def _paired(votes: Votes) -> tuple[Array, Array]:
    usable = votes.n >= 2
    return votes.accepted[usable], votes.n[usable]

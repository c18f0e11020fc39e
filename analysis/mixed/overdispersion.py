"""Do counts scatter more than a Poisson model says?"""

from dataclasses import dataclass

import numpy as np
from scipy.stats import norm

from analysis.mixed.laplace import Laplace

Array = np.ndarray

ALARM = 0.01
"""Below this p the notes speak of it."""


@dataclass(frozen=True, slots=True)
class Overdispersion:
    """How counts scatter around their fitted means.

    Attributes
    ----------
    ratio
        Pearson's chi-squared over the rows less the effective number of parameters; 1 for
        Poisson counts.
    p
        One-sided p of Poisson counts.
    """

    ratio: float
    p: float

    @property
    def note(self) -> str:
        """What to do about it, in words; empty where there is nothing to say."""
        if not self.p < ALARM:
            return ""
        shown = "< .001" if self.p < 0.001 else f"= {self.p:.3f}"
        return (
            f"The counts scatter {self.ratio:.1f} times as much as Poisson counts (Pearson's "
            f"ratio; score test p {shown}), so the standard errors are too small: let each row "
            "have an effect of its own (--row-effect)."
        )


def overdispersion(model: Laplace, point: Array, counts: Array) -> Overdispersion:
    """Test a fitted Poisson model against more scatter.

    The score test of Dean & Lawless (1989, J. Am. Stat. Assoc. 84, eq. 2.6 and its adjusted
    form T_a): squared residuals less the counts, each raised by its leverage times its mean.
    The leverage counts coefficients and random effects, for a residual at the conditional
    modes has the variance mean · (1 - leverage).

    Parameters
    ----------
    model
        The likelihood.
    point
        (p + q,) its maximum.
    counts
        (n,) the response.
    """
    mean, leverage = model.means_and_leverages(point)
    squares = (counts - mean) ** 2
    score = float((squares - counts + leverage * mean).sum() / np.sqrt(2 * (mean**2).sum()))
    ratio = float((squares / mean).sum() / (len(counts) - leverage.sum()))
    return Overdispersion(ratio, float(norm.sf(score)))

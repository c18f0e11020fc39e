"""What is odd about a fit, in words."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import linprog
from scipy.stats import norm

from analysis.mixed.design import Design, RandomFactor
from analysis.mixed.families import COUNTS, LINK_UNITS, SHARES
from analysis.mixed.laplace import Laplace
from analysis.mixed.maximise import Maximum
from analysis.mixed.result import Estimates

Array = np.ndarray

# Over a column's whole range: odds of 3,000 to 1, or an error as large.
RUNAWAY = 8.0
FEW_LEVELS = 5
SINGULAR = 1e-3  # of the largest spread within a factor; of the residual's for a gaussian model
LARGE_SD = 10.0
_MOST_ROWS = 50_000
_SLIGHT = 0.1


def faults(design: Design, family: str, estimates: Estimates, summit: Maximum) -> list[str]:
    """Return why a fit can't be relied on; empty if it can."""
    if family not in ("gaussian", "gamma"):
        terms = separated(design, family, estimates)
        if terms:
            what = "zero counts" if family in COUNTS else "one answer"
            return [
                f"Separation: along {', '.join(terms)} the data hold {what} only, so that there "
                "is no finite estimate; take the rates and their intervals instead."
            ]
    if not np.isfinite(estimates.covariance).all():
        return ["The likelihood is flat in some direction: no standard errors can be given."]
    if not summit.sound:
        return [
            "The optimiser stopped before the likelihood's gradient vanished: one more step "
            f"promises to raise it by {summit.gain:.2g}; with groups that gave one answer only, "
            "try a penalty (fit --penalty)."
        ]
    return []


def separated(design: Design, family: str, estimates: Estimates) -> tuple[str, ...]:
    """Return the terms along which the response is separated; empty if it isn't.

    If an estimate ran away, a linear programme looks for a direction in which every fitted value
    can go to its bound (Konis 2007): successes never lower, failures never higher, anything between
    unmoved; for counts, zeros never higher and others unmoved.
    """
    p = design.fixed.shape[1]
    reach = np.where(np.ptp(design.fixed, axis=0) > 0, np.ptp(design.fixed, axis=0), 1.0)
    errors = np.sqrt(np.abs(np.diag(estimates.covariance)[:p])) * reach
    sizes = np.abs(estimates.coefficients) * reach
    if not (~(sizes < RUNAWAY) | ~(errors < RUNAWAY)).any():
        return ()
    if design.levels:
        return _separated_levels(design, reach)
    y, trials = design.response, design.trials
    sign = np.where(y == 0, -1.0, 0.0)
    if family in SHARES:
        sign = np.where((y == trials) & (trials > 0), 1.0, sign)
    used = trials > 0
    rows = np.unique(np.column_stack([design.fixed / reach, sign])[used], axis=0)
    if len(rows) > _MOST_ROWS:
        return ()
    x, sign = rows[:, :-1], rows[:, -1]
    free, bound = sign != 0, sign == 0
    moved = _direction_towards(x[free] * sign[free, None], x[bound])
    return tuple(name for name, m in zip(design.fixed_names, moved, strict=False) if m)


def _separated_levels(design: Design, reach: Array) -> tuple[str, ...]:
    """The same for ordered levels: each row's bounds move away from it, or stay."""
    x, y, inner = design.fixed / reach, design.response, np.arange(1, len(design.levels))
    above, below = (y[:, None] + 1 == inner), (y[:, None] == inner)
    upper, lower = y < len(inner), y > 0
    toward = np.vstack([
        np.hstack([-x[upper], above[upper]]), np.hstack([x[lower], -1.0 * below[lower]])
    ])  # fmt: skip
    rows = np.unique(toward, axis=0)
    if len(rows) > _MOST_ROWS:
        return ()
    moved = _direction_towards(rows, rows[:0])
    return tuple(name for name, m in zip(design.fixed_names, moved, strict=False) if m)


def _direction_towards(toward: Array, still: Array) -> Array:
    """Return which columns move in a direction along which no row falls and some rise."""
    p = toward.shape[1]
    if not len(toward):
        return np.zeros(p, dtype=bool)
    solved = linprog(
        -toward.sum(axis=0),
        A_ub=-toward,
        b_ub=np.zeros(len(toward)),
        A_eq=still if len(still) else None,
        b_eq=np.zeros(len(still)) if len(still) else None,
        bounds=[(-1, 1)] * p,
        method="highs",
    )
    if solved.x is None or not (toward @ solved.x).max() > 1e-6:
        return np.zeros(p, dtype=bool)
    return np.abs(solved.x) > 1e-6


def remarks(
    design: Design, family: str, covariances: Sequence[Array], residual_sd: float | None
) -> list[str]:
    """Return what a reader should know of a fit that can be relied on."""
    found = []
    for factor, covariance in zip(design.random, covariances, strict=True):
        found += singular(factor, covariance, residual_sd)
        largest = float(np.sqrt(np.diag(covariance).max()))
        if family in SHARES and largest > LARGE_SD:
            pure = _pure_levels(design, factor)
            found.append(
                f"The random effects by {factor.group} are estimated as very large (SD "
                f"{largest:.1f} {LINK_UNITS[family]}): {pure} of {factor.levels} {factor.group}s "
                "gave one answer only, and the Laplace approximation is poor there; a weakly "
                "informative penalty (fit --penalty) or, for one (1 | g), quadrature (fit "
                "--quadrature 25) keeps them in bounds."
            )
        if factor.levels < FEW_LEVELS:
            found.append(
                f"Only {factor.levels} {factor.group}s: variances between them are hardly "
                "determined, and the intervals are too narrow for conclusions about others."
            )
        if family in SHARES and factor.levels == design.rows and design.trials.max() == 1:
            found.append(
                f"Every row has its own {factor.group}: 0/1 answers can't show a variance there."
            )
    return found


def _pure_levels(design: Design, factor: RandomFactor) -> int:
    """Return how many levels hold successes only or failures only."""
    successes = np.bincount(factor.codes, design.response, factor.levels)
    trials = np.bincount(factor.codes, design.trials, factor.levels)
    return int(((successes == 0) | (successes == trials)).sum())


def singular(factor: RandomFactor, covariance: Array, residual_sd: float | None) -> list[str]:
    """Return a sentence for every direction in which a factor's effects don't vary."""
    reach = np.sqrt((factor.regressors**2).mean(axis=0))
    sd = np.sqrt(np.diag(covariance)) * np.where(reach > 0, reach, 1.0)
    floor = SINGULAR * (residual_sd if residual_sd is not None else 1.0)
    found = []
    for block in factor.blocks:
        none = [place for place in block if sd[place] <= floor]
        found += [
            f"The variance of {factor.terms[place]} by {factor.group} is estimated as zero "
            "(singular fit)."
            for place in none
        ]
        rest = [place for place in block if place not in none]
        if len(rest) > 1:
            found += _flat(factor, covariance, rest)
    return found


def _flat(factor: RandomFactor, covariance: Array, places: list[int]) -> list[str]:
    sd = np.sqrt(np.diag(covariance))[places]
    correlation = covariance[np.ix_(places, places)] / np.outer(sd, sd)
    values, vectors = np.linalg.eigh(correlation)
    flat = int((values <= SINGULAR**1.5 * len(places)).sum())
    if not flat:
        return []
    names = [factor.terms[place] for place in places]
    if len(places) == 2:
        r = "1" if correlation[0, 1] > 0 else "−1"
        what = f"{names[0]} and {names[1]} by {factor.group} are estimated to correlate {r}"
    elif flat == 1:
        what = f"by {factor.group} nothing varies along {_direction(vectors[:, 0], names)}"
    else:
        what = (
            f"the {len(names)} effects by {factor.group} vary along "
            f"{_directions(len(names) - flat)} only; what varies least is "
            f"{_direction(vectors[:, 0], names)}"
        )
    return [f"Singular fit: {what}; fewer or uncorrelated effects would fit as well."]


def _directions(count: int) -> str:
    return f"{count} direction{'' if count == 1 else 's'}"


def _direction(vector: Array, names: list[str]) -> str:
    vector = vector * np.sign(vector[np.argmax(np.abs(vector))])
    large = [(w, n) for w, n in zip(vector, names, strict=True) if abs(w) >= _SLIGHT]
    parts = [f"{f'{weight:+.2f}'.replace('-', '−')} {name}" for weight, name in large]
    return f"{' '.join(parts)} (in standard deviations)"


ALARM = 0.01
"""The notes mention scatter if its p is below this."""


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
        """What to do about it, in words; empty if there is nothing to say."""
        if not self.p < ALARM:
            return ""
        shown = "< .001" if self.p < 0.001 else f"= {self.p:.3f}"
        return (
            f"The counts scatter {self.ratio:.1f} times as much as Poisson counts (Pearson's "
            f"ratio; score test p {shown}), so the standard errors are too small: let each row "
            "have an effect of its own (--row-effect)."
        )


def overdispersion(model: Laplace, point: Array, counts: Array) -> Overdispersion:
    """Test a fitted Poisson model for overdispersion.

    The score test of Dean & Lawless (1989, J. Am. Stat. Assoc. 84, eq. 2.6 and its adjusted form
    T_a): squared residuals less the counts, each raised by its leverage times its mean. The
    leverage counts coefficients and random effects, because a residual at the conditional modes has
    the variance mean · (1 - leverage).

    Parameters
    ----------
    model
        The likelihood.
    point
        (p + q + m,) its maximum.
    counts
        (n,) the response.
    """
    _, variance, mean = model.predictor(point)
    leverage = mean * variance
    squares = (counts - mean) ** 2
    score = float((squares - counts + leverage * mean).sum() / np.sqrt(2 * (mean**2).sum()))
    ratio = float((squares / mean).sum() / (len(counts) - leverage.sum()))
    return Overdispersion(ratio, float(norm.sf(score)))

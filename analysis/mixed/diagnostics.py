"""What is odd about a fit, in words."""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import linprog

from analysis.distributions import normal_above
from analysis.mixed.design import Design, RandomFactor
from analysis.mixed.families import COUNTS, FAR, LINK_UNITS, SHARES
from analysis.mixed.freedom import INTERCEPT
from analysis.mixed.laplace import Laplace
from analysis.mixed.maximise import Maximum
from analysis.mixed.result import Estimates

Array = np.ndarray

# Over a column's whole range: odds of 3,000 to 1, or an error as large.
RUNAWAY = 8.0
FEW_LEVELS = 5
SINGULAR = 1e-3  # standard deviation over a column's reach, in units of link or residual
_MOST_ROWS = 50_000
_SLIGHT = 0.1
_ALIKE = dict.fromkeys(COUNTS, "zero counts")


def fault(design: Design, family: str, estimates: Estimates, summit: Maximum) -> str:
    """Return why a fit can't be relied on; empty if it can."""
    if family not in ("gaussian", "gamma"):
        terms = separated(design, family, estimates)
        if terms:
            what = _ALIKE.get(family, "one answer")
            return (
                f"Separation: along {', '.join(terms)} the data hold {what} only, so that there "
                "is no finite estimate; take the rates and their intervals instead."
            )
    if not np.isfinite(estimates.covariance).all():
        return "The likelihood is flat in some direction: no standard errors can be given."
    if not summit.sound:
        return (
            "The optimiser stopped before the likelihood's gradient vanished: one more step "
            f"promises to raise it by {summit.gain:.2g}; with groups that gave one answer only, "
            "try a penalty (fit --penalty)."
        )
    return ran_away(design, family, estimates)


def ran_away(design: Design, family: str, estimates: Estimates) -> str:
    """Return why random effects can't be as large as they were estimated; empty if they can.

    If nearly all answers of a person or an item are alike, the Laplace approximation may climb to
    enormous standard deviations, with standard errors that are far too small. In small studies
    estimates lie either below `FAR` or many times above it.
    """
    for (group, term), sd in estimates.deviations().items():
        if sd > FAR.get(family, np.inf):
            factor = next(candidate for candidate in design.random if candidate.group == group)
            pure, what = _pure_levels(design, family, factor), _ALIKE.get(family, "one answer")
            alike = f"Of {factor.levels} {group}s, {pure} gave {what} only. " if pure else ""
            return (
                f"The model ran away: {term} by {group} has a standard deviation of {sd:.3g} "
                f"{LINK_UNITS[family]}, above {FAR[family]:g}. {alike}The Laplace approximation "
                "fails where answers hardly vary within people or items, so no estimates are "
                "given. A weakly informative penalty (fit --penalty) or, for one (1 | g), "
                "quadrature (fit --quadrature 25) may keep it in bounds."
            )
    return ""


def separated(design: Design, family: str, estimates: Estimates) -> tuple[str, ...]:
    """Return the terms along which the response is separated; empty if it isn't.

    If an estimate ran away, a linear programme looks for a direction in which every fitted value
    can go to its bound (Konis 2007): successes never lower, failures never higher, anything between
    unmoved; for counts, zeros never higher and others unmoved.
    """
    p = design.fixed.shape[1]
    reach = np.where(np.ptp(design.fixed, axis=0) > 0, np.ptp(design.fixed, axis=0), 1.0)
    # Around their means where an intercept makes up for it: a predictor's zero changes nothing.
    columns = design.fixed
    if INTERCEPT in design.fixed_names or design.levels:
        columns = np.where(np.ptp(columns, axis=0) > 0, columns - columns.mean(axis=0), columns)
    columns = columns / reach
    errors = np.sqrt(np.abs(np.diag(estimates.covariance)[:p])) * reach
    sizes = np.abs(estimates.coefficients) * reach
    if not (~(sizes < RUNAWAY) | ~(errors < RUNAWAY)).any():
        return ()
    if design.levels:
        return _separated_levels(design, columns)
    y, trials = design.response, design.trials
    sign = np.where(y == 0, -1.0, 0.0)
    if family in SHARES:
        sign = np.where((y == trials) & (trials > 0), 1.0, sign)
    used = trials > 0
    rows = np.unique(np.column_stack([columns, sign])[used], axis=0)
    if len(rows) > _MOST_ROWS:
        return ()
    x, sign = rows[:, :-1], rows[:, -1]
    free, bound = sign != 0, sign == 0
    moved = _direction_towards(x[free] * sign[free, None], x[bound])
    terms = [name for name, m in zip(design.fixed_names, moved, strict=False) if m]
    # The intercept goes along with what moves it.
    return tuple(term for term in terms if term != INTERCEPT or len(terms) == 1)


def _separated_levels(design: Design, columns: Array) -> tuple[str, ...]:
    """Return the separated terms with ordered levels: a row's bounds move away from it, or stay."""
    x, y, inner = columns, design.response, np.arange(1, len(design.levels))
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


def remarks(design: Design, family: str, estimates: Estimates) -> list[str]:
    """Return what a reader should know of a fit that can be relied on."""
    sentences = []
    for factor, covariance in zip(design.random, estimates.reached(), strict=True):
        sentences += singular(factor, covariance)
        if factor.levels < FEW_LEVELS:
            sentences.append(
                f"Only {factor.levels} {factor.group}s: variances between them are hardly "
                "determined, and the intervals are too narrow for conclusions about others."
            )
        if family in SHARES and factor.levels == design.rows and design.trials.max() == 1:
            sentences.append(
                f"Every row has its own {factor.group}: 0/1 answers can't show a variance there."
            )
    return sentences


def _pure_levels(design: Design, family: str, factor: RandomFactor) -> int:
    """Return how many levels hold one answer, or one level of ratings, or zero counts only."""
    values = design.response / (np.maximum(design.trials, 1) if family in SHARES else 1)
    low, high = np.full(factor.levels, np.inf), np.full(factor.levels, -np.inf)
    np.minimum.at(low, factor.codes, values)
    np.maximum.at(high, factor.codes, values)
    ends = (0.0,) if family in COUNTS else (0.0, 1.0) if family in SHARES else low
    return int(((low == high) & np.isin(low, ends)).sum())


def singular(factor: RandomFactor, covariance: Array) -> list[str]:
    """Return a sentence for every direction in which a factor's effects don't vary.

    Parameters
    ----------
    factor
        The factor.
    covariance
        (k, k) of its effects over their columns' reach, as `Estimates.reached` has it.
    """
    sd = np.sqrt(np.diag(covariance))
    sentences = []
    for block in factor.blocks:
        none = [place for place in block if sd[place] <= SINGULAR]
        sentences += [
            f"The variance of {factor.terms[place]} by {factor.group} is estimated as zero "
            "(singular fit)."
            for place in none
        ]
        rest = [place for place in block if place not in none]
        if len(rest) > 1:
            sentences += _flat(factor, covariance, rest)
    return sentences


def _flat(factor: RandomFactor, covariance: Array, places: list[int]) -> list[str]:
    sd = np.sqrt(np.diag(covariance))[places]
    correlation = covariance[np.ix_(places, places)] / np.outer(sd, sd)
    values, vectors = np.linalg.eigh(correlation)
    flat = int((values <= SINGULAR**1.5 * len(places)).sum())
    if not flat:
        return []
    names = [factor.terms[place] for place in places]
    if len(places) == 2:
        what = f"{names[0]} and {names[1]} by {factor.group} are estimated to correlate completely"
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
        p_value = "< .001" if self.p < 0.001 else f"= {self.p:.3f}"
        return (
            f"The counts scatter {self.ratio:.1f} times as much as Poisson counts (Pearson's "
            f"ratio; score test p {p_value}), so the standard errors are too small: let each row "
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
    return Overdispersion(ratio, float(normal_above(score)))

"""Recognition over steps from a discrete-time mixed model of person-step rows.

A hazard that is averaged over people isn't the average person's, and averaged hazards don't
multiply to the averaged probability: whoever recognises easily leaves early. So the
probability of being unrecognised is formed for given random effects, and then averaged.

Person-step rows are those of a discrete-time hazard model (Singer & Willett 1993, J. Educ. Stat.
18): the response is whether the round was recognised at that step.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from scipy.special import expit

from analysis.mixed.freedom import reach
from analysis.mixed.marginal import Averaged, random_spread
from analysis.mixed.modes import conditional_modes
from analysis.mixed.result import Estimates, MixedResult
from analysis.statistics.survival.life_tables import Rounds

Array = np.ndarray

_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(41)
_WEIGHTS = _WEIGHTS / _WEIGHTS.sum()
_STEP = 1e-5
_PAIRS_AT_ONCE = 4000

LEAST_EVENTS = 5
"""Recognitions by every method that a step needs to have a hazard of its own in a model."""


@dataclass(frozen=True, slots=True)
class Curves:
    """Probability of recognition by the end of each step, for each setting.

    Attributes
    ----------
    reached
        (settings, steps).
    slopes
        (settings · steps, parameters) its derivatives by coefficients and covariance factors.
    estimates
        The parameters; variances are by the delta method.
    least_df
        Degrees of freedom if the fit gives none because a variance is zero.
    """

    reached: Array
    slopes: Array
    estimates: Estimates
    least_df: float = float("inf")

    def by(self, setting: int, step: int) -> Averaged:
        """Return the probability by a step (from 0), its interval symmetric in log odds."""
        value = float(self.reached[setting, step])
        place = setting * self.reached.shape[1] + step
        se, df = self._known(self.slopes[place])
        if not 0 < value < 1:
            return Averaged(value, float("nan"), float("nan"), se, df)
        away, logit = reach(df) * se / (value * (1 - value)), np.log(value / (1 - value))
        low, high = expit([logit - away, logit + away])
        return Averaged(value, float(low), float(high), se, df)

    def contrast(self, weights: Array) -> Averaged:
        """Return a weighted sum of the probabilities, weights (settings, steps), by Wald."""
        flat = np.asarray(weights, dtype=float).ravel()
        value = float(flat @ self.reached.ravel())
        se, df = self._known(flat @ self.slopes)
        away = reach(df) * se
        return Averaged(value, value - away, value + away, se, df)

    def _known(self, slopes: Array) -> tuple[float, float]:
        se = self.estimates.se(slopes)
        df = self.estimates.freedom.df(slopes, se**2)
        return se, min(df, self.least_df) if np.isinf(df) else df


def recognition_curves(result: MixedResult, settings: Sequence[pd.DataFrame]) -> Curves:
    """Return recognition by the end of each step, averaged over the random effects.

    The random effects are those of one person on one item, the same at every step; they
    are integrated out by Gauss-Hermite quadrature of the whole product.

    Parameters
    ----------
    result
        A binomial model (logit) of person-step rows, whose random effects don't change
        with the step.
    settings
        For each setting the predictors of its steps, in order.
    """
    designs = [result.estimates.design.recipe.rows(rows) for rows in settings]

    def reached(estimates: Estimates) -> Array:
        return np.stack([_reached(estimates, x, z) for x, z in designs])

    estimates = result.estimates
    value = reached(estimates)
    p, q = len(estimates.coefficients), len(estimates.spread)
    slopes = np.empty((value.size, p + q))
    for place in range(p + q):
        above, below = (reached(_moved(estimates, place, s * _STEP)) for s in (1, -1))
        slopes[:, place] = (above - below).ravel() / (2 * _STEP)
    return Curves(value, slopes, estimates)


def recognition_there(
    result: MixedResult, settings: Sequence[pd.DataFrame], least_df: float = float("inf")
) -> Curves:
    """Return `recognition_curves` averaged over the people and items that were there.

    Each person's effects on each item that they saw have the normal distribution that the fit
    leaves them: its mode and its conditional variance. So nothing is assumed about how effects are
    distributed over people and items. Errors are those of the average over new people and items.

    Parameters
    ----------
    result, settings
        As in `recognition_curves`; people and items are single columns of the model's rows.
    least_df
        See `Curves`.
    """
    curves = recognition_curves(result, settings)
    there = np.stack([_there(result, rows) for rows in settings])
    return replace(curves, reached=there, least_df=least_df)


def _there(result: MixedResult, rows: pd.DataFrame) -> Array:
    """Return (steps,) recognition by each step, averaged over the pairs that met."""
    estimates, modes = result.estimates, conditional_modes(result)
    recipe = estimates.design.recipe
    x, z = recipe.rows(rows)
    groups = [factor.group for factor in estimates.design.random]
    met = recipe.frame[groups].astype(str).drop_duplicates() if groups else pd.DataFrame(index=[0])
    shift, variance = np.zeros(len(met)), np.zeros(len(met))
    for group, regressors in zip(groups, z, strict=True):
        of_group, at = modes[group], regressors[0]
        place = pd.Index(of_group.names).get_indexer(pd.Index(met[group]))
        shift += (of_group.effects @ at)[place]
        variance += np.einsum("i,uij,j->u", at, of_group.covariance, at)[place]
    sd, level, total = np.sqrt(np.maximum(variance, 0)), x @ estimates.coefficients, 0.0
    for first in range(0, len(met), _PAIRS_AT_ONCE):
        part = slice(first, first + _PAIRS_AT_ONCE)
        random = shift[part, None] + sd[part, None] * _NODES
        hazard = expit(level[:, None, None] + random)
        total = total + (1 - np.cumprod(1 - hazard, axis=0) @ _WEIGHTS).sum(axis=1)
    return np.asarray(total) / len(met)


def _reached(estimates: Estimates, x: Array, z: list[Array]) -> Array:
    sd = random_spread(estimates, z, len(x))[0]
    hazard = expit((x @ estimates.coefficients)[:, None] + sd[:, None] * _NODES)
    return 1 - np.cumprod(1 - hazard, axis=0) @ _WEIGHTS


def _moved(estimates: Estimates, place: int, by: float) -> Estimates:
    p = len(estimates.coefficients)
    if place < p:
        moved = estimates.coefficients.copy()
        moved[place] += by
        return replace(estimates, coefficients=moved)
    spread = estimates.spread.copy()
    spread[place - p] += by
    return replace(estimates, spread=spread)


def person_steps(rounds: Rounds, columns: Mapping[str, Sequence[object]]) -> pd.DataFrame:
    """Return the rows of all rounds, in order.

    Parameters
    ----------
    rounds
        (n,) rounds; a round of which no whole step was seen gives no row.
    columns
        Further columns, (n,) each, repeated for every step of the round.

    Returns
    -------
    DataFrame
        ``recognised`` (0 or 1), ``step`` (from 1), ``round`` (the round's place), and the
        columns.
    """
    place = np.repeat(np.arange(len(rounds.step)), rounds.step)
    starts = np.cumsum(rounds.step) - rounds.step
    step = np.arange(len(place)) - starts[place] + 1
    last = step == rounds.step[place]
    made = {name: np.asarray(values)[place] for name, values in columns.items()}
    recognised = (last & rounds.recognised[place]).astype(float)
    return pd.DataFrame({"recognised": recognised, "step": step, "round": place, **made})


def pooled_steps(rows: pd.DataFrame, by: str, least: int = LEAST_EVENTS) -> dict[int, int]:
    """Return for each step the first step of the run of steps that it is pooled with.

    A step at which some level of `by` has fewer recognitions than `least` can't have a
    hazard of its own there: neighbours are joined, from the first step on, until every
    level has enough; what is left over at the end joins the run before it.

    Parameters
    ----------
    rows
        From `person_steps`.
    by
        A column, e.g. the method.
    least
        Recognitions wanted.
    """
    levels = rows[by].unique()
    events = rows[rows["recognised"] == 1].groupby(["step", by]).size().unstack(fill_value=0)
    steps = sorted(rows["step"].unique())
    events = events.reindex(index=steps, columns=levels, fill_value=0)
    starts: list[int] = []
    total = np.zeros(len(levels))
    first = steps[0]
    for step in steps:
        total = total + events.loc[step].to_numpy()
        if (total >= least).all():
            starts.append(first)
            first, total = step + 1, np.zeros(len(levels))
    starts = starts or [steps[0]]
    return {step: max(start for start in starts if start <= step) for step in steps}

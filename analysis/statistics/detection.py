"""Signal detection: sensitivity and criterion from hits and false alarms."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.stats import norm

from analysis.mixed.fit import fit_mixed
from analysis.mixed.result import MixedResult, NotEstimableError
from analysis.statistics.bootstrap import Resampling, Units, bootstrap_people
from analysis.statistics.proportions import UNKNOWN, Count, Interval

Array = np.ndarray

PROBIT_MODEL = "accepted ~ signal + (1 + signal || participant) + (1 | item)"

_Z = float(norm.ppf(0.975))


@dataclass(frozen=True, slots=True)
class Detection:
    """Sensitivity d' and criterion c of yes/no answers.

    Attributes
    ----------
    d_prime, criterion
        With 95 % intervals; a positive criterion leans to rejecting.
    hits, false_alarms
        Accepted signals, accepted noises, as they were counted.
    """

    d_prime: Interval
    criterion: Interval
    hits: Count
    false_alarms: Count


def detect(hits: Count, false_alarms: Count) -> Detection:
    """Return d' and c with the log-linear correction.

    Half a trial is added to each count and one to each total, whether or not a rate is
    0 or 1 (Hautus 1995, Behav. Res. Methods 27(1)). d' = z(H) - z(F) and
    c = -(z(H) + z(F)) / 2; their standard errors are those of Gourevitch & Galanter (1967,
    Psychometrika 32) at the corrected rates. They take the trials as independent, so they
    hold for one person; for a group resample people and items instead.
    """
    if hits.n == 0 or false_alarms.n == 0:
        return Detection(UNKNOWN, UNKNOWN, hits, false_alarms)
    z_hit, var_hit = _corrected(hits)
    z_false, var_false = _corrected(false_alarms)
    se = (var_hit + var_false) ** 0.5
    d_prime, criterion = z_hit - z_false, -(z_hit + z_false) / 2
    return Detection(
        Interval(d_prime, d_prime - _Z * se, d_prime + _Z * se),
        Interval(criterion, criterion - _Z * se / 2, criterion + _Z * se / 2),
        hits,
        false_alarms,
    )


@dataclass(frozen=True, slots=True)
class GroupDetection:
    """Sensitivity and criterion of a group: the means of its members' own.

    Attributes
    ----------
    d_prime, criterion
        With 95 % percentile intervals of the two-way bootstrap.
    participants
        How many had signals and noises both, and count.
    """

    d_prime: Interval
    criterion: Interval
    participants: int


@dataclass(frozen=True, slots=True)
class MixedDetection:
    """Sensitivity and criterion of a group from a mixed probit model, with Wald intervals."""

    d_prime: Interval
    criterion: Interval
    model: MixedResult


def detect_each(signal: Array, accepted: Array, participant: Sequence[str]) -> dict[str, Detection]:
    """Return every participant's own d' and c, by name in sorted order.

    Parameters
    ----------
    signal
        (n,) bool: whether accepting was right.
    accepted
        (n,) bool.
    participant
        (n,) names.
    """
    signal, accepted = np.asarray(signal, dtype=bool), np.asarray(accepted, dtype=bool)
    names, code = np.unique(np.asarray(participant, dtype=str), return_inverse=True)
    found = {}
    for number, name in enumerate(names.tolist()):
        own = code == number
        hits, false_alarms = (
            Count(int(accepted[rows].sum()), int(rows.sum()))
            for rows in (own & signal, own & ~signal)
        )
        found[name] = detect(hits, false_alarms)
    return found


def detect_group(signal: Array, accepted: Array, units: Units, plan: Resampling) -> GroupDetection:
    """Return a group's d' and c as the means over participants of their own.

    Log-linear correction within each participant, which pulls d' towards 0 where a person
    has few trials. Participants and items are drawn again, so the interval holds for others
    of both kinds; it is conservative as `bootstrap_sums` says.

    Parameters
    ----------
    signal, accepted
        (n,) bool.
    units, plan
        Participant and item of each trial; how often is drawn.
    """
    signal, accepted = np.asarray(signal, dtype=bool), np.asarray(accepted, dtype=bool)
    columns = np.column_stack([signal & accepted, signal, ~signal & accepted, ~signal])
    found = bootstrap_people(columns, _detection_of_sums, units, plan)
    kinds = [np.bincount(units.participant, weights=own) for own in (signal, ~signal)]
    both = int(((kinds[0] > 0) & (kinds[1] > 0)).sum())
    return GroupDetection(found.interval(0), found.interval(1), both)


def detect_by_model(table: pd.DataFrame) -> MixedDetection:
    """Return a group's d' and c from a mixed probit model.

    ``accepted ~ signal + (1 + signal || participant) + (1 | item)`` with signal as ±.5: then
    the slope is d' and minus the intercept is c (DeCarlo 1998, Psychol. Methods 3(2)).
    Participants with few trials are drawn towards the group by as much as the data call
    for, where the log-linear correction draws everybody towards 0.

    Parameters
    ----------
    table
        One row a trial: ``accepted`` and ``signal`` (bool), ``participant``, ``item``.

    Raises
    ------
    NotEstimableError
        If all answers, or all trials, are of one kind.
    """
    frame = table.assign(
        accepted=table["accepted"].astype(float), signal=table["signal"].astype(float) - 0.5
    )
    if frame["signal"].nunique() < 2:
        raise NotEstimableError("there are only signals, or none")
    fitted = fit_mixed(PROBIT_MODEL, frame, "binomial", link="probit")
    rows = {row.term: row for row in fitted.fixed}
    slope, level = rows["signal"], rows["(Intercept)"]
    return MixedDetection(
        Interval(slope.estimate, slope.ci_low, slope.ci_high),
        Interval(-level.estimate, -level.ci_high, -level.ci_low),
        fitted,
    )


def _detection_of_sums(sums: Array) -> Array:
    """Return d' and c, (…, 2), from hits, signals, false alarms and noises, (…, 4)."""
    hits, signals, false_alarms, noises = np.moveaxis(sums, -1, 0)
    z_hit = norm.ppf((hits + 0.5) / (signals + 1))
    z_false = norm.ppf((false_alarms + 0.5) / (noises + 1))
    values = np.stack([z_hit - z_false, -(z_hit + z_false) / 2], axis=-1)
    return np.where(((signals > 0) & (noises > 0))[..., None], values, np.nan)


def _corrected(count: Count) -> tuple[float, float]:
    rate = (count.successes + 0.5) / (count.n + 1)
    z = float(norm.ppf(rate))
    return z, rate * (1 - rate) / ((count.n + 1) * float(norm.pdf(z)) ** 2)

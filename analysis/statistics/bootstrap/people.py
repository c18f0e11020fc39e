"""Resampling the mean over participants of what each of them shows."""

from collections.abc import Callable

import numpy as np

from analysis.statistics.bootstrap.draws import Counts, Resampling, Units
from analysis.statistics.bootstrap.resample import Bootstrap, each_block

Array = np.ndarray

_NUMBERS_AT_ONCE = 8_000_000


def bootstrap_people(
    columns: Array, statistic: Callable[[Array], Array], units: Units, plan: Resampling
) -> Bootstrap:
    """Resample the mean over participants of a statistic of each one's own sums.

    For what isn't linear within a person, e.g. each one's d'. Items are drawn once a
    replicate and are the same for everyone, as in `bootstrap_sums`.

    Parameters
    ----------
    columns
        (n, k).
    statistic
        From sums (…, k) to values (…, q); NaN for a participant who doesn't give it, who
        is then left out of the mean.
    units, plan
        What is drawn, and how often.
    """
    columns = np.asarray(columns, dtype=float)
    k, people, items = columns.shape[1], units.participants, units.items
    place = units.participant * items + units.item
    table = np.column_stack(
        [np.bincount(place, weights=column, minlength=people * items) for column in columns.T]
    )
    by_item = table.reshape(people, items, k).transpose(1, 0, 2).reshape(items, people * k)

    def averaged(counts: Counts) -> Array:
        step = max(1, _NUMBERS_AT_ONCE // max(people * k, 1))
        parts = []
        for start in range(0, len(counts), step):
            part = counts.part(start, start + step)
            own = statistic((part.item @ by_item).reshape(len(part), people, k))
            weight = part.participant[:, :, None] * np.isfinite(own)
            parts.append((np.nan_to_num(own) * weight).sum(axis=1) / weight.sum(axis=1))
        return np.concatenate(parts)

    with np.errstate(divide="ignore", invalid="ignore"):
        estimate = averaged(Counts(np.ones((1, people)), np.ones((1, items))))[0]
    return Bootstrap(estimate, each_block(averaged, units, plan))

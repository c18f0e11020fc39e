"""Image by image and class by class: which method uncovers least (Table IV, Figure 10)."""

from typing import Any

import numpy as np
from scipy.sparse import csr_array

from analysis.bootstrap import Plan, bootstrap_sums, percentile_interval
from analysis.bootstrap.draws import Counts
from analysis.bootstrap.resample import each_block
from analysis.proportions import LEVEL
from analysis.studies.progressive_reveal.rates import READINGS
from analysis.studies.progressive_reveal.trials import RoundTable

Array = np.ndarray

MOST_CLASSES = 60
_AT_ONCE = 8_000_000


def table4(table: RoundTable, plan: Plan) -> list[dict[str, Any]]:
    """Return for how many images each method uncovers least on average, in both readings.

    An image counts where every compared method was seen on it; equal averages count for no
    method. Limits are over people drawn again, for these images.

    Returns
    -------
    list of dict
        Reading × method: ``images`` with ``ci_low, ci_high``; ``without_reference`` with its
        limits, None for the reference itself; ``compared``, ``compared_without``: how many
        images were compared; ``tied``.
    """
    done = table.completed
    rows: list[dict[str, Any]] = []
    for reading in READINGS:
        own = done.of(done.frame["recognised"]) if reading == "recognised" else done
        if own.frame.empty:
            continue
        cells = _Cells(own, done)
        everyone = cells.means(np.ones((1, cells.people)))
        people = Plan(plan.replicates, plan.seed, "participants")

        def drawn(counts: Counts, cells: _Cells = cells) -> Array:
            step = max(1, _AT_ONCE // max(cells.columns, 1))
            starts = range(0, len(counts), step)
            means = [cells.means(counts.participant[at : at + step]) for at in starts]
            return np.concatenate([_lowest_counts(part) for part in means])

        replicates = each_block(drawn, done.units, people)
        counts = _lowest_counts(everyone)[0]
        rows += _table4_rows(table, reading, everyone[0], counts, replicates)
    return rows


class _Cells:
    """Sums of shares by participant, image and method."""

    def __init__(self, table: RoundTable, whole: RoundTable) -> None:
        self.shape = (len(table.items), len(table.methods))
        codes = whole.frame["participant"].astype(str)
        names = np.unique(codes)
        person = np.searchsorted(names, table.frame["participant"].astype(str).to_numpy(dtype=str))
        self.people, self.columns = len(names), self.shape[0] * self.shape[1]
        place = table.item_codes * self.shape[1] + table.method_codes
        size = (self.people, self.columns)
        share = table.frame["share"].to_numpy(dtype=float)
        self._sums = csr_array((share, (person, place)), size)
        self._n = csr_array((np.ones(len(place)), (person, place)), size)

    def means(self, weights: Array) -> Array:
        """Return the mean share, (r, items, methods); NaN without a round."""
        with np.errstate(divide="ignore", invalid="ignore"):
            mean = np.asarray(weights @ self._sums) / np.asarray(weights @ self._n)
        return mean.reshape(len(weights), *self.shape)


def _lowest_counts(means: Array) -> Array:
    """Return for how many images each method is lowest: of all, then of all but the first."""
    return np.concatenate([_lowest(means).sum(axis=1), _lowest(means[:, :, 1:]).sum(axis=1)], 1)


def _lowest(means: Array) -> Array:
    if not means.shape[2]:
        return means
    complete = np.isfinite(means).all(axis=2)
    least = np.where(np.isfinite(means), means, np.inf).min(axis=2, keepdims=True)
    at = (means <= least + 1e-12) & complete[:, :, None]
    return at & (at.sum(axis=2) == 1)[:, :, None]


def _table4_rows(
    table: RoundTable, reading: str, means: Array, counts: Array, replicates: Array
) -> list[dict[str, Any]]:
    methods = len(table.methods)
    compared = int(np.isfinite(means).all(axis=1).sum())
    without = int(np.isfinite(means[:, 1:]).all(axis=1).sum()) if methods > 1 else 0
    rows = []
    for m, method in enumerate(table.methods):
        low, high = percentile_interval(replicates[:, m], LEVEL)
        row: dict[str, Any] = {
            "reading": reading,
            "method": method,
            "images": int(counts[m]),
            "ci_low": low,
            "ci_high": high,
            "without_reference": None,
            "without_low": None,
            "without_high": None,
            "compared": compared,
            "compared_without": without,
            "tied": compared - int(counts[:methods].sum()),
        }
        if m:
            place = methods + m - 1
            low, high = percentile_interval(replicates[:, place], LEVEL)
            row |= {
                "without_reference": int(counts[place]),
                "without_low": low,
                "without_high": high,
            }
        rows.append(row)
    return rows


def class_rows(table: RoundTable, plan: Plan) -> list[dict[str, Any]]:
    """Return each class's average share (last pixels of unrecognised rounds) and rate by method.

    Over completed rounds; limits over people and images drawn again. Empty where there are
    more classes than a page or a bootstrap can hold, or none.
    """
    done = table.completed
    if "class" not in done.frame:
        return []
    names = sorted(done.frame["class"].astype(str).unique())
    if len(names) > MOST_CLASSES:
        return []
    methods = len(done.methods)
    code = np.searchsorted(names, done.frame["class"].astype(str).to_numpy(dtype=str))
    cell = code * methods + done.method_codes
    share = done.frame["share"].to_numpy(dtype=float)
    recognised = done.frame["recognised"].to_numpy(dtype=float)
    cells = len(names) * methods
    columns = [
        (cell == number) * value
        for number in range(cells)
        for value in (np.ones(len(cell)), share, recognised)
    ]

    def averaged(sums: Array) -> Array:
        n, shares, seen = np.moveaxis(sums.reshape(len(sums), cells, 3), 2, 0)
        return np.concatenate([shares / n, seen / n], axis=1)

    found = bootstrap_sums(np.column_stack(columns), averaged, done.units, plan)
    rows = []
    for number in range(cells):
        part, rate = found.interval(number), found.interval(cells + number)
        rows.append(
            {
                "class": names[number // methods],
                "method": done.methods[number % methods],
                "n": int((cell == number).sum()),
                "share": part.estimate,
                "ci_low": part.ci_low,
                "ci_high": part.ci_high,
                "recognition_rate": rate.estimate,
            }
        )
    return rows


def image_rows(table: RoundTable) -> list[dict[str, Any]]:
    """Return every image × method: rounds, recognised ones, mean share and step."""
    done = table.completed.frame
    rows = []
    for (item, method), own in done.groupby(["item", "method"], sort=True):
        seen = own[own["recognised"]]
        rows.append(
            {
                "item": item,
                "class": str(own["class"].iloc[0]) if "class" in own else None,
                "method": method,
                "n": len(own),
                "recognised": len(seen),
                "share": float(own["share"].mean()),
                "share_recognised": float(seen["share"].mean()) if len(seen) else None,
                "step_recognised": float(seen["step"].mean()) if len(seen) else None,
            }
        )
    return rows

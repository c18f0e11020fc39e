"""Image by image and class by class: which method uncovers least (Table IV, Figure 10)."""

from dataclasses import replace
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from analysis.report.estimates import limits_row
from analysis.statistics.bootstrap import Resampling, bootstrap_cells
from analysis.statistics.bootstrap.draws import Counts
from analysis.statistics.bootstrap.resample import each_block
from analysis.statistics.proportions import LEVEL
from analysis.studies.progressive_reveal.rates import READINGS
from analysis.studies.progressive_reveal.trials import RoundTable

Array = np.ndarray

MOST_CLASSES = 60
MOST_REPLICATES = 2_000
_AT_ONCE = 8_000_000


def table4(table: RoundTable, plan: Resampling) -> list[dict[str, Any]]:
    """Return for how many images each method uncovers least on average, in both readings.

    An image counts where every compared method was seen on it; equal averages count for no
    method. With few rounds an image's lowest method is partly luck: `clear` counts the
    images on which it stays lowest in 95 % of the draws of people, or more.

    Returns
    -------
    list of dict
        Reading × method: ``images, clear``; ``without_reference, without_clear``, None for
        the reference itself; ``compared, compared_without``: how many images were compared;
        ``tied``.
    """
    done = table.completed
    rows: list[dict[str, Any]] = []
    for reading in READINGS:
        own = done.of(done.frame["recognised"]) if reading == "recognised" else done
        if own.frame.empty:
            continue
        cells = _Cells(own, done)
        means = cells.means(np.ones((1, cells.people)))
        every, without = (_lowest(part)[0] for part in (means, means[:, :, 1:]))
        steady = _steady(cells, done, plan)
        for m, method in enumerate(table.methods):
            rows.append(
                {
                    "reading": reading,
                    "method": method,
                    "images": int(every[:, m].sum()),
                    "clear": int((every[:, m] & steady[0][:, m]).sum()),
                    "without_reference": int(without[:, m - 1].sum()) if m else None,
                    "without_clear": int((without[:, m - 1] & steady[1][:, m - 1]).sum())
                    if m
                    else None,
                    "compared": int(np.isfinite(means[0]).all(axis=1).sum()),
                    "compared_without": int(np.isfinite(means[0][:, 1:]).all(axis=1).sum()),
                    "tied": int(np.isfinite(means[0]).all(axis=1).sum() - every.sum()),
                }
            )
    return rows


def _steady(cells: "_Cells", table: RoundTable, plan: Resampling) -> tuple[Array, Array]:
    """Return where a method stays lowest when people are drawn again: of all, of the others."""
    people = replace(plan.at_most(MOST_REPLICATES), drawn="participants")

    def drawn(counts: Counts) -> Array:
        step = max(1, _AT_ONCE // max(cells.columns, 1))
        starts = range(0, len(counts), step)
        parts = [cells.means(counts.participant[at : at + step]) for at in starts]
        sums = [
            np.concatenate([_lowest(p).sum(axis=0), _lowest(p[:, :, 1:]).sum(axis=0)], axis=1)
            for p in parts
        ]
        return np.sum(sums, axis=0)[None]

    total = each_block(drawn, table.units, people).sum(axis=0) / people.replicates
    methods = cells.shape[1]
    return total[:, :methods] >= LEVEL, total[:, methods:] >= LEVEL


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


def _lowest(means: Array) -> Array:
    if not means.shape[2]:
        return np.zeros(means.shape, dtype=bool)
    complete = np.isfinite(means).all(axis=2)
    least = np.where(np.isfinite(means), means, np.inf).min(axis=2, keepdims=True)
    at = (means <= least + 1e-12) & complete[:, :, None]
    return at & (at.sum(axis=2) == 1)[:, :, None]


def class_rows(table: RoundTable, plan: Resampling) -> list[dict[str, Any]]:
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
    columns = np.column_stack([np.ones(len(cell)), share, recognised])

    def averaged(sums: Array) -> Array:
        n, shares, seen = np.moveaxis(sums, 2, 0)
        return np.concatenate([shares / n, seen / n], axis=1)

    found = bootstrap_cells(columns, cell, cells, averaged, done.units, plan)
    rows = []
    for number in range(cells):
        rows.append(
            {
                "class": names[number // methods],
                "method": done.methods[number % methods],
                "n": int((cell == number).sum()),
                **limits_row(found.interval(number), "share"),
                "recognition_rate": found.interval(cells + number).estimate,
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

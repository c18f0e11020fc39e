"""Image by image and class by class: which method uncovers least (Table IV, Figure 10)."""

from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np
from scipy.sparse import csr_array

from analysis.report.about import about
from analysis.report.estimates import limits_row
from analysis.statistics.bootstrap import Kinds, Resampling, bootstrap_kinds
from analysis.statistics.bootstrap.draws import Counts
from analysis.statistics.bootstrap.resample import each_block
from analysis.statistics.proportions import LEVEL
from analysis.studies.progressive_reveal.rates import READINGS, RECOGNISED
from analysis.studies.progressive_reveal.trials import RoundTable

Array = np.ndarray

MOST_CLASSES = 60
MOST_REPLICATES = 2_000
_AT_ONCE = 8_000_000


@dataclass(frozen=True, slots=True)
class LowestCounts:
    """On how many images a method uncovers least on average, in one reading (Table IV)."""

    reading: Annotated[
        str, about("recognised: rounds that were recognised; all_last_step: all of them.")
    ]
    method: Annotated[str, about("The method.")]
    images: Annotated[int, about("Images on which it uncovers least.")]
    clear: Annotated[int, about("Of these, images on which it stays lowest in 95 % of the draws.")]
    without_reference: Annotated[
        int | None, about("The same without the reference; null for the reference itself.")
    ]
    without_clear: Annotated[int | None, about("Of these, images on which it stays lowest.")]
    compared: Annotated[int, about("Images that every method showed.")]
    compared_without: Annotated[int, about("Images that every method but the reference showed.")]
    tied: Annotated[int, about("Compared images on which averages are equal.")]


@dataclass(frozen=True, slots=True)
class ClassAverage:
    """A class of images by one method, completed rounds."""

    image_class: Annotated[str, about("The class.")]
    method: Annotated[str, about("The method.")]
    n: Annotated[int, about("Completed rounds.")]
    share: Annotated[
        float | None, about("Average share uncovered, unrecognised rounds with their last pixels.")
    ]
    ci_low: Annotated[float | None, about("Its lower 95 % limit.")]
    ci_high: Annotated[float | None, about("Its upper 95 % limit.")]
    recognition_rate: Annotated[float | None, about("Share of recognised rounds, 0 to 1.")]


@dataclass(frozen=True, slots=True)
class ImageAverage:
    """An image by one method, completed rounds."""

    item: Annotated[str, about("The image.")]
    image_class: Annotated[str | None, about("Its class; null if the table lacks it.")]
    method: Annotated[str, about("The method.")]
    n: Annotated[int, about("Completed rounds.")]
    recognised: Annotated[int, about("Recognised rounds.")]
    share: Annotated[
        float | None, about("Average share uncovered, unrecognised rounds with their last pixels.")
    ]
    share_recognised: Annotated[float | None, about("The same of recognised rounds.")]
    step_recognised: Annotated[float | None, about("Average step of recognition.")]


def lowest_counts(table: RoundTable, plan: Resampling) -> tuple[LowestCounts, ...]:
    """Return for how many images each method uncovers least on average, in both readings.

    An image counts if every compared method was seen on it; ties count for no method. With few
    rounds an image's lowest method is partly luck: `clear` counts the images on which it stays
    lowest in 95 % of the draws of people, or more.
    """
    done = table.completed
    cells = _Cells.of(done)
    means = cells.means(np.ones((1, done.units.participants)))
    every, without = (_lowest(part)[0] for part in (means, means[:, :, 1:]))
    steady = _steady(cells, done, plan)
    rows: list[LowestCounts] = []
    for place, reading in enumerate(READINGS):
        if reading == RECOGNISED and not done.frame["recognised"].any():
            continue
        own = slice(place * cells.items, (place + 1) * cells.items)
        compared = int(np.isfinite(means[0, own]).all(axis=1).sum())
        others = int(np.isfinite(means[0, own, 1:]).all(axis=1).sum())
        lowest, least = every[own], without[own]
        clear, of_others = lowest & steady[0][own], least & steady[1][own]
        for m, method in enumerate(table.methods):
            rows.append(
                LowestCounts(
                    reading=reading,
                    method=method,
                    images=int(lowest[:, m].sum()),
                    clear=int(clear[:, m].sum()),
                    without_reference=int(least[:, m - 1].sum()) if m else None,
                    without_clear=int(of_others[:, m - 1].sum()) if m else None,
                    compared=compared,
                    compared_without=others,
                    tied=compared - int(lowest.sum()),
                )
            )
    return tuple(rows)


def _steady(cells: "_Cells", table: RoundTable, plan: Resampling) -> tuple[Array, Array]:
    """Return where a method stays lowest if people are resampled: of all methods, of the others."""
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
    return total[:, : cells.methods] >= LEVEL, total[:, cells.methods :] >= LEVEL


@dataclass(frozen=True, slots=True)
class _Cells:
    """Rounds grouped by image, method, share and whether they were recognised.

    Attributes
    ----------
    groups
        The rounds; kinds are ``(method, share, recognised)``.
    items, methods
        Their numbers.
    sums, numbers
        (groups, readings × items × methods) what a round adds to each mean's sum, and to how many
        it is of.
    """

    groups: Kinds
    items: int
    methods: int
    sums: csr_array
    numbers: csr_array

    @classmethod
    def of(cls, table: RoundTable) -> "_Cells":
        items, methods = len(table.items), len(table.methods)
        shares, code = np.unique(table.frame["share"].to_numpy(dtype=float), return_inverse=True)
        kind = 2 * (table.method_codes * len(shares) + code) + table.frame["recognised"]
        groups = Kinds.of(kind.to_numpy(), 2 * methods * len(shares), table.units)
        rest, recognised = groups.kind // 2, groups.kind % 2 == 1
        cell = groups.item * methods + rest // len(shares)
        every = np.arange(len(cell))
        seen = every[recognised]
        rows = np.concatenate([seen, every])
        places = np.concatenate([cell[seen], cell + items * methods])
        size = (len(cell), len(READINGS) * items * methods)
        sums = csr_array((shares[rest % len(shares)][rows], (rows, places)), size)
        numbers = csr_array((np.ones(len(rows)), (rows, places)), size)
        return cls(groups, items, methods, sums, numbers)

    @property
    def columns(self) -> int:
        return max(self.sums.shape)

    def means(self, weights: Array) -> Array:
        """Return the mean share in each reading, (r, readings × items, methods); NaN for none."""
        drawn = self.groups.by_people(weights)
        with np.errstate(divide="ignore", invalid="ignore"):
            mean = (drawn @ self.sums) / (drawn @ self.numbers)
        return mean.reshape(len(weights), -1, self.methods)


def _lowest(means: Array) -> Array:
    if not means.shape[2]:
        return np.zeros(means.shape, dtype=bool)
    complete = np.isfinite(means).all(axis=2, keepdims=True)
    least = np.where(np.isfinite(means), means, np.inf).min(axis=2, keepdims=True)
    at = (means <= least + 1e-12) & complete
    return at & (at.sum(axis=2) == 1)[:, :, None]


def class_averages(table: RoundTable, plan: Resampling) -> tuple[ClassAverage, ...]:
    """Return each class's average share (last pixels of unrecognised rounds) and rate by method.

    Over completed rounds; limits over resampled people and images. Empty if there are more classes
    than a page or a bootstrap can hold, or none.
    """
    done = table.completed
    if "class" not in done.frame:
        return ()
    names = sorted(done.frame["class"].astype(str).unique())
    if len(names) > MOST_CLASSES:
        return ()
    methods = len(done.methods)
    code = np.searchsorted(names, done.frame["class"].astype(str).to_numpy(dtype=str))
    cell = code * methods + done.method_codes
    share = done.frame["share"].to_numpy(dtype=float)
    recognised = done.frame["recognised"].to_numpy(dtype=int)
    cells = len(names) * methods
    shares, of_share = np.unique(share, return_inverse=True)
    found_kinds, kind = np.unique(
        2 * (cell * len(shares) + of_share) + recognised, return_inverse=True
    )
    of_kind = found_kinds // 2 // len(shares)
    values = (np.ones(len(of_kind)), shares[found_kinds // 2 % len(shares)], found_kinds % 2)
    adding = [
        csr_array((value, (np.arange(len(of_kind)), of_kind)), (len(of_kind), cells))
        for value in values
    ]

    def averaged(numbers: Array) -> Array:
        n, total, seen = (numbers @ part for part in adding)
        return np.concatenate([total / n, seen / n], axis=1)

    found = bootstrap_kinds(kind, len(of_kind), averaged, done.units, plan)
    return tuple(
        ClassAverage(
            image_class=names[number // methods],
            method=done.methods[number % methods],
            n=int((cell == number).sum()),
            **limits_row(found.interval(number), "share"),
            recognition_rate=found.interval(cells + number).estimate,
        )
        for number in range(cells)
    )


def image_averages(table: RoundTable) -> tuple[ImageAverage, ...]:
    """Return every image × method: rounds, recognised ones, mean share and step."""
    done = table.completed.frame
    rows = []
    for (item, method), own in done.groupby(["item", "method"], sort=True):
        seen = own[own["recognised"]]
        rows.append(
            ImageAverage(
                item=str(item),
                image_class=str(own["class"].iloc[0]) if "class" in own else None,
                method=str(method),
                n=len(own),
                recognised=len(seen),
                share=float(own["share"].mean()),
                share_recognised=float(seen["share"].mean()) if len(seen) else None,
                step_recognised=float(seen["step"].mean()) if len(seen) else None,
            )
        )
    return tuple(rows)

"""Image by image and class by class: which method uncovers least (Table IV, Figure 10)."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import csr_array

from analysis.questions.estimates import EstimateRow, Quantity, estimate_row
from analysis.report.wording import grouped
from analysis.statistics.bootstrap import Kinds, Resampling, bootstrap_kinds
from analysis.statistics.bootstrap.draws import Counts
from analysis.statistics.bootstrap.resample import each_block
from analysis.statistics.proportions import LEVEL
from analysis.studies.progressive_reveal.quantities import (
    ALL_LAST_STEP,
    RATE,
    READINGS,
    RECOGNISED,
    SHARE,
)
from analysis.studies.progressive_reveal.trials import RoundTable

Array = np.ndarray

MOST_CLASSES = 60
MOST_REPLICATES = 2_000
_AT_ONCE = 8_000_000


LOWEST = Quantity(
    "images_lowest", "Lowest",
    "Images on which a method uncovers least on average, of those that every compared method "
    "showed; among: all methods, or all but the reference.", grouped, "images",
)  # fmt: skip
CLEAR = Quantity(
    "images_clearly_lowest", "Clearly", "Those on which it stays lowest in 95 % of the draws.",
    grouped, "images",
)  # fmt: skip
STEP = Quantity("step_of_recognition", "Step", "Average step of recognition.")
ALL, OTHERS = "all", "others"


def lowest_counts(table: RoundTable, plan: Resampling) -> Iterator[EstimateRow]:
    """Yield on how many images each method uncovers least on average, in both readings (Table IV).

    An image counts if every compared method was seen on it; ties count for no method. With few
    rounds an image's lowest method is partly luck: `CLEAR` counts the images on which it stays
    lowest in 95 % of the draws of people, or more.
    """
    done = table.completed
    cells = _Cells.of(done)
    means = cells.means(np.ones((1, done.units.participants)))
    steady = dict(zip((ALL, OTHERS), _steady(cells, done, plan), strict=True))
    for among, methods in ((ALL, table.methods), (OTHERS, table.methods[1:])):
        left_out = len(table.methods) - len(methods)
        shares = means[:, :, left_out:]
        lowest, known = _lowest(shares)[0], np.isfinite(shares[0]).all(axis=1)
        for place, reading in enumerate(READINGS):
            if reading == RECOGNISED and not done.frame["recognised"].any():
                continue
            of_reading = slice(place * cells.items, (place + 1) * cells.items)
            counts = {
                LOWEST: lowest[of_reading],
                CLEAR: lowest[of_reading] & steady[among][of_reading],
            }
            for m, method in enumerate(table.methods, start=-left_out):
                of = {"reading": reading, "method": method, "among": among}
                for quantity, images in counts.items():
                    number = int(images[:, m].sum()) if m >= 0 else None
                    yield estimate_row(quantity, of, number, int(known[of_reading].sum()))


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


def class_averages(table: RoundTable, plan: Resampling) -> Iterator[EstimateRow]:
    """Yield each class's average share (last pixels of unrecognised rounds) and rate by method.

    Over completed rounds; limits over resampled people and images. Nothing if there are more
    classes than a page or a bootstrap can hold, or none.
    """
    done = table.completed
    if "class" not in done.frame:
        return
    names = sorted(done.frame["class"].astype(str).unique())
    if len(names) > MOST_CLASSES:
        return
    methods = len(done.methods)
    code = np.searchsorted(names, done.frame["class"].astype(str).to_numpy(dtype=str))
    cell = code * methods + done.method_codes
    share = done.frame["share"].to_numpy(dtype=float)
    recognised = done.frame["recognised"].to_numpy(dtype=int)
    cells = len(names) * methods
    shares, of_share = np.unique(share, return_inverse=True)
    kinds, kind = np.unique(2 * (cell * len(shares) + of_share) + recognised, return_inverse=True)
    of_kind = kinds // 2 // len(shares)
    values = (np.ones(len(of_kind)), shares[kinds // 2 % len(shares)], kinds % 2)
    adding = [
        csr_array((value, (np.arange(len(of_kind)), of_kind)), (len(of_kind), cells))
        for value in values
    ]

    def averaged(numbers: Array) -> Array:
        n, total, seen = (numbers @ part for part in adding)
        return np.concatenate([total / n, seen / n], axis=1)

    drawn = bootstrap_kinds(kind, len(of_kind), averaged, done.units, plan)
    for number in range(cells):
        of = {"class": names[number // methods], "method": done.methods[number % methods]}
        n = int((cell == number).sum())
        yield estimate_row(SHARE, of | {"reading": ALL_LAST_STEP}, drawn.interval(number), n)
        yield estimate_row(RATE, of, drawn.interval(cells + number).estimate, n)


def image_averages(table: RoundTable) -> Iterator[EstimateRow]:
    """Yield every image × method: mean share in both readings, rate, and step of recognition."""
    for (item, method), group in table.completed.frame.groupby(["item", "method"], sort=True):
        of = {"item": str(item), "method": str(method)}
        seen = group[group["recognised"]]
        for reading, rows in ((RECOGNISED, seen), (ALL_LAST_STEP, group)):
            share = float(rows["share"].mean()) if len(rows) else None
            yield estimate_row(SHARE, of | {"reading": reading}, share, len(rows))
        yield estimate_row(RATE, of, len(seen) / len(group), len(group))
        yield estimate_row(STEP, of, float(seen["step"].mean()) if len(seen) else None, len(seen))

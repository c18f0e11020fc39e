"""How much of the image recognition needed: as published, and with unrecognised rounds kept."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Annotated

import numpy as np
from scipy.stats import gaussian_kde

from analysis.data.json_values import DIGITS
from analysis.questions.estimates import AGAINST, EstimateRow, Quantity, estimate_row
from analysis.report.about import about
from analysis.report.wording import bare_percent, points, whole_percent
from analysis.statistics.bootstrap import Bootstrap, Kinds, Resampling, Units, bootstrap_kinds
from analysis.statistics.bootstrap.draws import Counts
from analysis.statistics.bootstrap.resample import each_block
from analysis.statistics.survival.turnbull import Intervals, Turnbull, turnbull
from analysis.studies.progressive_reveal.trials import RoundTable

Array = np.ndarray

GRID = 120
DENSITY_GRID = 200
MOST_REPLICATES, LEAST_REPLICATES = 400, 100
"""Replicates of Turnbull's estimate, which is iterated; more hardly change its limits."""
MOST_WEIGHTS = 8_000_000
"""Replicates × rounds beyond which fewer replicates are drawn."""
LEAST_FOR_DENSITY = 5
LEAST_ROUNDS = 10
"""Turnbull's estimate is given up to the share that the images of this many rounds uncover."""
ASKED = (0.05, 0.10, 0.15)
"""Shares of the image at which the page gives the curves in numbers."""
LATE = 0.9
Values = tuple[float | None, ...]

ONLY = Quantity(
    "recognised_only_by_share", "Recognised rounds only",
    "Recognised with at most so much of the image, recognised rounds only, as published "
    "(Figure 7).", whole_percent, "%",
)  # fmt: skip
BY_SHARE = Quantity(
    "recognised_by_share", "All rounds, censored",
    "The same of all rounds by Turnbull's estimate, as far as the images of ten rounds show.",
    whole_percent, "%",
)  # fmt: skip
FINAL = Quantity(
    "recognised_if_end_is_final", "All rounds, end is final",
    "The same of all rounds; unrecognised ones count as never recognised.", whole_percent, "%",
)  # fmt: skip
LATE_ONLY = Quantity(
    "late_share_recognised_only", "Recognised rounds only",
    "Share of the image by which late_rate are recognised, recognised rounds only.", bare_percent,
    "% of image",
)  # fmt: skip
LATE_NEEDED = Quantity(
    "late_share", "All rounds, censored",
    "The same of all rounds by Turnbull's estimate; no value if not reached.",
    lambda share: "not reached" if share is None else bare_percent(share), "% of image",
)  # fmt: skip
AHEAD_FROM = Quantity(
    "ahead_from", "Ahead of the reference from",
    "Share of the image from which on recognised rounds are ahead of the reference's; no value if "
    "never.", bare_percent, "% of image",
)  # fmt: skip
KNOWN = Quantity(
    "known_to", "Known up to", "Share of the image up to which Turnbull's estimate is given.",
    bare_percent, "% of image",
)  # fmt: skip
BY_THEN = Quantity(
    "recognised_by_then", "Recognised by then", "Recognised by then, by this estimate.",
    whole_percent, "%",
)  # fmt: skip
LESS_BY_SHARE = Quantity(
    "recognised_difference_by_share", "Difference",
    "Recognition with at most so much of the image, all rounds, less the reference's.", points,
)  # fmt: skip
OF_LATE = (LATE_ONLY, LATE_NEEDED, AHEAD_FROM, KNOWN, BY_THEN)
OF_CURVES = (ONLY, BY_SHARE, FINAL, *OF_LATE)


@dataclass(frozen=True, slots=True)
class ShareCurves:
    """Recognition over the uncovered share of the image, three ways.

    Attributes
    ----------
    rows, less
        Estimates by method and share, and less the reference's.
    asked
        Shares at which the page gives the curves in numbers.
    replicates
        Of Turnbull's estimate.
    converged
        Whether it reached its maximum.
    """

    rows: tuple[EstimateRow, ...]
    less: tuple[EstimateRow, ...]
    asked: tuple[float, ...]
    replicates: int
    converged: bool


def level_of_share(share: float) -> str:
    """Return a share of the image as level of the factor ``share``, with the digits of results."""
    return f"{share:.{DIGITS}g}"


@dataclass(frozen=True, slots=True)
class Density:
    """The density of the share of the image at recognition (Figure 6), recognised rounds only."""

    method: Annotated[str, about("The method.")]
    n: Annotated[int, about("Recognised rounds.")]
    shares: Annotated[tuple[float, ...], about("Shares of the image.")]
    density: Annotated[Values | None, about("The density at them; null with too few rounds.")]
    median: Annotated[float | None, about("Median share.")]


def intervals(table: RoundTable, end_is_final: bool = False) -> Intervals:
    """Return the share of the image that each round's recognition needed, as an interval.

    If recognised: above the last smaller share that was uncovered before, and at most the share
    uncovered at recognition. Else: above the share uncovered last. With `end_is_final` an
    unrecognised round that wasn't left counts as unrecognised up to the largest share that any
    image uncovers: more of the map would not have helped.
    """
    frame = table.frame
    upper = frame["share"].to_numpy(dtype=float)
    recognised = frame["recognised"].to_numpy(dtype=bool)
    course = table.amounts[table.item_codes, table.method_codes]
    course = np.column_stack([np.zeros(len(frame)), course])
    before = np.arange(course.shape[1]) < frame["step"].to_numpy(dtype=int)[:, None]
    smaller = np.where(before & (course < upper[:, None]), course, 0.0)
    lower = np.where(recognised, np.nan_to_num(smaller).max(axis=1), upper)
    if end_is_final:
        ended = ~recognised & ~frame["left"].to_numpy(dtype=bool)
        lower = np.where(ended, max(float(np.nanmax(course)), float(upper.max())), lower)
    return Intervals(lower, np.where(recognised, upper, np.inf))


def share_curves(table: RoundTable, plan: Resampling) -> ShareCurves:
    """Return the curves of recognition over the uncovered share of the image, three ways.

    As published; by Turnbull's estimate with resampled people and images, also less the
    reference's; and with each round's end taken as final.
    """
    grid, asked = _grid(table)
    afforded = max(LEAST_REPLICATES, MOST_WEIGHTS // len(table.frame))
    capped = plan.at_most(min(MOST_REPLICATES, afforded))
    seen = _GroupedRounds.of(table, intervals(table))
    estimates = seen.turnbull(seen.numbers)
    drawn = seen.drawn(table.units, grid, capped)
    reached = Bootstrap(_reached(estimates, grid)[0], drawn)
    only = _recognised_only(table, grid, plan)
    known_to = [_known_to(table, m) for m in range(len(table.methods))]
    shares = only.estimate.reshape(len(table.methods), -1)
    late = (
        row
        for m, method in enumerate(table.methods)
        for row in _late(
            table, method, estimates[m], known_to[m], _ahead_from(grid, shares[m], shares[0])
        )
    )
    return ShareCurves(
        rows=(*_curves(table, grid, only, reached, known_to), *late),
        less=tuple(_differences(table, grid, reached, known_to)),
        asked=tuple(asked),
        replicates=capped.replicates,
        converged=all(estimate.converged for estimate in estimates),
    )


def _curves(
    table: RoundTable, grid: Array, only: Bootstrap, reached: Bootstrap, known_to: Sequence[float]
) -> Iterator[EstimateRow]:
    """Yield each method's curves at each share, three ways."""
    ended = _GroupedRounds.of(table, intervals(table, end_is_final=True))
    final = _reached(ended.turnbull(ended.numbers), grid)[0]
    for place, (m, share) in enumerate(product(range(len(table.methods)), grid)):
        of = {"method": table.methods[m], "share": level_of_share(share)}
        seen, known = only.interval(place), share <= known_to[m] + 1e-12
        # Limits that are one number stand where all rounds, or none, are recognised.
        yield estimate_row(ONLY, of, seen if seen.ci_low < seen.ci_high else seen.estimate)
        yield estimate_row(BY_SHARE, of, reached.interval(place) if known else None)
        yield estimate_row(FINAL, of, float(final[place]))


def _differences(
    table: RoundTable, grid: Array, reached: Bootstrap, known_to: Sequence[float]
) -> Iterator[EstimateRow]:
    """Yield recognition less the reference's at each share; unknown where one of them is."""
    others = enumerate(table.methods[1:], start=1)
    first = len(table.methods) * len(grid)
    for place, ((m, method), share) in enumerate(product(others, grid), start=first):
        of = {"method": method, AGAINST: table.reference, "share": level_of_share(share)}
        known = share <= min(known_to[m], known_to[0]) + 1e-12
        yield estimate_row(LESS_BY_SHARE, of, reached.interval(place) if known else None)


def _grid(table: RoundTable) -> tuple[Array, list[float]]:
    """Return the shares at which curves are computed, and those of them that the page states."""
    most = float(np.nanmax(np.append(table.amounts[np.isfinite(table.amounts)], 1e-3)))
    most = max(most, float(table.frame["share"].max()))
    asked = [share for share in ASKED if share < most] or [most]
    return np.unique(np.concatenate([np.linspace(0, most, GRID), asked])), asked


@dataclass(frozen=True, slots=True)
class _GroupedRounds:
    """Rounds grouped by method and interval: there are far fewer groups than rounds.

    Attributes
    ----------
    kind
        (n,) place of each round in `intervals`.
    method, intervals
        (kinds,)
    methods
        Number of methods.
    """

    kind: Array
    method: Array
    intervals: Intervals
    methods: int

    @classmethod
    def of(cls, table: RoundTable, intervals: Intervals) -> "_GroupedRounds":
        lower, low = np.unique(intervals.lower, return_inverse=True)
        upper, up = np.unique(intervals.upper, return_inverse=True)
        code = (table.method_codes * len(lower) + low) * len(upper) + up
        kinds, kind = np.unique(code, return_inverse=True)
        both = Intervals(lower[kinds // len(upper) % len(lower)], upper[kinds % len(upper)])
        return cls(kind, kinds // (len(lower) * len(upper)), both, len(table.methods))

    @property
    def numbers(self) -> Array:
        """(1, kinds) how many rounds there are of each kind."""
        return np.bincount(self.kind)[None].astype(float)

    def turnbull(self, numbers: Array) -> list[Turnbull]:
        """Return each method's estimates for numbers (r, kinds)."""
        lower, upper = self.intervals.lower, self.intervals.upper
        rows = [self.method == method for method in range(self.methods)]
        return [turnbull(Intervals(lower[row], upper[row]), numbers[:, row]) for row in rows]

    def drawn(self, units: Units, grid: Array, plan: Resampling) -> Array:
        """Return replicates of `_reached`, (replicates, …)."""
        groups = Kinds.of(self.kind, len(self.method), units)

        def curves(counts: Counts) -> Array:
            return _reached(self.turnbull(groups.drawn(counts)), grid)

        return each_block(curves, units, plan)


def _reached(estimates: Sequence[Turnbull], grid: Array) -> Array:
    """Return recognition at each share, method by method; then each less the reference's."""
    parts = [estimate.reached(grid) for estimate in estimates]
    return np.concatenate([*parts, *(part - parts[0] for part in parts[1:])], axis=1)


def _recognised_only(table: RoundTable, grid: Array, plan: Resampling) -> Bootstrap:
    shares, methods = table.frame["share"].to_numpy(dtype=float), len(table.methods)
    never = len(grid) + 1
    by = np.searchsorted(grid + 1e-12, shares)
    by = np.where(table.frame["recognised"].to_numpy(dtype=bool), by, never)

    def share(numbers: Array) -> Array:
        counts = numbers.reshape(len(numbers), methods, -1)[:, :, :never]
        reached = np.cumsum(counts, axis=2)
        return (reached[:, :, :-1] / reached[:, :, -1:]).reshape(len(numbers), -1)

    kind = table.method_codes * (never + 1) + by
    return bootstrap_kinds(kind, methods * (never + 1), share, table.units, plan)


def _known_to(table: RoundTable, method: int) -> float:
    """Return the largest share that the images of enough rounds uncover.

    Beyond it the estimate rests on a few rounds, and jumps to 1 at the last of them.
    """
    of_method = table.method_codes == method
    last = table.amounts[table.item_codes[of_method], method, -1]
    last = np.sort(last[np.isfinite(last)])
    return float(last[-min(LEAST_ROUNDS, len(last))]) if len(last) else 0.0


def _ahead_from(grid: Array, ahead: Array, theirs: Array) -> float | None:
    """Return the share from which a method's recognised rounds aren't behind the reference's."""
    behind = np.flatnonzero(ahead < theirs)
    first = int(behind[-1]) + 1 if len(behind) else 0
    return float(grid[first]) if (ahead[first:] > theirs[first:]).any() else None


def _late(
    table: RoundTable, method: str, estimate: Turnbull, known_to: float, ahead_from: float | None
) -> Iterator[EstimateRow]:
    """Yield the share of the image by which nine tenths are recognised, both ways."""
    recognised = table.frame["recognised"] & (table.frame["method"] == method)
    shares = table.frame.loc[recognised, "share"].to_numpy(dtype=float)
    only = float(np.quantile(shares, LATE, method="inverted_cdf")) if len(shares) else None
    late = float(estimate.quantile(LATE)[0])
    values = {
        LATE_ONLY: only,
        LATE_NEEDED: late if late <= known_to + 1e-12 else None,
        AHEAD_FROM: ahead_from,
        KNOWN: known_to,
        BY_THEN: float(estimate.reached(np.array([known_to]))[0, 0]),
    }
    for quantity, value in values.items():
        yield estimate_row(quantity, {"method": method}, value)


def densities(table: RoundTable) -> tuple[Density, ...]:
    """Return the density of the share of the image at recognition (Figure 6), by method.

    A Gaussian kernel with Scott's bandwidth, recognised rounds only, as published; the
    curve is cut at 0.
    """
    recognised = table.frame[table.frame["recognised"]]
    if recognised.empty:
        return ()
    grid = np.linspace(0, float(recognised["share"].max()) * 1.15, DENSITY_GRID)
    rows = []
    for method in table.methods:
        shares = recognised.loc[recognised["method"] == method, "share"].to_numpy(dtype=float)
        known = len(shares) >= LEAST_FOR_DENSITY and np.ptp(shares) > 0
        rows.append(
            Density(
                method=method,
                n=len(shares),
                shares=tuple(map(float, grid)),
                density=tuple(map(float, gaussian_kde(shares)(grid))) if known else None,
                median=float(np.median(shares)) if len(shares) else None,
            )
        )
    return tuple(rows)

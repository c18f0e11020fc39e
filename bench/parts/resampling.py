"""Bootstrap and bands: the same as by copying rows, and how fast."""

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from analysis.statistics.bootstrap import (
    Resampling,
    Units,
    bootstrap_sums,
    bootstrap_weights,
    cell_means,
)
from analysis.statistics.bootstrap.draws import BLOCK, draw_block
from analysis.statistics.two_way import (
    band_factors,
    cell_weights,
    largest_deviations,
    two_way_means,
)
from bench.book import Effort, Measured, Part, table
from bench.memory import peak_gb

PARTICIPANTS, ITEMS, REPLICATES = 360, 30, 10_000
LARGE_PARTICIPANTS, LARGE_ITEMS = 4167, 240
ROOT = Path(__file__).resolve().parents[2]


def crossed(participants: int, items: int) -> tuple[np.ndarray, np.ndarray, Units]:
    """Answers of everyone to every item, half of them under each condition."""
    rng = np.random.default_rng(1)
    person, item = (
        np.repeat(np.arange(participants), items),
        np.tile(np.arange(items), participants),
    )
    condition = ((person + item) % 2).astype(float)
    return (rng.random(len(person)) < 0.4 + 0.1 * condition), condition, Units(person, item)


def columns_of(y: np.ndarray, condition: np.ndarray) -> np.ndarray:
    """Return what the difference of two conditions' means is made of."""
    return np.column_stack([y * condition, condition, y * (1 - condition), 1 - condition])


def difference(sums: np.ndarray) -> np.ndarray:
    """Return the difference of two conditions' means."""
    return sums[:, 0] / sums[:, 1] - sums[:, 2] / sums[:, 3]


def timed(compute: Callable[[], Any]) -> tuple[float, Any]:
    """Return the seconds that a call took (the better of two), and what it gave."""
    best, found = float("inf"), None
    for _ in range(2):
        begun = time.perf_counter()
        found = compute()
        best = min(best, time.perf_counter() - begun)
    return best, found


@threadpool_limits.wrap(limits=1)
def band(effort: Effort) -> Measured:
    """Time of a simultaneous band."""
    replicates = 1000 if effort.quick else REPLICATES
    rng = np.random.default_rng(1)
    person, item = (code.ravel() for code in np.indices((PARTICIPANTS, ITEMS)))
    accept_s = rng.exponential(3, len(person))
    times = np.linspace(0, 6, 200)
    cell, contrast = (person + item) % 2, np.array([-1.0, 1.0])

    def compute() -> float:
        found = two_way_means(
            (accept_s[:, None] <= times).astype(float), cell_weights(cell, 2), Units(person, item)
        )
        largest = largest_deviations(found, [contrast], replicates, 1)[0]
        return float(np.nanmedian(band_factors(largest, found.spread(contrast).df)))

    seconds, factor = timed(compute)
    text = (
        f"The band of a difference at 200 decision times on {len(person):,} rows "
        f"({PARTICIPANTS} × {ITEMS}), {replicates:,} replicates of the multiplier bootstrap: "
        f"{seconds:.2f} s, the better of two calls; it reaches {factor:.2f} standard errors to "
        "either side."
    )
    return Measured(text, {"seconds": seconds, "replicates": replicates, "factor": factor})


@threadpool_limits.wrap(limits=1)
def bootstrap(effort: Effort) -> Measured:
    """Speed on the size that is promised, and equality with copied rows."""
    replicates = 1000 if effort.quick else REPLICATES
    y, condition, units = crossed(PARTICIPANTS, ITEMS)
    columns = columns_of(y, condition)
    figures: dict[str, Any] = {"rows": units.rows, "replicates": replicates, "seconds": {}}
    lines = []
    reference = None
    for name, compute in (
        ("weighted sums", bootstrap_sums),
        ("any function of weights", bootstrap_weights),
    ):
        plan = Resampling(replicates, 1)
        if compute is bootstrap_sums:
            seconds, found = timed(
                lambda p=plan: bootstrap_sums(columns, difference, units, p, True)
            )
        else:
            seconds, found = timed(
                lambda p=plan: bootstrap_weights(lambda w: difference(w @ columns), units, p, True)
            )
        reference = found.replicates if reference is None else reference
        apart = float(np.abs(found.replicates - reference).max())
        figures["seconds"][name] = seconds
        lines.append([name, f"{seconds:.2f}", f"{apart:.0e}"])
    apart, tried = copied_rows(20 if effort.quick else 200)
    figures |= {"largest_difference_from_copied_rows": apart, "replicates_compared": tried}
    text = (
        f"A difference of two conditions' means on {units.rows:,} rows "
        f"({PARTICIPANTS} × {ITEMS}), {replicates:,} replicates of participants and items, with "
        "the jackknife of BCa, one thread. Seconds are the better of two calls.\n\n"
        + table(["statistic", "seconds", "largest difference from the first"], lines)
        + f"\n\nOn a small table with gaps, {tried} replicates were repeated by copying rows of "
        f"the same draws: the largest difference is {apart:.1e}."
    )
    return Measured(text, figures)


def copied_rows(replicates: int) -> tuple[float, int]:
    """Return the largest difference from copying every row as often as it was drawn."""
    rng = np.random.default_rng(2)
    codes = np.array([(p, i) for p in range(9) for i in range(7)])[rng.random(63) < 0.8]
    units = Units(codes[:, 0], codes[:, 1])
    y, condition = rng.normal(size=len(codes)), rng.integers(0, 2, len(codes)).astype(float)
    plan = Resampling(replicates, 3)
    found = bootstrap_sums(columns_of(y, condition), difference, units, plan).replicates[:, 0]
    apart = 0.0
    for number in range(replicates):
        counts = draw_block(units, plan, number // BLOCK).part(number % BLOCK, number % BLOCK + 1)
        often = counts.rows(units)[0].astype(int)
        rows = np.repeat(np.arange(len(y)), often)
        with_, without = y[rows][condition[rows] == 1], y[rows][condition[rows] == 0]
        if len(with_) and len(without):
            apart = max(apart, abs(float(with_.mean() - without.mean()) - found[number]))
    return apart, replicates


def scale(effort: Effort) -> Measured:
    """Time and peak memory at a million trials, in a process of its own."""
    participants = 200 if effort.quick else LARGE_PARTICIPANTS
    replicates = 200 if effort.quick else 5000
    command = f"from bench.parts.resampling import large; large({participants}, {replicates})"
    answer = subprocess.run(
        [sys.executable, "-c", command], capture_output=True, text=True, check=True, cwd=ROOT
    )
    seconds, before, peak = (float(part) for part in answer.stdout.split())
    rows = participants * LARGE_ITEMS
    text = (
        f"Means of seven cells on {rows:,} trials ({participants:,} participants × {LARGE_ITEMS} "
        f"items), {replicates:,} replicates, one thread: {seconds:.1f} s; peak memory "
        f"{peak:.2f} GB, of which the table itself and the libraries take {before:.2f} GB."
    )
    return Measured(
        text,
        {"rows": rows, "replicates": replicates, "seconds": seconds, "peak_gb": peak,
         "before_gb": before},
    )  # fmt: skip


def large(participants: int, replicates: int) -> None:
    """Resample a large table; print seconds, and memory in GB before and at the peak."""
    y, _, units = crossed(participants, LARGE_ITEMS)
    cell = np.random.default_rng(3).integers(0, 7, units.rows)
    before = peak_gb()
    begun = time.perf_counter()
    cell_means(y[:, None].astype(float), cell, 7, units, Resampling(replicates, 1))
    print(time.perf_counter() - begun, before, peak_gb())


PARTS: tuple[Part, ...] = (
    Part("band", "A band over decision time", band),
    Part("bootstrap", "The two-way bootstrap", bootstrap),
    Part("resampling_scale", "A million trials", scale),
)

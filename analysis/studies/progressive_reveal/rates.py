"""Table III, first attempts, and recognition step by step: averages with intervals."""

from collections.abc import Iterator
from dataclasses import astuple
from typing import Final

import numpy as np

from analysis.questions.cells import Cells
from analysis.questions.estimates import EstimateRow, Quantity, estimate_row
from analysis.report.wording import number, percent, points_tenth, rounded, whole_percent
from analysis.statistics.bootstrap import Resampling
from analysis.statistics.estimate import Ends
from analysis.statistics.means import estimate_mean, estimate_of, measure_means
from analysis.statistics.proportions import Interval
from analysis.statistics.two_way import cell_weights
from analysis.studies.progressive_reveal.quantities import (
    ALL_LAST_STEP,
    RATE,
    READINGS,
    RECOGNISED,
    SHARE,
)
from analysis.studies.progressive_reveal.trials import RoundTable

Array = np.ndarray

PIXELS = Quantity(
    "uncovered_px", "Uncovered", "The same in pixels.", rounded(number, 0), "px"
)  # fmt: skip
TRIES = Quantity("tries", "Tries", "Tries on average, completed rounds.")
DROPPING = Quantity(
    "dropping", "Dropping",
    "Average share of recognised rounds less that of all: what leaving the others out does.",
    points_tenth, "points of the image",
)  # fmt: skip
FIRST = Quantity(
    "first_answer", "First answer right",
    "Share of completed rounds whose first answer is right.", whole_percent, "%",
)  # fmt: skip
GUESS = Quantity("guess_rate", "Guess", "What blind choice among the classes gives.", percent)
CORRECTED = Quantity(
    "first_answer_corrected", "Corrected for guessing",
    "Share of right first answers, corrected for guessing.", whole_percent, "%",
)  # fmt: skip
EARLY_STEP, LATE_STEP = 4, 9
"""Between these steps the published users recognise on average (section IV-B)."""
ROUNDS_BETWEEN = Quantity(
    "rounds_between", "Between", "Share of recognised rounds from the 4th to the 9th step.", percent
)
PEOPLE_BETWEEN = Quantity(
    "people_between", "Between", "Share of participants whose average step lies there.", percent
)
MEDIAN_STEP = Quantity("median_step", "Median", "Median step of recognition.")
MEAN_STEP = Quantity("mean_step", "Mean", "Mean step of recognition.")
IMAGE: Final[Ends] = (0.0, 1.0)
"""The least and the most of an image that can be uncovered."""
OF_RECOGNITION = (ROUNDS_BETWEEN, PEOPLE_BETWEEN, MEDIAN_STEP, MEAN_STEP)


def averages(table: RoundTable, plan: Resampling) -> tuple[EstimateRow, ...]:
    """Return Table III over all completed rounds, in both readings, and how these differ."""
    done = table.completed
    code, count = done.method_codes, len(done.methods)
    weights = cell_weights(code, count)
    seen = weights * done.frame["recognised"].to_numpy(dtype=float)[:, None]
    shares, pixels = (
        measure_means(done.frame[name].to_numpy(dtype=float), np.hstack([seen, weights]),
                      done.units, plan)
        for name in ("share", "pixels")
    )  # fmt: skip
    rows = list(Cells.of(done.frame, "recognised", {"method": done.methods}, plan).rows(RATE))
    unit = np.eye(2 * count)
    for m, method in enumerate(done.methods):
        recognised = done.frame["recognised"][code == m]
        ways = dict(zip(READINGS, (unit[m], unit[count + m]), strict=True))
        rounds = dict(zip(READINGS, (int(recognised.sum()), len(recognised)), strict=True))
        for reading, way in ways.items():
            of, n = {"method": method, "reading": reading}, rounds[reading]
            rows.append(estimate_row(SHARE, of, estimate_mean(shares, way, IMAGE), n))
            rows.append(estimate_row(PIXELS, of, estimate_of(pixels, way), n))
        less = estimate_mean(shares, ways[RECOGNISED] - ways[ALL_LAST_STEP], IMAGE)
        rows.append(estimate_row(DROPPING, {"method": method}, less))
    return (*rows, *_tries(done, plan))


def _tries(table: RoundTable, plan: Resampling) -> Iterator[EstimateRow]:
    """Yield the tries by method; none without the column."""
    if "attempts" not in table.frame:
        return
    attempts = table.frame["attempts"].to_numpy(dtype=float, na_value=np.nan)
    weights = cell_weights(table.method_codes, len(table.methods)) * np.isfinite(attempts)[:, None]
    means = measure_means(np.nan_to_num(attempts), weights, table.units, plan)
    for method, weight in zip(table.methods, np.eye(len(table.methods)), strict=True):
        yield estimate_row(TRIES, {"method": method}, estimate_mean(means, weight))


def first_answers(table: RoundTable, plan: Resampling) -> Iterator[EstimateRow]:
    """Yield how often the first answer was right, raw and corrected for guessing.

    Corrected: (rate - g) / (1 - g) with g = ``guess_rate``, what blind choice among the
    classes gives (Abbott 1925, J. Econ. Entomol. 18). Rounds without an answer count as not
    right. Nothing without the columns.
    """
    done = table.completed
    if not {"first_attempt_right", "guess_rate"} <= set(done.frame):
        return
    right = done.frame["first_attempt_right"].fillna(False).astype(float)
    cells = Cells.of(done.frame.assign(right=right), "right", {"method": done.methods}, plan)
    for row in cells.rows(FIRST):
        guess = done.frame.loc[done.frame["method"] == row.of["method"], "guess_rate"]
        chance = float(guess.to_numpy(dtype=float, na_value=np.nan).mean())
        above = [(limit - chance) / (1 - chance) for limit in astuple(row.interval)]
        yield row
        yield estimate_row(GUESS, row.of, chance)
        yield estimate_row(CORRECTED, row.of, Interval(*above), row.n)


def recognition_steps(table: RoundTable) -> Iterator[EstimateRow]:
    """Yield at which step rounds are recognised on average, and how many in a range of steps."""
    recognised = table.frame[table.frame["recognised"]]
    if recognised.empty:
        return
    by_person = recognised.groupby("participant")["step"].mean()
    for quantity, steps in ((ROUNDS_BETWEEN, recognised["step"]), (PEOPLE_BETWEEN, by_person)):
        share = float(steps.between(EARLY_STEP, LATE_STEP).mean())
        yield estimate_row(quantity, {}, share, len(steps))
    yield estimate_row(MEDIAN_STEP, {}, float(recognised["step"].median()))
    yield estimate_row(MEAN_STEP, {}, float(recognised["step"].mean()))

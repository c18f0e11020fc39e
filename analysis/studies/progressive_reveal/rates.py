"""Table III, first attempts, and recognition step by step: averages with intervals."""

from dataclasses import astuple
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from analysis.report.estimates import limits_row, named_row
from analysis.statistics.bootstrap import Resampling, bootstrap_kinds
from analysis.statistics.means import estimate_of, mean_interval, measure_means
from analysis.statistics.proportions import Count, Interval
from analysis.statistics.shares import measure_shares, share_interval
from analysis.statistics.survival.restricted import pairs
from analysis.statistics.survival.steps import (
    hazards,
    life_table,
    mean_steps,
    number_of_ends,
    unrecognised,
)
from analysis.statistics.two_way import cell_weights
from analysis.studies.progressive_reveal.pairs import drawn_pair, to_reference
from analysis.studies.progressive_reveal.trials import RoundTable

Array = np.ndarray

READINGS = ("recognised", "all_last_step")


def table3(table: RoundTable, plan: Resampling) -> dict[str, Any]:
    """Return Table III over all completed rounds, in both readings, and how they differ.

    Returns
    -------
    dict
        ``rows`` (method × reading): ``pixels, share`` (of the image), ``attempts,
        recognition_rate, n``, with limits of share, attempts and rate; ``dropping``: by how
        much leaving unrecognised rounds out lowers each method's average; ``attempts_known``.
    """
    done = table.completed
    frame, methods = done.frame, done.methods
    code = done.method_codes
    attempts = _attempts(frame)
    recognised = frame["recognised"].to_numpy(dtype=float)
    share, pixels = frame["share"].to_numpy(dtype=float), frame["pixels"].to_numpy(dtype=float)
    answered = np.isfinite(attempts)
    every, number_of = np.eye(len(methods)), len(methods)
    weights = cell_weights(code, number_of)
    both = np.column_stack([weights * recognised[:, None], weights])
    of_rate = measure_shares(recognised, code, number_of, done.units, plan)
    of_share, of_pixels = (measure_means(v, both, done.units, plan) for v in (share, pixels))
    of_attempts = measure_means(
        np.nan_to_num(attempts), weights * answered[:, None], done.units, plan
    )
    counted = [
        Count(int(recognised[code == number].sum()), int((code == number).sum()))
        for number in range(number_of)
    ]
    rows, dropping = [], []
    for number, method in enumerate(methods):
        own = every[number]
        seen, whole = np.append(own, 0 * own), np.append(0 * own, own)
        counts = counted[number]
        parts = {
            "rate": share_interval(counted, own, of_rate),
            "attempts": mean_interval(of_attempts, own),
            "share_recognised": mean_interval(of_share, seen),
            "share_all_last_step": mean_interval(of_share, whole),
            "pixels_recognised": estimate_of(of_pixels, seen),
            "pixels_all_last_step": estimate_of(of_pixels, whole),
        }
        for reading in READINGS:
            rows.append(_row(method, reading, parts, counts))
        dropping.append({"method": method, **limits_row(mean_interval(of_share, seen - whole))})
    return {"rows": rows, "dropping": dropping, "attempts_known": bool(answered.any())}


def _row(method: str, reading: str, parts: dict[str, Any], counts: Count) -> dict[str, Any]:
    share, rate, attempts = parts[f"share_{reading}"], parts["rate"], parts["attempts"]
    return {
        "method": method,
        "pixels": parts[f"pixels_{reading}"],
        "attempts": attempts.estimate,
        "recognition_rate": rate.estimate,
        "n": counts.n,
        "reading": reading,
        "share": share.estimate,
        "share_low": share.ci_low,
        "share_high": share.ci_high,
        "attempts_low": attempts.ci_low,
        "attempts_high": attempts.ci_high,
        "recognition_rate_low": rate.ci_low,
        "recognition_rate_high": rate.ci_high,
        "n_averaged": counts.successes if reading == "recognised" else counts.n,
    }


def _attempts(frame: pd.DataFrame) -> Array:
    if "attempts" not in frame:
        return np.full(len(frame), np.nan)
    return frame["attempts"].to_numpy(dtype=float, na_value=np.nan)


def first_attempts(table: RoundTable, plan: Resampling) -> list[dict[str, Any]]:
    """Return how often the first answer was right, raw and corrected for guessing.

    Corrected: (rate - g) / (1 - g) with g = ``guess_rate``, what blind choice among the
    classes gives (Abbott 1925, J. Econ. Entomol. 18). Rounds without an answer count as not
    right. Empty without the columns.
    """
    frame = table.completed.frame
    if "first_attempt_right" not in frame or "guess_rate" not in frame:
        return []
    done = table.completed
    right = frame["first_attempt_right"].fillna(False).to_numpy(dtype=float)
    guess = frame["guess_rate"].to_numpy(dtype=float, na_value=np.nan)
    code, methods = done.method_codes, len(done.methods)
    found = measure_shares(right, code, methods, done.units, plan)
    own = [done.method_codes == number for number in range(methods)]
    rows = []
    for number, method in enumerate(done.methods):
        counts = [Count(int(right[rows_].sum()), int(rows_.sum())) for rows_ in own]
        raw = share_interval(counts, np.eye(methods)[number], found)
        chance = float(guess[own[number]].mean())
        corrected = [(limit - chance) / (1 - chance) for limit in astuple(raw)]
        rows.append(
            {
                "method": method,
                "n": int(own[number].sum()),
                **named_row(raw, "rate"),
                "guess_rate": chance,
                **limits_row(Interval(*corrected)),
            }
        )
    return rows


def life_tables(table: RoundTable, plan: Resampling) -> dict[str, Any]:
    """Return recognition by the end of each step for each method, with intervals.

    The product-limit estimate over all rounds; those left midway are censored at the last
    step that was seen whole. People and items are drawn again.

    Returns
    -------
    dict
        ``rows`` (method × step): ``at_risk, recognised, hazard, reached, ci_low, ci_high``;
        ``mean_steps`` and ``differences`` (to the reference) of the mean number of steps,
        unrecognised rounds counting with all of them; ``over_time`` (method × step): recognition
        less the reference's; ``pairs``: mean steps and recognition by the end, method by method.
    """
    rounds, methods, steps = table.rounds(), len(table.methods), table.steps
    ends, two = number_of_ends(steps), pairs(methods)
    kind = table.method_codes * ends + rounds.ends

    def curves(numbers: Array) -> Array:
        events, at_risk = life_table(numbers.reshape(len(numbers), methods, ends))
        survival = unrecognised(hazards(events, at_risk))
        means = np.where(at_risk[:, :, 0] > 0, mean_steps(survival), np.nan)
        reached = 1 - survival
        over_time = (reached[:, 1:] - reached[:, :1]).reshape(len(numbers), -1)
        gaps = [values[:, b] - values[:, a] for values in (means, reached[..., -1]) for a, b in two]
        return np.column_stack([reached.reshape(len(numbers), -1), means, over_time, *gaps])

    found = bootstrap_kinds(kind, methods * ends, curves, table.units, plan)
    events, at_risk = life_table(
        np.bincount(kind, minlength=methods * ends).reshape(methods, ends).astype(float)
    )
    hazard = hazards(events, at_risk)
    rows = []
    for m, method in enumerate(table.methods):
        for k in range(steps):
            rows.append(
                {
                    "method": method,
                    "step": k + 1,
                    "at_risk": int(at_risk[m, k]),
                    "recognised": int(events[m, k]),
                    "hazard": float(hazard[m, k]),
                    **limits_row(found.interval(m * steps + k), "reached"),
                }
            )
    first = methods * steps
    means = [
        {"method": method, **limits_row(found.interval(first + m))}
        for m, method in enumerate(table.methods)
    ]
    over_time = [
        {
            "method": method,
            "reference": table.reference,
            "step": k + 1,
            **limits_row(found.interval(first + methods + m * steps + k)),
        }
        for m, method in enumerate(table.methods[1:])
        for k in range(steps)
    ]
    first += methods + len(over_time)
    contrasts = [
        drawn_pair(of, table.methods[b], table.methods[a], found, first + place)
        for place, (of, (a, b)) in enumerate(product(("steps", "recognised"), two))
    ]
    of_steps = [row for row in contrasts if row["of"] == "steps"]
    return {
        "rows": rows,
        "mean_steps": means,
        "differences": to_reference(of_steps, table.reference, "p"),
        "over_time": over_time,
        "pairs": contrasts,
    }


def step_distribution(table: RoundTable) -> dict[str, Any]:
    """Return at which steps rounds were recognised, and where people's average steps lie.

    ``people_between``: share of people whose recognised rounds lie on average between the
    4th and the 9th step, as published (section IV-B).
    """
    own = table.frame[table.frame["recognised"]]
    by_person = own.groupby("participant")["step"].mean()
    counts = [
        {
            "method": method,
            "counts": np.bincount(
                own.loc[own["method"] == method, "step"], minlength=table.steps + 1
            )[1:],
        }
        for method in table.methods
    ]
    low, high = 4, 9
    within = by_person.between(low, high)
    return {
        "low": low,
        "high": high,
        "counts": counts,
        "people": len(by_person),
        "people_between": float(within.mean()) if len(by_person) else None,
        "rounds_between": float(own["step"].between(low, high).mean()) if len(own) else None,
        "median_step": float(own["step"].median()) if len(own) else None,
        "mean_step": float(own["step"].mean()) if len(own) else None,
    }

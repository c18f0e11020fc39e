"""Several explanation methods of S compared: usefulness of each, and every pair."""

import itertools
from typing import Any

import numpy as np
import pandas as pd

from analysis.report.estimates import limits_row
from analysis.statistics.bootstrap import Bootstrap, Resampling, Units, bootstrap_sums
from analysis.statistics.comparison import holm
from analysis.statistics.proportions import Count, Interval, mover
from analysis.studies.accept_reject.trials import ScoredTrials

_PARTS = 4


def compare_explainers(judged: ScoredTrials, plan: Resampling) -> dict[str, Any]:
    """Return usefulness of each of S's explanation methods and their differences.

    A method's usefulness is acceptance of S's solutions explained by it, less acceptance of
    S's solutions without explanation by the same leads. Methods may differ between leads
    (the study repeated with other packs) or within them; where every lead saw both of a pair,
    the part without explanation is the same and falls out. P values of differences are
    centred bootstrap ones, adjusted by Holm over all pairs.

    Parameters
    ----------
    judged
        All trials; without a column ``method`` there is nothing to compare.
    plan
        Of the resampling.

    Returns
    -------
    dict
        ``methods`` and ``pairs``, and ``design``: ``between`` leads, ``within`` or ``mixed``;
        both lists are empty where there is only one method.
    """
    frame = judged.frame[~judged.aside & (judged.frame["solver"] == "S").to_numpy()]
    methods = _methods(frame)
    if len(methods) < 2:
        return {"methods": [], "pairs": [], "design": None}
    seen = {name: set(frame.loc[frame["method"] == name, "participant"]) for name in methods}
    columns = np.column_stack([_columns(frame, name, seen[name]) for name in methods])
    units = Units.of(frame["participant"], frame["item"])
    found = bootstrap_sums(columns, _statistic(len(methods)), units, plan)
    several = frame["participant"].nunique() > 1
    counts = [_counts(part) for part in np.split(columns.sum(axis=0), len(methods))]
    return {
        "methods": [
            _method_row(name, place, counts[place], len(seen[name]), found, several)
            for place, name in enumerate(methods)
        ],
        "pairs": _pairs(methods, counts, seen, found, several),
        "design": _design(list(seen.values())),
    }


def _methods(frame: pd.DataFrame) -> list[str]:
    if "method" not in frame:
        return []
    return sorted(frame.loc[frame["explained"], "method"].dropna().unique())


def _columns(frame: pd.DataFrame, method: str, leads: set[str]) -> np.ndarray:
    """Return (n, 4): accepted and all, with this method and without by the same leads."""
    accepted = frame["accepted"].to_numpy(dtype=float)
    with_ = (frame["explained"] & (frame["method"] == method)).to_numpy(dtype=float)
    without = (~frame["explained"] & frame["participant"].isin(leads)).to_numpy(dtype=float)
    return np.column_stack([accepted * with_, with_, accepted * without, without])


def _statistic(methods: int) -> Any:
    pairs = list(itertools.combinations(range(methods), 2))

    def usefulness(sums: np.ndarray) -> np.ndarray:
        parts = sums.reshape(len(sums), methods, _PARTS)
        gains = parts[..., 0] / parts[..., 1] - parts[..., 2] / parts[..., 3]
        differences = [gains[:, a] - gains[:, b] for a, b in pairs]
        return np.column_stack([gains, *differences])

    return usefulness


def _counts(sums: np.ndarray) -> list[Count]:
    with_accepted, with_, without_accepted, without = map(int, sums)
    return [Count(with_accepted, with_), Count(without_accepted, without)]


def _method_row(
    name: str, place: int, counts: list[Count], leads: int, found: Bootstrap, several: bool
) -> dict[str, Any]:
    part = _interval(counts, [1.0, -1.0], found, place, several)
    return {
        "method": name,
        "leads": leads,
        "with": counts[0].rate,
        "without": counts[1].rate,
        **limits_row(part),
        "n": counts[0].n + counts[1].n,
    }


def _pairs(
    methods: list[str],
    counts: list[list[Count]],
    seen: dict[str, set[str]],
    found: Bootstrap,
    several: bool,
) -> list[dict[str, Any]]:
    rows = []
    for number, (a, b) in enumerate(itertools.combinations(range(len(methods)), 2)):
        place = len(methods) + number
        four = [*counts[a], *counts[b]]
        part = _interval(four, [1.0, -1.0, -1.0, 1.0], found, place, several)
        both = seen[methods[a]] & seen[methods[b]]
        rows.append(
            {
                "first": methods[a],
                "second": methods[b],
                **limits_row(part),
                "p": found.p(place) if several else float("nan"),
                "leads_of_both": len(both),
            }
        )
    for row, adjusted in zip(rows, holm([row["p"] for row in rows]), strict=True):
        row["p_holm"] = adjusted
    return rows


def _interval(
    counts: list[Count], weights: list[float], found: Bootstrap, place: int, several: bool
) -> Interval:
    """Return the bootstrap's interval, at the ends of the scale no narrower than MOVER's."""
    plain = mover(counts, weights)
    if not several or not plain.known:
        return plain
    drawn = found.interval(place)
    if all(count.rate not in (0.0, 1.0) for count in counts):
        return drawn
    low, high = min(drawn.ci_low, plain.ci_low), max(drawn.ci_high, plain.ci_high)
    return Interval(drawn.estimate, low, high)


def _design(leads: list[set[str]]) -> str:
    overlaps = [a & b for a, b in itertools.combinations(leads, 2)]
    if not any(overlaps):
        return "between"
    return "within" if all(group == leads[0] for group in leads) else "mixed"

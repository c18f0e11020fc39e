"""Several explanation methods of S compared: usefulness of each, and every pair."""

import itertools
from typing import Any

import numpy as np
import pandas as pd

from analysis.report.estimates import limits_row
from analysis.statistics.bootstrap import Units
from analysis.statistics.comparison import holm
from analysis.statistics.proportions import Count
from analysis.statistics.shares import share_interval
from analysis.statistics.two_way import TwoWayMeans, two_way_means
from analysis.studies.accept_reject.trials import ScoredTrials

Array = np.ndarray


def compare_explainers(judged: ScoredTrials) -> dict[str, Any]:
    """Return usefulness of each of S's explanation methods and their differences.

    A method's usefulness is acceptance of S's solutions explained by it, less acceptance of
    S's solutions without explanation by the same leads. Methods may differ between leads
    (the study repeated with other packs) or within them; where every lead saw both of a pair,
    the part without explanation is the same and falls out. Intervals and p values are over
    leads and items (`analysis.statistics.two_way`); p of all pairs is adjusted by Holm.

    Parameters
    ----------
    judged
        All trials; without a column ``method`` there is nothing to compare.

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
    weights = np.column_stack([_weights(frame, name, seen[name]) for name in methods])
    accepted = frame["accepted"].to_numpy(dtype=float)
    counts = [
        Count(int(hits), int(n))
        for hits, n in zip(accepted @ weights, weights.sum(axis=0), strict=True)
    ]
    found = None
    if frame["participant"].nunique() > 1:
        found = two_way_means(accepted, weights, Units.of(frame["participant"], frame["item"]))
    return {
        "methods": [
            _method_row(name, gain, counts, len(seen[name]), found)
            for name, gain in zip(methods, _gains(len(methods)), strict=True)
        ],
        "pairs": _pairs(methods, counts, seen, found),
        "design": _design(list(seen.values())),
    }


def _methods(frame: pd.DataFrame) -> list[str]:
    if "method" not in frame:
        return []
    return sorted(frame.loc[frame["explained"], "method"].dropna().unique())


def _weights(frame: pd.DataFrame, method: str, leads: set[str]) -> Array:
    """Return (n, 2): which trials are explained by this method, and which of its leads aren't."""
    with_ = frame["explained"] & (frame["method"] == method)
    without = ~frame["explained"] & frame["participant"].isin(leads)
    return np.column_stack([with_, without]).astype(float)


def _gains(methods: int) -> Array:
    """Return (methods, 2 × methods) each method's usefulness as a sum of the rates."""
    return np.kron(np.eye(methods), [1.0, -1.0])


def _method_row(
    name: str, gain: Array, counts: list[Count], leads: int, found: TwoWayMeans | None
) -> dict[str, Any]:
    own = [counts[cell] for cell in np.flatnonzero(gain)]
    return {
        "method": name,
        "leads": leads,
        "with": own[0].rate,
        "without": own[1].rate,
        **limits_row(share_interval(counts, gain, found)),
        "n": own[0].n + own[1].n,
    }


def _pairs(
    methods: list[str], counts: list[Count], seen: dict[str, set[str]], found: TwoWayMeans | None
) -> list[dict[str, Any]]:
    gains = _gains(len(methods))
    rows = []
    for a, b in itertools.combinations(range(len(methods)), 2):
        difference = gains[a] - gains[b]
        rows.append(
            {
                "first": methods[a],
                "second": methods[b],
                **limits_row(share_interval(counts, difference, found)),
                "p": float("nan") if found is None else found.p(difference),
                "leads_of_both": len(seen[methods[a]] & seen[methods[b]]),
            }
        )
    for row, adjusted in zip(rows, holm([row["p"] for row in rows]), strict=True):
        row["p_holm"] = adjusted
    return rows


def _design(leads: list[set[str]]) -> str:
    overlaps = [a & b for a, b in itertools.combinations(leads, 2)]
    if not any(overlaps):
        return "between"
    return "within" if all(group == leads[0] for group in leads) else "mixed"

"""The restricted mean of the uncovered share, image by image, and the same under other choices."""

from collections.abc import Sequence
from typing import Any, get_args

import numpy as np

from analysis.report.estimates import limits_row
from analysis.statistics.bootstrap import Resampling
from analysis.statistics.bootstrap.resample import Bootstrap
from analysis.statistics.survival.restricted import End, pairs, restricted_means
from analysis.studies.progressive_reveal.pairs import drawn_pair, to_reference
from analysis.studies.progressive_reveal.trials import RoundTable, at_first_key

Array = np.ndarray

MOST_REPLICATES = 2_000


def restricted_results(table: RoundTable, plan: Resampling) -> dict[str, Any]:
    """Return each method's restricted mean share with its difference to the reference.

    Returns
    -------
    dict
        ``methods``: with recognition set at the middle of its step's interval, limits over
        people and images, and ``lower``/``upper``: set at the interval's ends, which is as
        far as steps leave it open; ``pairs`` of all methods with p by centring, and of these
        the ``differences`` to the reference;
        ``limits``: the images' limits; ``images``: how many were compared.
    """
    capped = plan.at_most(MOST_REPLICATES)
    strata, units = table.strata(), table.units
    found = restricted_means(strata, units, capped)
    once = Resampling(1, plan.seed)
    ends = {end: restricted_means(strata, units, once, end).estimate for end in get_args(End)}
    methods = [
        {
            "method": method,
            **limits_row(found.interval(m)),
            "lower": ends["lower"][m],
            "upper": ends["upper"][m],
        }
        for m, method in enumerate(table.methods)
    ]
    known = strata.limits[np.isfinite(strata.limits)]
    return {
        "methods": methods,
        "differences": _differences(table, found),
        "pairs": _pairs(table, found),
        "images": len(known),
        "limits": {
            "smallest": float(known.min()) if len(known) else None,
            "median": float(np.median(known)) if len(known) else None,
            "largest": float(known.max()) if len(known) else None,
        },
        "replicates": capped.replicates,
    }


def _pairs(table: RoundTable, found: Bootstrap) -> list[dict[str, Any]]:
    names = table.methods
    return [
        drawn_pair("restricted", names[b], names[a], found, place)
        for place, (a, b) in enumerate(pairs(len(names)), start=len(names))
    ]


def _differences(table: RoundTable, found: Bootstrap) -> list[dict[str, Any]]:
    return to_reference(_pairs(table, found), table.reference, "p")


def sensitivity(
    table: RoundTable, plan: Resampling, main: dict[str, Any], gone: Sequence[str]
) -> list[dict[str, Any]]:
    """Return the differences of restricted means under other choices, the main one first.

    Parameters
    ----------
    table, plan, main
        The rounds, how they are drawn, and what `restricted_results` gave.
    gone
        Who is left out by rule.
    """
    rows = _rows("everybody, all rounds, confirming press", table, main["differences"])
    recognised = table.of(table.frame["recognised"])
    kept = ~table.frame["participant"].isin(gone)
    others: list[tuple[str, RoundTable | None]] = [
        ("without those left out by rule", table.of(kept) if gone and kept.any() else None),
        ("first key of the right answer", at_first_key(table)),
        ("without rounds left midway", table.completed if table.frame["left"].any() else None),
        ("unrecognised rounds left out, as Figures 6 and 7", recognised),
        ("images that the model classifies rightly", _of_right_models(table)),
    ]
    capped = plan.at_most(MOST_REPLICATES)
    for label, other in others:
        if other is None or other.frame.empty or set(other.frame["method"]) != set(table.methods):
            continue
        found = restricted_means(other.strata(), other.units, capped)
        rows += _rows(label, other, _differences(other, found))
    return rows


def _rows(label: str, table: RoundTable, found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    n = len(table.frame)
    return [{"analysis": label, "rounds": n, **row} for row in found]


def _of_right_models(table: RoundTable) -> RoundTable | None:
    """Return the images that every model got right, where the table says it."""
    frame = table.frame
    if "model_correct" not in frame or frame["model_correct"].isna().all():
        return None
    wrong = frame.loc[frame["model_correct"].eq(False).fillna(False), "item"].unique()
    kept = ~frame["item"].isin(wrong)
    return table.of(kept) if 0 < int(kept.sum()) < len(frame) else None

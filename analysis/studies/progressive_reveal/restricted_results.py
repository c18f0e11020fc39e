"""The restricted mean of the uncovered share, image by image, and the same under other choices."""

from typing import Any, get_args

import numpy as np

from analysis.report.estimates import limits_row
from analysis.statistics.bootstrap import Resampling
from analysis.statistics.bootstrap.resample import Bootstrap
from analysis.statistics.survival.restricted import End, pairs, restricted_means
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
        far as steps leave it open; ``differences`` to the reference with p by centring;
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
        "images": len(known),
        "limits": {
            "smallest": float(known.min()) if len(known) else None,
            "median": float(np.median(known)) if len(known) else None,
            "largest": float(known.max()) if len(known) else None,
        },
        "replicates": capped.replicates,
    }


def _differences(table: RoundTable, found: Bootstrap) -> list[dict[str, Any]]:
    methods = len(table.methods)
    rows = []
    for place, (a, b) in enumerate(pairs(methods), start=methods):
        if a == 0:
            rows.append(
                {
                    "method": table.methods[b],
                    "reference": table.reference,
                    **limits_row(found.interval(place)),
                    "p": found.p(place),
                }
            )
    return rows


def sensitivity(table: RoundTable, plan: Resampling, main: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the differences of restricted means under other choices, the main one first."""
    rows = _rows("all rounds, confirming press", table, main["differences"])
    recognised = table.of(table.frame["recognised"])
    others: list[tuple[str, RoundTable | None]] = [
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

"""Change as plain means over participants and items, with design-based two-way intervals."""

from typing import Any

import numpy as np

from analysis.statistics.two_way import TwoWayMeans, cell_weights, two_way_means
from analysis.studies.simulatability.change import conditions
from analysis.studies.simulatability.trials import Predictions, inside, units_of

Array = np.ndarray
Row = dict[str, Any]


def mean_results(predictions: Predictions) -> dict[str, list[Row]]:
    """Return Change of each method as a plain mean, and its difference to the reference's.

    Every item that a person predicted in both phases counts once. People and items stand for
    others; the same person in two domains or tests is one participant.

    Returns
    -------
    dict
        ``change`` and ``differences``, in percentage points: ``domain, test, method, n``,
        ``estimate, ci_low, ci_high, se, df, p``; differences have ``reference``.
    """
    rows: dict[str, list[Row]] = {"change": [], "differences": []}
    for domain, test in conditions(predictions):
        pairs = predictions.pairs
        own = pairs[inside(pairs, domain, test)].reset_index(drop=True)
        methods = [m for m in predictions.methods if (own["method"] == m).any()]
        cell = own["method"].map({m: place for place, m in enumerate(methods)}).to_numpy()
        moved = 100 * (own["post"] - own["pre"]).to_numpy(dtype=float)
        found = two_way_means(moved, cell_weights(cell, len(methods)), units_of(own))
        for place, method in enumerate(methods):
            head = {
                "domain": domain,
                "test": test,
                "method": method,
                "n": int((cell == place).sum()),
            }
            unit = np.eye(len(methods))[place]
            rows["change"].append(head | _row(found, unit))
            reference = predictions.reference
            if reference in methods and method != reference:
                other = np.eye(len(methods))[methods.index(str(reference))]
                rows["differences"].append(
                    head | {"reference": reference} | _row(found, unit - other)
                )
    return rows


def _row(found: TwoWayMeans, contrast: Array) -> Row:
    own, spread = found.interval(contrast), found.spread(contrast)
    return {
        "estimate": own.estimate,
        "ci_low": own.ci_low,
        "ci_high": own.ci_high,
        "se": float(spread.se[0]),
        "df": float(spread.df[0]),
        "p": found.p(contrast),
    }

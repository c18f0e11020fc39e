"""Change as plain means over participants and items, with design-based two-way intervals."""

from typing import Any

import numpy as np

from analysis.statistics.bootstrap import Bootstrap, Resampling
from analysis.statistics.bootstrap.intervals import centred_p
from analysis.statistics.means import Means, mean_interval, measure_means
from analysis.statistics.two_way import cell_weights
from analysis.studies.simulatability.change import conditions
from analysis.studies.simulatability.trials import Predictions, inside, units_of

Array = np.ndarray
Row = dict[str, Any]


def mean_results(predictions: Predictions, plan: Resampling) -> dict[str, list[Row]]:
    """Return Change of each method as a plain mean, and its difference to the reference's.

    Every item that a person predicted in both phases counts once. People and items stand for
    others; the same person in two domains or tests is one participant.

    Parameters
    ----------
    predictions
        Who predicted what.
    plan
        Whether intervals are two-way ones or come from replicates.

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
        found = measure_means(moved, cell_weights(cell, len(methods)), units_of(own), plan)
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


def _row(found: Means, contrast: Array) -> Row:
    own = mean_interval(found, contrast)
    se, df, p = _test(found, contrast, own.estimate)
    return {
        "estimate": own.estimate,
        "ci_low": own.ci_low,
        "ci_high": own.ci_high,
        "se": se,
        "df": df,
        "p": p,
    }


def _test(found: Means, contrast: Array, estimate: float) -> tuple[float, float, float]:
    """Return standard error, degrees of freedom and p of no difference."""
    if not isinstance(found, Bootstrap):
        spread = found.spread(contrast)
        return float(spread.se[0]), float(spread.df[0]), found.p(contrast)
    used = contrast != 0
    draws = found.replicates[:, used] @ contrast[used]
    return float(np.nanstd(draws, ddof=1)), float("inf"), centred_p(estimate, draws, 0.0)

"""Power from the outcomes of simulated studies."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from analysis.power.grid import ALPHA, Cell, Outcome
from analysis.statistics.proportions import Count, wilson

Row = dict[str, Any]
WANTED = 0.80


def summarise(
    cell: Cell, term: str, contrast: str, truth: float, outcomes: Sequence[Outcome]
) -> Row:
    """Return one cell's power for one term.

    A study whose fit failed counts as one that found nothing. Type S is the share of
    significant estimates with the wrong sign, type M the mean ratio of their size to the
    true one (Gelman & Carlin 2014, Perspect. Psychol. Sci. 9(6)); both are of the averaged
    difference of probabilities, and unknown where the true one is 0.

    Parameters
    ----------
    cell
        Which.
    term, contrast
        The model's term that is tested, and its difference of probabilities.
    truth
        That difference as it was put in.
    outcomes
        Of all the cell's runs.
    """
    fitted = [one for one in outcomes if one.fitted]
    found = [one for one in fitted if one.terms[term][2] < ALPHA]
    power = wilson(Count(len(found), len(outcomes)))
    sizes = np.array([one.usefulness[contrast] for one in found])
    every = np.array([one.usefulness[contrast] for one in fitted])
    known = truth != 0 and len(sizes) > 0
    return {
        "participants": cell.participants,
        "items": cell.items,
        **cell.effect.columns(),
        "term": term,
        "contrast": contrast,
        "truth": truth,
        "runs": len(outcomes),
        "significant": len(found),
        "power": power.estimate,
        "ci_low": power.ci_low,
        "ci_high": power.ci_high,
        "type_s": float((np.sign(sizes) != np.sign(truth)).mean()) if known else None,
        "type_m": float(np.abs(sizes).mean() / abs(truth)) if known else None,
        "mean_estimate": float(every.mean()) if len(every) else None,
        "singular": float(np.mean([one.singular for one in fitted])) if fitted else None,
        "failed": 1 - len(fitted) / len(outcomes),
        "median_run_s": float(np.median([one.run_s for one in outcomes])),
    }


def failures(outcomes: Sequence[Outcome]) -> dict[str, int]:
    """Return why fits failed, and how often."""
    counts: dict[str, int] = {}
    for one in outcomes:
        if not one.fitted:
            counts[one.reason] = counts.get(one.reason, 0) + 1
    return dict(sorted(counts.items(), key=lambda pair: -pair[1]))


def smallest_enough(rows: Sequence[Mapping[str, Any]], wanted: float = WANTED) -> list[Row]:
    """Return for each term, effect and number of items the fewest participants that are enough.

    Enough means that power is at least as wanted there and at every larger number tried;
    ``sure`` says whether its interval lies above, too.
    """
    groups: dict[tuple, list[Mapping[str, Any]]] = {}
    for row in rows:
        if row["truth"]:
            key = (row["term"], row["truth"], row["items"])
            groups.setdefault(key, []).append(row)
    found = []
    for (term, truth, items), own in groups.items():
        own = sorted(own, key=lambda row: row["participants"])
        short = [place for place, row in enumerate(own) if row["power"] < wanted]
        first = short[-1] + 1 if short else 0
        enough = own[first] if first < len(own) else None
        found.append(
            {
                "term": term,
                "truth": truth,
                "items": items,
                "participants": enough["participants"] if enough else None,
                "sure": bool(enough and enough["ci_low"] >= wanted),
                "largest_tried": own[-1]["participants"],
                "largest_power": own[-1]["power"],
            }
        )
    return found

"""Power from the outcomes of simulated studies."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from analysis.power.grid import Cell, Outcome
from analysis.power.question import Term, Verdicts
from analysis.statistics.proportions import Count, wilson

Row = dict[str, Any]
WANTED = 0.80


def summarise(cell: Cell, put_in: str, term: Term, outcomes: Sequence[Outcome]) -> Row:
    """Return one cell's power for one test.

    A study without a result counts as one that found nothing. Type S is the share of
    significant estimates with the wrong sign, type M the mean ratio of their size to the
    true one (Gelman & Carlin 2014, Perspect. Psychol. Sci. 9(6)); both are unknown where the true
    value is 0 or isn't known.

    Parameters
    ----------
    cell, put_in
        Which, and its effect in words.
    term
        What is tested.
    outcomes
        Of all the cell's runs.
    """
    truth = term.truth(cell.effect)
    known = [one.tests[term.name] for one in outcomes if one.fitted and term.name in one.tests]
    every = np.array([estimate for estimate, _ in known if estimate is not None])
    sizes = np.array([estimate for estimate, found in known if found], dtype=float)
    sized = bool(truth) and len(sizes) > 0
    return {
        **_head(cell, put_in, term.name),
        "truth": truth,
        **_share(sum(found for _, found in known), outcomes),
        "type_s": float((np.sign(sizes) != np.sign(truth)).mean()) if sized else None,
        "type_m": float(np.abs(sizes).mean() / abs(truth)) if sized else None,
        "mean_estimate": float(every.mean()) if len(every) else None,
        **_fits(outcomes),
    }


def share_verdicts(
    cell: Cell, put_in: str, verdicts: Verdicts, outcomes: Sequence[Outcome]
) -> list[Row]:
    """Return how often each verdict is given in one cell, and whether it is the right one.

    Parameters
    ----------
    cell, put_in, outcomes
        As of `summarise`.
    verdicts
        The question and its verdicts.
    """
    given = Counter(one.verdicts.get(verdicts.name) for one in outcomes if one.fitted)
    right = verdicts.right(cell.effect)
    return [
        {
            **_head(cell, put_in, name),
            "family": verdicts.name,
            "right": name == right,
            **_share(given[name], outcomes),
            **_fits(outcomes),
        }
        for name in verdicts.said
    ]


_UNKNOWN: Row = {"family": "", "truth": None, "right": None}


def _head(cell: Cell, put_in: str, term: str) -> Row:
    sizes = {"participants": cell.participants, "items": cell.items}
    return {**sizes, **cell.effect.columns(), "put_in": put_in, "term": term, **_UNKNOWN}


def _share(found: int, outcomes: Sequence[Outcome]) -> Row:
    power = wilson(Count(found, len(outcomes)))
    return {
        "runs": len(outcomes),
        "significant": found,
        "power": power.estimate,
        "ci_low": power.ci_low,
        "ci_high": power.ci_high,
        **dict.fromkeys(("type_s", "type_m", "mean_estimate")),
    }


def _fits(outcomes: Sequence[Outcome]) -> Row:
    whole = [one.as_asked for one in outcomes if one.as_asked is not None]
    return {
        "as_asked": float(np.mean(whole)) if whole else None,
        "failed": float(np.mean([not one.fitted for one in outcomes])),
        "median_run_s": float(np.median([one.run_s for one in outcomes])),
    }


def fitted_models(outcomes: Mapping[Cell, Sequence[Outcome]]) -> list[Row]:
    """Return which models were fitted, by the size of the study, the most frequent first.

    Returns
    -------
    list of dict
        ``participants, items``; ``model``: the formula, empty where none was sound; ``as_asked``:
        whether it is the one that was asked for; ``studies`` with it, ``of`` so many.
    """
    counts: dict[tuple[int, int], Counter[tuple[str, bool]]] = {}
    for cell, own in outcomes.items():
        fits = [(one.model, one.as_asked) for one in own if one.as_asked is not None]
        counts.setdefault((cell.participants, cell.items), Counter()).update(fits)
    return [
        {"participants": people, "items": items, "model": model, "as_asked": whole,
         "studies": number, "of": found.total()}
        for (people, items), found in counts.items()
        for (model, whole), number in found.most_common()
    ]  # fmt: skip


def failures(outcomes: Sequence[Outcome]) -> dict[str, int]:
    """Return why fits failed, and how often."""
    counts: dict[str, int] = {}
    for one in outcomes:
        if not one.fitted:
            counts[one.reason] = counts.get(one.reason, 0) + 1
    return dict(sorted(counts.items(), key=lambda pair: -pair[1]))


def smallest_enough(rows: Sequence[Mapping[str, Any]], wanted: float = WANTED) -> list[Row]:
    """Return for each test, effect and number of items the fewest participants that are enough.

    Enough means that power is at least as wanted there and at every larger number tried;
    ``sure`` says whether its interval lies above, too. Where there is no effect nothing is enough;
    of the verdicts the right one counts.
    """
    groups: dict[tuple, list[Mapping[str, Any]]] = {}
    for row in rows:
        if row["right"] or (row["right"] is None and row["truth"] != 0):
            key = (row["term"], row["put_in"], row["items"])
            groups.setdefault(key, []).append(row)
    found = []
    for (term, put_in, items), own in groups.items():
        own = sorted(own, key=lambda row: row["participants"])
        short = [place for place, row in enumerate(own) if row["power"] < wanted]
        first = short[-1] + 1 if short else 0
        enough = own[first] if first < len(own) else None
        found.append(
            {
                "term": term,
                "put_in": put_in,
                "truth": own[0]["truth"],
                "items": items,
                "participants": enough["participants"] if enough else None,
                "sure": bool(enough and enough["ci_low"] >= wanted),
                "largest_tried": own[-1]["participants"],
                "largest_power": own[-1]["power"],
            }
        )
    return found

"""Each person: in which arms, who understood the method, who was too fast, who was right."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

import pandas as pd

from analysis.studies.simulatability.trials import Predictions, test_rows
from stimuli.studies.simulatability.protocol import Simulatability, arm_of, cell_of

Row = dict[str, Any]

_NO: Final = ("false", "no", "0", "nein")


def person_rows(
    trials: pd.DataFrame,
    people: pd.DataFrame | None,
    predictions: Predictions,
    protocol: Simulatability,
) -> list[Row]:
    """Return everybody in the trial table and in the table of people, by code.

    Parameters
    ----------
    trials
        Of those who are analysed.
    people
        The table of people of the same purpose; None without one.
    predictions
        Of the trials.
    protocol
        Says who is too fast.

    Returns
    -------
    list of dict
        ``participant, robot, arms`` (a list of domain and method); ``understanding_right`` and
        ``qualified`` (as the table of people or else a column of the trials says; None if neither
        does); ``median_s`` of predictions and ``too_fast`` (None if
        not known); ``shown, answered`` (predictions), ``items`` (answered in both phases),
        ``pre, post`` (per cent right of these, None without one); ``left_out``: whether the second
        analysis leaves the person out.
    """
    tests = test_rows(trials)
    own_tests = dict(list(tests.groupby("participant")))
    own_pairs = dict(list(predictions.pairs.groupby("participant")))
    sessions = {} if people is None else dict(list(people.groupby("participant")))
    codes = sorted({*map(str, trials["participant"].unique()), *map(str, sessions)})
    return [
        _person(
            code,
            own_tests.get(code, tests.iloc[:0]),
            own_pairs.get(code, predictions.pairs.iloc[:0]),
            sessions.get(code),
            protocol.analysis.too_fast_s,
        )
        for code in codes
    ]


def _person(
    code: str,
    tests: pd.DataFrame,
    pairs: pd.DataFrame,
    sessions: pd.DataFrame | None,
    too_fast_s: float,
) -> Row:
    median = _median(tests, sessions)
    qualified = _told(sessions, "qualified")
    if qualified is None:
        qualified = _told(tests, "qualified")
    fast = None if median is None else median < too_fast_s
    right = None if sessions is None else sessions.get("understanding_right")
    known = pd.Series(dtype=float) if right is None else right.dropna()
    return {
        "participant": code,
        "robot": _robot(tests, sessions),
        "arms": _arms(tests, sessions),
        "understanding_right": int(known.iloc[-1]) if len(known) else None,
        "qualified": qualified,
        "median_s": median,
        "too_fast": fast,
        "shown": len(tests),
        "answered": int(tests["correct"].notna().sum()),
        "items": len(pairs),
        "pre": 100 * float(pairs["pre"].mean()) if len(pairs) else None,
        "post": 100 * float(pairs["post"].mean()) if len(pairs) else None,
        "left_out": qualified is False or bool(fast),
    }


def _arms(tests: pd.DataFrame, sessions: pd.DataFrame | None) -> list[str]:
    found = {arm_of(d, m) for d, m in zip(tests["domain"], tests["method"], strict=True)}
    if not found and sessions is not None and "arm" in sessions:
        found = set(sessions["arm"].dropna())
    return sorted(map(str, found))


def _told(rows: pd.DataFrame | None, name: str) -> bool | None:
    """Return whether all rows that tell it say yes; None where none does.

    A table from elsewhere may have the column; it is text there.
    """
    if rows is None or name not in rows:
        return None
    known = rows[name].dropna().astype(str).str.strip().str.casefold()
    known = known[known != ""]
    return bool(~known.isin(_NO).any()) if len(known) else None


def _median(tests: pd.DataFrame, sessions: pd.DataFrame | None) -> float | None:
    sources = [tests.get("rt_s")]
    if sessions is not None:
        sources.append(sessions.get("median_prediction_s"))
    for source in sources:
        known = None if source is None else source.dropna()
        if known is not None and len(known):
            return float(known.median())
    return None


def _robot(tests: pd.DataFrame, sessions: pd.DataFrame | None) -> str | None:
    for source in (tests, sessions):
        if source is not None and "robot" in source:
            names = source["robot"].dropna()
            if len(names):
                return str(names.iloc[0])
    return None


def arm_rows(people: Sequence[Row], predictions: Predictions) -> list[Row]:
    """Return for each arm who was enrolled, has predictions, and whom the second analysis drops.

    Returns
    -------
    list of dict
        ``domain, method``; ``participants``, ``with_items`` (with items answered in both phases),
        ``not_qualified``, ``too_fast``; ``shown, unanswered, single`` as of `Predictions.missing`.
    """
    missing = {(row["domain"], row["method"]): row for row in predictions.missing}
    arms = {tuple(cell_of(arm)) for row in people for arm in row["arms"]}
    return [
        {
            "domain": domain,
            "method": method,
            **_counts([row for row in people if arm_of(domain, method) in row["arms"]]),
            **{
                name: missing.get((domain, method), {}).get(name, 0)
                for name in ("shown", "unanswered", "single")
            },
        }
        for domain, method in _ordered(arms, predictions.methods)
    ]


def _counts(own: Sequence[Row]) -> dict[str, int]:
    return {
        "participants": len(own),
        "with_items": sum(row["items"] > 0 for row in own),
        "not_qualified": sum(row["qualified"] is False for row in own),
        "too_fast": sum(row["too_fast"] is True for row in own),
    }


def _ordered(arms: set[Any], methods: Sequence[str]) -> Iterator[tuple[str, str]]:
    place = {method: n for n, method in enumerate(methods)}
    domains = {"text": 0, "tabular": 1}
    yield from sorted(
        arms, key=lambda arm: (domains.get(arm[0], 2), place.get(arm[1], len(place)), arm[1])
    )

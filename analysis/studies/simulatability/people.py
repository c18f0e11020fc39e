"""Each person: in which arms, who understood the method, who was too fast, who was right."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Final

import pandas as pd

from analysis.questions.estimates import EstimateRow, Quantity, estimate_row
from analysis.report.about import about
from analysis.report.wording import grouped
from analysis.studies.simulatability.trials import ArmPredictions, Predictions, test_rows
from analysis.studies.simulatability.words import DOMAINS
from stimuli.studies.simulatability.protocol import Simulatability, arm_of, cell_of

_NO: Final = ("false", "no", "0", "nein")


@dataclass(frozen=True, slots=True)
class Person:
    """A participant of the trial table or of the table of people."""

    participant: Annotated[str, about("Code of the participant.")]
    robot: Annotated[str | None, about("Name of the response model; null for a person.")]
    arms: Annotated[list[str], about("Arms: domain and method.")]
    understanding_right: Annotated[
        int | None, about("Right answers about the method and the balance of items, if known.")
    ]
    qualified: Annotated[bool | None, about("Whether the participant qualified; null if unknown.")]
    median_s: Annotated[float | None, about("Median time for a prediction, seconds.")]
    too_fast: Annotated[bool | None, about("Whether that is too fast; null if unknown.")]
    shown: Annotated[int, about("Predictions that were asked for.")]
    answered: Annotated[int, about("Predictions with an answer.")]
    items: Annotated[int, about("Items that were answered in both phases.")]
    pre: Annotated[float | None, about("Right before explanations on these, per cent.")]
    post: Annotated[float | None, about("Right after explanations on these, per cent.")]
    left_out: Annotated[bool, about("Whether the second analysis leaves the participant out.")]


def _counted(name: str, heading: str, about: str, unit: str = "n") -> Quantity:
    return Quantity(name, heading, about, grouped, unit)


ENROLLED = _counted("participants_of_arm", "Participants", "Participants of an arm.")
WITH_ITEMS = _counted("with_items", "With items", "Those with items answered in both phases.")
NOT_QUALIFIED = _counted("not_qualified", "Not qualified", "Those who didn’t qualify.")
TOO_FAST = _counted("too_fast", "Too fast", "Those who were too fast.")
PREDICTIONS = _counted("predictions", "Predictions", "Predictions that were asked for.")
UNANSWERED = _counted("unanswered", "Unanswered", "Predictions without an answer.")
SINGLE = _counted("single", "In only one phase", "Items answered only in one phase.", "items")
OF_ARM: Final = (ENROLLED, WITH_ITEMS, NOT_QUALIFIED, TOO_FAST, PREDICTIONS, UNANSWERED, SINGLE)
"""Who took part in an arm, and which predictions are missing."""


def person_rows(
    trials: pd.DataFrame,
    people: pd.DataFrame | None,
    predictions: Predictions,
    protocol: Simulatability,
) -> tuple[Person, ...]:
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
    """
    tests = test_rows(trials)
    own_tests = dict(list(tests.groupby("participant")))
    own_pairs = dict(list(predictions.pairs.groupby("participant")))
    sessions = {} if people is None else dict(list(people.groupby("participant")))
    codes = sorted({*map(str, trials["participant"].unique()), *map(str, sessions)})
    return tuple(
        _person(
            code,
            own_tests.get(code, tests.iloc[:0]),
            own_pairs.get(code, predictions.pairs.iloc[:0]),
            sessions.get(code),
            protocol.analysis.too_fast_s,
        )
        for code in codes
    )


def _person(
    code: str,
    tests: pd.DataFrame,
    pairs: pd.DataFrame,
    sessions: pd.DataFrame | None,
    too_fast_s: float,
) -> Person:
    median = _median(tests, sessions)
    qualified = _all_yes(sessions, "qualified")
    if qualified is None:
        qualified = _all_yes(tests, "qualified")
    fast = None if median is None else median < too_fast_s
    right = None if sessions is None else sessions.get("understanding_right")
    known = pd.Series(dtype=float) if right is None else right.dropna()
    return Person(
        participant=code,
        robot=_robot(tests, sessions),
        arms=_arms(tests, sessions),
        understanding_right=int(known.iloc[-1]) if len(known) else None,
        qualified=qualified,
        median_s=median,
        too_fast=fast,
        shown=len(tests),
        answered=int(tests["correct"].notna().sum()),
        items=len(pairs),
        pre=100 * float(pairs["pre"].mean()) if len(pairs) else None,
        post=100 * float(pairs["post"].mean()) if len(pairs) else None,
        left_out=qualified is False or bool(fast),
    )


def _arms(tests: pd.DataFrame, sessions: pd.DataFrame | None) -> list[str]:
    arms = {arm_of(d, m) for d, m in zip(tests["domain"], tests["method"], strict=True)}
    if not arms and sessions is not None and "arm" in sessions:
        arms = set(sessions["arm"].dropna())
    return sorted(map(str, arms))


def _all_yes(rows: pd.DataFrame | None, name: str) -> bool | None:
    """Return whether all rows with a value say yes; None if no row has one.

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


def arm_rows(people: Sequence[Person], predictions: Predictions) -> Iterator[EstimateRow]:
    """Yield for each arm who was enrolled, has predictions, and whom the second analysis drops."""
    missing = {(row.domain, row.method): row for row in predictions.missing}
    arms = {cell_of(arm) for row in people for arm in row.arms}
    for domain, method in _ordered(arms, predictions.methods):
        enrolled = [row for row in people if arm_of(domain, method) in row.arms]
        asked = missing.get((domain, method), ArmPredictions(domain, method))
        counts = (
            len(enrolled),
            sum(row.items > 0 for row in enrolled),
            sum(row.qualified is False for row in enrolled),
            sum(row.too_fast is True for row in enrolled),
            asked.shown,
            asked.unanswered,
            asked.single,
        )
        for quantity, count in zip(OF_ARM, counts, strict=True):
            yield estimate_row(quantity, {"domain": domain, "method": method}, count)


def _ordered(arms: Iterable[tuple[str, str]], methods: Sequence[str]) -> list[tuple[str, str]]:
    place = {method: n for n, method in enumerate(methods)}
    domains = {domain: n for n, domain in enumerate(DOMAINS)}
    return sorted(
        arms,
        key=lambda arm: (domains.get(arm[0], len(domains)), place.get(arm[1], len(place)), arm[1]),
    )

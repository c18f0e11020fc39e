"""From the trial table to predictions: which count, and which were made in both phases."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import pandas as pd

from analysis.report.wording import count, were
from analysis.statistics.bootstrap import Units
from analysis.studies.simulatability.words import (
    ALL,
    COUNTERFACTUAL,
    DOMAINS,
    LEARNING,
    POST,
    PRE,
    TESTS,
)
from stimuli.errors import UserError
from stimuli.studies.simulatability.protocol import PUBLISHED_METHODS, Simulatability

Array = np.ndarray
Condition = tuple[str, str]
"""A domain and a test; ``all`` stands for both."""
BOTH: Final[Condition] = (ALL, ALL)

MODEL_RIGHT: Final = ("true", "right")
"""Outcomes begin with this if the model is right."""
EARLIER: Final = "earlier"
RATING_STEPS: Final = 7
CONFIDENCE_STEPS: Final = 4
_ITEM: Final = ["participant", "domain", "test", "item", "method", "first_test"]


@dataclass(frozen=True, slots=True)
class ArmPredictions:
    """How many predictions an arm was asked for, and which can't be used.

    Attributes
    ----------
    domain, method
        The arm.
    shown
        Predictions that were asked for.
    unanswered
        Predictions without an answer.
    single
        Items that were answered in one phase alone.
    """

    domain: str
    method: str
    shown: int = 0
    unanswered: int = 0
    single: int = 0


@dataclass(frozen=True, slots=True)
class Predictions:
    """Items that somebody predicted in both phases, and explanations that somebody rated.

    Attributes
    ----------
    pairs
        One row for each person and item: ``participant, domain, test, item, method, first_test``
        (text; an item's name holds its domain and test), ``pre, post`` (1 where the prediction was
        right, else 0). ``first_test`` is empty if it isn't known, and ``earlier`` if the person
        had had both tests with another method.
    ratings
        One row for each rated explanation: the same, ``phase`` is post; ``rating`` (1…7),
        ``correct`` (of the prediction that followed; NaN for an example), ``model_right`` (1, 0;
        NaN if it isn't known).
    sure
        One row for each prediction with a confidence rating: the first five, ``phase``,
        ``confidence`` (1…4), ``correct``.
    methods
        The methods of `pairs`, the reference first.
    reference
        The method whose Change is subtracted from the others'; None if nobody had it, or if nobody
        had anything else.
    missing
        How many predictions are missing, by arm.
    notes
        What was decided about odd rows, one sentence each.
    """

    pairs: pd.DataFrame
    ratings: pd.DataFrame
    sure: pd.DataFrame
    methods: tuple[str, ...]
    reference: str | None
    missing: tuple[ArmPredictions, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def participants(self) -> int:
        """Number of participants with pairs."""
        return int(self.pairs["participant"].nunique())

    @property
    def domains(self) -> tuple[str, ...]:
        """Domains with pairs, in the protocol's order."""
        there = set(self.pairs["domain"])
        return tuple(domain for domain in DOMAINS if domain in there)

    @property
    def tests(self) -> tuple[str, ...]:
        """Tests with pairs."""
        there = set(self.pairs["test"])
        return tuple(test for test in TESTS if test in there)

    def of(self, people: Sequence[str]) -> "Predictions":
        """Return what some people predicted and rated."""
        kept = [part[part["participant"].isin(people)].reset_index(drop=True)
                for part in (self.pairs, self.ratings, self.sure)]  # fmt: skip
        return replace(self, pairs=kept[0], ratings=kept[1], sure=kept[2])._narrowed()

    def domain(self, name: str) -> "Predictions":
        """Return the pairs of one domain, with its own methods."""
        return self._where(self.pairs["domain"] == name)

    def test(self, name: str) -> "Predictions":
        """Return the pairs of one test."""
        return self._where(self.pairs["test"] == name)

    def first(self) -> "Predictions":
        """Return the pairs of the test that their person took first, where that is known."""
        return self._where(self.pairs["first_test"] == self.pairs["test"])

    def second(self) -> "Predictions":
        """Return all pairs but those of the test that their person took first."""
        return self._where(self.pairs["first_test"] != self.pairs["test"])

    def _where(self, mask: pd.Series) -> "Predictions":
        return replace(self, pairs=self.pairs[mask].reset_index(drop=True))._narrowed()

    def _narrowed(self) -> "Predictions":
        left = set(self.pairs["method"])
        methods = tuple(method for method in self.methods if method in left)
        there = self.reference in left and len(left) > 1
        return replace(self, methods=methods, reference=self.reference if there else None)


def inside(frame: pd.DataFrame, domain: str, test: str) -> Array:
    """Return (n,) whether a row is of a domain and a test; ``all`` stands for both."""
    chosen = np.ones(len(frame), dtype=bool)
    for name, value in (("domain", domain), ("test", test)):
        if value != ALL:
            chosen &= (frame[name] == value).to_numpy()
    return chosen


def conditions(predictions: Predictions) -> list[Condition]:
    """Return the domains and tests that have rows of their own.

    Each domain (the paper's Table 1), each test (Table 2), and each test of each domain; ``all``
    only if there are two.
    """
    domains, tests = predictions.domains, predictions.tests
    both_tests = [ALL] if len(tests) > 1 else []
    both_domains = [ALL] if len(domains) > 1 else []
    return [
        *((domain, test) for domain in domains for test in (*both_tests, *tests)),
        *((domain, test) for domain in both_domains for test in tests),
    ]


def units_of(frame: pd.DataFrame) -> Units:
    """Return participant and item of each row."""
    return Units.of(frame["participant"], frame["item"])


def test_rows(trials: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of predictions: neither examples nor anything else."""
    return trials[trials["use"].isin(TESTS)]


def read_predictions(trials: pd.DataFrame, protocol: Simulatability) -> Predictions:
    """Return what people predicted and rated.

    Parameters
    ----------
    trials
        Trial table; the columns of `columns.OUTSIDE` must be there. ``rating``, ``confidence`` and
        ``outcome`` are used if present.
    protocol
        Gives the order of methods and the reference.

    Raises
    ------
    UserError
        If a rating or a confidence isn't a step of its scale.
    """
    named = _named(trials, protocol)
    _refuse_off_scale(named, "rating", RATING_STEPS)
    _refuse_off_scale(named, "confidence", CONFIDENCE_STEPS)
    tests, notes = _once(named[named["use"].isin(TESTS)])
    answered = tests[tests["correct"].notna()]
    wide = answered.pivot(index=_ITEM, columns="phase", values="correct")
    wide = wide.reindex(columns=[PRE, POST])
    whole = wide[wide.notna().all(axis=1)].astype(float)
    pairs = whole.reset_index().rename_axis(columns=None)
    methods, reference = _methods(pairs["method"].unique(), protocol)
    single = len(wide) - len(whole)
    if single:
        notes.append(
            f"{count(single, 'item')} answered in only one phase {were(single)} left out: Change "
            "takes items that the same person answered in both."
        )
    return Predictions(
        pairs,
        _ratings(named),
        _sure(answered),
        methods,
        reference,
        tuple(_missing(tests, wide)),
        tuple(notes),
    )


def _refuse_off_scale(named: pd.DataFrame, column: str, steps: int) -> None:
    """Refuse values that aren't a step of a scale, in one line."""
    known = named[named[column].notna()]
    off = known[~known[column].isin(range(1, steps + 1))]
    if len(off):
        first = off.iloc[0]
        more = f" ({count(len(off), 'row')} in all)" if len(off) > 1 else ""
        raise UserError(
            f"{column}: {first[column]:g} of participant {first['participant']}, item "
            f"{first['item']}, isn't a step of the scale from 1 to {steps}{more}; correct the "
            "table, or leave the cell empty"
        )


def _named(trials: pd.DataFrame, protocol: Simulatability) -> pd.DataFrame:
    """Return the table with the columns that are used, items named so that no two share a name."""
    domain, use, item = (trials[name].astype(str) for name in ("domain", "use", "item"))
    frame = pd.DataFrame(
        {
            "participant": trials["participant"].astype(str),
            "domain": domain,
            "use": use,
            "test": use,
            # The same source id occurs in several sets: 109 is a text and a row of a table.
            "item": domain + ":" + use + ":" + item,
            "method": trials["method"].astype(str),
            "phase": trials["phase"].astype(str),
            "first_test": _first_test(trials, protocol),
            "correct": _number(trials, "correct"),
            "rating": _number(trials, "rating"),
            "confidence": _number(trials, "confidence"),
            "model_right": _model_right(trials),
        }
    )
    return frame.reset_index(drop=True)


def _first_test(trials: pd.DataFrame, protocol: Simulatability) -> pd.Series | str:
    """Return the test that each row's person took first: the table's, or else the protocol's."""
    if "first_test" in trials:
        first = trials["first_test"].astype(object).fillna("").astype(str)
        return first.mask(_number(trials, "test_number") > 1, EARLIER)
    there = set(trials["use"].astype(str)) & set(TESTS)
    orders = protocol.design.orders
    return there.pop() if len(there) == 1 else orders[0][0] if len(orders) == 1 else ""


def _once(tests: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """Return one row for each person, item and phase: the first with an answer."""
    keys = [*_ITEM, "phase"]
    ordered = tests.assign(silent=tests["correct"].isna()).sort_values("silent", kind="stable")
    kept = ordered.drop_duplicates(keys).sort_index().drop(columns="silent")
    dropped = len(tests) - len(kept)
    if not dropped:
        return kept, []
    rows = count(dropped, "row")
    return kept, [f"{rows} repeat an item of the same person and phase; the first answer counts."]


def _methods(names: Sequence[str], protocol: Simulatability) -> tuple[tuple[str, ...], str | None]:
    known = [*protocol.design.methods, *PUBLISHED_METHODS]
    place = {method: n for n, method in reversed(list(enumerate(known)))}
    methods = sorted(map(str, names), key=lambda method: (place.get(method, len(known)), method))
    reference = protocol.analysis.reference_method
    if reference not in methods:
        return tuple(methods), None
    methods.sort(key=lambda method: method != reference)
    return tuple(methods), reference if len(methods) > 1 else None


def _ratings(named: pd.DataFrame) -> pd.DataFrame:
    rated = named["use"].eq(LEARNING) | (named["use"].eq(COUNTERFACTUAL) & named["phase"].eq(POST))
    return named[rated & named["rating"].notna()].reset_index(drop=True)


def _sure(answered: pd.DataFrame) -> pd.DataFrame:
    return answered[answered["confidence"].notna()].reset_index(drop=True)


def _missing(tests: pd.DataFrame, wide: pd.DataFrame) -> Iterator[ArmPredictions]:
    single = wide[wide.notna().sum(axis=1) == 1].reset_index()
    for (domain, method), group in tests.groupby(["domain", "method"], sort=True):
        alone = (single["domain"] == domain) & (single["method"] == method)
        yield ArmPredictions(
            str(domain),
            str(method),
            shown=len(group),
            unanswered=int(group["correct"].isna().sum()),
            single=int(alone.sum()),
        )


def _model_right(trials: pd.DataFrame) -> Array:
    """Return 1 where the model is right about the unchanged input, 0 where wrong, else NaN."""
    if "outcome" in trials:
        outcome = trials["outcome"].astype(object)
        known = outcome.notna().to_numpy()
        right = outcome.fillna("").astype(str).str.startswith(MODEL_RIGHT).to_numpy(dtype=float)
        return np.where(known, right, np.nan)
    if {"true_label", "original_output"} <= set(trials):
        same = trials["true_label"].astype(str) == trials["original_output"].astype(str)
        known = trials["true_label"].notna() & trials["original_output"].notna()
        return np.where(known, same.astype(float), np.nan)
    return np.full(len(trials), np.nan)


def _number(trials: pd.DataFrame, name: str) -> Array:
    if name not in trials:
        return np.full(len(trials), np.nan)
    column = trials[name]
    if column.dtype == object:
        column = column.map({True: 1.0, False: 0.0, None: np.nan})
    return column.astype("Float64").to_numpy(dtype=float, na_value=np.nan)

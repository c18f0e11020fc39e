"""What methods add in each test, as means over participants and items, with two-way intervals.

Estimates are in percentage points.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import pandas as pd

from analysis.questions.cells import Cells, Weights
from analysis.questions.estimates import AGAINST, Contrast, EstimateRow, Quantity, family
from analysis.report.deciding import MEANS
from analysis.statistics.bootstrap import Resampling
from analysis.statistics.estimate import Ends
from analysis.studies.simulatability.quantities import (
    AFTER,
    BEFORE,
    CHANGE_POINTS,
    DIFFERENCE,
    POOLED,
)
from analysis.studies.simulatability.trials import Predictions
from analysis.studies.simulatability.words import FORWARD, POST, PRE

CHANGE: Final = "change"
POINTS: Final[Mapping[str, Ends]] = {
    CHANGE: (-100.0, 100.0), PRE: (0.0, 100.0), POST: (0.0, 100.0),
}  # fmt: skip
"""The least and the most that each value of an answer can be, percentage points."""


def measured(of_test: Predictions) -> Quantity:
    """Return what decides about the methods in one test of one domain.

    Accuracy before explanations is compared with that after them only if nothing was explained
    before it: then it isn't a result of the arm. So it is Change less that of the reference in the
    forward test, if everybody took it first. Otherwise it is accuracy after explanations less that
    of the reference. Without a reference it is Change.
    """
    if of_test.reference is None:
        return CHANGE_POINTS
    return DIFFERENCE if of_test.tests == (FORWARD,) and of_test.second().pairs.empty else AFTER


def method_means(predictions: Predictions, plan: Resampling) -> tuple[EstimateRow, ...]:
    """Return, by domain and test, Change of each method, and its differences to the reference.

    Every item that a person predicted in both phases counts once. People and items stand for
    others.

    Parameters
    ----------
    predictions
        Who predicted what.
    plan
        Whether intervals are two-way ones or come from replicates.
    """
    return tuple(
        row
        for of_domain in map(predictions.domain, predictions.domains)
        for test in of_domain.tests
        for row in _of_test(of_domain.test(test), plan)
    )


def _of_test(of_test: Predictions, plan: Resampling) -> Iterator[EstimateRow]:
    """Yield the rows of one test of one domain."""
    of = {"domain": of_test.domains[0], "test": of_test.tests[0], "by": MEANS}
    change = cells_of(of_test.pairs, CHANGE, of, of_test.methods, plan)
    yield from family(change.tested(CHANGE_POINTS))
    if of_test.reference is None:
        return
    after = cells_of(of_test.pairs, POST, of, of_test.methods, plan)
    yield from _less_reference(of_test, DIFFERENCE, change)
    yield from _less_reference(of_test, AFTER, after)
    late = of_test.second()
    if late.reference:
        before = cells_of(late.pairs, PRE, of, late.methods, plan)
        yield from _less_reference(late, BEFORE, before)
    others = of_test.methods[1:]
    shares = {name: 1 / len(others) for name in others} | {of_test.reference: -1.0}
    weights: Weights = {(*of.values(), name): weight for name, weight in shares.items()}
    cells = change if measured(of_test) is DIFFERENCE else after
    yield Contrast(POOLED, of | {AGAINST: of_test.reference}, cells.estimate(weights)).row()


def _less_reference(
    of_test: Predictions, quantity: Quantity, cells: Cells
) -> Sequence[EstimateRow]:
    """Return each method less the reference; one family."""
    pairs = [(name, str(of_test.reference)) for name in of_test.methods[1:]]
    return family(cells.contrasts(quantity, "method", pairs))


def cells_of(
    pairs: pd.DataFrame, value: str, of: Mapping[str, str], methods: Sequence[str], plan: Resampling
) -> Cells:
    """Return Change, or accuracy before or after explanations, by method.

    Parameters
    ----------
    pairs
        As in `Predictions.pairs`.
    value
        ``change``, ``pre`` or ``post``.
    of
        What all of them are called, by factor.
    methods
        The methods that they have.
    plan
        Whether intervals are two-way ones or come from replicates.
    """
    points = pairs["post"] - pairs["pre"] if value == CHANGE else pairs[value]
    frame = pairs.assign(**of, points=100 * points).reset_index(drop=True)
    factors = {name: (level,) for name, level in of.items()} | {"method": methods}
    return Cells.of(frame, "points", factors, plan, POINTS[value])


def design_freedom(pairs: pd.DataFrame) -> float:
    """Return the most degrees of freedom that people of these methods and their items give.

    People less their methods, or items less one if these are fewer; with one person or one item,
    those of the other factor.
    """
    people = pairs["participant"].nunique() - pairs["method"].nunique()
    known = [left for left in (people, pairs["item"].nunique() - 1) if left > 0]
    return float(min(known, default=0))

"""Change as plain means over participants and items, with design-based two-way intervals.

Estimates are in percentage points.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import pandas as pd

from analysis.questions.cells import Cells, Weights
from analysis.questions.estimates import AGAINST, Contrast, EstimateRow, family
from analysis.report.deciding import MEANS
from analysis.statistics.bootstrap import Resampling
from analysis.statistics.estimate import Ends
from analysis.studies.simulatability.quantities import CHANGE_POINTS, DIFFERENCE, POOLED
from analysis.studies.simulatability.trials import Predictions, conditions, inside

POINTS: Final[Ends] = (-100.0, 100.0)
"""The least and the most that Change of an answer can be, percentage points."""


def change_means(predictions: Predictions, plan: Resampling) -> tuple[EstimateRow, ...]:
    """Return Change of each method as a plain mean, and its difference to the reference's.

    Every item that a person predicted in both phases counts once. People and items stand for
    others; the same person in two domains or tests is one participant.

    Parameters
    ----------
    predictions
        Who predicted what.
    plan
        Whether intervals are two-way ones or come from replicates.
    """
    return tuple(
        row
        for domain, test in conditions(predictions)
        for row in _of_condition(predictions, domain, test, plan)
    )


def _of_condition(
    predictions: Predictions, domain: str, test: str, plan: Resampling
) -> Iterator[EstimateRow]:
    pairs = predictions.pairs[inside(predictions.pairs, domain, test)]
    methods = [name for name in predictions.methods if (pairs["method"] == name).any()]
    of = {"domain": domain, "test": test, "by": MEANS}
    cells = change_cells(pairs, of, methods, plan)
    yield from family(cells.tested(CHANGE_POINTS))
    reference = predictions.reference
    if reference not in methods or len(methods) < 2:
        return
    others = [name for name in methods if name != reference]
    yield from family(cells.contrasts(DIFFERENCE, "method", [(name, reference) for name in others]))
    shares = {name: 1 / len(others) for name in others} | {reference: -1.0}
    weights: Weights = {(*of.values(), name): weight for name, weight in shares.items()}
    together = Contrast(POOLED, of | {AGAINST: reference}, cells.estimate(weights))
    yield together.row()


def change_cells(
    pairs: pd.DataFrame, of: Mapping[str, str], methods: Sequence[str], plan: Resampling
) -> Cells:
    """Return Change by method in some pairs of predictions.

    Parameters
    ----------
    pairs
        As in `Predictions.pairs`.
    of
        What all of them are called, by factor.
    methods
        The methods that they have.
    plan
        Whether intervals are two-way ones or come from replicates.
    """
    moved = pairs.assign(**of, change_points=100 * (pairs["post"] - pairs["pre"]))
    factors = {name: (level,) for name, level in of.items()} | {"method": methods}
    return Cells.of(moved.reset_index(drop=True), "change_points", factors, plan, POINTS)


def design_freedom(pairs: pd.DataFrame) -> float:
    """Return the most degrees of freedom that people of these methods and their items give.

    People less their methods, or items less one if these are fewer; with one person or one item,
    those of the other factor.
    """
    people = pairs["participant"].nunique() - pairs["method"].nunique()
    known = [left for left in (people, pairs["item"].nunique() - 1) if left > 0]
    return float(min(known, default=0))

"""Means of cells and differences of levels, by means over people and items and by the model."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Final

import numpy as np
import pandas as pd

from analysis.mixed import MixedResult, marginal_probabilities
from analysis.mixed.result import Outcome, first_sound
from analysis.questions.cells import Cells, Key
from analysis.questions.estimates import AGAINST, Contrast, EstimateRow, estimate_row
from analysis.report.deciding import MEANS, MODEL
from analysis.report.model import level_code
from analysis.statistics.bootstrap import Resampling
from analysis.statistics.estimate import NOTHING
from analysis.table_study.measures import Value
from stimuli.table_study.protocol import PlannedTest, TableStudy
from stimuli.table_study.tables import BETWEEN

BY: Final = "by"
LOGGED: Final = ("estimate", "ci_low", "ci_high", "adjusted_low", "adjusted_high")


def cells_of(value: Value, frame: pd.DataFrame, by: Mapping[str, Sequence[str]],
             plan: Resampling) -> Cells:  # fmt: skip
    """Return a measure's cells by the levels of some factors."""
    return Cells.of(value.rows(frame), "value", by, plan, value.ends)


def mean_rows(cells: Cells, value: Value, **of: str) -> tuple[EstimateRow, ...]:
    """Return the mean of each cell that has answers; ``of`` names them beside the levels."""
    rows = cells.rows(value.kind.mean)
    return tuple(in_units(replace(row, of=of | row.of), value) for row in rows)


def difference(
    value: Value, test: PlannedTest, frame: pd.DataFrame, protocol: TableStudy, plan: Resampling
) -> Contrast:
    """Return the difference that a test is about, averaged over the other factors' levels.

    Each combination of their levels counts equally, so that an unequal number of trials in one of
    them doesn't decide. Without a factor it is the mean less what chance gives. It isn't known
    where no combination has answers at both levels.
    """
    if not test.factor:
        return _over_chance(value, frame, plan)
    others = {
        name: factor.levels for name, factor in protocol.factors.items() if name != test.factor
    }
    rows = value.rows(frame)
    cells = Cells.of(rows, "value", {test.factor: test.levels, **others}, plan, value.ends)
    both = [
        rest
        for rest in product(*others.values())
        if all(cells.counts[(level, *rest)].n for level in test.levels)
    ]
    weights: dict[Key, float] = {
        (level, *rest): sign / len(both)
        for level, sign in zip(test.levels, (1.0, -1.0), strict=True)
        for rest in both
    }
    of = {test.factor: test.levels[0], AGAINST: test.levels[1], BY: MEANS}
    estimate = cells.estimate(weights) if both else NOTHING
    return Contrast(value.kind.difference, of, estimate, cells.n(weights))


def _over_chance(value: Value, frame: pd.DataFrame, plan: Resampling) -> Contrast:
    rows = value.rows(frame)
    chance = chances(rows)
    ends = (-float(chance.max()), 1 - float(chance.min()))
    cells = Cells.of(rows.assign(value=rows["value"] - chance), "value", {}, plan, ends)
    return Contrast(value.kind.difference, {BY: MEANS}, cells.estimate({(): 1.0}), len(rows))


def chances(rows: pd.DataFrame) -> pd.Series:
    """Return how often chance takes one of each trial's answers."""
    return 1 / rows["answers"].map(lambda answers: len(str(answers).split(BETWEEN)))


def in_units(row: EstimateRow, value: Value) -> EstimateRow:
    """Return a row of log times as times or ratios; any other row as it is."""
    if not value.kind.is_time:
        return row
    logs = {name: getattr(row, name) for name in LOGGED}
    times = {name: None if log is None else float(np.exp(log)) for name, log in logs.items()}
    return replace(row, **times, se=None)


def formula_of(protocol: TableStudy, factor: str) -> str:
    """Return the model of a test in lme4's notation; ``value`` is what is measured."""
    others = [name for name in protocol.factors if name != factor]
    if not factor:
        return f"value ~ {' + '.join(others) or '1'} + (1 | participant) + (1 | item)"
    slopes = "1" if factor in protocol.of("between") else f"1 + {factor}"
    fixed = " + ".join([factor, *others])
    return f"value ~ {fixed} + ({slopes} | participant) + (1 + {factor} | item)"


def fitted(value: Value, test: PlannedTest, frame: pd.DataFrame, protocol: TableStudy) -> Outcome:
    """Return the mixed model of a test, simplified aloud where the data can't carry it."""
    formula = formula_of(protocol, test.factor)
    fixed = formula.partition(" + (")[0]
    plain = f"{fixed} + (1 | participant) + (1 | item)"
    simpler = [
        (plain, "With random slopes no fit was sound; they were left out."),
        (f"{fixed} + (1 | participant)",
         "With effects of items no fit was sound; random slopes and they were left out."),
    ]  # fmt: skip
    rows = _coded(value, test, frame, protocol)
    alike = next((name for name in protocol.factors if rows[name].nunique() < 2), "")
    if alike or rows["participant"].nunique() < 2:
        what = f"levels of {alike}" if alike else "participants"
        return Outcome(formula, None, f"it needs answers of two {what}")
    return first_sound(value.kind.fit, formula, rows, simpler)


def _coded(
    value: Value, test: PlannedTest, frame: pd.DataFrame, protocol: TableStudy
) -> pd.DataFrame:
    """Return the trials as the model takes them: a test's second level is the base level."""
    rows = value.rows(frame)
    columns = {
        name: [level_code(str(level), _base(protocol, test, name)) for level in rows[name]]
        for name in protocol.factors
    }
    units = {name: rows[name].astype(str) for name in ("participant", "item")}
    return pd.DataFrame({"value": rows["value"], **units, **columns})


def _base(protocol: TableStudy, test: PlannedTest, factor: str) -> str:
    return test.levels[1] if factor == test.factor else protocol.factors[factor].levels[0]


def model_difference(
    outcome: Outcome, value: Value, test: PlannedTest, frame: pd.DataFrame, protocol: TableStudy
) -> EstimateRow | None:
    """Return a test's difference by the model, averaged over people and items, or None."""
    if outcome.sound is None:
        return None
    there = _coded(value, test, frame, protocol)
    names = [name for name in protocol.factors if name != test.factor]
    rest = there[names].drop_duplicates() if names else pd.DataFrame(index=[0])
    if not test.factor:
        return _model_over_chance(outcome.sound, value, rest, value.rows(frame))
    settings = [
        rest.assign(**{test.factor: level_code(level, _base(protocol, test, test.factor))})
        for level in test.levels
    ]
    by_model = marginal_probabilities(outcome.sound, settings).contrast(np.array([1.0, -1.0]))
    of = {test.factor: test.levels[0], AGAINST: test.levels[1], BY: MODEL}
    row = estimate_row(
        value.kind.difference, of, None, len(there), df=_finite(by_model.df), p=by_model.p
    )
    row = replace(row, estimate=by_model.estimate, ci_low=by_model.ci_low, ci_high=by_model.ci_high)
    return in_units(row, value)


def _model_over_chance(
    sound: MixedResult, value: Value, rest: pd.DataFrame, rows: pd.DataFrame
) -> EstimateRow:
    average = marginal_probabilities(sound, [rest]).probability(0)
    chance = float(chances(rows).mean())
    estimate, low, high = (
        end - chance for end in (average.estimate, average.ci_low, average.ci_high)
    )
    row = estimate_row(value.kind.difference, {BY: MODEL}, estimate, len(rows))
    return replace(row, ci_low=low, ci_high=high)


def _finite(df: float) -> float | None:
    return df if np.isfinite(df) else None

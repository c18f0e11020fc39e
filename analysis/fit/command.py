"""What the verb ``fit`` does."""

from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd

from analysis.fit.table import read_any_table
from analysis.mixed.compare import Comparison, compare
from analysis.mixed.contrasts import Margins, margins
from analysis.mixed.design import build_design
from analysis.mixed.estimation import Method
from analysis.mixed.families import FAMILIES
from analysis.mixed.fit import check_effects, fit_design
from analysis.mixed.parametric import Replicates, parametric_bootstrap
from analysis.mixed.result import MixedResult, NotEstimableError
from stimuli.errors import UserError
from stimuli.workers import Workers

ROW = "row"
"""Name of the grouping factor that `row_effect` adds."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What ``fit`` is asked for.

    Attributes
    ----------
    formula, trials, family
        Model and table.
    method
        How it is estimated and tested.
    weights, offset
        Columns; None for none.
    row_effect
        Whether every row has a random effect of its own.
    margins
        Terms to average over.
    against
        Another model's formula, for a likelihood-ratio test.
    bootstrap
        Replicates of the parametric bootstrap; 0 for none.
    workers
        Where they are fitted.
    """

    formula: str
    trials: Path
    family: str = "gaussian"
    method: Method = field(default_factory=Method)
    weights: str | None = None
    offset: str | None = None
    row_effect: bool = False
    margins: tuple[str, ...] = ()
    against: str | None = None
    bootstrap: int = 0
    workers: Workers = field(default_factory=Workers)


@dataclass(frozen=True, slots=True)
class Answer:
    """What was asked for: fit, averages by term, a test, a bootstrap."""

    result: MixedResult
    margins: tuple[Margins, ...]
    comparison: Comparison | None
    replicates: Replicates | None


def run_fit(asked: Asked) -> Answer:
    """Fit a model to a table.

    Raises
    ------
    UserError
        If family, formula, table or options are unsuited, or nothing can be estimated.
    """
    family, method = asked.family, asked.method
    if family not in FAMILIES:
        raise UserError(f"--family {family}: there are {', '.join(FAMILIES)}")
    if family != "gaussian" and not method.restricted:
        raise UserError(f"--ml goes with gaussian; {family} models are always fitted by it")
    frame, more = _completed(asked, read_any_table(asked.trials))
    formula = asked.formula + more
    try:
        design = build_design(formula, frame, family, weights=asked.weights)
        check_effects(design, family)
        result = fit_design(design, family, method)
        averages = tuple(margins(result, term) for term in dict.fromkeys(asked.margins))
        test = None
        if asked.against is not None:
            test = compare(formula, asked.against + more, frame, family, method, asked.weights)
        drawn = None
        if asked.bootstrap:
            drawn = parametric_bootstrap(result, method, asked.bootstrap, asked.workers)
    except NotEstimableError as reason:
        raise UserError(f"{asked.trials}: the model can't be fitted: {reason}") from None
    return Answer(result, averages, test, drawn)


def _completed(asked: Asked, frame: pd.DataFrame) -> tuple[pd.DataFrame, str]:
    """Return the table, and what the options add to a formula."""
    more = ""
    if asked.offset is not None:
        if asked.offset not in frame:
            raise UserError(f"--offset {asked.offset}: the table has no such column")
        more += f" + offset(`{asked.offset}`)"
    if asked.row_effect:
        if asked.family == "gaussian":
            raise UserError("--row-effect: a gaussian model has one, its residual")
        if ROW in frame:
            raise UserError(f"--row-effect: the table has a column {ROW}; give it another name")
        frame = frame.assign(**{ROW: range(1, len(frame) + 1)})
        more += f" + (1 | {ROW})"
    return frame, more

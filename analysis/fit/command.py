"""What the verb ``fit`` does."""

from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from analysis.fit.asked import FitRequest
from analysis.fit.rows import residual_tables
from analysis.fit.table import read_any_table
from analysis.mixed.compare import Comparison, compare
from analysis.mixed.contrasts import Margins, margins
from analysis.mixed.design import Reading, build_design
from analysis.mixed.estimation import Method
from analysis.mixed.families import FAMILIES, LINK_UNITS
from analysis.mixed.fit import check_effects, fit_design
from analysis.mixed.parametric import Replicates, parametric_bootstrap
from analysis.mixed.refit import refit_files
from analysis.mixed.result import MixedResult, NotEstimableError
from stimuli.errors import UserError
from stimuli.io.files import make_private_folder, write_whole
from stimuli.workers import Workers

ROW = "row"
"""Name of the grouping factor that `row_effect` adds."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What was asked for: fit, averages by term, a test, a bootstrap."""

    result: MixedResult
    margins: tuple[Margins, ...]
    comparison: Comparison | None
    replicates: Replicates | None


def run_fit(request: FitRequest) -> Answer:
    """Fit a model to a table.

    Raises
    ------
    UserError
        If family, formula, table or options are unsuited, or nothing can be estimated.
    """
    family = request.family
    method = Method(not request.ml, request.inference, request.quadrature, request.penalty)
    if family not in FAMILIES:
        raise UserError(f"--family {family}: there are {', '.join(FAMILIES)}")
    if family != "gaussian" and not method.restricted:
        raise UserError(f"--ml goes with gaussian; {family} models are always fitted by it")
    if request.out is not None:
        _check_new(request.out)
    reading = Reading(request.weights, _levels(request))
    frame, more = _completed(request, read_any_table(request.trials))
    formula = request.formula + more
    terms = dict.fromkeys((*request.margins, *request.contrasts))
    try:
        design = build_design(formula, frame, family, reading)
        check_effects(design, family)
        result = fit_design(design, family, method)
        averages = tuple(margins(result, term) for term in terms)
        test = None
        if request.against is not None:
            test = compare(formula, request.against + more, frame, family, method, reading)
        drawn = None
        if request.bootstrap:
            drawn = parametric_bootstrap(
                result, method, request.bootstrap, Workers(request.workers)
            )
    except NotEstimableError as reason:
        raise UserError(f"{request.trials}: the model can't be fitted: {reason}") from None
    if request.out is not None:
        write_rows(request.out, result, request.weights)
    return Answer(result, averages, test, drawn)


def write_rows(out: Path, result: MixedResult, weights: str | None = None) -> None:
    """Write what a model says of every row and level, its figures, and files that R fits again.

    Raises
    ------
    UserError
        If the folder isn't empty or can't be written, or the fit isn't sound.
    """
    from analysis.fit.plots import figures

    if not result.converged:
        raise UserError("--out: the fit isn't sound, so no predictions are given; see the notes")
    tables = residual_tables(result)
    try:
        make_private_folder(out)
        for name, table in tables.items():
            if len(table):
                write_whole(out / f"{name}.csv", table.to_csv(index=False).encode())
        for name, text in refit_files(result, weights).items():
            write_whole(out / name, text.encode())
        for name, figure in figures(tables, LINK_UNITS.get(result.family, "")):
            figure.savefig(out / f"{name}.png", dpi=150)
    except OSError as error:
        raise UserError(f"--out {out}: can't be written ({error.strerror})") from None


def _check_new(out: Path) -> None:
    try:
        if out.exists() and (not out.is_dir() or any(out.iterdir())):
            raise UserError(f"--out {out}: is there already; name a new folder")
    except OSError as error:
        raise UserError(f"--out {out}: can't be written ({error.strerror})") from None


def _levels(request: FitRequest) -> tuple[str, ...]:
    if request.levels is None:
        return ()
    levels = tuple(level.strip() for level in request.levels.split(","))
    if request.family != "ordinal":
        raise UserError("--levels goes with --family ordinal")
    if len(set(levels)) < len(levels) or not all(levels):
        raise UserError(f"--levels {request.levels}: each level once, separated by commas")
    return levels


def _completed(request: FitRequest, frame: pd.DataFrame) -> tuple[pd.DataFrame, str]:
    """Return the table, and what the options add to a formula."""
    more = ""
    if request.offset is not None:
        if request.offset not in frame:
            raise UserError(f"--offset {request.offset}: the table has no such column")
        more += f" + offset(`{request.offset}`)"
    if request.row_effect:
        if request.family == "gaussian":
            raise UserError("--row-effect: a gaussian model has one, its residual")
        if ROW in frame:
            raise UserError(f"--row-effect: the table has a column {ROW}; give it another name")
        frame = frame.assign(**{ROW: range(1, len(frame) + 1)})
        more += f" + (1 | {ROW})"
    return frame, more

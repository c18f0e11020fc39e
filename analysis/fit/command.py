"""Run ``fit``: read a CSV or TSV table, fit the model, write its files, return the fit as JSON."""

import csv
import warnings
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from analysis.data.json_values import plain
from analysis.mixed.design import Reading, build_design
from analysis.mixed.effects import MISSING, as_numbers
from analysis.mixed.estimation import Method
from analysis.mixed.families import FAMILIES, LINK_UNITS
from analysis.mixed.fit import check_effects, fit_design
from analysis.mixed.inference import Comparison, Replicates, compare, parametric_bootstrap
from analysis.mixed.marginal import Averaged, Margins, margins
from analysis.mixed.refit import refit_files
from analysis.mixed.result import MixedResult, NotEstimableError
from analysis.options import FitRequest
from stimuli.errors import UserError
from stimuli.io.files import make_private_folder, owner_only, write_whole
from stimuli.io.inside import refuse_odd
from stimuli.workers import Workers

EXACT = 2.0**53
"""From here on floats merge whole numbers."""
ROW = "row"
"""Name of the grouping factor that `row_effect` adds."""


def read_any_table(path: Path) -> pd.DataFrame:
    """Return a table whose columns are numbers if every filled cell is one, else text.

    Parameters
    ----------
    path
        UTF-8; separated by tabs if its name ends in ``.tsv`` or its header holds tabs and no comma,
        by semicolons if its header holds those and no comma; numbers may then have a decimal comma.

    Raises
    ------
    UserError
        If the file can't be read, a column occurs twice, or it has no rows.
    """
    refuse_odd(path)
    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            header = stream.readline()
        separator = _separator(path, header)
        names = next(csv.reader([header], delimiter=separator), [])
        twice = sorted({name for name in names if name and names.count(name) > 1})
        if twice:
            raise UserError(f"{path}: column occurs twice: {', '.join(twice)}")
        with warnings.catch_warnings():
            warnings.simplefilter("error", pd.errors.ParserWarning)
            text = pd.read_csv(
                path,
                sep=separator,
                dtype=str,
                keep_default_na=False,
                encoding="utf-8-sig",
                index_col=False,
                skipinitialspace=True,
            )
    except OSError as error:
        raise UserError(f"{path}: can't be read ({error.strerror})") from None
    except UnicodeDecodeError:
        raise UserError(f"{path}: is not UTF-8 text; save it as UTF-8 CSV") from None
    except pd.errors.ParserWarning:
        raise UserError(f"{path}: rows have more cells than the header has names") from None
    except (pd.errors.ParserError, pd.errors.EmptyDataError, csv.Error) as error:
        reason = " ".join(str(error).split())
        raise UserError(f"{path}: is not a CSV or TSV table ({reason})") from None
    if text.empty:
        raise UserError(f"{path}: has a header and no rows")
    text.columns = [str(name).strip() for name in text.columns]
    decimal = "," if separator == ";" else "."
    return pd.DataFrame({name: _numbers_or_text(text[name], decimal) for name in text})


def _separator(path: Path, header: str) -> str:
    if path.suffix.lower() in (".tsv", ".tab") or ("\t" in header and "," not in header):
        return "\t"
    return ";" if ";" in header and "," not in header else ","


def _numbers_or_text(cells: pd.Series, decimal: str) -> pd.Series:
    stripped = cells.str.strip()
    empty = stripped.isin(MISSING)
    numbers = as_numbers(stripped.mask(empty).str.replace(decimal, ".", regex=False))
    if (numbers.notna() | empty).all() and not empty.all():
        return _long(stripped.mask(empty), numbers) if (numbers.abs() >= EXACT).any() else numbers
    return stripped.mask(empty, None).astype(object)


def _long(cells: pd.Series, numbers: pd.Series) -> pd.Series:
    """Return numbers from 2^53 on: whole ones, such as ids, with all their digits.

    Those that no integer holds stay text, so that two ids never become one.
    """
    if not cells.dropna().str.fullmatch(r"[+-]?\d+").all():
        return numbers
    fits = numbers.abs().max() < 2.0**63
    return cells.map(int, na_action="ignore").astype("Int64") if fits else cells.astype(object)


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
    from analysis.fit.rows import figures, residual_tables

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
            with open(out / f"{name}.png", "wb", opener=owner_only) as file:
                figure.savefig(file, dpi=150)
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


def as_json(answer: Answer) -> dict[str, Any]:
    """Return a fit as the stable interface has it, with what else was asked for."""
    result = answer.result
    document: dict[str, Any] = {
        "formula": result.formula,
        "family": result.family,
        "engine": result.engine,
        "n": result.n,
        "groups": result.groups,
        "fixed": [asdict(row) for row in result.fixed],
        "random": [asdict(row) for row in result.random],
        "correlations": [asdict(row) for row in result.correlations],
        "residual_sd": result.residual_sd,
        "log_likelihood": result.log_likelihood,
        "converged": result.converged,
        "criterion": result.criterion,
        "statistic": result.statistic,
        "parameters": result.parameters,
        "aic": result.aic,
        "bic": result.bic,
        "own": [asdict(row) for row in result.family_parameters],
        "notes": list(result.notes),
    }
    if answer.margins:
        document["margins"] = [_margins_json(part) for part in answer.margins]
    if answer.comparison is not None:
        document["comparison"] = _comparison_json(answer.comparison)
    if answer.replicates is not None:
        document["bootstrap"] = asdict(answer.replicates)
    return plain(document)


def _margins_json(part: Margins) -> dict[str, Any]:
    return {
        "term": part.term,
        "averages": [
            {"setting": label, **_limits(estimate)}
            for label, estimate in zip(part.labels, part.averages, strict=True)
        ],
        "contrasts": [
            {
                "setting": row.setting,
                "against": row.against,
                **_limits(row.difference),
                "z": row.z,
                "p": row.p,
                "p_holm": row.p_holm,
            }
            for row in part.contrasts
        ],
    }


def _limits(part: Averaged) -> dict[str, float]:
    return {
        "estimate": part.estimate,
        "se": part.se,
        "ci_low": part.ci_low,
        "ci_high": part.ci_high,
        "df": part.df,
    }


def _comparison_json(part: Comparison) -> dict[str, Any]:
    return {
        "smaller": part.smaller.formula,
        "larger": part.larger.formula,
        "log_likelihoods": [part.smaller.log_likelihood, part.larger.log_likelihood],
        "statistic": part.statistic,
        "df": part.df,
        "p": part.p,
        "reference": part.reference,
        "notes": list(part.notes),
        "f": None if part.f is None else asdict(part.f),
    }

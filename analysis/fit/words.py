"""A fit as tables for the terminal, and as JSON."""

import math
from collections.abc import Iterator, Sequence

import numpy as np
from rich import box
from rich.table import Table
from rich.text import Text

from analysis.fit.command import Answer
from analysis.mixed.families import LINK_UNITS
from analysis.mixed.inference import Comparison, FTest, Replicates
from analysis.mixed.marginal import Margins
from analysis.mixed.result import MixedResult
from stimuli.rich_terminal import Console

_NO_SD = 1e-6  # of the residual's
_MOST_DECIMALS = 6
_WIDEST = 100_000
_CRITERIA = {
    "REML": "restricted maximum likelihood (REML)",
    "ML": "maximum likelihood",
    "Laplace": "maximum likelihood, Laplace approximation",
    "quadrature": "maximum likelihood, adaptive quadrature",
}
_SCALES = {"gaussian": "", **LINK_UNITS}
_RATIOS = {
    "binomial": "Odds\nratio",
    "poisson": "Rate\nratio",
    "nbinom2": "Rate\nratio",
    "gamma": "Ratio\nof means",
    "ordinal": "Odds\nratio",
}
_LIMITS = (("95 %\nfrom", True), ("\nto", True))
_TESTS = {
    "t": "t tests with Satterthwaite's degrees of freedom.",
    "z": "Wald z tests: with few groups they are too liberal.",
}
_MANY = 10_000  # degrees of freedom that are as good as the normal distribution
_RESPONSES = {
    "gaussian": "Mean",
    "binomial": "Probability",
    "probit": "Probability",
    "poisson": "Count",
    "nbinom2": "Count",
    "gamma": "Mean",
    "ordinal": "Mean level",
}
_OWN = {
    "nbinom2": "Negative binomial: variance = mean + mean² / theta",
    "gamma": "Gamma: variance = mean² / shape",
    "ordinal": "Thresholds: log odds of a level up to the first, or above it",
}


def show(console: Console, answer: Answer, contrasts: Sequence[str] = ()) -> None:
    """Print a fit with its sentences, and what else was asked for.

    Parameters
    ----------
    console
        Where to.
    answer
        The answer.
    contrasts
        Terms among the margins whose pairwise differences are shown too.
    """
    result = answer.result
    console.print(Text(result.formula, style="bold"))
    console.print(_head(result), highlight=False)
    for table in _tables(answer, contrasts):
        _print_whole(console, table)
    if answer.comparison is not None:
        console.print(_comparison_text(answer.comparison), highlight=False)
    if result.notes:
        console.print(Text("\nNotes", style="bold"))
    for note in result.notes:
        console.print(Text(f"• {note}"), highlight=False)
    if not result.converged:
        console.print(Text("This fit is not to be relied on: see the notes.", style="bold"))


def _tables(answer: Answer, contrasts: Sequence[str]) -> Iterator[Table]:
    result = answer.result
    if result.fixed:
        yield _fixed_table(result)
    if result.family_parameters:
        yield _family_table(result)
    if result.random or result.residual_sd is not None:
        yield _random_table(result)
    if answer.replicates is not None:
        yield _bootstrap_table(answer.replicates, result)
    for part in answer.margins:
        yield _margins_table(part, result.family)
        if part.term in contrasts:
            yield _contrast_table(part, result.statistic)


def _print_whole(console: Console, table: Table) -> None:
    """Print a table without breaking a cell; columns that don't fit follow below, as in R."""
    columns = list(table.columns)
    heads = 1 + sum(column.justify == "left" for column in columns[1:2])
    first = heads
    while first < len(columns):
        last = len(columns)
        while last > first + 1 and _width(_part(table, heads, first, last)) > console.width:
            last -= 1
        part = _part(table, heads, first, last)
        if first == heads:
            console.print(Text(f"\n{table.title}", style="bold"))
        console.print(part, width=max(console.width, _width(part)), crop=False)
        first = last
    if table.caption:
        console.print(Text(str(table.caption), style="italic"))


def _part(table: Table, heads: int, first: int, last: int) -> Table:
    columns = [*table.columns[:heads], *table.columns[first:last]]
    part = _table(None, *((str(column.header), column.justify == "right") for column in columns))
    for cells in zip(*(column.cells for column in columns), strict=True):
        part.add_row(*cells)
    return part


def _width(table: Table) -> int:
    return Console(width=_WIDEST).measure(table).maximum


def _head(result: MixedResult) -> str:
    named = "; ".join(f"{name}, {n}" for name, n in result.groups.items())
    groups = f"groups: {named}" if named else "no random effects"
    criterion = _CRITERIA[result.criterion]
    if result.criterion == "REML":
        fit = f"REML criterion {-2 * result.log_likelihood:.4f}"
    else:
        fit = (
            f"log-likelihood {result.log_likelihood:.4f} ({result.parameters} parameters), "
            f"AIC {result.aic:.1f}, BIC {result.bic:.1f}"
        )
    return (
        f"{result.family}, {criterion}; {result.n} rows; {groups}\n{fit}\nEngine: {result.engine}"
    )


def _table(title: str | None, *columns: tuple[str, bool]) -> Table:
    table = Table(
        title=title,
        title_justify="left",
        title_style="bold",
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        collapse_padding=True,
    )
    for name, numeric in columns:
        table.add_column(
            name, justify="right" if numeric else "left", overflow="fold", no_wrap=True
        )
    return table


def _fixed_table(result: MixedResult) -> Table:
    scale, ratio = _SCALES[result.family], _RATIOS.get(result.family)
    table = _table(
        f"Fixed effects{f' ({scale})' if scale else ''}",
        ("Term", False),
        ("Estimate", True),
        ("SE", True),
        *_test(result.statistic),
        ("p", True),
        *_LIMITS,
        *([(ratio, True)] if ratio else []),
    )
    for row in result.fixed:
        table.add_row(
            Text(row.term),
            number(row.estimate, row.se),
            number(row.se, row.se),
            *_tested(result.statistic, row.z, row.df),
            p_value(row.p),
            number(row.ci_low, row.se),
            number(row.ci_high, row.se),
            *([_ratio(row.estimate)] if ratio else []),
        )
    table.caption = _TESTS[result.statistic]
    return table


def _family_table(result: MixedResult) -> Table:
    name = "Between" if result.family == "ordinal" else "Parameter"
    table = _table(_OWN[result.family], (name, False), ("Estimate", True), ("SE", True), *_LIMITS)
    for row in result.family_parameters:
        values = (row.estimate, row.se, row.ci_low, row.ci_high)
        table.add_row(Text(row.term), *(number(value, row.se) for value in values))
    return table


def _test(statistic: str) -> tuple[tuple[str, bool], ...]:
    return (("z", True),) if statistic == "z" else (("t", True), ("df", True))


def _tested(statistic: str, ratio: float, df: float) -> tuple[str, ...]:
    return (f"{ratio:.2f}",) if statistic == "z" else (f"{ratio:.2f}", freedom(df))


def _bootstrap_table(drawn: Replicates, result: MixedResult) -> Table:
    left_out = f", {drawn.failed} left out (no sound fit)" if drawn.failed else ""
    table = _table(
        f"Parametric bootstrap: {drawn.replicates} replicates{left_out}",
        ("Term", False),
        ("Estimate", True),
        ("p", True),
        *_LIMITS,
    )
    for row, known in zip(drawn.fixed, result.fixed, strict=True):
        values = (number(value, known.se) for value in (row.ci_low, row.ci_high))
        table.add_row(Text(row.term), number(row.estimate, known.se), p_value(row.p), *values)
    return table


def _sd(value: float, residual: float | None) -> str:
    return number(value, value / 10) if value > _NO_SD * (residual or 1.0) else "0"


def _ratio(estimate: float) -> str:
    return f"{math.exp(estimate):.3g}" if abs(estimate) < 30 else "–"


def _random_table(result: MixedResult) -> Table:
    related = any(row.term1 for row in result.correlations)
    columns = [("By", False), ("Effect", False), ("SD", True)]
    table = _table("Random effects", *columns, *([("Correlations", False)] if related else []))
    for row in result.random:
        pairs = [
            f"{c.r:+.2f} with {c.term1}"
            for c in result.correlations
            if c.group == row.group and c.term2 == row.term
        ]
        cells = [Text(row.group), Text(row.term), _sd(row.sd, result.residual_sd)]
        table.add_row(*cells, *([Text(", ".join(pairs))] if related else []))
    if result.residual_sd is not None:
        sd = _sd(result.residual_sd, result.residual_sd)
        table.add_row("residual", "", sd, *([""] if related else []))
    return table


def _margins_table(part: Margins, family: str) -> Table:
    name = _RESPONSES[family]
    table = _table(
        f"{name} by {part.term}, averaged over rows and random effects",
        ("", False),
        (name, True),
        ("SE", True),
        *_LIMITS,
    )
    digits = _median([row.se for row in part.averages])
    for label, row in zip(part.labels, part.averages, strict=True):
        values = (row.estimate, row.se, row.ci_low, row.ci_high)
        table.add_row(Text(label), *(number(value, digits) for value in values))
    return table


def _contrast_table(part: Margins, statistic: str) -> Table:
    table = _table(
        f"Differences by {part.term}",
        ("", False),
        ("Difference", True),
        ("SE", True),
        *_test(statistic),
        ("p", True),
        ("p\n(Holm)", True),
        *_LIMITS,
    )
    digits = _median([row.difference.se for row in part.contrasts])
    for row in part.contrasts:
        difference = row.difference
        table.add_row(
            Text(f"{row.setting} − {row.against}"),
            number(difference.estimate, digits),
            number(difference.se, digits),
            *_tested(statistic, row.z, difference.df),
            p_value(row.p),
            p_value(row.p_holm),
            number(difference.ci_low, digits),
            number(difference.ci_high, digits),
        )
    return table


def _median(values: Sequence[float]) -> float:
    return float(np.median(values)) if values else float("nan")


def _comparison_text(part: Comparison) -> Text:
    lines = [
        f"smaller  {part.smaller.formula}   log-likelihood {part.smaller.log_likelihood:.4f}",
        f"larger   {part.larger.formula}   log-likelihood {part.larger.log_likelihood:.4f}",
        f"statistic {part.statistic:.3f}, p {p_value(part.p)} ({part.reference})",
        *([_f_text(part.f)] if part.f is not None else []),
        *(f"• {note}" for note in part.notes),
    ]
    return Text.assemble(("\nLikelihood-ratio test\n", "bold"), "\n".join(lines))


def _f_text(part: FTest) -> str:
    return (
        f"F({part.df}, {freedom(part.df_error)}) {part.value:.3f}, p {p_value(part.p)} "
        "(the same over its degrees of freedom, for small samples)"
    )


def number(value: float, se: float) -> str:
    """Return a value with two or three significant digits of its standard error."""
    if not math.isfinite(value):
        return "–"
    if not (math.isfinite(se) and se > 0):
        return f"{value:.4g}"
    last = math.floor(math.log10(se)) - 2
    if last >= -_MOST_DECIMALS:
        return f"{value:.{max(-last, 0)}f}"
    size = math.floor(math.log10(abs(value))) if value else last
    return f"{value:.{max(size - last, 0)}e}"


def freedom(df: float) -> str:
    """Return degrees of freedom with one digit, or that they are as good as unlimited."""
    if math.isnan(df):
        return "–"
    return f"{df:.1f}" if df < _MANY else "∞"


def p_value(p: float) -> str:
    """Return a p value with three digits, or that it is below .001."""
    if not math.isfinite(p):
        return "–"
    return "< .001" if p < 0.001 else f"{p:.3f}".removeprefix("0")

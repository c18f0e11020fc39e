"""Tables of a report's page that are made from rows of estimates."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, Final

from analysis.questions.estimates import AGAINST, EstimateRow, Quantity
from analysis.report.declared import MOST_ROWS, ReportTable, cut
from analysis.report.parts import (
    Bounds,
    Column,
    Rows,
    bayes_column,
    corrected_p,
    holm_limits,
    limits,
    standardised_column,
)
from analysis.report.wording import grouped, p_value

ALL: Final = "estimates"
"""Stem of the file of all estimates."""


PARTS: Final = (
    "n", "ci_low", "ci_high", "p", "p_adjusted", "family", "bf10", "d",
    "adjusted_low", "adjusted_high", "low_90", "high_90", "margin", "statistic", "verdict", "note",
)  # fmt: skip
"""Fields of a row of estimates that a table may show beside the estimate."""


class Wide(dict[str, Any]):
    """Estimates that stand in one row of a page: levels by factor, and values by name.

    The estimate of a quantity has the quantity's id, or ``id/level`` where a factor's levels are
    side by side; its other fields ``.field`` after it, as in ``right/first.ci_low``. What there is
    no estimate of is None.
    """

    def __missing__(self, name: str) -> None:
        return None


def wide(rows: Iterable[EstimateRow], by: Sequence[str], over: str = "") -> list[Wide]:
    """Return one row for each combination of levels.

    Parameters
    ----------
    rows
        The estimates.
    by
        The factors whose levels name a row.
    over
        The factor whose levels stand side by side; empty for none.
    """
    here: dict[tuple[str | None, ...], Wide] = {}
    for row in rows:
        levels = tuple(row.of.get(factor) for factor in by)
        wide_row = here.setdefault(levels, Wide(zip(by, levels, strict=True)))
        name = f"{row.quantity}/{row.of[over]}" if over in row.of else row.quantity
        wide_row[name] = row.estimate
        for part in PARTS:
            wide_row[f"{name}.{part}"] = getattr(row, part)
    return list(here.values())


def pivot(
    caption: Any,
    columns: Sequence[Column] | Callable[[Any], Sequence[Column]],
    *,
    by: Sequence[str],
    over: str = "",
    of: Callable[[Any], Iterable[EstimateRow]] = lambda answer: answer.estimates,
    **more: Any,
) -> ReportTable:
    """Return a table of the page whose numbers are in the file of all estimates.

    Parameters
    ----------
    caption, columns
        As in a `ReportTable`; columns read the rows of `wide`.
    by, over
        As in `wide`.
    of
        Returns the estimates that it shows, from the answer.
    **more
        Other fields of a `ReportTable`.
    """
    table = ReportTable(
        "", lambda answer: wide(of(answer), by, over), caption, columns, cut=shortened
    )
    return replace(table, **more)


def shortened(rows: Rows) -> tuple[Rows, str]:
    """Return the rows that the page shows, and a note that says where all are."""
    return (rows, "") if len(rows) <= MOST_ROWS else cut(rows, "rows", ALL, lambda _: True, "")


def value_of(quantity: Quantity, level: str = "", heading: str = "") -> Column:
    """Return the column of a quantity's estimate."""
    name = _name(quantity, level)
    return Column(heading or quantity.heading, name, quantity.write, quantity.unit)


def limits_of(
    quantity: Quantity, level: str = "", write: Callable[[Any], str] | None = None
) -> Column:
    """Return the column of the 95 % interval of the estimate in the column before."""
    name = _name(quantity, level)
    return limits(write or quantity.write, f"{name}.ci_low", f"{name}.ci_high")


def interval_of(quantity: Quantity, write: Callable[[Any], str] | None = None) -> Column:
    """Return the column of a 95 % interval that leaves the digits of the column before alone."""
    return replace(limits_of(quantity, write=write), bounds=None)


def adjusted_limits_of(quantity: Quantity, level: str = "") -> Column:
    """Return the column of the 95 % interval that is corrected as the p beside it."""
    name = _name(quantity, level)
    return holm_limits(quantity.write, f"{name}.adjusted_low", f"{name}.adjusted_high")


def p_of(quantity: Quantity, level: str = "") -> Column:
    """Return the column of p."""
    return Column("p", f"{_name(quantity, level)}.p", p_value)


def adjusted_p_of(quantity: Quantity, level: str = "") -> Column:
    """Return the column of p after Holm's correction."""
    name = _name(quantity, level)
    return corrected_p(f"{name}.p_adjusted", f"{name}.family")


def standardised_of(quantity: Quantity, level: str = "") -> Column:
    """Return the column of a difference in standard deviations of single answers."""
    return standardised_column(f"{_name(quantity, level)}.d")


def bayes_of(quantity: Quantity, level: str = "") -> Column:
    """Return the column of the Bayes factor of a difference against none."""
    return bayes_column(f"{_name(quantity, level)}.bf10")


def with_p_of(quantity: Quantity, level: str = "") -> tuple[Column, Column, Column]:
    """Return the columns of an estimate, its 95 % interval and p."""
    return value_of(quantity, level), limits_of(quantity, level), p_of(quantity, level)


def corrected_of(quantity: Quantity, level: str = "") -> tuple[Column, Column, Column]:
    """Return the columns of an estimate, and of its interval and p after Holm's correction."""
    corrected = adjusted_limits_of(quantity, level), adjusted_p_of(quantity, level)
    return value_of(quantity, level), *corrected


def n_of(quantity: Quantity, heading: str, unit: str = "n") -> Column:
    """Return the column of how many answers or people an estimate rests on."""
    return Column(heading, f"{quantity.id}.n", grouped, unit)


def with_limits_of(quantity: Quantity, level: str = "", heading: str = "") -> Column:
    """Return the column of an estimate with its 95 % interval in one cell."""
    name = _name(quantity, level)
    within = Bounds(f"{name}.ci_low", f"{name}.ci_high", quantity.write)
    title = heading or quantity.heading
    return Column(title, name, quantity.write, quantity.unit, within=within)


def level_of(factor: str, heading: str, words: Callable[[str], str] = str, **more: Any) -> Column:
    """Return the column of a factor's level, in words."""
    return Column(heading, lambda row: words(row[factor]), **more)


def compared_of(factor: str, heading: str, words: Callable[[str], str]) -> Column:
    """Return the column of what is compared: one level less another."""
    return Column(heading, lambda row: f"{words(row[factor])} less {words(row[AGAINST])}")


def _name(quantity: Quantity, level: str) -> str:
    return f"{quantity.id}/{level}" if level else quantity.id

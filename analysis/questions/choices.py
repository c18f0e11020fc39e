"""A result again under other choices that could have been made as well: a table of choices.

A study names its choices and what repeats its result; the first is the main analysis. This is the
multiverse of Steegen, Tuerlinckx, Gelman & Vanpaemel (2016), Perspect. Psychol. Sci. 11, with few
choices, each of which can be defended.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeVar

from analysis.questions.estimates import EstimateRow, again, levels
from analysis.questions.pivot import level_of, pivot
from analysis.questions.question import Promise
from analysis.report.declared import ReportTable, changes
from analysis.report.parts import Column, Paragraph
from analysis.report.wording import listed

Data = TypeVar("Data")
Key = tuple[str, ...]
"""A quantity, and the levels that name a row of a choice."""
ID: Final = "other_choices"
TITLE: Final = "The same result under other choices"
STEP: Final = "repeating under other choices"
ANALYSIS: Final = "analysis"
"""The factor whose levels are the choices."""
COLUMN: Final = level_of(ANALYSIS, "Analysis", once=True)
BY_MODEL: Final = "by the mixed model"
WITHOUT: Final = "without those left out by rule"
LESS_LAG: Final = "times less the rig’s lag"
SILENT: Final = "no answer counts as a wrong one"


def repeated(
    choices: Mapping[str, Data | None], result: Callable[[Data], Iterable[EstimateRow]]
) -> Iterator[EstimateRow]:
    """Yield a result under each choice.

    Parameters
    ----------
    choices
        Data by the name of a choice, the main analysis first; None if a choice changes nothing, or
        can't be made with these data.
    result
        Returns the rows.
    """
    for name, data in choices.items():
        if data is not None:
            yield from again(result(data), analysis=name)


def choices_table(
    caption: str, columns: Sequence[Column], *, by: Sequence[str] = (), **more: Any
) -> ReportTable:
    """Return the table of a result under all choices.

    Parameters
    ----------
    caption, columns
        As in `pivot`; the column of choices comes first.
    by
        The factors that name a row of a choice.
    **more
        Other arguments of `pivot`.
    """
    return pivot(
        caption, (COLUMN, *columns), by=(ANALYSIS, *by), row_headers=1 + len(by),
        strong=changes(ANALYSIS), cut=None, **more,
    )  # fmt: skip


def conclusion(row: EstimateRow) -> str:
    """Return what a row shows: its verdict, or on which side of zero its interval lies."""
    if row.verdict:
        return row.verdict
    corrected = row.adjusted_low is not None
    low, high = (row.adjusted_low, row.adjusted_high) if corrected else (row.ci_low, row.ci_high)
    if low is None or high is None:
        return "unknown"
    return "above zero" if low > 0 else "below zero" if high < 0 else "undecided"


def agreement(
    rows: Sequence[EstimateRow], by: Sequence[str], name: Callable[[EstimateRow], str]
) -> Paragraph | None:
    """Return which choices conclude something else than the main analysis.

    Parameters
    ----------
    rows
        One quantity or more under all choices.
    by
        The factors that name a row of a choice.
    name
        Returns what a row is about.

    Returns
    -------
    Paragraph or None
        None without another choice.
    """
    analyses = levels(rows, ANALYSIS)
    if len(analyses) < 2:
        return None
    first, *others = (
        {_key(row, by): row for row in rows if row.of[ANALYSIS] == analysis}
        for analysis in analyses
    )
    apart = {
        analysis: [
            change for key, row in first.items() if (change := _change(name, key, row, other))
        ]
        for analysis, other in zip(analyses[1:], others, strict=True)
    }
    changed = sum(map(bool, apart.values()))
    made = {1: "the other choice", 2: "both other choices"}.get(len(apart), "all other choices")
    if not changed:
        return Paragraph(f"Under {made}, every conclusion is the same.")
    if len(apart) > 1:
        made = f"{changed} of {len(apart)} other choices"
    named = "; ".join(
        f"{analysis} ({listed(differing)})" for analysis, differing in apart.items() if differing
    )
    return Paragraph(f"Under {made}, a conclusion differs: {named}.")


def _key(row: EstimateRow, by: Sequence[str]) -> Key:
    return (row.quantity, *(row.of.get(factor, "") for factor in by))


def _change(
    name: Callable[[EstimateRow], str],
    key: Key,
    first: EstimateRow,
    other: Mapping[Key, EstimateRow],
) -> str:
    """Return what a choice concludes; empty if it is the same as in the main analysis.

    A choice need not estimate every quantity.
    """
    if key not in other:
        return (
            f"{name(first)} not compared"
            if first.quantity in {quantity for quantity, *_ in other}
            else ""
        )
    concluded = conclusion(other[key])
    return "" if concluded == conclusion(first) else f"{name(first)} {concluded}"


def promise(*names: str) -> Promise:
    """Return what is preregistered: the primary result under named choices."""
    return Promise(
        "The primary result again under these choices, where the data allow them: "
        f"{'; '.join(names)}."
    )

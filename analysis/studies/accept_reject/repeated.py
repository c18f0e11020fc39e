"""The main results repeated for some of the trials: under another choice, or for some leads."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

from analysis.report.about import about
from analysis.report.declared import ReportTable, Source, as_mapping, taken
from analysis.report.parts import Column
from analysis.report.wording import NOTHING, grouped
from analysis.statistics.bootstrap import Resampling
from analysis.studies.accept_reject.rates import (
    AcceptedShare,
    Gain,
    Rates,
    TimedDifference,
    acceptance_rows,
    comparison,
    measure,
    usefulness_rows,
)
from analysis.studies.accept_reject.trials import ScoredTrials
from analysis.studies.accept_reject.words import gain_words


@dataclass(frozen=True, slots=True)
class Repeated:
    """The main results of some of the trials."""

    analysis: Annotated[str, about("Which trials, or which choice.")]
    participants: Annotated[int, about("Leads.")]
    trials: Annotated[int, about("Trials.")]
    acceptance: Annotated[
        tuple[AcceptedShare, ...], about("Acceptance; empty without a trial.")
    ] = ()
    usefulness: Annotated[tuple[Gain, ...], about("Usefulness; empty without a trial.")] = ()
    comparison: Annotated[TimedDifference | None, about("S against E; null without a trial.")] = (
        None
    )


def repeat_analysis(
    label: str, judged: ScoredTrials, plan: Resampling, margin: float, rates: Rates | None = None
) -> Repeated:
    """Return the main results of trials, under a label.

    Parameters
    ----------
    label
        What they are called.
    judged, plan
        The trials, and how intervals are found.
    margin
        The equivalence margin.
    rates
        Their rates, if they are already known.
    """
    if not len(judged.frame):
        return Repeated(label, 0, 0)
    rates = rates or measure(judged, plan)
    return Repeated(
        label,
        judged.participants,
        len(judged.frame),
        acceptance_rows(rates, judged.cutoff_s),
        usefulness_rows(rates, judged.cutoff_s),
        comparison(rates, judged.cutoff_s, margin),
    )


def gain_column(solver: str) -> Column:
    """Return the column of a solver's raw usefulness, of rows that have ``usefulness``."""

    def words(row: Any) -> str:
        parts = {part.solver: part for part in row.usefulness if not part.net}
        return gain_words(parts[solver]) if solver in parts else NOTHING

    return Column(solver.replace("-", " less "), words, str, "points")


def repeated_table(
    name: str, source: str, heading: str, caption: str, strong: Callable[..., Any] = lambda _: ()
) -> ReportTable:
    """Return a table of the main results of several analyses.

    Parameters
    ----------
    name, caption, strong
        As in `ReportTable`.
    source
        Path of the analyses.
    heading
        Heading of their labels.
    """
    columns = (
        Column(heading, "analysis"),
        Column("Leads", "participants", grouped, "n"),
        *map(gain_column, ("S", "E", "S-E")),
        Column("S against E", lambda row: row.comparison.verdict if row.comparison else NOTHING),
    )
    rows = _file_rows(source)
    return ReportTable(name, rows, caption, columns, shown=source, strong=strong)


def _file_rows(source: str) -> Source:
    """Return a function that makes a row of each gain of each analysis; None without one."""

    def rows(results: Any) -> list[dict[str, Any]] | None:
        return [
            {"analysis": row.analysis, "participants": row.participants, **as_mapping(part)}
            for row in taken(results, source)
            for part in row.usefulness
        ] or None

    return rows

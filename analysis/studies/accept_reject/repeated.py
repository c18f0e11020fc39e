"""The main results repeated for some of the trials: under another choice, or for some leads."""

from analysis.questions.cells import Cells
from analysis.questions.choices import ANALYSIS
from analysis.questions.estimates import EstimateRow, again, estimate_row
from analysis.questions.pivot import Wide, level_of, pivot, value_of
from analysis.report.deciding import MEANS, THESE
from analysis.report.parts import Column
from analysis.report.wording import NOTHING, interval, points
from analysis.statistics.bootstrap import Resampling
from analysis.studies.accept_reject.against_experts import AGAINST_E, compared
from analysis.studies.accept_reject.quantities import ACCEPTED, GAIN, LEADS, RAW
from analysis.studies.accept_reject.rates import (
    COMPARISON,
    acceptance_rows,
    measure,
)
from analysis.studies.accept_reject.trials import ScoredTrials
from analysis.studies.accept_reject.usefulness import FAMILY, gain_rows

REPEATED = (LEADS, ACCEPTED, GAIN, AGAINST_E)


def repeat_analysis(
    analysis: str, judged: ScoredTrials, plan: Resampling, margin: float, rates: Cells | None = None
) -> tuple[EstimateRow, ...]:
    """Return the main results of trials, under a name; without a trial how many leads: none.

    Parameters
    ----------
    analysis
        What they are called.
    judged, plan
        The trials, and how intervals are found.
    margin
        The equivalence margin.
    rates
        Acceptance in the seven cells, if it is already known.
    """
    rows = [estimate_row(LEADS, {}, judged.participants, len(judged.frame))]
    if len(judged.frame):
        rates = rates or measure(judged, plan)
        by = THESE if plan.people == "fixed" else MEANS
        difference = compared(rates.estimate(COMPARISON), margin, by, rates.n(COMPARISON))
        rows += [*acceptance_rows(rates), *gain_rows(by, rates), difference]
    return again(rows, **{ANALYSIS: analysis})


def _gain(solver: str) -> Column:
    """Return the column of a solver's raw usefulness with its interval, by Holm over S and E."""
    name = f"{GAIN.id}/{solver}"
    low, high = ("adjusted_low", "adjusted_high") if solver in FAMILY else ("ci_low", "ci_high")

    def words(row: Wide) -> str:
        limits = interval(row[f"{name}.{low}"], row[f"{name}.{high}"], points)
        return f"{points(row[name])} {limits}" if name in row else NOTHING

    return Column(solver.replace("-", " less "), words, str, "points")


def _against_e(row: Wide) -> str:
    """Return p_S − p_E with explanations, its interval and its verdict."""
    name = f"{AGAINST_E.id}/S"
    if not row.get(f"{name}.verdict"):
        return NOTHING
    limits = interval(row[f"{name}.ci_low"], row[f"{name}.ci_high"], points)
    return f"{points(row[name])} {limits}: {row[f'{name}.verdict']}"


ANALYSES = pivot(
    "Usefulness, raw, and S against E, with 95 % intervals.",
    (
        level_of(ANALYSIS, "Analysis"),
        value_of(LEADS),
        *map(_gain, ("S", "E", "S-E")),
        Column("S against E, explained", _against_e, str, "points: verdict"),
    ),
    by=(ANALYSIS,),
    over="solver",
    of=lambda answer: (
        *answer.rows(LEADS),
        *answer.rows(GAIN, part=RAW),
        *answer.rows(AGAINST_E),
    ),
    note="S, E and S less E: usefulness, with limits of S and of E corrected by Holm over both. S "
    "against E: acceptance of S’s solutions with explanations less that of E’s.",
)

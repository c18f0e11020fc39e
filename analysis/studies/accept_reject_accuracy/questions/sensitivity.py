"""The same result under other choices: other leads, another reading of the draw, other times."""

from collections.abc import Iterator

from analysis.questions.estimates import EstimateRow, Estimates, Quantity, again, estimate_row
from analysis.questions.pivot import level_of, limits_of, pivot, value_of
from analysis.questions.question import Promise, Question
from analysis.report.parts import Column
from analysis.report.wording import grouped
from analysis.studies.accept_reject.trials import ScoredTrials, judge_trials
from analysis.studies.accept_reject_accuracy.data import AccuracyData
from analysis.studies.accept_reject_accuracy.pairs import judgements
from analysis.studies.accept_reject_accuracy.quantities import ACC_L, ACCEPTED
from analysis.studies.accept_reject_accuracy.questions.accuracy import main_rows
from analysis.studies.accept_reject_accuracy.rates import SOLVERS, Rates, measure

LEADS = Quantity("leads", "Leads", "Leads whose judgements an analysis uses.", grouped, "n")


def compute(data: AccuracyData) -> Estimates:
    """Return acc_L for all leads, without those left out by rule, and by other readings."""
    return Estimates(tuple(row for analysis in _choices(data) for row in analysis))


def _choices(data: AccuracyData) -> Iterator[tuple[EstimateRow, ...]]:
    judged = data.judged
    yield _choice("all leads (intention to treat)", data.rates, judged)
    codes = [row.participant for row in data.by_rule]
    if codes and len(codes) < judged.participants:
        second = judged.of(~judged.frame["participant"].isin(codes))
        yield _choice("without the leads left out by rule", _measured(data, second), second)
    drawn = measure(judgements(judged, data.dataset.items, as_drawn=True), data.plan)
    yield _choice("each judgement for the drawn solver only", drawn, judged)
    if "rt_corrected_s" in data.kept and data.kept["rt_corrected_s"].notna().any():
        corrected = judge_trials(data.kept, data.protocol, "rt_corrected_s")
        yield _choice("times less the rig’s lag", _measured(data, corrected), corrected)


def _measured(data: AccuracyData, judged: ScoredTrials) -> Rates:
    return measure(judgements(judged, data.dataset.items), data.plan)


def _choice(analysis: str, rates: Rates, judged: ScoredTrials) -> tuple[EstimateRow, ...]:
    rows = (estimate_row(LEADS, {}, judged.participants), *main_rows(rates))
    return again(rows, analysis=analysis)


TABLE = pivot(
    "The same result under other choices.",
    (
        level_of("analysis", "Analysis"),
        value_of(LEADS),
        *(Column(f"p_{name}", f"{ACCEPTED.id}/{name}", ACCEPTED.write) for name in SOLVERS),
        value_of(ACC_L),
        limits_of(ACC_L),
    ),
    by=("analysis",),
    over="solver",
)
SENSITIVITY = Question(
    id="sensitivity",
    title="The same result under other choices",
    answer=Estimates,
    quantities=(LEADS, ACCEPTED, ACC_L),
    compute=compute,
    step="repeating under other choices",
    parts=(TABLE,),
    registered=lambda _: Promise("The primary result without leads who are left out by rule."),
)
"""The same result under other choices."""

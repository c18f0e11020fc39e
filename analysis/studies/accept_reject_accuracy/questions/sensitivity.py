"""The same result under other choices: other leads, another reading of the draw, other times."""

from collections.abc import Iterator

from analysis.questions.choices import (
    ANALYSIS,
    LESS_LAG,
    STEP,
    TITLE,
    WITHOUT,
    agreement,
    choices_table,
    promise,
)
from analysis.questions.estimates import EstimateRow, Estimates, Quantity, again, estimate_row
from analysis.questions.pivot import limits_of, value_of
from analysis.questions.question import Question
from analysis.report.deciding import MEANS, THESE
from analysis.report.parts import Column, Paragraph
from analysis.report.wording import NOTHING, grouped
from analysis.studies.accept_reject.against_experts import AGAINST_E, compared
from analysis.studies.accept_reject.trials import OTHER_TIMES, ScoredTrials, judge_trials
from analysis.studies.accept_reject_accuracy.data import AccuracyData
from analysis.studies.accept_reject_accuracy.pairs import judgements
from analysis.studies.accept_reject_accuracy.quantities import ACC_L, ACCEPTED
from analysis.studies.accept_reject_accuracy.questions.accuracy import main_rows
from analysis.studies.accept_reject_accuracy.rates import SOLVERS, Rates, measure

DRAWN = "each judgement for the drawn solver only"
LEADS = Quantity("leads", "Leads", "Leads whose judgements an analysis uses.", grouped, "n")


def compute(data: AccuracyData) -> Estimates:
    """Return acc_L for all leads, without those left out by rule, and by other readings."""
    return Estimates(tuple(row for analysis in _choices(data) for row in analysis))


def _choices(data: AccuracyData) -> Iterator[tuple[EstimateRow, ...]]:
    judged = data.judged
    yield _choice(data, "all leads (intention to treat)", data.rates, judged)
    codes = [row.participant for row in data.by_rule]
    if codes and len(codes) < judged.participants:
        second = judged.of(~judged.frame["participant"].isin(codes))
        yield _choice(data, WITHOUT, _measured(data, second), second)
    drawn = measure(judgements(judged, data.dataset.items, as_drawn=True), data.plan)
    yield _choice(data, DRAWN, drawn, judged)
    for name, factor in OTHER_TIMES.items():
        if (other := judged.within(factor)) is not None:
            yield _choice(data, name, _measured(data, other), other)
    if "rt_corrected_s" in data.kept and data.kept["rt_corrected_s"].notna().any():
        corrected = judge_trials(data.kept, data.protocol, "rt_corrected_s")
        yield _choice(data, LESS_LAG, _measured(data, corrected), corrected)


def _measured(data: AccuracyData, judged: ScoredTrials) -> Rates:
    return measure(judgements(judged, data.dataset.items), data.plan)


def _choice(
    data: AccuracyData, analysis: str, rates: Rates, judged: ScoredTrials
) -> tuple[EstimateRow, ...]:
    by = THESE if data.plan.people == "fixed" else MEANS
    against = compared(rates.difference, data.protocol.analysis.margin, by)
    rows = (estimate_row(LEADS, {}, judged.participants), *main_rows(rates), against)
    return again(rows, **{ANALYSIS: analysis})


def _agreement(answer: Estimates) -> Paragraph | None:
    return agreement(answer.rows(AGAINST_E), (), lambda _: "S against E")


TABLE = choices_table(
    "The same result under other choices.",
    (
        value_of(LEADS),
        *(Column(f"p_{name}", f"{ACCEPTED.id}/{name}", ACCEPTED.write) for name in SOLVERS),
        value_of(ACC_L),
        limits_of(ACC_L),
        Column("S against E", lambda row: row[f"{AGAINST_E.id}/S.verdict"] or NOTHING),
    ),
    over="solver",
)
SENSITIVITY = Question(
    id="sensitivity",
    title=TITLE,
    answer=Estimates,
    quantities=(LEADS, ACCEPTED, ACC_L, AGAINST_E),
    compute=compute,
    step=STEP,
    parts=(_agreement, TABLE),
    registered=lambda _: promise(WITHOUT, DRAWN, *OTHER_TIMES, LESS_LAG),
)
"""The same result under other choices."""

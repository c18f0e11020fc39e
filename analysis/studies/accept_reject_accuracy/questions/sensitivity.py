"""The same result under other choices: other leads, another reading of the draw, other times."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated

from analysis.questions.question import Promise, Question
from analysis.report.about import about
from analysis.report.declared import ReportTable
from analysis.report.parts import Column
from analysis.report.wording import grouped, percent, rounded
from analysis.studies.accept_reject.trials import ScoredTrials, judge_trials
from analysis.studies.accept_reject_accuracy.data import AccuracyData
from analysis.studies.accept_reject_accuracy.pairs import judgements
from analysis.studies.accept_reject_accuracy.questions.accuracy import ratio_words
from analysis.studies.accept_reject_accuracy.rates import (
    SOLVERS,
    Rates,
    accuracy_ratio,
    as_share,
    measure,
)

TENTHS = rounded(percent, 1)


@dataclass(frozen=True, slots=True)
class OtherChoice:
    """The main result under one choice."""

    analysis: Annotated[str, about("The choice.")]
    participants: Annotated[int, about("Leads.")]
    p_S: Annotated[float | None, about("p_S, 0 to 1.")]  # noqa: N815
    p_E: Annotated[float | None, about("p_E, 0 to 1.")]  # noqa: N815
    accuracy: Annotated[float | None, about("acc_L.")]
    ci_low: Annotated[float | None, about("Its lower 95 % limit.")]
    ci_high: Annotated[float | None, about("Its upper 95 % limit.")]


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """The same result under other choices."""

    analyses: Annotated[tuple[OtherChoice, ...], about("The report's own choice first.")]


def compute(data: AccuracyData) -> Sensitivity:
    """Return acc_L for all leads, without those left out by rule, and by other readings."""
    return Sensitivity(tuple(_choices(data)))


def _choices(data: AccuracyData) -> Iterator[OtherChoice]:
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


def _choice(analysis: str, rates: Rates, judged: ScoredTrials) -> OtherChoice:
    ratio = accuracy_ratio(rates, None)
    return OtherChoice(
        analysis,
        judged.participants,
        *(as_share(rates.p[solver]) for solver in SOLVERS),
        accuracy=ratio.estimate,
        ci_low=ratio.ci_low,
        ci_high=ratio.ci_high,
    )


def _accuracy(row: OtherChoice) -> tuple[str, str]:
    return ratio_words(row.accuracy, row.ci_low, row.ci_high)


TABLE = ReportTable(
    "sensitivity",
    "analyses",
    "The same result under other choices.",
    (
        Column("Analysis", "analysis"),
        Column("Leads", "participants", grouped, "n"),
        Column("p_S", "p_S", TENTHS),
        Column("p_E", "p_E", TENTHS),
        Column("acc_L", lambda row: _accuracy(row)[0], str),
        Column("95 % interval", lambda row: _accuracy(row)[1], str),
    ),
)
SENSITIVITY = Question(
    id="sensitivity",
    title="The same result under other choices",
    answer=Sensitivity,
    compute=compute,
    step="repeating under other choices",
    parts=(TABLE,),
    registered=lambda _: Promise(
        "secondary", "The primary result without leads who are left out by rule."
    ),
)
"""The same result under other choices."""

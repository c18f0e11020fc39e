"""How long people take, and when they ask for help."""

from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np
import pandas as pd
from scipy.stats import spearmanr

from analysis.questions.question import Found, Promise, Question
from analysis.report.about import about
from analysis.report.declared import ReportTable, some
from analysis.report.estimates import limits_row, named_row
from analysis.report.parts import Column, limits
from analysis.report.wording import bare_percent, grouped, number, p_value
from analysis.statistics.comparison import holm, mann_whitney
from analysis.statistics.estimate import holm_level
from analysis.statistics.proportions import Count, wilson
from analysis.studies.human_ai_team.data import TeamData
from analysis.studies.human_ai_team.trials import Answers
from analysis.studies.human_ai_team.words import arm, tenths

LEAST_PEOPLE = 4


@dataclass(frozen=True, slots=True)
class ArmTime:
    """An arm's response times: medians of participants' medians, in seconds."""

    method: Annotated[str, about("The arm.")]
    people: Annotated[int, about("Participants.")]
    median_s: Annotated[float, about("Median, seconds.")]
    quarter_low_s: Annotated[float, about("Lower quartile, seconds.")]
    quarter_high_s: Annotated[float, about("Upper quartile, seconds.")]
    right_s: Annotated[float | None, about("Median of right answers, seconds.")]
    wrong_s: Annotated[float | None, about("Median of wrong answers, seconds.")]
    rho: Annotated[
        float | None,
        about("Spearman's correlation of participants' median times with their right answers."),
    ] = None
    rho_p: Annotated[float | None, about("Its p, two-sided.")] = None


@dataclass(frozen=True, slots=True)
class TimePair:
    """Two arms compared by participants' median times (Mann–Whitney), first less second."""

    first: Annotated[str, about("The first arm.")]
    second: Annotated[str, about("The second arm.")]
    statistic: Annotated[float | None, about("U of the first arm.")]
    p: Annotated[float | None, about("p, two-sided.")]
    shift_s: Annotated[float | None, about("Hodges and Lehmann's shift, seconds.")]
    shift_s_low: Annotated[float | None, about("Its lower 95 % limit.")]
    shift_s_high: Annotated[float | None, about("Its upper 95 % limit.")]
    effect: Annotated[float | None, about("Rank-biserial r.")]
    effect_low: Annotated[float | None, about("Its lower 95 % limit.")]
    effect_high: Annotated[float | None, about("Its upper 95 % limit.")]
    note: Annotated[str, about("Why p or limits are null; empty if none is.")] = ""
    p_holm: Annotated[float | None, about("p after Holm, over all pairs.")] = None
    holm_low_s: Annotated[
        float | None, about("Lower limit of the shift, corrected as p_holm is.")
    ] = None
    holm_high_s: Annotated[
        float | None, about("Upper limit of the shift, corrected as p_holm is.")
    ] = None


@dataclass(frozen=True, slots=True)
class HelpTime:
    """In how many answers of an arm help came later, or was asked for."""

    method: Annotated[str, about("The arm.")]
    n: Annotated[int, about("Answers.")]
    share: Annotated[float | None, about("Share of answers in which help was seen, 0 to 1.")]
    ci_low: Annotated[float | None, about("Its lower 95 % limit (Wilson).")]
    ci_high: Annotated[float | None, about("Its upper 95 % limit (Wilson).")]
    median_s: Annotated[float | None, about("Median time to the help, seconds.")]


@dataclass(frozen=True, slots=True)
class Times:
    """Response times, and times of help."""

    arms: Annotated[tuple[ArmTime, ...], about("Response times by arm.")]
    pairs: Annotated[tuple[TimePair, ...], about("Arms compared.")]
    help: Annotated[tuple[HelpTime, ...], about("Help that came later, by arm.")]


def compute(data: TeamData, found: Found) -> Times:
    """Return times by arm; no rows if no answer has a time, or no help came later."""
    answers = data.answers
    timed = answers.frame[np.isfinite(answers.frame["rt_s"])]
    arms = ((method, timed[timed["method"] == method]) for method in answers.arms)
    return Times(
        tuple(_of_arm(method, own) for method, own in arms if len(own)),
        _pairs(answers, timed),
        _help(answers),
    )


def _of_arm(method: str, own: pd.DataFrame) -> ArmTime:
    medians = own.groupby("participant")["rt_s"].median()
    return ArmTime(
        method,
        len(medians),
        float(medians.median()),
        float(medians.quantile(0.25)),
        float(medians.quantile(0.75)),
        _middle(own[own["correct"]]),
        _middle(own[~own["correct"]]),
        *_with_accuracy(own, medians),
    )


def _with_accuracy(own: pd.DataFrame, medians: pd.Series) -> tuple[float | None, float | None]:
    """Return the rank correlation of participants' times and accuracy, with p; None if unknown."""
    right = own.groupby("participant")["correct"].mean()
    if len(medians) < LEAST_PEOPLE or medians.nunique() < 2 or right.nunique() < 2:
        return None, None
    found = spearmanr(medians, right[medians.index])
    return float(found.statistic), float(found.pvalue)


def _middle(own: pd.DataFrame) -> float | None:
    return float(own.groupby("participant")["rt_s"].median().median()) if len(own) else None


def _pairs(answers: Answers, timed: pd.DataFrame) -> tuple[TimePair, ...]:
    medians = timed.groupby(["method", "participant"])["rt_s"].median()
    rows = []
    for first, second in answers.pairs():
        if {first, second} <= set(timed["method"]):
            ranks = mann_whitney(medians[first].to_numpy(), medians[second].to_numpy())
            shift = named_row(ranks.difference, "shift_s")
            effect = named_row(ranks.effect, "effect")
            found = TimePair(
                first, second, ranks.statistic, ranks.p, **shift, **effect, note=ranks.note
            )
            rows.append(found)
    found = []
    for row, p in zip(rows, holm([row.p for row in rows]), strict=True):
        level = holm_level(row.p, p)
        ranks = mann_whitney(medians[row.first].to_numpy(), medians[row.second].to_numpy(), level)
        limits = ranks.difference
        corrected = replace(row, p_holm=p, holm_low_s=limits.ci_low, holm_high_s=limits.ci_high)
        found.append(replace(corrected, note=row.note or ranks.note))
    return tuple(found)


def _help(answers: Answers) -> tuple[HelpTime, ...]:
    frame = answers.frame
    if not np.isfinite(frame["help_s"]).any():
        return ()
    rows = []
    for method in answers.arms:
        own = frame.loc[frame["method"] == method, "help_s"]
        seen = own[np.isfinite(own)]
        share = limits_row(wilson(Count(len(seen), len(own))), "share")
        median = float(seen.median()) if len(seen) else None
        rows.append(HelpTime(method, len(own), **share, median_s=median))
    return tuple(rows)


def _middle_half(row: ArmTime) -> str:
    return f"{number(row.quarter_low_s)}–{number(row.quarter_high_s)}"


BY_ARM = ReportTable(
    "times",
    some("arms"),
    "Response times: medians of participants’ medians.",
    (
        Column("Arm", arm()),
        Column("Participants", "people", grouped, "n"),
        Column("Median", "median_s", number, "s"),
        Column("Middle half", _middle_half, str, "s"),
        Column("Right answers", "right_s", number, "s"),
        Column("Wrong answers", "wrong_s", number, "s"),
        Column("With accuracy", "rho", number, "Spearman’s ρ"),
        Column("p", "rho_p", p_value),
    ),
    "With accuracy: whether participants who take longer are right more often.",
)
PAIRS = ReportTable("time_pairs", some("pairs"))
HELP = ReportTable(
    "help_times",
    some("help"),
    "Help that came later.",
    (
        Column("Arm", arm()),
        Column("Answers", "n", grouped, "n"),
        Column("Help was seen", "share", tenths),
        limits(bare_percent),
        Column("After", "median_s", number, "s, median"),
    ),
)
TIMES = Question(
    id="times",
    title="Time",
    answer=Times,
    compute=compute,
    parts=(BY_ARM, HELP, PAIRS),
    shown=lambda found: found.arms,
    needs={"rt_s": "response times"},
    registered=lambda _: Promise("secondary", "Times to the answer by arm."),
)
"""How long people take."""

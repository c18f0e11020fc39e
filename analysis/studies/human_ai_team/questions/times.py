"""How long people take, and when they ask for help."""

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
import pandas as pd
from scipy.stats import spearmanr

from analysis.questions.estimates import (
    AGAINST,
    Contrast,
    EstimateRow,
    Estimates,
    Quantity,
    estimate_row,
    family,
    share_row,
)
from analysis.questions.pivot import level_of, limits_of, n_of, p_of, pivot, value_of
from analysis.questions.question import Promise, Question
from analysis.report.parts import Column
from analysis.report.wording import correlation, number
from analysis.statistics.comparison import mann_whitney
from analysis.statistics.proportions import Count
from analysis.studies.human_ai_team.data import TeamData
from analysis.studies.human_ai_team.trials import Answers
from analysis.studies.human_ai_team.words import arm_name, tenths
from stimuli.studies.human_ai_team.protocol import help_kind

LEAST_PEOPLE: Final = 4

MEDIAN = Quantity("median_s", "Median", "Median of participants’ median times.", unit="s")
LOWER = Quantity("quarter_low_s", "Lower quartile", "Lower quartile of the same medians.", unit="s")
UPPER = Quantity("quarter_high_s", "Upper quartile", "Upper quartile of them.", unit="s")
RIGHT = Quantity("right_s", "Right answers", "The median of right answers alone.", unit="s")
WRONG = Quantity("wrong_s", "Wrong answers", "The median of wrong answers alone.", unit="s")
RHO = Quantity(
    "time_accuracy_rho", "With accuracy",
    "Correlation of participants’ median times with their right answers.", correlation,
    "Spearman’s ρ",
)  # fmt: skip
SHIFT = Quantity(
    "shift_s", "Shift", "Hodges and Lehmann’s shift of participants’ median times.", unit="s"
)
EFFECT = Quantity("time_r", "Rank-biserial r", "Effect size of the same test.")
SEEN = Quantity(
    "help_seen", "Help was seen", "Share of answers in which help was seen.", tenths
)  # fmt: skip
HELP = Quantity("help_s", "After", "Median time to the help.", unit="s, median")


def compute(data: TeamData) -> Estimates:
    """Return times by arm; no rows if no answer has a time, or no help came later."""
    answers = data.answers
    timed = answers.frame[np.isfinite(answers.frame["rt_s"])]
    arms = [(method, of_arm) for method in answers.arms
            if len(of_arm := timed[timed["method"] == method])]  # fmt: skip
    of_arms = (row for method, trials in arms for row in _of_arm(method, trials))
    return Estimates((*of_arms, *_pairs(answers.pairs(), timed), *_help(answers)))


def _of_arm(method: str, trials: pd.DataFrame) -> Iterator[EstimateRow]:
    of = {"method": method}
    medians = trials.groupby("participant")["rt_s"].median()
    for quantity, share in ((MEDIAN, 0.5), (LOWER, 0.25), (UPPER, 0.75)):
        yield estimate_row(quantity, of, float(medians.quantile(share)), len(medians))
    for quantity, rows in ((RIGHT, trials[trials["correct"]]), (WRONG, trials[~trials["correct"]])):
        if len(rows):
            middle = rows.groupby("participant")["rt_s"].median().median()
            yield estimate_row(quantity, of, float(middle))
    right = trials.groupby("participant")["correct"].mean()
    if len(medians) >= LEAST_PEOPLE and medians.nunique() > 1 and right.nunique() > 1:
        rho = spearmanr(medians, right[medians.index])
        yield estimate_row(RHO, of, float(rho.statistic), len(medians), p=float(rho.pvalue))


def _pairs(pairs: Sequence[tuple[str, str]], timed: pd.DataFrame) -> Iterator[EstimateRow]:
    """Yield each pair of arms' shift, corrected over all pairs, and its effect size."""
    medians = timed.groupby(["method", "participant"])["rt_s"].median()
    there = [pair for pair in pairs if {*pair} <= set(timed["method"])]
    ranks = {pair: mann_whitney(*(medians[arm].to_numpy() for arm in pair)) for pair in there}
    names = {pair: {"method": pair[0], AGAINST: pair[1]} for pair in there}
    yield from family([Contrast.of_comparison(SHIFT, names[pair], ranks[pair]) for pair in there])
    for pair in there:
        yield estimate_row(EFFECT, names[pair], ranks[pair].effect, sum(ranks[pair].n))


def _help(answers: Answers) -> Iterator[EstimateRow]:
    frame = answers.frame
    if not np.isfinite(frame["help_s"]).any():
        return
    for method in answers.arms:
        if help_kind(method) == "none":
            continue
        times = frame.loc[frame["method"] == method, "help_s"]
        seen = times[np.isfinite(times)]
        yield share_row(SEEN, {"method": method}, Count(len(seen), len(times)))
        if len(seen):
            yield estimate_row(HELP, {"method": method}, float(seen.median()), len(seen))


ARM: Final = level_of("method", "Arm", arm_name)
BY_ARM = pivot(
    "Response times: medians of participants’ medians.",
    (
        ARM,
        n_of(MEDIAN, "Participants"),
        value_of(MEDIAN),
        Column("Middle half", lambda row: f"{number(row[LOWER.id])}–{number(row[UPPER.id])}", str,
               "s"),
        value_of(RIGHT),
        value_of(WRONG),
        value_of(RHO),
        p_of(RHO),
    ),
    by=("method",),
    of=lambda answer: answer.rows(MEDIAN, LOWER, UPPER, RIGHT, WRONG, RHO),
    note=lambda answer: (
        "With accuracy: whether participants who take longer are right more often."
        if answer.rows(RHO)
        else ""
    ),
)  # fmt: skip
OF_HELP = pivot(
    "Help that came later.",
    (ARM, n_of(SEEN, "Answers"), value_of(SEEN), limits_of(SEEN), value_of(HELP)),
    by=("method",),
    of=lambda answer: answer.rows(SEEN, HELP),
)
TIMES = Question(
    id="times",
    title="Time",
    answer=Estimates,
    quantities=(MEDIAN, LOWER, UPPER, RIGHT, WRONG, RHO, SHIFT, EFFECT, SEEN, HELP),
    compute=compute,
    parts=(BY_ARM, OF_HELP),
    shown=lambda answer: answer.rows(MEDIAN),
    needs={"rt_s": "response times"},
    registered=lambda _: Promise("Times to the answer by arm."),
)
"""How long people take."""

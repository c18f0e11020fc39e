"""Accuracy per person, as published: means with both standard deviations, by arm."""

from dataclasses import dataclass
from typing import Annotated

import numpy as np
import pandas as pd

from analysis.report.about import about
from analysis.report.estimates import limits_row
from analysis.statistics.proportions import Count, wilson
from analysis.studies.human_ai_team.rates import Rates
from analysis.studies.human_ai_team.strata import strata
from analysis.studies.human_ai_team.trials import Answers
from stimuli.studies.human_ai_team.tables import BINS


@dataclass(frozen=True, slots=True)
class ArmAccuracy:
    """Accuracy per participant in an arm, in per cent."""

    method: Annotated[str, about("The arm.")]
    mean: Annotated[float, about("Mean over participants, per cent.")]
    sd: Annotated[float | None, about("Standard deviation, divided by n − 1; null for one.")]
    n: Annotated[int, about("Participants.")]
    sd_n: Annotated[float, about("Standard deviation, divided by n, as published for lay users.")]
    ci_low: Annotated[float | None, about("Lower 95 % limit of the mean, per cent.")]
    ci_high: Annotated[float | None, about("Upper 95 % limit of the mean, per cent.")]
    median: Annotated[float, about("Median over participants, per cent.")]
    lowest: Annotated[float, about("Lowest, per cent.")]
    highest: Annotated[float, about("Highest, per cent.")]
    right: Annotated[int, about("Right answers.")]
    answers: Annotated[int, about("Answers.")]


@dataclass(frozen=True, slots=True)
class PersonAccuracy:
    """A participant's accuracy in an arm."""

    method: Annotated[str, about("The arm.")]
    participant: Annotated[str, about("Code of the participant.")]
    correct: Annotated[float, about("Share of right answers, 0 to 1.")]
    n: Annotated[int, about("Answers.")]


@dataclass(frozen=True, slots=True)
class BinAccuracy:
    """An arm's right answers in a bin."""

    bin: Annotated[str, about("The bin: whether the AI is right, and how hard the image is.")]
    method: Annotated[str, about("The arm.")]
    right: Annotated[int, about("Right answers.")]
    n: Annotated[int, about("Answers.")]
    images: Annotated[int, about("Different images.")]
    rate: Annotated[float | None, about("Share of right answers, 0 to 1.")]
    ci_low: Annotated[float | None, about("Lower 95 % limit (Wilson).")]
    ci_high: Annotated[float | None, about("Upper 95 % limit (Wilson).")]


def own_accuracies(answers: Answers) -> pd.DataFrame:
    """Return each person's accuracy in each arm: ``participant, method, correct, n``."""
    grouped = answers.frame.groupby(["method", "participant"], sort=True)["correct"]
    return grouped.agg(correct="mean", n="size").reset_index()


def person_accuracies(answers: Answers) -> tuple[PersonAccuracy, ...]:
    """Return each person's accuracy in each arm."""
    own = own_accuracies(answers)
    return tuple(
        PersonAccuracy(**dict(zip(own.columns.astype(str), row, strict=True)))
        for row in own.itertuples(index=False)
    )


def per_user_accuracy(answers: Answers, rates: Rates, part: str) -> tuple[ArmAccuracy, ...]:
    """Return mean accuracy per person by arm, with its limits over people and images."""
    own = own_accuracies(answers.part(part))
    rows = []
    for arm in answers.arms:
        shares = 100 * own.loc[own["method"] == arm, "correct"].to_numpy(dtype=float)
        if not len(shares):
            continue
        limits = rates.interval("accuracy", part, arm)
        counted = rates.counted("correct", part, arm)
        rows.append(
            ArmAccuracy(
                method=arm,
                mean=float(shares.mean()),
                sd=float(shares.std(ddof=1)) if len(shares) > 1 else None,
                n=len(shares),
                sd_n=float(shares.std()),
                ci_low=100 * limits.ci_low,
                ci_high=100 * limits.ci_high,
                median=float(np.median(shares)),
                lowest=float(shares.min()),
                highest=float(shares.max()),
                right=counted.successes,
                answers=counted.n,
            )
        )
    return tuple(rows)


def bin_rows(answers: Answers) -> tuple[BinAccuracy, ...]:
    """Return each arm's accuracy in each bin, with Wilson's limits of its answers as they are."""
    frame = answers.frame[answers.frame["level"] != ""]
    named = strata(frame)
    rows = []
    for bin_ in BINS:
        for arm in answers.arms:
            own = frame[(named == bin_) & (frame["method"] == arm)]
            if own.empty:
                continue
            found = wilson(Count(int(own["correct"].sum()), len(own)))
            rows.append(
                BinAccuracy(
                    bin=bin_,
                    method=arm,
                    right=int(own["correct"].sum()),
                    n=len(own),
                    images=int(own["item"].nunique()),
                    **limits_row(found, "rate"),
                )
            )
    return tuple(rows)

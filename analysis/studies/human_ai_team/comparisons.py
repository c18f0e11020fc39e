"""Arms compared pair by pair, by what each person got right: as published, and with effect sizes.

Participants are the only random unit here. Where arms share images that help some and mislead
others, these tests find differences too often: the mixed model is the one to go by.
"""

import warnings
from typing import Any

import pandas as pd

from analysis.report.estimates import limits_row, named_row
from analysis.statistics.comparison import (
    Comparison,
    holm,
    mann_whitney,
    paired_t,
    welch,
    wilcoxon,
)
from analysis.studies.human_ai_team.accuracy import own_accuracies
from analysis.studies.human_ai_team.rates import Rates
from analysis.studies.human_ai_team.trials import Answers

Row = dict[str, Any]


def accuracy_pairs(answers: Answers, rates: Rates) -> list[Row]:
    """Return all pairs of arms: rank test, means' difference, effect sizes, Holm's correction.

    People with answers in both arms are compared with themselves (signed ranks).

    Returns
    -------
    list of dict
        ``part, first, second``; ``test, statistic, of, p, p_holm`` (over the pairs of a part; the
        statistic is U of the first arm, ``of`` the largest that it can be); ``shift`` (Hodges and
        Lehmann's) and ``difference`` (of means, points as shares) with limits by people alone;
        ``resampled`` with limits over people and images; ``effect_name, effect`` (rank-biserial)
        and ``g`` (Hedges') with limits.
    """
    rows = []
    for part in answers.parts:
        own = own_accuracies(answers.part(part))
        found = [_pair(own, part, *pair, rates) for pair in answers.part(part).pairs()]
        for row, adjusted in zip(found, holm([row["p"] for row in found]), strict=True):
            rows.append({**row, "p_holm": adjusted})
    return rows


def _pair(own: pd.DataFrame, part: str, first: str, second: str, rates: Rates) -> Row:
    by_arm = own.pivot(index="participant", columns="method", values="correct")
    a, b = (by_arm[arm].to_numpy(dtype=float) for arm in (first, second))
    both = by_arm[[first, second]].notna().all(axis=1).sum() > 1
    with warnings.catch_warnings():
        # Where everybody in an arm is alike scipy warns of what the table shows.
        warnings.simplefilter("ignore", RuntimeWarning)
        ranks: Comparison = wilcoxon(a, b) if both else mann_whitney(a, b)
        means = paired_t(a, b) if both else welch(a, b)
    return {
        "part": part,
        "first": first,
        "second": second,
        "n_first": ranks.n[0],
        "n_second": ranks.n[1],
        "test": ranks.test,
        "statistic": ranks.statistic,
        "of": None if both else ranks.n[0] * ranks.n[1],
        "p": ranks.p,
        "p_t": means.p,
        **named_row(ranks.difference, "shift"),
        **named_row(means.difference, "difference"),
        **named_row(rates.difference("accuracy", part, first, second), "resampled"),
        "effect_name": ranks.effect_name,
        **named_row(ranks.effect, "effect"),
        **named_row(means.effect, "g"),
    }


def rate_pairs(answers: Answers, rates: Rates, measures: tuple[str, ...]) -> list[Row]:
    """Return how much measures differ between arms, with limits over people and images."""
    return [
        {
            "measure": measure,
            "part": part,
            "first": first,
            "second": second,
            **limits_row(rates.difference(measure, part, first, second)),
        }
        for part in answers.parts
        for measure in measures
        for first, second in answers.part(part).pairs()
    ]

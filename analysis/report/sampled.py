"""A random sample of participants, for what takes too long with all of them."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from analysis.report.wording import grouped
from stimuli.io.canonical import keyed_order

PURPOSE = "participants of a model"


def people_within(rows: Mapping[str, int], most_rows: int) -> list[str]:
    """Return participants drawn at random, as many as have so many rows together; at least one.

    A keyed hash of their codes draws them, so that the same participants come first at every size.

    Parameters
    ----------
    rows
        Number of rows by participant.
    most_rows
        How many rows they may have together.
    """
    order = keyed_order(rows, PURPOSE)
    total = np.cumsum([rows[code] for code in order])
    return order[: max(1, int(np.searchsorted(total, most_rows, side="right")))]


def people_by_arm(answers: pd.DataFrame, most_rows: int) -> list[str]:
    """Return participants drawn as in `people_within`, about the same share of every arm.

    Parameters
    ----------
    answers
        With columns ``participant`` and ``method``.
    most_rows
        How many rows they may have together.
    """
    if len(answers) <= most_rows:
        return sorted(answers["participant"].unique())
    drawn: set[str] = set()
    for _, own in answers.groupby("method"):
        share = most_rows * len(own) // len(answers)
        rows = {str(name): n for name, n in own["participant"].value_counts().items()}
        drawn |= set(people_within(rows, share))
    return sorted(drawn)


def sample_note(drawn: int, everybody: int, what: str) -> str:
    """Return that an analysis rests on a sample of participants."""
    return (
        f"{what} to the data of {grouped(drawn)} of {grouped(everybody)} participants, who were "
        "drawn at random: with all of them it would take too long. Estimates stay unbiased; "
        "intervals are as wide as so many participants require."
    )

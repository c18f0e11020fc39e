"""Person-step rows: one row for each step of each round until recognition or its end.

The rows of a discrete-time hazard model (Singer & Willett 1993, J. Educ. Stat. 18): the
response is whether the round was recognised at that step.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from analysis.statistics.survival.steps import Rounds

Array = np.ndarray

LEAST_EVENTS = 5
"""Recognitions by every method that a step must have to stand by itself in a model."""


def person_steps(rounds: Rounds, columns: Mapping[str, Sequence[object]]) -> pd.DataFrame:
    """Return the rows of all rounds, in order.

    Parameters
    ----------
    rounds
        (n,) rounds; one of which no whole step was seen gives no row.
    columns
        Further columns, (n,) each, repeated for every step of the round.

    Returns
    -------
    DataFrame
        ``recognised`` (0 or 1), ``step`` (from 1), ``round`` (the round's place), and the
        columns.
    """
    place = np.repeat(np.arange(len(rounds.step)), rounds.step)
    starts = np.cumsum(rounds.step) - rounds.step
    step = np.arange(len(place)) - starts[place] + 1
    last = step == rounds.step[place]
    made = {name: np.asarray(values)[place] for name, values in columns.items()}
    recognised = (last & rounds.recognised[place]).astype(float)
    return pd.DataFrame({"recognised": recognised, "step": step, "round": place, **made})


def pooled_steps(rows: pd.DataFrame, by: str, least: int = LEAST_EVENTS) -> dict[int, int]:
    """Return for each step the first step of the run of steps that it is pooled with.

    A step at which some level of `by` has fewer recognitions than `least` can't have a
    hazard of its own there: neighbours are joined, from the first step on, until every
    level has enough; what is left over at the end joins the run before it.

    Parameters
    ----------
    rows
        From `person_steps`.
    by
        A column, e.g. the method.
    least
        Recognitions wanted.
    """
    levels = rows[by].unique()
    events = rows[rows["recognised"] == 1].groupby(["step", by]).size().unstack(fill_value=0)
    steps = sorted(rows["step"].unique())
    events = events.reindex(index=steps, columns=levels, fill_value=0)
    starts: list[int] = []
    total = np.zeros(len(levels))
    first = steps[0]
    for step in steps:
        total = total + events.loc[step].to_numpy()
        if (total >= least).all():
            starts.append(first)
            first, total = step + 1, np.zeros(len(levels))
    starts = starts or [steps[0]]
    return {step: max(start for start in starts if start <= step) for step in steps}

"""Who judges which item, by whom solved and whether explained: the study's balance."""

import itertools
from collections.abc import Sequence

import numpy as np
import pandas as pd

SOLVERS = ("S", "E")
LISTS = 4


def lay_out(
    rng: np.random.Generator, participants: int, items: int, orders: Sequence[str]
) -> pd.DataFrame:
    """Return the solved trials of a study, without answers.

    As the builder balances packs: everyone sees every item once; the four combinations of
    solver and run rotate over the items from list to list, so that four lists show each
    item once in each. Lists and orders are given out in blocks that hold each pair of them once.

    Parameters
    ----------
    rng
        Which items go together, and who gets which list.
    participants, items
        How many.
    orders
        Which run comes first: ``without_first``, ``with_first`` or both.

    Returns
    -------
    DataFrame
        ``participant`` and ``item`` (codes from 0), ``solver``, ``explained``, ``list``,
        ``order``, ``run``; one row for each trial.
    """
    place = rng.permutation(items)
    cells = list(itertools.product(range(LISTS), orders))
    blocks = -(-participants // len(cells))
    given = np.concatenate([rng.permutation(len(cells)) for _ in range(blocks)])[:participants]
    person, item = (
        np.repeat(np.arange(participants), items),
        np.tile(np.arange(items), participants),
    )
    lists = np.array([cells[cell][0] for cell in given])[person]
    with_first = np.array([cells[cell][1] == "with_first" for cell in given])[person]
    combination = (place[item] + lists) % LISTS
    explained = combination >= 2
    return pd.DataFrame(
        {
            "participant": person,
            "item": item,
            "solver": np.where(combination % 2 == 0, *SOLVERS),
            "explained": explained,
            "list": lists,
            "order": np.where(with_first, "with_first", "without_first"),
            "run": np.where(explained == with_first, 1, 2),
        }
    )

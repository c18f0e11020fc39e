"""Large progressive_reveal tables, made in seconds from a hundred simulated people."""

import numpy as np
import pandas as pd

from tests.analysis.studies.progressive_reveal.world import STEP_S, World

PEOPLE = 100
LEAVING = 0.03
REDRAWN = 0.3
WORLD = World(classes=17, each=6, lapse=(0.05, 0.05, 0.2, 0.05))


def large_table(people: int, *, seed: int = 7) -> pd.DataFrame:
    """Return a table of 102 rounds a person, as many as the published protocol has.

    A hundred simulated people are repeated under new codes. In each copy three tenths of the
    completed rounds end at a step drawn anew among those of the same image and method, so that no
    two people are alike.
    """
    base = WORLD.study(PEOPLE, leaving=LEAVING)
    copies = -(-people // PEOPLE)
    table = pd.concat([base] * copies, ignore_index=True)
    number = table["participant"].str[1:].astype(int).to_numpy()
    number += PEOPLE * np.repeat(np.arange(copies), len(base))
    codes = np.char.add("P", np.char.zfill(number.astype(str), 6))
    rng = np.random.Generator(np.random.PCG64(seed))
    redrawn = (rng.random(len(table)) < REDRAWN) & ~table["left"].to_numpy()
    places = np.flatnonzero(redrawn)
    cell = table.groupby(["item", "method"]).ngroup().to_numpy()[places]
    by_cell = places[np.argsort(cell, kind="stable")]
    shuffled = places[np.lexsort((rng.random(len(places)), cell))]
    ended = ["recognised", "step", "pixels", "step_first_key", "pixels_first_key", "censored",
             "first_attempt_right", "attempts", "rt_s"]  # fmt: skip
    for name in ended:
        values = table[name].to_numpy().copy()
        values[by_cell] = values[shuffled]
        table[name] = values
    late = np.where(table["recognised"], rng.uniform(0, STEP_S, len(table)), np.nan)
    table = table.assign(
        participant=codes,
        session=np.char.add(codes, "-1"),
        rt_s=(table["step"] - 1) * STEP_S + late,
        typing_s=table["typing_s"] * np.exp(rng.normal(0, 0.1, number.max() + 1))[number],
    )
    return table[number <= people].reset_index(drop=True)

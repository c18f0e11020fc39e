"""Large accept_reject tables, made in seconds from forty simulated leads."""

import numpy as np
import pandas as pd

from tests.analysis.studies.accept_reject.simulate_table import CUTOFF_S, LIMIT_S, simulate

ROBOTS = ["lead"] * 36 + ["dichromat", "contour_reader", "lazy", "random"]
REDRAWN = 0.1


def large_table(leads: int, *, seed: int = 7) -> pd.DataFrame:
    """Return a table of about a hundred trials a lead.

    Forty simulated leads are repeated under new codes; every copy has a tenth of its
    decisions drawn anew and times of its own, so that no two leads are alike.
    """
    base = simulate(ROBOTS, per_solver=16, scale=0.35, purpose="robot")
    copies = -(-leads // len(ROBOTS))
    table = pd.concat([base] * copies, ignore_index=True)
    number = table["participant"].str[1:].astype(int).to_numpy()
    number = number + len(ROBOTS) * np.repeat(np.arange(copies), len(base))
    codes = np.char.add("P", np.char.zfill(number.astype(str), 6))
    rng = np.random.Generator(np.random.PCG64(seed))
    redrawn = rng.random(len(table)) < REDRAWN
    decision = table["decision"].to_numpy().copy()
    decision[redrawn] = np.where(rng.random(redrawn.sum()) < 0.5, "accept", "reject")
    rt_s = (table["rt_s"] * rng.lognormal(0, 0.1, len(table))).clip(upper=LIMIT_S).round(6)
    rt_s = rt_s.mask((decision != "none") & rt_s.isna(), 2.0)
    in_time = rt_s <= CUTOFF_S
    table = table.assign(
        participant=codes,
        session=np.char.add(codes, "-1"),
        decision=decision,
        rt_s=rt_s,
        rt_corrected_s=rt_s - 0.012,
        in_time=in_time,
        accepted=in_time & (decision == "accept"),
    )
    return table[number <= leads].reset_index(drop=True)

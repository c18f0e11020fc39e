"""What a lab's first datasets look like: hardly any people, empty arms, equal answers."""

import pandas as pd

from tests.analysis.studies.accept_reject.simulate_table import simulate

LEAST = ["participant", "item", "explained", "solver", "decision", "rt_s"]


def small(robots=("lead", "lead"), per_solver=6, **changes):
    """Return a small table of some leads."""
    return simulate(list(robots), per_solver=per_solver, scale=0.3, **changes)


def separated():
    """Return leads who accept with explanations and never without."""
    table = small(("lead",) * 4)
    decision = table["explained"].map({True: "accept", False: "reject"})
    return table.assign(decision=decision, rt_s=1.0)


def crowd(leads=24):
    """Return more leads than a page names."""
    robots = ["lead"] * 4 + ["contour_reader", "lazy"]
    table = small(robots, per_solver=4)
    copies = -(-leads // len(robots))
    parts = [table.assign(participant=table["participant"] + f"x{k}") for k in range(copies)]
    return pd.concat(parts, ignore_index=True)


ODD_TABLES = {
    "one participant": lambda: small(["lead"]),
    "two participants": small,
    "one item": lambda: small().assign(item="plate-0001"),
    "one trial": lambda: small(["lead"]).head(1),
    "no accepted trial": lambda: small().assign(decision="reject"),
    "no answer at all": lambda: small().assign(decision="none", rt_s=None),
    "all answers equal": lambda: small().assign(decision="accept", rt_s=1.0),
    "complete separation": separated,
    "no trial with explanation": lambda: small().query("~explained"),
    "no trial of the experts": lambda: small().query("solver != 'E'"),
    "no controls": lambda: small().query("solver != 'control'"),
    "controls alone": lambda: small().query("solver == 'control'"),
    "everyone excluded by rule": lambda: simulate(["lazy", "lazy", "rejecting"], per_solver=6),
    "six columns": lambda: small()[LEAST],
    "a crowd": crowd,
}

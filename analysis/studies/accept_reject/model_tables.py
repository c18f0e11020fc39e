"""The report's tables of controls and of the mixed model."""

from collections.abc import Mapping
from typing import Any

from analysis.report.parts import Table, table
from analysis.report.wording import grouped, interval, number, percent, points
from analysis.studies.accept_reject.words import (
    INTERVAL_COLUMN,
    KIND_WORDS,
    N_COLUMN,
    RUN_WORDS,
    bare_percent,
)

Results = Mapping[str, Any]


def control_kinds(results: Results) -> Table:
    """Share accepted of every kind of control."""
    kinds = results["controls"]["kinds"]
    rows, strong = [], []
    for place, row in enumerate(kinds):
        if place and kinds[place - 1]["explained"] != row["explained"]:
            strong.append(place)
        rows.append(
            (
                RUN_WORDS[row["explained"]],
                KIND_WORDS[row["control_kind"]],
                percent(row["rate"], 1),
                interval(row["ci_low"], row["ci_high"], bare_percent),
                grouped(row["n"]),
            )
        )
    columns = [
        ("Explanation", "", False),
        ("Control", "", False),
        ("Accepted", "at any time", True),
        INTERVAL_COLUMN,
        N_COLUMN,
    ]
    caption = "Controls accepted, whenever the answer came."
    return table(caption, columns, rows, strong=strong, row_headers=2)


def detection(results: Results) -> Table:
    """Signal detection by explained and kind of wrong digit."""
    found = results["controls"]["detection"]
    rows, strong = [], []
    for place, row in enumerate(found):
        if place and found[place - 1]["explained"] != row["explained"]:
            strong.append(place)
        rows.append(
            (
                RUN_WORDS[row["explained"]],
                KIND_WORDS.get(row["noise"], row["noise"]),
                f"{percent(row['hit_rate'])} ({grouped(row['n_signal'])})",
                f"{percent(row['false_alarm_rate'])} ({grouped(row['n_noise'])})",
                _with_limits(row, "d_prime"),
                _with_limits(row, "criterion"),
            )
        )
    columns = [
        ("Explanation", "", False),
        ("Noise", "", False),
        ("Hits", "(n)", True),
        ("False alarms", "(n)", True),
        ("d′", "", True),
        ("c", "", True),
    ]
    return table(
        "Signal detection on the raw decision: signals are right digits, noise is wrong digits.",
        columns,
        rows,
        "Log-linear correction (half a trial added to each count, one to each total). A positive "
        "c leans to rejecting.",
        strong=strong,
        row_headers=2,
    )


def marginal(results: Results) -> Table:
    """Probabilities averaged over people and items."""
    model = results["model"]
    rows = [
        (
            f"{row['solver']}, {RUN_WORDS[row['explained']]} explanation",
            percent(row["estimate"], 1),
            interval(row["ci_low"], row["ci_high"], bare_percent),
        )
        for row in model["marginal"]
    ]
    rows += [
        (
            f"usefulness, {row['solver'].replace('S-E', 'S less E')}",
            f"{points(row['estimate'])} points",
            interval(row["ci_low"], row["ci_high"], points),
        )
        for row in model["marginal_usefulness"]
    ]
    columns = [("", "", False), ("Estimate", "", True), INTERVAL_COLUMN]
    return table(
        "Probability that a lead accepts, averaged over leads, plates, runs and orders.",
        columns,
        rows,
        "From the mixed model, random effects integrated out, limits by the delta method.",
        strong=[4],
    )


def _with_limits(row: Mapping[str, Any], name: str) -> str:
    return f"{number(row[name])} {interval(row[f'{name}_low'], row[f'{name}_high'])}"

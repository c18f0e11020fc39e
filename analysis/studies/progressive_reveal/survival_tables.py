"""Tables of what keeps unrecognised rounds: curves, restricted means, models."""

from collections.abc import Mapping
from typing import Any

from analysis.report.parts import Table, table
from analysis.report.wording import NOTHING, grouped, interval, number, p_value, percent
from analysis.studies.progressive_reveal.sentences import points_tenth
from analysis.studies.progressive_reveal.words import (
    INTERVAL_COLUMN,
    bare,
    method_cell,
    method_name,
    share_cells,
)

Results = Mapping[str, Any]
Row = Mapping[str, Any]

_METHOD = ("Method", "", False)


def restricted(results: Results) -> Table:
    """Return restricted means and their differences."""
    found = results["survival"]["restricted"]
    gaps = {row["method"]: row for row in found["differences"]}
    rows = []
    for row in found["methods"]:
        gap = gaps.get(row["method"])
        rows.append(
            (
                method_cell(row["method"]),
                *share_cells(row),
                f"{bare(row['lower'])} to {bare(row['upper'])}"
                if row["lower"] is not None
                else NOTHING,
                points_tenth(gap["estimate"]) if gap else NOTHING,
                interval(gap["ci_low"], gap["ci_high"], points_tenth) if gap else NOTHING,
                p_value(gap["p"]) if gap else NOTHING,
            )
        )
    columns = [
        _METHOD,
        ("Restricted mean", "% of image", True),
        INTERVAL_COLUMN,
        ("Within steps", "% of image", True),
        ("Less the reference", "points", True),
        INTERVAL_COLUMN,
        ("p", "bootstrap", True),
    ]
    note = (
        "Lower is better. Within steps: recognition set at the lower and at the upper end of its "
        "step’s interval; the mean has it in the middle."
    )
    caption = "Mean share of the image uncovered up to recognition, restricted image by image."
    return table(caption, columns, rows, note)


def asked(results: Results) -> Table:
    """Return recognition at a few shares of the image, three ways."""
    rows, strong, last = [], [], None
    for row in sorted(results["survival"]["needed"]["asked"], key=lambda row: row["share"]):
        if last not in (None, row["share"]):
            strong.append(len(rows))
        last = row["share"]
        rows.append(
            (
                f"{percent(row['share'], 1)}",
                method_cell(row["method"]),
                number(None if row["recognised_only"] is None else 100 * row["recognised_only"], 1),
                interval(row["only_low"], row["only_high"], bare),
                *share_cells(row),
                number(100 * row["end_final"], 1),
            )
        )
    columns = [
        ("At most uncovered", "", False),
        _METHOD,
        ("Recognised rounds only", "%", True),
        INTERVAL_COLUMN,
        ("All rounds, censored", "%", True),
        INTERVAL_COLUMN,
        ("All rounds, end is final", "%", True),
    ]
    note = (
        "Recognised rounds only: as published. Censored: Turnbull’s estimate; a round that ended "
        "unrecognised says nothing of larger shares. End is final: such a round counts as never "
        "recognised, whatever more might have been uncovered."
    )
    return table("Recognised with at most so much of the image.", columns, rows, note, strong,
                 row_headers=2)  # fmt: skip


def late(results: Results) -> Table:
    """Return by which share nine tenths are recognised."""
    needed = results["survival"]["needed"]
    rows = [
        (
            method_cell(row["method"]),
            number(None if row["recognised_only"] is None else 100 * row["recognised_only"], 1),
            "not reached" if row["turnbull"] is None else number(100 * row["turnbull"], 1),
            number(100 * row["known_to"], 1),
            number(100 * row["by_then"], 1),
        )
        for row in needed["late"]
    ]
    columns = [
        _METHOD,
        ("Recognised rounds only", "% of image", True),
        ("All rounds, censored", "% of image", True),
        ("Known up to", "% of image", True),
        ("Recognised by then", "%", True),
    ]
    share = percent(needed["late_rate"])
    return table(f"Share of the image by which {share} are recognised.", columns, rows)


def mean_steps(results: Results) -> Table:
    """Return mean steps with differences to the reference."""
    found = results["survival"]["steps"]
    gaps = {row["method"]: row for row in found["differences"]}
    rows = []
    for row in found["mean_steps"]:
        gap = gaps.get(row["method"])
        rows.append(
            (
                method_cell(row["method"]),
                number(row["estimate"]),
                interval(row["ci_low"], row["ci_high"]),
                number(gap["estimate"]) if gap else NOTHING,
                interval(gap["ci_low"], gap["ci_high"]) if gap else NOTHING,
                p_value(gap["p"]) if gap else NOTHING,
            )
        )
    columns = [
        _METHOD,
        ("Mean steps", "", True),
        INTERVAL_COLUMN,
        ("Less the reference", "steps", True),
        INTERVAL_COLUMN,
        ("p", "bootstrap", True),
    ]
    return table(
        "Steps begun until recognition; unrecognised rounds count with all steps.", columns, rows
    )


def contrasts(results: Results) -> Table:
    """Return the model's differences to the reference."""
    rows = []
    for row in results["models"]["contrasts"]:
        recognised = row["of"] == "recognised"
        write = points_tenth if recognised else number
        rows.append(
            (
                f"{method_name(row['method'])} less {method_name(row['reference'])}",
                "recognised by the end, points" if recognised else "mean steps",
                write(row["estimate"]),
                interval(row["ci_low"], row["ci_high"], write),
            )
        )
    columns = [("", "", False), ("Of", "", False), ("Difference", "", True), INTERVAL_COLUMN]
    note = (
        "From the discrete-time model; random effects integrated out, limits by the delta method."
    )
    return table("Averaged over people and images.", columns, rows, note, row_headers=2)


def cox(results: Results) -> Table:
    """Return Cox's hazard ratios."""
    found = results["cox"]
    rows = [
        (
            f"{method_name(row['method'])} to {method_name(row['reference'])}",
            number(row["hazard_ratio"]),
            interval(row["ci_low"], row["ci_high"]),
            p_value(row["p"]),
        )
        for row in found["rows"]
    ]
    columns = [("", "", False), ("Hazard ratio", "", True), INTERVAL_COLUMN, ("p", "Wald", True)]
    test = found["log_rank"]
    note = f"{found['engine']}. {found['remark']}"
    if test is not None:
        note += (
            f" Log-rank: {number(test['statistic'], 1)} on {test['df']} degrees of freedom, p "
            f"{p_value(test['p'])}. {found['log_rank_remark']}"
        )
    return table("Another program: Cox’s model over steps.", columns, rows, note)


def typing(results: Results) -> Table:
    """Return methods' coefficients with and without typing time."""
    found = results["models"]["typing"]
    rows = [
        (row["term"], number(row["without"]), number(row["with"]), number(row["se"]))
        for row in found["methods"]
    ]
    columns = [
        ("Term", "", False),
        ("Without typing time", "log odds", True),
        ("With it", "log odds", True),
        ("SE", "", True),
    ]
    return table("Methods with and without typing time.", columns, rows)


def sensitivity(results: Results) -> Table:
    """Return restricted means' differences under other choices."""
    rows, strong, last = [], [], None
    for row in results["sensitivity"]:
        if last not in (None, row["analysis"]):
            strong.append(len(rows))
        rows.append(
            (
                row["analysis"] if last != row["analysis"] else "",
                method_cell(row["method"]),
                points_tenth(row["estimate"]),
                interval(row["ci_low"], row["ci_high"], points_tenth),
                p_value(row["p"]),
                grouped(row["rounds"]),
            )
        )
        last = row["analysis"]
    columns = [
        ("Analysis", "", False),
        _METHOD,
        ("Less the reference", "points of the image", True),
        INTERVAL_COLUMN,
        ("p", "bootstrap", True),
        ("Rounds", "n", True),
    ]
    caption = "Restricted mean less the reference’s, under other choices."
    return table(caption, columns, rows, strong=strong, row_headers=2)

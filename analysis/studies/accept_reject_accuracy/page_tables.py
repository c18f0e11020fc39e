"""Tables of the accuracy report."""

from collections.abc import Mapping
from typing import Any

from analysis.report.parts import Table, table
from analysis.report.wording import NOTHING, interval, number, percent

Results = Mapping[str, Any]
Row = Mapping[str, Any]

MOST_LABELS = 20
SOLVER_WORDS = {"S": "system (S)", "E": "data set (E)"}
GIVEN_WORDS = {"S": "system", "E": "data set", "both": "both"}
KIND_WORDS = {"wrong_label": "wrong label", "no_solution": "“no solution”"}
_INTERVAL = ("95 % interval", "", True)


def spoken(results: Results, label: str) -> str:
    """Return the word of a label, where the pack's names are known; else its id."""
    return results["label_words"].get(label, label)


def acceptance(results: Results) -> Table:
    """p_S, p_E, acc_L and plain accuracy."""
    accuracy = results["accuracy"]
    rows = [
        (
            f"p_{row['solver']}, {SOLVER_WORDS[row['solver']]}",
            percent(row["rate"], 2),
            _percents(row),
            str(row["tasks"]),
            str(row["n"]),
        )
        for row in results["acceptance"]
    ]
    rows.append(
        (
            "acc_L(S) = p_S / p_E",
            number(accuracy["estimate"], 4),
            interval(accuracy["ci_low"], accuracy["ci_high"], lambda v: number(v, 3)),
            str(accuracy["tasks"]),
            NOTHING,
        )
    )
    plain = number(accuracy["plain_accuracy"], 4)
    rows.append(("plain accuracy", plain, NOTHING, str(accuracy["tasks"]), NOTHING))
    columns = [
        ("Quantity", "", False),
        ("Value", "", True),
        _INTERVAL,
        ("Images", "n", True),
        ("Judgements", "n", True),
    ]
    return table("Acceptance of labels, and accuracy.", columns, rows, strong=(2,))


def leads(results: Results) -> Table:
    """Return each lead's acceptance and compliance."""
    rows = [
        (
            f"{row['participant']} ({row['robot']})" if row["robot"] else row["participant"],
            str(row["trials"]),
            percent(row["accepted_S"]),
            percent(row["accepted_E"]),
            f"{percent(row['controls_rejected'])} of {row['controls']}"
            if row["controls"]
            else NOTHING,
            number(row["median_rt_s"]),
        )
        for row in results["participants"]
    ]
    columns = [
        ("Lead", "", False),
        ("Trials", "n", True),
        ("Accepted, S", "", True),
        ("Accepted, E", "", True),
        ("Controls rejected", "", True),
        ("Median time", "s", True),
    ]
    note = "As the lists drew the solvers; S and E had other images in each list."
    return table("Leads.", columns, rows, note)


def exclusions(results: Results) -> Table:
    """Who is left out by rule."""
    rows = [(row["participant"], row["reason"]) for row in results["exclusions"]["by_rule"]]
    return table("Left out by rule.", [("Lead", "", False), ("Why", "", False)], rows)


def agreement(results: Results) -> Table:
    """Return how far leads agree."""
    rows = [
        (
            row["of"],
            str(row["pairs"]),
            percent(row["agreement"], 1),
            number(row["alpha"]),
            interval(row["ci_low"], row["ci_high"]),
            number(row["fleiss_kappa"]),
        )
        for row in results["agreement"]
    ]
    columns = [
        ("Of", "", False),
        ("Labels", "n", True),
        ("Plain agreement", "", True),
        ("Krippendorff’s alpha", "", True),
        _INTERVAL,
        ("Fleiss’ kappa", "", True),
    ]
    return table("Agreement between leads.", columns, rows)


def disputed(results: Results) -> Table:
    """Return the labels on which leads disagree most."""
    rows = sorted(
        (row for row in results["pairs"] if row["disputed"]),
        key=lambda row: (-row["entropy_bits"], row["item"]),
    )
    cells = [
        (
            row["item"],
            spoken(results, row["label"]),
            GIVEN_WORDS[row["given_by"]],
            f"{row['accepted']} of {row['n']}",
            _percents(row),
            number(row["entropy_bits"]),
        )
        for row in rows[:MOST_LABELS]
    ]
    columns = [
        ("Image", "", False),
        ("Label", "", False),
        ("Given by", "", False),
        ("Accepted", "", True),
        _INTERVAL,
        ("Entropy", "bit", True),
    ]
    more = len(rows) - len(cells)
    note = f"{more} more stand in tables/labels.csv." if more > 0 else ""
    return table("Labels on which leads disagree, most uncertain first.", columns, cells, note)


def better(results: Results) -> Table:
    """Return images whose label most leads reject, and S's they accept."""
    found = results["beyond_labels"]["better_than_label"]
    cells = [(row["item"], row["system_label"], row["true_label"]) for row in found[:MOST_LABELS]]
    columns = [("Image", "", False), ("System’s label", "", False), ("Data set’s label", "", False)]
    caption = "Most leads accept the system’s label and reject the data set’s."
    return table(caption, columns, cells)


def controls(results: Results) -> Table:
    """Return how often controls were accepted."""
    cells = [
        (KIND_WORDS[row["kind"]], percent(row["rate"], 1), _percents(row), str(row["n"]))
        for row in results["controls"]
    ]
    columns = [("Control", "", False), ("Accepted", "", True), _INTERVAL, ("Trials", "n", True)]
    return table("Controls, which none should accept.", columns, cells)


def sensitivity(results: Results) -> Table:
    """Return acc_L under other choices."""
    cells = [
        (
            row["analysis"],
            str(row["participants"]),
            percent(row["p_S"], 1),
            percent(row["p_E"], 1),
            number(row["accuracy"], 3),
            interval(row["ci_low"], row["ci_high"], lambda v: number(v, 3)),
        )
        for row in results["sensitivity"]
    ]
    columns = [
        ("Analysis", "", False),
        ("Leads", "n", True),
        ("p_S", "", True),
        ("p_E", "", True),
        ("acc_L", "", True),
        _INTERVAL,
    ]
    return table("The same result under other choices.", columns, cells)


def _percents(row: Row) -> str:
    return interval(row["ci_low"], row["ci_high"], lambda share: f"{100 * share:.1f}")

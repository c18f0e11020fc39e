"""Tables of the accuracy report."""

from collections.abc import Mapping
from typing import Any

from analysis.report.declared import ReportTable, Results, spelled
from analysis.report.listing import MOST_LISTED
from analysis.report.parts import Column, limits
from analysis.report.wording import (
    NOTHING,
    bare_percent,
    grouped,
    interval,
    number,
    percent,
    rounded,
)
from analysis.studies.accept_reject.words import lead_name

Row = Mapping[str, Any]

MOST_LABELS = 20
SOLVER_WORDS = {"S": "system (S)", "E": "data set (E)"}
GIVEN_WORDS = {"S": "system", "E": "data set", "both": "both"}
KIND_WORDS = {"wrong_label": "wrong label", "no_solution": "“no solution”"}
_THOUSANDTHS = rounded(number, 3)
_TENTHS = rounded(percent, 1)


def _quantities(results: Results) -> list[Row]:
    """Return p_S, p_E, acc_L and plain accuracy with their cells."""
    accuracy = results["accuracy"]
    ratio = {"tasks": accuracy["tasks"], "n": None}
    return [
        *(
            {
                **row,
                "quantity": f"p_{row['solver']}, {SOLVER_WORDS[row['solver']]}",
                "value": percent(row["rate"], 2),
                "limits": interval(row["ci_low"], row["ci_high"], bare_percent),
            }
            for row in results["acceptance"]
        ),
        {
            **ratio,
            "quantity": "acc_L(S) = p_S / p_E",
            "value": number(accuracy["estimate"], 4),
            "limits": interval(accuracy["ci_low"], accuracy["ci_high"], _THOUSANDTHS),
        },
        {
            **ratio,
            "quantity": "plain accuracy",
            "value": number(accuracy["plain_accuracy"], 4),
            "limits": NOTHING,
        },
    ]


ACCEPTANCE = ReportTable(
    "acceptance",
    "acceptance",
    "Acceptance of labels, and accuracy.",
    (
        Column("Quantity", "quantity"),
        Column("Value", "value", str),
        Column("95 % interval", "limits", str),
        Column("Images", "tasks", grouped, "n"),
        Column("Judgements", "n", grouped, "n"),
    ),
    shown=_quantities,
    strong=lambda _: (2,),
)


def _rejected(row: Row) -> str:
    if not row["controls"]:
        return NOTHING
    return f"{percent(row['controls_rejected'])} of {row['controls']}"


LEADS = ReportTable(
    "participants",
    "participants",
    "Leads.",
    (
        Column("Lead", lead_name),
        Column("Trials", "trials", grouped, "n"),
        Column("Accepted, S", "accepted_S", percent),
        Column("Accepted, E", "accepted_E", percent),
        Column("Controls rejected", _rejected, str),
        Column("Median time", "median_rt_s", number, "s"),
    ),
    "As the lists drew the solvers; S and E had other images in each list.",
    shown=lambda results: (
        results["participants"] if len(results["participants"]) <= MOST_LISTED else ()
    ),
)
EXCLUSIONS = ReportTable(
    "exclusions",
    "exclusions.by_rule",
    "Left out by rule.",
    (Column("Lead", "participant"), Column("Why", "reason")),
)
AGREEMENT = ReportTable(
    "agreement",
    "agreement",
    "Agreement between leads.",
    (
        Column("Of", "of"),
        Column("Labels", "pairs", grouped, "n"),
        Column("Plain agreement", "agreement", _TENTHS),
        Column("Krippendorff’s alpha", "alpha", number),
        limits(),
        Column("Fleiss’ kappa", "fleiss_kappa", number),
    ),
)


def _disputed(results: Results) -> list[Row]:
    """Return the labels on which leads disagree, the most uncertain first, in words."""
    words = results["label_words"]
    rows = [
        {**row, "label": words.get(row["label"], row["label"])}
        for row in results["pairs"]
        if row["disputed"]
    ]
    return sorted(rows, key=lambda row: (-row["entropy_bits"], row["item"]))


def _more(results: Results) -> str:
    more = len(_disputed(results)) - MOST_LABELS
    return f"{more} more stand in tables/labels.csv." if more > 0 else ""


LABELS = ReportTable(
    "labels",
    "pairs",
    "Labels on which leads disagree, most uncertain first.",
    (
        Column("Image", "item"),
        Column("Label", "label"),
        Column("Given by", spelled("given_by", GIVEN_WORDS)),
        Column("Accepted", lambda row: f"{row['accepted']} of {row['n']}", str),
        limits(bare_percent),
        Column("Entropy", "entropy_bits", number, "bit"),
    ),
    _more,
    shown=lambda results: _disputed(results)[:MOST_LABELS],
)
BETTER = ReportTable(
    "",
    lambda results: results["beyond_labels"]["better_than_label"][:MOST_LABELS],
    "Most leads accept the system’s label and reject the data set’s.",
    (
        Column("Image", "item"),
        Column("System’s label", "system_label"),
        Column("Data set’s label", "true_label"),
    ),
)
CONTROLS = ReportTable(
    "controls",
    "controls",
    "Controls, which none should accept.",
    (
        Column("Control", spelled("kind", KIND_WORDS)),
        Column("Accepted", "rate", _TENTHS),
        limits(bare_percent),
        Column("Trials", "n", grouped, "n"),
    ),
)
SENSITIVITY = ReportTable(
    "sensitivity",
    "sensitivity",
    "The same result under other choices.",
    (
        Column("Analysis", "analysis"),
        Column("Leads", "participants", grouped, "n"),
        Column("p_S", "p_S", _TENTHS),
        Column("p_E", "p_E", _TENTHS),
        Column("acc_L", "accuracy", _THOUSANDTHS),
        limits(_THOUSANDTHS),
    ),
)

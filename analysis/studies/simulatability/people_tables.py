"""Tables of the report: ratings, confidence, participants, and what they saw."""

from typing import Any

from analysis.report.declared import ReportTable, Results, changes, some
from analysis.report.listing import cut
from analysis.report.parts import Column, limits
from analysis.report.wording import grouped, number, p_value, rounded
from analysis.studies.simulatability.cells import Row, domain, method, tenth
from analysis.studies.simulatability.words import domain_name, method_name, signed
from stimuli.studies.simulatability.protocol import cell_of

RATINGS = ReportTable(
    "ratings",
    lambda results: results["ratings"] and results["ratings"]["methods"],
    "Ratings of explanations by method (1 to 7).",
    (
        Column("Domain", domain, once=True),
        Column("Method", method),
        Column("n", "n", grouped),
        Column("Participants", "participants", grouped, "n"),
        Column("Mean", "mean", number),
        limits(),
        Column("SD", "sd", number, "n − 1"),
    ),
    "Ratings of examples and of counterfactual items. Intervals: published bootstrap of "
    "participants and items.",
    strong=changes("domain"),
    row_headers=2,
)
BY_MODEL = ReportTable(
    "ratings_by_model",
    lambda results: results["ratings"] and results["ratings"]["by_model"],
    "Ratings by whether the model is right.",
    (
        Column("Domain", domain, once=True),
        Column("Model", lambda row: "right" if row["model_right"] else "wrong"),
        Column("n", "n", grouped),
        Column("Mean", "mean", number),
        limits(),
        Column("SD", "sd", number, "n − 1"),
    ),
    strong=changes("domain"),
    row_headers=2,
)
_SCALES = {
    "absolute": "4 to 5",
    "within_user": "mean to 1 SD, within participants",
    "within_item": "mean to 1 SD, within method and item",
}
PREDICTING = ReportTable(
    "predicting",
    lambda results: results["ratings"] and results["ratings"]["predicting"],
    "How much more often predictions are right with a higher rating (counterfactual test, after "
    "explanations).",
    (
        Column("Domain", domain, once=True),
        Column("Step of the rating", lambda row: _SCALES[row["scale"]]),
        Column("n", "n", grouped),
        Column("Right predictions", "points", signed, "points"),
        limits(signed),
        Column("p", "p", p_value),
    ),
    "Logistic regression, with intervals from the published bootstrap. The paper’s text normalises "
    "ratings within participants, its code within method and item.",
    strong=changes("domain"),
    row_headers=2,
)
CONFIDENCE = ReportTable(
    "confidence",
    lambda results: results["confidence"] and results["confidence"]["methods"],
    "How far confidence is from calibration, and whether it tells right from wrong.",
    (
        Column("Method", method, once=True),
        Column("Phase", lambda row: {"pre": "before", "post": "after"}[row["phase"]]),
        Column("Predictions", "n", grouped, "n"),
        Column("Distance from calibration", lambda row: 100 * row["gap"], tenth, "points"),
        Column("Type-2 AUROC", "auroc", rounded(number, 3)),
        limits(),
    ),
    "Calibrated: right in 50, 67, 83 and 100 % at steps 1 to 4. AUROC: how often a right "
    "prediction has a higher confidence than a wrong one; at .5, confidence says nothing about it.",
    row_headers=2,
)
CONFIDENCE_STEPS = ReportTable(
    "confidence_steps", lambda results: results["confidence"] and results["confidence"]["steps"]
)
ARMS = ReportTable(
    "exclusions",
    "exclusions.arms",
    "Participants and missing predictions by arm. The second analysis leaves out those who didn’t "
    "qualify or were too fast.",
    (
        Column("Domain", domain, once=True),
        Column("Method", method),
        Column("Participants", "participants", grouped, "n"),
        Column("With items", "with_items", grouped, "n"),
        Column("Not qualified", "not_qualified", grouped, "n"),
        Column("Too fast", "too_fast", grouped, "n"),
        Column("Predictions", "shown", grouped, "n"),
        Column("Unanswered", "unanswered", grouped, "n"),
        Column("In only one phase", "single", grouped, "items"),
    ),
    strong=changes("domain"),
    row_headers=2,
)


def _flat(results: Results) -> list[dict[str, Any]]:
    return [{**row, "arms": " ".join(row["arms"])} for row in results["exclusions"]["people"]]


def _yes_no(name: str) -> Any:
    return lambda row: {True: "yes", False: "no", None: ""}[row[name]]


def _arms(row: Row) -> str:
    """Return the arms of a person in words."""
    cells = map(cell_of, row["arms"].split())
    return "; ".join(f"{domain_name(domain)}, {method_name(method)}" for domain, method in cells)


PEOPLE = ReportTable(
    "participants",
    _flat,
    "Participants.",
    (
        Column("Participant", "participant"),
        Column("Arms", _arms),
        Column("Qualified", _yes_no("qualified")),
        Column("Too fast", _yes_no("too_fast")),
        Column("Median time", "median_s", number, "s"),
        Column("Items", "items", grouped, "n"),
        Column("Before", "pre", tenth, "%"),
        Column("After", "post", tenth, "%"),
    ),
    cut=lambda rows: cut(
        rows, "participants", "participants", lambda row: row["left_out"], "those who are left out"
    ),
)


def _example(row: Row) -> str:
    return f"{row['input']} (true: {row['label']}; model: {row['output']})"


SEEN = ReportTable(
    "seen",
    some("seen"),
    "An example that all arms saw, and how each method explains it.",
    (
        Column("Domain", domain, once=True),
        Column("Example", _example, once=True),
        Column("Method", method),
        Column("Explanation", "explanation"),
    ),
    "This table states explanations in words. On the screen, weights are drawn on the words and "
    "values. Long rules are shortened here.",
    strong=changes("domain"),
)

"""Tables of the report: Change, contrasts, ratings, people."""

from collections.abc import Mapping
from typing import Any

from analysis.report.declared import ReportTable, Results, changes, some
from analysis.report.listing import cut
from analysis.report.parts import Column, limits
from analysis.report.wording import freedom, grouped, interval, number, p_value, rounded
from analysis.studies.simulatability.words import (
    ALL,
    TEST_WORDS,
    domain_name,
    method_name,
    share,
    signed,
)

Row = Mapping[str, Any]
tenth = rounded(share, 1)


def _domain(row: Row) -> str:
    return domain_name(row["domain"])


def _test(row: Row) -> str:
    return TEST_WORDS[row["test"]]


def _method(row: Row) -> str:
    return method_name(row["method"])


def _other(row: Row) -> str:
    """Return what the analysis says that doesn't decide."""
    own = row["means" if row["by"] == "model" else "model"]
    if own is None:
        return ""
    return f"{signed(own['estimate'])} {interval(own['ci_low'], own['ci_high'], signed)}"


CONTRASTS = ReportTable(
    "contrasts",
    lambda results: [
        {name: value for name, value in row.items() if not isinstance(value, dict)}
        | {
            f"{by}_{name}": value
            for by in ("model", "means")
            for name, value in (row[by] or {}).items()
        }
        for row in results["contrasts"]
    ],
    "What each method adds to Change, over both tests.",
    (
        Column("Domain", _domain, once=True),
        Column("Method", _method),
        Column("Effect", "estimate", signed, "points"),
        limits(signed),
        Column("p", "p", p_value),
        Column("p", "p_holm", p_value, "Holm"),
        Column("Shown", "verdict"),
        Column("The other analysis", _other, str, "points"),
    ),
    "Effect: Change less that of the arm without explanations, by the analysis that the protocol "
    "names; Change itself where there is no such arm. Holm’s correction is over a domain’s "
    "methods. Equivalent: the 90 % interval lies within the protocol’s margin.",
    shown="contrasts",
    strong=changes("domain"),
    row_headers=2,
)
CHANGE = ReportTable(
    "change",
    "change",
    "Change by the published bootstrap: accuracy after less accuracy before, against zero.",
    (
        Column("Domain", _domain, once=True),
        Column("Test", _test, once=True),
        Column("Method", _method),
        Column("n", "n", grouped, "items"),
        Column("Before", "pre", tenth, "shrunken, %"),
        Column("Before", "pre_raw", tenth, "raw, %"),
        Column("After", "post", tenth, "%"),
        Column("Change", "change", signed, "points"),
        Column("Replicates", "published_change", signed, "mean"),
        limits(signed),
        Column("p", "p", p_value),
    ),
    "n: items × participants answered in both phases. Shrunken: accuracy before explanations by a "
    "logistic model with a random intercept by method. Change: after less shrunken before. The "
    "paper gives the replicates’ mean as the estimate; singular fits are discarded from them. "
    "Practice is in Change: the arm without explanations shows how much.",
    strong=changes("domain", "test"),
    row_headers=3,
)
PRE = ReportTable("pre_accuracies", "pre_accuracies")


def _by_model(kind: str) -> Any:
    return lambda results: [
        {"domain": domain, **row}
        for domain, model in results["models"].items()
        for row in model[kind]
    ]


MODEL_CHANGE = ReportTable("model_change", _by_model("change"))
MODEL_DIFFERENCES = ReportTable(
    "model_differences",
    _by_model("differences"),
    "By the mixed model: Change less that without explanations, by test.",
    (
        Column("Domain", _domain, once=True),
        Column("Method", _method, once=True),
        Column("Test", _test),
        Column("Difference", "estimate", signed, "points"),
        limits(signed),
        Column("df", "df", freedom),
        Column("p", "p", p_value),
    ),
    "Averaged over participants and items; over both tests each counts alike.",
    strong=changes("domain", "method"),
    row_headers=3,
)


def _over_tests(results: Results) -> list[Row]:
    """Return a domain's rows over both tests; those of its one test where there is one."""
    rows = [row for row in results["means"]["change"] if row["domain"] != ALL]
    return [row for row in rows if row["test"] == ALL] or rows


MEAN_CHANGE = ReportTable(
    "mean_change",
    "means.change",
    "Change as means over participants and items.",
    (
        Column("Domain", _domain, once=True),
        Column("Test", _test, once=True),
        Column("Method", _method),
        Column("n", "n", grouped, "items"),
        Column("Change", "estimate", signed, "points"),
        limits(signed),
        Column("p", "p", p_value),
    ),
    "Intervals hold for participants and items drawn at random. tables/mean_change.csv has the "
    "tests apart.",
    shown=_over_tests,
    strong=changes("domain", "test"),
    row_headers=3,
)
MEAN_DIFFERENCES = ReportTable("mean_differences", "means.differences")


def _regression(results: Results) -> list[dict[str, Any]]:
    return [
        {"domain": row["domain"], "base": row["base"], **own}
        for row in results["regression"]
        for own in row["methods"]
    ]


REGRESSION = ReportTable(
    "regression",
    _regression,
    "Accuracy after explanations, at equal accuracy before.",
    (
        Column("Domain", _domain, once=True),
        Column("Method", _method),
        Column("Difference", "estimate", signed, "points"),
        limits(signed),
        Column("p", "p", p_value),
    ),
    "Differences to the first method, the arm without explanations where there is one. One row a "
    "participant and test.",
    strong=changes("domain"),
    row_headers=2,
)
RATINGS = ReportTable(
    "ratings",
    lambda results: results["ratings"] and results["ratings"]["methods"],
    "Ratings of explanations by method (1 to 7).",
    (
        Column("Domain", _domain, once=True),
        Column("Method", _method),
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
        Column("Domain", _domain, once=True),
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
    "What a step of the rating adds to right predictions, counterfactual test after explanations.",
    (
        Column("Domain", _domain, once=True),
        Column("Step of the rating", lambda row: _SCALES[row["scale"]]),
        Column("n", "n", grouped),
        Column("Right predictions", "points", signed, "points"),
        limits(signed),
        Column("p", "p", p_value),
    ),
    "Plain logistic regression, intervals by the published bootstrap. The paper’s text normalises "
    "ratings within participants, its code within method and item.",
    strong=changes("domain"),
    row_headers=2,
)
CONFIDENCE = ReportTable(
    "confidence",
    lambda results: results["confidence"] and results["confidence"]["methods"],
    "How far confidence is from calibration, and whether it tells right from wrong.",
    (
        Column("Method", _method, once=True),
        Column("Phase", lambda row: {"pre": "before", "post": "after"}[row["phase"]]),
        Column("Predictions", "n", grouped, "n"),
        Column("Distance from calibration", lambda row: 100 * row["gap"], tenth, "points"),
        Column("Type-2 AUROC", "auroc", rounded(number, 3)),
        limits(),
    ),
    "Calibrated: right in 50, 67, 83 and 100 % at steps 1 to 4. AUROC: how often a right "
    "prediction is rated surer than a wrong one; .5 tells nothing.",
    row_headers=2,
)
CONFIDENCE_STEPS = ReportTable(
    "confidence_steps", lambda results: results["confidence"] and results["confidence"]["steps"]
)
ARMS = ReportTable(
    "exclusions",
    "exclusions.arms",
    "Each arm: who took part, whom the second analysis leaves out, what is missing.",
    (
        Column("Domain", _domain, once=True),
        Column("Method", _method),
        Column("Participants", "participants", grouped, "n"),
        Column("With items", "with_items", grouped, "n"),
        Column("Not qualified", "not_qualified", grouped, "n"),
        Column("Too fast", "too_fast", grouped, "n"),
        Column("Predictions", "shown", grouped, "n"),
        Column("Unanswered", "unanswered", grouped, "n"),
        Column("In one phase alone", "single", grouped, "items"),
    ),
    strong=changes("domain"),
    row_headers=2,
)


def _flat(results: Results) -> list[dict[str, Any]]:
    return [{**row, "arms": " ".join(row["arms"])} for row in results["exclusions"]["people"]]


def _yes_no(name: str) -> Any:
    return lambda row: {True: "yes", False: "no", None: ""}[row[name]]


PEOPLE = ReportTable(
    "participants",
    _flat,
    "Participants.",
    (
        Column("Participant", "participant"),
        Column("Arms", "arms"),
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
    "An example that all arms saw, and what each method says of it.",
    (
        Column("Domain", _domain, once=True),
        Column("Example", _example, once=True),
        Column("Method", _method),
        Column("Explanation", "explanation"),
    ),
    "In words; on the screen weights stand on the words and values themselves. Long rules are cut "
    "here.",
    strong=changes("domain"),
)
SECOND = ReportTable(
    "second_contrasts",
    some(
        lambda results: (
            results["second"]
            and [
                {name: value for name, value in row.items() if not isinstance(value, dict)}
                for row in results["second"]["contrasts"]
            ]
        )
    ),
    "The same effects without those who are left out.",
    (
        Column("Domain", _domain, once=True),
        Column("Method", _method),
        Column("Effect", "estimate", signed, "points"),
        limits(signed),
        Column("p", "p_holm", p_value, "Holm"),
        Column("Shown", "verdict"),
    ),
    strong=changes("domain"),
    row_headers=2,
)

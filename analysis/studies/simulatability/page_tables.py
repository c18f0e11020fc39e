"""Tables of the report: contrasts, Change, regression to the mean."""

from typing import Any

from analysis.report.declared import ReportTable, Results, changes, some
from analysis.report.parts import Column, limits
from analysis.report.wording import freedom, grouped, interval, p_value
from analysis.studies.simulatability.cells import Row, domain, method, tenth, test
from analysis.studies.simulatability.words import ALL, signed


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
        Column("Domain", domain, once=True),
        Column("Method", method),
        Column("Effect", "estimate", signed, "points"),
        limits(signed),
        Column("p", "p", p_value),
        Column("p", "p_holm", p_value, "Holm"),
        Column("Verdict", "verdict"),
        Column("The other analysis", _other, str, "points"),
    ),
    "Effect: Change minus that of the arm without explanations, by the primary analysis; Change "
    "itself if there is no such arm. Holm’s correction is for the methods of a domain. Helps, "
    "harms: the effect differs from zero. Equivalent: the 90 % interval lies within the protocol’s "
    "margin, which rules out a larger effect. Undecided: the data show neither.",
    shown="contrasts",
    strong=changes("domain"),
    row_headers=2,
)
CHANGE = ReportTable(
    "change",
    "change",
    "Change by the published bootstrap: accuracy after minus accuracy before, against zero.",
    (
        Column("Domain", domain, once=True),
        Column("Test", test, once=True),
        Column("Method", method),
        Column("n", "n", grouped, "items"),
        Column("Before", "pre", tenth, "shrunken, %"),
        Column("Before", "pre_raw", tenth, "raw, %"),
        Column("After", "post", tenth, "%"),
        Column("Change", "change", signed, "points"),
        Column("Replicates", "published_change", signed, "mean"),
        limits(signed),
        Column("p", "p", p_value),
    ),
    "n: items × participants, answered in both phases. Shrunken: accuracy before explanations by a "
    "logistic model with a random intercept for each method. Change: after minus shrunken before. "
    "The paper’s estimate is the mean of the replicates; replicates with a singular fit are "
    "discarded. Change includes practice: the arm without explanations shows how much.",
    strong=changes("domain", "test"),
    row_headers=3,
)
PRE = ReportTable("pre_accuracies", "pre_accuracies")


def _by_model(kind: str) -> Any:
    return lambda results: [
        {"domain": name, **row} for name, model in results["models"].items() for row in model[kind]
    ]


MODEL_CHANGE = ReportTable("model_change", _by_model("change"))
MODEL_DIFFERENCES = ReportTable(
    "model_differences",
    _by_model("differences"),
    "Change minus that without explanations, by test, from the mixed model.",
    (
        Column("Domain", domain, once=True),
        Column("Method", method, once=True),
        Column("Test", test),
        Column("Difference", "estimate", signed, "points"),
        limits(signed),
        Column("df", "df", freedom),
        Column("p", "p", p_value),
    ),
    "Averaged over participants and items. Over both tests, each test counts equally.",
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
        Column("Domain", domain, once=True),
        Column("Test", test, once=True),
        Column("Method", method),
        Column("n", "n", grouped, "items"),
        Column("Change", "estimate", signed, "points"),
        limits(signed),
        Column("p", "p", p_value),
    ),
    "The intervals treat both participants and items as random. tables/mean_change.csv has each "
    "test.",
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
        Column("Domain", domain, once=True),
        Column("Method", method),
        Column("Difference", "estimate", signed, "points"),
        limits(signed),
        Column("p", "p", p_value),
    ),
    "Each method minus the first one, which is the arm without explanations if there is one. Each "
    "participant and test is one row of the regression.",
    strong=changes("domain"),
    row_headers=2,
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
        Column("Domain", domain, once=True),
        Column("Method", method),
        Column("Effect", "estimate", signed, "points"),
        limits(signed),
        Column("p", "p_holm", p_value, "Holm"),
        Column("Verdict", "verdict"),
    ),
    strong=changes("domain"),
    row_headers=2,
)

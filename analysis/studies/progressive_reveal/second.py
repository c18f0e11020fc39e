"""The main results twice: with everybody, and without those whom the rules leave out."""

from collections.abc import Mapping, Sequence
from typing import Any

from analysis.report.declared import ReportTable, changes
from analysis.report.parts import Column, limits
from analysis.report.wording import bare_percent, grouped, number
from analysis.statistics.bootstrap import Resampling
from analysis.studies.progressive_reveal import models, rates
from analysis.studies.progressive_reveal.restricted_results import restricted_results
from analysis.studies.progressive_reveal.trials import RoundTable
from analysis.studies.progressive_reveal.words import METHOD_COLUMN, named

Row = Mapping[str, Any]

EVERYBODY, KEPT = "everybody", "without those left out"


def second_analysis(
    table: RoundTable, plan: Resampling, first: Mapping[str, Any], gone: Sequence[str]
) -> list[dict[str, Any]]:
    """Return each method's main results in both analyses; none where nobody is left out.

    Parameters
    ----------
    table, plan
        All rounds, and how they are drawn.
    first
        The results of all of them.
    gone
        Who is left out.

    Returns
    -------
    list of dict
        Analysis × method: ``rounds``; recognition over completed rounds, restricted mean and
        mean steps, each with its limits; ``model``: recognition by the end, by the model.
    """
    kept = table.of(~table.frame["participant"].isin(gone))
    if not gone or kept.frame.empty or set(kept.frame["method"]) != set(table.methods):
        return []
    second = {
        "table3": rates.table3(kept, plan)["rows"],
        "survival": {
            "steps": rates.life_tables(kept, plan),
            "restricted": restricted_results(kept, plan),
        },
        "models": models.primary_model(kept),
    }
    return [*_rows(EVERYBODY, first, table), *_rows(KEPT, second, kept)]


def _rows(label: str, results: Mapping[str, Any], table: RoundTable) -> list[dict[str, Any]]:
    third = {r["method"]: r for r in results["table3"] if r["reading"] == "all_last_step"}
    restricted = {row["method"]: row for row in results["survival"]["restricted"]["methods"]}
    steps = {row["method"]: row for row in results["survival"]["steps"]["mean_steps"]}
    by_model = {
        row["method"]: row["estimate"]
        for row in results["models"]["curves"]
        if row["step"] == table.steps
    }
    return [
        {
            "analysis": label,
            "method": method,
            "people": int(table.frame["participant"].nunique()),
            "rounds": third[method]["n"],
            **{name: third[method][name] for name in _RATE},
            **_named(restricted[method], "restricted"),
            **_named(steps[method], "steps"),
            "model": by_model.get(method),
        }
        for method in table.methods
    ]


_RATE = ("recognition_rate", "recognition_rate_low", "recognition_rate_high")


def _named(row: Row, name: str) -> dict[str, Any]:
    return {name: row["estimate"], f"{name}_low": row["ci_low"], f"{name}_high": row["ci_high"]}


SECOND = ReportTable(
    "second_analysis",
    "second",
    "The main results with everybody, and without those left out by rule.",
    named(
        Column("Analysis", "analysis", once=True),
        METHOD_COLUMN,
        Column("Recognised", "recognition_rate", bare_percent, "%"),
        limits(bare_percent, "recognition_rate_low", "recognition_rate_high"),
        Column("Model", "model", bare_percent, "%"),
        Column("Restricted mean", "restricted", bare_percent, "% of image"),
        limits(bare_percent, "restricted_low", "restricted_high"),
        Column("Mean steps", "steps", number),
        limits(number, "steps_low", "steps_high"),
        Column("Rounds", "rounds", grouped, "n"),
        breaks=True,
    ),
    "Everybody: by intention to treat. Model: recognition by the last step.",
    strong=changes("analysis"),
    row_headers=2,
)

"""Results of the assessment of accuracy as flat tables, for spreadsheets and other programs."""

from collections.abc import Mapping
from typing import Any

from analysis.report.flow import flow_rows
from analysis.report.timing import flat_rigs

Results = Mapping[str, Any]
Rows = list[dict[str, Any]]

TABLE_NAMES = (
    "accuracy",
    "acceptance",
    "classes",
    "labels",
    "agreement",
    "participants",
    "controls",
    "exclusions",
    "flow",
    "rigs",
    "checks",
    "sensitivity",
    "answers_at_the_end",
)
"""Every table that a report may have, by file stem."""


def flat_tables(results: Results) -> dict[str, Rows]:
    """Return the rows of every ``tables/*.csv`` by file stem."""
    return {
        "accuracy": [results["accuracy"]],
        "acceptance": results["acceptance"],
        "classes": results["classes"],
        "labels": results["pairs"],
        "agreement": results["agreement"],
        "participants": results["participants"],
        "controls": results["controls"],
        "exclusions": results["exclusions"]["by_rule"],
        "flow": flow_rows(results["flow"]),
        "rigs": flat_rigs(results["timing"]["rigs"]),
        "checks": [
            {name: row[name] for name in ("check", "state", "finding")} for row in results["checks"]
        ],
        "sensitivity": results["sensitivity"],
        "answers_at_the_end": results["answers"],
    }

"""Results of progressive_reveal as flat tables, for spreadsheets and other programs."""

from collections.abc import Mapping
from typing import Any

from analysis.report.flow import flow_rows
from analysis.report.timing import flat_rigs

Results = Mapping[str, Any]
Rows = list[dict[str, Any]]

TABLE_NAMES = (
    "table3",
    "table3_dropping",
    "table4",
    "first_attempts",
    "steps",
    "mean_steps",
    "restricted_means",
    "restricted_differences",
    "needed_shares",
    "needed_at",
    "classes",
    "images",
    "correlations_last",
    "correlations_steps",
    "fits_pooled",
    "fits_units",
    "moments",
    "groups",
    "suits",
    "survey",
    "sensitivity",
    "hazard_fixed",
    "hazard_random",
    "hazard_curves",
    "hazard_contrasts",
    "cox",
    "per_pixel_fixed",
    "per_pixel_random",
    "tries_fixed",
    "times_fixed",
    "published",
    "missing",
    "flow",
    "rigs",
    "checks",
)
"""Every table that a report may have, by file stem."""


def flat_tables(results: Results) -> dict[str, Rows]:
    """Return the rows of every ``tables/*.csv`` by file stem; those without a row are left out."""
    survival, models = results["survival"], results["models"]
    found: dict[str, Rows] = {
        "table3": results["table3"],
        "table3_dropping": results["table3_dropping"],
        "table4": results["table4"],
        "first_attempts": results["first_attempts"],
        "steps": survival["steps"]["rows"],
        "mean_steps": survival["steps"]["mean_steps"] + survival["steps"]["differences"],
        "restricted_means": survival["restricted"]["methods"],
        "restricted_differences": survival["restricted"]["differences"],
        "needed_shares": _needed(survival["needed"]),
        "needed_at": survival["needed"]["asked"],
        "classes": results["classes"],
        "images": results["images"],
        "correlations_last": [_flat(row) for row in results["correlation"]["last"]],
        "correlations_steps": results["correlation"]["steps"],
        "fits_pooled": results["fits"]["pooled"],
        "fits_units": results["fits"]["units"],
        "moments": results["fits"]["moments"],
        "groups": [_flat(row) for row in results["fits"]["groups"]],
        "suits": _suits(results),
        "survey": _survey(results["sample"]),
        "sensitivity": results["sensitivity"],
        "hazard_curves": models["curves"],
        "hazard_contrasts": models["contrasts"],
        "cox": results["cox"]["rows"],
        "published": results["published"]["rows"],
        "missing": results["missing"],
        "flow": flow_rows(results["flow"]),
        "rigs": flat_rigs(results["timing"]["rigs"]),
        "checks": [
            {name: row[name] for name in ("check", "state", "finding")} for row in results["checks"]
        ],
    }
    for name in ("hazard", "per_pixel", "tries", "times"):
        if models[name]["fitted"]:
            found[f"{name}_fixed"] = models[name]["fixed"]
            if f"{name}_random" in TABLE_NAMES:
                found[f"{name}_random"] = models[name]["random"]
    return {name: rows for name, rows in found.items() if rows}


def _flat(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if not isinstance(value, list)}


def _needed(needed: Mapping[str, Any]) -> Rows:
    names = ("recognised_only", "reached", "ci_low", "ci_high", "end_final")
    return [
        {"method": curve["method"], "share": share, **dict(zip(names, values, strict=True))}
        for curve in needed["curves"]
        for share, *values in zip(needed["shares"], *(curve[name] for name in names), strict=True)
    ]


def _survey(sample: Mapping[str, Any] | None) -> Rows:
    return [
        {"question": row["question"], "asked": row["asked"], "skipped": row["skipped"], **answer}
        for row in (sample["survey"] if sample else ())
        for answer in row["answers"]
    ]


def _suits(results: Results) -> Rows:
    methods = results["data"]["methods"]
    return [
        {
            "of": part["of"],
            "unit": unit["unit"],
            "best": unit["best"],
            "clear": unit["clear"],
            **{f"effect_{m}": v for m, v in zip(methods, unit["effects"], strict=True)},
        }
        for part in results["models"]["suits"]
        for unit in part["units"]
    ]

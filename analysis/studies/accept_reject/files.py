"""Results as flat tables, for spreadsheets and other programs."""

from collections.abc import Mapping
from typing import Any

from analysis.report.flow import flow_rows
from analysis.report.timing import flat_rigs

Results = Mapping[str, Any]
Rows = list[dict[str, Any]]


TABLE_NAMES = (
    "acceptance",
    "usefulness",
    "participants",
    "contour_reading",
    "controls",
    "detection",
    "exclusions",
    "flow",
    "rigs",
    "checks",
    "published",
    "decision_times",
    "acceptance_curves",
    "sensitivity",
    "model_fixed",
    "model_random",
    "time_quantiles",
    "time_model_fixed",
    "explanation_methods",
    "explanation_method_pairs",
    "answers_at_the_end",
    "source_guesses",
    "usefulness_by_suspicion",
    "practice",
)
"""Every table that a report may have, by file stem."""


def flat_tables(results: Results) -> dict[str, Rows]:
    """Return the rows of every ``tables/*.csv`` by file stem."""
    model = results["model"]
    tables: dict[str, Rows] = {
        "acceptance": results["acceptance"],
        "usefulness": results["usefulness"],
        "participants": [_person(row) for row in results["participants"]],
        "contour_reading": results["contour_reading"],
        "controls": results["controls"]["kinds"],
        "detection": results["controls"]["detection"],
        "exclusions": results["exclusions"]["by_rule"],
        "flow": flow_rows(results["flow"]),
        "rigs": flat_rigs(results["timing"]["rigs"]),
        "checks": [
            {name: row[name] for name in ("check", "state", "finding")} for row in results["checks"]
        ],
        "published": results["published"]["rows"],
        "decision_times": results["timing"]["answers"],
        "acceptance_curves": _curves(results),
        "sensitivity": [
            {"analysis": row["analysis"], "participants": row["participants"], **part}
            for row in results["sensitivity"]
            for part in row["usefulness"]
        ],
    }
    tables |= _further(results)
    if model["fitted"]:
        tables["model_fixed"] = model["fixed"]
        tables["model_random"] = model["random"]
    return tables


def _further(results: Results) -> dict[str, Rows]:
    """Return the tables that only some datasets give."""
    times, explainers = results["response_times"], results["explainers"]
    blinding, effect = results["blinding"], results["run_effect"]
    guesses = blinding["guesses"]
    found: dict[str, Rows] = {
        "time_quantiles": times["quantiles"],
        "time_model_fixed": times["model"].get("fixed", []),
        "explanation_methods": explainers["methods"],
        "explanation_method_pairs": explainers["pairs"],
        "answers_at_the_end": blinding["answers"],
        "source_guesses": []
        if guesses is None
        else [
            {**counts, "bang": row["estimate"], "ci_low": row["ci_low"], "ci_high": row["ci_high"]}
            for counts, row in zip(guesses["counts"], guesses["bang"], strict=True)
        ],
        "usefulness_by_suspicion": [
            {"analysis": row["analysis"], "participants": row["participants"], **part}
            for row in blinding["split"]
            for part in row["usefulness"]
        ],
        "practice": [{"what": what, **row} for what in ("practice", "net") for row in effect[what]],
    }
    return {name: rows for name, rows in found.items() if rows}


def _person(row: Mapping[str, Any]) -> dict[str, Any]:
    flat = {
        "participant": row["participant"],
        "robot": row["robot"],
        "outcome": row["outcome"],
        "verdict": row["verdict"],
        "flagged": row["flagged"],
        "compliance": row["compliance"]["rate"],
        "compliance_n": row["compliance"]["n"],
    }
    for part in row["usefulness"]:
        name = f"usefulness_{part['solver'].replace('-', '_minus_')}{'_net' if part['net'] else ''}"
        flat |= {
            name: part["estimate"],
            f"{name}_low": part["ci_low"],
            f"{name}_high": part["ci_high"],
        }
    pooled = row["usefulness_pooled"]
    flat |= {
        "usefulness_pooled": pooled["estimate"],
        "usefulness_pooled_low": pooled["ci_low"],
        "usefulness_pooled_high": pooled["ci_high"],
    }
    for name in ("with", "without"):
        part = row["contour"][name]
        flat |= {f"contour_{name}": part["rate"], f"contour_{name}_n": part["n"]}
    return flat


def _curves(results: Results) -> Rows:
    names = ("time_s", "rate", "ci_low", "ci_high", "band_low", "band_high")
    return [
        {
            "solver": curve["solver"],
            "explained": curve["explained"],
            **dict(zip(names, values, strict=True)),
            "n": curve["n"],
        }
        for curve in results["curves"]
        for values in zip(*(curve[name] for name in names), strict=True)
    ]

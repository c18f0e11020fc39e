"""Results of version 1 as results of version 2.0."""

from collections.abc import Mapping
from typing import Any, Final

Document = Mapping[str, Any]

OLD: Final = "results/1."
NEW: Final = "results_accept_reject/2.0"
OF_SAMPLE: Final = (
    "cutoff_s", "cutoff_mode", "limit_s", "methods", "experts", "expert_origins", "systems",
    "orders", "axes", "rungs",
)  # fmt: skip
"""What ``data`` held of this study alone."""
OF_RULES: Final = (
    "compliance_minimums", "least_controls", "contour_reading_limit", "by_hand", "by_rule",
)  # fmt: skip
RENAMED: Final[Mapping[str, str]] = {
    **{f"data/{name}": f"participants/{name}" for name in OF_SAMPLE},
    **{f"exclusions/{name}": f"participants/{name}" for name in OF_RULES},
    "participants": "participants/leads",
    "participants/*/accepted_pooled/without": "participants/leads/*/accepted_pooled/unexplained",
    "participants/*/accepted_pooled/with": "participants/leads/*/accepted_pooled/explained",
    "participants/*/contour/without": "participants/leads/*/contour/without_contour",
    "participants/*/contour/with": "participants/leads/*/contour/with_contour",
    "solutions": "participants/solutions",
    "items": "participants/items",
    "acceptance": "acceptance/rates",
    "curves": "acceptance/curves",
    "curve_differences": "acceptance/curve_differences",
    "usefulness": "usefulness/gains",
    "primary": "usefulness/primary",
    "ratio": "comparison/ratio",
    "contour_reading": "contour/readings",
    "contour_overall": "contour/overall",
    "contour_model": "contour/model",
    "explainers/methods/*/with": "explainers/methods/*/accepted_with",
    "explainers/methods/*/without": "explainers/methods/*/accepted_without",
    "model": "model/fit",
    "model/marginal": "model/marginal",
    "model/marginal_usefulness": "model/marginal_usefulness",
    "disagreements": "model/disagreements",
    "sensitivity": "other_choices/analyses",
    "run_effect": "other_choices/run_effect",
    "timing/answers": "times/answers",
    "timing/histogram": "times/histogram",
    "response_times": "times",
    "seen": "seen/plates",
    "seen/sequence/without": "seen/plates/sequence/unexplained",
    "seen/sequence/with": "seen/plates/sequence/explained",
}
"""New keys by old ones, as paths from the root; ``*`` stands for any key."""
MOVED: Final = frozenset(("schema", "exclusions", *(path for path in RENAMED if "/" not in path)))
"""Keys of the root that are no keys of the root now, or hold something else."""


def upgraded(old: Document) -> Document:
    """Return results of version 1 as results of 2.0, and others as they are; pure."""
    if not str(old.get("schema")).startswith(OLD):
        return old
    data, times = dict(old["data"]), dict(old["timing"])
    sample = {name: data.pop(name) for name in OF_SAMPLE}
    of_times = {name: times.pop(name) for name in ("answers", "histogram")}
    fit = dict(old["model"])
    averaged = {name: fit.pop(name, []) for name in ("marginal", "marginal_usefulness")}
    return {
        **{name: value for name, value in old.items() if name not in MOVED},
        "schema": NEW,
        "data": data,
        "timing": times,
        "sources": {},
        "bootstrap": {**old["bootstrap"], "drawn": "both"},
        "participants": {
            **sample,
            **old["exclusions"],
            "leads": [_lead(row) for row in old["participants"]],
            "solutions": old["solutions"],
            "items": old["items"],
        },
        "acceptance": {
            "rates": old["acceptance"],
            "curves": old["curves"],
            "curve_differences": old["curve_differences"],
        },
        "usefulness": {"gains": old["usefulness"], "primary": old["primary"]},
        "comparison": {**old["comparison"], "ratio": old["ratio"]},
        "contour": {
            "readings": old["contour_reading"],
            "overall": old["contour_overall"],
            "model": old["contour_model"],
        },
        "explainers": {
            **old["explainers"],
            "methods": [
                _renamed(row, {"with": "accepted_with", "without": "accepted_without"})
                for row in old["explainers"]["methods"]
            ],
        },
        "model": {"fit": fit, **averaged, "disagreements": old["disagreements"]},
        "other_choices": {"analyses": old["sensitivity"], "run_effect": old["run_effect"]},
        "times": {**old["response_times"], **of_times},
        "seen": {"plates": _plates(old["seen"])},
    }


def _lead(row: Document) -> dict[str, Any]:
    runs = {"with": "explained", "without": "unexplained"}
    contours = {"with": "with_contour", "without": "without_contour"}
    return {
        **row,
        "accepted_pooled": _renamed(row["accepted_pooled"], runs),
        "contour": _renamed(row["contour"], contours),
    }


def _plates(seen: Document | None) -> Document | None:
    if seen is None or seen["sequence"] is None:
        return seen
    runs = {"with": "explained", "without": "unexplained"}
    return {**seen, "sequence": _renamed(seen["sequence"], runs)}


def _renamed(row: Document, names: Mapping[str, str]) -> dict[str, Any]:
    return {names.get(name, name): value for name, value in row.items()}

"""Results of version 1 as results of version 2.0."""

from collections.abc import Mapping
from typing import Final

from analysis.questions.results_file import Document, as_version_2, rename_values

OLD: Final = "results/1."
NEW: Final = "results_accept_reject/2.0"
OF_SAMPLE: Final = (
    "cutoff_s", "cutoff_mode", "limit_s", "methods", "experts", "expert_origins", "systems",
    "orders", "axes", "rungs",
)  # fmt: skip
"""What ``data`` held only for this study."""
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
    # A key's children come before the key.
    "model/marginal": "model/marginal",
    "model/marginal_usefulness": "model/marginal_usefulness",
    "model": "model/fit",
    "disagreements": "model/disagreements",
    "sensitivity": "other_choices/analyses",
    "run_effect": "other_choices/run_effect",
    "response_times": "times",
    "timing/answers": "times/answers",
    "timing/histogram": "times/histogram",
    "seen": "seen/plates",
    "seen/sequence/without": "seen/plates/sequence/unexplained",
    "seen/sequence/with": "seen/plates/sequence/explained",
}
"""New keys by old ones, as paths from the root; ``*`` stands for any key."""


def upgraded(old: Document) -> Document:
    """Return results of version 1 as results of 2.0, and others as they are; pure."""
    if not str(old.get("schema")).startswith(OLD):
        return old
    new = as_version_2(old, RENAMED, NEW)
    new["sources"] = {}
    new["bootstrap"]["drawn"] = "both"
    leads = new["participants"]["leads"]
    runs = {"with": "explained", "without": "unexplained"}
    rename_values((lead["accepted_pooled"] for lead in leads), runs)
    contours = {"with": "with_contour", "without": "without_contour"}
    rename_values((lead["contour"] for lead in leads), contours)
    accepted = {"with": "accepted_with", "without": "accepted_without"}
    rename_values(new["explainers"]["methods"], accepted)
    plates = new["seen"]["plates"]
    if plates is not None and plates["sequence"] is not None:
        rename_values([plates["sequence"]], runs)
    return new

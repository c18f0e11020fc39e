"""Results of version 1.0 as results of version 2.0."""

from collections.abc import Mapping
from typing import Any, Final

from analysis.questions.results_file import Document, as_version_2, whole_fit
from stimuli.studies.simulatability.protocol import arm_of

OLD: Final = "results_simulatability/1.0"
NEW: Final = "results_simulatability/2.0"
OF_MODELS: Final = ("whole", "change", "differences")
"""What a model says, averaged over participants and items; all other keys are of its fit."""
LATER: Final = ("about_people", "items", "times", "closing", "explanations")
"""Questions that version 1.0 doesn't have."""
RENAMED: Final[Mapping[str, str]] = {
    **{
        f"data/{name}": f"participants/{name}"
        for name in (
            "pairs", "methods", "domains", "tests", "reference", "tested_again", "unanswered",
        )
    },
    **{
        f"exclusions/{name}": f"participants/{name}"
        for name in (
            "by_hand", "people", "not_qualified", "too_fast", "without_items", "needed",
            "too_fast_s",
        )
    },
    "exclusions/arms": "participants/by_arm",
    "contrasts": "effects/contrasts",
    "means": "effects/means",
    "verdict_words": "effects/verdict_words",
    "change": "change/by_method",
    "pre_accuracies": "change/before",
    "regression": "regression/by_domain",
    "models/*": "models/fits/*",
    **{f"models/*/{name}": f"effects/by_model/*/{name}" for name in OF_MODELS},
    **{f"second/models/*/{name}": f"second/by_model/*/{name}" for name in OF_MODELS},
    "seen": "seen/examples",
}  # fmt: skip
"""New keys by old ones, as paths from the root; ``*`` stands for any key.

``second/changed`` follows from other keys. ``units``, ``bootstrap/published`` and
``bootstrap/published_replicates`` are gone: units are in the schema, replicates in the protocol.
"""


def upgraded(old: Document) -> Document:
    """Return results of version 1.0 as results of 2.0, and others as they are; pure."""
    if old.get("schema") != OLD:
        return old
    new = as_version_2(old, RENAMED, NEW)
    del new["units"]
    fits, effects = _split(old["models"])
    new["models"] = {"fits": fits}
    new["effects"]["by_model"] = effects
    for row in new["regression"]["by_domain"]:
        row["model"] = _linear_fit(row["model"])
    drawing = {name: old["bootstrap"][name] for name in ("kind", "replicates", "seed")}
    second = old["second"] and _second(old["second"], old["contrasts"])
    seen = None if old["seen"] is None else new["seen"]
    _fill(new, old["bootstrap"]["published_replicates"])
    return {
        **new, "bootstrap": {**drawing, "drawn": "both"}, "second": second, "seen": seen,
        **dict.fromkeys(LATER),
    }  # fmt: skip


def _fill(new: dict[str, Any], drawn: int) -> None:
    """Add the keys that version 1.0 didn't have, with unknown values."""
    new["participants"] |= {"assigned_known": False, "no_course": 0, "failed": 0}
    new["effects"]["unvarying"] = {}
    for row in new["effects"]["contrasts"]:
        row["p_margin"] = None
    for row in new["change"]["by_method"]:
        row["drawn"] = drawn
    if new["ratings"] is not None:
        new["ratings"]["by_model_differences"] = []


def _split(models: Document) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return by domain a model's fit, and what it says averaged over people and items."""
    fits, effects = {}, {}
    for domain, model in models.items():
        fit = {name: value for name, value in model.items() if name not in OF_MODELS}
        fits[domain] = whole_fit(fit)
        # The first files of this version don't say whether the model is the whole one.
        whole = model.get("whole", model["asked"] == model.get("formula"))
        effects[domain] = {"whole": whole} | {name: model[name] for name in OF_MODELS[1:]}
    return fits, effects


def _linear_fit(model: Document) -> dict[str, Any]:
    return {name: value for name, value in whole_fit(model).items() if name != "correlations"}


def _second(second: Document, contrasts: list[Document]) -> dict[str, Any]:
    fits, effects = _split(second["models"])
    first = {(row["domain"], row["method"]): row["verdict"] for row in contrasts}
    changed = [
        arm_of(row["domain"], row["method"])
        for row in second["contrasts"]
        if first.get((row["domain"], row["method"])) != row["verdict"]
    ]
    rows = [row | {"p_margin": None} for row in second["contrasts"]]
    return {
        **second, "models": fits, "by_model": effects, "changed": changed, "contrasts": rows,
        "published": [], "gone": [],
    }  # fmt: skip

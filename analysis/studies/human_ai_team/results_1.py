"""Results of version 1.0 as results of version 2.0."""

from collections.abc import Mapping
from typing import Any, Final

from analysis.questions.older import Document, as_version_2, whole_fit

OLD: Final = "results_human_ai_team/1.0"
NEW: Final = "results_human_ai_team/2.0"
OF_MODELS: Final = ("answers_a_cell", "mix", "arms", "pairs")
"""What a model says, averaged over participants and images; all else is of its fit."""
RENAMED: Final[Mapping[str, str]] = {
    **{
        f"data/{name}": f"participants/{name}"
        for name in (
            "arms", "reference", "ai_right", "adversarial_share", "seen_twice",
            "images_seen_twice", "seen_twice_in_arm", "answers_an_image", "unanswered",
            "help_origins", "sheets",
        )
    },
    "exclusions/by_hand": "participants/by_hand",
    "exclusions/people": "participants/people",
    "exclusions/by_rule": "participants/by_rule",
    "exclusions/without_main": "participants/without_main",
    "exclusions/arms": "participants/by_arm",
    "exclusions/needed": "participants/needed",
    "exclusions/of": "participants/of",
    "exclusions/primary": "participants/primary",
    "per_user_accuracy": "accuracy/by_arm",
    "pairs": "accuracy/pairs",
    "own_accuracies": "accuracy/by_participant",
    "reliance": "trust/reliance",
    "detection": "trust/detection",
    "complementarity": "trust/complementarity",
    "rate_pairs": "trust/rate_pairs",
    "verdicts": "trust/verdicts",
    "verdict_words": "trust/verdict_words",
    "ai_source": "ai_alone/source",
    "ai_alone": "ai_alone/thresholds",
    "bin_weights": "ai_alone/bin_weights",
    "weighted": "ai_alone/teams",
    "bins": "ai_alone/bins",
    "accuracy_by_part": "adversarial",
    "metrics": "metrics/correlations",
    "times": "times/arms",
    "time_pairs": "times/pairs",
    "help_times": "times/help",
    "second/per_user_accuracy": "second/by_arm",
    "seen": "seen/trial",
    "models/*": "models/fits/*",
    **{f"models/*/{name}": f"trust/effects/*/{name}" for name in OF_MODELS},
    **{f"second/model/{name}": f"second/effects/{name}" for name in OF_MODELS},
}  # fmt: skip
"""New keys by old ones, as paths from the root; ``*`` stands for any key.

``reference`` in accuracy, trust and second, and ``second/changed``, follow from other keys.
``metrics`` is null where it has no row.
"""


def upgraded(old: Document) -> Document:
    """Return results of version 1.0 as results of 2.0, and others as they are; pure."""
    if old.get("schema") != OLD:
        return old
    new = as_version_2(old, RENAMED, NEW)
    reference = old["data"]["reference"]
    models = {part: _split(model) for part, model in old["models"].items()}
    new["models"] = {"fits": {part: fit for part, (fit, _) in models.items()}}
    new["trust"] |= {
        "effects": {part: effects for part, (_, effects) in models.items()},
        "reference": reference,
    }
    new["accuracy"]["reference"] = reference
    new["prior"] = _prior(old["prior"])
    new["second"] = _second(old, reference)
    if not old["metrics"]:
        new["metrics"] = None
    return new


def _split(model: Document) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return a model's fit, and what it says averaged over people and images."""
    fit = {key: value for key, value in model.items() if key not in OF_MODELS}
    return whole_fit(fit), {key: model[key] for key in OF_MODELS}


def _prior(prior: Document | None) -> Document | None:
    return prior and {**prior, "model": whole_fit(prior["model"])}


def _second(old: Document, reference: str | None) -> dict[str, Any] | None:
    second = old["second"]
    if second is None:
        return None
    kept = {key: second[key] for key in ("of", "participants", "pairs", "verdicts")}
    fit, effects = _split(second["model"])
    changed = [
        row["method"]
        for row, first in zip(second["verdicts"], old["verdicts"], strict=False)
        if row["verdict"] != first["verdict"]
    ]
    own = {"by_arm": second["per_user_accuracy"], "model": fit, "effects": effects}
    return {**kept, **own, "reference": reference, "changed": changed}

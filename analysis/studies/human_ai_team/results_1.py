"""Results of version 1.0 as results of version 2.0."""

from collections.abc import Mapping
from typing import Any, Final

from analysis.questions.results_file import Document, as_version_2, whole_fit

OLD: Final = "results_human_ai_team/1.0"
NEW: Final = "results_human_ai_team/2.0"
OF_MODELS: Final = ("answers_a_cell", "mix", "arms", "pairs")
"""What a model says, averaged over participants and images; all other keys are of its fit."""
ADDED: Final = ("learning", "closing", "about_people", "images")
"""Questions that version 1.0 didn't ask."""
OF_FAMILIES: Final = ("p_holm", "p_reference")
"""p values after Holm over families that are no longer used: all pairs of a quantity, and the arms
against the reference for one quantity. They are left out."""
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
``metrics`` is null if it has no row.
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
        "margin": None,
        "primary": [_primary(part, own) for part, (_, own) in models.items() if part == "all"],
        "means": {},
        "against_margin": [],
        "unvarying": None,
    }
    new |= dict.fromkeys(ADDED)
    new["accuracy"]["reference"] = reference
    new["ai_alone"] = _alone(new["ai_alone"])
    new["prior"] = _prior(old["prior"])
    new["second"] = _second(old, reference)
    if not old["metrics"]:
        new["metrics"] = None
    return new


def _alone(old: Document) -> dict[str, Any]:
    """Return the AI alone, whose intervals and own rule version 1.0 doesn't have."""
    source = old["source"]
    teams = [{**row, "ai_low": None, "ai_high": None} for row in old["teams"]]
    whole = source is not None and source["words"].startswith("all images")
    return {**old, "teams": teams, "threshold": None, "whole": whole}


def _split(model: Document) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return a model's fit, and what it says averaged over people and images."""
    fit = {key: value for key, value in model.items() if key not in OF_MODELS}
    effects = {key: model[key] for key in OF_MODELS}
    pairs = [{key: row[key] for key in row if key not in OF_FAMILIES} for row in effects["pairs"]]
    return whole_fit(fit), {**effects, "pairs": pairs}


def _primary(base: str, effects: Document) -> dict[str, Any]:
    """Return which analysis decided: the model, whatever the protocol named."""
    return {"base": base, "asked": "model", "used": "model", "mix": effects["mix"]}


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
    return {**kept, **own, "reference": reference, "changed": changed, "means": []}

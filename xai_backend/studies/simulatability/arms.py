"""Which methods can explain a domain, and why others can't."""

from collections.abc import Collection, Iterable, Mapping
from typing import Final

from stimuli.errors import UserError
from stimuli.studies.simulatability.protocol import (
    ATTENTION_ROLLOUT,
    INTEGRATED_GRADIENTS,
    KERNEL_SHAP,
    NO_EXPLANATION,
    OMISSION,
    Simulatability,
)
from xai_backend.studies.simulatability.trained import Trained

NEED_PROTOTYPES: Final = ("prototype", "composite")


def why_not(method: str, trained: Trained) -> str | None:
    """Return why a method of the suite can't explain a domain's model; None if it can."""
    name = trained.domain
    if trained.space is None:
        return f"{name}: no model is at hand that could be asked"
    if method in NEED_PROTOTYPES and trained.prototypes is None:
        return f"{name}: the model has no prototype network"
    if method == OMISSION and not hasattr(trained.model, "margins_without"):
        return f"{name}: nobody can say what the model reads in place of a part that is left out"
    if method == KERNEL_SHAP and name == "text":
        return f"{name}: it explains rows of a table"
    if method in (INTEGRATED_GRADIENTS, ATTENTION_ROLLOUT):
        return _why_not_inside(method, trained)
    return None


def _why_not_inside(method: str, trained: Trained) -> str | None:
    """Return why a method that looks into a network can't; None if it can."""
    model, name = trained.model, trained.domain
    folder, device = getattr(model, "name", ""), getattr(model, "device", "cpu")
    if name != "text" or not folder.startswith("hf:"):
        return f"{name}: it needs a model of Transformers (--text-model hf:DIR)"
    from xai_backend.studies.simulatability.own_model import sentence_classifier  # with torch

    found = sentence_classifier(folder, device)
    if not found.joins_pieces:
        return f"{name}: the tokenizer doesn't say where its word pieces stand in a sentence"
    if method == ATTENTION_ROLLOUT and not found.has_class_token:
        return f"{name}: the model doesn't read its answer from a class token"
    return None


def left_out(
    protocol: Simulatability, domains: Iterable[Trained], brought: Collection[str]
) -> dict[str, str]:
    """Return why methods of the protocol can't be had, by method.

    Raises
    ------
    UserError
        If none is left.
    """
    every = list(domains)
    reasons = {}
    for method in protocol.design.methods:
        if method not in brought and method != NO_EXPLANATION:
            found = (why_not(method, trained) for trained in every)
            if (reason := next(filter(None, found), None)) is not None:
                reasons[method] = reason
    rest = [name for name in protocol.design.methods if name not in reasons]
    if reasons and not set(rest) - {NO_EXPLANATION}:
        method, reason = next(iter(reasons.items()))
        raise UserError(
            f"design.methods: no method is left ({method}: {reason}); give explanations with "
            "--explanations NAME=FILE"
        )
    return reasons


def told(reasons: Mapping[str, str]) -> list[str]:
    """Return a line for each method that is left out."""
    return [f"The arm {method} is left out: {reason}." for method, reason in reasons.items()]

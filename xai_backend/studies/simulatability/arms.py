"""Which methods can explain a domain, and why others can't."""

from collections.abc import Collection, Iterable, Mapping
from typing import Final

from stimuli.errors import UserError
from stimuli.studies.simulatability.protocol import NO_EXPLANATION, OMISSION, Simulatability
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

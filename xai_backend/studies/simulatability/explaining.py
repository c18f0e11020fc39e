"""Explanations of a model's outputs, by method.

All draws are seeded by key, method and input. Whatever else is asked for, in whatever order and by
whichever worker, a method says the same of an input.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

import numpy as np

from stimuli.errors import UserError
from stimuli.io.canonical import hash_of, seed_of
from stimuli.studies.simulatability.protocol import (
    ATTENTION_ROLLOUT,
    BUILT_IN,
    INTEGRATED_GRADIENTS,
    KERNEL_SHAP,
    NO_EXPLANATION,
    OMISSION,
    Simulatability,
)
from stimuli.studies.simulatability.stimulus import (
    EXPLANATION,
    AnyExplanation,
    TableInput,
    TextInput,
)
from stimuli.workers import Keeper, Workers, ordered_map
from xai_backend.progress import Reporter, Silent
from xai_backend.studies.simulatability.methods.anchor import anchor
from xai_backend.studies.simulatability.methods.boundary import boundary
from xai_backend.studies.simulatability.methods.brought import Brought
from xai_backend.studies.simulatability.methods.composite import composite
from xai_backend.studies.simulatability.methods.lime import lime
from xai_backend.studies.simulatability.methods.prototype import omission, prototype
from xai_backend.studies.simulatability.trained import AnyInput, Labelled, Trained

VERSION: Final = 2
"""Raised by hand whenever a method would say something else."""
HERE: Final = Workers(here=True)
Explanations = Mapping[str, AnyExplanation | None]
"""By method; None where a method has none for the input, which then can't be an item."""
LIME, ANCHOR, PROTOTYPE, BOUNDARY = "lime", "anchor", "prototype", "decision_boundary"
COMPOSITE: Final = "composite"


@dataclass(frozen=True, slots=True)
class Explaining:
    """How a domain's items are explained.

    Attributes
    ----------
    methods
        The protocol's; ``no_explanation`` is left out.
    protocol
        How explanations are made.
    key
        What the trained models are known by: a text that changes with them. Seeds, and what is
        kept, follow from it.
    brought
        A lab's own explanations, by method.
    """

    methods: Sequence[str]
    protocol: Simulatability
    key: str
    brought: Mapping[str, Brought] = field(default_factory=dict)


def explain_all(
    trained: Trained,
    items: Sequence[Labelled],
    how: Explaining,
    *,
    workers: Workers = HERE,
    kept: Keeper | None = None,
    reporter: Reporter = Silent(),
) -> list[Explanations]:
    """Return all methods' explanations of all items, in the items' order.

    Parameters
    ----------
    trained
        The domain.
    items
        What is explained; a source id may stand there twice.
    how
        By which methods, and how.
    workers
        Where it is computed; by default here.
    kept
        Keeps what is finished, so that an interrupted build goes on.
    reporter
        Told the progress.

    Raises
    ------
    UserError
        If a method is neither the suite's nor brought, or a brought explanation doesn't fit.
    """
    protocol, key, brought = how.protocol, how.key, how.brought
    wanted = [method for method in how.methods if method != NO_EXPLANATION]
    check_methods(wanted, brought)
    own = sorted(method for method in wanted if method not in brought)
    settings = [VERSION, key, own, protocol.explained.model_dump(), protocol.models.variant]
    names = [hash_of([*settings, item.given.model_dump(mode="json")]) for item in items]
    tasks = {name: item.given for name, item in zip(names, items, strict=True)}
    explain = partial(_as_json, own, trained, protocol, key)
    made: dict[str, Explanations] = {}
    if own:  # a lab's own explanations need no work, and no torch
        with reporter.stage(f"explanations, {trained.domain}", len(tasks)) as advance:
            found = ordered_map(explain, tasks.items(), workers, kept, lambda name: advance(1))
            made = {name: _from_json(values) for name, values in found}
    return [
        {
            method: brought[method].explain(item, trained)
            if method in brought
            else made[name][method]
            for method in wanted
        }
        for name, item in zip(names, items, strict=True)
    ]


def check_methods(methods: Sequence[str], brought: Mapping[str, Brought]) -> None:
    """Raise UserError for a method that is neither the suite's nor brought."""
    for method in methods:
        if method not in BUILT_IN and method not in brought:
            raise UserError(
                f"design.methods: {method} isn't a method of the suite "
                f"({', '.join(sorted({*BUILT_IN, NO_EXPLANATION}))}); give its explanations with "
                f"--explanations {method}=FILE"
            )


def _as_json(
    methods: Sequence[str], trained: Trained, protocol: Simulatability, key: str, given: AnyInput
) -> dict[str, Any]:
    said = _explanations_of(methods, trained, given, protocol, key)
    return {name: one and one.model_dump(mode="json") for name, one in said.items()}


def _from_json(values: Mapping[str, Any]) -> Explanations:
    return {name: one and EXPLANATION.validate_python(one) for name, one in values.items()}


def _explanations_of(
    methods: Sequence[str], trained: Trained, given: AnyInput, protocol: Simulatability, key: str
) -> Explanations:
    """Return what methods say; the composite's parts are those of the single methods."""
    made: dict[str, AnyExplanation | None] = {}

    def say(method: str) -> Any:
        if method not in made:
            made[method] = (
                composite(say(LIME), say(ANCHOR), say(BOUNDARY), say(PROTOTYPE))
                if method == COMPOSITE
                else _alone(method, trained, given, protocol, key)
            )
        return made[method]

    from xai_backend.determinism import deterministic  # with torch, which outputs alone don't need

    with deterministic():
        return {method: say(method) for method in methods}


def _alone(
    method: str, trained: Trained, given: AnyInput, protocol: Simulatability, key: str
) -> AnyExplanation | None:
    settings, variant = protocol.explained, protocol.models.variant
    rng = np.random.default_rng(seed_of(key, method, hash_of(given.model_dump(mode="json"))))
    if method == LIME:
        return lime(trained, given, settings.lime_features, variant, rng)
    if method == ANCHOR:
        return anchor(trained, given, settings.anchor_precision, variant, rng)
    if method == BOUNDARY:
        return boundary(trained, given, settings.boundary_steps, rng)
    if method == PROTOTYPE:
        assert trained.prototypes is not None
        return prototype(trained.prototypes, given, settings.prototype_terms)
    if method == OMISSION:
        return omission(trained.task, given)
    if method == KERNEL_SHAP:
        from xai_backend.studies.simulatability.methods.value_weights import kernel_shap

        assert isinstance(given, TableInput)
        return kernel_shap(trained, given, settings.lime_features, rng)
    assert isinstance(given, TextInput)
    from xai_backend.studies.simulatability.methods import word_weights  # with torch

    inside = {INTEGRATED_GRADIENTS: word_weights.integrated_gradients,
              ATTENTION_ROLLOUT: word_weights.attention_rollout}  # fmt: skip
    return inside[method](trained, given, settings.lime_features)

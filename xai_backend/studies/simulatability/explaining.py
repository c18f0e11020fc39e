"""Explanations of a model's outputs, by method; and which methods can explain a domain.

All draws are seeded by key, method and input. So a method gives the same explanation of an input,
whatever else is explained, in whatever order and by whichever worker.

Composite is LIME and Anchor, the boundary's last step and Prototype (Hase & Bansal 2020, 3.5). Its
four parts are the explanations of their own arms, as in the published sheets.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

import numpy as np

from stimuli.errors import UserError
from stimuli.io.canonical import hash_of, seed_of
from stimuli.studies.simulatability.protocol import (
    ATTENTION_RELEVANCE,
    ATTENTION_ROLLOUT,
    BUILT_IN,
    KERNEL_SHAP,
    NO_EXPLANATION,
    OF_INSIDE,
    OF_LEAVING_OUT,
    OMISSION,
    Simulatability,
)
from stimuli.studies.simulatability.stimulus import (
    EXPLANATION,
    Anchor,
    AnyExplanation,
    Boundary,
    Composite,
    Lime,
    Prototype,
    TableInput,
    TextInput,
)
from stimuli.workers import Keeper, Workers, ordered_map
from xai_backend.progress import Reporter, Silent
from xai_backend.studies.simulatability.methods.anchor import anchor
from xai_backend.studies.simulatability.methods.boundary import boundary
from xai_backend.studies.simulatability.methods.brought import Brought
from xai_backend.studies.simulatability.methods.left_out import weights_without_words
from xai_backend.studies.simulatability.methods.lime import lime
from xai_backend.studies.simulatability.methods.prototype import omission, prototype
from xai_backend.studies.simulatability.trained import AnyInput, Labelled, Trained

LIME, ANCHOR, PROTOTYPE, BOUNDARY = "lime", "anchor", "prototype", "decision_boundary"
COMPOSITE: Final = "composite"
NEED_PROTOTYPES: Final = (PROTOTYPE, COMPOSITE)
VERSION: Final = 2
"""Raise it by hand whenever a method would give other explanations."""
HERE: Final = Workers(here=True)
Explanations = Mapping[str, AnyExplanation | None]
"""Explanations by method; None if a method has none for the input, which then can't be an item."""


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
    if method in OF_LEAVING_OUT and name != "text":
        return f"{name}: it explains sentences"
    if method in OF_INSIDE:
        return _why_not_inside(method, trained)
    return None


def _why_not_inside(method: str, trained: Trained) -> str | None:
    """Return why a method that uses a network's internals can't explain it; None if it can."""
    model, name = trained.model, trained.domain
    folder, device = getattr(model, "name", ""), getattr(model, "device", "cpu")
    if name != "text" or not folder.startswith("hf:"):
        return f"{name}: it needs a model of Transformers (--text-model hf:DIR)"
    from xai_backend.studies.simulatability.own_model import sentence_classifier  # with torch
    from xai_backend.studies.simulatability.own_transformers import SentenceClassifier

    classifier = sentence_classifier(folder, device)
    if not isinstance(classifier, SentenceClassifier):
        return f"{name}: a language model answers by its next token; it needs a classifier"
    if not classifier.joins_pieces:
        return f"{name}: the tokenizer doesn't say where its word pieces stand in a sentence"
    of_attention = method in (ATTENTION_ROLLOUT, ATTENTION_RELEVANCE)
    if of_attention and not classifier.has_class_token:
        return f"{name}: the model doesn't read its answer from a class token"
    return None


def left_out(
    protocol: Simulatability, domains: Iterable[Trained], brought: Collection[str]
) -> dict[str, str]:
    """Return why methods of the protocol aren't possible, by method.

    Raises
    ------
    UserError
        If none is left.
    """
    every = list(domains)
    reasons = {}
    for method in protocol.design.methods:
        if method not in brought and method != NO_EXPLANATION:
            whys = (why_not(method, trained) for trained in every)
            if (reason := next(filter(None, whys), None)) is not None:
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
    """Return the lines that report the methods left out."""
    return [f"The arm {method} is left out: {reason}." for method, reason in reasons.items()]


def composite(
    lime: Lime | None,
    anchor: Anchor | None,
    boundary: Boundary | None,
    prototype: Prototype,
) -> Composite | None:
    """Return four explanations together; None if one of them is missing."""
    if lime is None or anchor is None or boundary is None:
        return None
    return Composite(lime=lime, anchor=anchor, boundary=last_step(boundary), prototype=prototype)


def last_step(boundary: Boundary) -> Boundary:
    """Return only a boundary's last step, without margins."""
    last = boundary.steps[-1].model_copy(update={"margin": None})
    return boundary.model_copy(update={"margin": None, "steps": (last,)})


@dataclass(frozen=True, slots=True)
class Explaining:
    """How a domain's items are explained.

    Attributes
    ----------
    methods
        The protocol's methods; ``no_explanation`` is left out.
    protocol
        How explanations are made.
    key
        Identifies the trained models: a text that changes with them. Seeds, and the keys of kept
        results, follow from it.
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
    keeper: Keeper | None = None,
    reporter: Reporter = Silent(),
) -> list[Explanations]:
    """Return all methods' explanations of all items, in the items' order.

    Parameters
    ----------
    trained
        The domain.
    items
        The items to explain; a source id may occur twice.
    how
        The methods and their settings.
    workers
        The workers that compute; by default this process.
    keeper
        Keeps finished results, so that an interrupted build continues.
    reporter
        Shows progress.

    Raises
    ------
    UserError
        If a method isn't the suite's and no file has its explanations, or such an explanation
        doesn't fit.
    """
    protocol, key, brought = how.protocol, how.key, how.brought
    methods = [method for method in how.methods if method != NO_EXPLANATION]
    check_methods(methods, brought)
    computed = sorted(method for method in methods if method not in brought)
    settings = [VERSION, key, computed, protocol.explained.model_dump(), protocol.models.variant]
    names = [hash_of([*settings, item.instance.model_dump(mode="json")]) for item in items]
    tasks = {name: item.instance for name, item in zip(names, items, strict=True)}
    explain = partial(_as_json, computed, trained, protocol, key)
    by_name: dict[str, Explanations] = {}
    if computed:  # a lab's own explanations need no computing, and no torch
        with reporter.stage(f"explanations, {trained.domain}", len(tasks)) as advance:
            results = ordered_map(explain, tasks.items(), workers, keeper, lambda name: advance(1))
            by_name = {name: _from_json(values) for name, values in results}
    return [
        {
            method: brought[method].explain(item, trained)
            if method in brought
            else by_name[name][method]
            for method in methods
        }
        for name, item in zip(names, items, strict=True)
    ]


def check_methods(methods: Sequence[str], brought: Mapping[str, Brought]) -> None:
    """Raise UserError for a method that isn't the suite's, unless a file has its explanations."""
    for method in methods:
        if method not in BUILT_IN and method not in brought:
            raise UserError(
                f"design.methods: {method} isn't a method of the suite "
                f"({', '.join(sorted({*BUILT_IN, NO_EXPLANATION}))}); give its explanations with "
                f"--explanations {method}=FILE"
            )


def _as_json(
    methods: Sequence[str], trained: Trained, protocol: Simulatability, key: str, instance: AnyInput
) -> dict[str, Any]:
    explanations = _explanations_of(methods, trained, instance, protocol, key)
    return {
        name: explanation and explanation.model_dump(mode="json")
        for name, explanation in explanations.items()
    }


def _from_json(values: Mapping[str, Any]) -> Explanations:
    return {
        name: explanation and EXPLANATION.validate_python(explanation)
        for name, explanation in values.items()
    }


def _explanations_of(
    methods: Sequence[str], trained: Trained, instance: AnyInput, protocol: Simulatability, key: str
) -> Explanations:
    """Return the methods' explanations; the composite's parts are those of the single methods."""
    by_method: dict[str, AnyExplanation | None] = {}

    def say(method: str) -> Any:
        if method not in by_method:
            by_method[method] = (
                composite(say(LIME), say(ANCHOR), say(BOUNDARY), say(PROTOTYPE))
                if method == COMPOSITE
                else _alone(method, trained, instance, protocol, key)
            )
        return by_method[method]

    from xai_backend.determinism import deterministic  # with torch, which outputs alone don't need

    with deterministic():
        return {method: say(method) for method in methods}


def _alone(
    method: str, trained: Trained, instance: AnyInput, protocol: Simulatability, key: str
) -> AnyExplanation | None:
    settings, variant = protocol.explained, protocol.models.variant
    rng = np.random.default_rng(seed_of(key, method, hash_of(instance.model_dump(mode="json"))))
    if method == LIME:
        return lime(trained, instance, settings.lime_features, variant, rng)
    if method == ANCHOR:
        return anchor(trained, instance, settings.anchor_precision, variant, rng)
    if method == BOUNDARY:
        return boundary(trained, instance, settings.boundary_steps, rng)
    if method == PROTOTYPE:
        assert trained.prototypes is not None
        return prototype(trained.prototypes, instance, settings.prototype_terms)
    if method == OMISSION:
        return omission(trained.task, instance)
    if method == KERNEL_SHAP:
        from xai_backend.studies.simulatability.methods.weights import kernel_shap

        assert isinstance(instance, TableInput)
        return kernel_shap(trained, instance, settings.lime_features, rng)
    assert isinstance(instance, TextInput)
    if method in OF_LEAVING_OUT:
        return weights_without_words(method, trained, instance, settings.lime_features)
    from xai_backend.studies.simulatability.methods import weights  # with torch

    return getattr(weights, method)(trained, instance, settings.lime_features)

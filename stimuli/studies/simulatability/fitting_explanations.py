"""Whether an explanation fits its item: kind, numbers, classes, places."""

from collections.abc import Iterator, Mapping
from typing import Final

from pydantic import ValidationError

from stimuli.errors import UserError
from stimuli.studies.simulatability.explanations import (
    EXPLANATION,
    Anchor,
    AnyExplanation,
    Boundary,
    Composite,
    Lime,
    Omission,
    Prototype,
    Rationale,
    Weights,
)
from stimuli.studies.simulatability.inputs import TableInput, edited
from stimuli.studies.simulatability.material import DomainMaterial, Item

KINDS: Final[Mapping[str, str]] = {
    "lime": "lime",
    "anchor": "anchor",
    "prototype": "prototype",
    "decision_boundary": "boundary",
    "omission": "omission",
    "composite": "composite",
}
"""The type of each built-in method's explanations; a lab's own method may have any."""


def check_explanation(
    explanation: AnyExplanation, method: str, item: Item, domain: DomainMaterial, where: str
) -> None:
    """Refuse an explanation that doesn't fit its item.

    Raises
    ------
    UserError
        Says ``where``, and what.
    """
    wanted = KINDS.get(method, explanation.kind)
    if wanted == "lime" and len(domain.classes) > 2:
        wanted = "weights"
    if explanation.kind != wanted:
        raise UserError(f"{where}: is a {explanation.kind}, not a {wanted}")
    try:
        same = EXPLANATION.validate_json(explanation.model_dump_json()) == explanation
    except ValidationError:
        same = False
    if not same:
        raise UserError(f"{where}: contains a number that isn't finite")
    for part in _parts(explanation):
        for name in _classes(part):
            if name not in domain.classes:
                raise UserError(f"{where}: {name!r} isn't one of {', '.join(domain.classes)}")
        count = len(item.original.parts)
        for place in _places(part):
            if not 0 <= place < count:
                raise UserError(
                    f"{where}: place {place} isn't in the input, which has {count} parts"
                )
        if isinstance(part, Prototype):
            _check_prototype(part, item, where)
        if isinstance(part, Boundary):
            _check_path(part, item, where)


def _parts(explanation: AnyExplanation) -> tuple[AnyExplanation, ...]:
    if isinstance(explanation, Composite):
        return (explanation.lime, explanation.anchor, explanation.boundary, explanation.prototype)
    return (explanation,)


def _classes(part: AnyExplanation) -> Iterator[str]:
    match part:
        case Anchor():
            yield part.outcome
        case Prototype():
            yield part.label
        case Boundary():
            yield part.target
        case Weights(target=str(target)):
            yield target


def _places(part: AnyExplanation) -> Iterator[int]:
    match part:
        case Lime():
            named = part.features
        case Anchor():
            named = part.conditions
        case Prototype() | Omission() | Weights():
            named = part.terms
        case Rationale():
            yield from part.places
            return
        case _:
            return
    for one in named:
        yield from one.places


def _check_prototype(part: Prototype, item: Item, where: str) -> None:
    """Refuse a prototype of another kind than the input, or of other columns."""
    one, other = part.prototype, item.original
    columns = [own.columns for own in (one, other) if isinstance(own, TableInput)]
    if one.kind != other.kind or len(set(columns)) > 1:
        raise UserError(f"{where}: the prototype must have the input's kind and columns")


def _check_path(part: Boundary, item: Item, where: str) -> None:
    for step in part.steps:
        try:
            edited(item.original, step.edits)
        except ValueError as error:
            raise UserError(f"{where}: {error}") from None

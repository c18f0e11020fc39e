"""Check whether material fits a protocol, before anything is composed.

An explanation must fit its item: by its kind, numbers, classes and places.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import lcm
from typing import Final

from pydantic import ValidationError

from stimuli.errors import UserError
from stimuli.studies.simulatability import stimulus
from stimuli.studies.simulatability.material import (
    DomainMaterial,
    Item,
    Material,
    answers_shown_before,
    kind_of,
    kinds_of,
)
from stimuli.studies.simulatability.protocol import NO_EXPLANATION, Simulatability
from stimuli.studies.simulatability.sheets import given_order, sections_of, use_of
from stimuli.typed_text import runs_leftwards
from stimuli.typeface import leftward_script

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
    explanation: stimulus.AnyExplanation,
    method: str,
    item: Item,
    domain: DomainMaterial,
    where: str,
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
        same = stimulus.EXPLANATION.validate_json(explanation.model_dump_json()) == explanation
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
        if isinstance(part, stimulus.Prototype):
            _check_prototype(part, item, where)
        if isinstance(part, stimulus.Boundary):
            _check_path(part, item, where)


def _parts(explanation: stimulus.AnyExplanation) -> tuple[stimulus.AnyExplanation, ...]:
    if isinstance(explanation, stimulus.Composite):
        return (explanation.lime, explanation.anchor, explanation.boundary, explanation.prototype)
    return (explanation,)


def _classes(part: stimulus.AnyExplanation) -> Iterator[str]:
    match part:
        case stimulus.Anchor():
            yield part.outcome
        case stimulus.Prototype():
            yield part.label
        case stimulus.Boundary():
            yield part.target
        case stimulus.Weights(target=str(target)):
            yield target


def _places(part: stimulus.AnyExplanation) -> Iterator[int]:
    match part:
        case stimulus.Lime():
            named = part.features
        case stimulus.Anchor():
            named = part.conditions
        case stimulus.Prototype() | stimulus.Omission() | stimulus.Weights():
            named = part.terms
        case stimulus.Rationale():
            yield from part.places
            return
        case _:
            return
    for term in named:
        yield from term.places


def _check_prototype(part: stimulus.Prototype, item: Item, where: str) -> None:
    """Refuse a prototype of another kind than the input, or of other columns."""
    prototype, original = part.prototype, item.original
    columns = [
        instance.columns
        for instance in (prototype, original)
        if isinstance(instance, stimulus.TableInput)
    ]
    if prototype.kind != original.kind or len(set(columns)) > 1:
        raise UserError(f"{where}: the prototype must have the input's kind and columns")


def _check_path(part: stimulus.Boundary, item: Item, where: str) -> None:
    for step in part.steps:
        try:
            stimulus.edited(item.original, step.edits)
        except ValueError as error:
            raise UserError(f"{where}: {error}") from None


UNTESTED_USE = "learning"
MOST_CLASSES = 9
"""A digit key each."""


def check(protocol: Simulatability, material: Material) -> None:
    """Refuse material that doesn't fit the protocol.

    Raises
    ------
    UserError
        In one line: which domain, item or method, with counts where they don't fit.
    """
    for name, of in Counter(domain.name for domain in material.domains).items():
        if of > 1:
            raise UserError(f"{name}: occurs twice; give each domain once")
    by_name = {domain.name: domain for domain in material.domains}
    for name in protocol.design.domains:
        if name not in by_name:
            raise UserError(
                f"design.domains names {name}, but there are only items of "
                f"{' and '.join(by_name) or 'none'}; remove it, or give its data"
            )
        _check_domain(protocol, by_name[name])


def needs_explanations(protocol: Simulatability, item: Item) -> frozenset[str]:
    """Return the methods that must explain an item: those of a section that shows explanations."""
    test = {"learning": "forward", "counterfactual": "counterfactual"}.get(item.use)
    if test not in protocol.design.tests:
        return frozenset()
    return frozenset(protocol.design.methods) - {NO_EXPLANATION}


def _check_domain(protocol: Simulatability, domain: DomainMaterial) -> None:
    if not 2 <= len(set(domain.classes)) == len(domain.classes) <= MOST_CLASSES:
        raise UserError(
            f"{domain.name}: classes are {', '.join(domain.classes)}; there must be 2 to "
            f"{MOST_CLASSES}"
        )
    wanted = (UNTESTED_USE, *protocol.design.tests)
    items = [item for item in domain.items if item.use in wanted]
    twice = [key for key, n in Counter(item.key(domain.name) for item in items).items() if n > 1]
    if twice:
        raise UserError(f"{twice[0]}: occurs twice; an id must be unique in a split and use")
    for item in items:
        _check_item(domain, item)
    check_counts(protocol, domain.name, domain.classes)
    for use in wanted:
        _check_balance(protocol, domain, [item for item in items if item.use == use], use)
    _check_methods(protocol, domain, items)
    for item in items:
        for method in sorted(needs_explanations(protocol, item)):
            where = f"{item.key(domain.name)}, {method}"
            check_explanation(item.explanations[method], method, item, domain, where)
            _refuse_leftwards(where, [item.explanations[method].model_dump_json()])
    names = [*domain.classes, *domain.class_names.values(), *domain.terms.values()]
    _refuse_leftwards(f"{domain.name}, names", names)
    _check_orders(protocol, domain)
    _check_answers(protocol, domain, items)


def _check_item(domain: DomainMaterial, item: Item) -> None:
    where = item.key(domain.name)
    if isinstance(item.original, stimulus.TextInput) != (domain.name == "text"):
        raise UserError(f"{where}: is a {item.original.kind}, but the domain is {domain.name}")
    if not isinstance(item.original, stimulus.TextInput):
        columns, values = item.original.columns, item.original.values
        if len(columns) != len(values):
            raise UserError(f"{where}: has {len(columns)} columns, but {len(values)} values")
    for what, label in (("true label", item.true_label), ("output", item.output)):
        _check_class(where, what, label, domain)
    is_changed = item.use == "counterfactual"
    if (bool(item.edits), item.edited_output is not None) != (is_changed, is_changed):
        raise UserError(
            f"{where}: {'lacks' if is_changed else 'has'} edits or an output on the edited input"
        )
    texts = [*item.original.parts, *getattr(item.original, "columns", ())]
    if item.edits is not None:
        _check_class(where, "output on the edited input", str(item.edited_output), domain)
        try:
            stimulus.edited(item.original, item.edits)
        except ValueError as error:
            raise UserError(f"{where}: {error}") from None
        texts += [edit.new for edit in item.edits]
    _refuse_leftwards(where, texts)


def _refuse_leftwards(where: str, texts: Iterable[str]) -> None:
    for text in filter(runs_leftwards, texts):
        raise UserError(
            f"{where}: the script {leftward_script(text)} is written from right to left; words "
            "with weights are set from left to right only, so take texts in another script"
        )


def check_counts(protocol: Simulatability, domain: str, classes: Sequence[str]) -> None:
    """Refuse numbers of items that can't be divided among a domain's kinds of items.

    Raises
    ------
    UserError
        Names the field, and the next number that is possible.
    """
    for field, number in (
        ("learning", protocol.items.learning),
        ("per_test", protocol.items.per_test),
    ):
        least = _least(field, classes)
        if number % least:
            raise UserError(
                f"{domain}: items.{field} ({number}) isn't a multiple of {least}, which "
                f"{len(classes)} classes need; use {_next_count(field, number, [classes])}"
            )


def with_possible_counts(
    protocol: Simulatability, domains: Sequence[Sequence[str]]
) -> Simulatability:
    """Return a protocol with the next numbers of items that the classes of all domains can share.

    Parameters
    ----------
    protocol
        The protocol.
    domains
        The classes of each domain.
    """
    document = protocol.model_dump(mode="json", by_alias=True)
    for field in ("learning", "per_test"):
        document["items"][field] = _next_count(field, document["items"][field], domains)
    return type(protocol).model_validate(document)


def _least(field: str, classes: Sequence[str]) -> int:
    return len(kinds_of(classes)) * (1 if field == "learning" else 2)


def _next_count(field: str, number: int, domains: Sequence[Sequence[str]]) -> int:
    """Return the next number of items that is possible; the number itself if it is."""
    least = [_least(field, classes) for classes in domains]
    if not any(number % divisor for divisor in least):
        return number
    step = lcm(*least, 4 if field == "learning" else 8)
    return step * (1 + number // step)


def _check_class(where: str, role: str, label: str, domain: DomainMaterial) -> None:
    if label not in domain.classes:
        raise UserError(f"{where}: {role} {label!r} isn't one of {', '.join(domain.classes)}")


def _check_balance(
    protocol: Simulatability, domain: DomainMaterial, items: list[Item], use: str
) -> None:
    """Refuse an outcome with too few or too many items, or with too few or too many flips."""
    field = "learning" if use == UNTESTED_USE else "per_test"
    wanted = getattr(protocol.items, field) // len(kinds_of(domain.classes))
    counts = dict.fromkeys(kinds_of(domain.classes), 0)
    flips = dict(counts)
    for item in items:
        kind = kind_of(item.true_label, item.output, domain.classes)
        counts[kind] += 1
        flips[kind] += bool(item.flips)
    where = f"{domain.name}, {use}"
    if any(count != wanted for count in counts.values()):
        raise UserError(f"{where}: {_counts(counts)}; items.{field} needs {wanted} of each")
    if use == "counterfactual" and any(count != wanted // 2 for count in flips.values()):
        raise UserError(
            f"{where}: changes that flip the output: {_counts(flips)}; {wanted // 2} of the "
            f"{wanted} of each kind must"
        )


def _counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items())


def _check_methods(protocol: Simulatability, domain: DomainMaterial, items: list[Item]) -> None:
    for method in protocol.design.methods:
        needing = [item for item in items if method in needs_explanations(protocol, item)]
        without = [item for item in needing if method not in item.explanations]
        if without and len(without) == len(needing):
            known = sorted({name for item in items for name in item.explanations})
            raise UserError(
                f"design.methods names {method}, but no item of {domain.name} has an explanation "
                f"by it; there are explanations by {', '.join(known) or 'no method'}"
            )
        if without:
            raise UserError(
                f"{without[0].key(domain.name)}: has no explanation by {method}; "
                f"{len(without)} of {len(needing)} items of {domain.name} that need one have none"
            )


def _check_orders(protocol: Simulatability, domain: DomainMaterial) -> None:
    for method in protocol.design.methods:
        for section in sections_of(protocol.design.tests):
            stated = domain.orders.get((method, section))
            order = given_order(domain, method, section)
            where = f"{domain.name}, {method}, {section}"
            ids = [item.source_id for item in domain.items if item.use == use_of(section)]
            for listed in (stated, order):
                if listed is not None and (
                    sorted(listed) != sorted(ids) or len(set(ids)) < len(ids)
                ):
                    raise UserError(
                        f"{where}: the given order must contain each of the {len(ids)} ids once"
                    )
            if stated is not None and list(stated) != list(order or ()):
                raise UserError(f"{where}: the examples' order must be the same for all methods")


def _check_answers(protocol: Simulatability, domain: DomainMaterial, items: list[Item]) -> None:
    for revealed in answers_shown_before(items, protocol.design.orders):
        raise UserError(
            f"{revealed.item.key(domain.name)}: people predict its output, but "
            f"{revealed.teller.key(domain.name)} shows it on the same input"
        )

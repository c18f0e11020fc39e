"""A case as the published sheets write it: lines of plain text, without colours, bars or frames.

Of a changed sentence the new words stand between asterisks; of a changed row there is a line for
each column that changed. The sheets state no precision and no coverage of a rule.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from experiments.studies.simulatability.pieces import Block, Type, line_blocks, spaced, words
from experiments.studies.simulatability.said import Said
from stimuli.studies.simulatability import stimulus

Part = list[str]
"""Lines without an empty line between them."""
RULE: Final = "----"
PART: Final = 1.2
"""Room above a part, as a multiple of the letters' size."""


def plain_blocks(type_: Type, parts: Iterable[Part], width_px: int) -> list[Block]:
    """Return lines of text as blocks, part below part.

    A page doesn't end after a part's first line, or after a rule.
    """
    blocks: list[Block] = []
    for part in parts:
        lines: list[Block] = []
        for line in part:
            holds = line == RULE or (not lines and len(part) > 1)
            lines += line_blocks(type_, words(line), width_px, holds=holds)
        blocks += spaced(lines, type_.room(PART) if blocks else 0)
    return blocks


def input_lines(said: Said, given: stimulus.TextInput | stimulus.TableInput) -> Part:
    """Return an input: a sentence, or a line for each column."""
    if isinstance(given, stimulus.TextInput):
        return [given.text]
    pairs = zip(given.columns, given.values, strict=True)
    return [f"{said.term(column)} = {said.written(column, value)}" for column, value in pairs]


def changed_lines(
    said: Said, original: stimulus.TextInput | stimulus.TableInput, edits: Sequence[stimulus.Edit]
) -> Part:
    """Return a changed sentence with its new words marked, or the columns that changed."""
    if isinstance(original, stimulus.TextInput):
        new = {edit.place: f"**{edit.new}**" if edit.new else "" for edit in edits}
        tokens = [new.get(place, token) for place, token in enumerate(original.tokens)]
        return [original.replaced(tokens).text]
    lines = []
    for edit in edits:
        column = original.columns[edit.place]
        old, new_value = (said.written(column, value) for value in (edit.old, edit.new))
        lines.append(f"{said.term(column)} : {old} --> {new_value}")
    return lines


def explanation_parts(said: Said, explanations: Sequence[stimulus.AnyExplanation]) -> list[Part]:
    """Return explanations below one another, with a rule between them."""
    parts: list[Part] = []
    for explanation in explanations:
        if parts:
            parts[-1].append(RULE)
        parts += _parts(said, explanation)
    return parts


def _parts(said: Said, explanation: stimulus.AnyExplanation) -> list[Part]:
    match explanation:
        case stimulus.Lime():
            return [_lime(said, explanation)]
        case stimulus.Anchor():
            return [_anchor(said, explanation)]
        case stimulus.Prototype():
            return [_prototype(said, explanation)]
        case stimulus.Boundary():
            return _boundary(said, explanation)
        case stimulus.Omission():
            margin = said.words.filled("margin_plain", number=said.number(explanation.margin))
            return [[margin, *_informative(said, explanation.terms)]]
        case stimulus.Weights():
            return [_weights(said, explanation)]
        case stimulus.Rationale():
            return [[explanation.text]]
        case stimulus.Composite():
            raise TypeError("a composite's views are of its parts")


def _lime(said: Said, lime: stimulus.Lime) -> Part:
    figures = {
        "baseline_plain": lime.baseline, "sum_plain": lime.weights_sum, "total_plain": lime.total,
    }  # fmt: skip
    return [
        said.words["features_plain"],
        *(_term(said, feature, signed=False) for feature in lime.features),
        *(
            said.words.filled(word, number=said.number(value, signed=False))
            for word, value in figures.items()
        ),
    ]


def _weights(said: Said, weights: stimulus.Weights) -> Part:
    title = said.words["attention_plain"]
    if weights.target is not None:
        title = said.words.filled("weights_plain", answer=said.class_name(weights.target))
    signed = weights.target is not None
    return [title, *(_term(said, term, signed=signed) for term in weights.terms)]


def _anchor(said: Said, anchor: stimulus.Anchor) -> Part:
    rule = enumerate(anchor.conditions, start=1)
    return [
        said.words.filled("conditions_plain", answer=said.class_name(anchor.outcome)),
        *(f"{number}. {_name(said, condition)}" for number, condition in rule),
    ]


def _prototype(said: Said, prototype: stimulus.Prototype) -> Part:
    label = said.class_name(prototype.label)
    if prototype.evidence is None:
        head = said.words.filled("example_plain", answer=label)
    else:
        evidence = said.number(prototype.evidence)
        head = said.words.filled("prototype_plain", answer=label, number=evidence)
    alike, given = prototype.prototype, said.stimulus.original
    if isinstance(alike, stimulus.TableInput):
        rows = zip(alike.columns, alike.values, given.parts, strict=True)
        shown = [said.words["beside_plain"], RULE]
        shown += [
            f"{said.term(column)} | {said.written(column, its)} --- {said.written(column, value)}"
            for column, its, value in rows
        ]
    else:
        shown = input_lines(said, alike)
    if prototype.evidence is None and not prototype.terms:
        return [head, *shown]
    return [head, *shown, RULE, *_informative(said, prototype.terms)]


def _boundary(said: Said, boundary: stimulus.Boundary) -> list[Part]:
    """Return the path; four methods together show only its last step, without margins."""
    original = said.stimulus.original
    head = [said.words.filled("edits_plain", answer=said.class_name(boundary.target))]
    if boundary.margin is not None:
        margin = said.number(boundary.margin)
        head.insert(0, said.words.filled("original_margin_plain", number=margin))
    parts = [head]
    for number, step in enumerate(boundary.steps, start=1):
        lines = changed_lines(said, original, step.edits)
        if step.margin is not None:
            margin = said.number(step.margin)
            title = said.words.filled("step_plain", step=str(number), number=margin)
            lines = [title, *([RULE] if isinstance(original, stimulus.TextInput) else []), *lines]
        parts.append(lines)
    return parts


def _informative(said: Said, terms: Sequence[stimulus.Weighted]) -> Part:
    is_text = isinstance(said.stimulus.original, stimulus.TextInput)
    title = said.words["informative_words" if is_text else "informative_values"]
    return [title, *(_term(said, term) for term in terms)]


def _term(said: Said, term: stimulus.Weighted, *, signed: bool = True) -> str:
    return f"{_name(said, term)} | {said.number(term.weight, signed=signed)}"


def _name(said: Said, term: stimulus.Weighted | stimulus.Condition) -> str:
    """Return a term's name in a list: ``Sex = Male``, ``No gains``."""
    original = said.stimulus.original
    if not isinstance(original, stimulus.TableInput):
        return said.word(term)
    if len(term.places) != 1:
        return said.term(term.name)
    column, value = (parts[term.places[0]] for parts in (original.columns, original.values))
    column_is, equals, value_is = term.name.partition(" = ")
    if equals and (column_is, value_is) == (column, value):
        return f"{said.term(column)} = {said.written(column, value)}"
    return said.written(column, value) if term.name == value else said.term(term.name)

"""A case as the published sheets write it: lines of plain text, without colours, bars or frames.

Of a changed sentence the new words stand between asterisks; of a changed row there is a line for
each column that changed. The sheets state no precision and no coverage of a rule.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from experiments.studies.simulatability.pieces import Block, Type, line_blocks, spaced, words
from experiments.studies.simulatability.worded_case import WordedCase
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


def input_lines(case: WordedCase, case_input: stimulus.TextInput | stimulus.TableInput) -> Part:
    """Return an input: a sentence, or a line for each column."""
    if isinstance(case_input, stimulus.TextInput):
        return [case_input.text]
    pairs = zip(case_input.columns, case_input.values, strict=True)
    return [f"{case.term(column)} = {case.written(column, value)}" for column, value in pairs]


def changed_lines(
    case: WordedCase,
    original: stimulus.TextInput | stimulus.TableInput,
    edits: Sequence[stimulus.Edit],
) -> Part:
    """Return a changed sentence with its new words marked, or the columns that changed."""
    if isinstance(original, stimulus.TextInput):
        new = {edit.place: f"**{edit.new}**" if edit.new else "" for edit in edits}
        tokens = [new.get(place, token) for place, token in enumerate(original.tokens)]
        return [original.replaced(tokens).text]
    lines = []
    for edit in edits:
        column = original.columns[edit.place]
        old, new_value = (case.written(column, value) for value in (edit.old, edit.new))
        lines.append(f"{case.term(column)} : {old} --> {new_value}")
    return lines


def explanation_parts(
    case: WordedCase, explanations: Sequence[stimulus.AnyExplanation]
) -> list[Part]:
    """Return explanations below one another, with a rule between them."""
    parts: list[Part] = []
    for explanation in explanations:
        if parts:
            parts[-1].append(RULE)
        parts += _parts(case, explanation)
    return parts


def _parts(case: WordedCase, explanation: stimulus.AnyExplanation) -> list[Part]:
    match explanation:
        case stimulus.Lime():
            return [_lime(case, explanation)]
        case stimulus.Anchor():
            return [_anchor(case, explanation)]
        case stimulus.Prototype():
            return [_prototype(case, explanation)]
        case stimulus.Boundary():
            return _boundary(case, explanation)
        case stimulus.Omission():
            margin = case.words.filled("margin_plain", number=case.number(explanation.margin))
            return [[margin, *_informative(case, explanation.terms)]]
        case stimulus.Weights():
            return [_weights(case, explanation)]
        case stimulus.Rationale():
            return [[explanation.text]]
        case stimulus.Composite():
            raise TypeError("a composite's views are of its parts")


def _lime(case: WordedCase, lime: stimulus.Lime) -> Part:
    figures = {
        "baseline_plain": lime.baseline, "sum_plain": lime.weights_sum, "total_plain": lime.total,
    }  # fmt: skip
    return [
        case.words["features_plain"],
        *(_term(case, feature, signed=False) for feature in lime.features),
        *(
            case.words.filled(word, number=case.number(value, signed=False))
            for word, value in figures.items()
        ),
    ]


def _weights(case: WordedCase, weights: stimulus.Weights) -> Part:
    title = case.words["attention_plain"]
    if weights.target is not None:
        title = case.words.filled("weights_plain", answer=case.class_name(weights.target))
    signed = weights.target is not None
    return [title, *(_term(case, term, signed=signed) for term in weights.terms)]


def _anchor(case: WordedCase, anchor: stimulus.Anchor) -> Part:
    rule = enumerate(anchor.conditions, start=1)
    return [
        case.words.filled("conditions_plain", answer=case.class_name(anchor.outcome)),
        *(f"{number}. {_name(case, condition)}" for number, condition in rule),
    ]


def _prototype(case: WordedCase, prototype: stimulus.Prototype) -> Part:
    label = case.class_name(prototype.label)
    if prototype.evidence is None:
        head = case.words.filled("example_plain", answer=label)
    else:
        evidence = case.number(prototype.evidence)
        head = case.words.filled("prototype_plain", answer=label, number=evidence)
    alike, original = prototype.prototype, case.stimulus.original
    if isinstance(alike, stimulus.TableInput):
        rows = zip(alike.columns, alike.values, original.parts, strict=True)
        lines = [case.words["beside_plain"], RULE]
        lines += [
            f"{case.term(column)} | {case.written(column, its)} --- {case.written(column, value)}"
            for column, its, value in rows
        ]
    else:
        lines = input_lines(case, alike)
    if prototype.evidence is None and not prototype.terms:
        return [head, *lines]
    return [head, *lines, RULE, *_informative(case, prototype.terms)]


def _boundary(case: WordedCase, boundary: stimulus.Boundary) -> list[Part]:
    """Return the path; four methods together show only its last step, without margins."""
    original = case.stimulus.original
    head = [case.words.filled("edits_plain", answer=case.class_name(boundary.target))]
    if boundary.margin is not None:
        margin = case.number(boundary.margin)
        head.insert(0, case.words.filled("original_margin_plain", number=margin))
    parts = [head]
    for number, step in enumerate(boundary.steps, start=1):
        lines = changed_lines(case, original, step.edits)
        if step.margin is not None:
            margin = case.number(step.margin)
            title = case.words.filled("step_plain", step=str(number), number=margin)
            lines = [title, *([RULE] if isinstance(original, stimulus.TextInput) else []), *lines]
        parts.append(lines)
    return parts


def _informative(case: WordedCase, terms: Sequence[stimulus.Weighted]) -> Part:
    is_text = isinstance(case.stimulus.original, stimulus.TextInput)
    title = case.words["informative_words" if is_text else "informative_values"]
    return [title, *(_term(case, term) for term in terms)]


def _term(case: WordedCase, term: stimulus.Weighted, *, signed: bool = True) -> str:
    return f"{_name(case, term)} | {case.number(term.weight, signed=signed)}"


def _name(case: WordedCase, term: stimulus.Weighted | stimulus.Condition) -> str:
    """Return a term's name in a list: ``Sex = Male``, ``No gains``."""
    original = case.stimulus.original
    if not isinstance(original, stimulus.TableInput):
        return case.word(term)
    if len(term.places) != 1:
        return case.term(term.name)
    column, value = (parts[term.places[0]] for parts in (original.columns, original.values))
    column_is, equals, value_is = term.name.partition(" = ")
    if equals and (column_is, value_is) == (column, value):
        return f"{case.term(column)} = {case.written(column, value)}"
    return case.written(column, value) if term.name == value else case.term(term.name)

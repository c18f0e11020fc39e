"""What the sheets' explanations say, by method: typed values, and their places in an input."""

import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from stimuli.studies.simulatability.stimulus import (
    Anchor,
    AnyExplanation,
    Boundary,
    BoundaryStep,
    Composite,
    Condition,
    Lime,
    Omission,
    Prototype,
    TableInput,
    TextInput,
    Weighted,
)
from xai_backend.studies.simulatability.sheets.cells import Lines, Row, read_edits, read_sentence
from xai_backend.studies.simulatability.trained import AnyInput

_TERM: Final = "{text} | {number}"
_RULE: Final = "----"
_ORIGINAL: Final = "Original evidence margin: {number}"

_NUMBERED = re.compile(r"(.+) \((\d+)(?:st|nd|rd|th)\)")


def lime(lines: Lines, given: AnyInput) -> Lime:
    """Read a local linear model: features with weights, the baseline, the sum, and the total."""
    lines.next("Features:")
    features = [
        Weighted(name=name, places=everywhere(name, given), weight=float(weight))
        for name, weight in lines.all_of(_TERM)
    ]
    return Lime(
        features=tuple(features),
        baseline=_number(lines, "Baseline: {number}", "Baseline evidence: {number}"),
        weights_sum=_number(lines, "Sum of weights: {number}"),
        total=_number(lines, "Total evidence: {number}"),
    )


def anchor(lines: Lines, given: AnyInput) -> Anchor:
    """Read a rule, whose conditions are numbered."""
    (outcome,) = lines.next(
        "Conditions for model predicting '{text}':", "Conditions for the model predicting '{text}':"
    )
    conditions = lines.all_of("{count}. {text}")
    if [int(number) for number, _ in conditions] != list(range(1, len(conditions) + 1)):
        raise ValueError("the rule's conditions aren't numbered from 1")
    names = [name for _, name in conditions]
    pairs = zip(names, each(names, given), strict=True)
    rule = tuple(Condition(name=name, places=places) for name, places in pairs)
    return Anchor(outcome=outcome, conditions=rule)


def prototype(lines: Lines, given: AnyInput) -> Prototype:
    """Read a prototype, its label and evidence, and the input's parts that make it similar."""
    label, evidence = lines.next("Most activated prototype (label: {text}) | evidence: {number}")
    alike = _row_beside(lines, given) if isinstance(given, TableInput) else read_sentence(lines)
    lines.next(_RULE)
    lines.next("Informative words in input:", "Informative values in input:")
    return Prototype(
        prototype=alike, label=label, evidence=float(evidence), terms=_terms(lines, given)
    )


def omission(lines: Lines, given: AnyInput) -> Omission:
    """Read how much the evidence margin changes without a word or value."""
    margin = _number(lines, "Evidence margin: {number}", _ORIGINAL)
    lines.next("Informative values in input:", "Informative values in the input:")
    return Omission(margin=margin, terms=_terms(lines, given))


def boundary(lines: Lines, given: AnyInput) -> Boundary:
    """Read a path to the decision boundary, with the margin at each step."""
    margin = _number(lines, _ORIGINAL)
    target = _target(lines)
    steps = [_step(lines, given, 1)]
    while lines:
        steps.append(_step(lines, given, len(steps) + 1))
    return Boundary(target=target, margin=margin, steps=tuple(steps))


def composite(first: Lines, second: Lines, given: AnyInput) -> Composite:
    """Read four methods together, from two cells."""
    linear = lime(first, given)
    first.next(_RULE)
    rule = anchor(first, given)
    target = _target(second)
    step = BoundaryStep(edits=read_edits(second, given), margin=None)
    second.next(_RULE)
    return Composite(
        lime=linear,
        anchor=rule,
        boundary=Boundary(target=target, margin=None, steps=(step,)),
        prototype=prototype(second, given),
    )


def _number(lines: Lines, *forms: str) -> float:
    return float(lines.next(*forms)[0])


def _terms(lines: Lines, given: AnyInput) -> tuple[Weighted, ...]:
    terms = lines.all_of(_TERM)
    found = each([name for name, _ in terms], given)
    return tuple(
        Weighted(name=name, places=places, weight=float(weight))
        for (name, weight), places in zip(terms, found, strict=True)
    )


def _row_beside(lines: Lines, given: TableInput) -> TableInput:
    """Read a prototype that is written beside the input."""
    lines.next("Variable | Prototype --- Original Input")
    lines.next(_RULE)
    rows = lines.all_of("{text} | {text} --- {text}")
    beside = [(column, value) for column, _, value in rows]
    if beside != list(zip(given.columns, given.values, strict=True)):
        raise ValueError("the input beside the prototype isn't the item's input")
    return TableInput(columns=given.columns, values=tuple(its for _, its, _ in rows))


def _target(lines: Lines) -> str:
    return lines.next("Edits for changing prediction to '{text}':")[0]


def _step(lines: Lines, given: AnyInput, number: int) -> BoundaryStep:
    if isinstance(given, TextInput):
        margin = _number(lines, f"Step {number}. Evidence margin: {{number}}")
        lines.next(_RULE)
    else:
        lines.next(f"Step {number}.")
        margin = _number(lines, "Evidence margin: {number}")
    return BoundaryStep(edits=read_edits(lines, given), margin=margin)


@dataclass(frozen=True, slots=True)
class SheetMethod:
    """A method's form in the sheets.

    Attributes
    ----------
    file_part
        The method's name in file names.
    columns
        The columns of its explanations.
    read
        Reads an explanation from the lines of these columns and the input.
    """

    file_part: str
    columns: tuple[str, ...]
    read: Callable[..., AnyExplanation]


_ONE = ("explanation",)
METHODS: Final[Mapping[str, SheetMethod]] = {
    "lime": SheetMethod("LIME", _ONE, lime),
    "anchor": SheetMethod("Anchor", _ONE, anchor),
    "prototype": SheetMethod("prototype", _ONE, prototype),
    "decision_boundary": SheetMethod("decision_boundary", _ONE, boundary),
    "composite": SheetMethod("composite", ("explanation_a", "explanation_b"), composite),
    "omission": SheetMethod("omission", _ONE, omission),
}


def read_explanation(method: str, row: Row, given: AnyInput) -> AnyExplanation:
    """Return a row's explanation.

    Parameters
    ----------
    method
        One of `METHODS`.
    row
        The row, with the method's columns.
    given
        The input that it explains.

    Raises
    ------
    UserError
        If it doesn't have the form of the method's explanations, or names a part that the input
        doesn't have.
    """
    how = METHODS[method]
    return row.read(how.columns, partial(how.read, given=given))


def everywhere(name: str, given: AnyInput) -> tuple[int, ...]:
    """Return all places of a word or value, by LIME's tokens.

    LIME cuts a sentence at every character that isn't a letter, digit or underscore, and has one
    weight for all occurrences: its ``t`` is a part of each ``n't``.

    Raises
    ------
    ValueError
        If the input doesn't have it.
    """
    if isinstance(given, TableInput):
        return _somewhere(_whole(name, given), name)
    tokens = enumerate(given.tokens)
    found = [place for place, token in tokens if name in (token, *re.findall(r"\w+", token))]
    return _somewhere(found, name)


def each(names: Sequence[str], given: AnyInput) -> tuple[tuple[int, ...], ...]:
    """Return the places of each of several words or values.

    Parameters
    ----------
    names
        Words, values, or ``column = value``. ``if (2nd)`` is the second ``if`` of the sentence. A
        name that is listed as often as it occurs stands for one place each time, else for all
        places.
    given
        The input to which they belong.

    Raises
    ------
    ValueError
        If the input doesn't have one of them, or not as often.
    """
    listed, taken = Counter(names), {place for name in names for place in _whole(name, given)}
    seen: Counter[str] = Counter()
    found = []
    for name in names:
        numbered = _NUMBERED.fullmatch(name)
        places = _of_name(numbered[1] if numbered else name, given, taken)
        number = int(numbered[2]) if numbered else seen[name] + 1
        seen[name] += 1
        if number > len(places):
            raise ValueError(f"the input doesn't contain {name!r} as often")
        one = numbered or listed[name] == len(places)
        found.append((places[number - 1],) if one else places)
    return tuple(found)


def _of_name(name: str, given: AnyInput, taken: Collection[int]) -> tuple[int, ...]:
    """Return the places of a name; if no whole word matches, of a part of a word.

    Anchor's tokens are spaCy's: they split ``'ve`` into ``'`` and ``ve``. The ``'`` of a token that
    the list names as a whole is excluded.
    """
    whole = _whole(name, given)
    if whole or isinstance(given, TableInput):
        return _somewhere(whole, name)
    cut = ((place, re.findall(r"\w+|\W", token)) for place, token in enumerate(given.tokens))
    return _somewhere([at for at, parts in cut if name in parts and at not in taken], name)


def _whole(name: str, given: AnyInput) -> list[int]:
    if isinstance(given, TextInput):
        return [place for place, token in enumerate(given.tokens) if token == name]
    pairs = enumerate(zip(given.columns, given.values, strict=True))
    return [at for at, (column, value) in pairs if name in (value, f"{column} = {value}")]


def _somewhere(places: Sequence[int], name: str) -> tuple[int, ...]:
    if not places:
        raise ValueError(f"the input doesn't contain {name!r}")
    return tuple(places)

"""What the sheets' explanations say, by method: from strings to typed values."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from stimuli.studies.simulatability.explanations import (
    Anchor,
    AnyExplanation,
    Boundary,
    BoundaryStep,
    Composite,
    Condition,
    Lime,
    Omission,
    Prototype,
    Weighted,
)
from stimuli.studies.simulatability.inputs import Edit, TableInput, TextInput
from xai_backend.studies.simulatability.sheets.lines import Lines
from xai_backend.studies.simulatability.sheets.places import each, everywhere
from xai_backend.studies.simulatability.sheets.written_inputs import (
    CHANGE,
    listed_edits,
    marked_edits,
    sentence,
)
from xai_backend.studies.simulatability.sheets.xlsx import Row

AnyInput = TextInput | TableInput
_NUMBER = r"([+-]?\d+\.\d+)"
_TERM = rf"(.+?)\s*\|\s*{_NUMBER}"
_RULE = "----"


def lime(lines: Lines, given: AnyInput) -> Lime:
    """Read a local linear model: features with weights, baseline, their sum, the total."""
    lines.next("Features:")
    features = [
        Weighted(name=term[1], places=everywhere(term[1], given), weight=float(term[2]))
        for term in lines.all_of(_TERM)
    ]
    return Lime(
        features=tuple(features),
        baseline=float(lines.next(rf"Baseline(?: evidence)?: {_NUMBER}")[1]),
        weights_sum=float(lines.next(rf"Sum of weights: {_NUMBER}")[1]),
        total=float(lines.next(rf"Total evidence: {_NUMBER}")[1]),
    )


def anchor(lines: Lines, given: AnyInput) -> Anchor:
    """Read a rule, whose conditions are numbered."""
    outcome = lines.next(r"Conditions for(?: the)? model predicting '(.+)':")[1]
    conditions = lines.all_of(r"(\d+)\. (.+)")
    if [int(found[1]) for found in conditions] != list(range(1, len(conditions) + 1)):
        raise ValueError("the rule's conditions aren't numbered from 1")
    names = [found[2] for found in conditions]
    pairs = zip(names, each(names, given), strict=True)
    rule = tuple(Condition(name=name, places=places) for name, places in pairs)
    return Anchor(outcome=outcome, conditions=rule)


def prototype(lines: Lines, given: AnyInput) -> Prototype:
    """Read a prototype, its label and evidence, and what in the input made it alike."""
    head = lines.next(rf"Most activated prototype \(label: (.+)\) \| evidence: {_NUMBER}")
    alike = _prototype_row(lines, given) if isinstance(given, TableInput) else _sentence(lines)
    lines.next(_RULE)
    lines.next("Informative (?:words|values) in input:")
    return Prototype(
        prototype=alike, label=head[1], evidence=float(head[2]), terms=_terms(lines, given)
    )


def omission(lines: Lines, given: AnyInput) -> Omission:
    """Read how much the evidence margin changes without a word or value."""
    margin = lines.next(rf"(?:Original e|E)vidence margin: {_NUMBER}")[1]
    lines.next("Informative values in(?: the)? input:")
    return Omission(margin=float(margin), terms=_terms(lines, given))


def boundary(lines: Lines, given: AnyInput) -> Boundary:
    """Read a path to the decision boundary, with the margin at each step."""
    margin = lines.next(rf"Original evidence margin: {_NUMBER}")[1]
    target = _target(lines)
    steps: list[BoundaryStep] = []
    while lines:
        steps.append(_step(lines, given, len(steps) + 1))
    if not steps:
        raise ValueError("there is no step")
    return Boundary(target=target, margin=float(margin), steps=tuple(steps))


def composite(first: Lines, second: Lines, given: AnyInput) -> Composite:
    """Read four methods together, from two cells."""
    linear = lime(first, given)
    first.next(_RULE)
    rule = anchor(first, given)
    target = _target(second)
    step = BoundaryStep(edits=_edits(second, given), margin=None)
    second.next(_RULE)
    return Composite(
        lime=linear,
        anchor=rule,
        boundary=Boundary(target=target, margin=None, steps=(step,)),
        prototype=prototype(second, given),
    )


def _terms(lines: Lines, given: AnyInput) -> tuple[Weighted, ...]:
    terms = lines.all_of(_TERM)
    found = each([term[1] for term in terms], given)
    return tuple(
        Weighted(name=term[1], places=places, weight=float(term[2]))
        for term, places in zip(terms, found, strict=True)
    )


def _sentence(lines: Lines) -> TextInput:
    return sentence(lines.next("(.+)")[0])


def _prototype_row(lines: Lines, given: TableInput) -> TableInput:
    """Read a prototype beside the input."""
    lines.next(r"Variable \| Prototype\s+--- Original Input")
    lines.next(_RULE)
    rows = lines.all_of(r"(.+?)\s+\|\s+(.+?)\s+---\s+(.+)")
    beside = tuple((row[1], row[3]) for row in rows)
    if beside != tuple(zip(given.columns, given.values, strict=True)):
        raise ValueError("what stands beside the prototype isn't the item's input")
    return TableInput(columns=given.columns, values=tuple(row[2] for row in rows))


def _target(lines: Lines) -> str:
    return lines.next("Edits for changing prediction to '(.+)':")[1]


def _step(lines: Lines, given: AnyInput, number: int) -> BoundaryStep:
    if isinstance(given, TextInput):
        margin = lines.next(rf"Step {number}\. Evidence margin: {_NUMBER}")[1]
        lines.next(_RULE)
    else:
        lines.next(rf"Step {number}\.")
        margin = lines.next(rf"Evidence margin: {_NUMBER}")[1]
    return BoundaryStep(edits=_edits(lines, given), margin=float(margin))


def _edits(lines: Lines, given: AnyInput) -> tuple[Edit, ...]:
    if isinstance(given, TextInput):
        return marked_edits(given, lines.next("(.+)")[0])
    return listed_edits(given, "\n".join(change[0] for change in lines.all_of(CHANGE)))


@dataclass(frozen=True, slots=True)
class SheetMethod:
    """A method as the sheets have it.

    Attributes
    ----------
    file_part
        What it is called in names of files.
    columns
        The columns that hold its explanations.
    read
        Reads one, from the lines of these columns and the input.
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
        If it isn't written as the method's explanations are, or names what the input doesn't have.
    """
    how = METHODS[method]
    with row.blamed("explanation"):
        cells = [Lines(row.cells[column]) for column in how.columns]
        explanation = how.read(*cells, given)
        for lines in cells:
            lines.end()
    return explanation

"""Items and explanations written as the published sheets have them: the reverse of the import."""

from collections.abc import Sequence

from stimuli.studies.simulatability.stimulus import (
    Anchor,
    AnyExplanation,
    Boundary,
    Composite,
    Edit,
    Lime,
    Omission,
    Prototype,
    TableInput,
    TextInput,
    Weighted,
)

AnyInput = TextInput | TableInput


def written(explanation: AnyExplanation, given: AnyInput) -> tuple[str, ...]:
    """Return an explanation's cells; composites have two."""
    match explanation:
        case Composite():
            linear, rule = _lime(explanation.lime, given), _anchor(explanation.anchor, given)
            path = [_target(explanation.boundary)]
            path += written_edits(explanation.boundary.steps[-1].edits, given)
            alike = _prototype(explanation.prototype, given)
            return _cell([*linear, "----", *rule]), _cell([*path, "----", *alike])
        case Lime():
            return (_cell(_lime(explanation, given)),)
        case Anchor():
            return (_cell(_anchor(explanation, given)),)
        case Prototype():
            return (_cell(_prototype(explanation, given)),)
        case Boundary():
            return (_cell(_boundary(explanation, given)),)
        case Omission():
            return (_cell(_omission(explanation, given)),)
    raise AssertionError(explanation)


def written_input(given: AnyInput) -> str:
    if isinstance(given, TextInput):
        return " ".join(given.tokens)
    pairs = zip(given.columns, given.values, strict=True)
    return _cell([f"{column} = {value}" for column, value in pairs])


def written_edits(edits: Sequence[Edit], given: AnyInput) -> list[str]:
    if isinstance(given, TableInput):
        return [f"{given.columns[edit.place]} : {edit.old} --> {edit.new}" for edit in edits]
    tokens = list(given.tokens)
    for edit in edits:
        assert tokens[edit.place] == edit.old
        tokens[edit.place] = f"**{edit.new}**"
    return [" ".join(tokens)]


def without_blanks(cell: str) -> list[str]:
    """Return a cell's lines without what the comparison leaves aside: blanks and empty lines."""
    lines = (" ".join(line.split()) for line in cell.splitlines())
    return [line for line in lines if line]


def _cell(lines: Sequence[str]) -> str:
    return "\n".join(lines)


def _lime(lime: Lime, given: AnyInput) -> list[str]:
    baseline = "Baseline" if isinstance(given, TableInput) else "Baseline evidence"
    return [
        "Features:",
        *(f"{one.name} | {one.weight:.2f}" for one in lime.features),
        f"{baseline}: {lime.baseline:.2f}",
        f"Sum of weights: {lime.weights_sum:.2f}",
        f"Total evidence: {lime.total:.2f}",
    ]


def _anchor(anchor: Anchor, given: AnyInput) -> list[str]:
    the = "the " if isinstance(given, TableInput) else ""
    rule = enumerate(anchor.conditions, start=1)
    return [
        f"Conditions for {the}model predicting '{anchor.outcome}':",
        *(f"{number}. {condition.name}" for number, condition in rule),
    ]


def _prototype(alike: Prototype, given: AnyInput) -> list[str]:
    head = f"Most activated prototype (label: {alike.label}) | evidence: {alike.evidence:+.2f}"
    if isinstance(given, TextInput):
        said = [written_input(alike.prototype), "----", "Informative words in input:"]
        return [head, *said, *_terms(alike.terms)]
    rows = zip(given.columns, alike.prototype.parts, given.values, strict=True)
    return [
        head,
        "Variable | Prototype --- Original Input",
        "----",
        *(f"{column} | {its} --- {value}" for column, its, value in rows),
        "----",
        "Informative values in input:",
        *_terms(alike.terms),
    ]


def _target(path: Boundary) -> str:
    return f"Edits for changing prediction to '{path.target}':"


def _boundary(path: Boundary, given: AnyInput) -> list[str]:
    lines = [f"Original evidence margin: {path.margin:+.2f}", _target(path)]
    for number, step in enumerate(path.steps, start=1):
        margin = f"Evidence margin: {step.margin:+.2f}"
        if isinstance(given, TextInput):
            lines += [f"Step {number}. {margin}", "----"]
        else:
            lines += [f"Step {number}.", margin]
        lines += written_edits(step.edits, given)
    return lines


def _omission(omission: Omission, given: AnyInput) -> list[str]:
    margin = f"vidence margin: {omission.margin:+.2f}"
    if isinstance(given, TextInput):
        head = [f"Original e{margin}", "Informative values in the input:"]
    else:
        head = [f"E{margin}", "Informative values in input:"]
    return [*head, *_terms(omission.terms)]


def _terms(terms: Sequence[Weighted]) -> list[str]:
    return [f"{one.name} | {one.weight:+.2f}" for one in terms]

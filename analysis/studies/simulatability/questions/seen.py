"""What participants saw: one example of each domain, with every method's explanation in words."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Annotated, Final

from analysis.data.tables import Dataset
from analysis.questions.question import Question, Unavailable
from analysis.report.about import about
from analysis.report.declared import ReportTable, changes, some
from analysis.report.parts import Column
from analysis.report.wording import listed, number, percent
from analysis.studies.simulatability.data import SimulatabilityData
from analysis.studies.simulatability.words import DOMAINS, domain, method
from stimuli.pack import Pack
from stimuli.studies.simulatability.stimulus import (
    EXPLANATION,
    INPUT,
    Anchor,
    AnyExplanation,
    Boundary,
    Composite,
    Lime,
    Omission,
    Prototype,
    Rationale,
    TableInput,
    TextInput,
    Weighted,
    Weights,
)
from stimuli.studies.simulatability.tables import EXPLANATIONS, ITEMS, KEY

Row = Mapping[str, object]

MOST_CONDITIONS: Final = 8
"""Conditions of a rule that are written out."""


@dataclass(frozen=True, slots=True)
class Example:
    """An example, and a method's explanation of it."""

    domain: Annotated[str, about("Domain.")]
    item: Annotated[str, about("The item.")]
    input: Annotated[str, about("The input in words.")]
    label: Annotated[str, about("Its true label.")]
    output: Annotated[str, about("The model's output.")]
    method: Annotated[str, about("The method.")]
    explanation: Annotated[str, about("The explanation in sentences.")]


@dataclass(frozen=True, slots=True)
class Seen:
    """What participants saw: an example of each domain."""

    examples: Annotated[tuple[Example, ...], about("By domain and method.")]


def compute(data: SimulatabilityData) -> Seen | Unavailable:
    """Return an example of each domain, with its explanation by each method."""
    pack = _pack(data.dataset)
    if pack is None:
        return Unavailable()
    key = {str(row["presentation"]): row for row in pack.table(KEY)}
    items = [row for row in pack.table(ITEMS) if row["use"] == "learning"]
    by_domain = {name: [row for row in items if row["domain"] == name] for name in DOMAINS}
    examples = [_shown_example(rows, key) for rows in by_domain.values() if rows]
    explained = pack.table(EXPLANATIONS)
    return Seen(
        tuple(
            row
            for example in examples
            for row in _examples(
                example,
                str(key[str(example["presentation"])]["item"]),
                {
                    str(row["method"]): str(row["explanation"])
                    for row in explained
                    if row["presentation"] == example["presentation"]
                },
                data.predictions.methods,
            )
        )
    )


def _shown_example(items: Sequence[Row], key: Mapping[str, Row]) -> Row:
    """Return the shortest input that the model is right about."""

    def place(row: Row) -> tuple[bool, int, str]:
        presentation = str(row["presentation"])
        wrong = key[presentation]["outcome"] not in ("true_positive", "right")
        return wrong, len(str(row["input"])), presentation

    return min(items, key=place)


def _examples(
    example: Row, item: str, explained: Mapping[str, str], methods: Sequence[str]
) -> Iterator[Example]:
    """Yield an example with the explanation of each method that explains it."""
    for name in methods:
        if name in explained:
            explanation = EXPLANATION.validate_json(explained[name])
            yield Example(
                domain=str(example["domain"]),
                item=item,
                input=input_words(INPUT.validate_json(str(example["input"]))),
                label=str(example["shown_label"]),
                output=str(example["shown_output"]),
                method=name,
                explanation=" ".join(explanation_sentences(explanation)),
            )


def _pack(dataset: Dataset) -> Pack | None:
    return dataset.pack or next(iter(dataset.copies.values()), None)


def input_words(case: TextInput | TableInput) -> str:
    """Return a sentence, or a row as ``column: value``."""
    if isinstance(case, TextInput):
        return case.text
    pairs = zip(case.columns, case.values, strict=True)
    return "; ".join(f"{column}: {value}" for column, value in pairs)


def explanation_sentences(explanation: AnyExplanation) -> Iterator[str]:
    """Yield what an explanation says, sentence by sentence."""
    match explanation:
        case Composite():
            for part in (
                explanation.lime, explanation.anchor, explanation.boundary, explanation.prototype,
            ):  # fmt: skip
                yield from explanation_sentences(part)
        case Lime():
            yield f"Weights: {_weights(explanation.features)}."
            yield f"Baseline {number(explanation.baseline)}, total {number(explanation.total)}."
        case Omission():
            yield f"Left out one by one: {_weights(explanation.terms)}."
        case Anchor():
            yield _rule(explanation)
        case Prototype():
            yield f"Most alike: “{input_words(explanation.prototype)}” ({explanation.label})."
            if explanation.evidence is not None:
                yield f"Evidence {number(explanation.evidence)}; {_weights(explanation.terms)}."
            elif explanation.terms:
                yield f"{_weights(explanation.terms)}."
        case Weights():
            speaks = f"for {explanation.target}" if explanation.target else "of attention"
            yield f"Weights {speaks}: {_weights(explanation.terms)}."
        case Boundary():
            yield _path(explanation)
        case Rationale():
            yield explanation.text


def _weights(terms: Sequence[Weighted]) -> str:
    weights = [f"{term.name} {_signed(term.weight)}" for term in terms]
    return ", ".join(weights) if weights else "none above the threshold"


def _signed(weight: float) -> str:
    written = number(weight)
    return written if weight < 0 else f"+{written}"


def _rule(anchor: Anchor) -> str:
    names = [condition.name for condition in islice(anchor.conditions, MOST_CONDITIONS)]
    more = len(anchor.conditions) - len(names)
    rest = f" and {more} more" if more else ""
    held = f"If {listed(names)}{rest}, then" if names else "Whatever the input,"
    known = [
        f"{name} {percent(share)}"
        for name, share in (("precision", anchor.precision), ("coverage", anchor.coverage))
        if share is not None
    ]
    bracket = f" ({', '.join(known)})" if known else ""
    return f"{held} {anchor.outcome}{bracket}."


def _path(boundary: Boundary) -> str:
    steps = [
        ", ".join(f"{edit.old} → {edit.new}" for edit in step.edits)
        + ("" if step.margin is None else f" (margin {number(step.margin)})")
        for step in boundary.steps
    ]
    return f"Towards {boundary.target}: {'; '.join(steps)}."


def _example_words(row: Example) -> str:
    return f"{row.input} (true: {row.label}; model: {row.output})"


EXAMPLES = ReportTable(
    "seen",
    some("examples"),
    "An example that all arms saw, and how each method explains it.",
    (
        Column("Domain", domain, once=True),
        Column("Example", _example_words, once=True),
        Column("Method", method),
        Column("Explanation", "explanation"),
    ),
    "This table states explanations in words. On the screen, weights are drawn on the words and "
    "values. Long rules are shortened here.",
    strong=changes("domain"),
)
SEEN = Question(
    id="seen",
    title="What participants saw",
    answer=Seen,
    compute=compute,
    parts=(EXAMPLES,),
)
"""What participants saw."""

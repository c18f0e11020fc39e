"""How accurate the models are, and how true the explanations are that people saw."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Annotated, Final

from analysis.questions.question import Found, Question, Unavailable
from analysis.report.about import about
from analysis.report.declared import ReportTable, changes
from analysis.report.parts import Column
from analysis.report.wording import NOTHING, grouped, number, rounded
from analysis.studies.simulatability.data import SimulatabilityData
from analysis.studies.simulatability.words import DOMAINS, domain, method, tenth
from stimuli.pack import Pack
from stimuli.studies.simulatability.explanations import (
    EXPLANATION,
    Anchor,
    AnyExplanation,
    Boundary,
    Composite,
    Lime,
    Omission,
    Prototype,
)
from stimuli.studies.simulatability.tables import CLASSES, EXPLANATIONS, ITEMS, KEY, MODELS

HALF: Final = 0.5
"""Above it LIME's total says the positive class."""


@dataclass(frozen=True, slots=True)
class ModelAccuracy:
    """How accurate a domain's models are on the test split."""

    domain: Annotated[str, about("Domain.")]
    task: Annotated[float, about("The task model, per cent right.")]
    prototype: Annotated[float | None, about("The prototype network, per cent right.")]


@dataclass(frozen=True, slots=True)
class Quality:
    """How true a method's explanations are to the model, of what participants saw."""

    domain: Annotated[str, about("Domain.")]
    method: Annotated[str, about("The method.")]
    n: Annotated[int, about("Explanations of examples and of counterfactual items.")]
    faithful: Annotated[
        int | None,
        about(
            "Explanations that imply the model's output: LIME's total, the rule's outcome, the "
            "prototype's class, the sign of the evidence, a path that leads to the other class; of "
            "Composite all four. Null where none implies an output."
        ),
    ]
    terms: Annotated[
        float | None,
        about("Mean number of weights, conditions or steps; null where it has none."),
    ]
    precision: Annotated[
        float | None, about("Mean precision of the rules, a share; null if unknown.")
    ]
    coverage: Annotated[
        float | None, about("Mean coverage of the rules, a share; null if unknown.")
    ]


@dataclass(frozen=True, slots=True)
class Explained:
    """The models that people predict, and the explanations that they see."""

    models: Annotated[tuple[ModelAccuracy, ...], about("By domain.")]
    quality: Annotated[tuple[Quality, ...], about("By domain and method.")]


def compute(data: SimulatabilityData, found: Found) -> Explained | Unavailable:
    """Return the models' accuracies and the quality of the explanations, from the pack."""
    pack = data.pack
    if pack is None:
        return Unavailable(
            "accuracy of the models, and quality of the explanations", "no pack came with the data"
        )
    models = tuple(
        ModelAccuracy(
            str(row["domain"]),
            100 * float(str(row["accuracy"])),
            100 * float(str(row["prototype_accuracy"])),
        )
        for row in pack.table(MODELS)
    )
    return Explained(models, tuple(_quality(pack, data.predictions.methods)))


def _quality(pack: Pack, methods: Sequence[str]) -> Iterator[Quality]:
    key = {str(row["presentation"]): str(row["original_output"]) for row in pack.table(KEY)}
    domains = {str(row["presentation"]): str(row["domain"]) for row in pack.table(ITEMS)}
    positive = {
        str(row["domain"]): str(row["class"]) for row in pack.table(CLASSES) if row["positive"]
    }
    rows = [
        (domains[str(row["presentation"])], str(row["method"]), key[str(row["presentation"])], row)
        for row in pack.table(EXPLANATIONS)
    ]
    for domain_ in DOMAINS:
        for name in methods:
            own = [
                (EXPLANATION.validate_json(str(row["explanation"])), output)
                for of, by, output, row in rows
                if (of, by) == (domain_, name)
            ]
            if own:
                yield _of_method(domain_, name, own, positive[domain_])


def _of_method(
    domain_: str, name: str, own: Sequence[tuple[AnyExplanation, str]], positive: str
) -> Quality:
    implied = [
        [says for says in _implied(shown, output, positive) if says is not None]
        for shown, output in own
    ]
    rules = [rule for shown, _ in own for rule in _rules(shown)]
    sizes = [size for shown, _ in own for size in _sizes(shown)]
    return Quality(
        domain_,
        name,
        len(own),
        sum(all(says) for says in implied) if any(implied) else None,
        fmean(sizes) if sizes else None,
        _mean([rule.precision for rule in rules]),
        _mean([rule.coverage for rule in rules]),
    )


def _implied(shown: AnyExplanation, output: str, positive: str) -> Iterator[bool]:
    """Yield, of each part of an explanation that implies an output, whether it is the model's."""
    match shown:
        case Composite():
            for part in (shown.lime, shown.anchor, shown.boundary, shown.prototype):
                yield from _implied(part, output, positive)
        case Lime():
            yield (shown.total > HALF) == (output == positive)
        case Omission():
            yield (shown.margin > 0) == (output == positive)
        case Anchor():
            yield shown.outcome == output
        case Prototype():
            yield shown.label == output
        case Boundary():
            yield shown.target != output


def _rules(shown: AnyExplanation) -> Iterator[Anchor]:
    match shown:
        case Composite():
            yield shown.anchor
        case Anchor():
            yield shown


def _sizes(shown: AnyExplanation) -> Iterator[int]:
    """Yield how many weights, conditions or steps an explanation has."""
    match shown:
        case Composite():
            parts = (shown.lime, shown.anchor, shown.boundary, shown.prototype)
            yield sum(size for part in parts for size in _sizes(part))
        case Lime():
            yield len(shown.features)
        case Anchor():
            yield len(shown.conditions)
        case Prototype() | Omission():
            yield len(shown.terms)
        case Boundary():
            yield len(shown.steps)


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known else None


def _faithful(row: Quality) -> str:
    return NOTHING if row.faithful is None else f"{grouped(row.faithful)} of {grouped(row.n)}"


MODELS_TABLE = ReportTable(
    "models",
    "models",
    "Accuracy of the models on the test split.",
    (
        Column("Domain", domain),
        Column("Task model", "task", tenth, "%"),
        Column("Prototype network", "prototype", tenth, "%"),
    ),
)
QUALITY = ReportTable(
    "explanations",
    "quality",
    "Quality of the explanations that participants saw.",
    (
        Column("Domain", domain, once=True),
        Column("Method", method),
        Column("Imply the output", _faithful, str),
        Column("Terms", "terms", rounded(number, 1), "mean"),
        Column("Precision", "precision", number),
        Column("Coverage", "coverage", number),
    ),
    "An explanation implies the model’s output if LIME’s total, the rule’s outcome, the "
    "prototype’s class or the sign of the evidence is the output’s, or if the path leads to the "
    "other class; for Composite, all of them. Terms: weights, conditions or steps. Precision and "
    "coverage are those of the rules; imported sheets don’t state them.",
    strong=changes("domain"),
    row_headers=2,
)
EXPLAINED = Question(
    id="explanations",
    title="The models and their explanations",
    answer=Explained,
    compute=compute,
    parts=(MODELS_TABLE, QUALITY),
)
"""The models and their explanations."""

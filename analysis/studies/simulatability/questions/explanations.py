"""How accurate the models are, and how true the explanations are that people saw."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated

import pandas as pd

from analysis.questions.question import Question, Unavailable
from analysis.report.about import about
from analysis.report.declared import ReportTable, changes
from analysis.report.parts import Column
from analysis.report.wording import NOTHING, grouped, number
from analysis.studies.simulatability.data import SimulatabilityData
from analysis.studies.simulatability.words import DOMAINS, domain, method, tenth


@dataclass(frozen=True, slots=True)
class ModelAccuracy:
    """How accurate a domain's models are on the test split."""

    domain: Annotated[str, about("Domain.")]
    task: Annotated[float | None, about("The task model, per cent right.")]
    prototype: Annotated[float | None, about("The prototype network, per cent right.")]


@dataclass(frozen=True, slots=True)
class Quality:
    """How true a method's explanations are to the model, of examples and counterfactual items."""

    domain: Annotated[str, about("Domain.")]
    method: Annotated[str, about("The method.")]
    n: Annotated[int, about("Explanations.")]
    agree: Annotated[
        int | None, about("Explanations that say the model's output; null if none says one.")
    ]
    fidelity: Annotated[float | None, about("LIME: mean R² of the linear models; null if unknown.")]
    precision: Annotated[
        float | None, about("Anchor: mean precision of the rules, a share; null if unknown.")
    ]
    coverage: Annotated[
        float | None, about("Anchor: mean coverage of the rules, a share; null if unknown.")
    ]


@dataclass(frozen=True, slots=True)
class Explained:
    """The models that people predict, and the explanations that they see."""

    models: Annotated[tuple[ModelAccuracy, ...], about("By domain.")]
    quality: Annotated[tuple[Quality, ...], about("By domain and method.")]


def compute(data: SimulatabilityData) -> Explained | Unavailable:
    """Return the models' accuracies and the quality of the explanations, from the pack's tables."""
    models, shown = (data.dataset.beside.get(name) for name in ("models", "explanations"))
    if models is None and shown is None:
        what = "accuracy of the models, and quality of the explanations"
        return Unavailable(what, "no table of the pack came with the data")
    return Explained(
        () if models is None else tuple(_accuracies(models)),
        () if shown is None else tuple(_qualities(shown, data.predictions.methods)),
    )


def _accuracies(models: pd.DataFrame) -> Iterator[ModelAccuracy]:
    for domain_ in DOMAINS:
        own = models[models["domain"] == domain_]
        if len(own):
            shares = (_mean(own[name]) for name in ("accuracy", "prototype_accuracy"))
            task, prototype = (None if one is None else 100 * one for one in shares)
            yield ModelAccuracy(domain_, task, prototype)


def _qualities(shown: pd.DataFrame, methods: Sequence[str]) -> Iterator[Quality]:
    for domain_ in DOMAINS:
        for name in methods:
            own = shown[(shown["domain"] == domain_) & (shown["method"] == name)]
            if len(own):
                known = own["agrees"].dropna()
                yield Quality(
                    domain_,
                    name,
                    len(own),
                    int(known.sum()) if len(known) else None,
                    *(_mean(own[part]) for part in ("fidelity", "precision", "coverage")),
                )


def _mean(column: pd.Series) -> float | None:
    known = column.dropna()
    return float(known.mean()) if len(known) else None


def _agree(row: Quality) -> str:
    return NOTHING if row.agree is None else f"{grouped(row.agree)} of {grouped(row.n)}"


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
        Column("Say the output", _agree, str),
        Column("Fidelity", "fidelity", number, "R²"),
        Column("Precision", "precision", number),
        Column("Coverage", "coverage", number),
    ),
    "An explanation says the model’s output if LIME’s total, the class of the rule or of the "
    "prototype is the output’s, or if the path leads to the other class; for Composite, all of "
    "them. Fidelity is LIME’s, precision and coverage are those of rules. Imported sheets state "
    "none of the three.",
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

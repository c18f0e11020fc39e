"""How accurate the models are, and how true the explanations are that people saw.

And whether people predict better where an explanation is truer: over the inputs of the
counterfactual test, which people see with the explanation.
"""

from collections.abc import Iterator, Sequence
from typing import Final

import pandas as pd

from analysis.questions.estimates import EstimateRow, Estimates, Quantity, estimate_row
from analysis.questions.metrics import correlations, metric_r, metrics_pivot
from analysis.questions.pivot import Wide, level_of, pivot, value_of
from analysis.questions.question import Question, Unavailable
from analysis.report.parts import Column
from analysis.report.wording import NOTHING, grouped, number, percent, rounded, unknown
from analysis.studies.simulatability.data import SimulatabilityData
from analysis.studies.simulatability.tables import DOMAIN, table_by
from analysis.studies.simulatability.words import (
    COUNTERFACTUAL,
    DOMAINS,
    POST,
    method_name,
    tenth,
)

TASK, PROTOTYPE = "task", "prototype"
_MODELS: Final = {TASK: "accuracy", PROTOTYPE: "prototype_accuracy"}
MODEL_RIGHT = Quantity(
    "model_right_percent", "Accuracy", "Accuracy of a model on the test split.", tenth, "%"
)
SAYS_OUTPUT = Quantity(
    "says_output", "Say the output", "Share of explanations that say the model’s output.", percent
)
FIDELITY = Quantity("fidelity_r2", "Fidelity", "LIME: mean R² of the linear models.", unit="R²")
PRECISION = Quantity("precision", "Precision", "Anchor: mean precision of the rules.", number)
COVERAGE = Quantity("coverage", "Coverage", "Anchor: mean coverage of the rules.", number)
_PARTS: Final = {"fidelity": FIDELITY, "precision": PRECISION, "coverage": COVERAGE}
_OF_LIME: Final = "Fidelity is LIME’s. "
_SCORE = "Weights of words: mean {} of the explanations."
COMPREHENSIVENESS, SUFFICIENCY, INFIDELITY = (
    Quantity(name, name.capitalize(), _SCORE.format(name), rounded(number, 3))
    for name in ("comprehensiveness", "sufficiency", "infidelity")
)
_SCORES: Final = {
    quantity.id: quantity for quantity in (COMPREHENSIVENESS, SUFFICIENCY, INFIDELITY)
}
R = metric_r("inputs")


def compute(data: SimulatabilityData) -> Estimates | Unavailable:
    """Return the models' accuracies and the quality of the explanations, from the pack's tables."""
    models, explanations = (data.dataset.beside.get(name) for name in ("models", "explanations"))
    if models is None and explanations is None:
        what = "accuracy of the models, and quality of the explanations"
        return Unavailable(what, "no table of the pack came with the data")
    accuracies = () if models is None else _accuracies(models)
    qualities = () if explanations is None else _qualities(explanations, data.predictions.methods)
    return Estimates(
        (*accuracies, *qualities, *(() if explanations is None else _helping(explanations, data)))
    )


def _accuracies(models: pd.DataFrame) -> Iterator[EstimateRow]:
    for domain in DOMAINS:
        of_domain = models[models["domain"] == domain]
        for kind, column in _MODELS.items() if len(of_domain) else ():
            share = of_domain[column].dropna().mean()
            yield estimate_row(MODEL_RIGHT, {"domain": domain, "model": kind}, 100 * share)


def _qualities(explanations: pd.DataFrame, methods: Sequence[str]) -> Iterator[EstimateRow]:
    groups = dict(list(explanations.groupby(["domain", "method"])))
    for domain in DOMAINS:
        for name in methods:
            if (domain, name) in groups:
                of, group = {"domain": domain, "method": name}, groups[domain, name]
                n, agrees = len(group), group["agrees"].dropna()
                share = float(agrees.sum() / n) if len(agrees) else None
                yield estimate_row(SAYS_OUTPUT, of, share, n)
                for column, quantity in _known(group).items():
                    yield estimate_row(quantity, of, group[column].dropna().mean())


def _known(explanations: pd.DataFrame) -> dict[str, Quantity]:
    return {
        name: quantity for name, quantity in {**_PARTS, **_SCORES}.items() if name in explanations
    }


def _helping(explanations: pd.DataFrame, data: SimulatabilityData) -> Iterator[EstimateRow]:
    """Yield how each metric of explanations goes with right predictions that followed them."""
    if "item" not in explanations:  # of another program
        return iter(())
    tests = data.tests
    answers = tests[(tests["use"] == COUNTERFACTUAL) & (tests["phase"] == POST)]
    answered = answers[answers["correct"].notna()]
    rows = correlations(R, answered, explanations, list(_known(explanations)), ("domain", "method"))
    place = {name: number for number, name in enumerate(data.predictions.methods)}
    known = (row for row in rows if row.n and row.of["method"] in place)
    return iter(sorted(known, key=lambda row: (row.of["domain"], place[row.of["method"]])))


def _agree(row: Wide) -> str:
    share, n = row[SAYS_OUTPUT.id], row[f"{SAYS_OUTPUT.id}.n"]
    return NOTHING if share is None else f"{grouped(round(share * n))} of {grouped(n)}"


def _has_fidelity(answer: Estimates) -> bool:
    return any(not unknown(row.estimate) for row in answer.rows(FIDELITY))


MODELS_TABLE = pivot(
    "Accuracy of the models on the test split.",
    (
        DOMAIN,
        value_of(MODEL_RIGHT, TASK, "Task model"),
        value_of(MODEL_RIGHT, PROTOTYPE, "Prototype network"),
    ),
    by=("domain",),
    over="model",
    of=lambda answer: answer.rows(MODEL_RIGHT),
)
QUALITY = table_by(
    ("domain", "method"),
    "Quality of the explanations that participants saw.",
    (Column("Say the output", _agree, str), *map(value_of, _PARTS.values())),
    lambda answer: answer.rows(SAYS_OUTPUT, *_PARTS.values()),
    lambda answer: (
        "An explanation says the model’s output if LIME’s total, the class of the rule or of the "
        "prototype is the output’s, or if the path leads to the other class; for Composite, all "
        f"of them. {_OF_LIME if _has_fidelity(answer) else ''}Precision and coverage are "
        "those of rules."
    ),
)
WORDS = table_by(
    ("domain", "method"),
    "Weights of words against the model: what becomes of its output without these words.",
    tuple(map(value_of, _SCORES.values())),
    lambda answer: [row for row in answer.rows(*_SCORES.values()) if row.estimate is not None],
    "Comprehensiveness and sufficiency: mean fall of the output’s probability without the words "
    "that count most, and with these alone (DeYoung et al. 2020). Infidelity: mean squared "
    "difference from the fall that the weights foretell, at the best scale (Yeh et al. 2019). "
    "Comprehensiveness is good if high, the others if low.",
)
HELPING = metrics_pivot(
    R,
    "Metrics of explanations against the share of right predictions, input by input.",
    (DOMAIN, level_of("method", "Method", method_name, once=True)),
    ("domain", "method"),
    "Inputs",
    "Pearson’s r over inputs of the counterfactual test, predicted after the explanations by "
    "at least two participants of the arm. A metric that helps people has a positive r if high is "
    "good, and a negative one if low is good.",
)
EXPLAINED = Question(
    id="explanations",
    title="The models and their explanations",
    answer=Estimates,
    quantities=(MODEL_RIGHT, SAYS_OUTPUT, *_PARTS.values(), *_SCORES.values(), R),
    compute=compute,
    parts=(MODELS_TABLE, QUALITY, WORDS, HELPING),
)
"""The models and their explanations."""

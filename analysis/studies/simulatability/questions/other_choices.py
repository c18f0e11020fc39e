"""Whether the verdicts are the same under other choices."""

from collections.abc import Sequence
from functools import partial
from typing import Final

from analysis.questions.choices import (
    ANALYSIS,
    ID,
    SILENT,
    STEP,
    TITLE,
    WITHOUT,
    agreement,
    choices_table,
    promise,
    repeated,
)
from analysis.questions.estimates import EstimateRow, Estimates, Quantity, again, select
from analysis.questions.question import Question, TypedAnswers
from analysis.report.deciding import MEANS, MODEL, WORDS
from analysis.studies.simulatability.contrasts import MEASURED, MethodEffects, decided_rows
from analysis.studies.simulatability.data import SimulatabilityData
from analysis.studies.simulatability.means import method_means
from analysis.studies.simulatability.quantities import AFTER, DIFFERENCE, EFFECT
from analysis.studies.simulatability.questions.effects import DECIDED, EFFECTS, effect_name
from analysis.studies.simulatability.tables import DOMAIN, METHOD, TEST
from analysis.studies.simulatability.trials import Predictions, read_predictions
from analysis.studies.simulatability.words import TESTS

MAIN: Final = "everybody, as in the main analysis"
OTHER_WAY: Final = "the mixed model, or the means if the model decides"
BY_CHANGE: Final = "Change in place of accuracy after explanations"
CAME_FIRST: Final = "only the test that a participant took first"
OF: Final = ("domain", "test", "method")


def combine(data: SimulatabilityData, earlier: TypedAnswers) -> Estimates:
    """Return what each method adds in each test, under each choice."""
    predictions, main = data.predictions, earlier.of(EFFECTS)
    rows = main.rows(EFFECT)
    other = MEANS if data.protocol.analysis.primary_test == MODEL else MODEL
    by_change = _by_means(data, main, predictions, DIFFERENCE)
    measured = {row.of[MEASURED] for row in rows} & {AFTER.id}
    choices = {
        WITHOUT: data.remaining,
        SILENT: _with_silent(data),
        CAME_FIRST: predictions.first() if _both_orders(predictions) else None,
    }
    return Estimates(
        (
            *again(rows, **{ANALYSIS: MAIN}),
            *again(_other_way(data, main, other), **{ANALYSIS: f"by {WORDS[other]}"}),
            *again(by_change if measured else (), **{ANALYSIS: BY_CHANGE}),
            *repeated(choices, partial(_by_means, data, main)),
        )
    )


def _other_way(
    data: SimulatabilityData, main: MethodEffects, other: str
) -> tuple[EstimateRow, ...]:
    """Return what the analysis that the protocol doesn't name decides, where it can decide."""
    rows = _decided(data, main, data.predictions, main.estimates, other)
    return select(rows, by=other)


def _by_means(
    data: SimulatabilityData,
    main: MethodEffects,
    predictions: Predictions,
    quantity: Quantity | None = None,
) -> tuple[EstimateRow, ...]:
    return _decided(data, main, predictions, method_means(predictions, data.plan), MEANS, quantity)


def _decided(
    data: SimulatabilityData,
    main: MethodEffects,
    predictions: Predictions,
    rows: Sequence[EstimateRow],
    primary: str,
    quantity: Quantity | None = None,
) -> tuple[EstimateRow, ...]:
    margin = 100 * data.protocol.analysis.margin
    return decided_rows(predictions, main.by_model, rows, primary, margin, quantity)


def _with_silent(data: SimulatabilityData) -> Predictions | None:
    """Return the predictions with silent ones as wrong ones; None if all were answered."""
    kept = data.selection.kept
    silent = kept["use"].isin(TESTS) & kept["correct"].isna()
    if not silent.any():
        return None
    correct = kept["correct"].astype(object).mask(silent, False)
    return read_predictions(kept.assign(correct=correct), data.protocol)


def _both_orders(predictions: Predictions) -> bool:
    """Whether each test came first for some people."""
    return set(TESTS) <= set(predictions.pairs["first_test"])


TABLE = choices_table(
    "What each method adds, test by test, under other choices.",
    (DOMAIN, TEST, METHOD, *DECIDED),
    by=OF,
    note="Choices are by means over participants and items, unless they say otherwise.",
)
OTHER_CHOICES = Question(
    id=ID,
    title=TITLE,
    answer=Estimates,
    quantities=(EFFECT,),
    combine=combine,
    step=STEP,
    parts=(lambda answer: agreement(answer.rows(EFFECT), OF, effect_name), TABLE),
    registered=lambda _: promise(OTHER_WAY, BY_CHANGE, WITHOUT, SILENT, CAME_FIRST),
)
"""Whether the verdicts are the same under other choices."""

"""The mixed model of right predictions, domain by domain, simplified aloud where it must be."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Final

import numpy as np
import pandas as pd

from analysis.mixed import MixedResult, fit_logistic, marginal_probabilities
from analysis.mixed.marginal import Marginals
from analysis.mixed.result import Outcome, first_sound
from analysis.mixed.simplify import RULE
from analysis.questions.estimates import AGAINST, Contrast, EstimateRow, Quantity, family
from analysis.report.about import about
from analysis.report.deciding import MODEL
from analysis.report.missing import FEW_PARTICIPANTS
from analysis.report.model import LogisticFit, level_code, logistic_fit, people_by_arm, sample_note
from analysis.report.wording import count, number
from analysis.statistics.estimate import Estimate, by_student
from analysis.studies.simulatability.means import CHANGE, POINTS, design_freedom
from analysis.studies.simulatability.quantities import AFTER, CHANGE_POINTS, DIFFERENCE
from analysis.studies.simulatability.trials import Predictions
from analysis.studies.simulatability.words import COUNTERFACTUAL, POST, PRE

Array = np.ndarray

FIXED: Final = "correct ~ phase * method * test"
PARTICIPANT: Final = " + (1 + phase | participant)"
ITEM: Final = " + (1 + phase | item)"
METHOD: Final = " + (0 + phase | item:method)"
PAIR: Final = " + (1 | participant:item)"
FORMULA: Final = FIXED + PARTICIPANT + ITEM + METHOD + PAIR
LEAST_AN_ITEM: Final = 10
MOST_PAIRS: Final = 15_000
"""Number of pairs up to which the model is fitted to everybody's. Its effects of pairs, people and
items are crossed, so that time grows with the third power of their number."""
CODING: Final = (
    "phase is +½ after explanations and −½ before; test is +½ for counterfactual and −½ for "
    "forward. The base level of method is the arm without explanations; without one it is the "
    "first in sorted order."
)
ITEM_RULE: Final = (
    f"Slopes of phase by item are fitted if on average {LEAST_AN_ITEM} people or more predicted "
    "an item; with fewer, slopes can’t be distinguished from chance."
)


@dataclass(frozen=True, slots=True)
class ModelState:
    """Whether a domain's mixed model is whole, and whether it can decide."""

    whole: Annotated[bool, about("Whether nothing was left out of the formula.")] = False
    narrow: Annotated[
        bool,
        about(
            "Whether intervals may be too narrow, so that nothing is decided by them: how much "
            "Change differs between people, or between items within methods, wasn't fitted."
        ),
    ] = False

    @classmethod
    def of(cls, predictions: Predictions, outcome: Outcome) -> "ModelState":
        """Return the state of a domain's model, whose fit may not be sound."""
        fit = outcome.sound
        return cls(is_whole(outcome), fit is not None and is_narrow(fit, len(predictions.methods)))


def fit_of(outcome: Outcome) -> LogisticFit:
    """Return a model's outcome as results.json has it."""
    return logistic_fit(outcome, CODING, f"{ITEM_RULE} {RULE}")


def is_whole(outcome: Outcome) -> bool:
    """Return whether all that `FORMULA` asks for was fitted."""
    fit = outcome.sound
    if fit is None or outcome.asked != FORMULA:
        return False
    slopes = {(group, term) for group in ("participant", "item") for term in _BOTH}
    correlated = {row.group for row in fit.correlations}
    return _random_terms(fit) >= slopes | _NARROWING | {
        ("participant:item", "(Intercept)")
    } and correlated == {"participant", "item"}


def is_narrow(fit: MixedResult, methods: int) -> bool:
    """Return whether a fit lacks what differs between people or between items within methods."""
    needed = _NARROWING if methods > 1 else {("participant", "phase")}
    return not needed <= _random_terms(fit)


def _random_terms(fit: MixedResult) -> set[tuple[str, str]]:
    return {(row.group, row.term) for row in fit.random}


_BOTH: Final = ("(Intercept)", "phase")
_NARROWING: Final = {("participant", "phase"), ("item:method", "phase")}
"""Without these effects a method's Change seems surer than it is."""


def coded(predictions: Predictions) -> pd.DataFrame:
    """Return the pairs as the model takes them: two rows each."""
    parts = [
        predictions.pairs[["participant", "item", "method", "test"]].assign(
            correct=predictions.pairs[phase].to_numpy(dtype=float), phase=code
        )
        for phase, code in ((PRE, -0.5), (POST, 0.5))
    ]
    frame = pd.concat(parts, ignore_index=True)
    frame["test"] = np.where(frame["test"] == COUNTERFACTUAL, 0.5, -0.5)
    codes = {method: level_code(method, predictions.reference) for method in predictions.methods}
    return frame.assign(method=frame["method"].map(codes))


def fitted_model(predictions: Predictions) -> Outcome:
    """Return the model's fit, without terms that the data can't support; its notes name these."""
    predictions, sampled = _sampled(predictions)
    frame = coded(predictions)
    carried, left_out = _carried(predictions)
    outcome = first_sound(fit_logistic, carried, frame, list(_simpler(carried)))
    if outcome.result is None:
        return replace(outcome, asked=FORMULA)
    fit = outcome.result
    spelled = " + (".join([carried.split(" + (")[0], *fit.formula.split(" + (")[1:]])
    notes = (*sampled, *left_out, *fit.notes)
    return Outcome(FORMULA, replace(fit, asked=FORMULA, formula=spelled, notes=notes))


def _carried(predictions: Predictions) -> tuple[str, list[str]]:
    """Return the formula without terms that these data can't support, and why."""
    formula, notes, pairs = FORMULA, [], predictions.pairs
    if len(predictions.methods) < 2:
        formula = formula.replace(" * method", "").replace(METHOD, "")
        notes.append("There is one method: method was left out.")
    if len(predictions.tests) < 2:
        formula = formula.replace(" * test", "")
        notes.append(f"There is one test, {predictions.tests[0]}: test was left out.")
    an_item = len(pairs) / pairs["item"].nunique()
    if an_item < LEAST_AN_ITEM:
        formula = formula.replace(ITEM, " + (1 | item)")
        notes.append(
            f"The slope of phase by item was left out before fitting: {number(an_item, 1)} people "
            f"predicted an item on average, fewer than {LEAST_AN_ITEM}."
        )
    arms = pairs.groupby("method")["participant"].nunique()
    if arms.min() < FEW_PARTICIPANTS:
        people = count(int(arms.min()), "person", "people")
        notes.append(
            f"The smallest arm has {people}. This says little about how much people in an arm "
            "differ, so intervals may be too narrow."
        )
    return formula, notes


def _simpler(formula: str) -> Iterator[tuple[str, str]]:
    """Yield formulas to fit in turn while no fit is sound, each with its sentence."""
    fixed = formula.split(" + (")[0]
    yield (
        formula.replace("1 + phase | ", "1 + phase || "),
        "With correlated random effects the fit wasn’t sound; they are independent here.",
    )
    yield (
        formula.replace("1 + phase | ", "1 + phase || ").replace(PAIR, ""),
        "No fit with (1 | participant:item) was sound. This term was left out, and the random "
        "effects are independent.",
    )
    yield (
        f"{fixed} + (1 | participant) + (1 | item)",
        "No fit with random slopes was sound. They were left out.",
    )


def _sampled(predictions: Predictions) -> tuple[Predictions, list[str]]:
    """Return the pairs, of a random sample of people if there are many, and a note on it."""
    drawn = people_by_arm(predictions.pairs, MOST_PAIRS)
    if len(drawn) == predictions.participants:
        return predictions, []
    note = sample_note(len(drawn), predictions.participants, "The model is fitted")
    return predictions.of(drawn), [note]


def averaged(predictions: Predictions, fit: MixedResult | None) -> tuple[EstimateRow, ...]:
    """Return, by test, each method's Change by a domain's fit, and differences to the reference.

    Parameters
    ----------
    predictions
        Pairs of the domain.
    fit
        Their model's; None gives no rows.
    """
    if fit is None:
        return ()
    places, marginals = _margins(predictions, fit)
    rows: tuple[EstimateRow, ...] = ()
    for test in predictions.tests:
        of = {"domain": predictions.domains[0], "test": test, "by": MODEL}
        after, before = (
            {name: np.eye(len(places))[places[name, test, phase]] for name in predictions.methods}
            for phase in (POST, PRE)
        )
        change = {name: after[name] - before[name] for name in predictions.methods}
        changes = [
            Contrast(
                CHANGE_POINTS, of | {"method": name}, _points(marginals, mine, predictions, name)
            )
            for name, mine in change.items()
        ]
        rows += family(changes)
        for quantity, weights in ((DIFFERENCE, change), (AFTER, after)):
            rows += _less_reference(predictions, quantity, of, marginals, weights)
    return rows


def _less_reference(
    predictions: Predictions,
    quantity: Quantity,
    of: dict[str, str],
    marginals: Marginals,
    weights: Mapping[str, Array],
) -> tuple[EstimateRow, ...]:
    """Return each method less the reference; one family."""
    base = predictions.reference
    if base is None:
        return ()
    return family(
        [
            Contrast(
                quantity,
                of | {"method": name, AGAINST: base},
                _points(marginals, weights[name] - weights[base], predictions, name, base),
            )
            for name in predictions.methods[1:]
        ]
    )


def _margins(
    predictions: Predictions, fit: MixedResult
) -> tuple[Mapping[tuple[str, str, str], int], Marginals]:
    keys = [
        (m, t, phase)
        for m in predictions.methods
        for t in predictions.tests
        for phase in (PRE, POST)
    ]
    settings = [
        pd.DataFrame(
            {
                "method": [level_code(method, predictions.reference)],
                "test": [0.5 if test == COUNTERFACTUAL else -0.5],
                "phase": [0.5 if phase == POST else -0.5],
            }
        )
        for method, test, phase in keys
    ]
    places = {key: place for place, key in enumerate(keys)}
    return places, marginal_probabilities(fit, settings)


def _points(
    marginals: Marginals, weights: Array, predictions: Predictions, *methods: str
) -> Estimate:
    """Return a difference of probabilities in percentage points.

    Satterthwaite's degrees of freedom grow without limit if the variance between people is
    estimated as zero; here the design's are the limit.
    """
    points = marginals.contrast(100 * weights)
    most = design_freedom(predictions.pairs[predictions.pairs["method"].isin(methods)])
    return by_student(points.estimate, points.se, min(points.df, most), POINTS[CHANGE])

"""The mixed model of right answers, simplified aloud where the data can't carry it."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import pandas as pd

from analysis.mixed import MixedResult, fit_logistic, marginal_probabilities
from analysis.mixed.marginal import Marginals
from analysis.mixed.result import Outcome, first_sound
from analysis.mixed.simplify import RULE
from analysis.questions.estimates import EstimateRow, estimate_row
from analysis.report.deciding import MODEL
from analysis.report.model import (
    MOST_ROWS,
    LogisticFit,
    level_code,
    logistic_fit,
    people_by_arm,
    sample_note,
)
from analysis.report.wording import number
from analysis.statistics.estimate import Estimate, by_student
from analysis.statistics.proportions import Interval
from analysis.studies.human_ai_team.differences import (
    Rule,
    most_freedom,
    pair_rows,
    quantity_weights,
)
from analysis.studies.human_ai_team.quantities import MEASURES
from analysis.studies.human_ai_team.strata import Base, model_strata, strata
from analysis.studies.human_ai_team.trials import Answers

Array = np.ndarray

FORMULA: Final = (
    "correct ~ method * ai_correct + stratum + (1 + ai_correct | participant) + (1 + method | item)"
)
KINDS: Final = " + stratum"
"""Kinds of images as fixed effects: how hard they are, and whether they were attacked."""
WITHIN_TERM: Final = " + method"
"""Added to the slopes by participant if the same people have answers in several arms."""
LEAST_A_CELL: Final = 10
LEAST_AN_IMAGE: Final = 2
CODING: Final = (
    "ai_correct is +½ if the AI's label is right and −½ if it is wrong. stratum is the kind of "
    "image: right, wrong or adversarial, and easy, medium or hard; the first kind of right labels "
    "and the first kind of wrong ones are its base level. The base level of method is the "
    "reference arm; without one it is the first in sorted order."
)
CELL_RULE: Final = (
    f"Effects of images are fitted where an image has {LEAST_AN_IMAGE} answers on average, an "
    f"image's slopes by method where it has {LEAST_A_CELL} in an arm; with fewer they can't be "
    "distinguished from chance."
)


def model_row(outcome: Outcome) -> LogisticFit:
    """Return the model's fit, or why there is none."""
    return logistic_fit(outcome, CODING, f"{CELL_RULE} {RULE}")


def effects_of(
    answers: Answers, outcome: Outcome, base: Base, margin: float
) -> tuple[EstimateRow, ...]:
    """Return the fitted model averaged over a base, people and images: by pairs of arms, by arms.

    Parameters
    ----------
    answers
        The answers that it was fitted to.
    outcome
        The fit; without a sound one there are no rows.
    base
        Kinds of images and their shares.
    margin
        Differences of probabilities below it don't matter.
    """
    if outcome.sound is None or answers.frame["right"].nunique() < 2:
        return ()
    averages, quantities = _Averages.of(answers, outcome.sound, base), quantity_weights(base.mix)
    tests = {
        (name, *pair): averages.difference(answers, *pair, weights)
        for name, weights in quantities.items()
        for pair in answers.pairs()
    }
    arms = (
        estimate_row(
            MEASURES[name],
            {"base": base.name, "by": MODEL, "method": arm},
            averages.of_arm(arm, weights),
        )
        for arm in answers.arms
        for name, weights in quantities.items()
    )
    return (*pair_rows(tests, base.name, MODEL, Rule.of(answers, margin)), *arms)


@dataclass(frozen=True, slots=True)
class _Averages:
    """Averaged probabilities of a right answer: one for each arm, label and kind of image.

    Attributes
    ----------
    marginals
        The averages.
    cells
        Arm, whether the AI is right, and the kind's share among such labels, of each.
    """

    marginals: Marginals
    cells: tuple[tuple[str, bool, float], ...]

    @classmethod
    def of(cls, answers: Answers, fitted: MixedResult, base: Base) -> "_Averages":
        """Return the averages of a fitted model."""
        codes = _kind_codes(answers)
        cells, settings = [], []
        for arm in answers.arms:
            for ok in (False, True):
                for kind, share in base.kinds(ok).items():
                    cells.append((arm, ok, share))
                    row = {
                        "method": [method_code(answers, arm)],
                        "ai_correct": [0.5 if ok else -0.5],
                        "stratum": [codes[ok, kind]],
                    }
                    settings.append(pd.DataFrame(row))
        return cls(marginal_probabilities(fitted, settings), tuple(cells))

    def of_arm(self, arm: str, weights: tuple[float, float, float]) -> Interval:
        """Return a quantity of an arm, within its bounds."""
        constant = weights[0]
        part = self.marginals.contrast(self._weights({arm: 1}, weights))
        low, high = constant + part.ci_low, constant + part.ci_high
        least = -1.0 if constant < 0 else 0.0
        return Interval(constant + part.estimate, max(low, least), min(high, 1.0))

    def difference(
        self, answers: Answers, first: str, second: str, weights: tuple[float, float, float]
    ) -> Estimate:
        """Return a quantity of an arm less another's, tested by Student's t."""
        part = self.marginals.contrast(self._weights({first: 1, second: -1}, weights))
        df = min(part.df, most_freedom(answers, first, second))
        return by_student(part.estimate, part.se, df, (-1.0, 1.0))

    def _weights(self, signs: Mapping[str, int], weights: tuple[float, float, float]) -> Array:
        return np.array(
            [signs.get(arm, 0) * weights[2 if ok else 1] * share for arm, ok, share in self.cells]
        )


def fitted_model(answers: Answers) -> Outcome:
    """Return the model's fit, without terms that the data can't support; its notes name these."""
    answers, sampled = _sampled(answers)
    frame = coded(answers)
    asked = FORMULA.replace("ai_correct |", f"ai_correct{WITHIN_TERM * answers.within} |")
    reduced, notes = _reduced(asked, frame)
    carried, more = _carried(reduced, answers)
    outcome = first_sound(fit_logistic, carried, frame, list(_simpler(carried)))
    if outcome.result is None:
        return replace(outcome, asked=asked)
    fitted = outcome.result
    notes = (*sampled, *notes, *more, *fitted.notes)
    spelled = _spelled(fitted, carried)
    return Outcome(asked, replace(fitted, asked=asked, formula=spelled, notes=notes))


def _simpler(formula: str) -> Iterator[tuple[str, str]]:
    """Yield formulas to fit in turn while no fit is sound, each with its sentence."""
    fixed, *random = formula.split(" + (")
    by_item = any("| item" in term for term in random)
    items = " + (1 | item)" if by_item else ""
    yield (
        formula.replace(" | ", " || "),
        "With correlated random effects the fit wasn't sound; they are independent here.",
    )
    yield (
        f"{fixed} + (1 | participant){items}",
        "With random slopes no fit was sound; they were left out.",
    )
    if by_item:
        yield (
            f"{fixed} + (1 | participant)",
            "With effects of images no fit was sound; random slopes and they were left out.",
        )


def method_code(answers: Answers, arm: str) -> str:
    """Return an arm as the model names it."""
    return level_code(arm, answers.reference)


def coded(answers: Answers) -> pd.DataFrame:
    """Return the answers as the model takes them."""
    frame = answers.frame
    methods = {arm: method_code(answers, arm) for arm in answers.arms}
    return pd.DataFrame(
        {
            "correct": frame["correct"].to_numpy(dtype=float),
            "ai_correct": np.where(frame["right"], 0.5, -0.5),
            "stratum": model_strata(frame),
            **{name: frame[name].to_numpy(dtype=object) for name in ("participant", "item")},
            "method": frame["method"].map(methods).to_numpy(dtype=object),
        }
    )


def _kind_codes(answers: Answers) -> dict[tuple[bool, str], str]:
    """Return what the model calls each kind of image among right and among wrong labels."""
    frame = answers.frame
    named = zip(frame["right"], strata(frame), model_strata(frame), strict=True)
    return {(bool(ok), str(kind)): str(code) for ok, kind, code in set(named)}


def answers_a_cell(answers: Answers) -> float:
    """Return how many answers an image has in an arm, on average."""
    return float(answers.frame.groupby(["item", "method"]).size().mean())


def _reduced(formula: str, frame: pd.DataFrame) -> tuple[str, list[str]]:
    """Return the formula without factors that have one level here, and why."""
    notes = []
    if frame["method"].nunique() < 2:
        formula = formula.replace("method * ", "").replace(WITHIN_TERM, "")
        notes.append("There is one arm: method was left out.")
    if frame["ai_correct"].nunique() < 2:
        formula = formula.replace(" * ai_correct", "").replace(" + ai_correct |", " |")
        formula = formula.replace("~ ai_correct", "~ 1").replace(" + ai_correct +", " +")
        which = "right" if frame["ai_correct"].iloc[0] > 0 else "wrong"
        notes.append(f"The AI is {which} on every image: ai_correct was left out.")
    if frame["stratum"].nunique() < 2:
        formula = formula.replace(KINDS, "")
        notes.append("The table doesn't distinguish kinds of images: stratum was left out.")
    return formula, notes


def _carried(formula: str, answers: Answers) -> tuple[str, list[str]]:
    """Return the formula without terms that images with few answers can't support, and why."""
    slopes, plain = " + (1 + method | item)", " + (1 | item)"
    once = once_sentence(answers)
    if once:
        for term in (slopes, plain):
            formula = formula.replace(term, "")
        return formula, [f"{once} They were left out of the model."]
    a_cell = answers_a_cell(answers)
    if slopes not in formula or a_cell >= LEAST_A_CELL:
        return formula, []
    note = (
        f"Slopes of method by item were left out before fitting: an image has "
        f"{number(a_cell, 1)} answers in an arm on average, fewer than {LEAST_A_CELL}."
    )
    return formula.replace(slopes, plain), [note]


def once_sentence(answers: Answers) -> str:
    """Return why images have no effects of their own; empty if they can have them."""
    if answers.answers_an_image >= LEAST_AN_IMAGE:
        return ""
    images, twice = answers.frame["item"].nunique(), answers.images_twice
    which = (
        "No image was seen twice"
        if not twice
        else f"No image was seen twice in an arm, and only {twice} of {images} in two arms"
        if not answers.seen_twice_in_arm
        else f"Only {twice} of {images} images were seen twice"
    )
    return f"{which}: effects of images can't be estimated from these data."


def _spelled(result: MixedResult, carried: str) -> str:
    """Return the formula that was fitted, its fixed part and its slopes by method as written."""
    fixed = carried.split(" + (")[0]
    _, *random = result.formula.split(" + (")
    by_method = re.compile(r"method\[[^\]]*\]( \+ method\[[^\]]*\])*")
    dummies = {row.term for row in result.fixed if _is_dummy(row.term)}
    whole = bool(dummies) and dummies <= {row.term for row in result.random}
    spelled = [by_method.sub("method", term) if whole else term for term in random]
    return " + (".join([fixed, *spelled])


def _is_dummy(term: str) -> bool:
    return term.startswith("method[") and ":" not in term


def _sampled(answers: Answers) -> tuple[Answers, list[str]]:
    """Return the answers, of a random sample of people if there are many, and a note on it."""
    drawn = people_by_arm(answers.frame, MOST_ROWS)
    if len(drawn) == answers.participants:
        return answers, []
    kept = answers.of(answers.frame["participant"].isin(drawn))
    return kept, [sample_note(len(drawn), answers.participants, "The model is fitted")]

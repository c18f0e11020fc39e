"""The mixed model of right answers, simplified aloud where the data can't carry it."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Final

import numpy as np
import pandas as pd

from analysis.mixed import MixedResult, fit_plausible_logistic, marginal_probabilities
from analysis.mixed.marginal import Estimate, Marginals
from analysis.mixed.outcome import Outcome, first_sound
from analysis.mixed.simplify import RULE
from analysis.report.about import about
from analysis.report.estimates import limits_row
from analysis.report.model import LogisticFit, logistic_fit
from analysis.report.sampled import people_by_arm, sample_note
from analysis.report.wording import number
from analysis.statistics.comparison import holm
from analysis.studies.human_ai_team.trials import Answers

Array = np.ndarray

FORMULA: Final = (
    "correct ~ method * ai_correct + (1 + ai_correct | participant) + (1 + method | item)"
)
WITHIN_TERM: Final = " + method"
"""Added to the slopes by participant where the same people have answers in several arms."""
LEAST_A_CELL: Final = 10
LEAST_AN_IMAGE: Final = 2
MOST_TRIALS: Final = 200_000
"""Answers up to which the model is fitted to everybody's."""
CODING: Final = (
    "ai_correct is +½ if the AI's label is right and −½ if it is wrong. The base level of method "
    "is the first one in sorted order."
)
CELL_RULE: Final = (
    f"Effects of images are fitted where an image has {LEAST_AN_IMAGE} answers on average, an "
    f"image's slopes by method where it has {LEAST_A_CELL} in an arm; with fewer they can't be "
    "distinguished from chance."
)
QUANTITIES: Final[Mapping[str, str]] = {
    "accuracy": "right answers",
    "over_reliance": "the AI's wrong labels accepted",
    "under_reliance": "the AI's right labels rejected",
    "discrimination": "right labels accepted more often than wrong ones",
}


@dataclass(frozen=True, slots=True)
class ArmEffect:
    """A quantity of an arm by the model, averaged over participants and images."""

    method: Annotated[str, about("The arm.")]
    quantity: Annotated[str, about("The quantity.")]
    estimate: Annotated[float | None, about("Its probability, or difference of probabilities.")]
    ci_low: Annotated[float | None, about("Its lower 95 % limit.")]
    ci_high: Annotated[float | None, about("Its upper 95 % limit.")]


@dataclass(frozen=True, slots=True)
class PairEffect:
    """A quantity of an arm less that of another by the model."""

    quantity: Annotated[str, about("The quantity.")]
    first: Annotated[str, about("The first arm.")]
    second: Annotated[str, about("The second arm.")]
    estimate: Annotated[float | None, about("Difference of probabilities, first less second.")]
    ci_low: Annotated[float | None, about("Its lower 95 % limit.")]
    ci_high: Annotated[float | None, about("Its upper 95 % limit.")]
    se: Annotated[float | None, about("Its standard error.")]
    z: Annotated[float | None, about("Difference over standard error.")]
    p: Annotated[float | None, about("p, two-sided.")]
    p_holm: Annotated[float | None, about("p after Holm, over all pairs of the quantity.")] = None
    p_reference: Annotated[
        float | None,
        about("p after Holm, over the arms compared with the reference; null for other pairs."),
    ] = None

    @property
    def corrected_p(self) -> float | None:
        """P after Holm: over the arms against the reference; over all pairs without one."""
        return self.p_holm if self.p_reference is None else self.p_reference


@dataclass(frozen=True, slots=True)
class Effects:
    """What the model says, averaged over participants and images."""

    answers_a_cell: Annotated[float, about("Answers to an image in an arm, on average.")]
    mix: Annotated[float, about("Share of right labels for which accuracy is given, 0 to 1.")]
    arms: Annotated[tuple[ArmEffect, ...], about("Each quantity of each arm.")] = ()
    pairs: Annotated[tuple[PairEffect, ...], about("Each quantity of each pair of arms.")] = ()


def model_row(outcome: Outcome) -> LogisticFit:
    """Return the model's fit, or why there is none."""
    return logistic_fit(outcome, CODING, f"{CELL_RULE} {RULE}")


def effects_of(answers: Answers, outcome: Outcome) -> Effects:
    """Return the fitted model averaged over people and images; no rows without a sound fit."""
    effects = Effects(_answers_a_cell(answers), answers.right_share)
    both = answers.frame["right"].nunique() == 2
    if outcome.sound is None or not both:
        return effects
    settings = [
        pd.DataFrame({"method": [arm], "ai_correct": [ok]})
        for arm in answers.arms
        for ok in (-0.5, 0.5)
    ]
    marginals = marginal_probabilities(outcome.sound, settings)
    weights = _weights(answers.right_share)
    arms = tuple(
        ArmEffect(arm, name, **limits_row(_arm_estimate(marginals, place, weights[name])))
        for place, arm in enumerate(answers.arms)
        for name in QUANTITIES
    )
    pairs = (row for name in QUANTITIES for row in _pairs(answers, marginals, name, weights))
    return replace(effects, arms=arms, pairs=tuple(pairs))


def fitted_model(answers: Answers) -> Outcome:
    """Return the model's fit; what the data can't carry is left out, and named in its notes."""
    answers, sampled = _sampled(answers)
    frame = coded(answers)
    asked = FORMULA.replace("ai_correct |", f"ai_correct{WITHIN_TERM * answers.within} |")
    reduced, notes = _reduced(asked, frame)
    carried, more = _carried(reduced, answers)
    outcome = first_sound(fit_plausible_logistic, carried, frame, list(_simpler(carried)))
    if outcome.result is None:
        return replace(outcome, asked=asked)
    fitted = outcome.result
    said = (*sampled, *notes, *more, *fitted.notes)
    spelled = _spelled(fitted, carried)
    return Outcome(asked, replace(fitted, asked=asked, formula=spelled, notes=said))


def _simpler(formula: str) -> Iterator[tuple[str, str]]:
    """Yield what is fitted in turn where a fit isn't sound, each with its sentence."""
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


def coded(answers: Answers) -> pd.DataFrame:
    """Return the answers as the model takes them."""
    frame = answers.frame
    names = ("participant", "item", "method")
    return pd.DataFrame(
        {
            "correct": frame["correct"].to_numpy(dtype=float),
            "ai_correct": np.where(frame["right"], 0.5, -0.5),
            **{name: frame[name].to_numpy(dtype=object) for name in names},
        }
    )


def _answers_a_cell(answers: Answers) -> float:
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
    return formula, notes


def _carried(formula: str, answers: Answers) -> tuple[str, list[str]]:
    """Return the formula without what images with few answers can't carry, and why."""
    slopes, plain = " + (1 + method | item)", " + (1 | item)"
    once = once_sentence(answers)
    if once:
        for term in (slopes, plain):
            formula = formula.replace(term, "")
        return formula, [f"{once} They were left out of the model."]
    a_cell = _answers_a_cell(answers)
    if slopes not in formula or a_cell >= LEAST_A_CELL:
        return formula, []
    note = (
        f"Slopes of method by item were left out before fitting: an image has "
        f"{number(a_cell, 1)} answers in an arm on average, fewer than {LEAST_A_CELL}."
    )
    return formula.replace(slopes, plain), [note]


def once_sentence(answers: Answers) -> str:
    """Return why images have no effects of their own; empty where they can have them."""
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
    """Return the answers of a random sample of people if there are many, and that they are."""
    drawn = people_by_arm(answers.frame, MOST_TRIALS)
    if len(drawn) == answers.participants:
        return answers, []
    kept = answers.of(answers.frame["participant"].isin(drawn))
    return kept, [sample_note(len(drawn), answers.participants, "The model is fitted")]


def _weights(mix: float) -> dict[str, tuple[float, float, float]]:
    """Return of each quantity a constant, and the weights of P(correct | wrong) and of | right."""
    return {
        "accuracy": (0.0, 1 - mix, mix),
        "over_reliance": (1.0, -1.0, 0.0),
        "under_reliance": (1.0, 0.0, -1.0),
        "discrimination": (-1.0, 1.0, 1.0),
    }


def _arm_estimate(
    marginals: Marginals, place: int, weights: tuple[float, float, float]
) -> Estimate:
    constant, *own = weights
    every = np.zeros(len(marginals.probabilities))
    every[2 * place : 2 * place + 2] = own
    found = marginals.contrast(every)
    low, high = constant + found.ci_low, constant + found.ci_high
    least = -1.0 if constant < 0 else 0.0
    return Estimate(constant + found.estimate, max(low, least), min(high, 1.0), found.se, found.df)


def _pairs(
    answers: Answers,
    marginals: Marginals,
    quantity: str,
    weights: Mapping[str, Sequence[float]],
) -> Iterator[PairEffect]:
    own = np.array(weights[quantity][1:])
    rows = []
    for first, second in answers.pairs():
        every = np.zeros(len(marginals.probabilities))
        for arm, sign in ((first, 1), (second, -1)):
            place = answers.arms.index(arm)
            every[2 * place : 2 * place + 2] = sign * own
        found = marginals.contrast(every)
        rows.append(
            PairEffect(
                quantity=quantity,
                first=first,
                second=second,
                **limits_row(found),
                se=found.se,
                z=found.ratio,
                p=found.p,
            )
        )
    family = [row.second == answers.reference for row in rows]
    against = iter(holm([row.p for row, own in zip(rows, family, strict=True) if own]))
    for row, p, own in zip(rows, holm([row.p for row in rows]), family, strict=True):
        yield replace(row, p_holm=p, p_reference=next(against) if own else None)

"""The mixed models: hazard of recognition, quality per pixel, wrong tries, times."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Annotated, Any, Final

import numpy as np
import pandas as pd

from analysis.mixed import MixedResult, fit_counts, fit_linear, fit_logistic
from analysis.mixed.marginal import Averaged
from analysis.mixed.result import Outcome, first_sound, fit_or_reason
from analysis.questions.estimates import EstimateRow, estimate_row
from analysis.report.about import about
from analysis.report.deciding import MODEL
from analysis.report.model import Coefficient, level_code, people_within, sample_note
from analysis.report.wording import listed
from analysis.statistics.estimate import Estimate, by_student
from analysis.statistics.proportions import Interval
from analysis.statistics.survival.hazards import (
    Curves,
    person_steps,
    pooled_steps,
    recognition_there,
)
from analysis.studies.progressive_reveal.model_fit import (
    OF_HAZARD,
    OF_PIXELS,
    OF_TIMES,
    OF_TRIES,
    RevealFit,
    UnitEffect,
    fit_row,
    not_fitted,
    spelled_formula,
    unit_effects,
)
from analysis.studies.progressive_reveal.pairs import compared
from analysis.studies.progressive_reveal.quantities import (
    MODELLED,
    RECOGNISED_LESS,
    STEPS_LESS,
)
from analysis.studies.progressive_reveal.trials import RoundTable

Array = np.ndarray

TYPING_TERM: Final = " + typing"
MOST_ROWS = 150_000
"""Number of steps, over all rounds, up to which the models are fitted to everybody."""
SAMPLE_ROWS = 50_000
"""Steps of the sample above that: more rounds than the published study has, fitted in a minute."""
MOST_EFFECTS = 4_000
"""The most random effects in the sample: methods times people or images, whichever are fewer."""


@dataclass(frozen=True, slots=True)
class PooledStep:
    """A step, and the steps with which it shares its hazard."""

    step: Annotated[int, about("The step.")]
    first_step: Annotated[int, about("The first step of those that share a hazard with it.")]


@dataclass(frozen=True, slots=True)
class PrimaryModel:
    """The discrete-time model, and what it says of recognition.

    Attributes
    ----------
    hazard
        The model.
    pooled_steps
        With which first step each shares its hazard; empty if no round was recognised.
    curves, pairs
        Recognition averaged over people and images: by method and step, and all pairs of methods.
    effects, suits
        People's and images' effects, and for how many of them each method is best.
    """

    hazard: RevealFit
    pooled_steps: tuple[PooledStep, ...] = ()
    curves: tuple[EstimateRow, ...] = ()
    pairs: tuple[EstimateRow, ...] = ()
    effects: tuple[UnitEffect, ...] = ()
    suits: tuple[EstimateRow, ...] = ()


@dataclass(frozen=True, slots=True)
class MethodTyping:
    """A method's coefficient with and without typing time in the model."""

    term: Annotated[str, about("The coefficient.")]
    with_typing: Annotated[float, about("Log odds, with typing time.")]
    without_typing: Annotated[float, about("Log odds, without it.")]
    se: Annotated[float, about("Standard error, with typing time.")]


@dataclass(frozen=True, slots=True)
class Typing:
    """What typing time changes in the hazard of recognition."""

    fitted: Annotated[bool, about("Whether the model with typing time was fitted.")]
    reason: Annotated[str, about("Why not; empty if it was.")] = ""
    formula: Annotated[str, about("The formula that was fitted.")] = ""
    typing: Annotated[
        Coefficient | None, about("Its coefficient, log odds a second per letter.")
    ] = None
    people: Annotated[int, about("Participants with a typing time.")] = 0
    methods: Annotated[tuple[MethodTyping, ...], about("Methods' coefficients.")] = ()


def hazard_rows(table: RoundTable) -> pd.DataFrame:
    """Return the person-step rows with the share uncovered at each step.

    ``log2_pixels`` is missing if the image's course isn't known; ``typing`` if the person copied no
    words.
    """
    frame = table.frame
    columns: dict[str, Any] = {
        "participant": frame["participant"].astype(str).to_numpy(dtype=object),
        "item": frame["item"].astype(str).to_numpy(dtype=object),
        "method": _plain(table, frame)["method"].to_numpy(dtype=object),
        "item_code": table.item_codes,
        "method_code": table.method_codes,
        "typing": _typing(frame),
    }
    rows = person_steps(table.rounds(), columns)
    shares = table.amounts[rows["item_code"], rows["method_code"], rows["step"] - 1]
    with np.errstate(divide="ignore", invalid="ignore"):
        rows["log2_pixels"] = np.log2(np.where(shares > 0, shares, np.nan))
    return rows.drop(columns=["item_code", "method_code"])


def _typing(frame: pd.DataFrame) -> Array:
    if "typing_s" not in frame:
        return np.full(len(frame), np.nan)
    typing = frame["typing_s"].to_numpy(dtype=float, na_value=np.nan)
    by_person = pd.Series(typing).groupby(frame["participant"].to_numpy()).first()
    return typing - float(by_person.mean())


def fit_hazard(table: RoundTable) -> Outcome | None:
    """Fit the discrete-time model; None if no round was recognised."""
    rows, pools = _pooled(modelled(table))
    return _hazard(_reduced(OF_HAZARD.formula, *_single(rows)), rows) if pools else None


def primary_model(table: RoundTable, outcome: Outcome | None = None) -> PrimaryModel:
    """Return the discrete-time model and its results.

    Parameters
    ----------
    table
        The rounds.
    outcome
        Their model, if `fit_hazard` has already fitted it.
    """
    outcome = outcome or fit_hazard(table)
    if outcome is None:
        return PrimaryModel(not_fitted(OF_HAZARD, "no round was recognised"))
    table = modelled(table)
    rows, pools = _pooled(table)
    one_method, _ = _single(rows)
    hazard, fitted = fit_row(outcome, OF_HAZARD), outcome.sound
    curves, every = _averaged(table, fitted, pools)
    known = fitted is not None and not one_method
    effects, suits = unit_effects(fitted, table.methods) if known else ((), ())
    return PrimaryModel(
        hazard=replace(
            hazard,
            notes=(*_pooling_note(pools), *hazard.notes, *_freedom_note(table, fitted)),
        ),
        pooled_steps=tuple(PooledStep(step, first) for step, first in pools.items()),
        curves=curves,
        pairs=every,
        effects=effects,
        suits=suits,
    )


def per_pixel_model(table: RoundTable, primary: PrimaryModel) -> RevealFit:
    """Return the discrete-time model with the pixels uncovered at each step."""
    if not primary.pooled_steps:
        return primary.hazard
    rows, _ = _pooled(modelled(table))
    known = rows[np.isfinite(rows["log2_pixels"])]
    formula = _reduced(OF_PIXELS.formula, *_single(rows))
    if known.empty:
        return not_fitted(OF_PIXELS, "no image's course is known", formula)
    return fit_row(_hazard(formula, known), OF_PIXELS)


def modelled(table: RoundTable) -> RoundTable:
    """Return the rounds that models are fitted to: of a random sample of people if there are many.

    Beyond `MOST_ROWS` steps together the sample has at most `SAMPLE_ROWS`. Its random effects are
    at most `MOST_EFFECTS`, unless there are few images.
    """
    people = table.frame["participant"].astype(str)
    steps = table.frame["step"].groupby(people).sum()
    most_rows = SAMPLE_ROWS if steps.sum() > MOST_ROWS else MOST_ROWS
    drawn = people_within({str(code): int(n) for code, n in steps.items()}, most_rows)
    most_people = max(2, MOST_EFFECTS // len(table.methods))
    if len(table.items) > most_people:
        drawn = drawn[:most_people]
    return table if len(drawn) == len(steps) else table.of(people.isin(drawn))


def sample_notes(table: RoundTable) -> list[str]:
    """Return the note that models are fitted to a sample of people, if they are."""
    drawn = modelled(table).participants
    if drawn == table.participants:
        return []
    return [sample_note(drawn, table.participants, "The mixed models are fitted")]


def _pooled(table: RoundTable) -> tuple[pd.DataFrame, dict[int, int]]:
    """Return the person-step rows with pooled steps, and the pools; none without recognition."""
    rows = hazard_rows(table)
    if rows.empty or not rows["recognised"].any():
        return rows, {}
    pools = pooled_steps(rows, "method")
    return rows.assign(step=rows["step"].map(pools)), pools


def _single(rows: pd.DataFrame) -> tuple[bool, bool]:
    """Return whether there is only one method, and one hazard for all steps."""
    return rows["method"].nunique() < 2, rows["step"].nunique() < 2


def _reduced(formula: str, one_method: bool, one_step: bool) -> str:
    """Return the formula without factors that have one level here."""
    if one_method:
        formula = formula.replace("1 + method", "1").replace(" * method", "")
        formula = formula.replace(" + method", "").replace("~ method", "~ 1")
    if one_step:
        formula = formula.replace("C(step) * ", "").replace("C(step) + ", "")
        formula = formula.replace("C(step)", "1")
    return formula


def _pooling_note(pools: Mapping[int, int]) -> list[str]:
    runs: dict[int, list[int]] = {}
    for step, first in pools.items():
        runs.setdefault(first, []).append(step)
    parts = [f"{min(run)} to {max(run)}" for run in runs.values() if len(run) > 1]
    if not parts:
        return []
    return [
        f"Some steps share one hazard: {listed(parts)}. With some method, too few rounds were "
        "recognised only at one of these steps."
    ]


def _hazard(formula: str, rows: pd.DataFrame) -> Outcome:
    """Fit correlated effects; if that fit isn't sound, fit independent ones, and say so."""
    independent = formula.replace(" | ", " || ")
    note = "With correlated random effects the fit wasn't sound; they are independent here."
    simpler = [(independent, note)] if independent != formula else []
    return first_sound(fit_logistic, formula, rows, simpler)


def _averaged(
    table: RoundTable, fitted: MixedResult | None, pools: Mapping[int, int]
) -> tuple[tuple[EstimateRow, ...], tuple[EstimateRow, ...]]:
    """Return recognition by each step and by the end, averaged over people and images."""
    if fitted is None:
        return (), ()
    steps = [pools.get(step, max(pools.values())) for step in range(1, table.steps + 1)]
    codes = (level_code(method, table.reference) for method in table.methods)
    settings = [pd.DataFrame({"step": steps, "method": code}) for code in codes]
    reached = recognition_there(fitted, settings, least_df=_least_df(table))
    points = {
        (method, step + 1): reached.by(place, step)
        for place, method in enumerate(table.methods)
        for step in range(table.steps)
    }
    curves = tuple(
        estimate_row(
            MODELLED, {"method": method, "step": str(step)},
            Interval(point.estimate, point.ci_low, point.ci_high),
        )
        for (method, step), point in points.items()
    )  # fmt: skip
    return curves, _pairs(table, reached)


def _least_df(table: RoundTable) -> int:
    """Return the degrees of freedom that the smaller of people and images gives."""
    return max(min(table.participants, len(table.items)) - 1, 1)


def _freedom_note(table: RoundTable, fitted: MixedResult | None) -> list[str]:
    """Return a note if a coefficient has unlimited degrees of freedom, and what contrasts take."""
    if fitted is None or all(np.isfinite(row.df) for row in fitted.fixed):
        return []
    return [
        "A variance of zero leaves some coefficients without a limit to their degrees of freedom: "
        "their p values and intervals are too small. Contrasts between methods take at most "
        f"{_least_df(table)}, one less than there are participants or images."
    ]


def _pairs(table: RoundTable, curves: Curves) -> tuple[EstimateRow, ...]:
    """Return each method less each before it: recognition by the end, and mean steps."""

    def less(a: int, b: int, steps: slice, sign: int) -> Averaged:
        weights = np.zeros(curves.reached.shape)
        weights[b, steps], weights[a, steps] = sign, -sign
        return curves.contrast(weights)

    def recognised(a: int, b: int) -> Estimate:
        return _tested(less(a, b, slice(-1, None), 1), 1)

    def steps(a: int, b: int) -> Estimate:
        return _tested(less(a, b, slice(-1), -1), table.steps)

    return (
        *compared(RECOGNISED_LESS, MODEL, table.methods, recognised),
        *compared(STEPS_LESS, MODEL, table.methods, steps),
    )


def _tested(part: Averaged, most: float) -> Estimate:
    return by_student(part.estimate, part.se, part.df, (-most, most))


def typing_model(table: RoundTable) -> Typing | None:
    """Return methods' coefficients with and without typing time; None if it isn't known."""
    rows, pools = _pooled(modelled(table))
    if not pools:
        return None
    one_method, one_step = _single(rows)
    known = rows[np.isfinite(rows["typing"])]
    people = known.groupby("participant")["typing"].first() if len(known) else pd.Series()
    if one_method or len(people) < 3 or people.nunique() < 2:
        return None
    base = "recognised ~ C(step) + method + (1 | participant) + (1 | item)"
    base = _reduced(base, one_method, one_step)
    with_typing = base.replace(" + (1", f"{TYPING_TERM} + (1", 1)
    outcome = fit_or_reason(fit_logistic, with_typing, known)
    plain = fit_or_reason(fit_logistic, base, known)
    with_it, without = outcome.sound, plain.sound
    if with_it is None or without is None:
        return Typing(False, outcome.why_not or plain.why_not)
    both = {row.term: row for row in with_it.fixed}
    return Typing(
        fitted=True,
        formula=spelled_formula(with_it),
        typing=Coefficient(**asdict(both["typing"])),
        people=len(people),
        methods=tuple(
            MethodTyping(row.term, both[row.term].estimate, row.estimate, both[row.term].se)
            for row in without.fixed
            if row.term.startswith("method")
        ),
    )


def tries_model(table: RoundTable) -> RevealFit:
    """Return the model of wrong tries over completed rounds."""
    frame = modelled(table).completed.frame
    if "attempts" not in frame or frame["attempts"].isna().any():
        return not_fitted(OF_TRIES, "the table has no attempts")
    rows = _plain(table, frame).assign(
        wrong_tries=frame["attempts"].to_numpy(dtype=float) - frame["recognised"].to_numpy(float)
    )
    if (rows["wrong_tries"] < 0).any():
        return not_fitted(OF_TRIES, "a recognised round has no attempt")
    formula = _reduced(OF_TRIES.formula, rows["method"].nunique() < 2, False)
    return fit_row(fit_or_reason(fit_counts, formula, rows), OF_TRIES)


def times_model(table: RoundTable) -> RevealFit:
    """Return the model of the times to the confirming press, recognised rounds only."""
    frame = modelled(table).frame
    if "rt_s" not in frame:
        return not_fitted(OF_TIMES, "the table has no rt_s")
    recognised = frame[frame["recognised"] & (frame["rt_s"] > 0)]
    typing = _typing(recognised)
    log_rt = np.log(recognised["rt_s"].to_numpy(dtype=float))
    rows = _plain(table, recognised).assign(log_rt=log_rt, typing=typing)
    formula = _reduced(OF_TIMES.formula, rows["method"].nunique() < 2, False)
    if len(rows) and np.isfinite(typing).all() and np.unique(typing).size > 2:
        formula = formula.replace(" + (1", f"{TYPING_TERM} + (1", 1)
    return fit_row(fit_or_reason(fit_linear, formula, rows), OF_TIMES)


def _plain(table: RoundTable, frame: pd.DataFrame) -> pd.DataFrame:
    """Return each round's person, image and method; the reference sorts first, as base level."""
    names = ("participant", "item", "method")
    rows = pd.DataFrame({n: frame[n].astype(str).to_numpy(dtype=object) for n in names})
    codes = {method: level_code(method, table.reference) for method in table.methods}
    return rows.assign(method=rows["method"].map(codes))

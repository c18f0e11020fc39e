"""The section on one fitted model: formula, engine, estimates, and whether the fit is sound.

If a model would take too long with all participants, it is fitted to a random sample of them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Final, TypeVar

import numpy as np
import pandas as pd
from pydantic import TypeAdapter

from analysis.data.json_values import plain
from analysis.mixed.result import Outcome, model_row
from analysis.report.about import about
from analysis.report.parts import Bullets, Column, Paragraph, Part, limits, table
from analysis.report.wording import (
    count,
    freedom,
    grouped,
    listed,
    number,
    p_value,
    percent,
    ratio,
    rounded,
)
from stimuli.io.canonical import keyed_order

Model = Mapping[str, Any]
Fit = TypeVar("Fit")

# Scale of the estimates, and the name of their exponential with its key.
_SCALE: Mapping[str, tuple[str, str, str]] = {
    "binomial": ("log odds", "Odds ratio", "odds_ratio"),
    "probit": ("probits", "", ""),
    "poisson": ("log rate", "Rate ratio", "rate_ratio"),
    "nbinom2": ("log rate", "Rate ratio", "rate_ratio"),
    "ordinal": ("log odds", "Odds ratio", "odds_ratio"),
}
_PLAIN = ("", "", "")
MOST_TERMS, MOST_CORRELATIONS = 24, 3
CORRELATIONS: Final = "correlations"

# Whose p it is, by the statistic.
_TESTS: Mapping[str, str] = {"z": "Wald", "t": "Satterthwaite"}

PURPOSE = "participants of a model"
MOST_ROWS: Final = 100_000
"""Number of trials up to which mixed models are fitted to everybody's."""


@dataclass(frozen=True, slots=True)
class FittedModel:
    """What every model has beside its estimates, or why it wasn't fitted."""

    asked: Annotated[str, about("The formula that was asked for, in lme4's notation.")]
    coding: Annotated[str, about("How its factors are coded.")]
    rule: Annotated[str, about("By which rules it is simplified.")]
    fitted: Annotated[bool, about("Whether a model was fitted.")]
    reason: Annotated[str, about("Why no estimates are given; empty if they are.")] = ""
    formula: Annotated[str, about("The formula that was fitted.")] = ""
    family: Annotated[str, about("Distribution and link.")] = ""
    engine: Annotated[str, about("How it was fitted.")] = ""
    n: Annotated[int, about("Rows.")] = 0
    groups: Annotated[Mapping[str, int], about("Levels of each group.")] = field(
        default_factory=dict
    )
    log_likelihood: Annotated[float | None, about("Log-likelihood.")] = None
    converged: Annotated[bool, about("Whether the fit is sound.")] = False
    intraclass: Annotated[
        Mapping[str, float],
        about("Share of an answer's variance that each group has (ICC), 0 to 1; empty if unknown."),
    ] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Coefficient:
    """A coefficient of a model, on the scale of its link."""

    term: Annotated[str, about("The term.")]
    estimate: Annotated[float | None, about("Estimate.")]
    se: Annotated[float | None, about("Its standard error.")]
    z: Annotated[float | None, about("Estimate over standard error.")]
    p: Annotated[float | None, about("Two-sided p of the statistic.")]
    ci_low: Annotated[float | None, about("Lower 95 % limit.")]
    ci_high: Annotated[float | None, about("Upper 95 % limit.")]
    df: Annotated[float | None, about("Degrees of freedom; null if unlimited.")]
    statistic: Annotated[str, about("t or z.")]


@dataclass(frozen=True, slots=True)
class FixedRow(Coefficient):
    """A coefficient of a logistic model."""

    estimate: Annotated[float | None, about("Estimate, log odds.")]
    ci_low: Annotated[float | None, about("Lower 95 % limit, log odds.")]
    ci_high: Annotated[float | None, about("Upper 95 % limit, log odds.")]
    odds_ratio: Annotated[float | None, about("Odds ratio; null if it is too large to write.")]
    odds_ratio_low: Annotated[float | None, about("Its lower 95 % limit.")]
    odds_ratio_high: Annotated[float | None, about("Its upper 95 % limit.")]


@dataclass(frozen=True, slots=True)
class Spread:
    """A random effect, on the scale of the model's link."""

    group: Annotated[str, about("By what it varies.")]
    term: Annotated[str, about("The effect.")]
    sd: Annotated[float | None, about("Standard deviation.")]


@dataclass(frozen=True, slots=True)
class RandomRow(Spread):
    """A random effect."""

    sd: Annotated[float | None, about("Standard deviation, log odds.")]


@dataclass(frozen=True, slots=True)
class CorrelationRow:
    """A correlation of two random effects."""

    group: Annotated[str, about("By what they vary.")]
    term1: Annotated[str, about("One effect.")]
    term2: Annotated[str, about("The other.")]
    r: Annotated[float | None, about("Correlation; null if one of them doesn't vary.")]


@dataclass(frozen=True, slots=True)
class LogisticFit(FittedModel):
    """A logistic mixed model, or why it wasn't fitted."""

    fixed: Annotated[tuple[FixedRow, ...], about("Coefficients.")] = ()
    random: Annotated[tuple[RandomRow, ...], about("Random effects.")] = ()
    correlations: Annotated[tuple[CorrelationRow, ...], about("Their correlations.")] = ()
    notes: Annotated[tuple[str, ...], about("What a reader must know about the fit.")] = ()


@dataclass(frozen=True, slots=True)
class ModelFit(FittedModel):
    """A mixed model with independent random effects, or why it wasn't fitted."""

    fixed: Annotated[tuple[Coefficient, ...], about("Coefficients.")] = ()
    random: Annotated[tuple[Spread, ...], about("Random effects.")] = ()
    notes: Annotated[tuple[str, ...], about("What a reader must know about the fit.")] = ()


def model_fit(
    kind: type[Fit], outcome: Outcome, head: Mapping[str, Any], ratio: str = "", more: str = ""
) -> Fit:
    """Return the outcome of a model as results.json has it, in a type of its own.

    Parameters
    ----------
    kind
        `ModelFit`, or a subclass that has what `head`, `ratio` and `more` add.
    outcome, head, ratio
        As in `model_row`.
    more
        What else it has: ``residual_sd``; empty for nothing.
    """
    row = model_row(outcome, head, ratio, (more,) if more else ())
    return TypeAdapter(kind).validate_python(plain(row))


def level_code(level: str, reference: str | None) -> str:
    """Return a level as a model names it: the reference sorts first, and so is the base level."""
    return f"({level})" if level == reference else level


def logistic_fit(outcome: Outcome, coding: str, rule: str) -> LogisticFit:
    """Return the outcome of a logistic model as results.json has it."""
    head = {"coding": coding, "rule": rule}
    row = model_row(outcome, head, "odds_ratio", ("correlations",))
    return TypeAdapter(LogisticFit).validate_python(plain(row))


def model_parts(model: Model, remarks: Sequence[str] = (), file: str = "") -> tuple[Part, ...]:
    """Return the parts of the page that show a model.

    Parameters
    ----------
    model
        ``fitted, reason`` if there is none; else ``asked, formula, family, engine, n, groups,
        log_likelihood, converged, intraclass, fixed, random, notes`` and, if present,
        ``correlations`` and ``residual_sd``. Rows of ``fixed`` may have ``odds_ratio`` or
        ``rate_ratio`` with their ``_low`` and ``_high``. ``scale``, if present, names the
        estimates' unit, the ratio and its key instead of the family's; ``row`` what a row of the
        model is, if it isn't a trial.
    remarks
        Sentences on coding and rules.
    file
        What the stems of its files begin with: long lists are left to them.
    """
    if not model["fitted"]:
        asked = (Paragraph("Asked for:", "quiet"), Paragraph(model["asked"], "formula"))
        return (Paragraph(model["reason"]), *asked)
    parts: list[Part] = [
        Paragraph("Asked for and fitted:" if _as_asked(model) else "Asked for:", "quiet"),
        Paragraph(model["asked"], "formula"),
    ]
    if not _as_asked(model):
        parts += [Paragraph("Fitted:", "quiet"), Paragraph(model["formula"], "formula")]
    parts.append(Paragraph(" ".join([_size(model), *remarks]), "quiet"))
    if model["notes"]:
        parts.append(Bullets(tuple(model["notes"])))
    if model["converged"]:
        parts.append(
            _fixed(model) if len(model["fixed"]) <= MOST_TERMS else _elsewhere(model, file)
        )
        if model["random"]:
            parts.append(_random(model, file))
    else:
        parts.append(Paragraph("The fit isn’t sound, so its estimates are not given."))
    return tuple(parts)


def _fixed(model: Model) -> Part:
    """Return coefficients with tests and intervals, and ratios if the link has them."""
    unit, name, key = _scale(model)
    columns = [
        Column("Term", "term"),
        Column("Estimate", "estimate", number, unit),
        replace(limits(), unit=unit),
        Column("SE", "se", number),
        *_test(model["fixed"]),
        Column("p", "p", p_value, _TESTS[_statistic(model["fixed"])]),
    ]
    if key and all(key in row for row in model["fixed"]):
        columns += [Column(name, key, ratio), limits(ratio, f"{key}_low", f"{key}_high")]
    return table("Fixed effects.", columns, model["fixed"])


def _statistic(rows: Sequence[Model]) -> str:
    return "z" if all(row.get("statistic", "z") == "z" for row in rows) else "t"


def _test(rows: Sequence[Model]) -> tuple[Column, ...]:
    if _statistic(rows) == "z":
        return (Column("z", "z", number),)
    return Column("t", "z", number), Column("df", "df", freedom)


def _random(model: Model, file: str) -> Part:
    """Return standard deviations of random effects, with correlations if there are only a few."""
    correlations = model.get("correlations") or ()
    note = ""
    if file and len(correlations) > MOST_CORRELATIONS:
        note = f"Their {len(correlations)} correlations are in tables/{file}_{CORRELATIONS}.csv."
        correlations = ()
    rows = [
        *({**row, "r": None} for row in model["random"]),
        *(
            {**row, "term": f"{row['term1']} with {row['term2']}", "sd": None}
            for row in correlations
        ),
    ]
    if model.get("residual_sd") is not None:
        rows.append({"group": "residual", "term": "", "sd": model["residual_sd"], "r": None})
    columns = [
        Column("By", "group"),
        Column("Effect", "term"),
        Column("SD", "sd", rounded(number, 3), _scale(model)[0]),
    ]
    independent = "" if note or correlations else ", independent of each other"
    if correlations:
        columns.append(Column("Correlation", "r", rounded(number, 3)))
    notes = " ".join(filter(None, (note, _shares(model))))
    return table(f"Random effects{independent}.", columns, rows, notes, row_headers=2)


def _shares(model: Model) -> str:
    """Return each group's share of the variance, in a sentence; empty if it isn't known."""
    shares = [f"{group} {percent(share)}" for group, share in model["intraclass"].items()]
    if not shares:
        return ""
    scale = "" if model.get("residual_sd") is not None else " on the scale of the estimates"
    return f"Share of the variance of single answers{scale} (ICC): {listed(shares)}."


def _scale(model: Model) -> tuple[str, str, str]:
    return tuple(model.get("scale") or _SCALE.get(model["family"], _PLAIN))


def _elsewhere(model: Model, file: str) -> Paragraph:
    terms = len(model["fixed"])
    text = (
        f"Its {terms} coefficients are in tables/{file}_fixed.csv; the figure shows the estimates."
    )
    return Paragraph(text, "quiet")


def _as_asked(model: Model) -> bool:
    return "".join(model["formula"].split()) == "".join(model["asked"].split())


def _size(model: Model) -> str:
    levels = "".join(f", {count(n, group)}" for group, n in model["groups"].items())
    return (
        f"{count(model['n'], *model.get('row', ('trial',)))}{levels}; log-likelihood "
        f"{number(model['log_likelihood'], 3)}; {model['engine']}."
    )


def people_within(rows: Mapping[str, int], most_rows: int) -> list[str]:
    """Return randomly drawn participants, as many as fit in `most_rows` rows; at least one.

    A keyed hash of their codes draws them, so that the same participants come first at every size.

    Parameters
    ----------
    rows
        Number of rows by participant.
    most_rows
        How many rows they may have together.
    """
    order = keyed_order(rows, PURPOSE)
    total = np.cumsum([rows[code] for code in order])
    return order[: max(1, int(np.searchsorted(total, most_rows, side="right")))]


def people_by_arm(answers: pd.DataFrame, most_rows: int) -> list[str]:
    """Return participants drawn as in `people_within`, about the same share of every arm.

    Parameters
    ----------
    answers
        With columns ``participant`` and ``method``.
    most_rows
        How many rows they may have together.
    """
    if len(answers) <= most_rows:
        return sorted(answers["participant"].unique())
    drawn: set[str] = set()
    for _, group in answers.groupby("method"):
        share = most_rows * len(group) // len(answers)
        rows = {str(name): n for name, n in group["participant"].value_counts().items()}
        drawn |= set(people_within(rows, share))
    return sorted(drawn)


def sample_note(drawn: int, everybody: int, clause: str) -> str:
    """Return the note that an analysis rests on a sample of participants."""
    return (
        f"{clause} to the data of {grouped(drawn)} of {grouped(everybody)} participants, who were "
        "drawn at random: with all of them it would take too long. Estimates stay unbiased; "
        "intervals are as wide as so many participants require."
    )

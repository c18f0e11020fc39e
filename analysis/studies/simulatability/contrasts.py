"""The primary contrasts: each method's Change minus that of the arm without explanations.

`verdict_sentence` says in words what each method does, for the headline.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Final

from scipy.stats import t as student

from analysis.mixed.result import Outcome
from analysis.report.about import about
from analysis.report.estimates import APART_WORDS, MEANS, MODEL, WORDS, Unvarying, apart, used
from analysis.report.missing import FEW_PARTICIPANTS
from analysis.report.wording import listed, no_finer, p_equals, signed
from analysis.statistics.bootstrap import Resampling
from analysis.statistics.estimate import holm
from analysis.studies.simulatability.means import (
    ChangeMeans,
    FamilyTest,
    PointsBrief,
    PointsTest,
    change_means,
)
from analysis.studies.simulatability.model import ModelEffects, effects_of
from analysis.studies.simulatability.trials import Predictions
from analysis.studies.simulatability.words import (
    ALL,
    domain_name,
    method,
    method_name,
    signed_points,
)
from stimuli.studies.simulatability.protocol import Simulatability

ALPHA: Final = 0.05
LEAST: Final = 2
"""Fewest people in an arm, and fewest items, that say anything about others."""
HELPS, HARMS, SAME, UNDECIDED = "helps", "harms", "equivalent", "undecided"
RISES, FALLS = "accuracy rises", "accuracy falls"
VERDICTS: Final[Mapping[str, str]] = {
    HELPS: "Change is larger than without explanations",
    HARMS: "Change is smaller than without explanations",
    RISES: "accuracy rises from before to after; this includes practice",
    FALLS: "accuracy falls from before to after; this includes practice",
    SAME: "the 95 % interval lies within the margin around zero, two one-sided tests after Holm's "
    "correction rule out a larger effect, and both arms have at least five people",
    UNDECIDED: "the data show neither a difference nor its absence; so is what rests on one person "
    "in an arm or on one item",
}
"""What each verdict says."""


@dataclass(frozen=True)
class ContrastOf:
    """A method that is compared over both tests, and by which analysis."""

    domain: Annotated[str, about("Domain.")]
    method: Annotated[str, about("The method.")]
    reference: Annotated[str | None, about("What it is compared with; null: with zero.")]
    by: Annotated[str, about("The analysis that decides: model or means.")]


@dataclass(frozen=True)
class Contrast(FamilyTest, ContrastOf):
    """What a method adds to Change in a domain, by the analysis that decides."""

    p_margin: Annotated[
        float | None,
        about(
            "p of an effect as large as the margin (two one-sided tests) after Holm, over the "
            "methods of the domain."
        ),
    ]
    verdict: Annotated[str, about("What the data show.")]
    model: Annotated[PointsBrief | None, about("The same by the mixed model.")]
    means: Annotated[PointsBrief | None, about("The same by means.")]


@dataclass(frozen=True, slots=True)
class MethodEffects:
    """What each method adds to Change."""

    contrasts: Annotated[tuple[Contrast, ...], about("What each method adds, over both tests.")]
    by_model: Annotated[dict[str, ModelEffects], about("What the mixed model says, by domain.")]
    means: Annotated[ChangeMeans, about("Change as means over participants and items.")]


def method_effects(
    predictions: Predictions,
    models: Mapping[str, Outcome],
    protocol: Simulatability,
    plan: Resampling,
) -> MethodEffects:
    """Return what each method adds to Change, by the mixed models and by means.

    Parameters
    ----------
    predictions
        Who predicted what.
    models
        Their mixed model by domain; see `fitted_model`.
    protocol, plan
        Which analysis decides, and how intervals of means are found.
    """
    rules, means = protocol.analysis, change_means(predictions, plan)
    by_model = {name: effects_of(predictions.domain(name), fit) for name, fit in models.items()}
    margin = 100 * rules.margin
    rows = contrast_rows(predictions, by_model, means, rules.primary_test, margin)
    return MethodEffects(rows, by_model, means)


def contrast_rows(
    predictions: Predictions,
    effects: Mapping[str, ModelEffects],
    means: ChangeMeans,
    asked: str,
    margin: float,
) -> tuple[Contrast, ...]:
    """Return what is decided about each method in each domain, over both tests.

    Parameters
    ----------
    predictions
        Who predicted what.
    effects
        What the model says, by domain.
    means
        Change as means.
    asked
        The primary analysis: ``model`` or ``means``; means are used if no fit is sound, or if the
        model's intervals may be too narrow.
    margin
        Percentage points.
    """
    rows = []
    for domain in predictions.domains:
        own = predictions.domain(domain)
        by_model, by_means = effects[domain], _of_domain(means, domain)
        compared = own.reference is not None
        of_model = _over_tests(by_model.differences if compared else by_model.change)
        of_means = _over_tests(by_means.differences if compared else by_means.change)
        by = used(asked, bool(of_model) and not by_model.narrow)
        found = of_model if by == MODEL else of_means
        like = holm([margin_p(row, margin) for row in found.values()])
        rows += [
            Contrast(
                domain,
                method,
                own.reference,
                by,
                *(row.estimate, row.ci_low, row.ci_high, row.se, row.df, row.p),
                p_margin=p_like,
                verdict=_verdict(own, row, p_like, margin),
                model=_brief(of_model.get(method)),
                means=_brief(of_means.get(method)),
                p_holm=row.p_holm,
                holm_low=row.holm_low,
                holm_high=row.holm_high,
            )
            for (method, row), p_like in zip(found.items(), like, strict=True)
        ]
    return tuple(rows)


def margin_p(row: PointsTest, margin: float) -> float:
    """Return p of an effect as large as the margin: the larger of two one-sided tests'.

    Schuirmann (1987), J. Pharmacokinet. Biopharm. 15. NaN if nothing varied: what didn't vary among
    these people and items may vary among others.
    """
    estimate, _, _, se, df = row.numbers
    return float(student.cdf((abs(estimate) - margin) / se, df)) if se > 0 else float("nan")


def _of_domain(means: ChangeMeans, domain: str) -> ChangeMeans:
    return ChangeMeans(
        tuple(row for row in means.change if row.domain == domain),
        tuple(row for row in means.differences if row.domain == domain),
    )


def _verdict(own: Predictions, row: Any, p_margin: float, margin: float) -> str:
    """Return a row's verdict; one person in an arm or one item never has one."""
    arms = own.pairs[own.pairs["method"].isin([row.method, own.reference])]
    people = arms.groupby("method")["participant"].nunique().min()
    if people < LEAST or arms["item"].nunique() < LEAST:
        return UNDECIDED
    shown = verdict(row, p_margin, margin, compared=own.reference is not None)
    return UNDECIDED if people < FEW_PARTICIPANTS and shown == SAME else shown


def _over_tests(rows: Sequence[Any]) -> dict[str, Any]:
    """Return the rows over both tests by method; those of the one test if there is only one."""
    both = [row for row in rows if row.test == ALL]
    return {row.method: row for row in both or rows}


def _brief(row: PointsTest | None) -> PointsBrief | None:
    return None if row is None else row.brief()


def verdict(row: FamilyTest, p_margin: float, margin: float, *, compared: bool) -> str:
    """Return the verdict: a difference after Holm's correction, none that matters, or neither.

    Parameters
    ----------
    row
        The estimate.
    p_margin
        p of an effect as large as the margin, after Holm's correction.
    margin
        Percentage points below which a difference doesn't matter.
    compared
        Whether it is compared with the arm without explanations; else with zero.
    """
    up, down = (HELPS, HARMS) if compared else (RISES, FALLS)
    if row.estimate is None or row.holm_low is None or row.holm_high is None:
        return UNDECIDED
    low, high = row.holm_low, row.holm_high
    if row.p_holm is not None and row.p_holm < ALPHA:
        return up if row.estimate > 0 else down
    # The interval shown beside the verdict lies within the margin, too.
    return SAME if p_margin < ALPHA and -margin < low and high < margin else UNDECIDED


def verdict_sentence(
    name: str, contrasts: Sequence[Contrast], unvarying: Unvarying, margin: float
) -> str:
    """Return what a domain's methods do beyond practice, and by how much.

    Parameters
    ----------
    name
        The domain.
    contrasts
        What each method adds to Change, of all domains.
    unvarying
        People and items of the domain that hardly vary.
    margin
        The equivalence margin, percentage points.
    """
    rows = [row for row in contrasts if row.domain == name]
    what = domain_name(name).capitalize()
    if not rows:
        return f"{what}: no method could be compared."
    reference = rows[0].reference
    change = "Change (accuracy after explanations minus accuracy before)"
    effect = (
        f"{change} minus that of the arm “{method_name(reference)}”"
        if reference
        else f"{change}, which includes practice"
    )
    named = listed([f"{method(row)} {_points(row)}" for row in rows])
    return (
        f"{what}: {'; '.join(_verdict_clauses(rows, margin))}. {effect}, in percentage points by "
        f"{WORDS[rows[0].by]} (limits and p with Holm’s correction): {named}."
        f"{_other_beside(rows, unvarying)}"
    )


def _other_beside(rows: Sequence[Contrast], unvarying: Unvarying) -> str:
    """Return what the other analysis says of the same, and where it differs by much, and why."""
    both = [(row, row.means, row.model) for row in rows if row.means and row.model]
    if not both:
        return ""
    other = MODEL if rows[0].by == MEANS else MEANS
    given = listed(
        [f"{method(row)} {_bare(model if other == MODEL else means)}" for row, means, model in both]
    )
    far = [method(row) for row, means, model in both if apart(means, model)]
    said = f" By {WORDS[other]}: {given}."
    if not far:
        return said
    why = unvarying.words("participants")
    return f"{said} For {listed(far)}, {APART_WORDS}{f': {why}' if why else ''}."


def _verdict_clauses(rows: Sequence[Contrast], margin: float) -> Iterator[str]:
    """Yield a clause for each verdict about the methods that have it."""
    clauses = {
        HELPS: "{} helped people predict the model",
        HARMS: "{} made people’s predictions of the model worse",
        RISES: "with {}, people predicted the model better after explanations than before; some of "
        "this may be practice",
        FALLS: "with {}, people predicted the model worse after explanations than before",
        SAME: "for {}, the data rule out an effect of {margin:g} points or more",
    }
    of = {
        verdict: listed([method(row) for row in own])
        for verdict in clauses
        if (own := [row for row in rows if row.verdict == verdict])
    }
    if set(of) <= {SAME}:
        yield "the data don’t show that any method helps or harms people’s predictions of the model"
    for verdict, names in of.items():
        yield clauses[verdict].format(names, margin=margin)


def _points(row: Contrast) -> str:
    """Return the estimate that decides, in percentage points, with corrected limits and p."""
    limits = PointsBrief(row.estimate, row.holm_low, row.holm_high, row.p_holm)
    return f"{signed_points(row.estimate, limits)} ({p_equals(row.p_holm)})"


def _bare(row: PointsBrief) -> str:
    """Return an estimate without its limits, no finer than they allow."""
    return no_finer(signed, row.ci_low, row.ci_high, row.estimate)(row.estimate)

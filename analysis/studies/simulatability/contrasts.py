"""The primary contrasts: each method's Change minus that of the arm without explanations.

`verdict_sentence` says in words what each method does, for the headline.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import nan
from typing import Annotated, Final

from scipy.stats import t as student

from analysis.mixed.result import Outcome
from analysis.questions.estimates import AGAINST, EstimateRow, Estimates, select
from analysis.report.about import about
from analysis.report.deciding import APART_WORDS, MEANS, MODEL, WORDS, Unvarying, apart, used
from analysis.report.missing import FEW_PARTICIPANTS
from analysis.report.wording import estimated, listed, no_finer, p_equals, signed
from analysis.statistics.bootstrap import Resampling
from analysis.statistics.estimate import holm
from analysis.studies.simulatability.means import change_means
from analysis.studies.simulatability.model import ModelState, averaged
from analysis.studies.simulatability.quantities import CHANGE_POINTS, DIFFERENCE, EFFECT
from analysis.studies.simulatability.trials import Predictions
from analysis.studies.simulatability.words import ALL, domain_name, method_name
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


@dataclass(frozen=True, slots=True)
class MethodEffects(Estimates):
    """What each method adds to Change."""

    by_model: Annotated[dict[str, ModelState], about("The mixed model, by domain.")]


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
    rows, states = change_means(predictions, plan), {}
    for name, outcome in models.items():
        of_domain = predictions.domain(name)
        states[name] = ModelState.of(of_domain, outcome)
        rows += averaged(of_domain, outcome.sound)
    rules = protocol.analysis
    decided = decided_rows(predictions, states, rows, rules.primary_test, 100 * rules.margin)
    return MethodEffects((*decided, *rows), states)


def decided_rows(
    predictions: Predictions,
    states: Mapping[str, ModelState],
    rows: Sequence[EstimateRow],
    asked: str,
    margin: float,
) -> tuple[EstimateRow, ...]:
    """Return what is decided about each method in each domain, over both tests.

    Parameters
    ----------
    predictions
        Who predicted what.
    states
        Whether models can decide, by domain.
    rows
        Change and differences, by the model and by means.
    asked
        The primary analysis: ``model`` or ``means``; means are used if no fit is sound, or if the
        model's intervals may be too narrow.
    margin
        Percentage points.
    """
    return tuple(
        row
        for name in predictions.domains
        for row in _decided(predictions.domain(name), states[name], rows, asked, margin)
    )


def _decided(
    own: Predictions, state: ModelState, rows: Sequence[EstimateRow], asked: str, margin: float
) -> Iterator[EstimateRow]:
    (domain,), compared = own.domains, own.reference is not None
    rows = select(rows, DIFFERENCE if compared else CHANGE_POINTS, domain=domain)
    by = used(asked, bool(select(rows, by=MODEL)) and not state.narrow)
    rows = over_tests(select(rows, by=by))
    for row, p in zip(rows, holm([margin_p(row, margin) for row in rows]), strict=True):
        of = {name: level for name, level in row.of.items() if name != "test"}
        shown = _verdict(own, row, p, margin)
        yield replace(row, quantity=EFFECT.id, of=of, margin=margin, p_margin=p, verdict=shown)


def over_tests(rows: Sequence[EstimateRow]) -> Sequence[EstimateRow]:
    """Return the rows over both tests; those of the one test if there is only one."""
    return select(rows, test=ALL) or rows


def effect_by(answer: Estimates, by: str, effect: EstimateRow) -> EstimateRow | None:
    """Return what one of the two analyses says of what is decided; None without it."""
    quantity = DIFFERENCE if AGAINST in effect.of else CHANGE_POINTS
    rows = over_tests(answer.rows(quantity, **effect.of | {"by": by}))
    return rows[0] if rows else None


def margin_p(row: EstimateRow, margin: float) -> float:
    """Return p of an effect as large as the margin: the larger of two one-sided tests'.

    Schuirmann (1987), J. Pharmacokinet. Biopharm. 15. NaN if nothing varied: what didn't vary among
    these people and items may vary among others.
    """
    if row.estimate is None or row.df is None or not row.se or not row.se > 0:
        return nan
    return float(student.cdf((abs(row.estimate) - margin) / row.se, row.df))


def _verdict(own: Predictions, row: EstimateRow, p_margin: float, margin: float) -> str:
    """Return a row's verdict; one person in an arm or one item never has one."""
    arms = own.pairs[own.pairs["method"].isin([row.of["method"], own.reference])]
    people = arms.groupby("method")["participant"].nunique().min()
    if people < LEAST or arms["item"].nunique() < LEAST:
        return UNDECIDED
    shown = verdict(row, p_margin, margin, compared=own.reference is not None)
    return UNDECIDED if people < FEW_PARTICIPANTS and shown == SAME else shown


def verdict(row: EstimateRow, p_margin: float, margin: float, *, compared: bool) -> str:
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
    if row.estimate is None or row.adjusted_low is None or row.adjusted_high is None:
        return UNDECIDED
    low, high = row.adjusted_low, row.adjusted_high
    if row.p_adjusted is not None and row.p_adjusted < ALPHA:
        return up if row.estimate > 0 else down
    # The interval shown beside the verdict lies within the margin, too.
    return SAME if p_margin < ALPHA and -margin < low and high < margin else UNDECIDED


def verdict_sentence(name: str, answer: Estimates, unvarying: Unvarying, margin: float) -> str:
    """Return what a domain's methods do beyond practice, and by how much.

    Parameters
    ----------
    name
        The domain.
    answer
        What each method adds to Change, of all domains.
    unvarying
        People and items of the domain that hardly vary.
    margin
        The equivalence margin, percentage points.
    """
    rows = answer.rows(EFFECT, domain=name)
    what = domain_name(name).capitalize()
    if not rows:
        return f"{what}: no method could be compared."
    first = rows[0].of
    change = "Change (accuracy after explanations minus accuracy before)"
    effect = (
        f"{change} minus that of the arm “{method_name(first[AGAINST])}”"
        if AGAINST in first
        else f"{change}, which includes practice"
    )
    named = listed([f"{method_name(row.of['method'])} {_points(row)}" for row in rows])
    return (
        f"{what}: {'; '.join(_verdict_clauses(rows, margin))}. {effect}, in percentage points by "
        f"{WORDS[first['by']]} (limits and p with Holm’s correction): {named}."
        f"{_other_beside(answer, rows, unvarying)}"
    )


def _other_beside(answer: Estimates, rows: Sequence[EstimateRow], unvarying: Unvarying) -> str:
    """Return what the other analysis says of the same, and where it differs by much, and why."""
    other = MODEL if rows[0].of["by"] == MEANS else MEANS
    beside = {
        method_name(row.of["method"]): (row, one)
        for row in rows
        if (one := effect_by(answer, other, row)) is not None
    }
    if not beside:
        return ""
    given = listed([f"{name} {_bare(one)}" for name, (_, one) in beside.items()])
    # The width that counts is that of the means.
    far = [
        name for name, pair in beside.items() if apart(*(pair if other == MODEL else pair[::-1]))
    ]
    sentence = f" By {WORDS[other]}: {given}."
    if not far:
        return sentence
    why = unvarying.words("participants")
    return f"{sentence} For {listed(far)}, {APART_WORDS}{f': {why}' if why else ''}."


def _verdict_clauses(rows: Sequence[EstimateRow], margin: float) -> Iterator[str]:
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
        verdict: listed(names)
        for verdict in clauses
        if (names := [method_name(row.of["method"]) for row in rows if row.verdict == verdict])
    }
    if set(of) <= {SAME}:
        yield "the data don’t show that any method helps or harms people’s predictions of the model"
    for verdict, names in of.items():
        yield clauses[verdict].format(names, margin=margin)


def _points(row: EstimateRow) -> str:
    """Return the estimate that decides, in percentage points, with corrected limits and p."""
    points = estimated(signed, row.estimate, row.adjusted_low, row.adjusted_high)
    return f"{points} ({p_equals(row.p_adjusted)})"


def _bare(row: EstimateRow) -> str:
    """Return an estimate without its limits, no finer than they allow."""
    return no_finer(signed, row.ci_low, row.ci_high, row.estimate)(row.estimate)

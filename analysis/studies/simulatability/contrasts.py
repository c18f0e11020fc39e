"""The primary contrasts: what each method's explanations add, test by test.

`verdict_sentences` say in words what each method does in a test, for the headline, and
`carried_over` where accuracy differed between arms before a test's explanations.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import nan
from typing import Annotated, Final

from analysis.distributions import holm, t_above
from analysis.mixed.result import Outcome
from analysis.questions.estimates import AGAINST, EstimateRow, Estimates, Quantity, select
from analysis.report.about import about
from analysis.report.deciding import (
    APART_WORDS,
    MEANS,
    MODEL,
    WORDS,
    Unvarying,
    apart,
    ruled_out,
    used,
)
from analysis.report.missing import FEW_PARTICIPANTS
from analysis.report.wording import estimated, listed, no_finer, p_equals, signed, unknown
from analysis.statistics.bootstrap import Resampling
from analysis.studies.simulatability.means import measured, method_means
from analysis.studies.simulatability.model import ModelState, averaged
from analysis.studies.simulatability.quantities import (
    AFTER,
    BEFORE,
    CHANGE_POINTS,
    DIFFERENCE,
    EFFECT,
)
from analysis.studies.simulatability.trials import Predictions
from analysis.studies.simulatability.words import TEST_WORDS, domain_name, method_name
from stimuli.studies.simulatability.protocol import Simulatability

ALPHA: Final = 0.05
MEASURED: Final = "measured"
"""Key of the quantity by which a row of `EFFECT` is decided."""
_CHANGE: Final = "Change (accuracy after explanations minus accuracy before)"
MEASURES: Final[Mapping[str, str]] = {
    DIFFERENCE.id: _CHANGE,
    AFTER.id: "accuracy after explanations",
    CHANGE_POINTS.id: f"{_CHANGE}, which includes practice",
}
"""What decides, by quantity."""
LEAST: Final = 2
"""Fewest people in an arm, and fewest items, that say anything about others."""
HELPS, HARMS, SAME, UNDECIDED = "helps", "harms", "equivalent", "undecided"
RISES, FALLS = "accuracy rises", "accuracy falls"
VERDICTS: Final[Mapping[str, str]] = {
    HELPS: "people predict the model better than without explanations",
    HARMS: "people predict the model worse than without explanations",
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
    """What each method adds, test by test."""

    by_model: Annotated[dict[str, ModelState], about("The mixed model, by domain.")]


def method_effects(
    predictions: Predictions,
    models: Mapping[str, Outcome],
    protocol: Simulatability,
    plan: Resampling,
) -> MethodEffects:
    """Return what each method adds in each test, by the mixed models and by means.

    Parameters
    ----------
    predictions
        Who predicted what.
    models
        Their mixed model by domain; see `fitted_model`.
    protocol, plan
        Which analysis decides, and how intervals of means are found.
    """
    rows, states = method_means(predictions, plan), {}
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
    primary: str,
    margin: float,
    quantity: Quantity | None = None,
) -> tuple[EstimateRow, ...]:
    """Return what is decided about each method in each test of each domain; a test is a family.

    Parameters
    ----------
    predictions
        Who predicted what.
    states
        Whether models can decide, by domain.
    rows
        Change and differences, by the model and by means; see `measured`.
    primary
        The primary analysis: ``model`` or ``means``; means are used if no fit is sound, or if the
        model's intervals may be too narrow.
    margin
        Percentage points.
    quantity
        What decides; see `measured` for what does by default.
    """
    return tuple(
        row
        for of_domain in map(predictions.domain, predictions.domains)
        for test in of_domain.tests
        for row in _decided(
            of_domain.test(test), states[of_domain.domains[0]], rows, primary, margin, quantity
        )
    )


def _decided(
    of_test: Predictions,
    state: ModelState,
    rows: Sequence[EstimateRow],
    primary: str,
    margin: float,
    quantity: Quantity | None,
) -> Iterator[EstimateRow]:
    """Yield what is decided in a test; one person in an arm or one item decides nothing."""
    rows = select(
        rows, quantity or measured(of_test), domain=of_test.domains[0], test=of_test.tests[0]
    )
    by = used(primary, bool(select(rows, by=MODEL)) and not state.narrow)
    rows = select(rows, by=by)
    for row, p in zip(rows, holm([margin_p(row, margin) for row in rows]), strict=True):
        people, items = _size(of_test, row)
        compared = of_test.reference is not None
        enough = min(people, items) >= LEAST
        decision = verdict(row, p, margin, compared=compared) if enough else UNDECIDED
        few = people < FEW_PARTICIPANTS
        yield replace(
            row, quantity=EFFECT.id, of=row.of | {MEASURED: row.quantity}, p_margin=p,
            margin=None if few or not enough else margin,
            verdict=UNDECIDED if few and decision == SAME else decision,
        )  # fmt: skip


def effect_by(answer: Estimates, by: str, effect: EstimateRow) -> EstimateRow | None:
    """Return what one of the two analyses says of what is decided; None without it."""
    of = effect.of | {"by": by}
    quantity = of.pop(MEASURED)
    return next((row for row in answer.rows(**of) if row.quantity == quantity), None)


def margin_p(row: EstimateRow, margin: float) -> float:
    """Return p of an effect as large as the margin: the larger of two one-sided tests'.

    Schuirmann (1987), J. Pharmacokinet. Biopharm. 15. NaN if nothing varied: what didn't vary among
    these people and items may vary among others.
    """
    if row.estimate is None or row.df is None or not row.se or not row.se > 0:
        return nan
    return float(t_above((margin - abs(row.estimate)) / row.se, row.df))


def _size(of_test: Predictions, row: EstimateRow) -> tuple[int, int]:
    """Return how many people the smaller arm of a comparison has, and how many items there are."""
    arms = of_test.pairs[of_test.pairs["method"].isin([row.of["method"], of_test.reference])]
    people = arms.groupby("method")["participant"].nunique().min()
    return int(people), int(arms["item"].nunique())


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


def verdict_sentences(
    tests: Sequence[tuple[str, str]],
    answer: Estimates,
    unvarying: Mapping[str, Unvarying],
    margin: float,
) -> Iterator[str]:
    """Yield what a domain's methods do in each test beyond practice, and by how much.

    What the numbers are is said where it differs from the test before.

    Parameters
    ----------
    tests
        Domains and tests.
    answer
        What each method adds, in all tests.
    unvarying
        People and items that hardly vary, by domain.
    margin
        The equivalence margin, percentage points.
    """
    before = ""
    for domain, test in tests:
        rows = answer.rows(EFFECT, domain=domain, test=test)
        what = test_name(domain, test)
        if not rows:
            yield f"{what}: no method could be compared."
            continue
        effect = _effect_words(rows)
        clauses = "; ".join(_verdict_clauses(rows, margin))
        named = listed([f"{method_name(row.of['method'])} {_points(row)}" for row in rows])
        numbers = f"The same differences: {named}" if effect == before else f"{effect}: {named}"
        before = effect
        yield f"{what}: {clauses}. {numbers}.{_other_beside(answer, rows, unvarying[domain])}"


def _effect_words(rows: Sequence[EstimateRow]) -> str:
    """Return what the numbers about a test are, as a sentence begins with it."""
    of, corrected = rows[0].of, any(not unknown(row.p_adjusted) for row in rows)
    holm = " (limits and p with Holm’s correction)" if corrected else ""
    effect = MEASURES[of[MEASURED]]
    if AGAINST in of:
        effect = f"{effect} minus that of the arm “{method_name(of[AGAINST])}”"
    return f"{effect[0].upper()}{effect[1:]}, in percentage points by {WORDS[of['by']]}{holm}"


def carried_over(domain: str, test: str, answer: Estimates) -> str:
    """Return where arms differed before a test's explanations; empty if they didn't.

    Parameters
    ----------
    domain, test
        Which test.
    answer
        What each method adds, in all tests.
    """
    differing = [
        row
        for row in answer.rows(BEFORE, domain=domain, test=test)
        if row.p_adjusted is not None and row.p_adjusted < ALPHA
    ]
    if not differing:
        return ""
    named = listed([f"{method_name(row.of['method'])} {_points(row)}" for row in differing])
    return (
        f"{test_name(domain, test)}: arms already differed before its explanations, among people "
        "who had taken the other test: accuracy minus that of the arm "
        f"“{method_name(differing[0].of[AGAINST])}”, in percentage points: {named}. What the other "
        "test’s explanations taught may be in this accuracy, so Change in this test lacks it."
    )


def test_name(domain: str, test: str) -> str:
    """Return what begins a sentence about a test."""
    return f"{domain_name(domain).capitalize()}, {TEST_WORDS[test]} test"


def _other_beside(answer: Estimates, rows: Sequence[EstimateRow], unvarying: Unvarying) -> str:
    """Return the effects by the other analysis, which of them are far from these, and why."""
    other = MODEL if rows[0].of["by"] == MEANS else MEANS
    beside = {
        method_name(row.of["method"]): (row, beside_row)
        for row in rows
        if (beside_row := effect_by(answer, other, row)) is not None
    }
    if not beside:
        return ""
    others = listed([f"{name} {_bare(other_row)}" for name, (_, other_row) in beside.items()])
    # The width that counts is that of the means.
    far = [
        name for name, pair in beside.items() if apart(*(pair if other == MODEL else pair[::-1]))
    ]
    sentence = f" By {WORDS[other]}: {others}."
    if not far:
        return sentence
    why = unvarying.words("participants")
    differ = APART_WORDS.replace("they", "the two analyses")
    return f"{sentence} For {listed(far)}, {differ}{f': {why}' if why else ''}."


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
    for out, what in {"not better": "a gain", "not worse": "a loss"}.items():
        if names := [
            method_name(row.of["method"])
            for row in rows
            if row.verdict == UNDECIDED
            and ruled_out(row.adjusted_low, row.adjusted_high, row.margin) == out
        ]:
            yield f"for {listed(names)}, they rule out {what} of {margin:g} points or more"


def _points(row: EstimateRow) -> str:
    """Return the estimate that decides, in percentage points, with corrected limits and p."""
    points = estimated(signed, row.estimate, row.adjusted_low, row.adjusted_high)
    return points if unknown(row.p_adjusted) else f"{points} ({p_equals(row.p_adjusted)})"


def _bare(row: EstimateRow) -> str:
    """Return an estimate without its limits, no finer than they allow."""
    return no_finer(signed, row.ci_low, row.ci_high, row.estimate)(row.estimate)

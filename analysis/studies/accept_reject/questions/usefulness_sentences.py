"""What the headline says of usefulness: the analysis that decides, and what stands beside it."""

from typing import Final

from analysis.questions.estimates import EstimateRow
from analysis.questions.question import Whole
from analysis.report.deciding import MEANS, MODEL, THESE, beside
from analysis.report.few_people import these_people
from analysis.report.results import called, counted
from analysis.report.wording import interval, p_equals, percent, points, unknown
from analysis.studies.accept_reject.quantities import ACCEPTED, GAIN, NET, RAW
from analysis.studies.accept_reject.questions.acceptance import ACCEPTANCE
from analysis.studies.accept_reject.questions.participants import PARTICIPANTS
from analysis.studies.accept_reject.usefulness import FAMILY, Usefulness, direction
from analysis.studies.accept_reject.words import granted, limits_words

WIDEST_NET: Final = 1.0
"""Width of the interval of net usefulness from which the headline leaves it out."""


def overall_sentence(answer: Usefulness, whole: Whole) -> str:
    """Return what explanations change for S and E, with p of the analysis that decides."""
    known = [solver for solver in FAMILY if answer.gain(solver).estimate is not None]
    if not known:
        return "Usefulness can't be given: there are no trials with and without explanations."
    sentences = [_change(solver, answer, whole) for solver in known]
    data = whole.frame.data
    start = (
        f"For {these_people(data.participants, called(data, 'lead'))}, "
        if answer.used == THESE
        else f"Over {counted(data, 'lead')}, "
    )
    text = start + ". ".join(
        sentence if place == 0 else f"{sentence[0].upper()}{sentence[1:]}"
        for place, sentence in enumerate(sentences)
    )
    if not any(_tested(answer.deciding(solver)) for solver in known):
        return f"{text}."
    by = " The protocol names the mixed model, which decides." if answer.used == MODEL else ""
    return f"{text}.{by} Each p and the limits before it have Holm’s correction over S and E."


def _change(solver: str, answer: Usefulness, whole: Whole) -> str:
    """Return what explanations change for a solver, with the means' estimate first."""
    sample = whole.of(PARTICIPANTS)
    raw, net, row = answer.gain(solver), answer.gain(solver, NET), answer.deciding(solver)
    usefulness, limits = decided(row, raw)
    inside = [f"{usefulness} points, 95 % interval {limits}{_tested(row)}"]
    if net.estimate is not None and tells_something(net):
        inside.append(f"net of contour reading {points(net.estimate)} {limits_words(net)}")
    inside.append(_beside(answer, solver, raw, called(whole.frame.data, "lead")))
    numbers = "; ".join(filter(None, inside))
    without, with_ = (
        percent(whole.of(ACCEPTANCE).row(ACCEPTED, solver=solver, explanation=name).estimate)
        for name in ("without", "with")
    )
    what = f"acceptance of {solver}'s solutions {granted(sample)}"
    if direction(row):
        verb = "raise" if direction(row) > 0 else "lower"
        return f"explanations {verb} {what} from {without} to {with_} ({numbers})"
    return (
        f"whether explanations change {what} is undecided: {without} without explanations, {with_} "
        f"with ({numbers})"
    )


def decided(row: EstimateRow, raw: EstimateRow) -> tuple[str, str]:
    """Return usefulness by the analysis that decides, and its corrected limits."""
    if unknown(row.p_adjusted):
        return points(raw.estimate), limits_words(raw)
    return points(row.estimate), interval(row.adjusted_low, row.adjusted_high, points)


def _beside(answer: Usefulness, solver: str, raw: EstimateRow, noun: str) -> str:
    """Return what the analyses say that don't decide: of leads in general, and the model's."""
    if answer.used == THESE:
        means = answer.rows(GAIN, solver=solver, part=RAW, by=MEANS)
        return f"for {noun}s in general {_limits(means[0])}" if means else ""
    model = answer.row(GAIN, solver=solver, part=RAW, by=MODEL)
    unvarying = answer.unvarying.words("leads", "plates")
    by = MEANS if answer.used == MODEL else MODEL
    return beside(raw, model, points, unvarying, by=by)


def _limits(row: EstimateRow) -> str:
    known = not (unknown(row.adjusted_low) or unknown(row.adjusted_high))
    return interval(row.adjusted_low, row.adjusted_high, points) if known else "not known"


def tells_something(net: EstimateRow) -> bool:
    """Return whether the interval of net usefulness is narrower than 100 points."""
    if net.ci_low is None or net.ci_high is None:
        return False
    return net.ci_high - net.ci_low < WIDEST_NET


def _tested(row: EstimateRow) -> str:
    """Return p of a primary test, after Holm over S and E; empty if there is none."""
    return "" if unknown(row.p_adjusted) else f", {p_equals(row.p_adjusted)}"

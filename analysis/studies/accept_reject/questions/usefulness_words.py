"""What explanations change over all leads, in the words of the headline."""

from collections.abc import Sequence

from analysis.questions.question import Whole
from analysis.report.estimates import MEANS, MODEL, beside
from analysis.report.results import counted
from analysis.report.wording import listed, p_equals, percent, points, unknown
from analysis.studies.accept_reject.leads import gain_of
from analysis.studies.accept_reject.primary import FAMILY, Primary, PrimaryRow
from analysis.studies.accept_reject.questions.acceptance import ACCEPTANCE
from analysis.studies.accept_reject.questions.participants import PARTICIPANTS
from analysis.studies.accept_reject.rates import Gain
from analysis.studies.accept_reject.words import granted, limits_words

WIDEST_NET = 1.0
"""Width of the interval of net usefulness from which on the headline leaves it out."""


def overall_sentence(primary: Primary, gains: Sequence[Gain], whole: Whole) -> str:
    """Return what explanations change for S and E, with p of the analysis that decides."""
    known = [solver for solver in FAMILY if gain_of(gains, solver).estimate is not None]
    if not known:
        return "Usefulness can't be given: there are no trials with and without explanations."
    said = [_change(solver, primary, gains, whole) for solver in known]
    text = f"Over {counted(whole.frame.data, 'lead')}, " + ". ".join(
        sentence if place == 0 else f"{sentence[0].upper()}{sentence[1:]}"
        for place, sentence in enumerate(said)
    )
    tested = [solver for solver in known if _tested(primary.deciding(solver))]
    if primary.used == MODEL:
        p = listed([f"{p_equals(_p_holm(primary, solver))} for {solver}" for solver in tested])
        return f"{text}. The protocol names the mixed model, which decides: {p}, by Holm over both."
    return f"{text}. p is by Holm over S and E." if tested else f"{text}."


def _change(solver: str, primary: Primary, gains: Sequence[Gain], whole: Whole) -> str:
    """Return what explanations change for a solver, with the means' estimate first."""
    sample = whole.of(PARTICIPANTS)
    rates = {row.explained: row.rate for row in whole.of(ACCEPTANCE).rates if row.solver == solver}
    raw, net = (gain_of(gains, solver, flag) for flag in (False, True))
    row = primary.deciding(solver)
    p = _tested(row) if primary.used == MEANS else ""
    inside = [f"{points(raw.estimate)} points, 95 % interval {limits_words(raw)}{p}"]
    if net.estimate is not None and tells_something(net):
        inside.append(f"net of contour reading {points(net.estimate)} {limits_words(net)}")
    few = primary.unvarying
    unvarying = "" if few is None else few.words("leads", "plates")
    inside.append(beside(raw, primary.row(MODEL, solver), points, unvarying))
    numbers, (without, with_) = (
        "; ".join(filter(None, inside)),
        map(percent, map(rates.get, (False, True))),
    )
    what = f"acceptance of {solver}'s solutions {granted(sample)}"
    direction = 0 if row is None else row.direction
    if direction:
        verb = "raise" if direction > 0 else "lower"
        return f"explanations {verb} {what} from {without} to {with_} ({numbers})"
    return f"no change in {what} is shown: {without} without explanations, {with_} with ({numbers})"


def tells_something(net: Gain) -> bool:
    """Return whether the interval of net usefulness is narrower than 100 points."""
    if net.ci_low is None or net.ci_high is None:
        return False
    return net.ci_high - net.ci_low < WIDEST_NET


def _tested(row: PrimaryRow | None) -> str:
    """Return p of a primary test, after Holm over S and E; empty where there is none."""
    return "" if row is None or unknown(row.p_holm) else f", {p_equals(row.p_holm)}"


def _p_holm(primary: Primary, solver: str) -> float | None:
    row = primary.deciding(solver)
    return None if row is None else row.p_holm

"""Whether explanations do harm: matched right and wrong digits, and all other controls."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

from analysis.preregister.declared import Hypothesis
from analysis.questions.question import Lacking, Promise, Question, Whole, Within
from analysis.report.about import about
from analysis.report.declared import ReportModel, ReportTable, changes, spelled
from analysis.report.parts import Column, Paragraph, limits, share_with_limits, with_limits
from analysis.report.results import called
from analysis.report.wording import (
    grouped,
    interval,
    listed,
    number,
    percent,
    points,
    unsigned_points,
)
from analysis.studies.accept_reject.controls import (
    HARM_FORMULA,
    MIXED,
    ControlRow,
    DetectionRow,
    Diagnostic,
    Harm,
    WrongDigits,
    find_harm,
)
from analysis.studies.accept_reject.data import LeadData
from analysis.studies.accept_reject.questions.participants import PARTICIPANTS, time_granted
from analysis.studies.accept_reject.words import (
    KIND_WORDS,
    N_COLUMN,
    RUN,
    TENTHS,
    granted,
    limits_words,
)
from stimuli.studies.accept_reject.protocol import AcceptReject


@dataclass(frozen=True, slots=True)
class SignalDetection(Harm):
    """What was accepted of controls, and whether explanations do harm."""

    kinds: Annotated[tuple[ControlRow, ...], about("Acceptance by kind and run.")]
    detection: Annotated[tuple[DetectionRow, ...], about("d′ and criterion from pooled counts.")]
    diagnostics: Annotated[tuple[Diagnostic, ...], about("What a misleading contour changes.")]


Here = Within[SignalDetection]


def compute(data: LeadData) -> SignalDetection:
    """Return acceptance of controls, and whether explanations do harm."""
    controls = data.controls
    harm = find_harm(data.judged, controls, data.protocol.analysis.margin)
    return SignalDetection(
        sensitivity=harm.sensitivity,
        pooled=harm.pooled,
        wrong_digits=harm.wrong_digits,
        model=harm.model,
        kinds=controls.kind_rows(),
        detection=controls.detection_rows(),
        diagnostics=controls.diagnostic_rows(),
    )


def _sensitivity(here: Here) -> Paragraph:
    change = here.answer.sensitivity
    if change.difference is None:
        return Paragraph(
            "Whether leads tell right from wrong digits less well with explanations can’t be said: "
            "matched right or wrong digits are missing in one of the runs."
        )
    source = (
        "by the mixed probit below, for an average lead"
        if change.method == MIXED
        else f"from pooled counts, since no model can be relied on ({change.reason})"
    )
    return Paragraph(
        f"d′ of matched right against wrong digits is {number(change.d_prime_without)} without "
        f"and {number(change.d_prime_with)} with explanations, {source}: "
        f"{number(change.difference)} {interval(change.ci_low, change.ci_high)}. "
        + (
            "The explanations do harm: with them leads tell right from wrong digits less well. "
            "More acceptance is not usefulness then."
            if change.harm
            else "The data don’t show that leads tell right from wrong digits less well with "
            "explanations."
        )
    )


def _wrong_digits(here: Here) -> Paragraph | None:
    wrong = here.answer.wrong_digits
    if wrong.difference is None:
        return None
    return Paragraph(
        f"Matched wrong digits were accepted {time_granted(here)} in "
        f"{percent(wrong.rate_without, 1)} of the trials without and "
        f"{percent(wrong.rate_with, 1)} with explanations: {points(wrong.difference)} points "
        f"{limits_words(wrong)}. " + _verdict(wrong)
    )


def _verdict(wrong: WrongDigits) -> str:
    """Return whether a rise in accepting wrong digits is harm, and why."""
    margin = unsigned_points(wrong.margin)
    if wrong.harm:
        return (
            f"This is harm: a rise beyond the margin of {margin} points, and beyond chance."
            + _not_by_more(wrong)
        )
    if not wrong.rises:
        return (
            f"A rise beyond the margin of {margin} points, and beyond chance, would be harm; it is "
            "not shown."
        )
    beyond = wrong.right_beyond_wrong
    return (
        f"This is a rise beyond the margin of {margin} points, and beyond chance. It isn't called "
        "harm, because the acceptance of matched right digits rises by more: by "
        f"{points(beyond.difference)} points {limits_words(beyond)}."
    )


def _not_by_more(wrong: WrongDigits) -> str:
    """Return the sentence that right digits don't make up for the rise; empty without them."""
    beyond = wrong.right_beyond_wrong
    if beyond.difference is None:
        return ""
    return (
        " The acceptance of matched right digits isn’t shown to rise by more: its rise less that "
        f"of wrong digits is {points(beyond.difference)} points {limits_words(beyond)}."
    )


KINDS = ReportTable(
    "controls",
    "answer.kinds",
    lambda here: f"Controls accepted {time_granted(here)}, and at any time.",
    (
        RUN,
        Column("Control", spelled("control_kind", KIND_WORDS)),
        *share_with_limits("Accepted"),
        Column("At any time", "rate_whenever", TENTHS),
        N_COLUMN,
    ),
    strong=changes("explained"),
    row_headers=2,
)


def _counted(rate: str, n: str) -> Callable[[Any], str]:
    return lambda row: f"{percent(getattr(row, rate))} ({grouped(getattr(row, n))})"


DETECTION = ReportTable(
    "detection",
    "answer.detection",
    lambda here: (
        f"Signal detection from pooled counts, accepted {time_granted(here)}: signals are "
        "matched right digits, noise is matched wrong digits."
    ),
    (
        RUN,
        Column("Hits", _counted("hit_rate", "n_signal"), str, "(n)"),
        Column("False alarms", _counted("false_alarm_rate", "n_noise"), str, "(n)"),
        Column("d′", with_limits("d_prime"), str),
        Column("c", with_limits("criterion"), str),
    ),
    "Log-linear correction (half a trial added to each count, one to each total). A positive c "
    "leans to rejecting. Pooling leads who differ makes d′ too small; the mixed probit doesn’t.",
)
DIAGNOSTICS = ReportTable(
    "diagnostics",
    "answer.diagnostics",
    lambda here: f"Diagnostics: what a misleading contour changes, accepted {time_granted(here)}.",
    (
        Column("Control", spelled("control_kind", KIND_WORDS)),
        Column("Accepted", _counted("rate", "n"), str, "(n)"),
        Column("Matched", "rate_matched", TENTHS),
        Column("Difference", "difference", points, "points"),
        limits(points),
    ),
    "All in the run with explanations. Matched: the same kind of digit with a contour like that of "
    "S’s and E’s solutions. Harm doesn’t rest on these kinds.",
)
MODEL = ReportModel("harm", "answer.model", "Harm, on matched right and wrong digits:")


def _headline(found: SignalDetection, whole: Whole) -> list[str]:
    """Say that explanations do harm, if matched controls show it."""
    change, wrong = found.sensitivity, found.wrong_digits
    lead, when = called(whole.frame.data, "lead"), granted(whole.of(PARTICIPANTS))
    shown = []
    if change.harm:
        shown.append(
            f"{lead}s tell right from wrong digits less well with them (d′ "
            f"{number(change.d_prime_with)} with, {number(change.d_prime_without)} without, "
            f"difference {number(change.difference)}, 95 % interval "
            f"{interval(change.ci_low, change.ci_high)}; {change.method})"
        )
    if wrong.harm:
        shown.append(_more_wrong(lead, wrong, "more often with them"))
    if shown:
        more = _not_by_more(wrong) if wrong.harm else ""
        return [f"The explanations do harm: {listed(shown)}, {when}.{more}"]
    if wrong.rises:
        more = _more_wrong(lead, wrong, f"more often {when}, too")
        return [f"With explanations {more}, but their acceptance of right digits rises by more."]
    return []


def _more_wrong(lead: str, wrong: WrongDigits, how: str) -> str:
    return (
        f"{lead}s accept wrong digits {how} ({percent(wrong.rate_with)} with, "
        f"{percent(wrong.rate_without)} without, {points(wrong.difference)} points, 95 % "
        f"interval {limits_words(wrong)})"
    )


def _methods(found: SignalDetection, _: Whole) -> list[str]:
    change = found.sensitivity
    by = (
        "a mixed probit on matched right and wrong digits"
        if change.method == MIXED
        else f"pooled counts of matched right and wrong digits ({change.reason})"
    )
    return [
        f"Harm is a decrease of d′ with explanations, from {by} (95 % interval below zero), or a "
        "rise in accepting matched wrong digits by more than "
        f"{unsigned_points(found.wrong_digits.margin)} percentage points and beyond chance. Such a "
        "rise isn’t called harm if the acceptance of matched right digits rises by more (95 % "
        "interval of the difference above zero). "
        "Controls with deliberately misleading contours are reported separately."
    ]


def _lacking(_: LeadData, found: SignalDetection | None) -> list[Lacking]:
    assert found is not None
    if found.sensitivity.difference is not None:
        return []
    reason = "matched right or wrong digits are missing in one of the runs"
    return [Lacking("harm: d′ with explanations against d′ without", reason)]


def _registered(protocol: AcceptReject) -> Promise:
    margin = unsigned_points(protocol.analysis.margin)
    return Promise(
        "secondary",
        "Mixed probit of acceptance on matched right and wrong digits; the coefficient of "
        "signal is d′.",
        HARM_FORMULA,
        (
            Hypothesis(
                "H3",
                "Explanations do no harm.",
                "d′ on matched right and wrong digits doesn't fall: the 95 % interval of d′ with "
                "explanations minus d′ without doesn't lie below zero; and the acceptance of wrong "
                f"digits doesn't rise by more than {margin} percentage points, unless that of "
                "right digits rises by more (95 % interval of the difference above zero).",
            ),
        ),
    )


CONTROLS = Question(
    id="controls",
    title="Controls and signal detection",
    answer=SignalDetection,
    compute=compute,
    parts=(_sensitivity, _wrong_digits, DETECTION, DIAGNOSTICS, KINDS, MODEL),
    view=Within,
    shown=lambda found: found.kinds,
    headline=_headline,
    methods=_methods,
    needs={
        "control_kind": "controls, compliance, exclusion by rule, contour reading and net "
        "usefulness"
    },
    lacking=_lacking,
    registered=_registered,
)
"""Whether explanations do harm."""

"""Whether explanations do harm: matched right and wrong digits, and all other controls."""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from analysis.questions.estimates import AGAINST, EstimateRow
from analysis.questions.pivot import (
    Wide,
    level_of,
    limits_of,
    n_of,
    pivot,
    value_of,
    with_limits_of,
)
from analysis.questions.question import Lacking, Promise, Question, Whole, Within
from analysis.questions.registered import Criterion, Hypothesis
from analysis.report.declared import ReportModel, ReportTable, changes
from analysis.report.parts import Column, Paragraph, limits
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
    BIAS,
    CHANGE,
    CONTROL,
    HARM_FORMULA,
    MISLED,
    MIXED,
    POOLED,
    RIGHT_BEYOND_WRONG,
    RISE,
    SENSITIVITY,
    WHENEVER,
    Harm,
    find_harm,
    margin_of_d_prime,
)
from analysis.studies.accept_reject.data import LeadData
from analysis.studies.accept_reject.questions.participants import PARTICIPANTS, time_granted
from analysis.studies.accept_reject.trials import NOISE, SIGNAL
from analysis.studies.accept_reject.words import (
    BARE,
    KIND_WORDS,
    RUN,
    RUN_WORDS,
    TENTHS,
    granted,
    limits_words,
)
from stimuli.studies.accept_reject.protocol import AcceptReject

Here = Within[Harm]
RUNS: Final = tuple(RUN_WORDS.values())
MATCHED: Final = (SIGNAL, NOISE)


def compute(data: LeadData) -> Harm:
    """Return acceptance of controls, and whether explanations do harm."""
    harm = find_harm(data.modelled, data.controls, data.protocol.analysis.margin)
    return replace(harm, estimates=(*data.controls.rows(), *harm.estimates))


def _sensitivity(here: Here) -> Paragraph:
    answer = here.answer
    change = answer.change
    if change.estimate is None:
        return Paragraph(
            "Whether leads tell right from wrong digits less well with explanations can’t be said: "
            "matched right or wrong digits are missing in one of the runs."
        )
    source = (
        "by the mixed probit below, for an average lead"
        if answer.method == MIXED
        else f"from pooled counts, since no model can be relied on ({answer.reason})"
    )
    return Paragraph(
        f"d′ of matched right against wrong digits is "
        f"{number(answer.sensitivity('without').estimate)} without and "
        f"{number(answer.sensitivity('with').estimate)} with explanations, {source}; the "
        f"difference is {number(change.estimate)} {interval(change.ci_low, change.ci_high)}. "
        + (
            "The explanations do harm: with them leads tell right from wrong digits less well. "
            "More acceptance is not usefulness then."
            if answer.less_sensitive
            else "The data don’t show that leads tell right from wrong digits less well with "
            "explanations."
        )
    )


def _wrong_digits(here: Here) -> Paragraph | None:
    answer = here.answer
    rise = answer.row(RISE)
    if rise.estimate is None:
        return None
    without, with_ = (percent(answer.accepted(NOISE, run).estimate, 1) for run in RUNS)
    return Paragraph(
        f"Matched wrong digits were accepted {time_granted(here)} in "
        f"{without} of the trials without and {with_} with explanations: "
        f"{_points(rise)}. " + _verdict(answer)
    )


def _points(row: EstimateRow) -> str:
    return f"{points(row.estimate)} points {limits_words(row)}"


def _verdict(answer: Harm) -> str:
    """Return whether a rise in accepting wrong digits is harm, and why."""
    margin = unsigned_points(answer.row(RISE).margin)
    if answer.more_wrong:
        harm = "may be" if answer.undecided else "is"
        return (
            f"This {harm} harm: a rise beyond the margin of {margin} points, and beyond chance."
            + _not_by_more(answer)
        )
    if not answer.rises:
        return (
            f"A rise beyond the margin of {margin} points, and beyond chance, would be harm; it is "
            "not shown."
        )
    return (
        f"This is a rise beyond the margin of {margin} points, and beyond chance. It isn't called "
        "harm, because the acceptance of matched right digits rises even more: the difference of "
        f"the two rises is {_points(answer.row(RIGHT_BEYOND_WRONG))}."
    )


def _not_by_more(answer: Harm) -> str:
    """Return the sentence that right digits don't make up for the rise; empty without them."""
    beyond = answer.row(RIGHT_BEYOND_WRONG)
    if beyond.estimate is None:
        return ""
    return (
        " The acceptance of matched right digits isn’t shown to rise by more: its rise less that "
        f"of wrong digits is {_points(beyond)}."
    )


KIND = level_of("control_kind", "Control", KIND_WORDS.__getitem__)
KINDS = pivot(
    lambda here: f"Controls accepted {time_granted(here)}, and at any time.",
    (
        RUN,
        KIND,
        value_of(CONTROL),
        limits_of(CONTROL, write=BARE),
        value_of(WHENEVER),
        n_of(CONTROL, "n", "trials"),
    ),
    by=("explanation", "control_kind"),
    of=lambda here: here.answer.rows(CONTROL) + here.answer.rows(WHENEVER),
    strong=changes("explanation"),
    row_headers=2,
)


def _counted(kind: str) -> Callable[[Wide], str]:
    """Return a function that writes acceptance of a kind of control and its number of trials."""
    name = f"{CONTROL.id}/{kind}"
    return lambda row: f"{percent(row[name])} ({grouped(row[f'{name}.n'])})"


def _detected(here: Here) -> list[EstimateRow]:
    """Return hits, false alarms, d′ and criterion of the runs that have them."""
    answer = here.answer
    indices = answer.rows(SENSITIVITY, by=POOLED) + answer.rows(BIAS)
    runs = {row.of["explanation"] for row in indices}
    matched = [answer.accepted(kind, run) for run in RUNS if run in runs for kind in MATCHED]
    return [*matched, *indices]


DETECTION = pivot(
    lambda here: (
        f"Signal detection from pooled counts, accepted {time_granted(here)}: signals are "
        "matched right digits, noise is matched wrong digits."
    ),
    (
        RUN,
        Column("Hits", _counted(SIGNAL), str, "(n)"),
        Column("False alarms", _counted(NOISE), str, "(n)"),
        with_limits_of(SENSITIVITY),
        with_limits_of(BIAS),
    ),
    by=("explanation",),
    over="control_kind",
    of=_detected,
    note="Log-linear correction (half a trial added to each count, one to each total). A positive "
    "c leans to rejecting. Pooling leads who differ makes d′ too small; the mixed probit doesn’t.",
)
DIAGNOSTICS = ReportTable(
    "",
    lambda here: here.answer.rows(MISLED),
    lambda here: f"Diagnostics: what a misleading contour changes, accepted {time_granted(here)}.",
    lambda here: (
        Column("Control", lambda row: KIND_WORDS[row.of["control_kind"]]),
        Column("Accepted", lambda row: _accepted(here, row.of["control_kind"]), str, "(n)"),
        Column(
            "Matched", lambda row: here.answer.accepted(row.of[AGAINST], "with").estimate, TENTHS
        ),
        Column("Difference", "estimate", points, "points"),
        limits(points),
    ),
    "All in the run with explanations. Matched: the same kind of digit with a contour like that of "
    "S’s and E’s solutions. Harm doesn’t rest on these kinds.",
)


def _accepted(here: Here, kind: str) -> str:
    row = here.answer.accepted(kind, "with")
    return f"{percent(row.estimate)} ({grouped(row.n)})"


MODEL = ReportModel("harm", "answer.model", "Harm, on matched right and wrong digits:")


def _headline(answer: Harm, whole: Whole) -> list[str]:
    """Say that explanations do or may do harm, if matched controls show it."""
    change = answer.change
    lead, when = called(whole.frame.data, "lead"), granted(whole.of(PARTICIPANTS))
    harms = []
    if answer.less_sensitive:
        harms.append(
            f"{lead}s tell right from wrong digits less well with them (d′ "
            f"{number(answer.sensitivity('with').estimate)} with, "
            f"{number(answer.sensitivity('without').estimate)} without, "
            f"difference {number(change.estimate)}, 95 % interval "
            f"{interval(change.ci_low, change.ci_high)}; {answer.method})"
        )
    if answer.more_wrong:
        harms.append(_more_wrong(lead, answer, "more often with them"))
    if harms:
        more = _not_by_more(answer) if answer.more_wrong else ""
        do = "may do" if answer.undecided else "do"
        return [f"The explanations {do} harm: {listed(harms)}, {when}.{more}"]
    if answer.rises:
        more = _more_wrong(lead, answer, f"more often {when}, too")
        return [f"With explanations {more}, but their acceptance of right digits rises by more."]
    return []


def _more_wrong(lead: str, answer: Harm, how: str) -> str:
    rise = answer.row(RISE)
    without, with_ = (percent(answer.accepted(NOISE, run).estimate) for run in RUNS)
    return (
        f"{lead}s accept wrong digits {how} ({with_} with, "
        f"{without} without, {points(rise.estimate)} points, 95 % "
        f"interval {limits_words(rise)})"
    )


def _methods(answer: Harm, _: Whole) -> list[str]:
    by = (
        "a mixed probit on matched right and wrong digits"
        if answer.method == MIXED
        else "pooled counts of matched right and wrong digits, since no mixed probit was sound"
    )
    return [
        f"d′ was computed from {by}. Harm is a decrease of d′ with explanations (95 % interval "
        "below zero), or a rise in accepting matched wrong digits by more than "
        f"{unsigned_points(answer.row(RISE).margin)} percentage points and beyond chance. Such a "
        "rise isn’t called harm if the acceptance of matched right digits rises by more (95 % "
        "interval of the difference above zero). If only the estimate of the difference is "
        "beyond the same margin, the report says that explanations may do harm. "
        "Controls with deliberately misleading contours are reported separately."
    ]


def _lacking(_: LeadData, answer: Harm | None) -> list[Lacking]:
    assert answer is not None
    if answer.change.estimate is not None:
        return []
    reason = "matched right or wrong digits are missing in one of the runs"
    return [Lacking("harm: d′ with explanations against d′ without", reason)]


def _registered(protocol: AcceptReject) -> Promise:
    margin = protocol.analysis.margin
    return Promise(
        "Mixed probit of acceptance on matched right and wrong digits; the coefficient of "
        "signal is d′.",
        HARM_FORMULA,
        (
            Hypothesis(
                "H3",
                "Explanations do no harm: leads tell right from wrong digits nearly as well with "
                "them, and don't accept wrong digits more often.",
                (
                    Criterion(
                        "d′ with explanations minus d′ without, on matched right and wrong digits",
                        CHANGE, {}, "above", -margin_of_d_prime(margin), (MIXED, POOLED),
                    ),
                    Criterion(
                        "the rise of the acceptance of matched wrong digits",
                        RISE, {}, "below", margin,
                    ),
                ),
                note=" A lead without a bias whose d′ falls by "
                f"{number(margin_of_d_prime(margin))} loses at most {unsigned_points(margin)} "
                "percentage points of right decisions. d′ comes from the mixed probit, or from "
                "pooled counts if no fit is sound.",
            ),
        ),
    )  # fmt: skip


CONTROLS = Question(
    id="controls",
    title="Controls and signal detection",
    answer=Harm,
    quantities=(
        CONTROL,
        WHENEVER,
        SENSITIVITY,
        BIAS,
        CHANGE,
        MISLED,
        RISE,
        RIGHT_BEYOND_WRONG,
    ),
    compute=compute,
    parts=(_sensitivity, _wrong_digits, DETECTION, DIAGNOSTICS, KINDS, MODEL),
    view=Within,
    shown=lambda answer: answer.rows(CONTROL),
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

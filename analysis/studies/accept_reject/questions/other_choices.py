"""Whether the result is the same under other choices, and whether practice explains it."""

from collections.abc import Iterator
from dataclasses import replace

from analysis.questions.choices import (
    ANALYSIS,
    BY_MODEL,
    ID,
    LESS_LAG,
    STEP,
    TITLE,
    WITHOUT,
    agreement,
    promise,
)
from analysis.questions.estimates import EstimateRow, again
from analysis.questions.question import Lacking, Question, Whole
from analysis.report.declared import ReportTable, changes, spelled
from analysis.report.parts import Column, Paragraph, limits
from analysis.report.wording import grouped, percent, points, unsigned_points
from analysis.studies.accept_reject.against_experts import AGAINST_E
from analysis.studies.accept_reject.data import LeadData
from analysis.studies.accept_reject.exclusions import contour_rule, too_few_words
from analysis.studies.accept_reject.quantities import GAIN, RAW
from analysis.studies.accept_reject.questions.contour import CONTOUR
from analysis.studies.accept_reject.questions.participants import PARTICIPANTS, Participants
from analysis.studies.accept_reject.rates import measure
from analysis.studies.accept_reject.repeated import ANALYSES, REPEATED
from analysis.studies.accept_reject.trials import OTHER_TIMES, judge_trials
from analysis.studies.accept_reject.usefulness import (
    FAMILY,
    NET_OF_PRACTICE,
    PRACTICE,
    RunEffect,
    gains_by_model,
    run_effect,
)
from analysis.studies.accept_reject.words import GROUPS

FIRST_RUN = "first run of each lead only (between leads)"


def compute(data: LeadData) -> RunEffect:
    """Return the main results under other choices, and effects of explanation and run."""
    effect = run_effect(data.judged, data.plan)
    by_model = again(gains_by_model(data.model.usefulness), **{ANALYSIS: BY_MODEL})
    choices = (*_analyses(data), *by_model)
    return replace(effect, estimates=(*choices, *effect.estimates))


def _analyses(data: LeadData) -> Iterator[EstimateRow]:
    """Yield the main results by choice."""
    judged, chosen = data.judged, data.selection.kept
    yield from data.repeat("all leads (intention to treat)", judged, data.rates)
    codes = [row.participant for row in data.excluded]
    if codes:
        second = judged.measured(~judged.frame["participant"].isin(codes))
        yield from data.repeat(WITHOUT, second)
    for name, factor in OTHER_TIMES.items():
        if (other := judged.within(factor)) is not None:
            yield from data.repeat(name, other)
    if "rt_corrected_s" in chosen and chosen["rt_corrected_s"].notna().any():
        corrected = judge_trials(chosen, data.protocol, "rt_corrected_s")
        yield from data.repeat(LESS_LAG, corrected)
    first = judged.frame["first_run"]
    if first.notna().all() and judged.frame["explained"][first.astype(bool)].nunique() == 2:
        only = judged.measured(first.astype(bool))
        # Leads differ between the runs: this can't be about these leads alone.
        rates = measure(only, replace(data.plan, people="random"))
        yield from data.repeat(FIRST_RUN, only, rates)


def _agreement(answer: RunEffect) -> Paragraph | None:
    rows = [
        row
        for row in (*answer.rows(GAIN, part=RAW), *answer.rows(AGAINST_E))
        if row.of["solver"] in FAMILY
    ]
    return agreement(rows, ("solver",), _about)


def _about(row: EstimateRow) -> str:
    if row.quantity == AGAINST_E.id:
        return "S against E"
    return f"usefulness of {row.of['solver']}’s explanations"


_WHAT = {
    PRACTICE.id: "practice: second run less first, both without",
    NET_OF_PRACTICE.id: "usefulness net of practice",
}
SEPARATED = ReportTable(
    "",
    lambda answer: answer.rows(PRACTICE) + answer.rows(NET_OF_PRACTICE),
    "Effects of explanation and run, separated.",
    (
        Column("", spelled("quantity", _WHAT)),
        Column("By", lambda row: {"probes": "probes", "sham": "sham group"}[row.of["by"]]),
        Column("Solutions of", lambda row: row.of["solver"]),
        Column("Difference", "estimate", points, "percentage points"),
        limits(points),
        Column("n", "n", grouped, "trials"),
    ),
    "Probes are solutions without explanation within the run with them; the sham group had two "
    "runs without.",
    strong=changes("quantity"),
    row_headers=3,
)


def people(sample: Participants, whole: Whole) -> str:
    """Return by which rules leads are left out of the second analysis."""
    return (
        "Exclusion by rule rests only on controls whose right answer needs no colour vision. "
        "High-contrast right digits of both runs, which anyone sees, must be accepted; plates "
        "without a numeral and no-solution of the run without explanations must be rejected. "
        f"Leads who are right on {_least(sample)}, or accept digit-shaped "
        f"contours without a numeral at least {unsigned_points(sample.contour_reading_limit)} "
        f"points more often than plates without a contour ({_contour_rule(whole)}), are left out "
        f"of the second analysis only.{too_few_words(sample.least_controls)} A right digit that "
        "a lead doesn’t see and rejects is never held against anyone, and neither is a wrong digit "
        "that an explanation made a lead accept. "
        "All results below are by intention to treat unless they say otherwise."
    )


def _least(sample: Participants) -> str:
    least = [
        f"fewer than {percent(minimum)} of {GROUPS[name]}"
        for name, minimum in sample.compliance_minimums.items()
    ]
    return " or ".join(least)


def _contour_rule(whole: Whole) -> str:
    return contour_rule(whole.of(CONTOUR).model)


def _methods(_: RunEffect, whole: Whole) -> list[str]:
    sample = whole.of(PARTICIPANTS)
    return [
        "All results are by intention to treat; a second analysis excludes leads who were right "
        f"on {_least(sample)}, or who accepted from the explanation: digit-shaped contours "
        f"without a numeral at least {unsigned_points(sample.contour_reading_limit)} percentage "
        f"points more often than plates without a contour ({_contour_rule(whole)}; "
        f"{len(sample.by_rule)} in all).{too_few_words(sample.least_controls)}"
    ]


def _lacking(_: LeadData, answer: RunEffect | None) -> list[Lacking]:
    assert answer is not None
    if answer.told_apart:
        return []
    result = "the effect of explanations, separate from practice and fatigue"
    return [Lacking(result, answer.sentence)]


OTHER_CHOICES = Question(
    id=ID,
    title=TITLE,
    answer=RunEffect,
    quantities=(*REPEATED, PRACTICE, NET_OF_PRACTICE),
    compute=compute,
    step=STEP,
    parts=(_agreement, ANALYSES, lambda answer: Paragraph(answer.sentence), SEPARATED),
    methods=_methods,
    needs={"rt_corrected_s": "the result with times minus the rig's lag"},
    lacking=_lacking,
    registered=lambda _: promise(BY_MODEL, WITHOUT, *OTHER_TIMES, LESS_LAG, FIRST_RUN),
)
"""Whether the result is the same under other choices."""

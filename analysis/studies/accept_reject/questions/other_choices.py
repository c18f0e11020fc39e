"""Whether the result is the same under other choices, and whether practice explains it."""

from dataclasses import dataclass, replace
from typing import Annotated, Any

from analysis.questions.question import Lacking, Promise, Question, Whole
from analysis.report.about import about
from analysis.report.declared import ReportTable, as_mapping, changes, spelled
from analysis.report.parts import Column, Paragraph, limits
from analysis.report.wording import percent, points, unsigned_points
from analysis.studies.accept_reject.data import LeadData
from analysis.studies.accept_reject.questions.contour import CONTOUR
from analysis.studies.accept_reject.questions.participants import PARTICIPANTS, Participants
from analysis.studies.accept_reject.rates import measure
from analysis.studies.accept_reject.repeated import Repeated, repeated_table
from analysis.studies.accept_reject.trials import judge_trials
from analysis.studies.accept_reject.usefulness import RunEffect, run_effect
from analysis.studies.accept_reject.words import GROUPS, N_COLUMN, contour_rule, too_few_words


@dataclass(frozen=True, slots=True)
class OtherChoices:
    """The main results under other choices, and what separates explanation and run."""

    analyses: Annotated[tuple[Repeated, ...], about("The main results by choice.")]
    run_effect: Annotated[RunEffect, about("Effects of explanation and run, separated.")]


def compute(data: LeadData) -> OtherChoices:
    """Return the main results under other choices, and effects of explanation and run."""
    return OtherChoices(_analyses(data), run_effect(data.judged, data.plan))


def _analyses(data: LeadData) -> tuple[Repeated, ...]:
    judged, chosen = data.judged, data.taken.kept
    rows = [data.repeat("all leads (intention to treat)", judged, data.rates)]
    codes = [row.participant for row in data.excluded]
    if codes:
        second = judged.measured(~judged.frame["participant"].isin(codes))
        rows.append(data.repeat("without the leads excluded by rule", second))
    if "rt_corrected_s" in chosen and chosen["rt_corrected_s"].notna().any():
        corrected = judge_trials(chosen, data.protocol, "rt_corrected_s")
        rows.append(data.repeat("times less the rig's lag", corrected))
    first = judged.frame["first_run"]
    if first.notna().all() and judged.frame["explained"][first.astype(bool)].nunique() == 2:
        only = judged.measured(first.astype(bool))
        # Leads differ between the runs: this can't be about these leads alone.
        rates = measure(only, replace(data.plan, people="random"))
        rows.append(data.repeat("first run of each lead only (between leads)", only, rates))
    return tuple(rows)


ANALYSES = repeated_table(
    "sensitivity", "analyses", "Analysis", "Usefulness, raw, with 95 % intervals."
)


def _practice(found: OtherChoices) -> list[dict[str, Any]] | None:
    effect = found.run_effect
    parts = (("practice", effect.practice), ("net", effect.net))
    return [{"what": what, **as_mapping(row)} for what, rows in parts for row in rows] or None


PRACTICE = ReportTable(
    "practice",
    _practice,
    "Effects of explanation and run, separated.",
    (
        Column(
            "",
            spelled(
                "what",
                {
                    "practice": "practice: second run less first, both without",
                    "net": "usefulness net of practice",
                },
            ),
        ),
        Column("By", spelled("by", {"probes": "probes", "sham": "sham group"})),
        Column("Solutions of", "solver"),
        Column("Difference", "estimate", points, "percentage points"),
        limits(points),
        N_COLUMN,
    ),
    "Probes are solutions without explanation within the run with them; the sham group had two "
    "runs without.",
    strong=changes("what"),
    row_headers=3,
)


def people(sample: Participants, whole: Whole) -> str:
    """Return by which rules leads are left out of the second analysis."""
    return (
        "Exclusion by rule rests only on controls whose right answer needs no colour vision. "
        f"{_groups(sample)} Who is right on {_least(sample)}, or accepts digit-shaped "
        f"contours without a numeral at least {unsigned_points(sample.contour_reading_limit)} "
        f"points more often than plates without a contour ({_contour_rule(whole)}), is left out "
        f"of the second analysis only.{too_few_words(sample.least_controls)} A right digit that "
        "a lead doesn’t see and rejects is never held against anyone, and neither is a wrong digit "
        "that an explanation made a lead accept. "
        "All results below are by intention to treat unless they say otherwise."
    )


def _groups(sample: Participants) -> str:
    if "all" in sample.compliance_minimums:
        return (
            "Wrong digits, plates without a numeral and no-solution must not be accepted, "
            "high-contrast right digits must be."
        )
    return (
        "High-contrast right digits of both runs, which anyone sees, must be accepted; plates "
        "without a numeral and no-solution of the run without explanations must be rejected."
    )


def _least(sample: Participants) -> str:
    least = [
        f"fewer than {percent(minimum)} of {GROUPS[name]}"
        for name, minimum in sample.compliance_minimums.items()
    ]
    return " or ".join(least)


def _contour_rule(whole: Whole) -> str:
    return contour_rule(whole.of(CONTOUR).model)


def _methods(_: OtherChoices, whole: Whole) -> list[str]:
    sample = whole.of(PARTICIPANTS)
    return [
        "All results are by intention to treat; a second analysis excludes leads who were right "
        f"on {_least(sample)}, or who accepted from the explanation: digit-shaped contours "
        f"without a numeral at least {unsigned_points(sample.contour_reading_limit)} percentage "
        f"points more often than plates without a contour ({_contour_rule(whole)}; "
        f"{len(sample.by_rule)} in all).{too_few_words(sample.least_controls)}"
    ]


def _lacking(_: LeadData, found: OtherChoices | None) -> list[Lacking]:
    assert found is not None
    if found.run_effect.told_apart:
        return []
    result = "the effect of explanations, separate from practice and fatigue"
    return [Lacking(result, found.run_effect.sentence)]


OTHER_CHOICES = Question(
    id="other_choices",
    title="The same result under other choices",
    answer=OtherChoices,
    compute=compute,
    step="repeating under other choices",
    parts=(ANALYSES, lambda found: Paragraph(found.run_effect.sentence), PRACTICE),
    methods=_methods,
    needs={"rt_corrected_s": "the result with times minus the rig's lag"},
    lacking=_lacking,
    registered=lambda _: Promise(
        "secondary",
        "The primary result without leads who are left out by rule, and under other choices of "
        "the analysis.",
    ),
)
"""Whether the result is the same under other choices."""
